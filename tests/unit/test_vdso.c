/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vDSO images of every generation are what libcs look for (names, version, both hash tables, notes,
 * section headers, unwind data), their data pages follow the sequence protocol at the offsets of the
 * kernels' structs, and their code, run natively over such pages, computes the time they say.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

#include <cmocka.h>

#include "facts/elfview.h"
#include "facts/vdsogen.h"
#include "kernel/vdso_file.h"

#define SHIFT 24u

struct image {
	const struct vdso_gen *g;
	const uint8_t *b;
	size_t n;
	const Elf64_Ehdr *eh;
	const Elf64_Phdr *ph;
	const Elf64_Sym *sym;
	const char *str;
	const uint16_t *versym;
	const uint32_t *hash, *gnu_hash;
	const Elf64_Verdef *verdef;
	const char *soname;
};

static const void *at(const struct image *i, uint64_t vaddr)
{
	uint64_t off = vaddr - i->g->prelink;

	assert_true(off < i->n);
	return i->b + off;
}

static struct image open_image(const struct vdso_gen *g)
{
	struct image i = { .g = g };
	const Elf64_Dyn *d;
	uint64_t soname = 0;

	i.b = vdso_image(g, &i.n);
	assert_non_null(i.b);
	assert_true(i.n > sizeof(*i.eh));
	i.eh = (const void *)i.b;
	i.ph = (const void *)(i.b + i.eh->e_phoff);
	for (d = (const void *)(i.b + i.ph[1].p_offset); d->d_tag; d++) {
		switch (d->d_tag) {
		case DT_SYMTAB: i.sym = at(&i, d->d_un.d_ptr); break;
		case DT_STRTAB: i.str = at(&i, d->d_un.d_ptr); break;
		case DT_VERSYM: i.versym = at(&i, d->d_un.d_ptr); break;
		case DT_VERDEF: i.verdef = at(&i, d->d_un.d_ptr); break;
		case DT_HASH: i.hash = at(&i, d->d_un.d_ptr); break;
		case DT_GNU_HASH: i.gnu_hash = at(&i, d->d_un.d_ptr); break;
		case DT_SONAME: soname = d->d_un.d_val; break;
		default: break;
		}
	}
	assert_true(i.sym && i.str && i.versym && i.verdef && i.hash && i.gnu_hash);
	i.soname = i.str + soname;
	return i;
}

static uint32_t sysv(const char *s)
{
	uint32_t h = 0;

	for (; *s; s++) {
		h = (h << 4) + (uint8_t)*s;
		h ^= h >> 24 & 0xf0;
		h &= 0xfffffff;
	}
	return h;
}

static uint32_t gnu(const char *s)
{
	uint32_t h = 5381;

	while (*s)
		h = h * 33 + (uint8_t)*s++;
	return h;
}

static uint32_t find_sysv(const struct image *i, const char *name)
{
	uint32_t n = i->hash[0], s = i->hash[2 + sysv(name) % n];

	while (s && strcmp(i->str + i->sym[s].st_name, name) != 0)
		s = i->hash[2 + n + s];
	return s;
}

static uint32_t find_gnu(const struct image *i, const char *name)
{
	const uint32_t *h = i->gnu_hash, *bucket = h + 4 + 2 * h[2], *chain = bucket + h[0];
	uint64_t word;
	uint32_t want = gnu(name), s;

	memcpy(&word, h + 4 + 2 * (want / 64 % h[2]), 8);
	if (!(word >> want % 64 & 1) || !(word >> (want >> h[3]) % 64 & 1))
		return 0;
	s = bucket[want % h[0]];
	for (; s; s++) {
		if ((chain[s - h[1]] | 1) == (want | 1) && !strcmp(i->str + i->sym[s].st_name, name))
			return s;
		if (chain[s - h[1]] & 1)
			return 0;
	}
	return 0;
}

/* The symbol of @name by both tables; 0: neither has it. */
static uint32_t find(const struct image *i, const char *name)
{
	uint32_t s = find_sysv(i, name);

	assert_int_equal(s, find_gnu(i, name));
	return s;
}

