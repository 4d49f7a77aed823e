/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The bytes of the vDSO's data pages.  Each layout is a struct of the kernel written down as offsets,
 * so that the words can be put anywhere without casting.
 * Truth: arch/x86/include/asm/vgtod.h, include/vdso/datapage.h of the kernels that vdsogen.h names.
 */
#include <string.h>

#include "facts/clock.h"
#include "facts/vdsogen.h"

#define MODE_TIMENS 0x7fffffffu
#define BASES 12
#define STORE_RECORD_BYTES 232 /* VDSO_LAYOUT_STORE: without time zone and resolution */
#define STORE_AUX 464 /* its eight records of auxiliary clocks */
#define STORE_TZ 0x910
#define RNG_IN_DATA_PAGE 640
#define PVCLOCK_SLOT 64

enum { REALTIME = 0, MONOTONIC = 1, RAW = 4, REALTIME_COARSE = 5, MONOTONIC_COARSE = 6, BOOTTIME = 7, TAI = 11 };

static void put32(uint8_t *p, uint32_t v)
{
	memcpy(p, &v, sizeof(v));
}

static void put64(uint8_t *p, uint64_t v)
{
	memcpy(p, &v, sizeof(v));
}

static void put_tz(uint8_t *p, const struct vdso_record *r)
{
	put32(p, (uint32_t)r->tz_minuteswest);
	put32(p + 4, (uint32_t)r->tz_dsttime);
}

struct split {
	int64_t sec;
	uint64_t ns;
};

/* Whole seconds rounded down, as the kernel keeps them. */
static struct split split_ns(int64_t ns)
{
	struct split s = { ns / (int64_t)NS_PER_S, 0 };

	if (ns % (int64_t)NS_PER_S < 0)
		s.sec--;
	s.ns = (uint64_t)(ns - s.sec * (int64_t)NS_PER_S);
	return s;
}

static struct split split_clock(const struct vdso_record *r, int64_t add)
{
	return split_ns((int64_t)r->mono_ns + add);
}

static uint64_t shifted(const struct vdso_record *r, uint64_t ns)
{
	return ns << r->shift | r->mono_frac;
}

/* 2.6.24-3.3: nanoseconds without fraction, MONOTONIC by a sum. */
static void fill_plain(const struct vdso_gen *g, const struct vdso_record *r, uint32_t seq, uint8_t *p)
{
	struct split wall = split_clock(r, -r->wall_to_mono_ns);
	struct split to_mono = split_ns(r->wall_to_mono_ns);
	struct split coarse = split_ns((int64_t)r->coarse_mono_ns - r->wall_to_mono_ns);

	put32(p, seq);
	put64(p + 8, (uint64_t)wall.sec);
	put32(p + 16, (uint32_t)wall.ns);
	if (g->layout == VDSO_LAYOUT_SEQLOCK) {
		put32(p + 20, 1); /* kernel.vsyscall64 */
		put_tz(p + 24, r);
		put64(p + 32, r->reader);
	} else {
		put_tz(p + 20, r);
		put32(p + 32, vdso_mode_word(g, r->source));
	}
	put64(p + 40, r->last);
	put64(p + 48, r->mask);
	put32(p + 56, r->mult);
	put32(p + 60, r->shift);
	put64(p + 64, (uint64_t)to_mono.sec);
	put64(p + 72, to_mono.ns);
	put64(p + 80, (uint64_t)coarse.sec);
	put64(p + 88, coarse.ns);
}

static void fill_shifted(const struct vdso_gen *g, const struct vdso_record *r, uint32_t seq, uint8_t *p)
{
	struct split wall = split_clock(r, -r->wall_to_mono_ns), mono = split_clock(r, 0);
	struct split wall_coarse = split_ns((int64_t)r->coarse_mono_ns - r->wall_to_mono_ns);
	struct split mono_coarse = split_ns((int64_t)r->coarse_mono_ns);

	put32(p, seq);
	put32(p + 8, vdso_mode_word(g, r->source));
	put64(p + 16, r->last);
	put64(p + 24, r->mask);
	put32(p + 32, r->mult);
	put32(p + 36, r->shift);
	put64(p + 40, (uint64_t)wall.sec);
	put64(p + 48, shifted(r, wall.ns));
	put64(p + 56, shifted(r, mono.ns));
	put64(p + 64, (uint64_t)mono.sec);
	put_tz(p + 72, r);
	put64(p + 80, (uint64_t)wall_coarse.sec);
	put64(p + 88, wall_coarse.ns);
	put64(p + 96, (uint64_t)mono_coarse.sec);
	put64(p + 104, mono_coarse.ns);
}

