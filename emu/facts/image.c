/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Object files through libelf and libdw.  Symbols are gathered once, sorted; debug information is
 * opened when the first line is asked for.  Compressed debug sections are libdw's matter.
 */
#include "facts/image.h"

#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "facts/libc.h"

#define FILE_BYTES_MAX (1ll << 30)
#define DEBUG_DIR "/usr/lib/debug"
#define ID_BYTES_MAX 64

struct symbol {
	gaddr start, size;
	const char *name; /* in the ELF string table */
	int rank; /* of several at one address the highest is shown */
};

struct file {
	char *bytes; /* owned; read, not mapped: a file that shrinks meanwhile must not end us */
	size_t n;
	Elf *elf;
};

struct image {
	char *path;
	struct file main, debug; /* debug: a separate file, if there is one */
	Dwarf *dwarf; /* NULL until asked for, or none */
	bool debug_asked, dwarf_asked, has_symtab;
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

	if (!gelf_getehdr(i->main.elf, &eh) || elf_getphdrnum(i->main.elf, &n))
		return;
	for (size_t s = 0; s < n && s < 4096; s++) {
		if (!gelf_getphdr(i->main.elf, (int)s, &ph))
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

static void add_symbols(struct image *i, Elf *elf, Elf_Scn *scn, const GElf_Shdr *sh)
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
		y.name = elf_strptr(elf, sh->sh_link, s.st_name);
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

static void read_symbols(struct image *i, Elf *elf)
{
	Elf_Scn *scn = NULL;
	size_t kept = 0;

	while ((scn = elf_nextscn(elf, scn))) {
		GElf_Shdr sh;

		if (!gelf_getshdr(scn, &sh) || (sh.sh_type != SHT_SYMTAB && sh.sh_type != SHT_DYNSYM))
			continue;
		i->has_symtab |= sh.sh_type == SHT_SYMTAB;
		add_symbols(i, elf, scn, &sh);
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
	const char *raw = elf_rawfile(i->main.elf, &n);

	if (raw)
		libc_identify((const uint8_t *)raw, n, i->libc, sizeof(i->libc));
}

static void file_close(struct file *f)
{
	if (f->elf)
		elf_end(f->elf);
	free(f->bytes);
	*f = (struct file){ .elf = NULL };
}

/* An ELF file for x86-64, or nothing. */
static bool file_open(struct file *f, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	GElf_Ehdr eh;
	struct stat st;
	ssize_t r;

	if (fd < 0)
		return false;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size < FILE_BYTES_MAX) {
		f->bytes = xrealloc(NULL, (size_t)st.st_size);
		while (f->n < (size_t)st.st_size && (r = read(fd, f->bytes + f->n, (size_t)st.st_size - f->n)) > 0)
			f->n += (size_t)r;
	}
	close(fd);
	if (f->n && elf_version(EV_CURRENT) != EV_NONE)
		f->elf = elf_memory(f->bytes, f->n);
	if (f->elf && elf_kind(f->elf) == ELF_K_ELF && gelf_getclass(f->elf) == ELFCLASS64 &&
	    gelf_getehdr(f->elf, &eh) && eh.e_machine == EM_X86_64)
		return true;
	file_close(f);
	return false;
}

struct image *image_open(const char *host_path)
{
	struct image *i = xcalloc(1, sizeof(*i));

	if (!file_open(&i->main, host_path)) {
		image_close(i);
		return NULL;
	}
	i->path = xstrdup(host_path);
	read_libc(i);
	read_segments(i);
	read_symbols(i, i->main.elf);
	return i;
}

void image_close(struct image *i)
{
	if (!i)
		return;
	if (i->dwarf)
		dwarf_end(i->dwarf);
	file_close(&i->debug);
	file_close(&i->main);
	free(i->path);
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

static uint32_t crc32_of(const char *p, size_t n)
{
	uint32_t table[256], c = ~0u;

	for (uint32_t k = 0; k < 256; k++) {
		table[k] = k;
		for (int bit = 0; bit < 8; bit++)
			table[k] = table[k] & 1 ? table[k] >> 1 ^ 0xedb88320u : table[k] >> 1;
	}
	while (n--)
		c = table[(c ^ (unsigned char)*p++) & 0xff] ^ c >> 8;
	return ~c;
}

static void debug_by_id(struct image *i)
{
	char path[2 * ID_BYTES_MAX + 64];
	const void *bytes;
	ssize_t n = dwelf_elf_gnu_build_id(i->main.elf, &bytes);
	const uint8_t *id = bytes;
	int at;

	if (n < 2 || n > ID_BYTES_MAX)
		return;
	at = snprintf(path, sizeof(path), DEBUG_DIR "/.build-id/%02x/", id[0]);
	for (ssize_t k = 1; k < n; k++)
		at += snprintf(path + at, sizeof(path) - (size_t)at, "%02x", id[k]);
	snprintf(path + at, sizeof(path) - (size_t)at, ".debug");
	file_open(&i->debug, path);
}

static void debug_by_link(struct image *i)
{
	static const char *const place[][2] = { { "", "" }, { "", ".debug/" }, { DEBUG_DIR, "" } };
	char real[PATH_MAX], path[2 * PATH_MAX];
	GElf_Word crc;
	const char *link = dwelf_elf_gnu_debuglink(i->main.elf, &crc), *slash;

	if (!link || !*link || strchr(link, '/') || !realpath(i->path, real))
		return;
	slash = strrchr(real, '/');
	for (size_t k = 0; k < ARRAY_SIZE(place) && !i->debug.elf; k++) {
		snprintf(path, sizeof(path), "%s%.*s%s%s", place[k][0], (int)(slash - real + 1), real, place[k][1], link);
		if (file_open(&i->debug, path) && crc32_of(i->debug.bytes, i->debug.n) != crc)
			file_close(&i->debug);
	}
}

/* A stripped file's names and lines may be elsewhere. */
static void find_debug(struct image *i)
{
	if (i->debug_asked)
		return;
	i->debug_asked = true;
	debug_by_id(i);
	if (!i->debug.elf)
		debug_by_link(i);
	if (i->debug.elf && !i->has_symtab)
		read_symbols(i, i->debug.elf);
}

static void find_line(struct image *i, gaddr a, struct image_place *p)
{
	Dwarf_Die die;
	Dwarf_Line *line;
	int nr;

	if (!i->dwarf_asked) {
		i->dwarf_asked = true;
		i->dwarf = dwarf_begin_elf(i->main.elf, DWARF_C_READ, NULL);
		if (!i->dwarf && i->debug.elf)
			i->dwarf = dwarf_begin_elf(i->debug.elf, DWARF_C_READ, NULL);
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
	const struct symbol *s;
	gaddr low = i->loads.n ? i->loads.at[0].p_vaddr : 0;

	memset(p, 0, sizeof(*p));
	find_debug(i);
	s = find_symbol(i, a);
	if (s) {
		p->symbol = s->name;
		p->beyond = s->size && a - s->start >= s->size;
		p->offset = a - s->start;
	} else {
		p->offset = a - low;
	}
	find_line(i, a, p);
}
