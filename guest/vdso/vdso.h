/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all generations of the vDSO image share: kernel types, the fenced counter read, the system
 * calls that a function falls back to, the processor number, the pvclock record.  The images are
 * freestanding and position independent: every address is relative to RIP or lies in the record.
 * Truth: the algorithms of arch/x86/vdso and lib/vdso of the kernels named in each gen_*.c.
 */
#ifndef GUEST_VDSO_H
#define GUEST_VDSO_H

typedef unsigned char u8;
typedef unsigned int u32;
typedef int s32;
typedef unsigned long u64;
typedef long s64;

struct timespec {
	s64 sec;
	s64 nsec;
};
struct timeval {
	s64 sec;
	s64 usec;
};
struct timezone {
	s32 minuteswest;
	s32 dsttime;
};

#define CLOCK_REALTIME 0
#define CLOCK_MONOTONIC 1
#define CLOCK_MONOTONIC_RAW 4
#define CLOCK_REALTIME_COARSE 5
#define CLOCK_MONOTONIC_COARSE 6
#define CLOCK_BOOTTIME 7
#define CLOCK_TAI 11
#define CLOCK_AUX 16
#define CLOCK_AUX_LAST 23

#define NSEC_PER_SEC 1000000000l

#define NR_gettimeofday 96
#define NR_time 201
#define NR_clock_gettime 228
#define NR_clock_getres 229
#define NR_getrandom 318

#define HIDDEN __attribute__((visibility("hidden")))
#define NOINLINE __attribute__((noinline))
#define INLINE static inline __attribute__((always_inline))
/* __vdso_NAME, global, and the weak NAME beside it. */
#define EXPORT(ret, name, args)                                                   \
	ret __attribute__((visibility("default"))) __vdso_##name args;            \
	ret __attribute__((weak, visibility("default"), alias("__vdso_" #name))) name args

#define likely(x) __builtin_expect(!!(x), 1)
#define unlikely(x) __builtin_expect(!!(x), 0)
#define READ_ONCE(x) (*(const volatile __typeof__(x) *)&(x))
#define barrier() __asm__ volatile("" ::: "memory")

INLINE void cpu_relax(void)
{
	__asm__ volatile("pause" ::: "memory");
}

INLINE s64 syscall2(s64 nr, const void *a, const void *b)
{
	s64 ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"(nr), "D"(a), "S"(b) : "rcx", "r11", "memory");
	return ret;
}

INLINE s64 syscall3(s64 nr, const void *a, s64 b, s64 c)
{
	s64 ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return ret;
}

INLINE s64 fallback_clock(s64 nr, s64 clock, struct timespec *ts)
{
	return syscall2(nr, (const void *)clock, ts);
}

/* The counter, not read before what precedes it.  TSC_FENCE: 0 rdtscp, 1 lfence before, 2 lfence
 * before and after. */
INLINE u64 tsc_read(void)
{
	u32 low, high;
#if TSC_FENCE == 0
	u32 aux;

	__asm__ volatile("rdtscp" : "=a"(low), "=d"(high), "=c"(aux)::"memory");
#elif TSC_FENCE == 1
	__asm__ volatile("lfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
#else
	__asm__ volatile("lfence\n\trdtsc\n\tlfence" : "=a"(low), "=d"(high)::"memory");
#endif
	return (u64)high << 32 | low;
}

/* Limit of the segment at the fixed selector: node << 12 | cpu. */
INLINE u32 cpu_and_node(void)
{
	u32 limit = 0;

	__asm__ volatile("lsl %1, %0" : "+r"(limit) : "r"(0x7b));
	return limit;
}

INLINE s64 getcpu_answer(u32 *cpu, u32 *node)
{
	u32 v = cpu_and_node();

	if (cpu)
		*cpu = v & 0xfff;
	if (node)
		*node = v >> 12;
	return 0;
}

/* x / 1000 for 0 <= x < 10^9. */
INLINE s64 usec_of(s64 nsec)
{
	return (s64)((u64)nsec * 0x10624dd3ul >> 38);
}

/* Store @sec and @nsec with whole seconds of @nsec moved over; the loop is short because a refreshed
 * record keeps @nsec below two seconds. */
INLINE void store_time(struct timespec *ts, s64 sec, u64 nsec)
{
	while (unlikely(nsec >= (u64)NSEC_PER_SEC)) {
		/* The compiler must not make a division of it. */
		__asm__("" : "+r"(nsec));
		nsec -= (u64)NSEC_PER_SEC;
		sec++;
	}
	ts->sec = sec;
	ts->nsec = (s64)nsec;
}

/*
 * Words that the emulator's kernel side fills in when it maps the image, as the real one does for
 * 2.6's pointers.  Found by @magic; the distances are from their own place.
 */
struct patch {
	u64 magic;
	u64 data; /* address of the record (2.6) */
	u64 hpet; /* of the HPET's registers (2.6) */
	s64 tsc_reader, hpet_reader; /* code that the record's reader pointer may name (up to 3.0) */
	u32 tick_ns; /* resolution of the coarse clocks: a constant of a real build */
	u32 pad;
};
#define PATCH_MAGIC 0x5a56444f73647672ul
extern const volatile struct patch vdso_patch HIDDEN;

/* Xen's and KVM's per-processor time record; 64-byte slots. */
struct pvclock {
	u32 version;
	u32 pad;
	u64 tsc_timestamp;
	u64 system_time;
	u32 mul;
	signed char shift;
	u8 flags;
	u8 pad2[2];
	u8 slot_pad[32];
};
#define PVCLOCK_STABLE 1

INLINE u64 pvclock_scale(const struct pvclock *p, u64 tsc)
{
	u64 delta = tsc - p->tsc_timestamp;

	if (p->shift < 0)
		delta >>= -p->shift;
	else
		delta <<= p->shift;
	return p->system_time + (u64)((unsigned __int128)delta * p->mul >> 32);
}

#endif