static void fill_flat(const struct vdso_gen *g, const struct vdso_record *r, uint32_t seq, uint8_t *p)
{
	struct split wall = split_clock(r, -r->wall_to_mono_ns), mono = split_clock(r, 0);
	struct split wall_coarse = split_ns((int64_t)r->coarse_mono_ns - r->wall_to_mono_ns);
	struct split mono_coarse = split_ns((int64_t)r->coarse_mono_ns);

	put32(p, seq);
	put32(p + 4, vdso_mode_word(g, r->source));
	put64(p + 8, r->last);
	put64(p + 16, r->mask);
	put32(p + 24, r->mult);
	put32(p + 28, r->shift);
	put64(p + 32, shifted(r, wall.ns));
	put64(p + 40, (uint64_t)wall.sec);
	put64(p + 48, (uint64_t)mono.sec);
	put64(p + 56, shifted(r, mono.ns));
	put64(p + 64, (uint64_t)wall_coarse.sec);
	put64(p + 72, wall_coarse.ns);
	put64(p + 80, (uint64_t)mono_coarse.sec);
	put64(p + 88, mono_coarse.ns);
	put_tz(p + 96, r);
}

/* Offset of base[0] in a record with bases. */
static unsigned bases_at(const struct vdso_gen *g)
{
	return g->layout == VDSO_LAYOUT_BASES ? 32 : 40;
}

static unsigned record_bytes(const struct vdso_gen *g)
{
	if (g->layout == VDSO_LAYOUT_STORE)
		return STORE_RECORD_BYTES;
	return bases_at(g) + 16 * BASES + 16;
}

static void put_base(uint8_t *base, int clock, int64_t sec, uint64_t ns)
{
	put64(base + 16 * clock, (uint64_t)sec);
	put64(base + 16 * clock + 8, ns);
}

static void fill_fine(const struct vdso_record *r, uint8_t *base, int clock, int64_t add)
{
	struct split s = split_clock(r, add);

	put_base(base, clock, s.sec, shifted(r, s.ns));
}

static void fill_head(const struct vdso_gen *g, const struct vdso_record *r, uint32_t seq, uint32_t mode,
		      uint8_t *p)
{
	unsigned at = 16;

	put32(p, seq);
	put32(p + 4, mode);
	put64(p + 8, r->last);
	if (g->layout != VDSO_LAYOUT_BASES) {
		put64(p + at, r->max_cycles);
		at += 8;
	}
	put64(p + at, r->mask);
	put32(p + at + 8, r->mult);
	put32(p + at + 12, r->shift);
}

static void fill_bases(const struct vdso_gen *g, const struct vdso_record *r, uint32_t seq, uint8_t *p)
{
	uint32_t mode = vdso_mode_word(g, r->source);
	uint8_t *base = p + bases_at(g), *raw = p + record_bytes(g), *tail = base + 16 * BASES;
	struct split wall = split_ns((int64_t)r->coarse_mono_ns - r->wall_to_mono_ns);
	struct split mono = split_ns((int64_t)r->coarse_mono_ns);

	fill_head(g, r, seq, mode, p);
	fill_head(g, r, seq, mode, raw);
	fill_fine(r, base, REALTIME, -r->wall_to_mono_ns);
	fill_fine(r, base, MONOTONIC, 0);
	fill_fine(r, base, BOOTTIME, r->boot_minus_mono_ns);
	fill_fine(r, base, TAI, -r->wall_to_mono_ns + r->tai_s * (int64_t)NS_PER_S);
	fill_fine(r, raw + bases_at(g), RAW, 0);
	put_base(base, REALTIME_COARSE, wall.sec, wall.ns);
	put_base(base, MONOTONIC_COARSE, mono.sec, mono.ns);
	if (g->layout == VDSO_LAYOUT_STORE)
		tail = p + STORE_TZ;
	put_tz(tail, r);
	put32(tail + 8, r->hrtimer_res_ns);
}

