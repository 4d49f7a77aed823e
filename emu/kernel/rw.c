/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading and writing: plain buffers, vectors of them, positions; and /proc/self/mem, which is a
 * descriptor of ours because the host's would show the emulator.  Rules: Linux fs/read_write.c,
 * lib/iov_iter.c, fs/proc/base.c (mem_rw, mem_lseek).
 */
#include <errno.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernel/fd.h"
#include "kernel/iov.h"
#include "kernel/procfs.h"
#include "kernel/procmem.h"
#include "kernel/random.h"
#include "kernel/sys.h"
#include "kernel/uaccess.h"

static bool buffer_ok(gaddr p, uint64_t n)
{
	return p == 0 || memory_in_window(p, n);
}

/* One host call on a plain buffer: args[1], args[2] are pointer and length. */
static int64_t plain(struct kernel *k, unsigned nr, const uint64_t a[6], bool out)
{
	/* The host refuses negative lengths before it looks at the pointer. */
	if ((int64_t)a[2] >= 0 && !buffer_ok(a[1], a[2]))
		return -EFAULT;
	if (out && a[1] && (int64_t)a[2] > 0)
		memory_written(k->mem, a[1], a[2]);
	return sys_host_blocking(k, nr, a);
}

static bool is_kind(struct kernel *k, uint64_t fd, enum fd_kind kind)
{
	const struct fd_special *s = fd_special(k, (int)fd);

	return s && s->kind == kind;
}

/* A timerfd and a signalfd, eventfds of the host, have no write operation: EINVAL (Linux vfs_write()). */
static bool cannot_write(struct kernel *k, uint64_t fd)
{
	return is_kind(k, fd, FD_TIMER) || is_kind(k, fd, FD_SIGNAL);
}

static void timers(struct kernel *k, uint64_t fd)
{
	if (is_kind(k, fd, FD_TIMER))
		fd_timer_read_wait(k, (int)fd);
}

int64_t sys_read(struct kernel *k, const uint64_t a[6])
{
	if (is_kind(k, a[0], FD_PROCMEM))
		return procmem_io(k, (int)a[0], a[1], a[2], NULL, false);
	if (is_kind(k, a[0], FD_RANDOM))
		return random_user(k, a[1], a[2] > INT32_MAX ? INT32_MAX : a[2]);
	if (is_kind(k, a[0], FD_SIGNAL))
		return fd_signal_read(k, (int)a[0], a[1], a[2]);
	timers(k, a[0]);
	return plain(k, SYS_read, a, true);
}

int64_t sys_write(struct kernel *k, const uint64_t a[6])
{
	if (is_kind(k, a[0], FD_PROCMEM))
		return procmem_io(k, (int)a[0], a[1], a[2], NULL, true);
	if (cannot_write(k, a[0]))
		return -EINVAL;
	if (is_kind(k, a[0], FD_PROCCOMM))
		return proc_comm_write(k, (int)a[0], a[1], a[2]);
	return plain(k, SYS_write, a, false);
}

int64_t sys_pread64(struct kernel *k, const uint64_t a[6])
{
	if (is_kind(k, a[0], FD_PROCMEM))
		return procmem_io(k, (int)a[0], a[1], a[2], &a[3], false);
	if (is_kind(k, a[0], FD_RANDOM))
		return random_user(k, a[1], a[2] > INT32_MAX ? INT32_MAX : a[2]);
	return plain(k, SYS_pread64, a, true);
}

int64_t sys_pwrite64(struct kernel *k, const uint64_t a[6])
{
	if (is_kind(k, a[0], FD_PROCMEM))
		return procmem_io(k, (int)a[0], a[1], a[2], &a[3], true);
	if (is_kind(k, a[0], FD_PROCCOMM))
		return proc_comm_write(k, (int)a[0], a[1], a[2]);
	return plain(k, SYS_pwrite64, a, false);
}

/* A directory whose entries are ours: seekdir() and rewinddir(). */
static int64_t dir_lseek(struct kernel *k, const uint64_t a[6])
{
	struct fd_special *s = fd_special(k, (int)a[0]);
	int64_t to = (int)a[2] == SEEK_SET ? (int64_t)a[1] : (int)a[2] == SEEK_CUR ? (int64_t)(s->pos + a[1]) : -1;

	if (to < 0)
		return -EINVAL;
	s->pos = (uint64_t)to;
	return to;
}

