/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vDSO of the guest: see vdso.h. */
#include "kernel/vdso.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "facts/elfview.h"
#include "facts/vdsogen.h"
#include "kernel/kernel.h"
#include "kernel/vdso_file.h"
#include "kernel/vdso_record.h"

#define PATCH_MAGIC 0x5a56444f73647672ull
#define ABOVE_STACK_BYTES ((gaddr)1 << 20)

struct vdso_state {
	const struct vdso_gen *gen;
	gaddr base, end; /* of the image's mapping */
	gaddr page[VDSO_PAGES_MAX]; /* guest addresses; 0: not mapped */
	uint32_t seq;
	gaddr tsc_reader, hpet_reader; /* to 3.0: code that the record points at */
	struct { gaddr pc; enum vdso_function f; } entry[16];
	unsigned entries;
};

static const struct { const char *name; enum vdso_function f; } names[] = {
	{ "__vdso_gettimeofday", VDSO_GETTIMEOFDAY }, { "__vdso_time", VDSO_TIME },
	{ "__vdso_getcpu", VDSO_GETCPU }, { "__vdso_clock_gettime", VDSO_CLOCK_GETTIME },
	{ "__vdso_clock_getres", VDSO_CLOCK_GETRES }, { "__vdso_getrandom", VDSO_GETRANDOM },
	{ "gettimeofday", VDSO_GETTIMEOFDAY }, { "time", VDSO_TIME }, { "getcpu", VDSO_GETCPU },
	{ "clock_gettime", VDSO_CLOCK_GETTIME }, { "clock_getres", VDSO_CLOCK_GETRES },
	{ "getrandom", VDSO_GETRANDOM },
};

static bool given_file(const struct kernel *k)
{
	const char *s = k->opt->vdso;

	return s && strcmp(s, "auto") && strcmp(s, "off");
}

bool vdso_check(struct kernel *k, struct err *e)
{
	uint8_t *bytes;
	size_t n = 0;

	if (!given_file(k))
		return true;
	bytes = vdso_file_read(k->opt->vdso, &n, e);
	free(bytes);
	return bytes;
}

/* ---- the data pages ---- */

static void fill_pages(struct kernel *k)
{
	struct vdso_state *s = k->vdso;
	struct vdso_record r;
	uint8_t page[PAGE_BYTES];

	vdso_record_now(k, s->tsc_reader, s->hpet_reader, &r);
	s->seq += 2;
	for (unsigned i = 0; i < s->gen->pages; i++) {
		if (!s->page[i] || !vdso_page_used(s->gen, s->gen->page[i], &r))
			continue;
		if (memory_peek(k->mem, page, s->page[i], PAGE_BYTES))
			continue;
		vdso_page_fill(s->gen, s->gen->page[i], &r, s->seq, page);
		memory_poke(k->mem, s->page[i], page, PAGE_BYTES);
	}
}

void vdso_tick(struct kernel *k)
{
	if (k->vdso && k->vdso->base)
		fill_pages(k);
}

/* ---- mapping ---- */

static void find_entries(struct vdso_state *s, const uint8_t *bytes, size_t n)
{
	struct elfview v;
	const char *why;
	gaddr link = 0;

	if (!elfview_open(&v, bytes, n, &why))
		return;
	for (unsigned i = 0; i < v.phn; i++)
		if (v.ph[i].p_type == PT_LOAD) {
			link = v.ph[i].p_vaddr - v.ph[i].p_offset;
			break;
		}
	elfview_function(&v, 0); /* they are collected on demand */
	for (size_t i = 0; i < v.functions.n; i++)
		for (size_t j = 0; j < ARRAY_SIZE(names) && s->entries < ARRAY_SIZE(s->entry); j++) {
			const struct elf_function *f = &v.functions.at[i];

			if (!f->name || strcmp(f->name, names[j].name))
				continue;
			s->entry[s->entries].pc = s->base + (f->start - link);
			s->entry[s->entries++].f = names[j].f;
			break;
		}
	elfview_close(&v);
}

static void put(uint8_t *p, uint64_t v, size_t n)
{
	memcpy(p, &v, n);
}

static void tell(struct kernel *k, const char *text)
{
	if (k->warn)
		k->warn(k, text);
}

