/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * vDSO of Linux 2.6.24-5.2, by the layout of the record: LAYOUT 1 a pointer to the reading function and
 * plain nanoseconds (to 3.0), 2 the same with a mode number (3.1-3.3), 3 shifted nanoseconds and a
 * monotonic base of its own (3.4-3.14), 4 the flattened record (3.15-5.2).  MODE_PV: the number of the
 * pvclock mode, 0: none.  Truth: arch/x86/vdso/vclock_gettime.c, asm/vgtod.h of these kernels.
 */
#include "vdso.h"

#define MODE_NONE 0
#define MODE_TSC 1
#define MODE_HPET 2

#if LAYOUT <= 2
struct record {
	u32 seq, pad;
	s64 wall_sec;
	u32 wall_nsec;
#if LAYOUT == 1
	s32 enabled;
	s32 minuteswest, dsttime;
	u64 (*read)(void);
#else
	s32 minuteswest, dsttime;
	u32 pad2;
	s32 mode, pad3;
#endif
	u64 last, mask;
	u32 mult, shift;
	s64 wtm_sec, wtm_nsec;
	s64 coarse_sec, coarse_nsec;
};
#elif LAYOUT == 3
struct record {
	u32 seq, pad;
	s32 mode, pad2;
	u64 last, mask;
	u32 mult, shift;
	s64 wall_sec;
	u64 wall_snsec;
	u64 mono_snsec;
	s64 mono_sec;
	s32 minuteswest, dsttime;
	s64 coarse_sec, coarse_nsec, mono_coarse_sec, mono_coarse_nsec;
};
#else
struct record {
	u32 seq;
	s32 mode;
	u64 last, mask;
	u32 mult, shift;
	u64 wall_snsec;
	s64 wall_sec, mono_sec;
	u64 mono_snsec;
	s64 coarse_sec, coarse_nsec, mono_coarse_sec, mono_coarse_nsec;
	s32 minuteswest, dsttime;
};
#endif

/* Not const, though never written here: the compiler must not take what it read once for what it is. */
extern struct record vdso_data HIDDEN;
extern struct pvclock pvclock_data[64] HIDDEN;
extern u8 hpet_data[4096] HIDDEN;

#if LAYOUT == 1
u64 tsc_reader(void) HIDDEN;
u64 tsc_reader(void)
{
	u64 now = tsc_read(), last = vdso_data.last;

	return likely(now >= last) ? now : last;
}

u64 hpet_reader(void) HIDDEN;
u64 hpet_reader(void)
{
	return READ_ONCE(*(const u32 *)(hpet_data + 0xf0));
}
#endif

INLINE u32 read_begin(void)
{
	u32 seq;

	while (unlikely((seq = READ_ONCE(vdso_data.seq)) & 1))
		cpu_relax();
	barrier();
	return seq;
}

INLINE int read_retry(u32 seq)
{
	barrier();
	return unlikely(READ_ONCE(vdso_data.seq) != seq);
}

/* Shifted nanoseconds since the record; *known 0: the counter cannot be read here. */
INLINE u64 since(int *known)
{
	const struct record *v = &vdso_data;
	u64 cycles;

	*known = 1;
#if LAYOUT == 1
	if (unlikely(!v->enabled || !v->read)) {
		*known = 0;
		return 0;
	}
	cycles = v->read();
#else
	switch (v->mode) {
	case MODE_TSC:
		cycles = tsc_read();
		if (unlikely(cycles < v->last))
			cycles = v->last;
		break;
#ifdef HPET_PAGE
	case MODE_HPET:
		cycles = READ_ONCE(*(const u32 *)(hpet_data + 0xf0));
		break;
#endif
#if MODE_PV
	case MODE_PV: {
		u32 version;

		do {
			version = READ_ONCE(pvclock_data->version) & ~1u;
			barrier();
			cycles = pvclock_scale(pvclock_data, tsc_read());
			barrier();
		} while (unlikely(READ_ONCE(pvclock_data->version) != version));
		if (unlikely(cycles < v->last))
			cycles = v->last;
		break;
	}
#endif
	default:
		*known = 0;
		return 0;
	}
#endif
	return ((cycles - v->last) & v->mask) * v->mult;
}

