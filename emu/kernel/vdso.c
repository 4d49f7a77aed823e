/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vDSO of the guest: see vdso.h. */
#include "kernel/vdso.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include "facts/elfview.h"
#include "facts/vdsogen.h"
#include "kernel/kernel.h"

#define FILE_BYTES_MAX (64u << 10)
#define PATCH_MAGIC 0x5a56444f73647672ull
#define HPET_HZ 14318180u
#define ABOVE_STACK_BYTES ((gaddr)1 << 20)

struct vdso_state {
	const struct vdso_gen *gen; /* NULL: layout not known */
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

/* The bytes of --vdso=FILE, owned; NULL: @e. */
static uint8_t *read_file(const char *path, size_t *n, struct err *e)
{
	uint8_t *bytes = xcalloc(1, FILE_BYTES_MAX + 1);
	FILE *f = fopen(path, "re");
	struct elfview v;
	const char *why;

	if (f)
		*n = fread(bytes, 1, FILE_BYTES_MAX + 1, f);
	if (!f || ferror(f)) {
		err_set_status(e, 125, "--vdso: %s: %s", path, strerror(errno));
	} else if (*n > FILE_BYTES_MAX) {
		err_set_status(e, 125, "--vdso: %s: larger than a vDSO (%u bytes)", path, FILE_BYTES_MAX);
	} else if (!elfview_open(&v, bytes, *n, &why)) {
		err_set_status(e, 125, "--vdso: %s: %s", path, why);
	} else {
		if (v.eh->e_type != ET_DYN || !v.phn)
			err_set_status(e, 125, "--vdso: %s: not a shared object", path);
		elfview_close(&v);
	}
	if (f)
		fclose(f);
	if (e->text[0]) {
		free(bytes);
		return NULL;
	}
	return bytes;
}

bool vdso_check(struct kernel *k, struct err *e)
{
	uint8_t *bytes;
	size_t n = 0;

	if (!given_file(k))
		return true;
	bytes = read_file(k->opt->vdso, &n, e);
	free(bytes);
	return bytes;
}

/* ---- the numbers in the pages ---- */

static void source_tsc(const struct clock *c, struct vdso_record *r)
{
	r->mult = c->mult;
	r->shift = c->shift;
	r->last = c->last_tsc;
	r->mask = UINT64_MAX;
	r->mono_ns = (uint64_t)(c->last_sns >> c->shift);
	r->mono_frac = (uint64_t)c->last_sns & ((1ull << c->shift) - 1);
}

/* A counter that is read as nanoseconds of the same scale: pvclock. */
static void source_ns(const struct clock *c, struct vdso_record *r)
{
	r->shift = 8;
	r->mult = 1u << r->shift;
	r->mono_ns = (uint64_t)(c->last_sns >> c->shift);
	r->last = r->mono_ns;
	r->mask = UINT64_MAX;
	r->mono_frac = 0;
}

static void source_hpet(const struct clock *c, struct vdso_record *r)
{
	r->shift = 22;
	r->mult = (uint32_t)((((uint64_t)NS_PER_S << r->shift) + HPET_HZ / 2) / HPET_HZ);
	r->mono_ns = (uint64_t)(c->last_sns >> c->shift);
	r->last = (uint64_t)((unsigned __int128)r->mono_ns * HPET_HZ / NS_PER_S) & UINT32_MAX;
	r->mask = UINT32_MAX;
	r->mono_frac = 0;
}

/* mul and shift of a pvclock record: ns = (ticks << shift) * mul >> 32 (pvclock_scale_delta). */
static void pvclock_scale(uint64_t hz, uint32_t *mul, int8_t *shift)
{
	uint64_t base = hz, scaled = NS_PER_S;
	int s = 0;

	while (base > scaled * 2 || base >> 32) {
		base >>= 1;
		s--;
	}
	while (base <= UINT32_MAX && base <= scaled) {
		if (scaled >> 32 || base & 0x80000000u)
			scaled >>= 1;
		else
			base <<= 1;
		s++;
	}
	*mul = (uint32_t)((scaled << 32) / base);
	*shift = (int8_t)s;
}

static void fill_record(struct kernel *k, struct vdso_record *r)
{
	const struct clock *c = &k->clock;
	int64_t wall = 0, mono = 0;

	memset(r, 0, sizeof(*r));
	r->source = k->model->clocksource;
	if (r->source == CS_KVM_CLOCK)
		source_ns(c, r);
	else if (r->source == CS_HPET)
		source_hpet(c, r);
	else
		source_tsc(c, r);
	r->max_cycles = r->mult ? UINT64_MAX / 2 / r->mult : 0;
	clock_read(c, CLOCK_REALTIME_COARSE, &wall);
	clock_read(c, CLOCK_MONOTONIC_COARSE, &mono);
	mono -= c->mono_offset_ns;
	r->coarse_mono_ns = (uint64_t)mono;
	r->wall_to_mono_ns = mono - wall;
	r->hrtimer_res_ns = 1;
	r->tick_ns = (uint32_t)(NS_PER_S / c->tick_hz);
	r->timens = k->opt->timens;
	r->timens_mono_ns = c->mono_offset_ns;
	r->timens_boot_ns = c->boot_offset_ns;
	pvclock_scale(c->tsc_hz, &r->pv_mul, &r->pv_shift);
	r->pv_tsc = c->last_tsc;
	r->pv_system_ns = (uint64_t)(c->last_sns >> c->shift);
	r->hpet = (uint64_t)((unsigned __int128)c->now_ns * HPET_HZ / NS_PER_S) & UINT32_MAX;
	r->reader = r->source == CS_TSC ? k->vdso->tsc_reader : r->source == CS_HPET ? k->vdso->hpet_reader : 0;
	r->rng_generation = 1;
	r->rng_ready = false; /* random bytes come from --seed, by the system call */
}

static void fill_pages(struct kernel *k)
{
	struct vdso_state *s = k->vdso;
	struct vdso_record r;
	uint8_t page[PAGE_BYTES];

	fill_record(k, &r);
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
	if (k->vdso && k->vdso->gen && k->vdso->base)
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

/* What the real kernel's build knows: version note, and our own words for 2.6's pointers. */
static void patch(struct kernel *k, struct vdso_state *s, uint8_t *image, size_t n)
{
	unsigned major = 0, minor = 0, sub = 0;

	sscanf(k->model->kernel->release, "%u.%u.%u", &major, &minor, &sub);
	for (size_t i = 0; i + 48 <= n; i += 4) {
		uint64_t v;

		memcpy(&v, image + i, 8);
		if (v == PATCH_MAGIC) {
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
		/* namesz 6, descsz 4, type 0, "Linux" */
		if (v == (4ull << 32 | 6) && !memcmp(image + i + 12, "Linux", 6))
			put(image + i + 20, major << 16 | minor << 8 | (sub < 255 ? sub : 255), 4);
	}
}

/* First address of all the pages; 0: nowhere. */
static gaddr place(struct kernel *k, const struct vdso_gen *g, uint64_t bytes)
{
	int64_t r;

	if (g && g->above_stack)
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

static bool map_pages(struct kernel *k, struct vdso_state *s, gaddr image)
{
	const struct vdso_gen *g = s->gen;
	struct vdso_record r;

	fill_record(k, &r);
	for (unsigned i = 0; i < g->pages; i++) {
		gaddr a = image + (gaddr)((int64_t)(g->first_page + (int)i) * (int64_t)PAGE_BYTES);
		const char *name = i < g->hidden_pages ? VDSO_HIDDEN_NAME :
				   i < g->hidden_pages + g->vvar_pages ? "[vvar]" : "[vvar_vclock]";

		if (!map_one(k, a, PAGE_BYTES, vdso_page_used(g, g->page[i], &r) ? PROT_READ : PROT_NONE, name))
			return false;
		s->page[i] = a;
	}
	return true;
}

/* Map @image (its bytes are changed) and the pages of its generation. */
static bool map_image(struct kernel *k, struct vdso_state *s, uint8_t *image, size_t n)
{
	uint64_t text = page_up(n);
	int before = s->gen && s->gen->first_page < 0 ? -s->gen->first_page : 0;
	int after = s->gen && s->gen->first_page > 0 ? (int)s->gen->pages : 0;
	gaddr start = place(k, s->gen, text + (uint64_t)(before + after) * PAGE_BYTES), base;

	if (!start)
		return false;
	base = start + (gaddr)before * PAGE_BYTES;
	s->base = base;
	s->end = base + text;
	if (s->gen && !map_pages(k, s, base))
		return false;
	if (s->gen)
		patch(k, s, image, n);
	if (!map_one(k, base, text, PROT_READ | PROT_EXEC, "[vdso]") || memory_poke(k->mem, base, image, n))
		return false;
	find_entries(s, image, n);
	return true;
}

bool vdso_map(struct kernel *k, struct err *e)
{
	const struct kernel_model *m = k->model->kernel;
	struct vdso_state *s;
	uint8_t *image;
	size_t n = 0;
	bool ok;

	vdso_free(k);
	k->proc.vdso = 0;
	if (k->opt->vdso && !strcmp(k->opt->vdso, "off"))
		return true;
	s = k->vdso = xcalloc(1, sizeof(*s));
	s->gen = vdso_gen_find(m->vdso, m->release);
	if (given_file(k)) {
		image = read_file(k->opt->vdso, &n, e);
		if (!image)
			return false;
	} else {
		const uint8_t *built = s->gen ? vdso_image(s->gen, &n) : NULL;

		if (!built) {
			if (k->warn)
				k->warn(k, "this kernel profile has no vDSO image: the program finds none");
			return true;
		}
		image = xcalloc(1, n);
		memcpy(image, built, n);
	}
	ok = map_image(k, s, image, n);
	free(image);
	if (!ok)
		return err_set_status(e, 126, "no room for the vDSO");
	engine_add_zone(k->engine, s->base, s->end);
	engine_set_cpunode(k->engine, k->proc.current ? k->proc.current->cpu_nr : 0);
	if (s->gen)
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

enum vdso_function vdso_enter(struct kernel *k, gaddr pc)
{
	struct vdso_state *s = k->vdso;

	if (s && s->gen && k->model->clocksource == CS_HPET && vdso_contains(k, pc))
		for (unsigned i = 0; i < s->gen->pages; i++)
			if (s->gen->page[i] == VDSO_PAGE_HPET && s->page[i]) {
				uint64_t now = (uint64_t)((unsigned __int128)k->clock.now_ns * HPET_HZ / NS_PER_S) &
					       UINT32_MAX;

				memory_poke(k->mem, s->page[i] + 0xf0, &now, 8);
			}
	return vdso_function_at(k, pc);
}

bool vdso_contains(const struct kernel *k, gaddr pc)
{
	return k->vdso && pc >= k->vdso->base && pc < k->vdso->end;
}

struct vdso_lines vdso_lines(const struct kernel *k, enum vdso_function f, int64_t clock_id)
{
	(void)k;
	(void)f;
	(void)clock_id;
	return (struct vdso_lines){ 3, 2 };
}

void vdso_free(struct kernel *k)
{
	free(k->vdso);
	k->vdso = NULL;
}
