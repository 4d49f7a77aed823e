/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: the fallback of programs that look for the vDSO themselves (Go before 1.16): __vdso_time by
 * name behind AT_SYSINFO_EHDR, else the fixed address.  Says which way it took.
 */
#include <elf.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>

#include "vsyscall.h"

/* The function @name of the vDSO at @base, by its dynamic symbols; NULL: none. */
static void *vdso_symbol(const char *base, const char *name)
{
	const Elf64_Ehdr *eh = (const void *)base;
	const Elf64_Phdr *ph = (const void *)(base + eh->e_phoff);
	const Elf64_Sym *sym = NULL;
	const Elf64_Dyn *dyn = NULL;
	const char *str = NULL, *load = base;
	unsigned n = 0;

	for (unsigned i = 0; i < eh->e_phnum; i++) {
		if (ph[i].p_type == PT_LOAD)
			load = base + ph[i].p_offset - ph[i].p_vaddr;
		if (ph[i].p_type == PT_DYNAMIC)
			dyn = (const void *)(base + ph[i].p_offset);
	}
	for (; dyn && dyn->d_tag; dyn++) {
		if (dyn->d_tag == DT_SYMTAB)
			sym = (const void *)(load + dyn->d_un.d_ptr);
		if (dyn->d_tag == DT_STRTAB)
			str = load + dyn->d_un.d_ptr;
		if (dyn->d_tag == DT_HASH)
			n = ((const unsigned *)(const void *)(load + dyn->d_un.d_ptr))[1];
	}
	if (!n && sym && str > (const char *)sym) /* no DT_HASH: the strings follow the symbols */
		n = (unsigned)((size_t)(str - (const char *)sym) / sizeof(*sym));
	for (unsigned i = 0; sym && str && i < n; i++)
		if (sym[i].st_shndx && !strcmp(str + sym[i].st_name, name))
			return (void *)(load + sym[i].st_value);
	return NULL;
}

int main(void)
{
	unsigned long base = getauxval(AT_SYSINFO_EHDR);
	long (*by_vdso)(long *) = NULL;
	long t;

	if (base) {
		void *p = vdso_symbol((const char *)base, "__vdso_time");

		memcpy(&by_vdso, &p, sizeof(p));
	}
	if (by_vdso)
		t = by_vdso(NULL);
	else
		t = vsys_call(VSYS_TIME, NULL, NULL, 0);
	printf("%s: %s\n", by_vdso ? "vdso" : base ? "vdso without time" : "fixed address",
	       t > 1000000 ? "a time" : "no time");
	return 0;
}
