/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What one time call costs by each path, in the words of the program whose tables models/published/ has:
 * timing PATH CALL [MILLISECONDS].  Proves that a program which times itself in the simulator gets the
 * numbers of the modelled machine.  PATH: syscall (the bare instruction), libc (the C library's syscall()),
 * vdso, vsyscall; CALL: gettimeofday, time, getcpu,
 * CLOCK_MONOTONIC, dummy.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "vdso-find.h"
#include "vsyscall.h"

enum { LOOPS = 1000 };

typedef long call_fn(long a, long b, long c);

/* The shortest way into the kernel: its number and arguments stay where they are. */
static inline long enter(long nr, long a, long b)
{
	register long result __asm__("rax") = nr, rdx __asm__("rdx") = 0;

	__asm__ volatile("syscall" : "+r"(result) : "D"(a), "S"(b), "r"(rdx) : "rcx", "r11", "memory");
	return result;
}

static void __attribute__((noinline)) by_syscall(long nr, long a, long b)
{
	for (int i = 0; i < LOOPS; i++)
		enter(nr, a, b);
}

static void __attribute__((noinline)) by_libc(long nr, long a, long b)
{
	for (int i = 0; i < LOOPS; i++)
		syscall(nr, a, b);
}

static void __attribute__((noinline)) by_function(call_fn *f, long a, long b)
{
	for (int i = 0; i < LOOPS; i++)
		f(a, b, 0);
}

static long seconds_stored, words[2];
static struct timeval tv, tz;
static struct timespec ts;

static const struct bench {
	const char *call, *function; /* in the vDSO */
	unsigned long entry; /* of the page; 0: none */
	long nr, a, b;
} benches[] = {
	{ "gettimeofday", "__vdso_gettimeofday", VSYS_GETTIMEOFDAY, SYS_gettimeofday, (long)&tv, (long)&tz },
	{ "CLOCK_MONOTONIC", "__vdso_clock_gettime", 0, SYS_clock_gettime, CLOCK_MONOTONIC, (long)&ts },
	{ "time", "__vdso_time", VSYS_TIME, SYS_time, (long)&seconds_stored, 0 },
	{ "getcpu", "__vdso_getcpu", VSYS_GETCPU, SYS_getcpu, (long)&words[0], (long)&words[1] },
	{ "dummy", NULL, 0, 0xffff, 0, 0 },
};

static double now(void)
{
	struct timespec t;

	syscall(SYS_clock_gettime, CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static int measure(const char *path, const struct bench *b, double limit)
{
	call_fn *f = NULL;
	double start, spent;
	long loops = 0;

	if (!strcmp(path, "vdso") && b->function)
		f = (call_fn *)vdso_find(b->function);
	if (!strcmp(path, "vsyscall"))
		f = (call_fn *)b->entry;
	if (!f && strcmp(path, "syscall") && strcmp(path, "libc")) {
		printf("%s has no %s here\n", path, b->call);
		return 1;
	}
	for (int warm = 1; warm >= 0; warm--) {
		start = now();
		for (loops = 0; (spent = now() - start) < limit; loops += LOOPS) {
			if (f)
				by_function(f, b->a, b->b);
			else if (!strcmp(path, "libc"))
				by_libc(b->nr, b->a, b->b);
			else
				by_syscall(b->nr, b->a, b->b);
			if (warm)
				break;
		}
	}
	printf("Benchmarking %8s %-17s ... %9ld loops in %.5fs = %.2f nsec / loop\n", path, b->call,
	       loops, spent, spent * 1e9 / (double)loops);
	return 0;
}

int main(int argc, char **argv)
{
	double limit = argc > 3 ? atof(argv[3]) / 1e3 : .5;

	for (unsigned i = 0; argc > 2 && i < sizeof(benches) / sizeof(benches[0]); i++)
		if (!strcmp(argv[2], benches[i].call))
			return measure(argv[1], &benches[i], limit);
	fprintf(stderr, "usage: timing syscall|libc|vdso|vsyscall CALL [MILLISECONDS]\n");
	return 2;
}
