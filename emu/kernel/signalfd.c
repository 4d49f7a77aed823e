/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * signalfd.  The descriptor is an eventfd of the host that is readable while a signal of its set is pending,
 * so that poll, select and epoll work on it as they are; what is read comes from the guest's queues.
 * Linux fs/signalfd.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/fd.h"
#include "kernel/signal.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/uaccess.h"

#define KILL_STOP (SIGBIT(SIGKILL) | SIGBIT(SIGSTOP))

static void make_readable(int fd, bool want)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };
	bool is = poll(&p, 1, 0) > 0;
	uint64_t n = 1;

	if (want && !is && write(fd, &n, sizeof(n)) < 0)
		return;
	if (!want && is && read(fd, &n, sizeof(n)) < 0)
		return;
}

void fd_signal_update(struct kernel *k, int fd, const struct fd_special *s)
{
	sigset64 pending = k->proc.pending.set;

	for (size_t i = 0; i < k->proc.tasks.n; i++)
		pending |= k->proc.tasks.at[i]->pending.set;
	make_readable(fd, pending & s->signals);
}

void fd_signal_forked(struct kernel *k, int fd, const struct fd_special *s)
{
	int flags = fcntl(fd, F_GETFL), cloexec = fcntl(fd, F_GETFD);
	int own = eventfd(0, flags & O_NONBLOCK);

	if (own < 0)
		return; /* shared with the parent then */
	dup3(own, fd, cloexec & FD_CLOEXEC ? O_CLOEXEC : 0);
	close(own);
	fd_signal_update(k, fd, s);
}

int64_t sys_signalfd4(struct kernel *k, const uint64_t a[6])
{
	uint64_t h[6] = { 0, a[3] & (SFD_NONBLOCK | SFD_CLOEXEC) };
	struct fd_special *s;
	sigset64 set;
	int64_t fd = (int)a[0];

	if (a[2] != sizeof(set))
		return -EINVAL;
	if (user_get(k, &set, a[1], sizeof(set)))
		return -EFAULT;
	if (a[3] & ~(uint64_t)(SFD_NONBLOCK | SFD_CLOEXEC))
		return -EINVAL;
	if (fd == -1) {
		fd = sys_host(SYS_eventfd2, h);
		if (fd < 0)
			return fd;
		s = fd_attach(k, (int)fd, FD_SIGNAL);
	} else {
		s = fd_special(k, (int)fd);
		if (!s || s->kind != FD_SIGNAL)
			return fcntl((int)fd, F_GETFD) < 0 ? -EBADF : -EINVAL;
	}
	s->signals = set & ~KILL_STOP;
	fd_signal_update(k, (int)fd, s);
	return fd;
}

int64_t sys_signalfd(struct kernel *k, const uint64_t a[6])
{
	const uint64_t h[6] = { a[0], a[1], a[2], 0 };

	return sys_signalfd4(k, h);
}

static uint32_t at32(const uint8_t *info, unsigned offset)
{
	uint32_t v;

	memcpy(&v, info + offset, sizeof(v));
	return v;
}

static uint64_t at64(const uint8_t *info, unsigned offset)
{
	uint64_t v;

	memcpy(&v, info + offset, sizeof(v));
	return v;
}

/* signalfd_copyinfo(): the fields that the kind of signal has, from where siginfo has them. */
static void convert(struct signalfd_siginfo *to, const uint8_t info[SIGINFO_BYTES])
{
	int32_t signo = (int32_t)at32(info, 0), code = (int32_t)at32(info, 8);
	bool chld = signo == SIGCHLD && code > 0, timer = code == SI_TIMER, queued = code == SI_QUEUE || code == SI_MESGQ;
	bool fault = code > 0 && (signo == SIGSEGV || signo == SIGBUS || signo == SIGILL || signo == SIGFPE || signo == SIGTRAP);

	memset(to, 0, sizeof(*to));
	to->ssi_signo = (uint32_t)signo;
	to->ssi_errno = (int32_t)at32(info, 4);
	to->ssi_code = code;
	if (fault) {
		to->ssi_addr = at64(info, 16);
		return;
	}
	if (signo == SIGSYS && code > 0) {
		to->ssi_call_addr = at64(info, 16);
		to->ssi_syscall = (int32_t)at32(info, 24);
		to->ssi_arch = at32(info, 28);
		return;
	}
	if (timer) {
		to->ssi_tid = at32(info, 16);
		to->ssi_overrun = at32(info, 20);
	} else {
		to->ssi_pid = at32(info, 16);
		to->ssi_uid = at32(info, 20);
	}
	if (timer || queued) {
		to->ssi_ptr = at64(info, 24);
		to->ssi_int = (int32_t)at32(info, 24);
	} else if (chld) {
		to->ssi_status = (int32_t)at32(info, 24);
		to->ssi_utime = at64(info, 32);
		to->ssi_stime = at64(info, 40);
	}
}

int64_t fd_signal_read(struct kernel *k, int fd, gaddr user, uint64_t bytes)
{
	struct fd_special *s = fd_special(k, fd);
	sigset64 set = s->signals;
	struct signalfd_siginfo si;
	uint8_t info[SIGINFO_BYTES];
	uint64_t done = 0;

	if (bytes < sizeof(si))
		return -EINVAL;
	for (; bytes - done >= sizeof(si); done += sizeof(si)) {
		signal_collect(k);
		while (!signal_take(k, set, info)) {
			if (done)
				goto out;
			if (fcntl(fd, F_GETFL) & O_NONBLOCK)
				return -EAGAIN;
			signal_wait(k, set, UINT64_MAX);
			if (!((k->proc.current->pending.set | k->proc.pending.set) & set) && signal_is_due(k))
				return -ERESTARTSYS;
		}
		convert(&si, info);
		if (user_put(k, user + done, &si, sizeof(si)))
			return done ? (int64_t)done : -EFAULT;
	}
out:
	fd_signals_update(k);
	return (int64_t)done;
}
