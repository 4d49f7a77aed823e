/* SPDX-License-Identifier: GPL-2.0-or-later */
/* System calls about signals: kernel/signal.c of Linux; and signals that cross processes of the tree. */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "kernel/hostsig.h"
#include "kernel/pids.h"
#include "kernel/signal.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/wait.h"
#include "kernel/uaccess.h"

#define SIGSET_BYTES 8u
#define SA_KNOWN 0xdc000807u /* what Linux keeps of sa_flags: bits it does not know are cleared */
#define MINSIGSTKSZ_KERNEL 2048u

static void interrupt(void *ctx)
{
	engine_interrupt(((struct kernel *)ctx)->engine);
}

void signal_init(struct kernel *k)
{
	for (int s = 1; s <= SIG_MAX; s++)
		if (hostsig_inherited_ignored(s))
			k->proc.act[s].handler = 1;
	hostsig_catch(interrupt, k);
}

/* A child stopped, or ended: of that its slot knows more than the host.  False: nobody is to be told. */
static bool info_from_child(struct kernel *k, uint8_t *info, const siginfo_t *si)
{
	pid_t pid = pids_virtual(k, si->si_pid);
	const struct pid_slot *s = pid ? pids_find(k, pid) : NULL;
	int signo = SIGCHLD, code = si->si_code, status = si->si_status;

	if (s && s->state == PID_ENDED) {
		signo = s->exit_signal;
		code = WIFEXITED(s->status) ? CLD_EXITED : CLD_KILLED;
		status = WIFEXITED(s->status) ? WEXITSTATUS(s->status) : WTERMSIG(s->status);
	}
	if (s && code == CLD_STOPPED && s->stop_signal)
		status = s->stop_signal;
	if (!signo)
		return false;
	siginfo_init(info, signo, code);
	siginfo_put32(info, 16, (uint32_t)pid);
	siginfo_put32(info, 20, si->si_uid);
	siginfo_put32(info, 24, (uint32_t)status);
	return true;
}

bool signal_collect(struct kernel *k)
{
	uint8_t info[SIGINFO_BYTES];
	bool any = false;
	siginfo_t si;

	while (hostsig_next(&si)) {
		/* The host's own timer only ends waits (timer.c). */
		if (si.si_signo == SIGALRM && si.si_code == SI_KERNEL)
			continue;
		if (si.si_code == SI_TIMER) {
			k->timed_out = true; /* run/start.c */
			continue;
		}
		siginfo_init(info, si.si_signo, si.si_code);
		siginfo_put32(info, 4, (uint32_t)si.si_errno);
		if (si.si_signo == SIGCHLD && si.si_code > 0) {
			if (!info_from_child(k, info, &si))
				continue;
		} else if (si.si_code <= 0) {
			siginfo_put32(info, 16, (uint32_t)pids_virtual(k, si.si_pid));
			siginfo_put32(info, 20, si.si_uid);
			siginfo_put64(info, 24, (uint64_t)(uintptr_t)si.si_value.sival_ptr);
		}
		signal_send(k, NULL, info);
		any = true;
	}
	return any;
}

static void info_from_self(struct kernel *k, uint8_t *info, int signo, int code)
{
	siginfo_init(info, signo, code);
	siginfo_put32(info, 16, (uint32_t)k->proc.pid);
	siginfo_put32(info, 20, getuid());
}

int64_t sys_rt_sigaction(struct kernel *k, const uint64_t a[6])
{
	uint64_t old[4], act[4]; /* handler, flags, restorer, mask */
	struct sigact *s;
	int signo = (int)a[0];

	if (a[3] != SIGSET_BYTES)
		return -EINVAL;
	if (a[1] && user_get(k, act, a[1], sizeof(act)))
		return -EFAULT;
	if (signo < 1 || signo > SIG_MAX || (a[1] && (signo == SIGKILL || signo == SIGSTOP)))
		return -EINVAL;
	s = &k->proc.act[signo];
	old[0] = s->handler;
	old[1] = s->flags;
	old[2] = s->restorer;
	old[3] = s->mask;
	if (a[1]) {
		*s = (struct sigact){ act[0], act[1] & SA_KNOWN, act[2],
				      act[3] & ~(SIGBIT(SIGKILL) | SIGBIT(SIGSTOP)) };
		if (s->handler == 1 || (!s->handler && signal_default_ignored(signo))) {
			uint8_t info[SIGINFO_BYTES];

			while (signal_take(k, SIGBIT(signo), info))
				;
		}
	}
	return a[2] ? user_put(k, a[2], old, sizeof(old)) : 0;
}

