/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest memory: copies that survive any guest address, as the kernel's copy_from_user() does; see memory.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/fault.h"
#include "engine/memory_private.h"

#define SELF_MEM_FD 900 /* above what programs count on */

/* A way to our own memory past its protections, at descriptor @at or above; -1: none. */
static int open_self(int at)
{
	int fd = open("/proc/self/mem", O_RDWR | O_CLOEXEC), high;

	high = fd >= 0 && fd < at ? fcntl(fd, F_DUPFD_CLOEXEC, at) : -1;
	if (high < 0)
		return fd;
	close(fd);
	return high;
}

void memory_forked(struct memory *m)
{
	int at = m->self_mem >= 0 ? m->self_mem : SELF_MEM_FD;

	if (m->self_mem >= 0)
		close(m->self_mem);
	m->self_mem = open_self(at);
}

/* Bytes of [@a, @a + @n) that lie in the window. */
static size_t clip(gaddr a, size_t n)
{
	gaddr end = WINDOW_END;

	if (a < WINDOW_START || a >= end)
		return 0;
#ifdef HOLE_START
	if (a >= HOLE_START && a < HOLE_END)
		return 0;
	if (a < HOLE_START)
		end = HOLE_START;
#endif
	return n > end - a ? (size_t)(end - a) : n;
}

size_t memory_read(struct memory *m, void *dst, gaddr src, size_t n)
{
	size_t can = clip(src, n);

	(void)m;
	return n - can + (can ? fault_copy(dst, memory_host(src), can) : 0);
}

size_t memory_write(struct memory *m, gaddr dst, const void *src, size_t n)
{
	size_t can = clip(dst, n), left = can ? fault_copy(memory_host(dst), src, can) : 0;

	if (can > left)
		memory_written(m, dst, can - left);
	return n - can + left;
}

size_t memory_peek(struct memory *m, void *dst, gaddr src, size_t n)
{
	size_t left = memory_read(m, dst, src, n), can = clip(src, n);
	ssize_t got;

	if (!left || m->self_mem < 0 || n - left >= can)
		return left;
	got = pread(m->self_mem, (char *)dst + (n - left), can - (n - left), (off_t)(src + (n - left)));
	return left - (got > 0 ? (size_t)got : 0);
}

size_t memory_poke(struct memory *m, gaddr dst, const void *src, size_t n)
{
	size_t left = memory_write(m, dst, src, n), can = clip(dst, n), done = n - left;
	ssize_t got;

	if (!left || m->self_mem < 0 || done >= can)
		return left;
	got = pwrite(m->self_mem, (const char *)src + done, can - done, (off_t)(dst + done));
	if (got > 0)
		memory_written(m, dst + done, (uint64_t)got);
	return left - (got > 0 ? (size_t)got : 0);
}

int64_t memory_read_string(struct memory *m, char *dst, gaddr src, size_t cap)
{
	size_t n = 0;

	while (n < cap) {
		size_t chunk = PAGE_BYTES - ((src + n) & (PAGE_BYTES - 1)), got;
		char *end;

		if (chunk > cap - n)
			chunk = cap - n;
		got = chunk - memory_read(m, dst + n, src + n, chunk);
		end = memchr(dst + n, 0, got);
		if (end)
			return end - dst;
		n += got;
		if (got < chunk)
			return -EFAULT;
	}
	return -ENAMETOOLONG;
}

uint32_t memory_fault_code(struct memory *m, gaddr a, bool write, bool *bus)
{
	const struct vma *v = memory_find(m, a);
	uint32_t code = PF_U | (write ? PF_W : 0u);
	unsigned char in_core;

	*bus = false;
	if (!v || v->start > a)
		return code;
	if (v->prot & (write ? PROT_WRITE : PROT_READ | PROT_WRITE | PROT_EXEC)) {
		*bus = !(v->flags & MAP_ANONYMOUS);
		return code;
	}
	/* Protected: present only if a page was touched before. */
	if (v->prot && !mincore(memory_host(page_down(a)), PAGE_BYTES, &in_core) && in_core & 1)
		code |= PF_P;
	return code;
}

void memory_written(struct memory *m, gaddr a, uint64_t n)
{
	if (n)
		memory_forget(m, page_down(a), page_up(a + n));
}
