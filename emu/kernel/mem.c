/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Memory calls: thin, the rules are engine/memory's.  The vsyscall page is no mapping: mmap over it
 * and mprotect, mincore, madvise, mlock of it fail with ENOMEM, munmap with EINVAL, because it lies
 * above TASK_SIZE (measured on 2.6.38 ... 6.18).
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#include "kernel/fd.h"
#include "kernel/sys.h"
#include "kernel/uaccess.h"

int64_t sys_brk(struct kernel *k, const uint64_t a[6])
{
	return memory_brk(k->mem, a[0]);
}

int64_t sys_mmap(struct kernel *k, const uint64_t a[6])
{
	int flags = (int)a[3];
	int fd = flags & MAP_ANONYMOUS ? -1 : (int)a[4];
	const struct fd_special *s = fd_special(k, fd);

	if (s && s->kind != FD_PROCTEXT)
		return -ENODEV; /* /proc/self/mem, timerfd and the like have no mmap */
	return memory_mmap(k->mem, a[0], a[1], (int)a[2], flags, fd, a[5]);
}

int64_t sys_munmap(struct kernel *k, const uint64_t a[6])
{
	return memory_munmap(k->mem, a[0], a[1]);
}

int64_t sys_mprotect(struct kernel *k, const uint64_t a[6])
{
	return memory_mprotect(k->mem, a[0], a[1], (int)a[2]);
}

int64_t sys_mremap(struct kernel *k, const uint64_t a[6])
{
	return memory_mremap(k->mem, a[0], a[1], a[2], (int)a[3], a[4]);
}

int64_t sys_madvise(struct kernel *k, const uint64_t a[6])
{
	return memory_madvise(k->mem, a[0], a[1], (int)a[2]);
}

/* 0 if [start, start + len), rounded to pages, is mapped without holes. */
static int64_t mapped(struct kernel *k, gaddr start, uint64_t len)
{
	gaddr end = page_up(start + len), at = page_down(start);
	const struct vma *v;

	if (end < start || end > WINDOW_END)
		return -ENOMEM;
	for (v = memory_find(k->mem, at); at < end; v = memory_next(k->mem, v)) {
		if (!v || v->start > at)
			return -ENOMEM;
		at = v->end;
	}
	return 0;
}

int64_t sys_mincore(struct kernel *k, const uint64_t a[6])
{
	uint64_t pages = page_up(a[1]) / PAGE_BYTES;
	unsigned char vec[4096];

	if (a[0] & (PAGE_BYTES - 1))
		return -EINVAL;
	if (mapped(k, a[0], a[1]))
		return -ENOMEM;
	for (uint64_t done = 0; done < pages;) {
		uint64_t n = pages - done < sizeof(vec) ? pages - done : sizeof(vec);
		uint64_t h[6] = { a[0] + done * PAGE_BYTES, n * PAGE_BYTES,
				  (uint64_t)(uintptr_t)vec };
		int64_t r = sys_host(SYS_mincore, h);

		if (r < 0)
			return r;
		if (user_put(k, a[2] + done, vec, n))
			return -EFAULT;
		done += n;
	}
	return 0;
}

/* Locking has no effect that a guest could see but the errors. */
static int64_t lock(struct kernel *k, gaddr start, uint64_t len)
{
	return page_up(start + len) < page_down(start) ? -EINVAL : mapped(k, start, len);
}

int64_t sys_mlock(struct kernel *k, const uint64_t a[6])
{
	return lock(k, a[0], a[1]);
}

int64_t sys_mlock2(struct kernel *k, const uint64_t a[6])
{
	return a[2] & ~1ull ? -EINVAL : lock(k, a[0], a[1]);
}

int64_t sys_munlock(struct kernel *k, const uint64_t a[6])
{
	return lock(k, a[0], a[1]);
}

int64_t sys_mlockall(struct kernel *k, const uint64_t a[6])
{
	(void)k;
	return !a[0] || (a[0] & ~7ull) || a[0] == MCL_ONFAULT ? -EINVAL : 0;
}

int64_t sys_munlockall(struct kernel *k, const uint64_t a[6])
{
	(void)k;
	(void)a;
	return 0;
}

int64_t sys_msync(struct kernel *k, const uint64_t a[6])
{
	if ((a[0] & (PAGE_BYTES - 1)) || (a[2] & ~(uint64_t)(MS_ASYNC | MS_INVALIDATE | MS_SYNC)) ||
	    (a[2] & (MS_ASYNC | MS_SYNC)) == (MS_ASYNC | MS_SYNC))
		return -EINVAL;
	if (mapped(k, a[0], a[1]))
		return -ENOMEM;
	return sys_host(SYS_msync, a);
}

/* The guest's CPUID has no protection keys. */
int64_t sys_pkey_mprotect(struct kernel *k, const uint64_t a[6])
{
	return (int)a[3] == -1 ? sys_mprotect(k, a) : -EINVAL;
}

int64_t sys_pkey_alloc(struct kernel *k, const uint64_t a[6])
{
	(void)k;
	return a[0] || (a[1] & ~3ull) ? -EINVAL : -ENOSPC;
}

int64_t sys_pkey_free(struct kernel *k, const uint64_t a[6])
{
	(void)k;
	(void)a;
	return -EINVAL;
}
