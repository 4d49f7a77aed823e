/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting beside other tasks: a call is made when it can be done at once.  What the host does not tell
 * beforehand is asked without waiting, or left to a helper.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/file.h>
#include <sys/msg.h>
#include <sys/sem.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>

#include "kernel/hostsig.h"
#include "kernel/sys.h"
#include "kernel/task.h"
#include "kernel/wait.h"

#define PIPE_AT_ONCE 4096u /* what a pipe takes that is ready */
#define SOCKET_AT_ONCE 16384u
#define SEMS_MAX 500u /* SEMOPM */

/* Does call @nr ask not to wait? */
static bool no_wait(unsigned nr, const uint64_t a[6])
{
	switch (nr) {
	case SYS_recvfrom: case SYS_sendto:
		return a[3] & MSG_DONTWAIT;
	case SYS_recvmsg: case SYS_sendmsg:
		return a[2] & MSG_DONTWAIT;
	default:
		return false;
	}
}

/* Must all that was asked for be there? */
static bool wants_all(unsigned nr, const uint64_t a[6])
{
	return (nr == SYS_recvfrom && a[3] & MSG_WAITALL) || (nr == SYS_recvmsg && a[2] & MSG_WAITALL);
}

static bool fd_ready(int fd, short events)
{
	struct pollfd p = { .fd = fd, .events = events };

	return poll(&p, 1, 0) != 0;
}

/* Bytes that a writing call has. */
static size_t bytes_to_write(unsigned nr, const uint64_t a[6])
{
	const struct msghdr *m = (const struct msghdr *)(uintptr_t)a[1];
	const struct iovec *v = nr == SYS_sendmsg ? m->msg_iov : (const struct iovec *)(uintptr_t)a[1];
	size_t n = nr == SYS_sendmsg ? m->msg_iovlen : a[2], sum = 0;

	if (nr == SYS_write || nr == SYS_sendto)
		return a[2];
	for (size_t i = 0; i < n; i++)
		sum += v[i].iov_len;
	return sum;
}

/* Even a descriptor that is ready may not take all of it. */
static bool too_much(unsigned nr, const uint64_t a[6])
{
	size_t n = bytes_to_write(nr, a);
	struct stat st;

	if (n <= PIPE_AT_ONCE || fstat((int)a[0], &st))
		return false;
	return S_ISFIFO(st.st_mode) || (S_ISSOCK(st.st_mode) && n > SOCKET_AT_ONCE);
}

static bool is_fifo(const uint64_t a[6])
{
	struct stat st;

	return !fstatat((int)a[0], (const char *)(uintptr_t)a[1], &st, 0) && S_ISFIFO(st.st_mode);
}

/* semop that fails instead of waiting; -EAGAIN. */
static int64_t try_semop(const uint64_t a[6])
{
	const struct sembuf *from = (const struct sembuf *)(uintptr_t)a[1];
	struct sembuf b[SEMS_MAX];
	uint64_t h[6] = { a[0], (uint64_t)(uintptr_t)b, a[2] };

	if (a[2] > SEMS_MAX)
		return -E2BIG;
	for (size_t i = 0; i < a[2]; i++) {
		b[i] = from[i];
		b[i].sem_flg |= IPC_NOWAIT;
	}
	return sys_host(SYS_semop, h);
}

/* The call in a form that does not wait, where there is one: true, its result in *r, and *again if it would. */
static bool ask(unsigned nr, const uint64_t a[6], int64_t *r, bool *again)
{
	uint64_t h[6] = { a[0], a[1], a[2], a[3], a[4], a[5] };
	siginfo_t *si = (siginfo_t *)(uintptr_t)a[2];

	switch (nr) {
	case SYS_wait4:
		h[2] |= WNOHANG;
		*r = sys_host(nr, h);
		*again = !*r && !(a[2] & WNOHANG);
		return true;
	case SYS_waitid:
		h[3] |= WNOHANG;
		*r = sys_host(nr, h);
		*again = *r >= 0 && !si->si_pid && !(a[3] & WNOHANG);
		return true;
	case SYS_flock:
		h[1] |= LOCK_NB;
		*r = sys_host(nr, h);
		*again = *r == -EAGAIN && !(a[1] & LOCK_NB);
		return true;
	case SYS_fcntl:
		h[1] = (int)a[1] == F_SETLKW ? F_SETLK : (int)a[1] == F_OFD_SETLKW ? F_OFD_SETLK : a[1];
		*r = sys_host(nr, h);
		*again = h[1] != a[1] && (*r == -EAGAIN || *r == -EACCES);
		return true;
	case SYS_msgsnd:
		h[3] |= IPC_NOWAIT;
		*r = sys_host(nr, h);
		*again = *r == -EAGAIN && !(a[3] & IPC_NOWAIT);
		return true;
	case SYS_msgrcv:
		h[4] |= IPC_NOWAIT;
		*r = sys_host(nr, h);
		*again = *r == -ENOMSG && !(a[4] & IPC_NOWAIT);
		return true;
	default:
		return false;
	}
}

/* Reading and writing: true when the call can be made at once. */
static bool can(unsigned nr, const uint64_t a[6], short events)
{
	return fcntl((int)a[0], F_GETFL) & O_NONBLOCK || no_wait(nr, a) || fd_ready((int)a[0], events);
}

int64_t wait_among_tasks(struct kernel *k, unsigned nr, const uint64_t a[6], uint64_t until, bool outside)
{
	bool again = false;
	int64_t r = -EINTR;

	switch (nr) {
	case SYS_poll: /* the caller asks again by itself */
	case SYS_select:
		if (k->clock.now_ns < until)
			task_wait(k, until, true, outside);
		return -ETIMEDOUT;
	case SYS_read: case SYS_readv: case SYS_recvfrom: case SYS_recvmsg: case SYS_accept: case SYS_accept4:
		if (wants_all(nr, a) && !no_wait(nr, a) && !(fcntl((int)a[0], F_GETFL) & O_NONBLOCK))
			return wait_helper(k, nr, a, until, outside);
		again = !can(nr, a, POLLIN);
		if (!again)
			r = hostsig_syscall(nr, a);
		break;
	case SYS_write: case SYS_writev: case SYS_sendto: case SYS_sendmsg:
		if (!no_wait(nr, a) && !(fcntl((int)a[0], F_GETFL) & O_NONBLOCK) && too_much(nr, a))
			return wait_helper(k, nr, a, until, outside);
		again = !can(nr, a, POLLOUT);
		if (!again)
			r = hostsig_syscall(nr, a);
		break;
	case SYS_semop:
		r = try_semop(a);
		if (r == -EAGAIN)
			return wait_helper(k, nr, a, until, outside);
		return r;
	case SYS_openat:
		if (!(a[2] & O_NONBLOCK) && is_fifo(a))
			return wait_helper(k, nr, a, until, outside);
		r = hostsig_syscall(nr, a);
		break;
	case SYS_connect: case SYS_splice: case SYS_tee: case SYS_vmsplice: case SYS_sendfile:
		return wait_helper(k, nr, a, until, outside);
	default:
		if (!ask(nr, a, &r, &again))
			r = hostsig_syscall(nr, a);
		break;
	}
	if (!again && r != -EINTR)
		return r;
	if (k->clock.now_ns >= until)
		return -ETIMEDOUT;
	task_wait(k, until, true, outside);
	return WAIT_LOOK_AGAIN;
}
