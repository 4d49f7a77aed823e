/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Process ids, groups and sessions, all of them virtual; waiting for children.  Linux kernel/exit.c, sys.c. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/pids.h"
#include "kernel/signal.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/wait.h"
#include "kernel/uaccess.h"

int64_t sys_getpid(struct kernel *k, const uint64_t a[6])
{
	(void)a;
	return k->proc.pid;
}

int64_t sys_gettid(struct kernel *k, const uint64_t a[6])
{
	(void)a;
	return k->proc.current->tid;
}

int64_t sys_getppid(struct kernel *k, const uint64_t a[6])
{
	struct pid_slot *s = pids_find(k, k->proc.ppid);

	(void)a;
	/* Orphans belong to init, whose id is the first process's parent. */
	if (s && s->state == PID_ENDED)
		return PID_FIRST - 1;
	return k->proc.ppid;
}

int64_t sys_getpgrp(struct kernel *k, const uint64_t a[6])
{
	(void)a;
	return k->proc.pgid;
}

int64_t sys_getpgid(struct kernel *k, const uint64_t a[6])
{
	struct pid_slot *s;

	if (!(pid_t)a[0] || (pid_t)a[0] == k->proc.pid)
		return k->proc.pgid;
	s = pids_find(k, (pid_t)a[0]);
	return s ? s->pgid : -ESRCH;
}

int64_t sys_getsid(struct kernel *k, const uint64_t a[6])
{
	struct pid_slot *s;

	if (!(pid_t)a[0] || (pid_t)a[0] == k->proc.pid)
		return k->proc.sid;
	s = pids_find(k, (pid_t)a[0]);
	return s ? s->sid : -ESRCH;
}

int64_t sys_setpgid(struct kernel *k, const uint64_t a[6])
{
	pid_t pid = (pid_t)a[0] ? (pid_t)a[0] : k->proc.pid, group = (pid_t)a[1] ? (pid_t)a[1] : pid, host;
	struct pid_slot *s = pids_find(k, pid);

	if ((pid_t)a[1] < 0)
		return -EINVAL;
	if (!s)
		return -ESRCH;
	host = group == pid ? s->host : pids_host_group(k, group);
	if (!host)
		return -EPERM;
	if (setpgid(pid == k->proc.pid ? 0 : s->host, host))
		return -errno;
	s->pgid = group;
	if (pid == k->proc.pid)
		k->proc.pgid = group;
	return 0;
}

int64_t sys_setsid(struct kernel *k, const uint64_t a[6])
{
	struct pid_slot *s = pids_self(k);

	(void)a;
	if (setsid() < 0)
		return -errno;
	k->proc.pgid = k->proc.sid = k->proc.pid;
	if (s)
		s->pgid = s->sid = k->proc.pid;
	return k->proc.pid;
}

/* What a child's host status stands for: its slot knows, the host knows when it stops. */
static int status_of(const struct pid_slot *s, int host)
{
	if (s && s->state == PID_ENDED)
		return s->status;
	return s && WIFSTOPPED(host) && s->stop_signal ? s->stop_signal << 8 | 0x7f : host;
}

static void reap(struct kernel *k, struct pid_slot *s)
{
	struct pid_slot *self = pids_self(k);

	if (self) {
		self->user_ns += s->user_ns;
		self->system_ns += s->system_ns;
	}
	/* The child's time is the parent's: what it waited for has happened. */
	clock_sleep_until(&k->clock, s->now_ns);
	pids_release(s);
}

static void fill_rusage(const struct pid_slot *s, struct rusage *ru)
{
	memset(ru, 0, sizeof(*ru));
	if (!s)
		return;
	ru->ru_utime.tv_sec = (time_t)(s->user_ns / NS_PER_S);
	ru->ru_utime.tv_usec = (suseconds_t)(s->user_ns % NS_PER_S / 1000);
	ru->ru_stime.tv_sec = (time_t)(s->system_ns / NS_PER_S);
	ru->ru_stime.tv_usec = (suseconds_t)(s->system_ns % NS_PER_S / 1000);
}

