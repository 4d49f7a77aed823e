/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Segments into memory: fs/binfmt_elf.c elf_load() and load_elf_binary().  The bss is cleared segment
 * by segment, as 6.10 and the late 6.1 releases do.
 */
#include "kernel/exec_map.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>

#include "kernel/exec_elf.h"
#include "kernel/exec_layout.h"
#include "kernel/kernel.h"

static int implied(const struct kernel *k, int prot)
{
	return prot & PROT_READ && k->proc.personality & READ_IMPLIES_EXEC ? prot | PROT_EXEC : prot;
}

/* Zero from the end of the file's bytes to the end of that page.  Memory that the program may not
 * write keeps what the file has there: the kernel ignores that failure, too. */
static void pad_zero(struct kernel *k, gaddr from)
{
	static const char zero[PAGE_BYTES];
	size_t n = (size_t)(page_up(from) - from);

	if (n)
		(void)memory_write(k->mem, from, zero, n);
}

static int64_t map_segment(struct kernel *k, const struct exec_image *i, const Elf64_Phdr *ph,
			   gaddr bias)
{
	gaddr start = bias + ph->p_vaddr, end = start + ph->p_memsz, zero = page_down(start);
	uint64_t skew = ph->p_vaddr & (PAGE_BYTES - 1);
	int prot = exec_elf_prot(ph);
	int64_t r;

	if (ph->p_filesz) {
		r = memory_mmap(k->mem, page_down(start), ph->p_filesz + skew, implied(k, prot),
				MAP_PRIVATE | MAP_FIXED, i->fd, ph->p_offset - skew);
		if (r < 0)
			return r;
		if (ph->p_memsz > ph->p_filesz)
			pad_zero(k, start + ph->p_filesz);
		zero = page_up(start + ph->p_filesz);
	}
	if (ph->p_memsz <= ph->p_filesz || page_up(end) <= zero)
		return 0;
	/* The heap's protection, whatever the segment says, but for PF_X (vm_brk_flags). */
	r = memory_mmap(k->mem, zero, page_up(end) - zero,
			implied(k, PROT_READ | PROT_WRITE | (prot & PROT_EXEC)),
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
	return r < 0 ? r : 0;
}

/* A free place for all of a movable image, aligned as it asks: the bias.  Negative errno. */
static int64_t find_place(struct kernel *k, const struct exec_image *i, gaddr *bias)
{
	uint64_t span = page_up(i->high - i->low), room = span;
	int64_t at;

	if (i->align > PAGE_BYTES && i->align <= EXEC_STACK_MAX_BYTES)
		room += i->align;
	else if (i->align > EXEC_STACK_MAX_BYTES)
		return -ENOMEM;
	at = memory_mmap(k->mem, 0, room, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1,
			 0);
	if (at < 0)
		return at;
	memory_munmap(k->mem, (gaddr)at, room);
	/* The highest aligned place inside, as top-down allocation gives it. */
	at += (int64_t)(room - span);
	*bias = ((gaddr)at & ~(i->align - 1)) - i->low;
	return 0;
}

static int64_t place(struct kernel *k, const struct exec_image *i, bool dyn_base, gaddr *bias,
		     struct err *e)
{
	int64_t r = 0;

	*bias = 0;
	if (i->eh.e_type == ET_DYN && dyn_base)
		*bias = page_down((EXEC_DYN_BASE & ~(i->align - 1)) - i->low);
	else if (i->eh.e_type == ET_DYN && i->high)
		r = find_place(k, i, bias);
	if (r) {
		err_set_status(e, 126, "%s: no room in the guest's address space for it", i->name);
		return r;
	}
	return exec_elf_check(i, *bias, EXEC_IMAGE_END, e);
}

static int64_t map_image(struct kernel *k, const struct exec_image *i, bool dyn_base,
			 struct exec_placed *at, struct err *e)
{
	int64_t r = place(k, i, dyn_base, &at->bias, e);

	at->phdr = 0;
	at->entry = at->bias + i->eh.e_entry;
	for (unsigned n = 0; !r && n < i->eh.e_phnum; n++) {
		const Elf64_Phdr *ph = &i->ph[n];

		if (ph->p_type != PT_LOAD)
			continue;
		r = map_segment(k, i, ph, at->bias);
		if (r)
			err_set_status(e, 126, "%s: segment %u cannot be mapped: %s", i->name, n,
				       strerror((int)-r));
		if (!at->phdr && ph->p_offset <= i->eh.e_phoff &&
		    i->eh.e_phoff - ph->p_offset < ph->p_filesz)
			at->phdr = i->eh.e_phoff - ph->p_offset + ph->p_vaddr + at->bias;
	}
	if (!r && at->entry >= TASK_SIZE_MAX) {
		err_set_status(e, 126, "%s: its entry point is no user address", i->name);
		r = -EINVAL;
	}
	return r;
}

int64_t exec_map(struct kernel *k, const struct exec_plan *p, struct exec_placed *prog,
		 struct exec_placed *interp, struct err *e)
{
	bool dynamic = p->prog.interp;
	gaddr brk;
	int64_t r = map_image(k, &p->prog, dynamic, prog, e);

	memset(interp, 0, sizeof(*interp));
	if (r)
		return r;
	/* Without an interpreter a movable program lies among the mappings: its heap gets room of its
	 * own. */
	brk = p->prog.eh.e_type == ET_DYN && !dynamic ? EXEC_DYN_BASE
						     : page_up(prog->bias + p->prog.high);
	memory_set_brk(k->mem, brk);
	return dynamic ? map_image(k, &p->interp, false, interp, e) : 0;
}
