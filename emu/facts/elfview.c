/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A bounds-checked look at ELF bytes: see elfview.h.  Layouts: System V gABI, x86-64 psABI; the
 * binary search table of .eh_frame_hdr: LSB core, 10.6.2.
 */
#include "facts/elfview.h"

#include <stdlib.h>
#include <string.h>

static const void *range(const struct elfview *v, uint64_t off, uint64_t len)
{
	return off <= v->n && len <= v->n - off ? v->bytes + off : NULL;
}

static const char *string_at(const struct elfview *v, uint64_t off, uint64_t limit)
{
	const char *s = range(v, off, 1);
	uint64_t room = off < v->n ? v->n - off : 0;

	if (limit < room)
		room = limit;
	return s && memchr(s, 0, room) ? s : NULL;
}

/* Some linkers put read-only data and unwind tables into the segment of the code: then the sections
 * tell.  A file without any section of code has only its segments. */
static bool is_code(const struct elfview *v, gaddr a)
{
	bool told = false;

	for (unsigned i = 0; i < v->shn; i++) {
		const Elf64_Shdr *s = &v->sh[i];

		if ((s->sh_flags & (SHF_ALLOC | SHF_EXECINSTR)) != (SHF_ALLOC | SHF_EXECINSTR))
			continue;
		if (a >= s->sh_addr && a - s->sh_addr < s->sh_size)
			return true;
		told = true;
	}
	return !told;
}

bool elfview_address(const struct elfview *v, uint64_t off, gaddr *a, bool *exec, bool *writable)
{
	if (v->relocatable) {
		for (unsigned i = 0; i < v->shn; i++) {
			const Elf64_Shdr *s = &v->sh[i];

			if (s->sh_type == SHT_PROGBITS && s->sh_flags & SHF_ALLOC &&
			    off >= s->sh_offset && off - s->sh_offset < s->sh_size) {
				*a = off;
				*exec = s->sh_flags & SHF_EXECINSTR;
				*writable = s->sh_flags & SHF_WRITE;
				return true;
			}
		}
		return false;
	}
	for (unsigned i = 0; i < v->phn; i++) {
		const Elf64_Phdr *p = &v->ph[i];

		if (p->p_type == PT_LOAD && off >= p->p_offset && off - p->p_offset < p->p_filesz) {
			*a = p->p_vaddr + (off - p->p_offset);
			*exec = p->p_flags & PF_X && is_code(v, *a);
			*writable = p->p_flags & PF_W;
			return true;
		}
	}
	return false;
}

const uint8_t *elfview_at(const struct elfview *v, gaddr a, size_t *n, bool *exec, bool *writable)
{
	const uint8_t *p;

	if (v->relocatable) {
		gaddr same;

		if (!elfview_address(v, a, &same, exec, writable))
			return NULL;
		*n = v->n - a;
		return v->bytes + a;
	}
	for (unsigned i = 0; i < v->phn; i++) {
		const Elf64_Phdr *h = &v->ph[i];

		if (h->p_type != PT_LOAD || a < h->p_vaddr || a - h->p_vaddr >= h->p_filesz)
			continue;
		p = range(v, h->p_offset + (a - h->p_vaddr), 1);
		if (!p)
			return NULL;
		*n = h->p_filesz - (a - h->p_vaddr);
		if (*n > v->n - (size_t)(p - v->bytes))
			*n = v->n - (size_t)(p - v->bytes);
		*exec = h->p_flags & PF_X && is_code(v, a);
		*writable = h->p_flags & PF_W;
		return p;
	}
	return NULL;
}

static void add_symbols(struct elfview *v, const Elf64_Shdr *s)
{
	const Elf64_Sym *sym = range(v, s->sh_offset, s->sh_size);
	const Elf64_Shdr *str = s->sh_link < v->shn ? &v->sh[s->sh_link] : NULL;

	if (!sym || !str)
		return;
	for (uint64_t i = 0; i < s->sh_size / sizeof(*sym); i++) {
		unsigned type = ELF64_ST_TYPE(sym[i].st_info);
		gaddr a = sym[i].st_value;

		if ((type != STT_FUNC && type != STT_GNU_IFUNC && type != STT_NOTYPE) ||
		    sym[i].st_shndx == SHN_UNDEF || sym[i].st_name >= str->sh_size)
			continue;
		if (sym[i].st_shndx >= v->shn ||
		    !(v->sh[sym[i].st_shndx].sh_flags & SHF_EXECINSTR))
			continue;
		if (v->relocatable)
			a += v->sh[sym[i].st_shndx].sh_offset;
		VEC_PUSH(&v->functions,
			 ((struct elf_function){
				 .start = a,
				 .end = sym[i].st_size ? a + sym[i].st_size : 0,
				 .name = string_at(v, str->sh_offset + sym[i].st_name,
						   str->sh_size - sym[i].st_name) }));
	}
}

