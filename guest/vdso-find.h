/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For guests: a function of the vDSO by its name, through AT_SYSINFO_EHDR and the image's own tables. */
#ifndef GUEST_VDSO_FIND_H
#define GUEST_VDSO_FIND_H

#include <elf.h>
#include <link.h>
#include <stddef.h>
#include <string.h>
#include <sys/auxv.h>

static inline void *vdso_find(const char *name)
{
	unsigned long base = getauxval(AT_SYSINFO_EHDR), bias = 0;
	const ElfW(Ehdr) *e = (void *)base;
	const ElfW(Phdr) *p;
	const ElfW(Dyn) *d = NULL;
	const ElfW(Sym) *s = NULL;
	const char *strings = NULL;
	const unsigned *hash = NULL;

	if (!base)
		return NULL;
	p = (void *)(base + e->e_phoff);
	for (int i = 0; i < e->e_phnum; i++) {
		if (p[i].p_type == PT_LOAD)
			bias = base - p[i].p_vaddr + p[i].p_offset;
		if (p[i].p_type == PT_DYNAMIC)
			d = (void *)(base + p[i].p_offset);
	}
	for (; d && d->d_tag; d++) {
		void *q = (void *)(d->d_un.d_ptr + bias);

		if (d->d_tag == DT_SYMTAB)
			s = q;
		if (d->d_tag == DT_STRTAB)
			strings = q;
		if (d->d_tag == DT_HASH)
			hash = q;
	}
	for (unsigned i = 0; hash && s && strings && i < hash[1]; i++)
		if (!strcmp(strings + s[i].st_name, name) && s[i].st_shndx)
			return (void *)(s[i].st_value + bias);
	return NULL;
}

#endif
