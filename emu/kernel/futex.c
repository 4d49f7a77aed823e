/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futex(2).  Waiters of this process are in the tasks themselves.  Between processes of the tree a
 * shared futex is the host's own on the same memory; with threads beside it, its word is watched.
 * Linux kernel/futex/.
 */
#include "kernel/futex.h"

#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>

#include "kernel/signal.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/task.h"
#include "kernel/timer.h"
#include "kernel/uaccess.h"
#include "kernel/wait.h"

int64_t futex_deadline(struct kernel *k, gaddr user, bool relative, bool realtime, uint64_t *until)
{
	int64_t ts[2];

	*until = UINT64_MAX;
	if (!user)
		return 0;
	if (user_get(k, ts, user, sizeof(ts)))
		return -EFAULT;
	if (ts[0] < 0 || ts[1] < 0 || ts[1] >= (int64_t)NS_PER_S)
		return -EINVAL;
	if (ts[0] > INT32_MAX)
		ts[0] = INT32_MAX;
	*until = relative ? k->clock.now_ns + (uint64_t)ts[0] * NS_PER_S + (uint64_t)ts[1] :
			    clock_when(&k->clock, realtime ? CLOCK_REALTIME : CLOCK_MONOTONIC,
				       ts[0] * (int64_t)NS_PER_S + ts[1]);
	return 0;
}

static const struct vma *mapping(struct kernel *k, gaddr addr)
{
	const struct vma *v = memory_find(k->mem, addr);

	return v && v->start <= addr ? v : NULL;
}

int64_t futex_key(struct kernel *k, gaddr addr, bool shared)
{
	if (addr & 3)
		return -EINVAL;
	if (addr >= TASK_SIZE_MAX)
		return -EFAULT;
	/* A private one is only an address. */
	return shared && !mapping(k, addr) ? -EFAULT : 0;
}

bool futex_is_shared(struct kernel *k, gaddr addr, uint64_t flags)
{
	const struct vma *v = mapping(k, addr);

	return !(flags & FUTEX_PRIVATE_FLAG) && v && v->flags & MAP_SHARED;
}

void futex_enqueue(struct kernel *k, gaddr addr, uint32_t bits)
{
	struct task *t = k->proc.current;
	uint64_t turn = 0;

	for (size_t i = 0; i < k->proc.tasks.n; i++)
		if (k->proc.tasks.at[i]->futex_turn >= turn)
			turn = k->proc.tasks.at[i]->futex_turn + 1;
	t->futex = addr;
	t->futex_bits = bits;
	t->futex_turn = turn;
	t->futex_lock = 0;
	t->futex_owner = 0;
	t->futex_many = NULL;
}

void futex_release(struct kernel *k, struct task *t)
{
	t->futex = 0;
	t->futex_many = NULL;
	task_wake(k, t);
}

/* Why a waiter need not wait any more: 1 it must go on, else what the call returns. */
static int64_t still_waits(struct kernel *k, uint64_t until)
{
	timers_expire(k);
	signal_collect(k);
	if (signal_is_due(k) || k->timed_out)
		return until == UINT64_MAX ? -ERESTARTSYS : -ERESTART_RESTARTBLOCK;
	return k->clock.now_ns >= until ? -ETIMEDOUT : 1;
}

static int64_t wait_task(struct kernel *k, gaddr addr, uint32_t value, uint32_t bits, bool shared, uint64_t until)
{
	struct task *t = k->proc.current;
	int64_t r = 1;
	uint32_t v;

	futex_enqueue(k, addr, bits);
	while (t->futex) {
		r = still_waits(k, until);
		if (r == 1 && shared && (user_get(k, &v, addr, sizeof(v)) || v != value))
			r = 0;
		if (r != 1) {
			t->futex = 0;
			return r;
		}
		task_wait(k, until, shared, false);
	}
	return 0;
}

