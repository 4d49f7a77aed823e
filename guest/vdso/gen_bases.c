/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vDSO of Linux 5.3-6.14: the generic code over an array of bases, one per clock, in two records (the
 * second for CLOCK_MONOTONIC_RAW).  TIMENS (5.6-): a task in a time namespace finds, in place of the
 * record, one with an odd sequence word, a mode of its own and the offsets; the real record lies in
 * the timens page.  CYCLES (6.11-): a word that bounds the interval which may be multiplied in 64 bits.
 * STORE (6.15-): the generic data store, time zone and resolution apart; getrandom (6.11-) whose generator
 * is never ready, so that it is the system call's.
 * Truth: lib/vdso/gettimeofday.c, include/vdso/datapage.h, arch/x86/include/asm/vdso/gettimeofday.h.
 */
#include "vdso.h"

#define BASES 12
#define MODE_NONE 0
#define MODE_TSC 1
#define MODE_PVCLOCK 2
#define MODE_TIMENS 0x7fffffff

#define HRES_CLOCKS (1u << CLOCK_REALTIME | 1u << CLOCK_MONOTONIC | 1u << CLOCK_BOOTTIME | 1u << CLOCK_TAI)
#define COARSE_CLOCKS (1u << CLOCK_REALTIME_COARSE | 1u << CLOCK_MONOTONIC_COARSE)
#define RAW_CLOCKS (1u << CLOCK_MONOTONIC_RAW)
/* The auxiliary clocks (6.17): their resolution is told though none of them runs; the rest is the kernel's. */
#if STORE
#define AUX_CLOCKS 0xff0000u
#define CLOCKS_KNOWN 24
#else
#define AUX_CLOCKS 0u
#define CLOCKS_KNOWN 16
#endif

struct base {
	s64 sec;
	u64 nsec; /* shifted for the fine clocks; in a namespace's page: offset in ns */
};

struct record {
	u32 seq;
	s32 mode;
	u64 last;
#if CYCLES
	u64 max_cycles;
#endif
	u64 mask;
	u32 mult;
	u32 shift;
	struct base base[BASES];
#if !STORE
	s32 minuteswest;
	s32 dsttime;
	u32 res;
	u32 unused;
#endif
};

/* Time zone and resolution: behind the bases, or (STORE, 6.15-) behind all records of the page. */
struct tail {
	s32 minuteswest;
	s32 dsttime;
	u32 res;
};
#if STORE
INLINE const struct tail *tail_of(const struct record *v)
{
	const u8 *p = (const u8 *)v;

	__asm__("" : "+r"(p)); /* it lies beyond the array that the compiler knows */
	return (const struct tail *)(p + 0x910);
}
#define TAIL(v) tail_of(v)
#else
#define TAIL(v) ((const struct tail *)&(v)->minuteswest)
#endif

/* Not const, though never written here: the compiler must not take what it read once for what it is. */
extern struct record vdso_data[2] HIDDEN;
extern struct record timens_data[2] HIDDEN;
extern struct pvclock pvclock_data[64] HIDDEN;

/* ~0: the record's guest clock is not stable. */
INLINE u64 pvclock_read(void)
{
	const struct pvclock *p = pvclock_data;
	u32 version;
	u64 ns;

	do {
		version = READ_ONCE(p->version) & ~1u;
		barrier();
		if (unlikely(!(READ_ONCE(p->flags) & PVCLOCK_STABLE)))
			return ~0ul;
		ns = pvclock_scale(p, tsc_read());
		barrier();
	} while (unlikely(READ_ONCE(p->version) != version));
	return ns;
}

/* Negative: no such counter. */
INLINE s64 cycles_read(s32 mode)
{
#if CYCLES
	if (likely(mode == MODE_TSC))
		return (s64)(tsc_read() & ~0ul >> 1);
#else
	if (likely(mode == MODE_TSC))
		return (s64)tsc_read();
#endif
	barrier();
	if (mode == MODE_PVCLOCK)
		return (s64)pvclock_read();
	return -1;
}

