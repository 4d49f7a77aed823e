/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounds-checked look at the bytes of an x86-64 ELF file, whatever the bytes are: which part of the
 * file is mapped where, function boundaries from symbols and from .eh_frame_hdr, needed libraries.
 * For scanning thousands of files without allocation per section; nothing is copied.
 */
#ifndef VSYSEMU_FACTS_ELFVIEW_H
#define VSYSEMU_FACTS_ELFVIEW_H

#include <elf.h>

#include "base/buf.h"
#include "base/types.h"

struct elf_function {
	gaddr start, end; /* end 0: unknown */
	const char *name; /* borrowed from the file, checked to be terminated; NULL: none */
};

struct elfview {
	const uint8_t *bytes; /* borrowed */
	size_t n;
	const Elf64_Ehdr *eh;
	const Elf64_Phdr *ph;
	unsigned phn;
	const Elf64_Shdr *sh;
	unsigned shn;
	VEC(struct elf_function) functions; /* sorted by start; owned */
	bool relocatable; /* ET_REL: addresses are file offsets */
};

/* Why ELF bytes cannot be a program that reaches the page, whatever else they hold: 32-bit code, another
 * processor (static text).  NULL: they may be. */
const char *elfview_foreign(const uint8_t *bytes, size_t n);
/* Open @n bytes.  False: *why (static text) says which rule is broken.  Free with elfview_close. */
bool elfview_open(struct elfview *v, const uint8_t *bytes, size_t n, const char **why);
void elfview_close(struct elfview *v);
/* A kernel (loaded into the upper half of the address space) or a module of it. */
bool elfview_is_kernel(const struct elfview *v);

/* Where file offset @off is mapped.  False: nowhere. */
bool elfview_address(const struct elfview *v, uint64_t off, gaddr *a, bool *exec, bool *writable);
/* Bytes at address @a: NULL or a pointer with *n bytes of the same segment. */
const uint8_t *elfview_at(const struct elfview *v, gaddr a, size_t *n, bool *exec, bool *writable);
/* Is @a written by the dynamic linker at most: PT_GNU_RELRO, or .data.rel.ro of an object file? */
bool elfview_is_relro(const struct elfview *v, gaddr a);
/* The function that contains @a (or the nearest before it), or NULL. */
const struct elf_function *elfview_function(const struct elfview *v, gaddr a);
/* The nearest named function at or before @a, or NULL. */
const struct elf_function *elfview_symbol(const struct elfview *v, gaddr a);
/* PT_INTERP and the I-th DT_NEEDED, DT_RPATH/RUNPATH: NULL when there is none. */
const char *elfview_interp(const struct elfview *v);
const char *elfview_needed(const struct elfview *v, unsigned i);
const char *elfview_soname(const struct elfview *v);
/* DT_RUNPATH, or DT_RPATH where there is none (@old, which libraries inherit: ld.so(8)); NULL: neither.  Owned by @v. */
const char *elfview_runpath(const struct elfview *v, bool *old);

#endif
