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

/* Who pays for a stretch of work. */
struct clock_cpu {
	uint64_t user_cycles16, system_cycles16;
};

/*
 * All integer; set up by clock_init().  V = now_ns + frac / 2^32 ns.  The guest kernel's notion of
 * a second follows the mult/shift of its clock source: fine clocks are base + (TSC - last) * mult >>
 * shift as the vDSO computes them (see struct clock_record), so that both agree to the nanosecond.
 */
struct clock {
	uint64_t core_hz, tsc_hz;
	uint64_t tsc0_tsc; /* TSC at boot */
	uint32_t tick_hz; /* the kernel's HZ */
	int64_t epoch_ns; /* wall time at V = start_ns, in ns since 1970 */
	uint64_t start_ns; /* V at which the guest's program starts (uptime at start) */
	int64_t mono_offset_ns, boot_offset_ns; /* time namespace */

	uint64_t now_ns; /* V */
	uint64_t frac; /* V's fraction in 1/2^32 ns */
	uint64_t step, step_low; /* ns per 1/16 cycle: in 1/2^32 ns, and the 2^32 parts of one of those */
	uint64_t frac_low;
	/* What a processor that was ahead has shown of V: one that lags shows no less. */
	uint64_t told_ns, told_frac;
	uint64_t user_cycles16, system_cycles16; /* charged so far, this process */
	int64_t settime_ns; /* what clock_settime moved CLOCK_REALTIME by */
	uint32_t mult, shift; /* TSC ticks -> ns, the clock source's */
	/* The same of a paravirtual clock: ns = (ticks << pv_shift) * pv_mul >> 32; @pv: it is the clock source,
	 * whose whole nanoseconds system calls and the vDSO both count from. */
	uint32_t pv_mul;
	int8_t pv_shift;
	bool pv;
	uint64_t last_tsc; /* TSC of the record: of the last update */
	unsigned __int128 last_sns; /* MONOTONIC (namespace aside) at last_tsc, ns << shift */
	uint64_t tick; /* number of the last tick that was taken */
	uint64_t tick_end_ns; /* the next one cannot come before; 0: not known */
};

/* V starts at @start_ns; CLOCK_REALTIME is @epoch_ns then. */
void clock_init(struct clock *c, uint64_t core_hz, uint64_t tsc_hz, uint32_t tick_hz,
		int64_t epoch_ns, uint64_t start_ns);

/* Advance by @cycles16 sixteenths of a core cycle of work, and book them. */
void clock_work(struct clock *c, uint64_t user_cycles16, uint64_t system_cycles16);
/* V with its fractions: where one of several processors stands.  All else in struct clock is theirs in
 * common.  clock_enter() goes on from @p; clock_told() notes that V is shown to the program now. */
struct clock_place {
	uint64_t now_ns, frac, frac_low;
};
struct clock_place clock_place(const struct clock *c);
void clock_enter(struct clock *c, struct clock_place p);
bool clock_place_later(struct clock_place a, struct clock_place b); /* @a is later than @b */
void clock_told(struct clock *c);

/* Advance to @ns if that is later (sleep, wait). */
void clock_sleep_until(struct clock *c, uint64_t ns);
uint64_t clock_cycles16_to_ns(const struct clock *c, uint64_t cycles16);
uint64_t clock_ns_to_cycles16(const struct clock *c, uint64_t ns);
uint64_t clock_tsc(const struct clock *c); /* TSC ticks at V */
uint64_t clock_tsc_at(const struct clock *c, uint64_t ns); /* at V = @ns; @ns >= c->start_ns */

/*
 * What the kernel's tick does: refresh the record that the vDSO's data pages show (last_tsc,
 * last_sns) as far as ticks are due.  True when it moved: the vDSO side writes its pages anew.
 */
bool clock_update(struct clock *c);

/* Value of CLOCK_* @id in ns (REALTIME, MONOTONIC, RAW, *_COARSE, BOOTTIME, TAI, *_ALARM), the time
 * namespace's offsets included; false: none such here (CPU-time clocks are the account's). */
bool clock_read(const struct clock *c, int id, int64_t *ns);
/* Resolution as clock_getres() tells it. */
bool clock_resolution(const struct clock *c, int id, int64_t *ns);
/* Seconds that time() returns: those of the record, which may lag by a tick. */
int64_t clock_time(const struct clock *c);
/* V at which clock @id shows @ns (absolute timers); saturates at 0 and UINT64_MAX. */
uint64_t clock_when(const struct clock *c, int id, int64_t ns);

/* V of the last / next tick of HZ. */
uint64_t clock_last_tick_ns(const struct clock *c);
uint64_t clock_next_tick_ns(const struct clock *c);

/*
 * CPU time of @user16 and @system16 sixteenths of a cycle (they carry the tick or precise accounting
 * already): the sum is what CPU-time clocks show, the parts what getrusage and times show.  None of the
 * three ever falls as cycles are added.
 */
uint64_t clock_cpu_ns(const struct clock *c, uint64_t user16, uint64_t system16, uint64_t *user_ns,
		      uint64_t *system_ns);

#endif
