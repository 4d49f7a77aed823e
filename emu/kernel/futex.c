/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * futex(2).  Private ones of the one thread need no queue: nobody else can wake it.  Shared ones, between
 * processes of the tree, are the host's own on the same memory.
 */
#include <errno.h>
#include <linux/futex.h>
#include <sys/syscall.h>

#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/timer.h"
#include "kernel/uaccess.h"

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
	*until = op == FUTEX_WAIT ? k->clock.now_ns + (uint64_t)ts[0] * NS_PER_S + (uint64_t)ts[1] :
				    clock_when(&k->clock, clock, ts[0] * (int64_t)NS_PER_S + ts[1]);
	return 0;
}

static int64_t wait_for(struct kernel *k, const uint64_t a[6], unsigned op)
{
	uint64_t until, h[6] = { a[0], FUTEX_WAIT_BITSET | (a[1] & FUTEX_PRIVATE_FLAG), a[2], 0, 0,
				 op == FUTEX_WAIT ? FUTEX_BITSET_MATCH_ANY : a[5] };
	int64_t r = deadline(k, a, op, &until);
	uint32_t v;

	if (r)
		return r;
	if (a[0] & 3)
		return -EINVAL;
	if (user_get(k, &v, a[0], sizeof(v)))
		return -EFAULT;
	if (v != (uint32_t)a[2])
		return -EAGAIN;
	if (!memory_in_window(a[0], 4))
		return -EFAULT;
	if (until != UINT64_MAX && a[1] & FUTEX_PRIVATE_FLAG)
		return wait_until(k, until) ? -ETIMEDOUT : -EINTR;
	return wait_host(k, SYS_futex, h, until);
}

int64_t sys_futex(struct kernel *k, const uint64_t a[6])
{
	unsigned op = (unsigned)a[1] & (unsigned)FUTEX_CMD_MASK;

	switch (op) {
	case FUTEX_WAIT:
	case FUTEX_WAIT_BITSET:
		return wait_for(k, a, op);
	case FUTEX_WAKE:
	case FUTEX_WAKE_BITSET:
		if (a[0] & 3)
			return -EINVAL;
		if (!memory_in_window(a[0], 4))
			return -EFAULT;
		return sys_host(SYS_futex, a);
	case FUTEX_REQUEUE:
	case FUTEX_CMP_REQUEUE:
	case FUTEX_WAKE_OP:
		if (!memory_in_window(a[0], 4) || !memory_in_window(a[4], 4))
			return -EFAULT;
		return sys_host(SYS_futex, a);
	default:
		return -ENOSYS;
	}
}
