/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clock_gettime(CLOCK_MONOTONIC) of the vDSO with hot and with cold caches, as the kernel's selftest
 * gettime_perf measured it: gettime hot|cold [MILLISECONDS|ROUNDS].  Hot counts calls in a time, cold
 * flushes the vDSO's and its data's lines before each call and prints the middle of the sorted results
 * in TSC cycles.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <x86intrin.h>

#include "vdso-find.h"

typedef int gettime_fn(clockid_t id, struct timespec *t);

static double seconds(const struct timespec *t)
{
	return (double)t->tv_sec + (double)t->tv_nsec / 1e9;
}

static int hot(gettime_fn *f, double limit)
{
	struct timespec start, t;
	long calls = 0;

	f(CLOCK_MONOTONIC, &start);
	do {
		for (int i = 0; i < 100; i++)
			f(CLOCK_MONOTONIC, &t);
		calls += 100;
	} while (seconds(&t) - seconds(&start) < limit);
	printf("%ld calls in %.6f s = %.3f nsec / call\n", calls, seconds(&t) - seconds(&start),
	       (seconds(&t) - seconds(&start)) * 1e9 / (double)calls);
	return 0;
}

static int by_size(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a, y = *(const unsigned long *)b;

	return x < y ? -1 : x > y;
}

static int cold(gettime_fn *f, unsigned rounds)
{
	char *image = (char *)getauxval(AT_SYSINFO_EHDR);
	unsigned long *took = malloc(rounds * sizeof(*took)), sum = 0;
	struct timespec t;

	if (!took)
		return 1;
	for (unsigned i = 0; i < rounds; i++) {
		unsigned long from;

		for (char *p = image; p < image + 8192; p += 64)
			_mm_clflush(p);
		_mm_mfence();
		from = __rdtsc();
		f(CLOCK_MONOTONIC, &t);
		took[i] = __rdtsc() - from;
	}
	qsort(took, rounds, sizeof(*took), by_size);
	for (unsigned i = rounds / 10; i < rounds - rounds / 10; i++)
		sum += took[i];
	printf("%u calls, cold = %.1f tsc\n", rounds, (double)sum / (double)(rounds - 2 * (rounds / 10)));
	free(took);
	return 0;
}

int main(int argc, char **argv)
{
	gettime_fn *f = (gettime_fn *)vdso_find("__vdso_clock_gettime");
	double n = argc > 2 ? atof(argv[2]) : 0;

	if (!f) {
		printf("no vDSO here\n");
		return 1;
	}
	if (argc > 1 && !strcmp(argv[1], "hot"))
		return hot(f, n > 0 ? n / 1e3 : 3);
	if (argc > 1 && !strcmp(argv[1], "cold"))
		return cold(f, n >= 10 ? (unsigned)n : 10000);
	fprintf(stderr, "usage: gettime hot|cold [MILLISECONDS|ROUNDS]\n");
	return 2;
}