/* What a task in a time namespace finds in place of the record: never even, a mode of its own. */
static void fill_offsets(const struct vdso_gen *g, const struct vdso_record *r, uint8_t *p)
{
	struct split mono = split_ns(r->timens_mono_ns), boot = split_ns(r->timens_boot_ns);
	unsigned records = g->layout == VDSO_LAYOUT_STORE ? 2 + 8 : 2;

	for (unsigned i = 0; i < records; i++) {
		uint8_t *rec = p + i * record_bytes(g), *base = rec + bases_at(g);

		put32(rec, 1);
		put32(rec + 4, MODE_TIMENS);
		if (i > 1) /* auxiliary clocks belong to no namespace */
			continue;
		put_base(base, MONOTONIC, mono.sec, mono.ns);
		put_base(base, RAW, mono.sec, mono.ns);
		put_base(base, MONOTONIC_COARSE, mono.sec, mono.ns);
		put_base(base, BOOTTIME, boot.sec, boot.ns);
	}
}

static void fill_record(const struct vdso_gen *g, const struct vdso_record *r, uint32_t seq, uint8_t *page)
{
	uint8_t *p = page + g->record;

	switch (g->layout) {
	case VDSO_LAYOUT_SEQLOCK:
	case VDSO_LAYOUT_MODE:
		fill_plain(g, r, seq, p);
		break;
	case VDSO_LAYOUT_SHIFTED:
		fill_shifted(g, r, seq, p);
		break;
	case VDSO_LAYOUT_FLAT:
		fill_flat(g, r, seq, p);
		break;
	case VDSO_LAYOUT_BASES:
	case VDSO_LAYOUT_CYCLES:
	case VDSO_LAYOUT_STORE:
		fill_bases(g, r, seq, p);
		break;
	case VDSO_LAYOUT_NONE:
		break;
	}
}

static void fill_rng(const struct vdso_record *r, uint8_t *p)
{
	put64(p, r->rng_generation);
	p[8] = r->rng_ready;
}

/* One slot a processor; the guest's processors share one record, as with a stable counter. */
static void fill_pvclock(const struct vdso_record *r, uint32_t seq, uint8_t *page)
{
	for (unsigned at = 0; at < PAGE_BYTES; at += PVCLOCK_SLOT) {
		uint8_t *p = page + at;

		put32(p, seq);
		put64(p + 8, r->pv_tsc);
		put64(p + 16, r->pv_system_ns);
		put32(p + 24, r->pv_mul);
		p[28] = (uint8_t)r->pv_shift;
		p[29] = 1; /* the counter is stable */
	}
}

bool vdso_page_used(const struct vdso_gen *g, enum vdso_page p, const struct vdso_record *r)
{
	switch (p) {
	case VDSO_PAGE_DATA:
	case VDSO_PAGE_RNG:
		return true;
	case VDSO_PAGE_TIMENS:
		return r->timens && g->timens;
	case VDSO_PAGE_HPET:
		return r->source == CS_HPET && g->sources & 1u << CS_HPET;
	case VDSO_PAGE_PVCLOCK:
		return r->source == CS_KVM_CLOCK && g->sources & 1u << CS_KVM_CLOCK;
	default:
		return false;
	}
}

void vdso_page_fill(const struct vdso_gen *g, enum vdso_page p, const struct vdso_record *r,
		    uint32_t seq, uint8_t *page)
{
	switch (p) {
	case VDSO_PAGE_DATA:
		if (r->timens && g->timens)
			fill_offsets(g, r, page + g->record);
		else
			fill_record(g, r, seq, page);
		/* Before the generic store the generator's words shared the page. */
		if (g->layout == VDSO_LAYOUT_CYCLES)
			fill_rng(r, page + RNG_IN_DATA_PAGE);
		break;
	case VDSO_PAGE_TIMENS:
		fill_record(g, r, seq, page);
		break;
	case VDSO_PAGE_HPET:
		put64(page + 0xf0, r->hpet);
		break;
	case VDSO_PAGE_PVCLOCK:
		fill_pvclock(r, seq, page);
		break;
	case VDSO_PAGE_RNG:
		fill_rng(r, page);
		break;
	default:
		break;
	}
}
