/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The generic pass-through.  No pointer outside the window reaches the host: every pointer of the
 * row is checked as the kernel's access_ok() would, against the window instead of TASK_SIZE, so
 * that the host can neither read nor write the emulator for the guest.  NULL may pass: the host
 * has nothing mapped below the window.
 */
#include <errno.h>
#include <fcntl.h>

#include "kernel/fd.h"
#include "kernel/kernel.h"
#include "kernel/path.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"

/* Bytes that argument @i stands for; lengths are what the kernel takes them for: 64 bits. */
static uint64_t arg_bytes(const struct sysrow *row, const uint64_t a[6], unsigned i)
{
	const struct arg *arg = &row->arg[i];
	uint64_t n = 1;

	if (!arg->len_arg)
		return arg->size;
	n = a[arg->len_arg - 1];
	switch (row->arg[arg->len_arg - 1].kind) {
	case ARG_INT: /* a negative length is the host's to refuse: nothing is touched */
		n = (int32_t)n < 0 ? 0 : (uint32_t)n;
		break;
	case ARG_UINT:
		n = (uint32_t)n;
		break;
	default:
		break;
	}
	return n > UINT64_MAX / arg->size ? UINT64_MAX : n * arg->size;
}

static bool pointer_ok(gaddr p, uint64_t n)
{
	return p == 0 || memory_in_window(p, n);
}

/* Only calls with *at() flags know AT_EMPTY_PATH and AT_SYMLINK_NOFOLLOW. */
static unsigned path_flags(const struct sysrow *row, const uint64_t a[6], unsigned i)
{
	unsigned flags = PATH_FOLLOW;

	if (row->flags & SYS_NOFOLLOW)
		flags = 0;
	for (unsigned j = 0; (row->flags & SYS_FLAG_NOFOLLOW) && j < 6; j++)
		if (row->arg[j].kind == ARG_FLAGS && (a[j] & AT_SYMLINK_NOFOLLOW))
			flags = 0;
	if (row->arg[i].kind == ARG_PATH)
		flags |= PATH_SYSROOT;
	return flags;
}

int64_t sys_pass(struct kernel *k, unsigned nr, const struct sysrow *row, const uint64_t a[6])
{
	struct path path[2];
	unsigned paths = 0;
	uint64_t h[6];
	int64_t r;

	for (unsigned i = 0; i < 6; i++) {
		uint64_t n;

		h[i] = a[i];
		if (row->arg[i].kind == ARG_NONE)
			continue;
		n = arg_bytes(row, a, i);
		switch (row->arg[i].kind) {
		case ARG_PATH:
		case ARG_NAME:
			if (!a[i] && i > 0 && row->arg[i - 1].kind == ARG_DIRFD)
				break; /* utimensat, statx: the descriptor itself */
			r = path_read(k, i > 0 && row->arg[i - 1].kind == ARG_DIRFD ? (int)a[i - 1] : AT_FDCWD, a[i], path_flags(row, a, i), &path[paths]);
			if (r < 0)
				return r;
			if (path[paths].proc == PROC_DENIED)
				return -EACCES;
			h[i] = (uint64_t)(uintptr_t)path[paths++].host;
			break;
		case ARG_STR:
			if (!pointer_ok(a[i], 1))
				return -EFAULT;
			break;
		case ARG_IN:
		case ARG_TIMESPEC_IN:
		case ARG_SIGSET_IN:
		case ARG_SOCKADDR_IN:
			if (!pointer_ok(a[i], n))
				return -EFAULT;
			break;
		case ARG_OUT:
		case ARG_INOUT:
		case ARG_STAT_OUT:
		case ARG_TIMESPEC_OUT:
		case ARG_TIMEVAL_OUT:
		case ARG_INT_OUT:
		case ARG_FDPAIR_OUT:
			if (!pointer_ok(a[i], n))
				return -EFAULT;
			if (a[i])
				memory_written(k->mem, a[i], n);
			break;
		default:
			break;
		}
	}
	return row->flags & SYS_MAY_BLOCK ? sys_host_blocking(k, nr, h) : sys_host(nr, h);
}
