/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The generations of the x86-64 vDSO: where data pages lie, how their record is laid out, which
 * clock sources the code reads, and the bytes of a record for given numbers.  Pure: writes into
 * buffers that the caller gives.  Truth: struct vsyscall_gtod_data / vdso_data / vdso_time_data of
 * the named kernels; the images are built from guest/vdso/.
 */
#ifndef VSYSEMU_FACTS_VDSOGEN_H
#define VSYSEMU_FACTS_VDSOGEN_H

#include "base/err.h"
#include "base/types.h"
#include "facts/model.h"

#define VDSO_PAGES_MAX 8

/* How the record is laid out; letters of the profile's key `vdso` in brackets. */
enum vdso_layout {
	VDSO_LAYOUT_SEQLOCK, /* [a,b] 2.6.24-3.0: plain ns, wall_to_monotonic; reader pointer */
	VDSO_LAYOUT_MODE, /* [c] 3.1-3.3: the same record, mode number instead of the pointer */
	VDSO_LAYOUT_SHIFTED, /* [d] 3.4-3.14: shifted ns, monotonic base of its own */
	VDSO_LAYOUT_FLAT, /* [e] 3.15-5.2: flattened, hot words in one line */
	VDSO_LAYOUT_BASES, /* [f,g] 5.3-6.10: generic, array of bases, two records */
	VDSO_LAYOUT_CYCLES, /* [h] 6.11-6.14: max_cycles word */
	VDSO_LAYOUT_STORE, /* [i] 6.15-: generic store, clock sources' records and the rest apart */
	VDSO_LAYOUT_NONE /* not known: code only */
};

/* What a page beside the image is. */
enum vdso_page {
	VDSO_PAGE_UNUSED, /* touching it raises SIGBUS */
	VDSO_PAGE_DATA, /* the record */
	VDSO_PAGE_TIMENS, /* the real record of a task in a time namespace */
	VDSO_PAGE_HPET,
	VDSO_PAGE_PVCLOCK,
	VDSO_PAGE_HVCLOCK,
	VDSO_PAGE_RNG
};

struct vdso_gen {
	const char *key; /* the profile's: "a".."i" */
	const char *image; /* name of the image in guest/vdso/: "a", "e-4.5" */
	unsigned since; /* first release with this image, as vdso_release() has it */
	enum vdso_layout layout;
	int first_page; /* pages[0] lies this many pages from the image's first (negative: before) */
	unsigned pages;
	enum vdso_page page[VDSO_PAGES_MAX];
	unsigned vvar_pages; /* the first so many are [vvar], the rest [vvar_vclock] */
	/* The first so many stand for data that lay at kernel addresses: no line in /proc/self/maps. */
	unsigned hidden_pages;
	unsigned record; /* offset of the record in its page */
	uint64_t prelink; /* p_vaddr of the image's first byte */
	uint32_t sources; /* bit CS_*: which clock sources the code reads itself */
	bool above_stack; /* mapped just above the stack, else as any mmap */
	bool timens;
};

/* The generation of profile key @key ("a".."i") on release @release ("4.4.302"); NULL: no such key. */
const struct vdso_gen *vdso_gen_find(const char *key, const char *release);
/* All rows, by number. */
size_t vdso_gen_count(void);
const struct vdso_gen *vdso_gen_at(size_t i);
/* "6.1.192" -> 0x0601; "2.6.32" -> 0x0220; 0: no number. */
unsigned vdso_release(const char *release);

/* What the pages say. */
struct vdso_record {
	enum clocksource source; /* CS_NONE, or one not in gen->sources: mode word "none" */
	uint32_t mult, shift;
	uint64_t last, mask; /* in cycles of the source */
	uint64_t max_cycles;
	uint64_t mono_ns, mono_frac; /* MONOTONIC at last (time namespace aside): ns, ns << shift below one */
	int64_t wall_to_mono_ns; /* MONOTONIC = REALTIME + this */
	int64_t tai_s; /* TAI - UTC */
	int64_t boot_minus_mono_ns;
	uint64_t coarse_mono_ns; /* MONOTONIC at the last tick */
	uint32_t hrtimer_res_ns; /* clock_getres of the fine clocks */
	uint32_t tick_ns; /* of the coarse ones */
	int32_t tz_minuteswest, tz_dsttime;
	bool timens;
	int64_t timens_mono_ns, timens_boot_ns; /* offsets, added */
	/* pvclock: what page 0 of vCPU 0 says. */
	uint64_t pv_tsc, pv_system_ns;
	uint32_t pv_mul;
	int8_t pv_shift;
	uint64_t hpet; /* main counter */
	uint64_t rng_generation; /* never 0 */
	bool rng_ready; /* false: getrandom always takes the system call */
	gaddr reader; /* SEQLOCK: address of the reading function; 0: none */
};

/* Does page kind @p of @g hold anything for @r?  If not, touching it raises SIGBUS. */
bool vdso_page_used(const struct vdso_gen *g, enum vdso_page p, const struct vdso_record *r);

/* Write the words of @r for page kind @p of @g into @page (4096 bytes).  @seq (even) is what the
 * sequence words become.  Words that the kernel does not touch are left alone. */
void vdso_page_fill(const struct vdso_gen *g, enum vdso_page p, const struct vdso_record *r,
		    uint32_t seq, uint8_t *page);

/* What the record's mode word is for @source, as the code of @g knows it. */
uint32_t vdso_mode_word(const struct vdso_gen *g, enum clocksource source);

/* The embedded image of @g: bytes and length; NULL: not built. */
const uint8_t *vdso_image(const struct vdso_gen *g, size_t *n);

#endif
