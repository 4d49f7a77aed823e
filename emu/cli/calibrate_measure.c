/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Loops on the host, timed by its TSC.  Every round times each probe once, between two readings of the
 * core's clock by a chain of additions, so that a clock that wanders moves all of them alike; the
 * median over the rounds drops what another process took.  See calibrate.h.
 */
#include <errno.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <x86intrin.h>

#include "base/buf.h"
#include "cli/calibrate.h"

enum { ROUNDS = 31, CHAIN = 20000, LINE_BYTES = 64 };
#define NO_SUCH_CALL 0xffff /* the way in and out and nothing else */
#define VSYSCALL_GETTIMEOFDAY 0xffffffffff600000ul

struct arena {
	struct timespec ts;
	struct timeval tv;
	struct timezone tz;
	unsigned cpu, node;
	char *pages; /* for first touches */
};

typedef void probe_fn(struct arena *a, unsigned n);

/* One addition that needs the one before, @n times: a cycle each. */
static void chain(unsigned n)
{
	uint64_t x = 1, y = 3;

	for (unsigned i = 0; i < n / 20; i++)
		__asm__ volatile(".rept 20\n\tadd %1, %0\n\t.endr" : "+r"(x) : "r"(y));
}

static long enter(long nr, long x, long y)
{
	register long result __asm__("rax") = nr;

	__asm__ volatile("syscall" : "+r"(result) : "D"(x), "S"(y) : "rcx", "r11", "rdx", "memory");
	return result;
}

#define LOOP(name, body)                                     \
	static void do_##name(struct arena *a, unsigned n)   \
	{                                                    \
		(void)a;                                     \
		for (unsigned i = 0; i < n; i++) {           \
			body;                                \
			__asm__ volatile("" : : : "memory"); \
		}                                            \
	}
LOOP(empty, )
LOOP(rdtsc, (void)__rdtsc())
LOOP(fence, _mm_lfence(); (void)__rdtsc())
LOOP(vdso_gettime, clock_gettime(CLOCK_MONOTONIC, &a->ts))
LOOP(vdso_gettimeofday, gettimeofday(&a->tv, NULL))
LOOP(vdso_time, (void)time(NULL))
LOOP(vdso_getcpu, getcpu(&a->cpu, &a->node))
LOOP(vdso_coarse, clock_gettime(CLOCK_MONOTONIC_COARSE, &a->ts))
LOOP(syscall_null, enter(NO_SUCH_CALL, 0, 0))
LOOP(syscall_gettime, enter(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&a->ts))
LOOP(syscall_gettimeofday, enter(SYS_gettimeofday, (long)&a->tv, (long)&a->tz))
LOOP(syscall_time, enter(SYS_time, (long)&a->ts, 0))
LOOP(breakpoint, __asm__ volatile("int3"))
LOOP(signal, raise(SIGUSR1))
LOOP(touch, *(volatile char *)(a->pages + i * PAGE_BYTES) = 1)

static void do_vsyscall(struct arena *a, unsigned n)
{
	long (*f)(struct timeval *, void *) = (long (*)(struct timeval *, void *))VSYSCALL_GETTIMEOFDAY;

	for (unsigned i = 0; i < n; i++)
		f(&a->tv, &a->tz);
}

static const struct {
	probe_fn *run;
	unsigned loops;
} probes[PROBE_COUNT] = {
#define X(key, n) [PROBE_##key] = { do_##key, n },
	CALIBRATE_PROBES(X)
#undef X
};

static uint64_t stamp(void)
{
	uint64_t t;

	_mm_lfence();
	t = __rdtsc();
	_mm_lfence();
	return t;
}

/* TSC ticks of a chain of CHAIN cycles. */
static double chain_ticks(void)
{
	uint64_t from = stamp();

	chain(CHAIN);
	return (double)(stamp() - from);
}

static int by_value(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return x < y ? -1 : x > y;
}

static struct calibrate_value middle(double *v, size_t n)
{
	qsort(v, n, sizeof(*v), by_value);
	return (struct calibrate_value){ v[n / 2], v[n / 2] > 0 ? (v[n * 3 / 4] - v[n / 4]) / v[n / 2] : 0 };
}

/* One probe once, in core cycles a repetition. */
static double once(struct arena *a, enum calibrate_probe p)
{
	double before = chain_ticks(), after, ticks;
	uint64_t from;

	if (p == PROBE_touch)
		madvise(a->pages, (size_t)probes[p].loops * PAGE_BYTES, MADV_DONTNEED);
	from = stamp();
	probes[p].run(a, probes[p].loops);
	ticks = (double)(stamp() - from);
	after = chain_ticks();
	return ticks * CHAIN / ((before + after) / 2) / probes[p].loops;
}

struct calibrate_value calibrate_loop(calibrate_fn *run, unsigned n)
{
	double v[ROUNDS];

