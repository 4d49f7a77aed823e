/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a process is and may: names, limits, scheduling, capabilities.  Ids of users are the host's;
 * processes, processors and limits that would touch the emulator are virtual.
 */
#include "kernel/ident.h"

#include <errno.h>
#include <linux/capability.h>
#include <linux/sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>

#include "kernel/kernel.h"
#include "kernel/pids.h"
#include "kernel/sys.h"
#include "kernel/task.h"
#include "kernel/uaccess.h"

static bool virtual_limit(unsigned which)
{
	return which == RLIMIT_AS || which == RLIMIT_DATA || which == RLIMIT_STACK ||
	       which == RLIMIT_RSS || which == RLIMIT_CPU || which == RLIMIT_MEMLOCK ||
	       which == RLIMIT_RTTIME;
}

void rlimit_init(struct kernel *k)
{
	for (unsigned i = 0; i < RLIM_NLIMITS; i++) {
		struct rlimit r = { RLIM_INFINITY, RLIM_INFINITY };

		getrlimit((__rlimit_resource_t)i, &r);
		k->proc.rlimit[i][0] = r.rlim_cur;
		k->proc.rlimit[i][1] = r.rlim_max;
	}
}

void rlimit_get(struct kernel *k, unsigned which, uint64_t lim[2])
{
	struct rlimit r;

	memcpy(lim, k->proc.rlimit[which], 16);
	if (!virtual_limit(which) && !getrlimit((__rlimit_resource_t)which, &r)) {
		lim[0] = r.rlim_cur;
		lim[1] = r.rlim_max;
	}
}

static int64_t rlimit_set(struct kernel *k, unsigned which, const uint64_t lim[2])
{
	uint64_t *own = k->proc.rlimit[which];
	uint64_t h[6] = { 0, which, (uint64_t)(uintptr_t)lim, 0 };

	if (lim[0] > lim[1])
		return -EINVAL;
	if (!virtual_limit(which))
		return sys_host(SYS_prlimit64, h);
	if (lim[1] > own[1])
		return -EPERM;
	memcpy(own, lim, 16);
	return 0;
}

int64_t sys_getrlimit(struct kernel *k, const uint64_t a[6])
{
	uint64_t lim[2];

	if ((uint32_t)a[0] >= RLIM_NLIMITS)
		return -EINVAL;
	rlimit_get(k, (uint32_t)a[0], lim);
	return user_put(k, a[1], lim, sizeof(lim));
}

int64_t sys_setrlimit(struct kernel *k, const uint64_t a[6])
{
	uint64_t lim[2];

	if (user_get(k, lim, a[1], sizeof(lim)))
		return -EFAULT;
	if ((uint32_t)a[0] >= RLIM_NLIMITS)
		return -EINVAL;
	return rlimit_set(k, (uint32_t)a[0], lim);
}

int64_t sys_prlimit64(struct kernel *k, const uint64_t a[6])
{
	unsigned which = (uint32_t)a[1];
	uint64_t old[2], lim[2];
	pid_t pid = (pid_t)a[0];

	if (which >= RLIM_NLIMITS)
		return -EINVAL;
	if (a[2] && user_get(k, lim, a[2], sizeof(lim)))
		return -EFAULT;
	if (pid && pid != k->proc.pid)
		return pids_find(k, pid) ? -EPERM : -ESRCH;
	rlimit_get(k, which, old);
	if (a[2]) {
		int64_t r = rlimit_set(k, which, lim);

		if (r < 0)
			return r;
	}
	return a[3] ? user_put(k, a[3], old, sizeof(old)) : 0;
}

int64_t sys_uname(struct kernel *k, const uint64_t a[6])
{
	const struct kernel_model *m = k->model->kernel;
	struct utsname u;

	uname(&u); /* node and domain are the host's */
	memset(u.release, 0, sizeof(u.release));
	memset(u.version, 0, sizeof(u.version));
	strncpy(u.release, m->release ? m->release : "", sizeof(u.release) - 1);
	strncpy(u.version, m->version ? m->version : "", sizeof(u.version) - 1);
	return user_put(k, a[0], &u, sizeof(u));
}

int64_t sys_umask(struct kernel *k, const uint64_t a[6])
{
	k->proc.umask = (mode_t)a[0] & 0777;
	return umask(k->proc.umask);
}

int64_t sys_personality(struct kernel *k, const uint64_t a[6])
{
	uint64_t old = k->proc.personality;

	if ((uint32_t)a[0] != 0xffffffff)
		k->proc.personality = (uint32_t)a[0];
	return (int64_t)old;
}

int64_t sys_sched_yield(struct kernel *k, const uint64_t a[6])
{
	if (task_alone(k))
		return sys_host(SYS_sched_yield, a);
	task_yield(k, true);
	return 0;
}

