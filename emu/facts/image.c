/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Object files through libelf and libdw.  Symbols are gathered once, sorted; debug information is
 * opened when the first line is asked for.  Compressed debug sections are libdw's matter.
 */
#include "facts/image.h"

#include <elfutils/libdw.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "facts/libc.h"

struct symbol {
	gaddr start, size;
	const char *name; /* in the ELF string table */
	int rank; /* of several at one address the highest is shown */
};

struct image {
	int fd;
	Elf *elf;
	Dwarf *dwarf; /* NULL until asked for, or none */
	bool dwarf_asked;
	enum image_kind kind;
	VEC(struct symbol) symbols; /* sorted by start, one an address */
	VEC(GElf_Phdr) loads;
	char libc[32];
};

const char *image_kind_name(enum image_kind k)
{
	switch (k) {
	case IMAGE_STATIC_PIE:
		return "static-pie";
	case IMAGE_DYNAMIC:
		return "dynamic";
	default:
		return "static";
	}
}

static void read_segments(struct image *i)
{
	size_t n = 0;
	GElf_Ehdr eh;
	GElf_Phdr ph;
	bool interp = false;

	if (!gelf_getehdr(i->elf, &eh) || elf_getphdrnum(i->elf, &n))
		return;
	for (size_t s = 0; s < n && s < 4096; s++) {
		if (!gelf_getphdr(i->elf, (int)s, &ph))
			continue;
		if (ph.p_type == PT_LOAD)
			VEC_PUSH(&i->loads, ph);
		interp |= ph.p_type == PT_INTERP;
	}
	if (interp)
		i->kind = IMAGE_DYNAMIC;
	else
		i->kind = eh.e_type == ET_DYN ? IMAGE_STATIC_PIE : IMAGE_STATIC;
}

/* Functions before objects and untyped labels, global before weak before local names. */
static int symbol_rank(const GElf_Sym *s)
{
	int type = GELF_ST_TYPE(s->st_info), bind = GELF_ST_BIND(s->st_info);

	return (type == STT_FUNC || type == STT_GNU_IFUNC ? 8 : 0) + (s->st_size ? 4 : 0) +
	       (bind == STB_GLOBAL ? 2 : bind == STB_WEAK ? 1 : 0);
}

static void add_symbols(struct image *i, Elf_Scn *scn, const GElf_Shdr *sh)
{
	Elf_Data *data = elf_getdata(scn, NULL);
	size_t n = data ? data->d_size / sizeof(Elf64_Sym) : 0;

	for (size_t k = 1; k < n && k <= INT32_MAX; k++) {
		GElf_Sym s;
		struct symbol y;
		int type;

		if (!gelf_getsym(data, (int)k, &s) || s.st_shndx == SHN_UNDEF)
			continue;
		type = GELF_ST_TYPE(s.st_info);
		if (type != STT_FUNC && type != STT_NOTYPE && type != STT_GNU_IFUNC)
			continue;
		y.name = elf_strptr(i->elf, sh->sh_link, s.st_name);
		if (!y.name || !*y.name || s.st_shndx == SHN_ABS)
			continue;
		y.start = s.st_value;
		y.size = s.st_size;
		y.rank = symbol_rank(&s);
		VEC_PUSH(&i->symbols, y);
	}
}

static int by_start(const void *a, const void *b)
{
	const struct symbol *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->rank != y->rank)
		return y->rank - x->rank;
	return strcmp(x->name, y->name);
}

static void read_symbols(struct image *i)
{
	Elf_Scn *scn = NULL;
	size_t kept = 0;

	while ((scn = elf_nextscn(i->elf, scn))) {
		GElf_Shdr sh;

		if (gelf_getshdr(scn, &sh) &&
		    (sh.sh_type == SHT_SYMTAB || sh.sh_type == SHT_DYNSYM))
			add_symbols(i, scn, &sh);
	}
	if (!i->symbols.n)
		return;
	qsort(i->symbols.at, i->symbols.n, sizeof(*i->symbols.at), by_start);
	for (size_t k = 0; k < i->symbols.n; k++)
		if (!kept || i->symbols.at[kept - 1].start != i->symbols.at[k].start)
			i->symbols.at[kept++] = i->symbols.at[k];
	i->symbols.n = kept;
}