/* Host's way to say which child; 0: there is none such. */
static bool host_target(struct kernel *k, pid_t pid, pid_t *host)
{
	if (pid == -1)
		*host = -1;
	else if (pid == 0)
		*host = 0;
	else if (pid > 0)
		*host = pids_host(k, pid);
	else
		*host = -pids_host_group(k, -pid);
	return pid == -1 || pid == 0 || *host;
}

int64_t sys_wait4(struct kernel *k, const uint64_t a[6])
{
	int status = 0;
	pid_t host, pid;
	struct pid_slot *s;
	struct rusage ru;
	int64_t r;

	if (a[2] & ~(uint64_t)(WNOHANG | WUNTRACED | WCONTINUED | __WNOTHREAD | __WCLONE | __WALL))
		return -EINVAL;
	if (!host_target(k, (pid_t)a[0], &host))
		return -ECHILD;
	{
		uint64_t h[6] = { (uint64_t)(int64_t)host, (uint64_t)(uintptr_t)&status, a[2], 0 };

		r = a[2] & WNOHANG ? sys_host(SYS_wait4, h) : wait_host(k, SYS_wait4, h, UINT64_MAX);
	}
	if (r <= 0)
		return r;
	pid = pids_virtual(k, (pid_t)r);
	s = pid ? pids_find(k, pid) : NULL;
	status = status_of(s, status);
	fill_rusage(s, &ru);
	if (s && s->state == PID_RUNNING && (WIFEXITED(status) || WIFSIGNALED(status)))
		s->state = PID_ENDED; /* killed from outside, without a word */
	if (s && s->state == PID_ENDED)
		reap(k, s);
	if (a[1] && user_put(k, a[1], &status, sizeof(status)))
		return -EFAULT;
	if (a[3] && user_put(k, a[3], &ru, sizeof(ru)))
		return -EFAULT;
	return pid ? pid : r;
}

int64_t sys_waitid(struct kernel *k, const uint64_t a[6])
{
	uint8_t info[SIGINFO_BYTES] = { 0 };
	struct pid_slot *s = NULL;
	siginfo_t si;
	uint64_t h[6] = { a[0], a[1], (uint64_t)(uintptr_t)&si, a[3], 0 };
	int64_t r;
	int status;

	if ((int)a[0] == P_PIDFD && k->model->kernel->release_nr < KVER(5, 4))
		return -EINVAL;
	memset(&si, 0, sizeof(si));
	if (a[0] == P_PID && (pid_t)a[1] > 0)
		h[1] = (uint64_t)pids_host(k, (pid_t)a[1]);
	else if (a[0] == P_PGID && (pid_t)a[1] > 0)
		h[1] = (uint64_t)pids_host_group(k, (pid_t)a[1]);
	if ((a[0] == P_PID || a[0] == P_PGID) && (pid_t)a[1] > 0 && !h[1])
		return -ECHILD;
	r = wait_host(k, SYS_waitid, h, UINT64_MAX);
	if (r < 0)
		return r;
	if (si.si_pid) {
		s = pids_find(k, pids_virtual(k, si.si_pid));
		siginfo_init(info, SIGCHLD, si.si_code);
		siginfo_put32(info, 16, (uint32_t)(s ? s->pid : 0));
		siginfo_put32(info, 20, si.si_uid);
		siginfo_put32(info, 24, (uint32_t)(s && si.si_code == CLD_STOPPED && s->stop_signal ? s->stop_signal : si.si_status));
		if (s && s->state == PID_ENDED) {
			status = s->status;
			siginfo_put32(info, 8, WIFEXITED(status) ? CLD_EXITED : CLD_KILLED);
			siginfo_put32(info, 24, (uint32_t)(WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)));
			if (!(a[3] & WNOWAIT))
				reap(k, s);
		}
	}
	return a[2] ? user_put(k, a[2], info, sizeof(info)) : 0;
}

int64_t sys_pidfd_open(struct kernel *k, const uint64_t a[6])
{
	pid_t host = pids_host(k, (pid_t)a[0]);
	uint64_t h[6] = { (uint64_t)host, a[1] };

	if ((pid_t)a[0] <= 0 || ((uint32_t)a[1] & ~(uint32_t)O_NONBLOCK))
		return -EINVAL;
	return host ? sys_host(SYS_pidfd_open, h) : -ESRCH;
}