INLINE int realtime(struct timespec *ts)
{
	const struct record *v = &vdso_data;
	int known;
	s64 sec;
	u64 ns;
	u32 seq;

	do {
		seq = read_begin();
		sec = v->wall_sec;
#if LAYOUT <= 2
		ns = v->wall_nsec + (since(&known) >> v->shift);
#else
		ns = (v->wall_snsec + since(&known)) >> v->shift;
#endif
	} while (read_retry(seq));
	store_time(ts, sec, ns);
	return known;
}

INLINE int monotonic(struct timespec *ts)
{
	const struct record *v = &vdso_data;
	int known;
	s64 sec;
	u64 ns;
	u32 seq;

	do {
		seq = read_begin();
#if LAYOUT <= 2
		sec = v->wall_sec + v->wtm_sec;
		ns = v->wall_nsec + (since(&known) >> v->shift) + (u64)v->wtm_nsec;
#else
		sec = v->mono_sec;
		ns = (v->mono_snsec + since(&known)) >> v->shift;
#endif
	} while (read_retry(seq));
	store_time(ts, sec, ns);
	return known;
}

INLINE void coarse(struct timespec *ts, int mono)
{
	const struct record *v = &vdso_data;
	s64 sec, ns;
	u32 seq;

	do {
		seq = read_begin();
#if LAYOUT <= 2
		sec = v->coarse_sec + (mono ? v->wtm_sec : 0);
		ns = v->coarse_nsec + (mono ? v->wtm_nsec : 0);
#else
		sec = mono ? v->mono_coarse_sec : v->coarse_sec;
		ns = mono ? v->mono_coarse_nsec : v->coarse_nsec;
#endif
	} while (read_retry(seq));
	store_time(ts, sec, (u64)ns);
}

EXPORT(int, clock_gettime, (s32 clock, struct timespec *ts));
int __vdso_clock_gettime(s32 clock, struct timespec *ts)
{
	switch (clock) {
	case CLOCK_REALTIME:
		if (realtime(ts))
			return 0;
		break;
	case CLOCK_MONOTONIC:
		if (monotonic(ts))
			return 0;
		break;
	case CLOCK_REALTIME_COARSE:
		coarse(ts, 0);
		return 0;
	case CLOCK_MONOTONIC_COARSE:
		coarse(ts, 1);
		return 0;
	default:
		break;
	}
	return (int)fallback_clock(NR_clock_gettime, clock, ts);
}

EXPORT(int, gettimeofday, (struct timeval * tv, struct timezone *tz));
int __vdso_gettimeofday(struct timeval *tv, struct timezone *tz)
{
	if (likely(tv != 0)) {
		struct timespec ts;

		if (unlikely(!realtime(&ts)))
			return (int)syscall2(NR_gettimeofday, tv, tz);
		tv->sec = ts.sec;
		tv->usec = usec_of(ts.nsec);
	}
	if (unlikely(tz != 0)) {
		tz->minuteswest = vdso_data.minuteswest;
		tz->dsttime = vdso_data.dsttime;
	}
	return 0;
}

#ifdef HAS_TIME
EXPORT(s64, time, (s64 * t));
s64 __vdso_time(s64 *t)
{
	s64 sec = READ_ONCE(vdso_data.wall_sec);

	if (t)
		*t = sec;
	return sec;
}
#endif

EXPORT(s64, getcpu, (u32 * cpu, u32 *node, void *unused));
s64 __vdso_getcpu(u32 *cpu, u32 *node, void *unused)
{
	(void)unused;
	return getcpu_answer(cpu, node);
}