int64_t sys_rt_sigprocmask(struct kernel *k, const uint64_t a[6])
{
	sigset64 old = k->proc.current->mask, set = 0;

	if (a[3] != SIGSET_BYTES)
		return -EINVAL;
	if (a[1]) {
		if (user_get(k, &set, a[1], sizeof(set)))
			return -EFAULT;
		switch ((int)a[0]) {
		case SIG_BLOCK:
			signal_set_mask(k, old | set);
			break;
		case SIG_UNBLOCK:
			signal_set_mask(k, old & ~set);
			break;
		case SIG_SETMASK:
			signal_set_mask(k, set);
			break;
		default:
			return -EINVAL;
		}
	}
	return a[2] ? user_put(k, a[2], &old, sizeof(old)) : 0;
}

int64_t sys_rt_sigpending(struct kernel *k, const uint64_t a[6])
{
	sigset64 set;

	signal_collect(k);
	set = (k->proc.pending.set | k->proc.current->pending.set) & k->proc.current->mask;
	if (a[1] > SIGSET_BYTES)
		return -EINVAL;
	return user_put(k, a[0], &set, a[1]);
}

int64_t sys_rt_sigreturn(struct kernel *k, const uint64_t a[6])
{
	(void)a;
	sigframe_leave(k);
	return SYSCALL_REGS;
}

int64_t sys_sigaltstack(struct kernel *k, const uint64_t a[6])
{
	struct { uint64_t sp; uint32_t flags, pad; uint64_t size; } ss = { 0 }, old = { 0 };
	struct task *t = k->proc.current;
	gaddr sp = engine_get(k->engine, REG_RSP);

	old.sp = t->altstack_sp;
	old.size = t->altstack_size;
	old.flags = (t->altstack_size ? sigframe_on_altstack(t, sp) : SS_DISABLE) |
		    ((uint32_t)t->altstack_flags & (1u << 31));
	if (a[0]) {
		uint32_t mode;

		if (user_get(k, &ss, a[0], sizeof(ss)))
			return -EFAULT;
		mode = ss.flags & ~(1u << 31);
		if (t->altstack_size && sigframe_on_altstack(t, sp))
			return -EPERM;
		if (mode != SS_DISABLE && mode != SS_ONSTACK && mode != 0)
			return -EINVAL;
		if (mode == SS_DISABLE) {
			ss.size = ss.sp = 0;
		} else if (ss.size < MINSIGSTKSZ_KERNEL) {
			return -ENOMEM;
		}
		t->altstack_sp = ss.sp;
		t->altstack_size = ss.size;
		t->altstack_flags = (int)ss.flags;
	}
	return a[1] ? user_put(k, a[1], &old, sizeof(old)) : 0;
}

static struct task *find_task(struct kernel *k, pid_t tid)
{
	for (size_t i = 0; i < k->proc.tasks.n; i++)
		if (k->proc.tasks.at[i]->tid == tid && k->proc.tasks.at[i]->state != TASK_DEAD)
			return k->proc.tasks.at[i];
	return NULL;
}

static int64_t host_kill(pid_t host, int signo)
{
	return kill(host, signo) ? -errno : 0;
}

