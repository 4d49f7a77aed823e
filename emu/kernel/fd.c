/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of special descriptors and the calls that copy or close descriptors.  Plain descriptors
 * cost one comparison.  Rules: Linux fs/file.c, fs/open.c.
 */
#include "kernel/fd.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/kernel.h"
#include "kernel/pids.h"
#include "kernel/sys.h"

#ifndef CLOSE_RANGE_UNSHARE
#define CLOSE_RANGE_UNSHARE 2u
#define CLOSE_RANGE_CLOEXEC 4u
#endif

/* High enough to be out of the way, low enough that fork need not copy a large table. */
enum { HIDE_BASE = 8000, INHERITED = 64 };

struct files {
	struct fd_special **at; /* by number; NULL: plain */
	size_t n;
	struct inherited {
		dev_t dev;
		ino_t ino;
	} inherited[INHERITED];
	size_t inherited_n;
	unsigned timers, signals; /* records of kinds FD_TIMER, FD_SIGNAL */
};

int fd_hide(int fd)
{
	struct rlimit own;
	struct rlimit wide;
	int got;

	if (fd < 0 || getrlimit(RLIMIT_NOFILE, &own))
		return fd;
	wide = own;
	wide.rlim_cur = own.rlim_max;
	setrlimit(RLIMIT_NOFILE, &wide);
	got = fcntl(fd, F_DUPFD_CLOEXEC,
		    own.rlim_max > HIDE_BASE + 64 ? HIDE_BASE : (int)own.rlim_max - 32);
	setrlimit(RLIMIT_NOFILE, &own);
	if (got < 0) {
		fcntl(fd, F_SETFD, FD_CLOEXEC);
		return fd;
	}
	close(fd);
	return got;
}

/* Calls @f for every open descriptor from @first on. */
static void each_fd(struct kernel *k, int first, void (*f)(struct kernel *k, int fd))
{
	DIR *d = opendir("/proc/self/fd");
	const struct dirent *e;

	if (!d)
		return;
	while ((e = readdir(d))) {
		int fd = atoi(e->d_name);

		if (e->d_name[0] != '.' && fd >= first && fd != dirfd(d))
			f(k, fd);
	}
	closedir(d);
}

static void hide_own(struct kernel *k, int fd)
{
	if (fcntl(fd, F_GETFD) & FD_CLOEXEC)
		fd_attach(k, fd, FD_HIDDEN);
}

static void note_inherited(struct kernel *k, int fd)
{
	struct files *f = k->files;
	struct stat st;

	if (f->inherited_n == INHERITED || fd_is_hidden(k, fd) || fstat(fd, &st))
		return;
	/* /dev/null and its like are ready whatever happens outside. */
	if (S_ISFIFO(st.st_mode) || S_ISSOCK(st.st_mode) || (S_ISCHR(st.st_mode) && isatty(fd)))
		f->inherited[f->inherited_n++] = (struct inherited){ st.st_dev, st.st_ino };
}

bool fd_was_inherited(struct kernel *k, const struct stat *st)
{
	for (size_t i = 0; k->files && i < k->files->inherited_n; i++)
		if (k->files->inherited[i].dev == st->st_dev && k->files->inherited[i].ino == st->st_ino)
			return true;
	return false;
}

static void close_on_exec(struct kernel *k, int fd)
{
	if (fd_is_hidden(k, fd) || !(fcntl(fd, F_GETFD) & FD_CLOEXEC))
		return;
	close(fd);
	fd_detach(k, fd);
}

void files_init(struct kernel *k)
{
	k->files = xcalloc(1, sizeof(*k->files));
	each_fd(k, 3, hide_own);
	each_fd(k, 0, note_inherited);
}

void files_free(struct kernel *k)
{
	if (!k->files)
		return;
	for (size_t fd = 0; fd < k->files->n; fd++)
		fd_detach(k, (int)fd);
	free(k->files->at);
	free(k->files);
	k->files = NULL;
}

void files_exec(struct kernel *k)
{
	each_fd(k, 0, close_on_exec);
}

