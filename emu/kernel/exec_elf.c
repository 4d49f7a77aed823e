/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules for ELF and program headers, each with the errno that Linux 6.1 fs/binfmt_elf.c gives.
 * Like Linux this does not look at EI_CLASS, EI_DATA or e_version: tiny hand-made files put other
 * things there and run.
 */
#include "kernel/exec_elf.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/exec_layout.h"

/* All of @n bytes at @off, or negative errno; -EIO when the file ends before. */
static int64_t read_all(int fd, void *buf, size_t n, uint64_t off)
{
	size_t got = 0;

	if (off > INT64_MAX - n)
		return -EINVAL;
	while (got < n) {
		ssize_t r = pread(fd, (char *)buf + got, n - got, (off_t)(off + got));

		if (r < 0 && errno == EINTR)
			continue;
		if (r <= 0)
			return r < 0 ? -errno : -EIO;
		got += (size_t)r;
	}
	return 0;
}

static int64_t refuse(struct err *e, int err, const struct exec_image *i, const char *why)
{
	err_set_status(e, 126, "%s: %s", i->name, why);
	return -err;
}

static const char *type_name(unsigned type)
{
	switch (type) {
	case ET_REL:
		return "an object file (ET_REL) is no program: link it first";
	case ET_CORE:
		return "a core dump (ET_CORE) is no program";
	default:
		return "e_type is neither ET_EXEC nor ET_DYN";
	}
}

/* The rules of the ELF header.  NULL: kept; else the one that is broken. */
static const char *header_rule(const Elf64_Ehdr *eh)
{
	/* In a 32-bit file e_phentsize stands where the high half of e_phoff is here. */
	bool elf32 = eh->e_ident[EI_CLASS] == ELFCLASS32 && eh->e_phentsize != sizeof(Elf64_Phdr);

	if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN)
		return type_name(eh->e_type);
	if (eh->e_machine == EM_386 || (elf32 && eh->e_machine == EM_X86_64))
		return "a 32-bit program; only 64-bit x86-64 programs can be run";
	if (eh->e_machine != EM_X86_64)
		return "for another machine (e_machine is not EM_X86_64)";
	if (eh->e_phentsize != sizeof(Elf64_Phdr))
		return "e_phentsize is not 56";
	if (!eh->e_phnum)
		return "e_phnum is 0: nothing to load";
	if (eh->e_phnum * sizeof(Elf64_Phdr) > PAGE_BYTES)
		return "e_phnum is over 73: the program headers must fit in a page";
	return NULL;
}

static int64_t read_interp_name(struct exec_image *i, const Elf64_Phdr *ph, struct err *e)
{
	int64_t r;

	if (ph->p_filesz > PATH_MAX || ph->p_filesz < 2)
		return refuse(e, ENOEXEC, i, "PT_INTERP is not 2 to 4096 bytes long");
	i->interp = xcalloc(1, ph->p_filesz + 1);
	r = read_all(i->fd, i->interp, ph->p_filesz, ph->p_offset);
	if (r)
		return refuse(e, (int)-r, i, "PT_INTERP lies beyond the end of the file");
	if (i->interp[ph->p_filesz - 1])
		return refuse(e, ENOEXEC, i, "PT_INTERP does not end with a NUL byte");
	return 0;
}

static void measure(struct exec_image *i)
{
	gaddr low = UINT64_MAX, high = 0;

	i->align = PAGE_BYTES;
	for (unsigned n = 0; n < i->eh.e_phnum; n++) {
		const Elf64_Phdr *ph = &i->ph[n];

		if (ph->p_type == PT_GNU_STACK)
			i->stack = ph->p_flags & PF_X ? EXEC_STACK_EXEC : EXEC_STACK_NOEXEC;
		if (ph->p_type != PT_LOAD)
			continue;
		if (page_down(ph->p_vaddr) < low)
			low = page_down(ph->p_vaddr);
		/* Sums that wrap are refused by exec_elf_check(). */
		if (ph->p_vaddr + ph->p_memsz > high)
			high = ph->p_vaddr + ph->p_memsz;
		if (!(ph->p_align & (ph->p_align - 1)) && ph->p_align > i->align)
			i->align = ph->p_align;
	}
	i->low = high > low ? low : 0;
	i->high = high > low ? high : 0;
}

