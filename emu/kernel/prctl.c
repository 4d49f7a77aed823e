/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * prctl and arch_prctl.  Everything that changes how code runs is virtual; keep-caps, securebits and
 * the bounding set are the host's own affair.
 */
#include <errno.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include "kernel/pids.h"
#include "kernel/klog.h"
#include "kernel/procfs.h"
#include "kernel/seccomp.h"
#include "kernel/sys.h"
#include "kernel/uaccess.h"

#ifndef PR_SET_SYSCALL_USER_DISPATCH
#define PR_SET_SYSCALL_USER_DISPATCH 59
#endif
enum {
	ARCH_SET_GS_BASE = 0x1001, ARCH_SET_FS_BASE = 0x1002, ARCH_GET_FS_BASE = 0x1003,
	ARCH_GET_GS_BASE = 0x1004, ARCH_GET_CPUID_ON = 0x1011, ARCH_SET_CPUID_ON = 0x1012
};

int64_t sys_arch_prctl(struct kernel *k, const uint64_t a[6])
{
	uint64_t v;

	switch ((int)a[0]) {
	case ARCH_SET_GS_BASE:
	case ARCH_SET_FS_BASE:
		if (a[1] >= TASK_SIZE_MAX)
			return -EPERM;
		engine_set(k->engine, (int)a[0] == ARCH_SET_GS_BASE ? REG_GS_BASE : REG_FS_BASE, a[1]);
		return 0;
	case ARCH_GET_FS_BASE:
	case ARCH_GET_GS_BASE:
		v = engine_get(k->engine,
			       (int)a[0] == ARCH_GET_GS_BASE ? REG_GS_BASE : REG_FS_BASE);
		return user_put(k, a[1], &v, sizeof(v));
	case ARCH_GET_CPUID_ON:
		return 1;
	case ARCH_SET_CPUID_ON:
		return -ENODEV; /* no CPUID faulting */
	default:
		return -EINVAL;
	}
}

static int64_t put_int(struct kernel *k, gaddr dst, int v)
{
	return user_put(k, dst, &v, sizeof(v));
}

static int64_t set_name(struct kernel *k, gaddr src)
{
	char name[16];
	int64_t r = memory_read_string(k->mem, name, src, sizeof(name));

	if (r == -ENAMETOOLONG)
		r = user_get(k, name, src, sizeof(name) - 1);
	if (r < 0)
		return r;
	name[15] = 0;
	proc_set_comm(k, k->proc.current, name, sizeof(name));
	return 0;
}

/* PR_SET_SYSCALL_USER_DISPATCH: Linux kernel/entry/syscall_user_dispatch.c. */
static int64_t set_user_dispatch(struct kernel *k, const uint64_t a[6])
{
	struct task *t = k->proc.current;

	if (k->model->kernel->release_nr < KVER(5, 11))
		return -EINVAL;
	switch (a[1]) {
	case 0:
		if (a[2] || a[3] || a[4])
			return -EINVAL;
		t->sud_on = false;
		return 0;
	case 1:
		if (a[2] && a[2] + a[3] <= a[2])
			return -EINVAL;
		if (a[4] && a[4] >= TASK_SIZE_MAX)
			return -EFAULT;
		t->sud_start = a[2];
		t->sud_len = a[3];
		t->sud_selector = a[4];
		t->sud_on = true;
		return 0;
	default:
		return -EINVAL;
	}
}

static int64_t set_tsc(struct kernel *k, uint64_t mode)
{
	if (mode != PR_TSC_ENABLE && mode != PR_TSC_SIGSEGV)
		return -EINVAL;
	k->proc.current->tsc_sigsegv = mode == PR_TSC_SIGSEGV;
	engine_forbid_tsc(k->engine, mode == PR_TSC_SIGSEGV);
	return 0;
}

int64_t sys_prctl(struct kernel *k, const uint64_t a[6])
{
	struct task *t = k->proc.current;

	switch ((int)a[0]) {
	case PR_SET_NAME:
		return set_name(k, a[1]);
	case PR_GET_NAME:
		return user_put(k, a[1], t->comm, sizeof(t->comm));
	case PR_SET_PDEATHSIG:
		if (a[1] > SIG_MAX)
			return -EINVAL;
		t->pdeath_signal = (int)a[1];
		return sys_host(SYS_prctl, a);
	case PR_GET_PDEATHSIG:
		return put_int(k, a[1], t->pdeath_signal);
	case PR_GET_DUMPABLE:
		return k->proc.undumpable ? 0 : 1;
	case PR_SET_DUMPABLE:
		if (a[1] > 1)
			return -EINVAL;
		k->proc.undumpable = !a[1];
		return 0;
	case PR_GET_SECCOMP:
		return seccomp_prctl_get(k);
	case PR_SET_SECCOMP:
		return seccomp_prctl_set(k, a[1], a[2]);
	case PR_GET_TSC:
		return put_int(k, a[1], t->tsc_sigsegv ? PR_TSC_SIGSEGV : PR_TSC_ENABLE);
	case PR_SET_TSC:
		return set_tsc(k, a[1]);
	case PR_GET_TIMING:
		return 0;
	case PR_SET_TIMING:
		return a[1] ? -EINVAL : 0;
	case PR_GET_TIMERSLACK:
		return 50000;
	case PR_SET_TIMERSLACK:
	case PR_SET_THP_DISABLE:
	case PR_MCE_KILL:
		return 0;
	case PR_GET_THP_DISABLE:
		return 0;
	case PR_SET_NO_NEW_PRIVS:
		if (a[1] != 1 || a[2] || a[3] || a[4])
			return -EINVAL;
		t->no_new_privs = true;
		return sys_host(SYS_prctl, a);
	case PR_GET_NO_NEW_PRIVS:
		return a[1] || a[2] || a[3] || a[4] ? -EINVAL : t->no_new_privs;
	case PR_GET_TID_ADDRESS:
		return user_put(k, a[1], &t->clear_child_tid, 8);
	case PR_SET_SYSCALL_USER_DISPATCH:
		return set_user_dispatch(k, a);
	case PR_SET_CHILD_SUBREAPER:
	case PR_GET_KEEPCAPS:
	case PR_SET_KEEPCAPS:
	case PR_CAPBSET_READ:
	case PR_CAPBSET_DROP:
	case PR_GET_SECUREBITS:
	case PR_SET_SECUREBITS:
	case PR_CAP_AMBIENT:
		return sys_host(SYS_prctl, a); /* no pointers among their arguments */
	case PR_GET_CHILD_SUBREAPER: {
		int v = 0;
		uint64_t h[6] = { a[0], (uint64_t)(uintptr_t)&v };
		int64_t r = sys_host(SYS_prctl, h);

		return r < 0 ? r : put_int(k, a[1], v);
	}
	default:
		return -EINVAL;
	}
}