int64_t sys_kill(struct kernel *k, const uint64_t a[6])
{
	pid_t pid = (pid_t)a[0], host;
	uint8_t info[SIGINFO_BYTES];
	int signo = (int)a[1];

	if (signo < 0 || signo > SIG_MAX)
		return -EINVAL;
	if (pid == k->proc.pid || (pid == 0 && pids_running(k) <= 1)) {
		if (!signo)
			return 0;
		info_from_self(k, info, signo, SI_USER);
		signal_send(k, NULL, info);
		return 0;
	}
	if (pid > 0) {
		struct pid_slot *s = pids_find(k, pid);

		host = pids_host(k, pid);
		if (!host)
			return -ESRCH;
		return s && s->state == PID_ENDED ? 0 : host_kill(host, signo);
	}
	if (pid == -1)
		return -EPERM;
	host = pids_host_group(k, pid ? -pid : k->proc.pgid);
	return host ? host_kill(-host, signo) : -ESRCH;
}

static int64_t kill_thread(struct kernel *k, pid_t tgid, pid_t tid, int signo)
{
	struct task *t = find_task(k, tid);
	uint8_t info[SIGINFO_BYTES];

	if (tid <= 0 || signo < 0 || signo > SIG_MAX)
		return -EINVAL;
	if (t && (!tgid || tgid == k->proc.pid)) {
		if (!signo)
			return 0;
		info_from_self(k, info, signo, SI_TKILL);
		signal_send(k, t, info);
		return 0;
	}
	if (tgid && tgid != tid)
		return -ESRCH;
	return pids_host(k, tid) ? host_kill(pids_host(k, tid), signo) : -ESRCH;
}

int64_t sys_tkill(struct kernel *k, const uint64_t a[6])
{
	return kill_thread(k, 0, (pid_t)a[0], (int)a[1]);
}

int64_t sys_tgkill(struct kernel *k, const uint64_t a[6])
{
	if ((pid_t)a[0] <= 0)
		return -EINVAL;
	return kill_thread(k, (pid_t)a[0], (pid_t)a[1], (int)a[2]);
}

/* @info of the guest to host process @host, or the one of descriptor @pidfd unless that is -1. */
static int64_t host_queue(struct kernel *k, pid_t host, int pidfd, int signo, const uint8_t *info)
{
	siginfo_t si;
	pid_t pid;

	memset(&si, 0, sizeof(si));
	memcpy(&si, info, SIGINFO_BYTES);
	memcpy(&pid, info + 16, sizeof(pid));
	si.si_signo = signo;
	si.si_pid = pids_host(k, pid); /* which the receiver takes back to the virtual one */
	return syscall(pidfd < 0 ? SYS_rt_sigqueueinfo : SYS_pidfd_send_signal, pidfd < 0 ? host : pidfd, signo, &si, 0) ?
		       -errno : 0;
}

static int64_t queue_info(struct kernel *k, struct task *t, pid_t pid, int signo, gaddr user)
{
	uint8_t info[SIGINFO_BYTES];
	int32_t code;

	if (user_get(k, info, user, sizeof(info)))
		return -EFAULT;
	if (signo < 0 || signo > SIG_MAX)
		return -EINVAL;
	siginfo_put32(info, 0, (uint32_t)signo);
	memcpy(&code, info + 8, 4);
	if (pid != k->proc.pid)
		return code >= 0 || code == SI_TKILL ? -EPERM :
		       pids_host(k, pid) ? host_queue(k, pids_host(k, pid), -1, signo, info) : -ESRCH;
	if (signo)
		signal_send(k, t, info);
	return 0;
}

int64_t sys_rt_sigqueueinfo(struct kernel *k, const uint64_t a[6])
{
	return queue_info(k, NULL, (pid_t)a[0], (int)a[1], a[2]);
}

int64_t sys_rt_tgsigqueueinfo(struct kernel *k, const uint64_t a[6])
{
	struct task *t = find_task(k, (pid_t)a[1]);

	if ((pid_t)a[0] <= 0 || (pid_t)a[1] <= 0)
		return -EINVAL;
	return t ? queue_info(k, t, (pid_t)a[0], (int)a[2], a[3]) : -ESRCH;
}

