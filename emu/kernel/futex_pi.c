/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Locks with priority inheritance: the word holds the owner's thread id, the kernel hands it on to who
 * waits longest (all have the same priority).  A lock that another process has is watched.
 * Linux kernel/futex/pi.c, requeue.c.
 */
#include <errno.h>
#include <linux/futex.h>

#include "kernel/futex.h"
#include "kernel/pids.h"
#include "kernel/signal.h"
#include "kernel/syscall.h"
#include "kernel/task.h"
#include "kernel/timer.h"
#include "kernel/uaccess.h"

#define ANY FUTEX_BITSET_MATCH_ANY
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif
#define NOT_FREE 1

/* Does the thread that a lock's word names live? */
static bool owner_lives(struct kernel *k, pid_t tid)
{
	const struct task *t = task_find(k, tid);
	const struct pid_slot *s;

	if (t)
		return t->state != TASK_ZOMBIE;
	s = pids_find(k, tid);
	return s && s->state == PID_RUNNING;
}

/*
 * Take the lock at @addr for thread @tid if it is free: 0; NOT_FREE, *owner has it and FUTEX_WAITERS is
 * set; -EDEADLK it has it already; -ESRCH nobody alive has it; -EFAULT.
 */
static int64_t take(struct kernel *k, gaddr addr, pid_t tid, bool waiters, pid_t *owner)
{
	uint32_t v, want;

	if (user_get(k, &v, addr, sizeof(v)))
		return -EFAULT;
	*owner = (pid_t)(v & FUTEX_TID_MASK);
	if (*owner == tid)
		return -EDEADLK;
	want = *owner ? v | FUTEX_WAITERS : (v & FUTEX_OWNER_DIED) | (uint32_t)tid | (waiters ? FUTEX_WAITERS : 0);
	if (user_put(k, addr, &want, sizeof(want)))
		return -EFAULT;
	if (!*owner)
		return 0;
	return owner_lives(k, *owner) ? NOT_FREE : -ESRCH;
}

bool futex_hand_over(struct kernel *k, gaddr addr, uint32_t mark)
{
	struct task *t = futex_first(k, addr, ANY);
	uint32_t v;

	if (!t || !t->futex_owner)
		return false;
	v = (uint32_t)t->tid | FUTEX_WAITERS | mark;
	user_put(k, addr, &v, sizeof(v));
	for (size_t i = 0; i < k->proc.tasks.n; i++)
		if (k->proc.tasks.at[i]->futex == addr && k->proc.tasks.at[i]->futex_owner)
			k->proc.tasks.at[i]->futex_owner = t->tid;
	futex_release(k, t);
	return true;
}

/* Wait for the lock at t->futex; @r of its own when woken without it. */
static int64_t wait_for_lock(struct kernel *k, uint64_t flags, uint64_t until)
{
	struct task *t = k->proc.current;
	int64_t r = NOT_FREE;

	while (t->futex && r == NOT_FREE) {
		bool shared = futex_is_shared(k, t->futex, flags);

		timers_expire(k);
		signal_collect(k);
		if (shared && t->futex_owner && !task_find(k, t->futex_owner)) {
			pid_t owner;

			r = take(k, t->futex, t->tid, true, &owner);
			if (r == NOT_FREE)
				t->futex_owner = owner;
		}
		if (r == NOT_FREE && (signal_is_due(k) || k->timed_out))
			r = -ERESTARTNOINTR;
		else if (r == NOT_FREE && k->clock.now_ns >= until)
			r = -ETIMEDOUT;
		if (r == NOT_FREE)
			task_wait(k, until, shared, false);
	}
	t->futex = 0;
	t->futex_owner = 0;
	t->futex_lock = 0;
	return r == NOT_FREE ? 0 : r;
}

