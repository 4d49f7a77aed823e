/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Idle processes.  A flag in the shared table says that a process waits; whether it does so already,
 * or was woken a moment ago, only the host knows: a wake-up makes a process runnable at once, so
 * that state S together with the flag means that nothing is under way to it.
 */
#include "kernel/idle.h"

#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/fd.h"
#include "kernel/kernel.h"
#include "kernel/pids.h"

void idle_begin(struct kernel *k, uint64_t wake_ns)
{
	struct pid_slot *s = pids_self(k);

	if (!s)
		return;
	s->wake_ns = wake_ns;
	s->waiting = true;
}

void idle_end(struct kernel *k)
{
	struct pid_slot *s = pids_self(k);

	if (s)
		s->waiting = false;
}

char idle_host_state(pid_t pid)
{
	char path[40], text[128];
	const char *p;
	ssize_t n;
	int fd;

	snprintf(path, sizeof(path), "/proc/%d/stat", pid);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return 'X';
	n = read(fd, text, sizeof(text) - 1);
	close(fd);
	if (n <= 0)
		return 'X';
	text[n] = '\0';
	p = strrchr(text, ')');
	return p && p[1] ? p[2] : 'X';
}

static bool slot_is_idle(const struct pid_slot *s, const struct pid_slot *self, uint64_t wake_ns)
{
	char state;

	if (!s->host)
		return false; /* being made */
	state = idle_host_state(s->host);
	if (state == 'Z' || state == 'X')
		return true;
	if (s->state == PID_ENDED)
		return false; /* about to wake its parent */
	if (state == 'T')
		return true;
	if (!s->waiting || state != 'S')
		return false;
	return s->wake_ns > wake_ns || (s->wake_ns == wake_ns && s > self);
}

bool idle_others(struct kernel *k, uint64_t wake_ns)
{
	const struct pid_slot *self = pids_self(k), *s;

	for (size_t i = 0; (s = pids_at(k, i)); i++)
		if (s != self && s->state != PID_FREE && !slot_is_idle(s, self, wake_ns))
			return false;
	return true;
}

/* An epoll descriptor is as outside as those it watches. */
static bool epoll_outside(struct kernel *k, int fd, unsigned depth)
{
	char path[48], line[256];
	bool outside = false;
	FILE *f;
	int watched;

	snprintf(path, sizeof(path), "/proc/self/fdinfo/%d", fd);
	f = fopen(path, "re");
	if (!f)
		return true;
	while (!outside && fgets(line, sizeof(line), f))
		if (sscanf(line, "tfd: %d", &watched) == 1)
			outside = depth > 3 || fd_is_outside(k, watched, depth + 1);
	fclose(f);
	return outside;
}

bool fd_is_outside(struct kernel *k, int fd, unsigned depth)
{
	char path[48], link[64];
	struct stat st;
	socklen_t n = sizeof(int);
	int domain;
	ssize_t len;

	if (fd < 0 || fstat(fd, &st))
		return false;
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return false;
	if (fd_was_inherited(k, &st))
		return true;
	if (S_ISFIFO(st.st_mode))
		return false;
	if (S_ISSOCK(st.st_mode))
		return getsockopt(fd, SOL_SOCKET, SO_DOMAIN, &domain, &n) || domain != AF_UNIX;
	if (S_ISCHR(st.st_mode))
		return isatty(fd);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	len = readlink(path, link, sizeof(link) - 1);
	if (len <= 0)
		return true;
	link[len] = '\0';
	if (!strcmp(link, "anon_inode:[eventpoll]"))
		return epoll_outside(k, fd, depth);
	return strcmp(link, "anon_inode:[eventfd]") != 0;
}

static bool select_outside(struct kernel *k, const uint64_t a[6])
{
	for (int fd = 0; fd < (int)a[0]; fd++)
		for (unsigned i = 1; i <= 3; i++) {
			const uint8_t *set = (const uint8_t *)(uintptr_t)a[i];

			if (set && (set[fd / 8] >> (fd % 8) & 1) && fd_is_outside(k, fd, 0))
				return true;
		}
	return false;
}

bool idle_outside(struct kernel *k, unsigned nr, const uint64_t a[6])
{
	const struct pollfd *p = (const struct pollfd *)(uintptr_t)a[0];

	switch (nr) {
	case SYS_wait4:
	case SYS_waitid:
	case SYS_futex:
	case SYS_pause:
	case SYS_semop:
	case SYS_flock:
		return false;
	case SYS_read:
	case SYS_write:
	case SYS_readv:
	case SYS_writev:
	case SYS_recvfrom:
	case SYS_recvmsg:
	case SYS_sendmsg:
	case SYS_sendto:
	case SYS_accept:
	case SYS_accept4:
		return fd_is_outside(k, (int)a[0], 0);
	case SYS_openat: /* of a FIFO, by another process of the tree */
		return false;
	case SYS_poll:
		for (uint64_t i = 0; i < a[1]; i++)
			if (fd_is_outside(k, p[i].fd, 0))
				return true;
		return false;
	case SYS_select:
		return select_outside(k, a);
	default:
		return true;
	}
}