/* The version note of an image of our own: one image serves several releases. */
static void patch_version(const char *release, uint8_t *image, size_t n)
{
	unsigned major = 0, minor = 0, sub = 0;

	sscanf(release, "%u.%u.%u", &major, &minor, &sub);
	for (size_t i = 0; i + 24 <= n; i += 4) {
		uint64_t v;

		memcpy(&v, image + i, 8);
		/* namesz 6, descsz 4, type 0, "Linux" */
		if (v == (4ull << 32 | 6) && !memcmp(image + i + 8, "\0\0\0\0Linux", 10))
			put(image + i + 20, major << 16 | minor << 8 | (sub < 255 ? sub : 255), 4);
	}
}

/* What the real kernel writes into its image or its build knows: guest/vdso/vdso.h, struct patch. */
static void patch(struct kernel *k, struct vdso_state *s, uint8_t *image, size_t n)
{
	for (size_t i = 0; i + 48 <= n; i += 4) {
		uint64_t v;

		memcpy(&v, image + i, 8);
		if (v != PATCH_MAGIC)
			continue;
		for (unsigned j = 0; j < s->gen->pages; j++) {
			if (s->gen->page[j] == VDSO_PAGE_DATA)
				put(image + i + 8, s->page[j] + s->gen->record, 8);
			if (s->gen->page[j] == VDSO_PAGE_HPET)
				put(image + i + 16, s->page[j], 8);
		}
		memcpy(&v, image + i + 24, 8);
		s->tsc_reader = s->base + i + 24 + v;
		memcpy(&v, image + i + 32, 8);
		s->hpet_reader = s->base + i + 32 + v;
		put(image + i + 40, NS_PER_S / k->clock.tick_hz, 4);
	}
}