static void check_function(const struct image *i, const char *name, bool expected)
{
	char full[64];
	uint32_t s, weak;

	snprintf(full, sizeof(full), "__vdso_%s", name);
	s = find(i, full);
	weak = find(i, name);
	if (!expected) {
		assert_int_equal(s, 0);
		assert_int_equal(weak, 0);
		return;
	}
	assert_int_not_equal(s, 0);
	assert_int_not_equal(weak, 0);
	assert_int_equal(i->sym[s].st_info, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC));
	assert_int_equal(i->sym[weak].st_info, ELF64_ST_INFO(STB_WEAK, STT_FUNC));
	assert_true(i->sym[s].st_value == i->sym[weak].st_value && i->sym[s].st_size == i->sym[weak].st_size);
	assert_int_equal(i->sym[s].st_value & 15, 0);
	assert_int_equal(i->versym[s], 2);
	assert_int_equal(i->versym[weak], 2);
}

static void names(void **state)
{
	(void)state;
	assert_int_equal(sysv("LINUX_2.6"), 0x3ae75f6);
	assert_int_equal(gnu("__vdso_clock_gettime"), 0x6e43a318);
	for (size_t g = 0; g < vdso_gen_count(); g++) {
		struct image i = open_image(vdso_gen_at(g));
		unsigned since = i.g->since;

		check_function(&i, "gettimeofday", true);
		check_function(&i, "clock_gettime", true);
		check_function(&i, "getcpu", true);
		check_function(&i, "time", since >= 0x0300);
		check_function(&i, "clock_getres", since >= 0x0503);
		check_function(&i, "getrandom", since >= 0x060b);
		check_function(&i, "nothing", false);
	}
}

static void versions(void **state)
{
	(void)state;
	for (size_t g = 0; g < vdso_gen_count(); g++) {
		struct image i = open_image(vdso_gen_at(g));
		const Elf64_Verdef *v = i.verdef;
		const Elf64_Verdaux *a = (const void *)((const uint8_t *)v + v->vd_aux);

		assert_string_equal(i.soname, "linux-vdso.so.1");
		assert_int_equal(v->vd_ndx, 1);
		assert_int_equal(v->vd_flags, VER_FLG_BASE);
		assert_string_equal(i.str + a->vda_name, "linux-vdso.so.1");
		v = (const void *)((const uint8_t *)v + v->vd_next);
		a = (const void *)((const uint8_t *)v + v->vd_aux);
		assert_int_equal(v->vd_ndx, 2);
		assert_int_equal(v->vd_hash, 0x3ae75f6);
		assert_string_equal(i.str + a->vda_name, "LINUX_2.6");
		assert_int_equal(v->vd_next, 0);
	}
}

/* One segment, then what dietlibc reads: an allocated string table and the symbols, and for each symbol a
 * section from whose address and offset its value follows. */
static void layout(void **state)
{
	static const uint32_t types[] = { PT_LOAD, PT_DYNAMIC, PT_NOTE, PT_GNU_EH_FRAME };

	(void)state;
	for (size_t g = 0; g < vdso_gen_count(); g++) {
		struct image i = open_image(vdso_gen_at(g));
		const Elf64_Shdr *sh = (const void *)(i.b + i.eh->e_shoff);
		unsigned strings = 0, symbols = 0;

		assert_int_equal(i.eh->e_type, ET_DYN);
		assert_int_equal(i.eh->e_entry, 0);
		assert_int_equal(i.eh->e_phnum, 4);
		for (unsigned p = 0; p < 4; p++)
			assert_int_equal(i.ph[p].p_type, types[p]);
		assert_int_equal(i.ph[0].p_offset, 0);
		assert_int_equal(i.ph[0].p_flags, PF_R | PF_X);
		assert_true(i.ph[0].p_vaddr == i.g->prelink);
		assert_true(i.eh->e_shoff + (uint64_t)i.eh->e_shnum * sizeof(*sh) <= i.n);
		assert_true(page_up(i.n) <= 2 * PAGE_BYTES);
		for (unsigned s = 0; s < i.eh->e_shnum; s++) {
			strings += sh[s].sh_type == SHT_STRTAB && sh[s].sh_flags & SHF_ALLOC;
			symbols += sh[s].sh_type == SHT_DYNSYM;
			if (sh[s].sh_flags & SHF_ALLOC)
				assert_true(sh[s].sh_addr - sh[s].sh_offset == i.g->prelink);
		}
		assert_int_equal(strings, 1);
		assert_int_equal(symbols, 1);
		assert_int_equal(i.sym[find(&i, "getcpu")].st_shndx < i.eh->e_shnum, 1);
	}
}

