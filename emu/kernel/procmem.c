/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's memory by other ways than its own instructions.  Ordinary memory follows the list of
 * mappings; the vsyscall page is what get_user_pages() makes of it: 3.16 reads it in every mode,
 * 4.10 where it is mapped, 6.1 not through access_remote_vm() but through process_vm_readv() when
 * the mode lets user space read it.  Rules: Linux mm/gup.c, fs/proc/base.c, mm/process_vm_access.c.
 */
#include "kernel/procmem.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/fd.h"
#include "kernel/iov.h"
#include "kernel/pids.h"
#include "kernel/sys.h"
#include "kernel/uaccess.h"

enum { CHUNK = 4096 };

/* page.c: what the vsyscall page holds. */
const uint8_t *page_bytes(const struct kernel *k) __attribute__((weak));

bool procmem_page_readable(struct kernel *k, bool forced)
{
	const struct model *m = k->model;
	const struct vsysemu_profile *p = &m->kernel->rules;

	switch (m->mode) {
	case VSYSEMU_NATIVE:
	case VSYSEMU_EMULATE:
		/* Later kernels refuse the gate page to access_remote_vm(). */
		return !forced || p->era < VSYSEMU_E6;
	case VSYSEMU_NONE:
		return p->none_mapped;
	default:
		return false;
	}
}

void procmem_page_bytes(struct kernel *k, void *dst, unsigned offset, size_t n)
{
	memset(dst, 0xcc, n);
	if (page_bytes && page_bytes(k))
		memcpy(dst, page_bytes(k) + offset, n);
}

/* One run of bytes that does not cross a page: copied count or 0. */
static size_t peek(struct kernel *k, void *dst, gaddr a, size_t n)
{
	if (a >= VSYSCALL_PAGE && a < VSYSCALL_PAGE_END) {
		if (!procmem_page_readable(k, true))
			return 0;
		procmem_page_bytes(k, dst, (unsigned)(a - VSYSCALL_PAGE), n);
		return n;
	}
	return n - memory_peek(k->mem, dst, a, n);
}

static size_t poke(struct kernel *k, gaddr a, const void *src, size_t n)
{
	const struct vma *v = memory_find(k->mem, a);

	/* FOLL_FORCE: a read-only private mapping is broken as for a debugger; a shared one is not. */
	if (!v || a < v->start || ((v->flags & 1) && !(v->prot & 2)))
		return 0;
	return n - memory_poke(k->mem, a, src, n);
}

int64_t procmem_io(struct kernel *k, int fd, gaddr buf, uint64_t n, const uint64_t *pos, bool write)
{
	struct fd_special *s = fd_special(k, fd);
	uint64_t at = pos ? *pos : s->pos;
	int64_t done = 0;
	char chunk[CHUNK];

	if ((write && !s->write))
		return -EBADF;
	if (pos && (int64_t)at < 0)
		return -EINVAL;
	if (buf && !memory_in_window(buf, n))
		return -EFAULT;
	if (n > 0x7ffff000)
		n = 0x7ffff000;
	if (s->pid != k->proc.pid)
		return 0; /* the address space is gone: as Linux reads after execve or exit */
	while ((uint64_t)done < n) {
		size_t part = CHUNK - (at & (CHUNK - 1));
		size_t got;

		if (part > n - (uint64_t)done)
			part = n - (uint64_t)done;
		if (write && memory_read(k->mem, chunk, buf + (gaddr)done, part))
			return done ? done : -EFAULT;
		got = write ? poke(k, at, chunk, part) : peek(k, chunk, at, part);
		if (!got)
			break;
		if (!write && memory_write(k->mem, buf + (gaddr)done, chunk, got))
			return done ? done : -EFAULT;
		done += (int64_t)got;
		at += got;
		if (got < part)
			break;
	}
	if (!done && n)
		return -EIO;
	if (!pos)
		s->pos = at;
	return done;
}

int64_t procmem_lseek(struct kernel *k, int fd, int64_t offset, int whence)
{
	struct fd_special *s = fd_special(k, fd);

	/* Addresses are unsigned: a position in the upper half is no error (mem_lseek). */
	if (whence == SEEK_SET)
		s->pos = (uint64_t)offset;
	else if (whence == SEEK_CUR)
		s->pos += (uint64_t)offset;
	else
		return -EINVAL;
	return (int64_t)s->pos;
}