/* 0 is the caller; host id of a process of the tree or of the parent of its first one, or 0: none such. */
static pid_t target(struct kernel *k, pid_t pid)
{
	return pids_host(k, pid == 0 || pid == k->proc.current->tid ? k->proc.pid : pid);
}

/* The same where something would be changed: the world outside of the tree is not the guest's. */
static pid_t own_target(struct kernel *k, pid_t pid)
{
	return pid && pid == PID_FIRST - 1 && !pids_find(k, pid) ? 0 : target(k, pid);
}

static unsigned cpus(struct kernel *k)
{
	return k->cpus ? k->cpus : 1;
}

int64_t sys_sched_setaffinity(struct kernel *k, const uint64_t a[6])
{
	uint64_t mask[16] = { 0 }, any = 0;
	size_t n = (uint32_t)a[1] < sizeof(mask) ? (uint32_t)a[1] : sizeof(mask);

	if (user_get(k, mask, a[2], n))
		return -EFAULT;
	if (!own_target(k, (pid_t)a[0]))
		return -ESRCH;
	for (unsigned i = 0; i < cpus(k); i++)
		any |= mask[i / 64] >> (i % 64) & 1;
	return any ? 0 : -EINVAL;
}

int64_t sys_sched_getaffinity(struct kernel *k, const uint64_t a[6])
{
	uint64_t mask[16] = { 0 };
	uint32_t len = (uint32_t)a[1];

	if (len * 8 < cpus(k) || (len & 7))
		return -EINVAL;
	if (!target(k, (pid_t)a[0]))
		return -ESRCH;
	for (unsigned i = 0; i < cpus(k); i++)
		mask[i / 64] |= 1ull << (i % 64);
	/* The kernel's mask is as long as NR_CPUS asks: one word here. */
	return user_put(k, a[2], mask, 8) ? -EFAULT : 8;
}

int64_t sys_sched_getscheduler(struct kernel *k, const uint64_t a[6])
{
	return (int)a[0] < 0 ? -EINVAL : target(k, (pid_t)a[0]) ? 0 : -ESRCH;
}

int64_t sys_sched_setscheduler(struct kernel *k, const uint64_t a[6])
{
	int32_t prio;

	if (!a[2] || (int)a[0] < 0)
		return -EINVAL;
	if (user_get(k, &prio, a[2], sizeof(prio)))
		return -EFAULT;
	if (!own_target(k, (pid_t)a[0]))
		return -ESRCH;
	switch ((int)a[1]) {
	case SCHED_NORMAL:
	case SCHED_BATCH:
	case SCHED_IDLE:
		return prio ? -EINVAL : 0;
	case SCHED_FIFO:
	case SCHED_RR:
		return prio < 1 || prio > 99 ? -EINVAL : -EPERM;
	default:
		return -EINVAL;
	}
}

int64_t sys_sched_setparam(struct kernel *k, const uint64_t a[6])
{
	uint64_t h[6] = { a[0], SCHED_NORMAL, a[1] };

	return sys_sched_setscheduler(k, h);
}

int64_t sys_sched_getparam(struct kernel *k, const uint64_t a[6])
{
	int32_t prio = 0;

	if (!a[1] || (int)a[0] < 0)
		return -EINVAL;
	return target(k, (pid_t)a[0]) ? user_put(k, a[1], &prio, sizeof(prio)) : -ESRCH;
}

int64_t sys_sched_rr_get_interval(struct kernel *k, const uint64_t a[6])
{
	int64_t ts[2] = { 0, 4000000 };

	if ((int)a[0] < 0)
		return -EINVAL;
	return target(k, (pid_t)a[0]) ? user_put(k, a[1], ts, sizeof(ts)) : -ESRCH;
}

int64_t sys_sched_setattr(struct kernel *k, const uint64_t a[6])
{
	uint32_t attr[2]; /* size, policy */

	if (!a[1] || (int)a[0] < 0 || a[2])
		return -EINVAL;
	if (user_get(k, attr, a[1], sizeof(attr)))
		return -EFAULT;
	if (!own_target(k, (pid_t)a[0]))
		return -ESRCH;
	return attr[1] == SCHED_NORMAL || attr[1] == SCHED_BATCH || attr[1] == SCHED_IDLE ? 0 : -EPERM;
}

int64_t sys_sched_getattr(struct kernel *k, const uint64_t a[6])
{
	uint32_t attr[12] = { 48 };
	uint32_t size = (uint32_t)a[2];

	if (!a[1] || (int)a[0] < 0 || size < 48 || size > PAGE_BYTES || a[3])
		return -EINVAL;
	return target(k, (pid_t)a[0]) ? user_put(k, a[1], attr, sizeof(attr)) : -ESRCH;
}

