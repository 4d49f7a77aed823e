/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest memory: see memory.h.  Every mapping is a host mapping at the same address, made only with
 * MAP_FIXED at an address of our choice inside the window, so that nothing of the host can be hit.
 * Guest code is translated, never executed by the host: PROT_EXEC stays in our list and becomes
 * PROT_READ (x86 without protection keys cannot execute what it cannot read).
 */
#include "engine/memory_private.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/engine.h"
#include "engine/fault.h"

/* Linux's default gap below the stack is not needed: the window's top 256 GiB are the stack's. */
#define MMAP_TOP_DEFAULT (WINDOW_END - ((gaddr)1 << 38))

#ifndef MREMAP_DONTUNMAP
#define MREMAP_DONTUNMAP 4
#endif

static bool in_hole(gaddr start, gaddr end)
{
#ifdef HOLE_START
	return start < HOLE_END && end > HOLE_START;
#else
	(void)start;
	(void)end;
	return false;
#endif
}

/* The window as far as it can be mapped. */
static bool usable(gaddr start, uint64_t len)
{
	return start >= WINDOW_START && start < WINDOW_END && len <= WINDOW_END - start &&
	       !in_hole(start, start + len);
}

bool memory_in_window(gaddr a, uint64_t n)
{
	if (!n)
		return a < WINDOW_END;
	return usable(a, n);
}

void *memory_host(gaddr a)
{
	return (void *)(uintptr_t)a;
}

struct memory *memory_new(struct err *e)
{
	struct memory *m = xcalloc(1, sizeof(*m));

	m->mmap_top = MMAP_TOP_DEFAULT;
	m->self_mem = -1;
	memory_forked(m);
	if (!fault_install(e)) {
		free(m);
		return NULL;
	}
	return m;
}

void memory_set_engine(struct memory *m, struct engine *e)
{
	m->engine = e;
}

void memory_forget(struct memory *m, gaddr start, gaddr end)
{
	if (m->engine)
		engine_forget(m->engine, start, end);
}

void memory_clear(struct memory *m)
{
	for (size_t i = 0; i < m->vmas.v.n; i++) {
		const struct vma *v = &m->vmas.v.at[i];

		munmap(memory_host(v->start), v->end - v->start);
		memory_forget(m, v->start, v->end);
	}
	vmas_clear(&m->vmas);
	m->brk_start = m->brk = 0;
	m->mmap_top = MMAP_TOP_DEFAULT;
}

void memory_free(struct memory *m)
{
	if (!m)
		return;
	m->engine = NULL;
	memory_clear(m);
	if (m->self_mem >= 0)
		close(m->self_mem);
	free(m);
}

static int host_prot(int prot)
{
	return (prot & (PROT_READ | PROT_WRITE)) | (prot & PROT_EXEC ? PROT_READ : 0);
}

static gaddr find_gap(struct memory *m, uint64_t len, gaddr top)
{
	gaddr bottom = WINDOW_START;
	gaddr a;

#ifdef HOLE_START
	if (top > HOLE_END) {
		a = vmas_gap(&m->vmas, len, HOLE_END, top);
		if (a)
			return a;
	}
	if (top > HOLE_START)
		top = HOLE_START;
#endif
	a = vmas_gap(&m->vmas, len, bottom, top);
	return a;
}

/* Where a mapping without MAP_FIXED goes; 0: nowhere. */
static gaddr place(struct memory *m, gaddr hint, uint64_t len, int flags)
{
	gaddr a = page_down(hint), end = m->mmap_top;

	if (a && usable(a, len)) {
		size_t i = vmas_index(&m->vmas, a);

		if ((i == m->vmas.v.n || m->vmas.v.at[i].start >= a + len) &&
		    !(flags & MAP_32BIT && a + len > 1ull << 31))
			return a;
	}
	if (flags & MAP_32BIT)
		end = 1ull << 31;
	a = find_gap(m, len, end);
	/* As the kernel does, fall back to what lies above the base. */
	if (!a && !(flags & MAP_32BIT))
		a = find_gap(m, len, WINDOW_END);
	return a;
}

static void file_facts(struct vma *v, int fd, char *name, size_t cap)
{
	char link[64];
	struct stat st;
	ssize_t n;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, name, cap - 1);
	name[n > 0 ? n : 0] = 0;
	v->name = n > 0 ? name : NULL;
	if (!fstat(fd, &st)) {
		v->dev = st.st_dev;
		v->ino = st.st_ino;
	}
}