/* First address of all the pages; 0: nowhere. */
static gaddr place(struct kernel *k, const struct vdso_gen *g, uint64_t bytes)
{
	int64_t r;

	if (g->above_stack)
		return k->proc.stack_top + ABOVE_STACK_BYTES;
	r = memory_mmap(k->mem, 0, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return r < 0 ? 0 : (gaddr)r;
}

static bool map_one(struct kernel *k, gaddr a, uint64_t bytes, int prot, const char *name)
{
	if (memory_mmap(k->mem, a, bytes, prot, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != (int64_t)a)
		return false;
	memory_set_name(k->mem, a, name);
	return true;
}

/*
 * Pages [@from, @to) of the data under one name.  Touching a page that nobody uses must raise SIGBUS,
 * which a mapping behind a file's end does; those in use get memory over it.
 */
static bool map_pages(struct kernel *k, struct vdso_state *s, unsigned from, unsigned to, const char *name)
{
	const struct vdso_gen *g = s->gen;
	struct vdso_record r;
	int64_t mapped;
	int fd;

	if (from == to)
		return true;
	for (unsigned i = from; i < to; i++)
		s->page[i] = s->base + (gaddr)((int64_t)(g->first_page + (int)i) * (int64_t)PAGE_BYTES);
	fd = memfd_create("vvar", MFD_CLOEXEC);
	if (fd < 0)
		return false;
	mapped = memory_mmap(k->mem, s->page[from], (to - from) * PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_FIXED, fd, 0);
	close(fd);
	if (mapped < 0)
		return false;
	memory_set_name(k->mem, s->page[from], name);
	vdso_record_now(k, s->tsc_reader, s->hpet_reader, &r);
	for (unsigned i = from; i < to; i++)
		if (vdso_page_used(g, g->page[i], &r) &&
		    mmap(memory_host(s->page[i]), PAGE_BYTES, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1,
			 0) == MAP_FAILED)
			return false;
	return true;
}

static bool map_data(struct kernel *k, struct vdso_state *s)
{
	const struct vdso_gen *g = s->gen;
	unsigned hidden = g->hidden_pages, vvar = hidden + g->vvar_pages;

	/* 3.15 has its pages behind the text, under the same name. */
	return map_pages(k, s, 0, hidden, VDSO_HIDDEN_NAME) && map_pages(k, s, hidden, vvar, "[vvar]") &&
	       map_pages(k, s, vvar, g->pages, g->first_page < 0 ? "[vvar_vclock]" : "[vdso]");
}

/* Map @image (its bytes are changed) and the pages of its generation. */
static bool map_image(struct kernel *k, struct vdso_state *s, uint8_t *image, size_t n)
{
	uint64_t text = page_up(n);
	int before = s->gen->first_page < 0 ? -s->gen->first_page : 0;
	int after = s->gen->first_page > 0 ? (int)s->gen->pages : 0;
	gaddr start = place(k, s->gen, text + (uint64_t)(before + after) * PAGE_BYTES), base;

	if (!start)
		return false;
	base = start + (gaddr)before * PAGE_BYTES;
	s->base = base;
	s->end = base + text;
	if (!map_data(k, s))
		return false;
	patch(k, s, image, n);
	if (!map_one(k, base, text, PROT_READ | PROT_EXEC, "[vdso]") || memory_poke(k->mem, base, image, n))
		return false;
	find_entries(s, image, n);
	return true;
}

/* The bytes to map and their generation, owned; NULL: none (@e has no text) or an error. */
static uint8_t *choose(struct kernel *k, const struct vdso_gen **gen, size_t *n, struct err *e)
{
	const struct kernel_model *m = k->model->kernel;
	const uint8_t *built = NULL;
	uint8_t *image;
	bool doubt;

	if (given_file(k)) {
		image = vdso_file_read(k->opt->vdso, n, e);
		if (!image)
			return NULL;
		*gen = vdso_file_gen(image, *n, m->vdso, m->release, &doubt);
		vdso_file_suit(image, *n);
		if (!*gen || doubt)
			tell(k, *gen ? "the file of --vdso names no kernel: its data is laid out as the profile's" :
				       "the file of --vdso is of a kernel that kept its data outside user space: not used");
		if (*gen)
			return image;
		free(image);
		return NULL;
	}
	*gen = vdso_gen_find(m->vdso, m->release);
	if (*gen)
		built = vdso_image(*gen, n);
	if (!built) {
		tell(k, "this kernel profile has no vDSO image: the program finds none");
		return NULL;
	}
	image = xcalloc(1, *n);
	memcpy(image, built, *n);
	patch_version(m->release, image, *n);
	return image;
}

bool vdso_map(struct kernel *k, struct err *e)
{
	struct vdso_state *s;
	uint8_t *image;
	size_t n = 0;
	bool ok;

	vdso_free(k);
	k->proc.vdso = 0;
	if (k->opt->vdso && !strcmp(k->opt->vdso, "off"))
		return true;
	s = k->vdso = xcalloc(1, sizeof(*s));
	image = choose(k, &s->gen, &n, e);
	if (!image) {
		vdso_free(k);
		return !e->text[0];
	}
	ok = map_image(k, s, image, n);
	free(image);
	if (!ok)
		return err_set_status(e, 126, "no room for the vDSO");
	engine_add_zone(k->engine, s->base, s->end);
	engine_set_cpunode(k->engine, k->proc.current ? k->proc.current->cpu_nr : 0);
	fill_pages(k);
	k->proc.vdso = s->base;
	return true;
}

/* ---- running ---- */

enum vdso_function vdso_function_at(const struct kernel *k, gaddr pc)
{
	const struct vdso_state *s = k->vdso;

	for (unsigned i = 0; s && i < s->entries; i++)
		if (s->entry[i].pc == pc)
			return s->entry[i].f;
	return VDSO_NO_FUNCTION;
}

void vdso_enter(struct kernel *k)
{
	struct vdso_state *s = k->vdso;
	uint64_t now;

	if (!s || k->model->clocksource != CS_HPET)
		return;
	now = vdso_record_hpet(&k->clock);
	for (unsigned i = 0; i < s->gen->pages; i++)
		if (s->gen->page[i] == VDSO_PAGE_HPET && s->page[i])
			memory_poke(k->mem, s->page[i] + 0xf0, &now, 8);
}

bool vdso_contains(const struct kernel *k, gaddr pc)
{
	return k->vdso && pc >= k->vdso->base && pc < k->vdso->end;
}

void vdso_free(struct kernel *k)
{
	free(k->vdso);
	k->vdso = NULL;
}