int64_t sys_pause(struct kernel *k, const uint64_t a[6])
{
	(void)a;
	wait_until(k, UINT64_MAX);
	return -ERESTARTNOHAND;
}

int64_t sys_rt_sigsuspend(struct kernel *k, const uint64_t a[6])
{
	struct task *t = k->proc.current;
	sigset64 set;

	if (a[1] != SIGSET_BYTES)
		return -EINVAL;
	if (user_get(k, &set, a[0], sizeof(set)))
		return -EFAULT;
	t->saved_mask = t->mask;
	t->restore_mask = true;
	signal_set_mask(k, set);
	wait_until(k, UINT64_MAX);
	return -ERESTARTNOHAND;
}

void signal_wait(struct kernel *k, sigset64 set, uint64_t until)
{
	struct task *t = k->proc.current;
	sigset64 mask = t->mask;

	t->waited = set & mask; /* real_blocked */
	t->mask &= ~set; /* so that they wake us */
	wait_until(k, until);
	t->mask = mask;
	t->waited = 0;
}

int64_t sys_rt_sigtimedwait(struct kernel *k, const uint64_t a[6])
{
	uint64_t until = UINT64_MAX;
	uint8_t info[SIGINFO_BYTES];
	sigset64 set;
	int signo;

	if (a[3] != SIGSET_BYTES)
		return -EINVAL;
	if (user_get(k, &set, a[0], sizeof(set)))
		return -EFAULT;
	if (a[2]) {
		int64_t ts[2];

		if (user_get(k, ts, a[2], sizeof(ts)))
			return -EFAULT;
		if (ts[0] < 0 || ts[1] < 0 || ts[1] >= (int64_t)NS_PER_S)
			return -EINVAL;
		until = k->clock.now_ns + (uint64_t)ts[0] * NS_PER_S + (uint64_t)ts[1];
	}
	set &= ~(SIGBIT(SIGKILL) | SIGBIT(SIGSTOP));
	signal_collect(k);
	signo = signal_take(k, set, info);
	if (!signo && until > k->clock.now_ns) {
		signal_wait(k, set, until);
		signo = signal_take(k, set, info);
	}
	if (!signo)
		return signal_is_due(k) ? -EINTR : -EAGAIN;
	if (a[1] && user_put(k, a[1], info, sizeof(info)))
		return -EFAULT;
	return signo;
}

/* The virtual process that descriptor @fd stands for; 0: it has ended and is gone; -EBADF: none. */
static int64_t pid_of_fd(struct kernel *k, int fd)
{
	char path[48], line[128];
	int host = -2;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f) && sscanf(line, "Pid: %d", &host) != 1)
		;
	if (f)
		fclose(f);
	return host == -2 ? -EBADF : host <= 0 ? 0 : host == getpid() ? k->proc.pid : pids_virtual(k, host);
}

int64_t sys_pidfd_send_signal(struct kernel *k, const uint64_t a[6])
{
	uint8_t info[SIGINFO_BYTES];
	int64_t pid = pid_of_fd(k, (int)a[0]);
	int signo = (int)a[1];
	int32_t code, told;

	if (a[3])
		return -EINVAL;
	if (pid < 0)
		return pid;
	if (!a[2])
		return pid ? sys_kill(k, (uint64_t[6]){ (uint64_t)pid, (uint64_t)signo }) : -ESRCH;
	if (user_get(k, info, a[2], sizeof(info)))
		return -EFAULT;
	memcpy(&told, info, sizeof(told));
	memcpy(&code, info + 8, sizeof(code));
	if (told != signo)
		return -EINVAL;
	if (pid != k->proc.pid && (code >= 0 || code == SI_TKILL))
		return -EPERM;
	if (!pid)
		return -ESRCH;
	if (signo < 0 || signo > SIG_MAX)
		return -EINVAL;
	if (pid != k->proc.pid)
		return host_queue(k, 0, (int)a[0], signo, info);
	if (signo)
		signal_send(k, NULL, info);
	return 0;
}