static int64_t check_mmap(gaddr addr, uint64_t *len, int flags, uint64_t offset)
{
	int type = flags & MAP_TYPE;

	if (offset & (PAGE_BYTES - 1))
		return -EINVAL;
	if (!*len)
		return -EINVAL;
	if (page_up(*len) < *len || page_up(*len) > TASK_SIZE_MAX)
		return -ENOMEM;
	*len = page_up(*len);
	if (!(flags & MAP_ANONYMOUS) && offset + *len < offset)
		return -EOVERFLOW;
	if (type != MAP_SHARED && type != MAP_PRIVATE && type != MAP_SHARED_VALIDATE)
		return -EINVAL;
	if (flags & (MAP_FIXED | MAP_FIXED_NOREPLACE)) {
		if (addr & (PAGE_BYTES - 1))
			return -EINVAL;
		if (addr > TASK_SIZE_MAX - *len)
			return -ENOMEM;
		if (addr < WINDOW_START)
			return -EPERM; /* as below vm.mmap_min_addr */
		if (!usable(addr, *len))
			return -ENOMEM;
	}
	return 0;
}

int64_t memory_mmap(struct memory *m, gaddr addr, uint64_t len, int prot, int flags, int fd,
		    uint64_t offset)
{
	int64_t bad = check_mmap(addr, &len, flags, offset);
	bool fixed = flags & (MAP_FIXED | MAP_FIXED_NOREPLACE);
	char name[4096];
	struct vma v = { .prot = prot & 7 };
	size_t i;
	void *p;

	if (bad)
		return bad;
	if (fixed) {
		i = vmas_index(&m->vmas, addr);
		if (flags & MAP_FIXED_NOREPLACE && i < m->vmas.v.n && m->vmas.v.at[i].start < addr + len)
			return -EEXIST;
	} else {
		addr = place(m, addr, len, flags);
		if (!addr)
			return -ENOMEM;
	}
	/* MAP_GROWSDOWN is kept in our list only: the host must not grow into what lies below. */
	p = mmap(memory_host(addr), len, host_prot(prot),
		 (flags & ~(MAP_GROWSDOWN | MAP_32BIT | MAP_FIXED_NOREPLACE)) | MAP_FIXED,
		 flags & MAP_ANONYMOUS ? -1 : fd, (off_t)(flags & MAP_ANONYMOUS ? 0 : offset));
	if (p == MAP_FAILED)
		return -errno;
	memory_forget(m, addr, addr + len);
	v.start = addr;
	v.end = addr + len;
	v.flags = flags & (MAP_TYPE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_NORESERVE | MAP_STACK);
	v.offset = flags & MAP_ANONYMOUS ? 0 : offset;
	if (!(flags & MAP_ANONYMOUS))
		file_facts(&v, fd, name, sizeof(name));
	vmas_add(&m->vmas, &v);
	return (int64_t)addr;
}

int64_t memory_munmap(struct memory *m, gaddr addr, uint64_t len)
{
	gaddr end;

	if (addr & (PAGE_BYTES - 1) || addr > TASK_SIZE_MAX || len > TASK_SIZE_MAX - addr || !len)
		return -EINVAL;
	end = addr + page_up(len);
	if (addr < WINDOW_START)
		addr = WINDOW_START;
	if (end > WINDOW_END)
		end = WINDOW_END;
	/* Only what is ours: the host may have nothing else here, but the hole of a sanitizer. */
	for (size_t i = vmas_index(&m->vmas, addr); i < m->vmas.v.n && m->vmas.v.at[i].start < end; i++) {
		gaddr s = m->vmas.v.at[i].start, t = m->vmas.v.at[i].end;

		s = s < addr ? addr : s;
		t = t > end ? end : t;
		if (munmap(memory_host(s), t - s))
			return -errno;
		memory_forget(m, s, t);
	}
	if (addr < end)
		vmas_cut(&m->vmas, addr, end);
	return 0;
}

static int64_t grow_start(const struct memory *m, gaddr *addr, int prot)
{
	size_t i;

	if (!(prot & (PROT_GROWSDOWN | PROT_GROWSUP)))
		return 0;
	i = vmas_index(&m->vmas, *addr);
	if ((prot & PROT_GROWSUP) || i == m->vmas.v.n || m->vmas.v.at[i].start > *addr ||
	    !(m->vmas.v.at[i].flags & MAP_GROWSDOWN))
		return -EINVAL;
	*addr = m->vmas.v.at[i].start;
	return 0;
}

