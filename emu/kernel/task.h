/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Threads.  Each task has a host stack of its own on which the loop and the system call handlers run,
 * so that a handler that has to wait just gives the processor away.  One task runs at a time, on the one
 * engine; which, and at what virtual time on which virtual CPU, is the scheduler's matter (sched.h).
 */
#ifndef VSYSEMU_KERNEL_TASK_H
#define VSYSEMU_KERNEL_TASK_H

#include "kernel/kernel.h"

/* A thread: a copy of the current task's registers and attributes, ready to run; @tid is virtual. */
struct task *task_new(struct kernel *k, pid_t tid);
/* By virtual id, 0: the current one; NULL: this process has none such alive. */
struct task *task_find(struct kernel *k, pid_t tid);

/* Is the current task the only one that lives? */
bool task_alone(const struct kernel *k);
/* Threads as /proc counts them, an ended leader among them. */
size_t task_count(const struct kernel *k);

/* Others may run; the current task goes on in its turn.  @behind: behind all that want to (sched_yield). */
void task_yield(struct kernel *k, bool behind);

/*
 * The current task waits: others run, until V = @wake_ns, a signal for it, or task_wake(); with @polling
 * it is asked again and again, because only the host knows.  @outside: what it polls can come from outside
 * the tree.  May return early: the caller looks again at what it waits for.
 */
void task_wait(struct kernel *k, uint64_t wake_ns, bool polling, bool outside);
void task_wake(struct kernel *k, struct task *t);

/* Cycles that @t was charged so far. */
void task_times(const struct kernel *k, const struct task *t, uint64_t *user_cycles16, uint64_t *system_cycles16);

/* The current task ends; does not return.  Only if it is not alone.  @status: of exit(2). */
void task_end(struct kernel *k, int status) __attribute__((noreturn));
/* Forget the tasks that are TASK_DEAD but not current (execve, fork). */
void task_reap(struct kernel *k);

#endif
