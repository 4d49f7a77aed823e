/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers of the process (alarm, setitimer, timer_create) on virtual time; waiting for them is wait.h's. */
#ifndef VSYSEMU_KERNEL_TIMER_H
#define VSYSEMU_KERNEL_TIMER_H

#include "kernel/kernel.h"

/* V of the next expiry of any timer; UINT64_MAX: none. */
uint64_t timers_next(struct kernel *k);
/* Send the signals of all that expired by now. */
void timers_expire(struct kernel *k);
/* After a fork, in the child: it has none. */
void timers_forget(struct kernel *k);
/* At execve: what timer_create() made is gone, alarms stay. */
void timers_exec(struct kernel *k);
void timers_free(struct kernel *k);

/* CPU-time clocks (kernel/time.c): CLOCK_PROCESS_CPUTIME_ID, CLOCK_THREAD_CPUTIME_ID, and those of a process or
 * thread by number, which are negative (posix-timers.h). */
bool time_is_cpu_clock(int id);
/* The value of one in ns; -EINVAL: no such task. */
int64_t time_cpu_clock(struct kernel *k, int id, int64_t *ns);
/* CLOCK_THREAD_CPUTIME_ID of the caller as others may name it; any other as it is. */
int time_named_clock(struct kernel *k, int id);

#endif