struct fd_special *fd_special(struct kernel *k, int fd)
{
	if (fd < 0 || !k->files || (size_t)fd >= k->files->n)
		return NULL;
	return k->files->at[fd];
}

bool fd_is_hidden(struct kernel *k, int fd)
{
	const struct fd_special *s = fd_special(k, fd);

	return s && s->kind == FD_HIDDEN;
}

static void put(struct kernel *k, int fd, struct fd_special *s)
{
	struct files *f = k->files;

	if ((size_t)fd >= f->n) {
		size_t n = (size_t)fd + 64;

		f->at = xrealloc(f->at, n * sizeof(*f->at));
		while (f->n < n)
			f->at[f->n++] = NULL;
	}
	f->at[fd] = s;
}

struct fd_special *fd_attach(struct kernel *k, int fd, enum fd_kind kind)
{
	struct fd_special *s = xcalloc(1, sizeof(*s));

	fd_detach(k, fd);
	s->kind = kind;
	s->refs = 1;
	put(k, fd, s);
	if (kind == FD_TIMER)
		k->files->timers++;
	if (kind == FD_SIGNAL)
		k->files->signals++;
	return s;
}

void fd_share(struct kernel *k, int from, int to)
{
	struct fd_special *s = fd_special(k, from);

	if (from == to)
		return;
	fd_detach(k, to);
	if (s) {
		s->refs++;
		put(k, to, s);
	}
}

void fd_detach(struct kernel *k, int fd)
{
	struct fd_special *s = fd_special(k, fd);

	if (!s)
		return;
	k->files->at[fd] = NULL;
	if (--s->refs)
		return;
	if (s->kind == FD_TIMER)
		k->files->timers--;
	if (s->kind == FD_SIGNAL)
		k->files->signals--;
	free(s->path);
	free(s);
}

/* The host side of a timerfd is an eventfd, so that poll, epoll and read work on it: expiries are
 * added when somebody could look. */
uint64_t fd_timers_update(struct kernel *k)
{
	uint64_t earliest = UINT64_MAX;
	unsigned left = k->files ? k->files->timers : 0;

	for (size_t fd = 0; left && fd < k->files->n; fd++) {
		struct fd_special *s = k->files->at[fd];
		struct fd_timer *t = &s->timer;
		uint64_t count = 1;

		if (!s || s->kind != FD_TIMER)
			continue;
		if (t->next_ns && t->next_ns <= k->clock.now_ns) {
			if (t->interval_ns) {
				count += (k->clock.now_ns - t->next_ns) / t->interval_ns;
				t->next_ns += count * t->interval_ns;
			} else {
				t->next_ns = 0;
			}
			if (write((int)fd, &count, sizeof(count)) < 0)
				count = 0; /* full: as Linux, the overflow is lost */
		}
		if (t->next_ns && t->next_ns < earliest)
			earliest = t->next_ns;
	}
	return earliest;
}

static void each_signalfd(struct kernel *k, void (*fn)(struct kernel *, int, const struct fd_special *))
{
	if (!k->files || !k->files->signals)
		return;
	for (size_t fd = 0; fd < k->files->n; fd++)
		if (k->files->at[fd] && k->files->at[fd]->kind == FD_SIGNAL)
			fn(k, (int)fd, k->files->at[fd]);
}

void fd_signals_update(struct kernel *k)
{
	each_signalfd(k, fd_signal_update);
}

void fd_signals_forked(struct kernel *k)
{
	each_signalfd(k, fd_signal_forked);
}

int64_t sys_close(struct kernel *k, const uint64_t a[6])
{
	int64_t r = sys_host(SYS_close, a);

	if (r != -EBADF)
		fd_detach(k, (int)a[0]);
	return r;
}

int64_t sys_dup(struct kernel *k, const uint64_t a[6])
{
	int64_t r = sys_host(SYS_dup, a);

	if (r >= 0)
		fd_share(k, (int)a[0], (int)r);
	return r;
}

int64_t sys_dup2(struct kernel *k, const uint64_t a[6])
{
	int64_t r;

	if (fd_is_hidden(k, (int)a[1]))
		return -EBADF; /* as beyond the limit */
	r = sys_host(SYS_dup2, a);
	if (r >= 0)
		fd_share(k, (int)a[0], (int)a[1]);
	return r;
}

