/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals of the host for this process, noted for the guest.  Below kernel/signal.h; knows no guest. */
#ifndef VSYSEMU_KERNEL_HOSTSIG_H
#define VSYSEMU_KERNEL_HOSTSIG_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

/* Catch every signal that can be caught but those of faults; @interrupt is called for each, from the
 * handler. */
void hostsig_catch(void (*interrupt)(void *ctx), void *ctx);
/* Was @signo ignored when we were started?  Ask before hostsig_catch(). */
bool hostsig_inherited_ignored(int signo);
/* Take the oldest signal that arrived; false: none. */
bool hostsig_next(siginfo_t *si);
/* Sent to a thread of ours (pthread_kill) it only ends that thread's host call. */
#define HOSTSIG_WAKES_HELPER 64
/* Call nobody any more. */
void hostsig_stop(void);
/* After a fork, in the child: nothing of the parent's is pending. */
void hostsig_forget(void);
/* The host call @nr: its result or negative errno; -EINTR also when a signal waits to be taken. */
int64_t hostsig_syscall(unsigned nr, const uint64_t a[6]);
/* Did the last one begin?  If it did and gave -EINTR, it had to wait. */
bool hostsig_begun(void);

#endif