static int64_t lock(struct kernel *k, const uint64_t a[6], unsigned op)
{
	bool try = op == FUTEX_TRYLOCK_PI, realtime = op == FUTEX_LOCK_PI || a[1] & FUTEX_CLOCK_REALTIME;
	struct task *t = k->proc.current;
	uint64_t until = UINT64_MAX;
	pid_t owner;
	int64_t r = try ? 0 : futex_deadline(k, a[3], false, realtime, &until);

	if (!r)
		r = futex_key(k, a[0], !(a[1] & FUTEX_PRIVATE_FLAG));
	if (!r)
		r = take(k, a[0], t->tid, futex_first(k, a[0], ANY), &owner);
	if (r != NOT_FREE)
		return r;
	if (try)
		return -EAGAIN;
	if (futex_first(k, a[0], ANY) && !futex_first(k, a[0], ANY)->futex_owner)
		return -EINVAL; /* somebody waits for a plain word there */
	futex_enqueue(k, a[0], ANY);
	t->futex_owner = owner;
	return wait_for_lock(k, a[1], until);
}

static int64_t unlock(struct kernel *k, const uint64_t a[6])
{
	int64_t r = futex_key(k, a[0], !(a[1] & FUTEX_PRIVATE_FLAG));
	struct task *first = futex_first(k, a[0], ANY);
	uint32_t v = 0;

	if (user_get(k, &v, a[0], sizeof(v)))
		return -EFAULT;
	if ((v & FUTEX_TID_MASK) != (uint32_t)k->proc.current->tid)
		return -EPERM;
	if (r)
		return r;
	if (first && !first->futex_owner)
		return -EINVAL;
	if (futex_hand_over(k, a[0], 0))
		return 0;
	v = 0;
	return user_put(k, a[0], &v, sizeof(v));
}

/* Both words of a requeue are the process's to name, and the first still holds @expected. */
static int64_t check_pair(struct kernel *k, const uint64_t a[6], uint32_t expected)
{
	int64_t r = futex_key(k, a[0], !(a[1] & FUTEX_PRIVATE_FLAG));
	uint32_t v;

	if (!r)
		r = futex_key(k, a[4], !(a[1] & FUTEX_PRIVATE_FLAG));
	if (r)
		return r;
	if (user_get(k, &v, a[0], sizeof(v)))
		return -EFAULT;
	return v == expected ? 0 : -EAGAIN;
}

static int64_t wait_requeue(struct kernel *k, const uint64_t a[6])
{
	struct task *t = k->proc.current;
	uint64_t until;
	int64_t r;

	if (a[0] == a[4] || !(uint32_t)a[5])
		return -EINVAL;
	r = futex_deadline(k, a[3], false, a[1] & FUTEX_CLOCK_REALTIME, &until);
	if (!r)
		r = check_pair(k, a, (uint32_t)a[2]);
	if (r)
		return r;
	futex_enqueue(k, a[0], (uint32_t)a[5]);
	t->futex_lock = a[4];
	return wait_for_lock(k, a[1], until);
}

/* The first gets the lock or waits for it, so do up to a[3] others. */
static int64_t cmp_requeue(struct kernel *k, const uint64_t a[6])
{
	int64_t r, n = 0;
	struct task *t;
	pid_t owner;

	if ((int32_t)a[2] != 1 || (int32_t)a[3] < 0 || a[0] == a[4])
		return -EINVAL;
	r = check_pair(k, a, (uint32_t)a[5]);
	if (r)
		return r;
	for (; n < 1 + (int64_t)(int32_t)a[3] && (t = futex_first(k, a[0], ANY)); n++) {
		if (t->futex_lock != a[4])
			return -EINVAL;
		r = take(k, a[4], t->tid, n || futex_first(k, a[4], ANY), &owner);
		if (r < 0)
			return n ? n : r;
		t->futex = a[4];
		t->futex_owner = owner ? owner : t->tid;
		if (!r)
			futex_release(k, t);
	}
	return n;
}

int64_t futex_pi(struct kernel *k, const uint64_t a[6], unsigned op)
{
	if (op == FUTEX_LOCK_PI2 && k->model->kernel->release_nr < KVER(5, 14))
		return -ENOSYS;
	switch (op) {
	case FUTEX_LOCK_PI:
	case FUTEX_LOCK_PI2:
	case FUTEX_TRYLOCK_PI:
		return lock(k, a, op);
	case FUTEX_UNLOCK_PI:
		return unlock(k, a);
	case FUTEX_WAIT_REQUEUE_PI:
		return wait_requeue(k, a);
	case FUTEX_CMP_REQUEUE_PI:
		return cmp_requeue(k, a);
	default:
		return -ENOSYS;
	}
}