/* FUTEX_WAIT at @addr for as long as it holds @value. */
static int64_t wait_at(struct kernel *k, gaddr addr, uint64_t flags, uint32_t value, uint32_t bits, uint64_t until)
{
	uint64_t h[6] = { addr, FUTEX_WAIT_BITSET | (flags & FUTEX_PRIVATE_FLAG), value, 0, 0, bits };
	bool shared = futex_is_shared(k, addr, flags);
	int64_t r = futex_key(k, addr, !(flags & FUTEX_PRIVATE_FLAG));
	uint32_t v;

	if (r)
		return r;
	if (user_get(k, &v, addr, sizeof(v)))
		return -EFAULT;
	if (v != value)
		return -EAGAIN;
	if (!shared || !task_alone(k))
		return wait_task(k, addr, value, bits, shared, until);
	r = wait_host(k, SYS_futex, h, until);
	return r == -ERESTARTSYS && until != UINT64_MAX ? -ERESTART_RESTARTBLOCK : r;
}

static int64_t wait_for(struct kernel *k, const uint64_t a[6], unsigned op)
{
	uint32_t bits = op == FUTEX_WAIT ? FUTEX_BITSET_MATCH_ANY : (uint32_t)a[5];
	uint64_t until;
	int64_t r = futex_deadline(k, a[3], op == FUTEX_WAIT && !(a[1] & FUTEX_CLOCK_REALTIME),
				   a[1] & FUTEX_CLOCK_REALTIME, &until);

	if (!r && !bits)
		r = -EINVAL;
	until = syscall_until(k, until);
	if (!r)
		r = wait_at(k, a[0], a[1], (uint32_t)a[2], bits, until);
	return r == -ERESTART_RESTARTBLOCK ? syscall_restart_later(k, until) : r;
}

static bool waits_at(const struct task *t, gaddr addr, uint32_t bits)
{
	const struct futex_many *m = t->futex_many;

	if (!t->futex || !(t->futex_bits & bits))
		return false;
	for (size_t i = 0; m && i < m->n; i++)
		if (m->at[i] == addr)
			return true;
	return !m && t->futex == addr;
}

struct task *futex_first(struct kernel *k, gaddr addr, uint32_t bits)
{
	struct task *first = NULL;

	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		struct task *t = k->proc.tasks.at[i];

		if (t->state == TASK_BLOCKED && waits_at(t, addr, bits) &&
		    (!first || t->futex_turn < first->futex_turn))
			first = t;
	}
	return first;
}

int64_t futex_wake(struct kernel *k, gaddr addr, uint64_t flags, int64_t count, uint32_t bits)
{
	uint64_t h[6] = { addr, FUTEX_WAKE_BITSET | (flags & FUTEX_PRIVATE_FLAG), 0, 0, 0, bits };
	int64_t n = 0, r;
	struct task *t;

	while (n < count && (t = futex_first(k, addr, bits))) {
		if (t->futex_lock || t->futex_owner)
			return -EINVAL;
		for (size_t i = 0; t->futex_many && i < t->futex_many->n; i++)
			if (t->futex_many->at[i] == addr && t->futex_many->woken < 0)
				t->futex_many->woken = (int)i;
		futex_release(k, t);
		n++;
	}
	if (n < count && futex_is_shared(k, addr, flags)) {
		h[2] = (uint64_t)(count - n);
		r = sys_host(SYS_futex, h);
		n += r > 0 ? r : 0;
	}
	return n;
}

static int64_t requeue(struct kernel *k, const uint64_t a[6], gaddr to, bool compare)
{
	int64_t n, moved = 0, r = futex_key(k, a[0], !(a[1] & FUTEX_PRIVATE_FLAG));
	struct task *t;
	uint32_t v;

	if ((int32_t)a[2] < 0 || (int32_t)a[3] < 0)
		return -EINVAL;
	if (!r)
		r = futex_key(k, to, !(a[1] & FUTEX_PRIVATE_FLAG));
	if (r)
		return r;
	if (compare && user_get(k, &v, a[0], sizeof(v)))
		return -EFAULT;
	if (compare && v != (uint32_t)a[5])
		return -EAGAIN;
	n = futex_wake(k, a[0], a[1], (int32_t)a[2], FUTEX_BITSET_MATCH_ANY);
	while (n >= 0 && moved < (int32_t)a[3] && (t = futex_first(k, a[0], FUTEX_BITSET_MATCH_ANY))) {
		if (t->futex_lock || t->futex_owner || t->futex_many)
			return -EINVAL;
		t->futex = to;
		moved++;
	}
	return n < 0 ? n : n + moved;
}