int64_t memory_mprotect(struct memory *m, gaddr addr, uint64_t len, int prot)
{
	gaddr end = addr + page_up(len);
	int64_t bad;

	if ((prot & (PROT_GROWSDOWN | PROT_GROWSUP)) == (PROT_GROWSDOWN | PROT_GROWSUP))
		return -EINVAL;
	if (addr & (PAGE_BYTES - 1))
		return -EINVAL;
	if (!len)
		return 0;
	if (end <= addr)
		return -ENOMEM;
	if (prot & ~(7 | 8 | PROT_GROWSDOWN | PROT_GROWSUP))
		return -EINVAL;
	bad = grow_start(m, &addr, prot);
	if (bad)
		return bad;
	prot &= 7;
	/* What comes before a hole is changed, as the kernel does it. */
	for (gaddr a = addr; a < end;) {
		size_t i = vmas_index(&m->vmas, a);
		gaddr t;

		if (i == m->vmas.v.n || m->vmas.v.at[i].start > a)
			return -ENOMEM;
		t = m->vmas.v.at[i].end < end ? m->vmas.v.at[i].end : end;
		if (mprotect(memory_host(a), t - a, host_prot(prot)))
			return -errno;
		memory_forget(m, a, t);
		vmas_change(&m->vmas, a, t, prot, NULL);
		a = t;
	}
	return 0;
}

/* Move [old, old+old_len) to @to (any size), replacing what is there. */
static int64_t move(struct memory *m, gaddr old, uint64_t old_len, uint64_t new_len, gaddr to, int keep)
{
	struct vma v = m->vmas.v.at[vmas_index(&m->vmas, old)];
	char name[4096] = "";
	void *p;

	if (v.name)
		snprintf(name, sizeof(name), "%s", v.name);
	p = mremap(memory_host(old), old_len, new_len, MREMAP_MAYMOVE | MREMAP_FIXED | keep,
		   memory_host(to));
	if (p == MAP_FAILED)
		return -errno;
	if (!(v.flags & MAP_ANONYMOUS))
		v.offset += old - v.start;
	memory_forget(m, old, old + old_len);
	memory_forget(m, to, to + new_len);
	if (old_len && !keep)
		vmas_cut(&m->vmas, old, old + old_len);
	v.start = to;
	v.end = to + new_len;
	v.name = name[0] ? name : NULL;
	vmas_add(&m->vmas, &v);
	return (int64_t)to;
}

static int64_t check_mremap(const struct memory *m, gaddr old, uint64_t old_len, uint64_t new_len,
			    int flags, gaddr new_addr)
{
	size_t i;

	if (flags & ~(MREMAP_MAYMOVE | MREMAP_FIXED | MREMAP_DONTUNMAP))
		return -EINVAL;
	if ((flags & (MREMAP_FIXED | MREMAP_DONTUNMAP)) && !(flags & MREMAP_MAYMOVE))
		return -EINVAL;
	if (old & (PAGE_BYTES - 1) || !new_len)
		return -EINVAL;
	if (flags & MREMAP_DONTUNMAP && old_len != new_len)
		return -EINVAL;
	if (flags & MREMAP_FIXED) {
		if (new_addr & (PAGE_BYTES - 1) || new_len > TASK_SIZE_MAX ||
		    new_addr > TASK_SIZE_MAX - new_len)
			return -EINVAL;
		if (old + old_len > new_addr && new_addr + new_len > old)
			return -EINVAL;
		if (!usable(new_addr, new_len))
			return -ENOMEM;
	}
	i = vmas_index(&m->vmas, old);
	if (i == m->vmas.v.n || m->vmas.v.at[i].start > old)
		return -EFAULT;
	if (!old_len && (m->vmas.v.at[i].flags & MAP_TYPE) == MAP_PRIVATE)
		return -EINVAL;
	if (old_len > m->vmas.v.at[i].end - old)
		return -EFAULT;
	return 0;
}