/* The search table of .eh_frame_hdr: pairs of 32-bit offsets from the header's own address. */
static void add_unwind_starts(struct elfview *v, const Elf64_Phdr *p)
{
	const uint8_t *h = range(v, p->p_offset, p->p_filesz);
	uint32_t count;

	/* version 1, pcrel|sdata4 pointer, udata4 count, datarel|sdata4 table: what linkers write. */
	if (!h || p->p_filesz < 12 || h[0] != 1 || h[1] != 0x1b || h[2] != 0x03 || h[3] != 0x3b)
		return;
	memcpy(&count, h + 8, 4);
	if (count > (p->p_filesz - 12) / 8)
		count = (uint32_t)((p->p_filesz - 12) / 8);
	for (uint32_t i = 0; i < count; i++) {
		int32_t rel;

		memcpy(&rel, h + 12 + 8 * (size_t)i, 4);
		VEC_PUSH(&v->functions,
			 ((struct elf_function){ .start = p->p_vaddr + (uint64_t)(int64_t)rel }));
	}
}

static int by_start(const void *pa, const void *pb)
{
	const struct elf_function *a = pa, *b = pb;

	if (a->start != b->start)
		return a->start < b->start ? -1 : 1;
	/* A named one with a size first. */
	if (!a->name != !b->name)
		return a->name ? -1 : 1;
	return a->end == b->end ? 0 : a->end > b->end ? -1 : 1;
}

const char *elfview_foreign(const uint8_t *b, size_t n)
{
	unsigned machine;

	if (n < sizeof(Elf32_Ehdr) || b[EI_DATA] < ELFDATA2LSB || b[EI_DATA] > ELFDATA2MSB)
		return NULL;
	machine = b[EI_DATA] == ELFDATA2LSB ? b[19] : b[18];
	machine = machine << 8 | (b[EI_DATA] == ELFDATA2LSB ? b[18] : b[19]);
	if (b[EI_CLASS] == ELFCLASS32 && machine == EM_386)
		return "32-bit, which cannot reach the page";
	/* A relocatable file of no machine at all holds data. */
	return machine != EM_X86_64 ? "for another processor" : NULL;
}

static const char *section_name(const struct elfview *v, unsigned i)
{
	const Elf64_Shdr *names = v->eh->e_shstrndx < v->shn ? &v->sh[v->eh->e_shstrndx] : NULL;

	return names && v->sh[i].sh_name < names->sh_size
		       ? string_at(v, names->sh_offset + v->sh[i].sh_name,
				   names->sh_size - v->sh[i].sh_name)
		       : NULL;
}

bool elfview_is_relro(const struct elfview *v, gaddr a)
{
	for (unsigned i = 0; i < v->phn; i++)
		if (v->ph[i].p_type == PT_GNU_RELRO && a >= v->ph[i].p_vaddr &&
		    a - v->ph[i].p_vaddr < v->ph[i].p_memsz)
			return true;
	for (unsigned i = 0; v->relocatable && i < v->shn; i++) {
		const char *name = section_name(v, i);

		if (name && !strncmp(name, ".data.rel.ro", 12) && a >= v->sh[i].sh_offset &&
		    a - v->sh[i].sh_offset < v->sh[i].sh_size)
			return true;
	}
	return false;
}

bool elfview_is_kernel(const struct elfview *v)
{
	for (unsigned i = 0; i < v->phn; i++)
		if (v->ph[i].p_type == PT_LOAD && v->ph[i].p_vaddr >> 63)
			return true;
	for (unsigned i = 0; v->relocatable && i < v->shn; i++) {
		const char *name = section_name(v, i);

		if (name && !strcmp(name, ".gnu.linkonce.this_module"))
			return true;
	}
	return false;
}

static bool check_header(struct elfview *v, const char **why)
{
	const Elf64_Ehdr *eh = range(v, 0, sizeof(*eh));

	*why = "shorter than an ELF header";
	if (!eh)
		return false;
	v->eh = eh;
	*why = eh->e_ident[EI_CLASS] == ELFCLASS32 ? "an x32 program, which is not looked into"
						   : "not a 64-bit little-endian ELF file";
	if (eh->e_ident[EI_CLASS] != ELFCLASS64 || eh->e_ident[EI_DATA] != ELFDATA2LSB)
		return false;
	*why = "not for x86-64";
	if (eh->e_machine != EM_X86_64)
		return false;
	*why = "a core file, not a program";
	if (eh->e_type == ET_CORE)
		return false;
	*why = "not an executable, shared object or object file";
	if (eh->e_type != ET_EXEC && eh->e_type != ET_DYN && eh->e_type != ET_REL)
		return false;
	v->relocatable = eh->e_type == ET_REL;
	*why = "program headers lie outside the file";
	if (eh->e_phnum) {
		v->ph = range(v, eh->e_phoff, (uint64_t)eh->e_phnum * sizeof(*v->ph));
		if (!v->ph || eh->e_phentsize != sizeof(*v->ph) || eh->e_phoff % 8)
			return false;
		v->phn = eh->e_phnum;
	}
	*why = "section headers lie outside the file";
	if (eh->e_shoff && eh->e_shnum && eh->e_shentsize == sizeof(*v->sh)) {
		v->sh = range(v, eh->e_shoff, (uint64_t)eh->e_shnum * sizeof(*v->sh));
		if (eh->e_shoff % 8)
			v->sh = NULL;
		v->shn = v->sh ? eh->e_shnum : 0;
		if (!v->sh && v->relocatable)
			return false;
	}
	*why = NULL;
	return true;
}

