/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a task that ends leaves in memory: the locks of its robust list are marked as a dead owner's, those
 * that others wait for go to them, and its thread id is cleared.  Linux kernel/futex/core.c
 * (exit_robust_list, handle_futex_death, exit_pi_state_list), kernel/fork.c (mm_release).
 */
#include <errno.h>
#include <linux/futex.h>

#include "kernel/futex.h"
#include "kernel/pids.h"
#include "kernel/sys.h"
#include "kernel/task.h"
#include "kernel/uaccess.h"

#define LIST_BYTES 24u /* struct robust_list_head: list, futex_offset, list_op_pending */
#define PI_BIT 1u /* of a pointer of the list */

/* One lock of the list; false: the list ends here. */
static bool lock_left(struct kernel *k, const struct task *t, gaddr word, bool pi, bool pending)
{
	uint32_t v, mark;

	if (word & 3 || user_get(k, &v, word, sizeof(v)))
		return false;
	/* It was about to let go, and may have done so without waking anybody. */
	if (pending && !pi && !v) {
		futex_wake(k, word, 0, 1, FUTEX_BITSET_MATCH_ANY);
		return true;
	}
	if ((v & FUTEX_TID_MASK) != (uint32_t)t->tid)
		return true;
	mark = (v & FUTEX_WAITERS) | FUTEX_OWNER_DIED;
	if (user_put(k, word, &mark, sizeof(mark)))
		return false;
	if (!pi && v & FUTEX_WAITERS)
		futex_wake(k, word, 0, 1, FUTEX_BITSET_MATCH_ANY);
	return true;
}

static void robust_list(struct kernel *k, struct task *t)
{
	gaddr head[3], entry, next;

	if (!t->robust_list || user_get(k, head, t->robust_list, sizeof(head)))
		return;
	entry = head[0];
	for (unsigned n = 0; (entry & ~(gaddr)PI_BIT) != t->robust_list && n < ROBUST_LIST_LIMIT; n++) {
		int64_t bad = user_get(k, &next, entry & ~(gaddr)PI_BIT, sizeof(next));

		if (entry != head[2] &&
		    !lock_left(k, t, (entry & ~(gaddr)PI_BIT) + head[1], entry & PI_BIT, false))
			return;
		if (bad)
			return;
		entry = next;
	}
	if (head[2] & ~(gaddr)PI_BIT)
		lock_left(k, t, (head[2] & ~(gaddr)PI_BIT) + head[1], head[2] & PI_BIT, true);
}

/* Others wait for locks that @t has: the first of each gets it. */
static void inherit(struct kernel *k, const struct task *t)
{
	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		struct task *w = k->proc.tasks.at[i];

		if (w->futex && w->futex_owner == t->tid)
			futex_hand_over(k, w->futex, FUTEX_OWNER_DIED);
	}
}

void futex_let_go(struct kernel *k, struct task *t)
{
	const int32_t zero = 0;

	robust_list(k, t);
	t->robust_list = t->robust_len = 0;
	inherit(k, t);
	t->futex = 0;
	t->futex_many = NULL;
	if (t->clear_child_tid && !task_alone(k) && !user_put(k, t->clear_child_tid, &zero, sizeof(zero)))
		futex_wake(k, t->clear_child_tid, 0, 1, FUTEX_BITSET_MATCH_ANY);
	t->clear_child_tid = 0;
}

int64_t sys_set_tid_address(struct kernel *k, const uint64_t a[6])
{
	k->proc.current->clear_child_tid = a[0];
	return k->proc.current->tid;
}

int64_t sys_set_robust_list(struct kernel *k, const uint64_t a[6])
{
	if (a[1] != LIST_BYTES)
		return -EINVAL;
	k->proc.current->robust_list = a[0];
	k->proc.current->robust_len = a[1];
	return 0;
}

int64_t sys_get_robust_list(struct kernel *k, const uint64_t a[6])
{
	const struct task *t = task_find(k, (pid_t)a[0]);
	uint64_t len = LIST_BYTES;

	if (!t)
		return pids_find(k, (pid_t)a[0]) ? -EPERM : -ESRCH;
	if (user_put(k, a[2], &len, sizeof(len)) || user_put(k, a[1], &t->robust_list, sizeof(t->robust_list)))
		return -EFAULT;
	return 0;
}