/* Remote side of process_vm_readv on ourselves, up to the first byte that cannot be had. */
static size_t vm_copy(struct kernel *k, void *buf, gaddr a, size_t n, bool write)
{
	if (!write && a >= VSYSCALL_PAGE && a < VSYSCALL_PAGE_END) {
		if (!procmem_page_readable(k, false))
			return 0;
		if (n > VSYSCALL_PAGE_END - a)
			n = VSYSCALL_PAGE_END - a;
		procmem_page_bytes(k, buf, (unsigned)(a - VSYSCALL_PAGE), n);
		return n;
	}
	return n - (write ? memory_write(k->mem, a, buf, n) : memory_read(k->mem, buf, a, n));
}

/* Both lists are walked page by page; @local is ours already checked, @remote is not. */
static int64_t vm_self(struct kernel *k, const struct iovec *local, size_t locals,
		       const struct iovec *remote, size_t remotes, bool write)
{
	size_t l = 0, l_off = 0;
	int64_t done = 0;
	char chunk[CHUNK];

	for (size_t r = 0; r < remotes; r++) {
		gaddr a = (gaddr)(uintptr_t)remote[r].iov_base;
		uint64_t left = remote[r].iov_len;

		while (left) {
			size_t n = left < CHUNK - (a & (CHUNK - 1)) ? left : CHUNK - (a & (CHUNK - 1));
			gaddr mine;
			size_t got;

			while (l < locals && l_off == local[l].iov_len) {
				l++;
				l_off = 0;
			}
			if (l == locals)
				return done;
			if (n > local[l].iov_len - l_off)
				n = local[l].iov_len - l_off;
			mine = (gaddr)(uintptr_t)local[l].iov_base + l_off;
			if (write && memory_read(k->mem, chunk, mine, n))
				return done ? done : -EFAULT;
			got = vm_copy(k, chunk, a, n, write);
			if (!got || (!write && memory_write(k->mem, mine, chunk, got)))
				return done ? done : -EFAULT;
			done += (int64_t)got;
			if (got < n)
				return done;
			l_off += n;
			a += n;
			left -= n;
		}
	}
	return done;
}

/* Another process of the tree: the host copies, between two windows. */
static int64_t vm_other(unsigned nr, pid_t host, const struct iovec *local, size_t locals,
			const struct iovec *remote, size_t remotes)
{
	uint64_t h[6] = { (uint64_t)host, (uint64_t)(uintptr_t)local, locals,
			  (uint64_t)(uintptr_t)remote, remotes, 0 };

	for (size_t i = 0; i < remotes; i++)
		if (remote[i].iov_len && !memory_in_window((gaddr)(uintptr_t)remote[i].iov_base,
							   remote[i].iov_len))
			return -EFAULT;
	return sys_host(nr, h);
}

static int64_t vm_call(struct kernel *k, unsigned nr, const uint64_t a[6], bool write)
{
	struct iovec l_stack[IOV_STACK], *local = l_stack;
	struct iovec *remote;
	int64_t r;

	if (a[5] || a[4] > 1024)
		return -EINVAL;
	r = iov_get(k, a[1], a[2], !write, &local);
	if (r < 0)
		return r;
	remote = xcalloc(a[4] + 1, sizeof(*remote));
	r = a[4] ? user_get(k, remote, a[3], a[4] * sizeof(*remote)) : 0;
	for (size_t i = 0; !r && i < a[4]; i++)
		if ((int64_t)remote[i].iov_len < 0)
			r = -EINVAL;
	if (!r) {
		pid_t host = pids_host(k, (pid_t)a[0]);

		if ((pid_t)a[0] == k->proc.pid)
			r = vm_self(k, local, a[2], remote, a[4], write);
		else if (!host || (pid_t)a[0] < PID_FIRST)
			r = -ESRCH;
		else
			r = vm_other(nr, host, local, a[2], remote, a[4]);
	}
	free(remote);
	if (local != l_stack)
		free(local);
	return r;
}

int64_t sys_process_vm_readv(struct kernel *k, const uint64_t a[6])
{
	return vm_call(k, SYS_process_vm_readv, a, false);
}

int64_t sys_process_vm_writev(struct kernel *k, const uint64_t a[6])
{
	return vm_call(k, SYS_process_vm_writev, a, true);
}