static void unwinding(void **state)
{
	static const char *const each[] = { "__vdso_gettimeofday", "__vdso_clock_gettime", "__vdso_getcpu" };

	(void)state;
	for (size_t g = 0; g < vdso_gen_count(); g++) {
		struct image i = open_image(vdso_gen_at(g));
		const uint8_t *h = i.b + i.ph[3].p_offset;
		uint32_t count;

		memcpy(&count, h + 8, 4);
		assert_memory_equal(h, "\x01\x1b\x03\x3b", 4);
		for (unsigned e = 0; e < ARRAY_SIZE(each); e++) {
			uint64_t start = i.sym[find(&i, each[e])].st_value;
			bool has = false;

			for (uint32_t k = 0; k < count; k++) {
				int32_t rel;

				memcpy(&rel, h + 12 + 8 * (size_t)k, 4);
				has |= i.ph[3].p_vaddr + (uint64_t)(int64_t)rel == start;
			}
			assert_true(has);
		}
	}
}

/* ---- pages ---- */

static struct vdso_record some_record(void)
{
	return (struct vdso_record){
		.source = CS_TSC, .mult = 7294442, .shift = SHIFT, .last = 0x123456789a, .mask = UINT64_MAX,
		.max_cycles = 0x7777777, .mono_ns = 5000000123, .mono_frac = 77, .coarse_mono_ns = 5000000000,
		.wall_to_mono_ns = -1600000000000000000, .hrtimer_res_ns = 1, .tick_ns = 4000000,
		.pv_tsc = 0x11, .pv_system_ns = 5000000123, .pv_mul = 0x80000000u, .pv_shift = 1,
		.rng_generation = 1,
	};
}

static uint64_t word(const uint8_t *p, unsigned off, unsigned bytes)
{
	uint64_t v = 0;

	memcpy(&v, p + off, bytes);
	return v;
}

/* Offsets in the record, from the structs of the kernels; -1: no such word. */
struct offsets {
	int mode, last, mask, mult, shift, max_cycles, mono_sec, mono_sns, second;
};
static const struct offsets offsets[] = {
	[VDSO_LAYOUT_SEQLOCK] = { -1, 40, 48, 56, 60, -1, -1, -1, -1 },
	[VDSO_LAYOUT_MODE] = { 32, 40, 48, 56, 60, -1, -1, -1, -1 },
	[VDSO_LAYOUT_SHIFTED] = { 8, 16, 24, 32, 36, -1, 64, 56, -1 },
	[VDSO_LAYOUT_FLAT] = { 4, 8, 16, 24, 28, -1, 48, 56, -1 },
	[VDSO_LAYOUT_BASES] = { 4, 8, 16, 24, 28, -1, 48, 56, 240 },
	[VDSO_LAYOUT_CYCLES] = { 4, 8, 24, 32, 36, 16, 56, 64, 248 },
	[VDSO_LAYOUT_STORE] = { 4, 8, 24, 32, 36, 16, 56, 64, 232 },
};

static void check_record(const struct vdso_gen *g, const uint8_t *rec, const struct vdso_record *r)
{
	const struct offsets *o = &offsets[g->layout];

	assert_int_equal(word(rec, 0, 4), 8);
	if (o->mode >= 0)
		assert_int_equal(word(rec, (unsigned)o->mode, 4), 1);
	assert_int_equal(word(rec, (unsigned)o->last, 8), r->last);
	assert_int_equal(word(rec, (unsigned)o->mask, 8), r->mask);
	assert_int_equal(word(rec, (unsigned)o->mult, 4), r->mult);
	assert_int_equal(word(rec, (unsigned)o->shift, 4), r->shift);
	if (o->max_cycles >= 0)
		assert_int_equal(word(rec, (unsigned)o->max_cycles, 8), r->max_cycles);
	if (o->mono_sec >= 0) {
		assert_int_equal(word(rec, (unsigned)o->mono_sec, 8), 5);
		assert_int_equal(word(rec, (unsigned)o->mono_sns, 8), (uint64_t)123 << SHIFT | 77);
	}
	if (o->second >= 0)
		assert_int_equal(word(rec, (unsigned)o->second, 4), 8);
}

