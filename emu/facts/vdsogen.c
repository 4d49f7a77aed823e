/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table of vDSO generations: which image, where its data pages are, when it came.  Must agree with
 * guest/vdso/vdso.mk (VDSO_IMAGES), which tests/unit/test_vdso.c checks.
 * Truth: arch/x86/vdso/vdso.lds.S, vdso-layout.lds.S, arch/x86/entry/vdso/vma.c of the kernels named.
 */
#include "facts/vdsogen.h"

#include <stdlib.h>
#include <string.h>

#define PRELINK 0xffffffffff700000ull
#define BIT(cs) (1u << (cs))
#define TSC_HPET (BIT(CS_TSC) | BIT(CS_HPET))
#define TSC_KVM (BIT(CS_TSC) | BIT(CS_KVM_CLOCK))

#define DATA VDSO_PAGE_DATA
#define HPET VDSO_PAGE_HPET
#define PV VDSO_PAGE_PVCLOCK
#define HV VDSO_PAGE_HVCLOCK
#define NS VDSO_PAGE_TIMENS
#define RNG VDSO_PAGE_RNG
#define NIL VDSO_PAGE_UNUSED

/* In each key's rows: oldest first.  A page that the code reached at a kernel address lies here
 * before the image all the same and is hidden (docs/differences.md). */
static const struct vdso_gen gens[] = {
	{ .key = "a", .image = "a", .since = 0x0218, .layout = VDSO_LAYOUT_SEQLOCK, .first_page = -2,
	  .pages = 2, .page = { DATA, HPET }, .hidden_pages = 2, .record = 0x800, .prelink = PRELINK,
	  .sources = TSC_HPET, .above_stack = true },
	{ .key = "b", .image = "b", .since = 0x0300, .layout = VDSO_LAYOUT_SEQLOCK, .first_page = -2,
	  .pages = 2, .page = { DATA, HPET }, .hidden_pages = 2, .record = 128, .prelink = PRELINK,
	  .sources = TSC_HPET, .above_stack = true },
	{ .key = "c", .image = "c", .since = 0x0301, .layout = VDSO_LAYOUT_MODE, .first_page = -2,
	  .pages = 2, .page = { DATA, HPET }, .hidden_pages = 2, .record = 128, .prelink = PRELINK,
	  .sources = TSC_HPET, .above_stack = true },
	{ .key = "d", .image = "d", .since = 0x0304, .layout = VDSO_LAYOUT_SHIFTED, .first_page = -2,
	  .pages = 2, .page = { DATA, HPET }, .hidden_pages = 2, .record = 128, .prelink = PRELINK,
	  .sources = TSC_HPET, .above_stack = true },
	{ .key = "d", .image = "d-3.8", .since = 0x0308, .layout = VDSO_LAYOUT_SHIFTED,
	  .first_page = -3, .pages = 3, .page = { DATA, HPET, PV }, .hidden_pages = 3, .record = 128,
	  .prelink = PRELINK, .sources = TSC_HPET | TSC_KVM, .above_stack = true },
	{ .key = "e", .image = "e-3.15", .since = 0x030f, .layout = VDSO_LAYOUT_FLAT, .first_page = 1,
	  .pages = 2, .page = { DATA, HPET }, .record = 128, .prelink = PRELINK, .sources = TSC_HPET,
	  .above_stack = true },
	{ .key = "e", .image = "e-3.16", .since = 0x0310, .layout = VDSO_LAYOUT_FLAT, .first_page = -3,
	  .pages = 3, .page = { PV, DATA, HPET }, .hidden_pages = 1, .vvar_pages = 2, .record = 128,
	  .sources = TSC_HPET | TSC_KVM, .above_stack = true },
	{ .key = "e", .image = "e-4.5", .since = 0x0405, .layout = VDSO_LAYOUT_FLAT, .first_page = -3,
	  .pages = 3, .page = { DATA, HPET, PV }, .vvar_pages = 3, .record = 128,
	  .sources = TSC_HPET | TSC_KVM, .above_stack = true },
	{ .key = "e", .image = "e-4.7", .since = 0x0407, .layout = VDSO_LAYOUT_FLAT, .first_page = -2,
	  .pages = 2, .page = { DATA, PV }, .vvar_pages = 2, .record = 128, .sources = TSC_KVM,
	  .above_stack = true },
	{ .key = "e", .image = "e-4.12", .since = 0x040c, .layout = VDSO_LAYOUT_FLAT, .first_page = -3,
	  .pages = 3, .page = { DATA, PV, HV }, .vvar_pages = 3, .record = 128, .sources = TSC_KVM,
	  .above_stack = true },
	{ .key = "f", .image = "f", .since = 0x0503, .layout = VDSO_LAYOUT_BASES, .first_page = -3,
	  .pages = 3, .page = { DATA, PV, HV }, .vvar_pages = 3, .record = 128, .sources = TSC_KVM,
	  .above_stack = true },
	{ .key = "g", .image = "g", .since = 0x0506, .layout = VDSO_LAYOUT_BASES, .first_page = -4,
	  .pages = 4, .page = { DATA, PV, HV, NS }, .vvar_pages = 4, .record = 128, .sources = TSC_KVM,
	  .above_stack = true, .timens = true },
	{ .key = "h", .image = "h", .since = 0x060b, .layout = VDSO_LAYOUT_CYCLES, .first_page = -4,
	  .pages = 4, .page = { DATA, PV, HV, NS }, .vvar_pages = 4, .record = 128, .sources = TSC_KVM,
	  .above_stack = true, .timens = true },
	{ .key = "h", .image = "h-6.13", .since = 0x060d, .layout = VDSO_LAYOUT_CYCLES,
	  .first_page = -4, .pages = 4, .page = { DATA, NS, PV, HV }, .vvar_pages = 2, .record = 128,
	  .sources = TSC_KVM, .above_stack = true, .timens = true },
	{ .key = "i", .image = "i", .since = 0x060f, .layout = VDSO_LAYOUT_STORE, .first_page = -6,
	  .pages = 6, .page = { DATA, NS, RNG, NIL, PV, HV }, .vvar_pages = 4, .record = 0,
	  .sources = TSC_KVM, .timens = true },
};

