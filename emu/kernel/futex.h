/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futex(2) between the files that make it up: waiting and waking (futex.c), locks with priority
 * inheritance (futex_pi.c), what a task leaves behind (futex_robust.c).  Linux kernel/futex/.
 */
#ifndef VSYSEMU_KERNEL_FUTEX_H
#define VSYSEMU_KERNEL_FUTEX_H

#include "kernel/kernel.h"

#define FUTEX_MANY_MAX 128u

/* Waits at several words at once (futex_waitv); lives on the waiter's stack. */
struct futex_many {
	size_t n;
	gaddr at[FUTEX_MANY_MAX];
	int woken; /* index; -1: not yet */
};

/* Is @addr a word that an operation may be asked for?  0, -EINVAL, -EFAULT; a @shared one must be mapped. */
int64_t futex_key(struct kernel *k, gaddr addr, bool shared);
/* Could another process see the word that @flags' FUTEX_PRIVATE_FLAG does not keep private? */
bool futex_is_shared(struct kernel *k, gaddr addr, uint64_t flags);

/* Until when: @ts a struct timespec of the guest, relative or on CLOCK_REALTIME or CLOCK_MONOTONIC; 0: for
 * ever (*until UINT64_MAX).  0, -EFAULT, -EINVAL. */
int64_t futex_deadline(struct kernel *k, gaddr ts, bool relative, bool realtime, uint64_t *until);

/* Who waits longest at @addr with one of @bits; NULL: nobody of this process. */
struct task *futex_first(struct kernel *k, gaddr addr, uint32_t bits);
/* The current task waits at @addr behind all others. */
void futex_enqueue(struct kernel *k, gaddr addr, uint32_t bits);
/* @t waits no more. */
void futex_release(struct kernel *k, struct task *t);
/* Wake up to @count that wait at @addr; how many, or -EINVAL when a lock's waiter is among them. */
int64_t futex_wake(struct kernel *k, gaddr addr, uint64_t flags, int64_t count, uint32_t bits);

/* FUTEX_LOCK_PI and its kin; -ENOSYS for what the profile's kernel does not know. */
int64_t futex_pi(struct kernel *k, const uint64_t a[6], unsigned op);

/* The lock at @addr goes to who waits longest for it, with @mark in its word; false: nobody waits. */
bool futex_hand_over(struct kernel *k, gaddr addr, uint32_t mark);

/* @t lets go of the locks of its robust list and of those that others wait for (it ends, or calls execve). */
void futex_let_go(struct kernel *k, struct task *t);

#endif