INLINE u64 to_ns(const struct record *v, u64 cycles, u64 base)
{
#if CYCLES
	u64 delta = cycles - v->last;

	if (unlikely(delta > v->max_cycles)) {
		/* A counter slightly behind the record's shows as a huge interval. */
		if (delta & 1ul << 62)
			return base >> v->shift;
		return (u64)(((unsigned __int128)(delta & ~0ul >> 1) * v->mult + base) >> v->shift);
	}
	return ((delta & ~0ul >> 1) * v->mult + base) >> v->shift;
#else
	if (likely(cycles > v->last))
		base += (cycles - v->last) * v->mult;
	return base >> v->shift;
#endif
}

INLINE int read_retry(const struct record *v, u32 seq)
{
	barrier();
	return unlikely(READ_ONCE(v->seq) != seq);
}

#if TIMENS
INLINE u32 read_begin(const struct record *v)
{
	u32 seq;

	while (unlikely((seq = READ_ONCE(v->seq)) & 1))
		cpu_relax();
	barrier();
	return seq;
}

NOINLINE static int hres_timens(const struct record *ns_page, u32 clock, struct timespec *ts)
{
	const struct record *v = clock == CLOCK_MONOTONIC_RAW ? &timens_data[1] : &timens_data[0];
	const struct base *offset = &ns_page->base[clock];
	u64 ns;
	s64 sec, cycles;
	u32 seq;

	do {
		seq = read_begin(v);
		if (unlikely(v->mode == MODE_NONE))
			return -1;
		cycles = cycles_read(v->mode);
		if (unlikely(cycles < 0))
			return -1;
		ns = to_ns(v, (u64)cycles, v->base[clock].nsec);
		sec = v->base[clock].sec;
	} while (read_retry(v, seq));
	store_time(ts, sec + offset->sec, ns + offset->nsec);
	return 0;
}

NOINLINE static void coarse_timens(const struct record *ns_page, u32 clock, struct timespec *ts)
{
	const struct record *v = timens_data;
	const struct base *offset = &ns_page->base[clock];
	u64 ns;
	s64 sec;
	u32 seq;

	do {
		seq = read_begin(v);
		sec = v->base[clock].sec;
		ns = v->base[clock].nsec;
	} while (read_retry(v, seq));
	store_time(ts, sec + offset->sec, ns + offset->nsec);
}
#endif

INLINE int hres(const struct record *v, u32 clock, struct timespec *ts)
{
	u64 ns;
	s64 sec, cycles;
	u32 seq;

	do {
		while (unlikely((seq = READ_ONCE(v->seq)) & 1)) {
#if TIMENS
			if (v->mode == MODE_TIMENS)
				return hres_timens(v, clock, ts);
#endif
			cpu_relax();
		}
		barrier();
		if (unlikely(v->mode == MODE_NONE))
			return -1;
		cycles = cycles_read(v->mode);
		if (unlikely(cycles < 0))
			return -1;
		ns = to_ns(v, (u64)cycles, v->base[clock].nsec);
		sec = v->base[clock].sec;
	} while (read_retry(v, seq));
	store_time(ts, sec, ns);
	return 0;
}

INLINE void coarse(const struct record *v, u32 clock, struct timespec *ts)
{
	u32 seq;

	do {
		while (unlikely((seq = READ_ONCE(v->seq)) & 1)) {
#if TIMENS
			if (v->mode == MODE_TIMENS) {
				coarse_timens(v, clock, ts);
				return;
			}
#endif
			cpu_relax();
		}
		barrier();
		ts->sec = v->base[clock].sec;
		ts->nsec = (s64)v->base[clock].nsec;
	} while (read_retry(v, seq));
}

EXPORT(int, gettimeofday, (struct timeval * tv, struct timezone *tz));
int __vdso_gettimeofday(struct timeval *tv, struct timezone *tz)
{
	const struct record *v = vdso_data;

	if (likely(tv != 0)) {
		struct timespec ts;

		if (unlikely(hres(v, CLOCK_REALTIME, &ts)))
			return (int)syscall2(NR_gettimeofday, tv, tz);
		tv->sec = ts.sec;
		tv->usec = usec_of(ts.nsec);
	}
	if (unlikely(tz != 0)) {
#if TIMENS
		if (v->mode == MODE_TIMENS)
			v = timens_data;
#endif
		tz->minuteswest = TAIL(v)->minuteswest;
		tz->dsttime = TAIL(v)->dsttime;
	}
	return 0;
}