unsigned vdso_release(const char *release)
{
	char *end;
	unsigned long major = strtoul(release, &end, 10), minor = 0;

	if (end == release)
		return 0;
	if (*end == '.')
		minor = strtoul(end + 1, &end, 10);
	/* The 2.6 series counts in its third number. */
	if (major == 2 && *end == '.')
		minor = strtoul(end + 1, &end, 10);
	if (major > 255)
		major = 255;
	if (minor > 255)
		minor = 255;
	return (unsigned)(major << 8 | minor);
}

const struct vdso_gen *vdso_gen_find(const char *key, const char *release)
{
	const struct vdso_gen *best = NULL;
	unsigned version = vdso_release(release);

	for (size_t i = 0; i < ARRAY_SIZE(gens); i++) {
		if (strcmp(gens[i].key, key) != 0)
			continue;
		/* A profile may give a release a vDSO older than its own: then the first row. */
		if (!best || gens[i].since <= version)
			best = &gens[i];
	}
	return best;
}

size_t vdso_gen_count(void)
{
	return ARRAY_SIZE(gens);
}

const struct vdso_gen *vdso_gen_at(size_t i)
{
	return &gens[i];
}

uint32_t vdso_mode_word(const struct vdso_gen *g, enum clocksource source)
{
	bool has_hpet = g->sources & BIT(CS_HPET);

	if (!(g->sources & BIT(source)))
		return 0;
	switch (source) {
	case CS_TSC:
		return 1;
	case CS_HPET:
		return 2;
	case CS_KVM_CLOCK:
		/* The HPET's number was given to pvclock when it went. */
		return has_hpet ? 3 : 2;
	default:
		return 0;
	}
}
