/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What fork, vfork, clone and clone3 ask for, and what they refuse.  Linux kernel/fork.c. */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <string.h>

#include "kernel/process.h"
#include "kernel/sys.h"
#include "kernel/uaccess.h"

#ifndef CLONE_PIDFD
#define CLONE_PIDFD 0x1000
#endif
#define CLONE_INTO_CGROUP_FLAG 0x200000000ull
#define NAMESPACES (CLONE_NEWNS | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWCGROUP)
#define CLONE_DETACHED_FLAG 0x400000u
#define NEWTIME 0x80u
#define SET_TIDS_MAX 32u

/* struct clone_args of uapi/linux/sched.h; it grew with 5.5 and 5.7. */
struct clone3_args {
	uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	uint64_t set_tid, set_tid_size;
	uint64_t cgroup;
};
#define SIZE_0 64u
#define SIZE_1 80u
#define SIZE_2 88u

/* The rules of copy_process(). */
static int64_t refuse(struct kernel *k, const struct clone_request *c)
{
	uint64_t f = c->flags;

	if ((f & (CLONE_NEWNS | CLONE_FS)) == (CLONE_NEWNS | CLONE_FS) ||
	    (f & (CLONE_NEWUSER | CLONE_FS)) == (CLONE_NEWUSER | CLONE_FS))
		return -EINVAL;
	if ((f & CLONE_THREAD) && !(f & CLONE_SIGHAND))
		return -EINVAL;
	if ((f & CLONE_SIGHAND) && !(f & CLONE_VM))
		return -EINVAL;
	if ((f & CLONE_THREAD) && (f & (CLONE_NEWUSER | CLONE_NEWPID)))
		return -EINVAL;
	if (f & CLONE_PIDFD && (f & CLONE_DETACHED_FLAG ||
				(f & CLONE_THREAD && k->model->kernel->release_nr < KVER(6, 9))))
		return -EINVAL;
	if (f & NAMESPACES)
		return -EPERM;
	if ((f & CLONE_SETTLS) && c->tls >= TASK_SIZE_MAX)
		return -EPERM;
	return 0;
}

int64_t sys_fork(struct kernel *k, const uint64_t a[6])
{
	static const struct clone_request c = { .exit_signal = SIGCHLD };

	(void)a;
	return process_clone(k, &c);
}

int64_t sys_vfork(struct kernel *k, const uint64_t a[6])
{
	static const struct clone_request c = { .flags = CLONE_VM | CLONE_VFORK, .exit_signal = SIGCHLD };

	(void)a;
	return process_clone(k, &c);
}

int64_t sys_clone(struct kernel *k, const uint64_t a[6])
{
	struct clone_request c = { .flags = (uint32_t)a[0] & ~(uint32_t)CSIGNAL, .stack = a[1], .parent_tid = a[2],
				   .child_tid = a[3], .tls = a[4], .exit_signal = (int)(a[0] & CSIGNAL) };
	int64_t r;

	if (k->model->kernel->release_nr < KVER(5, 2))
		c.flags &= ~(uint64_t)CLONE_PIDFD;
	if (c.flags & CLONE_PIDFD && c.flags & CLONE_PARENT_SETTID)
		return -EINVAL;
	c.pidfd = a[2];
	r = refuse(k, &c);
	return r ? r : process_clone(k, &c);
}

/* copy_struct_from_user(): what this kernel does not know must be 0. */
static int64_t get_args(struct kernel *k, struct clone3_args *to, gaddr user, uint64_t size)
{
	unsigned release = k->model->kernel->release_nr;
	size_t known = release < KVER(5, 5) ? SIZE_0 : release < KVER(5, 7) ? SIZE_1 : SIZE_2;
	uint8_t raw[PAGE_BYTES];

	if (size > PAGE_BYTES)
		return -E2BIG;
	if (size < SIZE_0)
		return -EINVAL;
	if (user_get(k, raw, user, size))
		return -EFAULT;
	for (size_t i = known; i < size; i++)
		if (raw[i])
			return -E2BIG;
	memset(to, 0, sizeof(*to));
	memcpy(to, raw, size < known ? size : known);
	return 0;
}

/* clone3_args_valid() and what copy_clone_args_from_user() looks at. */
static bool valid(const struct clone3_args *c)
{
	const uint64_t all = 0xffffffffull | PROCESS_CLEAR_SIGHAND | CLONE_INTO_CGROUP_FLAG;

	if (c->set_tid_size > SET_TIDS_MAX || !c->set_tid != !c->set_tid_size)
		return false;
	if (c->exit_signal > SIG_MAX || (c->flags & CLONE_INTO_CGROUP_FLAG && c->cgroup > INT32_MAX))
		return false;
	if (c->flags & ~all || c->flags & (CLONE_DETACHED_FLAG | (CSIGNAL & ~NEWTIME)))
		return false;
	if (c->flags & CLONE_SIGHAND && c->flags & PROCESS_CLEAR_SIGHAND)
		return false;
	if (c->flags & (CLONE_THREAD | CLONE_PARENT) && c->exit_signal)
		return false;
	if (!c->stack != !c->stack_size)
		return false;
	return c->stack + c->stack_size >= c->stack && c->stack + c->stack_size <= TASK_SIZE_MAX;
}

int64_t sys_clone3(struct kernel *k, const uint64_t a[6])
{
	struct clone_request c;
	struct clone3_args from;
	int64_t r = get_args(k, &from, a[0], a[1]);

	if (r)
		return r;
	if (!valid(&from) || (from.flags & PROCESS_CLEAR_SIGHAND && k->model->kernel->release_nr < KVER(5, 5)))
		return -EINVAL;
	c = (struct clone_request){ .flags = from.flags, .stack = from.stack ? from.stack + from.stack_size : 0,
				    .parent_tid = from.parent_tid, .child_tid = from.child_tid, .tls = from.tls,
				    .pidfd = from.pidfd, .exit_signal = (int)from.exit_signal };
	r = refuse(k, &c);
	if (!r && (from.set_tid || c.flags & (CLONE_INTO_CGROUP_FLAG | NEWTIME)))
		r = -EPERM;
	return r ? r : process_clone(k, &c);
}
