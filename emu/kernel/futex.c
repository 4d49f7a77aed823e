/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futex(2).  Waiters of this process are in the tasks themselves.  Between processes of the tree a
 * shared futex is the host's own on the same memory; with threads beside it, its word is watched.
 * Linux kernel/futex/.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kernel/signal.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/task.h"
#include "kernel/timer.h"
#include "kernel/uaccess.h"
#include "kernel/wait.h"

static int64_t deadline(struct kernel *k, const uint64_t a[6], unsigned op, uint64_t *until)
{
	int64_t ts[2];
	int clock = a[1] & FUTEX_CLOCK_REALTIME ? 0 : 1;

	*until = UINT64_MAX;
	if (!a[3])
		return 0;
	if (user_get(k, ts, a[3], sizeof(ts)))
		return -EFAULT;
	if (ts[0] < 0 || ts[1] < 0 || ts[1] >= (int64_t)NS_PER_S)
		return -EINVAL;
	if (ts[0] > INT32_MAX)
		ts[0] = INT32_MAX;
	*until = op == FUTEX_WAIT ? k->clock.now_ns + (uint64_t)ts[0] * NS_PER_S + (uint64_t)ts[1] :
				    clock_when(&k->clock, clock, ts[0] * (int64_t)NS_PER_S + ts[1]);
	return 0;
}

/* Could another process see the word? */
static bool is_shared(struct kernel *k, const uint64_t a[6])
{
	const struct vma *v = memory_find(k->mem, a[0]);

	return !(a[1] & FUTEX_PRIVATE_FLAG) && v && v->flags & MAP_SHARED;
}

static int64_t wait_among_tasks(struct kernel *k, const uint64_t a[6], uint32_t bits, uint64_t until)
{
	struct task *t = k->proc.current;
	bool shared = is_shared(k, a);
	uint64_t turn = 0;
	uint32_t v;

	for (size_t i = 0; i < k->proc.tasks.n; i++)
		if (k->proc.tasks.at[i]->futex_turn >= turn)
			turn = k->proc.tasks.at[i]->futex_turn + 1;
	t->futex = a[0];
	t->futex_bits = bits;
	t->futex_turn = turn;
	for (;;) {
		if (!t->futex)
			return 0;
		timers_expire(k);
		signal_collect(k);
		if (signal_is_due(k) || k->timed_out) {
			t->futex = 0;
			return until == UINT64_MAX ? -ERESTARTSYS : -EINTR;
		}
		if (k->clock.now_ns >= until) {
			t->futex = 0;
			return -ETIMEDOUT;
		}
		if (shared && (user_get(k, &v, a[0], sizeof(v)) || v != (uint32_t)a[2])) {
			t->futex = 0;
			return 0;
		}
		task_wait(k, until, shared, false);
	}
}

static int64_t wait_for(struct kernel *k, const uint64_t a[6], unsigned op)
{
	uint32_t bits = op == FUTEX_WAIT ? FUTEX_BITSET_MATCH_ANY : (uint32_t)a[5];
	uint64_t until, h[6] = { a[0], FUTEX_WAIT_BITSET | (a[1] & FUTEX_PRIVATE_FLAG), a[2], 0, 0, bits };
	int64_t r = deadline(k, a, op, &until);
	uint32_t v;

	if (r)
		return r;
	if (a[0] & 3 || !bits)
		return -EINVAL;
	if (user_get(k, &v, a[0], sizeof(v)))
		return -EFAULT;
	if (v != (uint32_t)a[2])
		return -EAGAIN;
	if (!memory_in_window(a[0], 4))
		return -EFAULT;
	if (!task_alone(k))
		return wait_among_tasks(k, a, bits, until);
	if (until != UINT64_MAX && !is_shared(k, a))
		return wait_until(k, until) ? -ETIMEDOUT : -EINTR;
	return wait_host(k, SYS_futex, h, until);
}

/* Who waits longest at @addr with one of @bits; NULL: nobody. */
static struct task *first_waiter(struct kernel *k, gaddr addr, uint32_t bits)
{
	struct task *first = NULL;

	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		struct task *t = k->proc.tasks.at[i];

		if (t->state == TASK_BLOCKED && t->futex == addr && t->futex_bits & bits &&
		    (!first || t->futex_turn < first->futex_turn))
			first = t;
	}
	return first;
}

static int64_t wake(struct kernel *k, const uint64_t a[6], gaddr addr, int64_t count, uint32_t bits)
{
	uint64_t h[6] = { addr, FUTEX_WAKE_BITSET | (a[1] & FUTEX_PRIVATE_FLAG), 0, 0, 0, bits };
	int64_t n = 0, r;
	struct task *t;

	while (n < count && (t = first_waiter(k, addr, bits))) {
		t->futex = 0;
		task_wake(k, t);
		n++;
	}
	if (n < count && is_shared(k, a)) {
		h[2] = (uint64_t)(count - n);
		r = sys_host(SYS_futex, h);
		n += r > 0 ? r : 0;
	}
	return n;
}

static int64_t requeue(struct kernel *k, const uint64_t a[6])
{
	int64_t n = wake(k, a, a[0], (int32_t)a[2], FUTEX_BITSET_MATCH_ANY), moved = 0;
	struct task *t;

	while (moved < (int32_t)a[3] && (t = first_waiter(k, a[0], FUTEX_BITSET_MATCH_ANY))) {
		t->futex = a[4];
		moved++;
	}
	return n + moved;
}

static int64_t cmp_requeue(struct kernel *k, const uint64_t a[6])
{
	uint32_t v;

	if (user_get(k, &v, a[0], sizeof(v)))
		return -EFAULT;
	return v != (uint32_t)a[5] ? -EAGAIN : requeue(k, a);
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
	int64_t n;

	if ((op & 7) > FUTEX_OP_XOR || cmp > FUTEX_OP_CMP_GE)
		return -ENOSYS;
	if (op & FUTEX_OP_OPARG_SHIFT)
		oparg = (int32_t)(1u << (oparg & 31));
	if (user_get(k, &old, a[4], sizeof(old)))
		return -EFAULT;
	v = apply(op, old, (uint32_t)oparg);
	if (user_put(k, a[4], &v, sizeof(v)))
		return -EFAULT;
	n = wake(k, a, a[0], (int32_t)a[2], FUTEX_BITSET_MATCH_ANY);
	if (holds(cmp, (int32_t)old, cmparg))
		n += wake(k, a, a[4], (int32_t)a[3], FUTEX_BITSET_MATCH_ANY);
	return n;
}

int64_t sys_futex(struct kernel *k, const uint64_t a[6])
{
	unsigned op = (unsigned)a[1] & (unsigned)FUTEX_CMD_MASK;

	if (a[0] & 3)
		return -EINVAL;
	if (!memory_in_window(a[0], 4))
		return -EFAULT;
	switch (op) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return wait_for(k, a, op);
	case FUTEX_WAKE:
		return wake(k, a, a[0], (int32_t)a[2] > 0 ? (int32_t)a[2] : 1, FUTEX_BITSET_MATCH_ANY);
	case FUTEX_WAKE_BITSET:
		return !(uint32_t)a[5] ? -EINVAL : wake(k, a, a[0], (int32_t)a[2], (uint32_t)a[5]);
	case FUTEX_REQUEUE:
		return requeue(k, a);
	case FUTEX_CMP_REQUEUE:
		return cmp_requeue(k, a);
	case FUTEX_WAKE_OP:
		return wake_op(k, a);
	default:
		return -ENOSYS;
	}
}