int64_t sys_lseek(struct kernel *k, const uint64_t a[6])
{
	if (is_kind(k, a[0], FD_PROCMEM))
		return procmem_lseek(k, (int)a[0], (int64_t)a[1], (int)a[2]);
	if (is_kind(k, a[0], FD_PROCDIR))
		return dir_lseek(k, a);
	return sys_host(SYS_lseek, a);
}

static int64_t vector_random(struct kernel *k, const struct iovec *v, size_t n)
{
	int64_t done = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t r = random_user(k, (gaddr)(uintptr_t)v[i].iov_base, v[i].iov_len);

		if (r < 0)
			return done ? done : r;
		done += r;
	}
	return done;
}

/* Element by element, as Linux reads what has no vector read; an element that is not filled is the last. */
static int64_t vector_signal(struct kernel *k, uint64_t fd, const struct iovec *v, size_t n)
{
	int64_t done = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t r;

		if (!v[i].iov_len)
			continue;
		r = fd_signal_read(k, (int)fd, (gaddr)(uintptr_t)v[i].iov_base, v[i].iov_len);
		if (r < 0)
			return done ? done : r;
		done += r;
		if ((uint64_t)r < v[i].iov_len)
			break;
	}
	return done;
}

/* The same for a thread's name. */
static int64_t vector_comm(struct kernel *k, uint64_t fd, const struct iovec *v, size_t n)
{
	int64_t done = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t r = proc_comm_write(k, (int)fd, (gaddr)(uintptr_t)v[i].iov_base, v[i].iov_len);

		if (r < 0)
			return done ? done : r;
		done += r;
	}
	return done;
}

/* Element by element for /proc/self/mem. */
static int64_t vector_mem(struct kernel *k, const uint64_t a[6], const struct iovec *v, size_t n,
			  const uint64_t *pos, bool write)
{
	uint64_t at = pos ? *pos : 0;
	int64_t done = 0;

	for (size_t i = 0; i < n; i++) {
		int64_t r = procmem_io(k, (int)a[0], (gaddr)(uintptr_t)v[i].iov_base, v[i].iov_len,
				       pos ? &at : NULL, write);

		if (r < 0)
			return done ? done : r;
		done += r;
		at += (uint64_t)r;
		if ((uint64_t)r < v[i].iov_len)
			break;
	}
	return done;
}

static int64_t vector(struct kernel *k, unsigned nr, const uint64_t a[6], bool write,
		      const uint64_t *pos)
{
	struct iovec stack[IOV_STACK], *v = stack;
	size_t n = (uint32_t)a[2];
	int64_t r = iov_get(k, a[1], a[2], !write, &v);

	if (r < 0)
		return r;
	if (is_kind(k, a[0], FD_PROCMEM)) {
		r = vector_mem(k, a, v, n, pos, write);
	} else if (!write && is_kind(k, a[0], FD_RANDOM)) {
		r = vector_random(k, v, n);
	} else if (!write && !pos && is_kind(k, a[0], FD_SIGNAL)) {
		r = vector_signal(k, a[0], v, n);
	} else if (write && is_kind(k, a[0], FD_PROCCOMM)) {
		r = vector_comm(k, a[0], v, n);
	} else if (write && !pos && cannot_write(k, a[0])) {
		r = -EINVAL;
	} else {
		uint64_t h[6] = { a[0], (uint64_t)(uintptr_t)v, n, a[3], a[4], a[5] };

		if (!write)
			timers(k, a[0]);
		r = sys_host_blocking(k, nr, h);
	}
	if (v != stack)
		free(v);
	return r;
}

int64_t sys_readv(struct kernel *k, const uint64_t a[6])
{
	return vector(k, SYS_readv, a, false, NULL);
}

int64_t sys_writev(struct kernel *k, const uint64_t a[6])
{
	return vector(k, SYS_writev, a, true, NULL);
}

int64_t sys_preadv(struct kernel *k, const uint64_t a[6])
{
	return vector(k, SYS_preadv, a, false, &a[3]);
}

int64_t sys_pwritev(struct kernel *k, const uint64_t a[6])
{
	return vector(k, SYS_pwritev, a, true, &a[3]);
}

int64_t sys_preadv2(struct kernel *k, const uint64_t a[6])
{
	return vector(k, SYS_preadv2, a, false, (int64_t)a[3] == -1 ? NULL : &a[3]);
}

int64_t sys_pwritev2(struct kernel *k, const uint64_t a[6])
{
	return vector(k, SYS_pwritev2, a, true, (int64_t)a[3] == -1 ? NULL : &a[3]);
}

int64_t sys_vmsplice(struct kernel *k, const uint64_t a[6])
{
	return vector(k, SYS_vmsplice, a, true, NULL);
}