static void records(void **state)
{
	(void)state;
	for (size_t n = 0; n < vdso_gen_count(); n++) {
		const struct vdso_gen *g = vdso_gen_at(n);
		struct vdso_record r = some_record();
		uint8_t page[PAGE_BYTES] = { 0 };
		const uint8_t *rec = page + g->record;

		vdso_page_fill(g, VDSO_PAGE_DATA, &r, 8, page);
		check_record(g, rec, &r);
		/* A source that the code cannot read has no mode: the call goes to the kernel. */
		r.source = CS_ACPI_PM;
		vdso_page_fill(g, VDSO_PAGE_DATA, &r, 10, page);
		assert_int_equal(word(rec, 0, 4), 10);
		if (offsets[g->layout].mode >= 0)
			assert_int_equal(word(rec, (unsigned)offsets[g->layout].mode, 4), 0);
		if (!g->timens)
			continue;
		r = some_record();
		r.timens = true;
		r.timens_mono_ns = -1500000000;
		vdso_page_fill(g, VDSO_PAGE_DATA, &r, 8, page);
		assert_int_equal(word(rec, 0, 4), 1);
		assert_int_equal(word(rec, 4, 4), 0x7fffffff);
		assert_int_equal((int64_t)word(rec, (unsigned)offsets[g->layout].mono_sec, 8), -2);
		assert_int_equal(word(rec, (unsigned)offsets[g->layout].mono_sns, 8), 500000000);
		memset(page, 0, sizeof(page));
		vdso_page_fill(g, VDSO_PAGE_TIMENS, &r, 8, page);
		check_record(g, rec, &r);
	}
}

static void pvclock(void **state)
{
	const struct vdso_gen *g = vdso_gen_find("g", "6.1");
	struct vdso_record r = some_record();
	uint8_t page[PAGE_BYTES] = { 0 };

	(void)state;
	assert_false(vdso_page_used(g, VDSO_PAGE_PVCLOCK, &r));
	assert_false(vdso_page_used(g, VDSO_PAGE_HVCLOCK, &r));
	assert_false(vdso_page_used(g, VDSO_PAGE_TIMENS, &r));
	r.source = CS_KVM_CLOCK;
	assert_true(vdso_page_used(g, VDSO_PAGE_PVCLOCK, &r));
	vdso_page_fill(g, VDSO_PAGE_PVCLOCK, &r, 8, page);
	for (unsigned slot = 0; slot < PAGE_BYTES; slot += 64) {
		assert_int_equal(word(page, slot, 4), 8);
		assert_int_equal(word(page, slot + 8, 8), 0x11);
		assert_int_equal(word(page, slot + 16, 8), 5000000123);
		assert_int_equal(word(page, slot + 24, 4), 0x80000000u);
		assert_int_equal(word(page, slot + 28, 1), 1);
		assert_int_equal(word(page, slot + 29, 1) & 1, 1);
	}
}

static void generations(void **state)
{
	static const struct { const char *key, *release, *image; } row[] = {
		{ "a", "2.6.32", "a" }, { "d", "3.7", "d" }, { "d", "3.10.1", "d-3.8" }, { "e", "3.16", "e-3.16" },
		{ "e", "4.4.302", "e-3.16" }, { "e", "4.10", "e-4.7" }, { "e", "5.2", "e-4.12" }, { "g", "6.1.192", "g" },
		{ "h", "6.12", "h" }, { "h", "6.14", "h-6.13" }, { "i", "6.18", "i" },
	};

	(void)state;
	for (unsigned i = 0; i < ARRAY_SIZE(row); i++)
		assert_string_equal(vdso_gen_find(row[i].key, row[i].release)->image, row[i].image);
	assert_null(vdso_gen_find("z", "6.1"));
	assert_int_equal(vdso_release("2.6.32"), 0x0220);
	assert_int_equal(vdso_release("6.1.192"), 0x0601);
}

/* ---- given files ---- */