int64_t exec_elf_read(struct exec_image *i, bool interp, struct err *e)
{
	const char *rule;
	int64_t r = read_all(i->fd, &i->eh, sizeof(i->eh), 0);

	if (r == -EIO && interp)
		return refuse(e, EIO, i, "shorter than an ELF header");
	if (r && r != -EIO)
		return refuse(e, (int)-r, i, strerror((int)-r));
	if (memcmp(i->eh.e_ident, ELFMAG, SELFMAG) != 0)
		return refuse(e, interp ? ELIBBAD : ENOEXEC, i,
			      interp ? "not an ELF file" : "neither an ELF file nor a script with #!");
	if (r)
		return refuse(e, ENOEXEC, i, "shorter than an ELF header");
	rule = header_rule(&i->eh);
	if (rule)
		return refuse(e, interp ? ELIBBAD : ENOEXEC, i, rule);
	i->ph = xcalloc(i->eh.e_phnum, sizeof(*i->ph));
	r = read_all(i->fd, i->ph, i->eh.e_phnum * sizeof(*i->ph), i->eh.e_phoff);
	if (r)
		return refuse(e, interp ? ELIBBAD : ENOEXEC, i,
			      "the program headers lie beyond the end of the file");
	measure(i);
	for (unsigned n = 0; n < i->eh.e_phnum && !interp; n++)
		if (i->ph[n].p_type == PT_INTERP)
			return read_interp_name(i, &i->ph[n], e);
	return 0;
}

int exec_elf_prot(const Elf64_Phdr *ph)
{
	return (ph->p_flags & PF_R ? PROT_READ : 0) | (ph->p_flags & PF_W ? PROT_WRITE : 0) |
	       (ph->p_flags & PF_X ? PROT_EXEC : 0);
}

static int64_t refuse_segment(struct err *e, int err, const struct exec_image *i, unsigned n,
			      const char *why)
{
	err_set_status(e, 126, "%s: segment %u (p_vaddr 0x%llx): %s", i->name, n,
		       (unsigned long long)i->ph[n].p_vaddr, why);
	return -err;
}

static int64_t segment_check(const struct exec_image *i, unsigned n, gaddr bias, gaddr limit,
			     struct err *e)
{
	const Elf64_Phdr *ph = &i->ph[n];
	gaddr start = bias + ph->p_vaddr;

	if (ph->p_filesz > ph->p_memsz)
		return refuse_segment(e, EINVAL, i, n, "p_filesz is greater than p_memsz");
	if (ph->p_memsz > TASK_SIZE_MAX || ph->p_vaddr + ph->p_memsz < ph->p_vaddr)
		return refuse_segment(e, EINVAL, i, n, "p_vaddr + p_memsz wraps or exceeds user space");
	if (ph->p_filesz && (ph->p_offset ^ ph->p_vaddr) & (PAGE_BYTES - 1))
		return refuse_segment(e, EINVAL, i, n, "p_offset and p_vaddr differ modulo a page");
	if (ph->p_filesz && (ph->p_offset > INT64_MAX || ph->p_filesz > INT64_MAX - ph->p_offset))
		return refuse_segment(e, EOVERFLOW, i, n, "p_offset + p_filesz is no file offset");
	if (!ph->p_memsz)
		return 0;
	if (page_down(start) < WINDOW_START)
		return refuse_segment(e, EPERM, i, n, "below 0x10000, which may not be mapped");
	if (start >= limit || ph->p_memsz > limit - start)
		return refuse_segment(e, ENOMEM, i, n, "outside the addresses that a guest can use");
	return 0;
}

int64_t exec_elf_check(const struct exec_image *i, gaddr bias, gaddr limit, struct err *e)
{
	int64_t r;

	for (unsigned n = 0; n < i->eh.e_phnum; n++) {
		if (i->ph[n].p_type != PT_LOAD)
			continue;
		r = segment_check(i, n, bias, limit, e);
		if (r)
			return r;
	}
	return 0;
}