int64_t sys_dup3(struct kernel *k, const uint64_t a[6])
{
	int64_t r;

	if (fd_is_hidden(k, (int)a[1]))
		return -EBADF;
	r = sys_host(SYS_dup3, a);
	if (r >= 0)
		fd_share(k, (int)a[0], (int)a[1]);
	return r;
}

/* One host call for each run of numbers between two hidden descriptors. */
int64_t sys_close_range(struct kernel *k, const uint64_t a[6])
{
	uint32_t first = (uint32_t)a[0], last = (uint32_t)a[1], flags = (uint32_t)a[2];
	uint32_t end = last < k->files->n ? last : (uint32_t)k->files->n;

	if ((flags & ~(CLOSE_RANGE_UNSHARE | CLOSE_RANGE_CLOEXEC)) || first > last)
		return -EINVAL;
	for (uint32_t fd = first; fd <= end; fd++) {
		uint64_t run[6] = { first, fd - 1, flags & CLOSE_RANGE_CLOEXEC };

		if (fd_is_hidden(k, (int)fd)) {
			if (fd > first)
				sys_host(SYS_close_range, run);
			first = fd + 1;
		} else if (!(flags & CLOSE_RANGE_CLOEXEC)) {
			fd_detach(k, (int)fd);
		}
	}
	if (first <= last) {
		uint64_t rest[6] = { first, last, flags & CLOSE_RANGE_CLOEXEC };

		return sys_host(SYS_close_range, rest);
	}
	return 0;
}

/* struct flock and struct f_owner_ex. */
static int64_t fcntl_pointer(struct kernel *k, const uint64_t a[6], uint64_t bytes)
{
	if (!memory_in_window(a[2], bytes))
		return -EFAULT;
	memory_written(k->mem, a[2], bytes);
	return (int)a[1] == F_SETLKW || (int)a[1] == F_OFD_SETLKW ?
		       sys_host_blocking(k, SYS_fcntl, a) :
		       sys_host(SYS_fcntl, a);
}

int64_t sys_fcntl(struct kernel *k, const uint64_t a[6])
{
	uint64_t h[6] = { a[0], a[1], a[2] };
	int64_t r;

	switch ((int)a[1]) {
	case F_DUPFD:
	case F_DUPFD_CLOEXEC:
		r = sys_host(SYS_fcntl, a);
		if (r >= 0)
			fd_share(k, (int)a[0], (int)r);
		return r;
	case F_GETFD:
	case F_SETFD:
	case F_GETFL:
	case F_SETFL:
	case F_SETPIPE_SZ:
	case F_GETPIPE_SZ:
	case F_ADD_SEALS:
	case F_GET_SEALS:
	case F_GETLEASE:
	case F_SETLEASE:
	case F_NOTIFY:
	case F_GETSIG:
	case F_SETSIG:
		return sys_host(SYS_fcntl, a);
	case F_GETLK:
		r = fcntl_pointer(k, a, 32);
		if (!r) {
			/* l_pid, at offset 24 of struct flock. */
			int32_t pid;

			memory_read(k->mem, &pid, a[2] + 24, sizeof(pid));
			if (pid > 0)
				pid = pids_virtual(k, pid);
			memory_write(k->mem, a[2] + 24, &pid, sizeof(pid));
		}
		return r;
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		return fcntl_pointer(k, a, 32);
	case F_GETOWN:
		r = sys_host(SYS_fcntl, a);
		return r > 0 ? pids_virtual(k, (pid_t)r) : r;
	case F_SETOWN:
		if ((int)a[2] > 0)
			h[2] = (uint64_t)pids_host(k, (pid_t)a[2]);
		else if ((int)a[2] < 0)
			h[2] = (uint64_t)-pids_host(k, (pid_t)-(int)a[2]);
		if (!h[2] && a[2])
			return -ESRCH;
		return sys_host(SYS_fcntl, h);
	default:
		return -EINVAL;
	}
}