EXPORT(s64, time, (s64 * t));
s64 __vdso_time(s64 *t)
{
	const struct record *v = vdso_data;
	s64 sec;

#if TIMENS
	if (v->mode == MODE_TIMENS)
		v = timens_data;
#endif
	sec = READ_ONCE(v->base[CLOCK_REALTIME].sec);
	if (t)
		*t = sec;
	return sec;
}

EXPORT(int, clock_gettime, (s32 clock, struct timespec *ts));
int __vdso_clock_gettime(s32 clock, struct timespec *ts)
{
	u32 id = (u32)clock, bit;

	if (likely(id < 16)) {
		bit = 1u << id;
		if (likely(bit & HRES_CLOCKS)) {
			if (likely(hres(&vdso_data[0], id, ts) == 0))
				return 0;
		} else if (bit & COARSE_CLOCKS) {
			coarse(&vdso_data[0], id, ts);
			return 0;
		} else if (bit & RAW_CLOCKS) {
			if (likely(hres(&vdso_data[1], id, ts) == 0))
				return 0;
		}
	}
	return (int)fallback_clock(NR_clock_gettime, clock, ts);
}

EXPORT(int, clock_getres, (s32 clock, struct timespec *res));
int __vdso_clock_getres(s32 clock, struct timespec *res)
{
	const struct record *v = vdso_data;
	u32 id = (u32)clock, bit, ns;

	if (unlikely(id >= CLOCKS_KNOWN))
		return (int)fallback_clock(NR_clock_getres, clock, res);
#if TIMENS
	if (v->mode == MODE_TIMENS)
		v = timens_data;
#endif
	ns = READ_ONCE(TAIL(v)->res);
	bit = 1u << id;
	if (bit & AUX_CLOCKS)
		ns = 1;
	else if (bit & COARSE_CLOCKS)
		ns = vdso_patch.tick_ns;
	else if (unlikely(!(bit & (HRES_CLOCKS | RAW_CLOCKS))))
		return (int)fallback_clock(NR_clock_getres, clock, res);
	if (likely(res != 0)) {
		res->sec = 0;
		res->nsec = ns;
	}
	return 0;
}

EXPORT(s64, getcpu, (u32 * cpu, u32 *node, void *unused));
s64 __vdso_getcpu(u32 *cpu, u32 *node, void *unused)
{
	(void)unused;
	return getcpu_answer(cpu, node);
}

#ifdef HAS_GETRANDOM
struct random_params {
	u32 state_bytes, prot, flags, reserved[13];
};
#define STATE_BYTES 144

/*
 * lib/vdso/getrandom.c; a request for the parameters has @state_bytes ~0.  The page beside never says that
 * the generator is ready, since random bytes must come from the seed: what is left is the way to the kernel.
 */
EXPORT(s64, getrandom, (void *buffer, u64 n, u32 flags, void *state, u64 state_bytes));
s64 __vdso_getrandom(void *buffer, u64 n, u32 flags, void *state, u64 state_bytes)
{
	if (state_bytes == ~0ul && !buffer && !n && !flags) {
		struct random_params *p = state;

		p->state_bytes = STATE_BYTES;
		p->prot = 3; /* PROT_READ | PROT_WRITE */
		p->flags = 0x28; /* MAP_DROPPABLE | MAP_ANONYMOUS */
		for (u32 i = 0; i < 13; i++)
			p->reserved[i] = 0;
		return 0;
	}
	/* A state that could be lost by halves. */
	if (((u64)state & 4095) + STATE_BYTES > 4096)
		return -14; /* -EFAULT */
	return syscall3(NR_getrandom, buffer, (s64)n, flags);
}
#endif
