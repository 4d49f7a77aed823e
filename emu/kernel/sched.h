/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler: which task runs, on which of the virtual CPUs, at what virtual time.  Each CPU has its
 * own place on the time line; the one that is furthest behind runs next, and not far ahead of the
 * others, so that what tasks do to each other happens in the order of virtual time, within
 * SCHED_AHEAD_NS.  All choices follow from the program, --cpus and --seed: the same run again schedules
 * alike, another seed schedules otherwise.
 */
#ifndef VSYSEMU_KERNEL_SCHED_H
#define VSYSEMU_KERNEL_SCHED_H

#include "kernel/kernel.h"

/* Virtual time that a task may run while others want its CPU; how far a CPU may be ahead of another. */
#define SCHED_SLICE_NS 3000000u
#define SCHED_AHEAD_NS 100000u

/* Run the tasks of @k until one returns from @body(@ctx), which is what each of them executes.  The
 * first task is k->proc.current. */
void sched_run(struct kernel *k, void (*body)(void *ctx), void *ctx);

/* V at which the current task has to give way (task_yield()); UINT64_MAX: nobody else wants to run. */
uint64_t sched_until(struct kernel *k);

/* The loop says that the current task is about to execute instructions: it does not merely look. */
void sched_ran(struct kernel *k);

/* The current task may run only where its affinity says: moves it if it must.  Also after the change of
 * another task's. */
void sched_place(struct kernel *k);

/* ---- for task.c and process.c ---- */

struct coroutine *sched_coroutine(struct kernel *k); /* a stack for a new task; NULL */
void sched_leave(struct kernel *k); /* back when it is the current task's turn */
void sched_changed(struct kernel *k); /* there is another that could run */
void sched_woken(struct kernel *k, struct task *t);
void sched_behind(struct kernel *k);
void sched_forget(struct kernel *k, const struct task *t);
void sched_forked(struct kernel *k); /* in the child, whose only task is the current one */
/* Adds what the current task was charged in the turn that it has. */
void sched_turn_times(const struct kernel *k, uint64_t *user_cycles16, uint64_t *system_cycles16);

#endif