static uint32_t apply(unsigned op, uint32_t old, uint32_t arg)
{
	switch (op & 7) {
	case FUTEX_OP_SET: return arg;
	case FUTEX_OP_ADD: return old + arg;
	case FUTEX_OP_OR: return old | arg;
	case FUTEX_OP_ANDN: return old & ~arg;
	default: return old ^ arg;
	}
}

static bool holds(unsigned cmp, int32_t old, int32_t arg)
{
	switch (cmp) {
	case FUTEX_OP_CMP_EQ: return old == arg;
	case FUTEX_OP_CMP_NE: return old != arg;
	case FUTEX_OP_CMP_LT: return old < arg;
	case FUTEX_OP_CMP_LE: return old <= arg;
	case FUTEX_OP_CMP_GT: return old > arg;
	default: return old >= arg;
	}
}

/* FUTEX_WAKE_OP: op 4 bits, cmp 4, their arguments 12 each, sign-extended. */
static int64_t wake_op(struct kernel *k, const uint64_t a[6])
{
	uint32_t code = (uint32_t)a[5], old, v;
	unsigned op = code >> 28, cmp = code >> 24 & 15;
	int32_t oparg = (int32_t)(code << 8) >> 20, cmparg = (int32_t)(code << 20) >> 20;
	bool shared = !(a[1] & FUTEX_PRIVATE_FLAG);
	int64_t n = futex_key(k, a[0], shared), m;

	if (!n)
		n = futex_key(k, a[4], shared);
	if (n)
		return n;
	if ((op & 7) > FUTEX_OP_XOR)
		return -ENOSYS;
	if (op & FUTEX_OP_OPARG_SHIFT)
		oparg = (int32_t)(1u << (oparg & 31));
	if (user_get(k, &old, a[4], sizeof(old)))
		return -EFAULT;
	v = apply(op, old, (uint32_t)oparg);
	if (user_put(k, a[4], &v, sizeof(v)))
		return -EFAULT;
	if (cmp > FUTEX_OP_CMP_GE)
		return -ENOSYS;
	n = futex_wake(k, a[0], a[1], (int32_t)a[2] > 0 ? (int32_t)a[2] : 1, FUTEX_BITSET_MATCH_ANY);
	if (n < 0 || !holds(cmp, (int32_t)old, cmparg))
		return n;
	m = futex_wake(k, a[4], a[1], (int32_t)a[3] > 0 ? (int32_t)a[3] : 1, FUTEX_BITSET_MATCH_ANY);
	return m < 0 ? m : n + m;
}

static int64_t wake(struct kernel *k, const uint64_t a[6], unsigned op)
{
	uint32_t bits = op == FUTEX_WAKE ? FUTEX_BITSET_MATCH_ANY : (uint32_t)a[5];
	int64_t r = bits ? futex_key(k, a[0], !(a[1] & FUTEX_PRIVATE_FLAG)) : -EINVAL;

	/* Counts below 1 wake one, as its loop does. */
	return r ? r : futex_wake(k, a[0], a[1], (int32_t)a[2] > 0 ? (int32_t)a[2] : 1, bits);
}

/* Which operations take FUTEX_CLOCK_REALTIME: do_futex(). */
static bool takes_clock(struct kernel *k, unsigned op)
{
	unsigned release = k->model->kernel->release_nr;

	return op == FUTEX_WAIT_BITSET || op == FUTEX_WAIT_REQUEUE_PI || op == FUTEX_LOCK_PI2 ||
	       (op == FUTEX_WAIT && release >= KVER(4, 5) && release < KVER(5, 13));
}

