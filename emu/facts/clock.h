/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time.  One master clock V in nanoseconds since the guest kernel's boot, moved by core
 * cycles that were charged and by sleeps; every other clock is computed from it.  Core cycles and
 * TSC ticks differ (turbo, idle): only this file turns one into the other.  No host clock here.
 */
#ifndef VSYSEMU_FACTS_CLOCK_H
#define VSYSEMU_FACTS_CLOCK_H

#include "base/types.h"

#define NS_PER_S 1000000000ull

struct clock {
	uint64_t core_hz, tsc_hz;
	uint64_t tsc0_tsc; /* TSC at boot */
	uint32_t tick_hz; /* the kernel's HZ */
	int64_t epoch_ns; /* wall time at V = start_ns, in ns since 1970 */
	uint64_t start_ns; /* V at which the guest's program starts (uptime at start) */
	int64_t mono_offset_ns, boot_offset_ns; /* time namespace */

	uint64_t now_ns; /* V */
	uint64_t frac; /* V's fraction in 1/2^32 ns */
	uint64_t user_cycles, system_cycles; /* charged so far, this process tree's account aside */
};

/* Advance by @cycles16 sixteenths of a core cycle of work. */
void clock_work(struct clock *c, uint64_t cycles16);
/* Advance to @ns if that is later (sleep, wait). */
void clock_sleep_until(struct clock *c, uint64_t ns);
uint64_t clock_cycles16_to_ns(const struct clock *c, uint64_t cycles16);
uint64_t clock_ns_to_cycles16(const struct clock *c, uint64_t ns);
uint64_t clock_tsc(const struct clock *c); /* TSC ticks at V */
/* Value of CLOCK_* @id in ns (REALTIME, MONOTONIC, RAW, *_COARSE, BOOTTIME, TAI); false: none such. */
bool clock_read(const struct clock *c, int id, int64_t *ns);
/* V of the last / next tick of HZ. */
uint64_t clock_last_tick_ns(const struct clock *c);
uint64_t clock_next_tick_ns(const struct clock *c);

#endif
