/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that no thread sees a clock earlier than another thread has shown it, whatever processor each runs on:
 * clock-threads THREADS READS [SEED].  Every clock's highest reading is shared; a thread looks at it, reads, and
 * must not read less.  "lie" as fourth argument: one reading in a thousand is falsified, which must be found out.
 */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "vdso-find.h"

enum { MONO, REAL, COARSE, TSC, CPU, CLOCKS };
static const char *const name[] = { "CLOCK_MONOTONIC", "CLOCK_REALTIME", "CLOCK_MONOTONIC_COARSE", "rdtsc",
				    "CLOCK_PROCESS_CPUTIME_ID" };
static const int id[] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_MONOTONIC_COARSE, 0, CLOCK_PROCESS_CPUTIME_ID };
static _Atomic uint64_t highest[CLOCKS], wrong;
static int (*vdso)(int, struct timespec *);
static long reads;
static int lies;

static uint64_t read_clock(int c, int by_vdso)
{
	struct timespec t;
	uint32_t lo, hi;

	if (c == TSC) {
		__asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
		return (uint64_t)hi << 32 | lo;
	}
	if (by_vdso && vdso)
		vdso(id[c], &t);
	else
		syscall(SYS_clock_gettime, id[c], &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void *work(void *arg)
{
	uint64_t x = (uint64_t)(uintptr_t)arg * 2 + 1;

	for (long i = 0; i < reads; i++) {
		uint64_t seen, v;
		int c;

		x = x * 6364136223846793005 + 1442695040888963407;
		c = (int)(x >> 33) % CLOCKS;
		seen = highest[c];
		v = read_clock(c, (int)(x >> 40) & 1);
		if (lies && (x >> 50) % 1000 == 0)
			v = seen - 1;
		if (v < seen && !wrong++)
			printf("%s: %lu after another thread had read %lu\n", name[c], v, seen);
		while (v > seen && !__atomic_compare_exchange_n((uint64_t *)&highest[c], &seen, v, 0, 5, 5))
			;
		if ((x >> 45) % 50 == 0)
			usleep((useconds_t)(x >> 50) % 300);
		for (uint64_t n = x >> 52; n; n--)
			__asm__ volatile("");
	}
	return NULL;
}

int main(int argc, char **argv)
{
	int n = argc > 1 ? atoi(argv[1]) : 4;
	pthread_t t[64];

	reads = argc > 2 ? atol(argv[2]) : 10000;
	lies = argc > 4;
	vdso = (int (*)(int, struct timespec *))vdso_find("__vdso_clock_gettime");
	for (long i = 0; i < n && i < 64; i++)
		pthread_create(&t[i], NULL, work, (void *)(i + 1000 * (argc > 3 ? atol(argv[3]) : 1)));
	for (int i = 0; i < n && i < 64; i++)
		pthread_join(t[i], NULL);
	printf("%d threads, %ld readings each, %lu wrong\n", n, reads, wrong);
	return wrong != 0;
}