	run(n);
	for (int i = 0; i < ROUNDS; i++) {
		double before = chain_ticks(), ticks;
		uint64_t from = stamp();

		run(n);
		ticks = (double)(stamp() - from);
		v[i] = ticks * CHAIN / ((before + chain_ticks()) / 2);
	}
	return middle(v, ROUNDS);
}

static void on_signal(int signo)
{
	(void)signo;
}

/* All probes in @rounds rounds: in a process of its own, which the page's absence may kill. */
static void measure_into(int fd, enum calibrate_probe first, enum calibrate_probe last)
{
	static const int signals[] = { SIGTRAP, SIGUSR1 };
	struct sigaction act = { .sa_handler = on_signal };
	struct calibrate_value out[PROBE_COUNT];
	double v[PROBE_COUNT][ROUNDS];
	struct arena a = { .pages = NULL };

	for (size_t i = 0; i < ARRAY_SIZE(signals); i++)
		sigaction(signals[i], &act, NULL);
	a.pages = mmap(NULL, 64 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (a.pages == MAP_FAILED)
		_exit(1);
	madvise(a.pages, 64 * PAGE_BYTES, MADV_NOHUGEPAGE);
	for (int r = -2; r < ROUNDS; r++) /* two to warm up */
		for (int p = (int)first; p <= (int)last; p++)
			v[p][r < 0 ? 0 : r] = once(&a, (enum calibrate_probe)p);
	for (int p = (int)first; p <= (int)last; p++)
		out[p] = middle(v[p], ROUNDS);
	_exit(write(fd, &out[first], (size_t)(last - first + 1) * sizeof(*out)) < 0);
}

static bool measure_apart(struct calibrate *c, enum calibrate_probe first, enum calibrate_probe last,
			  struct err *e)
{
	size_t want = (size_t)(last - first + 1) * sizeof(*c->probe);
	int fd[2], status = 0;
	ssize_t n;
	pid_t pid;

	if (pipe(fd))
		return err_set(e, "pipe: %s", strerror(errno));
	pid = fork();
	if (pid == 0) {
		prctl(PR_SET_DUMPABLE, 0); /* no core if it is killed */
		measure_into(fd[1], first, last);
	}
	close(fd[1]);
	n = pid > 0 ? read(fd[0], &c->probe[first], want) : -1;
	close(fd[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		return err_set(e, "fork: %s", strerror(errno));
	if (n != (ssize_t)want)
		memset(&c->probe[first], 0, want);
	return true;
}

static double raw_seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC_RAW, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

/* Both clocks: the TSC against the kernel's raw clock, the core against the TSC. */
static void measure_clocks(struct calibrate *c)
{
	double v[ROUNDS], from = raw_seconds(), spent;
	uint64_t start = stamp();
	struct calibrate_value m;

	while (raw_seconds() - from < .1)
		chain(CHAIN);
	spent = raw_seconds() - from;
	c->tsc_hz = (double)(stamp() - start) / spent;
	for (int i = 0; i < ROUNDS; i++)
		v[i] = CHAIN / chain_ticks() * c->tsc_hz;
	m = middle(v, ROUNDS);
	c->core_hz = m.cycles;
	c->clock_spread = m.spread;
}

/* Cycles of a load that needs the one before, in a ring of lines of @bytes in scattered order. */
static double load_cycles(void **ring, size_t bytes)
{
	size_t lines = bytes / LINE_BYTES, step = LINE_BYTES / sizeof(void *), at = 0;
	double v[5], before;
	void **p = ring;

	/* A full cycle through all lines: an odd multiplier and increment modulo a power of two. */
	for (size_t i = 0; i < lines; i++) {
		size_t next = (at * 1664525 + 1013904223) & (lines - 1);

		ring[at * step] = &ring[next * step];
		at = next;
	}
	for (int r = 0; r < 5; r++) {
		uint64_t from;

		before = chain_ticks();
		from = stamp();
		for (int i = 0; i < 20000; i++)
			p = (void **)*(void *volatile *)p;
		v[r] = (double)(stamp() - from) * CHAIN / before / 20000;
	}
	__asm__ volatile("" : : "r"(p));
	return middle(v, 5).cycles;
}

static bool measure_memory(struct calibrate *c, struct err *e)
{
	static const size_t bytes[] = { 16 << 10, 256 << 10, 4 << 20, 256 << 20 };
	void **ring = mmap(NULL, bytes[3], PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (ring == MAP_FAILED)
		return err_set(e, "memory for the chains: %s", strerror(errno));
	for (size_t i = 0; i < ARRAY_SIZE(bytes); i++)
		c->load_cycles[i] = load_cycles(ring, bytes[i]);
	munmap(ring, bytes[3]);
	return true;
}

bool calibrate_measure(struct calibrate *c, struct err *e)
{
	memset(c, 0, sizeof(*c));
	measure_clocks(c);
	calibrate_classes(c);
	return measure_apart(c, PROBE_empty, PROBE_touch, e) &&
	       measure_apart(c, PROBE_vsyscall, PROBE_vsyscall, e) && measure_memory(c, e);
}
