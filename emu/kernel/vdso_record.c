/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The numbers in the vDSO's data pages: see vdso_record.h. */
#include "kernel/vdso_record.h"

#include <string.h>
#include <time.h>

#include "kernel/kernel.h"

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

uint64_t vdso_record_hpet(const struct clock *c)
{
	return clock_tsc(c) & UINT32_MAX;
}

static void source_hpet(const struct clock *c, struct vdso_record *r)
{
	source_tsc(c, r);
	r->last &= UINT32_MAX;
	r->mask = UINT32_MAX;
	r->hpet = vdso_record_hpet(c);
}

void vdso_record_now(const struct kernel *k, gaddr tsc_reader, gaddr hpet_reader, struct vdso_record *r)
{
	const struct clock *c = &k->clock;
	int64_t wall = 0, mono = 0;

	memset(r, 0, sizeof(*r));
	/* What the profile says that its vDSO reads is what its prices are for. */
	r->source = k->model->kernel->vdso_sources >> k->model->clocksource & 1 ? k->model->clocksource : CS_NONE;
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
	r->pv_mul = c->pv_mul;
	r->pv_shift = c->pv_shift;
	r->pv_tsc = c->last_tsc;
	r->pv_system_ns = (uint64_t)(c->last_sns >> c->shift);
	r->reader = r->source == CS_TSC ? tsc_reader : r->source == CS_HPET ? hpet_reader : 0;
	r->rng_generation = 1;
	r->rng_ready = false; /* random bytes come from --seed, by the system call */
}