int64_t memory_mremap(struct memory *m, gaddr old, uint64_t old_len, uint64_t new_len, int flags,
		      gaddr new_addr)
{
	int64_t r;
	size_t i;
	gaddr to;

	if (page_up(old_len) < old_len || page_up(new_len) < new_len)
		return -EINVAL;
	old_len = page_up(old_len);
	new_len = page_up(new_len);
	r = check_mremap(m, old, old_len, new_len, flags, new_addr);
	if (r)
		return r;
	if (flags & MREMAP_FIXED)
		return move(m, old, old_len, new_len, new_addr, flags & MREMAP_DONTUNMAP);
	if (new_len <= old_len && !(flags & MREMAP_DONTUNMAP)) {
		r = new_len < old_len ? memory_munmap(m, old + new_len, old_len - new_len) : 0;
		return r ? r : (int64_t)old;
	}
	i = vmas_index(&m->vmas, old);
	if (!(flags & MREMAP_DONTUNMAP) && old_len && old + old_len == m->vmas.v.at[i].end &&
	    usable(old, new_len) &&
	    (i + 1 == m->vmas.v.n || m->vmas.v.at[i + 1].start >= old + new_len)) {
		struct vma v = m->vmas.v.at[i];

		if (mremap(memory_host(old), old_len, new_len, 0) == MAP_FAILED)
			return -errno;
		v.end = old + new_len;
		m->vmas.v.at[i].end = v.end;
		return (int64_t)old;
	}
	if (!(flags & MREMAP_MAYMOVE))
		return -ENOMEM;
	to = place(m, 0, new_len, 0);
	return to ? move(m, old, old_len, new_len, to, flags & MREMAP_DONTUNMAP) : -ENOMEM;
}

int64_t memory_madvise(struct memory *m, gaddr addr, uint64_t len, int advice)
{
	uint64_t n = page_up(len);

	if (addr & (PAGE_BYTES - 1) || (len && !n) || addr + n < addr)
		return -EINVAL;
	if (n && !usable(addr, n))
		return -ENOMEM;
	if (madvise(memory_host(addr), n, advice))
		return -errno;
	if (advice == MADV_DONTNEED || advice == MADV_REMOVE)
		memory_forget(m, addr, addr + n);
	return 0;
}

int64_t memory_brk(struct memory *m, gaddr addr)
{
	gaddr old = page_up(m->brk), new = page_up(addr);
	size_t i;

	if (addr < m->brk_start || addr >= WINDOW_END)
		return (int64_t)m->brk;
	if (new < old) {
		if (memory_munmap(m, new, old - new))
			return (int64_t)m->brk;
	} else if (new > old) {
		i = vmas_index(&m->vmas, old);
		if (!usable(old, new - old) || (i < m->vmas.v.n && m->vmas.v.at[i].start < new))
			return (int64_t)m->brk;
		if (memory_mmap(m, old, new - old, PROT_READ | PROT_WRITE,
				MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) < 0)
			return (int64_t)m->brk;
		vmas_change(&m->vmas, old, new, -1, "[heap]");
	}
	m->brk = addr;
	return (int64_t)addr;
}

void memory_set_brk(struct memory *m, gaddr start)
{
	m->brk_start = m->brk = start;
}

void memory_set_mmap_base(struct memory *m, gaddr top)
{
	m->mmap_top = page_down(top);
}

void memory_set_name(struct memory *m, gaddr start, const char *name)
{
	size_t i = vmas_index(&m->vmas, start);

	if (i < m->vmas.v.n && m->vmas.v.at[i].start <= start)
		vmas_change(&m->vmas, m->vmas.v.at[i].start, m->vmas.v.at[i].end, -1, name);
	if (!name || *name != '[')
		return;
	/* A mapping of the kernel's own is no file's, whatever is behind it here. */
	i = vmas_index(&m->vmas, start);
	if (i < m->vmas.v.n && m->vmas.v.at[i].start <= start) {
		m->vmas.v.at[i].dev = m->vmas.v.at[i].ino = 0;
		m->vmas.v.at[i].offset = 0;
	}
}

const struct vma *memory_find(const struct memory *m, gaddr a)
{
	size_t i = vmas_index(&m->vmas, a);

	return i < m->vmas.v.n ? &m->vmas.v.at[i] : NULL;
}

const struct vma *memory_next(const struct memory *m, const struct vma *v)
{
	size_t i = v ? (size_t)(v - m->vmas.v.at) + 1 : 0;

	return i < m->vmas.v.n ? &m->vmas.v.at[i] : NULL;
}

size_t memory_count(const struct memory *m)
{
	return m->vmas.v.n;
}