static void read_libc(struct image *i)
{
	size_t n;
	const char *raw = elf_rawfile(i->elf, &n);

	if (raw)
		libc_identify((const uint8_t *)raw, n, i->libc, sizeof(i->libc));
}

struct image *image_open(const char *host_path)
{
	struct image *i = xcalloc(1, sizeof(*i));
	GElf_Ehdr eh;
	struct stat st;

	i->fd = open(host_path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (i->fd < 0 || fstat(i->fd, &st) || !S_ISREG(st.st_mode) ||
	    elf_version(EV_CURRENT) == EV_NONE) {
		image_close(i);
		return NULL;
	}
	/* Reading, not mapping: a file that shrinks meanwhile must not end us. */
	i->elf = elf_begin(i->fd, ELF_C_READ, NULL);
	if (!i->elf || elf_kind(i->elf) != ELF_K_ELF || gelf_getclass(i->elf) != ELFCLASS64 ||
	    !gelf_getehdr(i->elf, &eh) || eh.e_machine != EM_X86_64) {
		image_close(i);
		return NULL;
	}
	read_libc(i); /* first: it reads the whole file, and libelf loses what it read before */
	read_segments(i);
	read_symbols(i);
	return i;
}

void image_close(struct image *i)
{
	if (!i)
		return;
	if (i->dwarf)
		dwarf_end(i->dwarf);
	if (i->elf)
		elf_end(i->elf);
	if (i->fd >= 0)
		close(i->fd);
	VEC_FREE(&i->symbols);
	VEC_FREE(&i->loads);
	free(i);
}

enum image_kind image_kind(const struct image *i)
{
	return i->kind;
}

const char *image_libc(const struct image *i)
{
	return i->libc[0] ? i->libc : NULL;
}

bool image_address(const struct image *i, uint64_t offset, gaddr *a)
{
	for (size_t n = 0; n < i->loads.n; n++) {
		const GElf_Phdr *p = &i->loads.at[n];
		/* A mapping starts at the page in which the segment starts. */
		uint64_t skew = p->p_offset & (PAGE_BYTES - 1);

		if (offset >= p->p_offset - skew && offset - (p->p_offset - skew) < p->p_filesz + skew) {
			*a = p->p_vaddr + offset - p->p_offset;
			return true;
		}
	}
	return false;
}

static const struct symbol *find_symbol(const struct image *i, gaddr a)
{
	size_t lo = 0, hi = i->symbols.n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (i->symbols.at[mid].start <= a)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo ? &i->symbols.at[lo - 1] : NULL;
}

static void find_line(struct image *i, gaddr a, struct image_place *p)
{
	Dwarf_Die die;
	Dwarf_Line *line;
	int nr;

	if (!i->dwarf_asked) {
		i->dwarf_asked = true;
		i->dwarf = dwarf_begin_elf(i->elf, DWARF_C_READ, NULL);
	}
	if (!i->dwarf || !dwarf_addrdie(i->dwarf, a, &die))
		return;
	line = dwarf_getsrc_die(&die, a);
	if (!line || dwarf_lineno(line, &nr) || nr <= 0)
		return;
	p->file = dwarf_linesrc(line, NULL, NULL);
	p->line = p->file ? nr : 0;
}

void image_find(struct image *i, gaddr a, struct image_place *p)
{
	const struct symbol *s = find_symbol(i, a);
	gaddr low = i->loads.n ? i->loads.at[0].p_vaddr : 0;

	memset(p, 0, sizeof(*p));
	if (s) {
		p->symbol = s->name;
		p->offset = a - s->start;
	} else {
		p->offset = a - low;
	}
	find_line(i, a, p);
}