/* PRIO_PROCESS, PRIO_PGRP and PRIO_USER with their ids made the host's; false: no such process. */
static bool priority_target(struct kernel *k, uint64_t which, uint64_t who, uint64_t h[6])
{
	h[0] = which;
	h[1] = who;
	if (!who || (int)which == PRIO_USER)
		return true;
	h[1] = (uint64_t)((int)which == PRIO_PGRP ? pids_host_group(k, (pid_t)who) :
						    target(k, (pid_t)who));
	return h[1] != 0;
}

int64_t sys_getpriority(struct kernel *k, const uint64_t a[6])
{
	uint64_t h[6] = { 0 };

	return priority_target(k, a[0], a[1], h) ? sys_host(SYS_getpriority, h) : -ESRCH;
}

int64_t sys_setpriority(struct kernel *k, const uint64_t a[6])
{
	uint64_t h[6] = { 0, 0, a[2] };

	if ((int)a[0] == PRIO_PROCESS && a[1] && !own_target(k, (pid_t)a[1]))
		return -ESRCH;
	return priority_target(k, a[0], a[1], h) ? sys_host(SYS_setpriority, h) : -ESRCH;
}

int64_t sys_ioprio_get(struct kernel *k, const uint64_t a[6])
{
	uint64_t h[6] = { a[0], (int)a[0] == 1 ? (uint64_t)target(k, (pid_t)a[1]) : 0 };

	return h[1] || (int)a[0] != 1 ? sys_host(SYS_ioprio_get, h) : -ESRCH;
}

int64_t sys_ioprio_set(struct kernel *k, const uint64_t a[6])
{
	uint64_t h[6] = { a[0], (int)a[0] == 1 ? (uint64_t)own_target(k, (pid_t)a[1]) : 0, a[2] };

	return h[1] || (int)a[0] != 1 ? sys_host(SYS_ioprio_set, h) : -ESRCH;
}

static int64_t capabilities(struct kernel *k, const uint64_t a[6], bool set)
{
	struct __user_cap_header_struct h;
	struct __user_cap_data_struct d[2];
	uint64_t host[6] = { (uint64_t)(uintptr_t)&h, a[1] ? (uint64_t)(uintptr_t)d : 0 };
	size_t n = 1;
	int64_t r;
	int pid;

	memset(d, 0, sizeof(d));
	if (user_get(k, &h, a[0], sizeof(h)))
		return -EFAULT;
	pid = h.pid;
	if (h.version == _LINUX_CAPABILITY_VERSION_2 || h.version == _LINUX_CAPABILITY_VERSION_3)
		n = 2;
	if (pid && pid > 0) {
		h.pid = target(k, pid);
		if (!h.pid)
			return -ESRCH;
	}
	if (set && user_get(k, d, a[1], n * sizeof(d[0])))
		return -EFAULT;
	r = sys_host(set ? SYS_capset : SYS_capget, host);
	h.pid = pid;
	if (r == -EINVAL) /* the version that the kernel prefers */
		user_put(k, a[0], &h, sizeof(h));
	if (!r && !set && a[1] && user_put(k, a[1], d, n * sizeof(d[0])))
		return -EFAULT;
	return r;
}

int64_t sys_capget(struct kernel *k, const uint64_t a[6])
{
	return capabilities(k, a, false);
}

int64_t sys_capset(struct kernel *k, const uint64_t a[6])
{
	return capabilities(k, a, true);
}

/* Barriers between threads of one engine are all there is; commands as of Linux 4.14. */
int64_t sys_membarrier(struct kernel *k, const uint64_t a[6])
{
	(void)k;
	if (a[1])
		return -EINVAL;
	switch ((int)a[0]) {
	case 0: /* QUERY */
		return 0x1f;
	case 1: /* GLOBAL */
	case 2: /* GLOBAL_EXPEDITED */
	case 4: /* REGISTER_GLOBAL_EXPEDITED */
	case 8: /* PRIVATE_EXPEDITED */
	case 16: /* REGISTER_PRIVATE_EXPEDITED */
		return 0;
	default:
		return -EINVAL;
	}
}

int64_t sys_ptrace(struct kernel *k, const uint64_t a[6])
{
	(void)a;
	if (k->warn)
		k->warn(k, "ptrace is not there: answered EPERM");
	return -EPERM;
}

int64_t sys_kcmp(struct kernel *k, const uint64_t a[6])
{
	(void)k;
	(void)a;
	return -EPERM;
}

int64_t sys_modify_ldt(struct kernel *k, const uint64_t a[6])
{
	(void)k;
	return (int)a[0] == 0 ? 0 : -ENOSYS; /* an empty table to read, as CONFIG_MODIFY_LDT_SYSCALL=n */
}