static void given(void **state)
{
	size_t n;
	const uint8_t *b = vdso_image(vdso_gen_find("i", "6.18"), &n);
	uint8_t *copy = malloc(n), code[9] = { 0xb9, 0x7b, 0, 0, 0, 0xf3, 0x0f, 0xc7, 0xf9 };
	bool doubt;

	(void)state;
	memcpy(copy, b, n);
	/* Ours has no version until it is mapped: the profile's. */
	assert_string_equal(vdso_file_gen(copy, n, "g", "6.1", &doubt)->image, "g");
	assert_true(doubt);
	for (size_t i = 0; i + 24 <= n; i += 4)
		if (!memcmp(copy + i, "\6\0\0\0\4\0\0\0\0\0\0\0Linux", 18))
			memcpy(copy + i + 20, "\xff\x0c\x06", 4);
	assert_int_equal(vdso_file_release(copy, n), 0x060c);
	assert_string_equal(vdso_file_gen(copy, n, "g", "6.1", &doubt)->image, "h");
	assert_false(doubt);
	assert_int_equal(vdso_file_release(copy, 100), 0);
	free(copy);
	/* mov $0x7b,%ecx; rdpid %rcx -> lsl %ecx,%ecx; nop */
	vdso_file_suit(code, sizeof(code));
	assert_memory_equal(code, "\xb9\x7b\0\0\0\x0f\x03\xc9\x90", 9);
}

/* ---- the code, natively ---- */

typedef int gettime(int, struct timespec *);

/* Image and pages in memory of ours; the address of its clock_gettime. */
static gettime *load(const struct image *i, const struct vdso_record *r, uint8_t **from, size_t *bytes)
{
	unsigned before = i->g->first_page < 0 ? (unsigned)-i->g->first_page : 0;
	uint8_t *m, *base;

	*bytes = page_up(i->n) + (before + i->g->pages) * PAGE_BYTES;
	m = mmap(NULL, *bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	assert_true(m != MAP_FAILED);
	base = m + before * PAGE_BYTES;
	memcpy(base, i->b, i->n);
	for (unsigned p = 0; p < i->g->pages; p++)
		vdso_page_fill(i->g, i->g->page[p], r, 8,
			       base + (int64_t)(i->g->first_page + (int)p) * (int64_t)PAGE_BYTES);
	assert_int_equal(mprotect(m, *bytes, PROT_READ | PROT_EXEC), 0);
	*from = m;
	return (gettime *)(uintptr_t)(base + (i->sym[find(i, "__vdso_clock_gettime")].st_value - i->g->prelink));
}

static uint64_t tsc_now(void)
{
	uint32_t low, high;

	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
}

static int64_t ns_at(const struct vdso_record *r, uint64_t tsc)
{
	unsigned __int128 sns = (unsigned __int128)(tsc - r->last) * r->mult + r->mono_frac;

	return (int64_t)r->mono_ns + (int64_t)(sns >> r->shift);
}

static void code_runs(void **state)
{
	(void)state;
	for (size_t n = 0; n < vdso_gen_count(); n++) {
		struct image i = open_image(vdso_gen_at(n));
		struct vdso_record r = some_record();
		struct timespec t;
		size_t bytes;
		uint8_t *m;
		gettime *f;
		int64_t got;
		uint64_t a, b;

		/* Before 3.15 the image holds addresses that only the emulator's mapping fills in. */
		if (i.g->layout < VDSO_LAYOUT_FLAT)
			continue;
		for (unsigned ns = 0; ns < (i.g->timens ? 2u : 1u); ns++) {
			r.timens = ns;
			r.timens_mono_ns = ns ? 7000000000 : 0;
			r.last = tsc_now();
			r.max_cycles = UINT64_MAX / 2 / r.mult;
			f = load(&i, &r, &m, &bytes);
			a = tsc_now();
			assert_int_equal(f(CLOCK_MONOTONIC, &t), 0);
			b = tsc_now();
			got = t.tv_sec * 1000000000 + t.tv_nsec - r.timens_mono_ns;
			assert_in_range(got, ns_at(&r, a), ns_at(&r, b));
			assert_int_equal(f(CLOCK_REALTIME_COARSE, &t), 0);
			assert_int_equal(t.tv_sec * 1000000000 + t.tv_nsec, 1600000005000000000);
			munmap(m, bytes);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names), cmocka_unit_test(versions), cmocka_unit_test(layout),
		cmocka_unit_test(unwinding), cmocka_unit_test(records), cmocka_unit_test(pvclock),
		cmocka_unit_test(generations), cmocka_unit_test(given), cmocka_unit_test(code_runs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