bool elfview_open(struct elfview *v, const uint8_t *bytes, size_t n, const char **why)
{
	memset(v, 0, sizeof(*v));
	v->bytes = bytes;
	v->n = n;
	return check_header(v, why);
}

/* Function starts are wanted only where something was found, so they are collected late. */
static void collect(struct elfview *v)
{
	if (v->functions.n)
		return;
	for (unsigned i = 0; i < v->shn; i++)
		if (v->sh[i].sh_type == SHT_SYMTAB || v->sh[i].sh_type == SHT_DYNSYM)
			if (v->sh[i].sh_offset % 8 == 0)
				add_symbols(v, &v->sh[i]);
	for (unsigned i = 0; i < v->phn; i++)
		if (v->ph[i].p_type == PT_GNU_EH_FRAME)
			add_unwind_starts(v, &v->ph[i]);
	if (!v->functions.n) /* so that it is not tried again */
		VEC_PUSH(&v->functions, ((struct elf_function){ .start = 0 }));
	qsort(v->functions.at, v->functions.n, sizeof(*v->functions.at), by_start);
}

static size_t upper(const struct elfview *v, gaddr a)
{
	size_t lo = 0, hi = v->functions.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (v->functions.at[mid].start <= a)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

const struct elf_function *elfview_function(const struct elfview *cv, gaddr a)
{
	struct elfview *v = (struct elfview *)(uintptr_t)cv;
	size_t i;

	collect(v);
	i = upper(v, a);
	if (!i || !v->functions.at[i - 1].start)
		return NULL;
	for (i--; i && v->functions.at[i - 1].start == v->functions.at[i].start;)
		i--;
	return &v->functions.at[i];
}

const struct elf_function *elfview_symbol(const struct elfview *cv, gaddr a)
{
	struct elfview *v = (struct elfview *)(uintptr_t)cv;
	size_t i;

	collect(v);
	for (i = upper(v, a); i; i--) {
		const struct elf_function *f = &v->functions.at[i - 1];

		if (f->name && f->name[0] && (!f->end || a < f->end))
			return f;
		if (f->name && f->name[0] && a - f->start > 1 << 20)
			return NULL;
	}
	return NULL;
}

void elfview_close(struct elfview *v)
{
	VEC_FREE(&v->functions);
}

const char *elfview_interp(const struct elfview *v)
{
	for (unsigned i = 0; i < v->phn; i++)
		if (v->ph[i].p_type == PT_INTERP)
			return string_at(v, v->ph[i].p_offset, v->ph[i].p_filesz);
	return NULL;
}

/* The @nth dynamic string with tag @tag. */
static const char *dynamic_string(const struct elfview *v, int64_t tag, unsigned nth)
{
	const Elf64_Dyn *d = NULL;
	uint64_t n = 0, strtab = 0, strsz = 0;
	const uint8_t *p;
	size_t room;
	bool x, w;

	for (unsigned i = 0; i < v->phn && !d; i++)
		if (v->ph[i].p_type == PT_DYNAMIC && v->ph[i].p_offset % 8 == 0) {
			d = range(v, v->ph[i].p_offset, v->ph[i].p_filesz);
			n = v->ph[i].p_filesz / sizeof(*d);
		}
	if (!d)
		return NULL;
	for (uint64_t i = 0; i < n && d[i].d_tag; i++) {
		if (d[i].d_tag == DT_STRTAB)
			strtab = d[i].d_un.d_ptr;
		if (d[i].d_tag == DT_STRSZ)
			strsz = d[i].d_un.d_val;
	}
	p = elfview_at(v, strtab, &room, &x, &w);
	if (!p)
		return NULL;
	for (uint64_t i = 0; i < n && d[i].d_tag; i++)
		if (d[i].d_tag == tag && nth-- == 0)
			return d[i].d_un.d_val < strsz && d[i].d_un.d_val < room
				       ? string_at(v, (uint64_t)(p - v->bytes) + d[i].d_un.d_val,
						   room - d[i].d_un.d_val)
				       : NULL;
	return NULL;
}

const char *elfview_needed(const struct elfview *v, unsigned i)
{
	return dynamic_string(v, DT_NEEDED, i);
}

const char *elfview_runpath(const struct elfview *v, bool *old)
{
	const char *p = dynamic_string(v, DT_RUNPATH, 0);

	*old = !p;
	return p ? p : dynamic_string(v, DT_RPATH, 0);
}

const char *elfview_soname(const struct elfview *v)
{
	return dynamic_string(v, DT_SONAME, 0);
}