int64_t sys_futex(struct kernel *k, const uint64_t a[6])
{
	unsigned op = (unsigned)a[1] & (unsigned)FUTEX_CMD_MASK;

	if (a[1] & FUTEX_CLOCK_REALTIME && !takes_clock(k, op))
		return -ENOSYS;
	switch (op) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return wait_for(k, a, op);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		return wake(k, a, op);
	case FUTEX_REQUEUE:
		return requeue(k, a, a[4], false);
	case FUTEX_CMP_REQUEUE:
		return requeue(k, a, a[4], true);
	case FUTEX_WAKE_OP:
		return wake_op(k, a);
	default:
		return futex_pi(k, a, op);
	}
}

/* struct futex_waitv of uapi/linux/futex.h. */
struct waitv {
	uint64_t val, uaddr;
	uint32_t flags, reserved;
};

#define WAITV_32 2u
#define WAITV_FLAGS (WAITV_32 | FUTEX_PRIVATE_FLAG)

static int64_t waitv_get(struct kernel *k, gaddr user, size_t n, struct waitv *w, struct futex_many *m)
{
	for (size_t i = 0; i < n; i++) {
		if (user_get(k, &w[i], user + i * sizeof(*w), sizeof(*w)))
			return -EFAULT;
		if (w[i].flags & ~WAITV_FLAGS || w[i].reserved || !(w[i].flags & WAITV_32) || w[i].val >> 32)
			return -EINVAL;
		m->at[i] = w[i].uaddr;
	}
	return 0;
}

/* 0: each word is what is waited with; *any: one can be seen by others. */
static int64_t waitv_check(struct kernel *k, const struct waitv *w, size_t n, bool *any)
{
	uint32_t v;

	*any = false;
	for (size_t i = 0; i < n; i++) {
		int64_t r = futex_key(k, w[i].uaddr, !(w[i].flags & FUTEX_PRIVATE_FLAG));

		if (r)
			return r;
		if (user_get(k, &v, w[i].uaddr, sizeof(v)))
			return -EFAULT;
		if (v != (uint32_t)w[i].val)
			return -EAGAIN;
		*any |= futex_is_shared(k, w[i].uaddr, w[i].flags);
	}
	return 0;
}

int64_t sys_futex_waitv(struct kernel *k, const uint64_t a[6])
{
	struct futex_many m = { .n = (uint32_t)a[1], .woken = -1 };
	struct task *t = k->proc.current;
	struct waitv w[FUTEX_MANY_MAX];
	uint64_t until = UINT64_MAX;
	bool shared;
	int64_t r;

	if ((uint32_t)a[2] || !m.n || m.n > FUTEX_MANY_MAX || !a[0])
		return -EINVAL;
	if (a[3] && (clockid_t)a[4] != CLOCK_MONOTONIC && (clockid_t)a[4] != CLOCK_REALTIME)
		return -EINVAL;
	r = futex_deadline(k, a[3], false, (clockid_t)a[4] == CLOCK_REALTIME, &until);
	if (!r)
		r = waitv_get(k, a[0], m.n, w, &m);
	if (!r)
		r = waitv_check(k, w, m.n, &shared);
	if (r)
		return r;
	futex_enqueue(k, m.at[0] ? m.at[0] : 1, FUTEX_BITSET_MATCH_ANY);
	t->futex_many = &m;
	while (t->futex) {
		r = still_waits(k, until);
		for (size_t i = 0; r == 1 && shared && i < m.n; i++)
			if (waitv_check(k, &w[i], 1, &(bool){ false }))
				r = (int64_t)i;
		if (r != 1) {
			t->futex = 0;
			t->futex_many = NULL;
			return r == -ERESTART_RESTARTBLOCK ? -ERESTARTSYS : r;
		}
		task_wait(k, until, shared, false);
	}
	return m.woken;
}
