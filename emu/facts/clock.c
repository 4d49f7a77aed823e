/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Virtual time: see clock.h.  Rules: Linux kernel/time/clocksource.c, timekeeping.c. */
#include "facts/clock.h"

#include <time.h>

#define KHZ 1000u
#define SCALE_S 600u /* clocksource_max_deferment's range for a 64-bit counter */

typedef unsigned __int128 u128;

/* clocks_calc_mult_shift(): the largest shift that keeps 600 s of ticks within 64 bits. */
static void scale(struct clock *c)
{
	uint64_t from = c->tsc_hz / KHZ, to = NS_PER_S / KHZ, tmp = ((uint64_t)SCALE_S * KHZ * from) >> 32;
	uint32_t bits = 32, shift;

	while (tmp) {
		tmp >>= 1;
		bits--;
	}
	for (shift = 32; shift > 0; shift--) {
		tmp = ((to << shift) + from / 2) / from;
		if (!(tmp >> bits))
			break;
	}
	/* Rounded down, unlike there: nothing here slows mult later, as timekeeping_adjust() does, so a
	 * clock that gains would gain for ever; one that loses is put right at each tick. */
	c->mult = (uint32_t)((to << shift) / from);
	c->shift = shift;
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

void clock_init(struct clock *c, uint64_t core_hz, uint64_t tsc_hz, uint32_t tick_hz, int64_t epoch_ns,
		uint64_t start_ns)
{
	u128 step = ((u128)NS_PER_S << 64) / ((u128)core_hz * 16);

	*c = (struct clock){ .core_hz = core_hz, .tsc_hz = tsc_hz, .tick_hz = tick_hz, .epoch_ns = epoch_ns,
			     .start_ns = start_ns, .now_ns = start_ns };
	c->step = (uint64_t)(step >> 32);
	c->step_low = (uint32_t)step;
	scale(c);
	pvclock_scale(tsc_hz, &c->pv_mul, &c->pv_shift);
	c->last_tsc = clock_tsc_at(c, start_ns);
	c->last_sns = (u128)start_ns << c->shift;
	c->tick = start_ns / (NS_PER_S / tick_hz);
}

void clock_work(struct clock *c, uint64_t user_cycles16, uint64_t system_cycles16)
{
	/* V in 2^-64 ns: now_ns : frac : frac_low. */
	u128 step = ((u128)c->step << 32) + c->step_low, add = step * (user_cycles16 + system_cycles16);
	u128 low = ((u128)c->frac << 32) + c->frac_low + (uint64_t)add;

	c->now_ns += (uint64_t)(add >> 64) + (uint64_t)(low >> 64);
	c->frac = (uint64_t)low >> 32;
	c->frac_low = (uint32_t)low;
	c->user_cycles16 += user_cycles16;
	c->system_cycles16 += system_cycles16;
}

struct clock_place clock_place(const struct clock *c)
{
	return (struct clock_place){ c->now_ns, c->frac, c->frac_low };
}

void clock_enter(struct clock *c, struct clock_place p)
{
	c->now_ns = p.now_ns;
	c->frac = p.frac;
	c->frac_low = p.frac_low;
}

bool clock_place_later(struct clock_place a, struct clock_place b)
{
	if (a.now_ns != b.now_ns)
		return a.now_ns > b.now_ns;
	return a.frac != b.frac ? a.frac > b.frac : a.frac_low > b.frac_low;
}

/* V in 2^-32 ns as the program sees it. */
static u128 shown(const struct clock *c)
{
	u128 v = ((u128)c->now_ns << 32) + c->frac, told = ((u128)c->told_ns << 32) + c->told_frac;

	return v > told ? v : told;
}

void clock_told(struct clock *c)
{
	u128 v = shown(c);

	c->told_ns = (uint64_t)(v >> 32);
	c->told_frac = (uint32_t)v;
}

void clock_sleep_until(struct clock *c, uint64_t ns)
{
	if (ns <= c->now_ns)
		return;
	c->now_ns = ns;
	c->frac = c->frac_low = 0;
}

uint64_t clock_cycles16_to_ns(const struct clock *c, uint64_t cycles16)
{
	u128 step = ((u128)c->step << 32) + c->step_low;

	return (uint64_t)((step * cycles16) >> 64);
}

uint64_t clock_ns_to_cycles16(const struct clock *c, uint64_t ns)
{
	return (uint64_t)((u128)ns * c->core_hz * 16 / NS_PER_S);
}

uint64_t clock_tsc(const struct clock *c)
{
	return c->tsc0_tsc + (uint64_t)(shown(c) * c->tsc_hz / ((u128)NS_PER_S << 32));
}

uint64_t clock_tsc_at(const struct clock *c, uint64_t ns)
{
	return c->tsc0_tsc + (uint64_t)((u128)ns * c->tsc_hz / NS_PER_S);
}

bool clock_update(struct clock *c)
{
	uint64_t period, tick, tsc;

	if (c->now_ns < c->tick_end_ns)
		return false;
	period = NS_PER_S / c->tick_hz;
	tick = c->now_ns / period;
	if (tick <= c->tick)
		return false;
	c->tick_end_ns = (tick + 1) * period;
	tsc = clock_tsc_at(c, tick * period);
	c->tick = tick;
	if (tsc <= c->last_tsc)
		return false;
	c->last_sns += (u128)(tsc - c->last_tsc) * c->mult;
	/* As timekeeping_adjust(): what mult was rounded down by does not add up. */
	if (c->last_sns < (u128)(tick * period) << c->shift)
		c->last_sns = (u128)(tick * period) << c->shift;
	c->last_tsc = tsc;
	return true;
}

/* MONOTONIC without the time namespace: fine, or that of the record. */
static int64_t fine_ns(const struct clock *c)
{
	uint64_t tsc = clock_tsc(c), delta = tsc > c->last_tsc ? tsc - c->last_tsc : 0;

	if (c->pv) {
		delta = c->pv_shift < 0 ? delta >> -c->pv_shift : delta << c->pv_shift;
		return (int64_t)(c->last_sns >> c->shift) + (int64_t)((u128)delta * c->pv_mul >> 32);
	}
	return (int64_t)((c->last_sns + (u128)delta * c->mult) >> c->shift);
}

static int64_t coarse_ns(const struct clock *c)
{
	return (int64_t)(c->last_sns >> c->shift);
}

static int64_t wall(const struct clock *c, int64_t mono)
{
	return mono + c->epoch_ns - (int64_t)c->start_ns + c->settime_ns;
}

bool clock_read(const struct clock *c, int id, int64_t *ns)
{
	switch (id) {
	case CLOCK_REALTIME:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_TAI:
		*ns = wall(c, fine_ns(c));
		return true;
	case CLOCK_MONOTONIC:
	case CLOCK_MONOTONIC_RAW:
		*ns = fine_ns(c) + c->mono_offset_ns;
		return true;
	case CLOCK_BOOTTIME:
	case CLOCK_BOOTTIME_ALARM:
		*ns = fine_ns(c) + c->boot_offset_ns;
		return true;
	case CLOCK_REALTIME_COARSE:
		*ns = wall(c, coarse_ns(c));
		return true;
	case CLOCK_MONOTONIC_COARSE:
		*ns = coarse_ns(c) + c->mono_offset_ns;
		return true;
	default:
		return false;
	}
}

bool clock_resolution(const struct clock *c, int id, int64_t *ns)
{
	int64_t now;

	if (!clock_read(c, id, &now))
		return false;
	*ns = id == CLOCK_REALTIME_COARSE || id == CLOCK_MONOTONIC_COARSE ? (int64_t)(NS_PER_S / c->tick_hz) : 1;
	return true;
}

int64_t clock_time(const struct clock *c)
{
	return wall(c, coarse_ns(c)) / (int64_t)NS_PER_S;
}

uint64_t clock_when(const struct clock *c, int id, int64_t ns)
{
	int64_t now = 0;

	if (!clock_read(c, id, &now) || ns <= now)
		return c->now_ns;
	return (uint64_t)(ns - now) > UINT64_MAX - c->now_ns ? UINT64_MAX : c->now_ns + (uint64_t)(ns - now);
}

uint64_t clock_last_tick_ns(const struct clock *c)
{
	uint64_t period = NS_PER_S / c->tick_hz;

	return c->now_ns / period * period;
}

uint64_t clock_next_tick_ns(const struct clock *c)
{
	return clock_last_tick_ns(c) + NS_PER_S / c->tick_hz;
}

uint64_t clock_cpu_ns(const struct clock *c, uint64_t user16, uint64_t system16, uint64_t *user_ns,
		      uint64_t *system_ns)
{
	*user_ns = clock_cycles16_to_ns(c, user16);
	*system_ns = clock_cycles16_to_ns(c, system16);
	return *user_ns + *system_ns;
}
