/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads.  Each task has a host stack of its own on which the loop and the system call handlers run,
 * so that a handler that has to wait just gives the processor away.  One task runs at a time, in turn:
 * every run of a program schedules alike.  All of a process's tasks share the one engine.
 */
#ifndef VSYSEMU_KERNEL_TASK_H
#define VSYSEMU_KERNEL_TASK_H

#include "kernel/kernel.h"

/* Virtual time that a task may run while others want to. */
#define TASK_SLICE_NS 3000000u

/*
 * Run the tasks of @k until one returns from @body(@ctx), which is what each of them executes.  The
 * first task is k->proc.current.
 */
void task_run_all(struct kernel *k, void (*body)(void *ctx), void *ctx);

/* Is the current task the only one? */
bool task_alone(const struct kernel *k);

/* A thread: a copy of the current task's registers and attributes, ready to run; @tid is virtual. */
struct task *task_new(struct kernel *k, pid_t tid);

/* Others may run; the current task goes on in its turn. */
void task_yield(struct kernel *k);

/*
 * The current task waits: others run, until V = @wake_ns, a signal for it, or task_wake(); with @polling
 * it gets every turn, because only the host knows.  @outside: what it polls can come from outside the
 * tree.  May return early: the caller looks again at what it waits for.
 */
void task_wait(struct kernel *k, uint64_t wake_ns, bool polling, bool outside);
void task_wake(struct task *t);

/* The loop says that the current task executes instructions: it does not merely look. */
void task_ran(struct kernel *k);

/* The current task ends; does not return.  Only if it is not alone. */
void task_end(struct kernel *k) __attribute__((noreturn));
/* Forget the tasks that are TASK_DEAD but not current (execve, fork). */
void task_reap(struct kernel *k);

#endif
