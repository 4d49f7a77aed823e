/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A program that asks for the time between other work: mix vdso|vsyscall CALLS compute|memory STEPS.  Proves
 * that the ratio of its CPU time by the two paths is predicted.  STEPS of work follow each call: compute, a
 * mixing function whose steps wait for each other; memory, loads from 64 MiB whose addresses are known ahead only
 * by the load before.  Prints the CPU time.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "vdso-find.h"
#include "vsyscall.h"

enum { RING = 8 << 20 }; /* of 8 bytes */

static uint64_t *ring, state = 1;
static struct timeval tv;

static double cpu_seconds(void)
{
	struct rusage r;

	getrusage(RUSAGE_SELF, &r);
	return (double)(r.ru_utime.tv_sec + r.ru_stime.tv_sec) + (double)(r.ru_utime.tv_usec + r.ru_stime.tv_usec) / 1e6;
}

/* A cycle through all lines of the ring in scattered order: odd multiplier and increment, a power of two. */
static void make_ring(void)
{
	uint64_t at = 0, lines = RING / 8;

	ring = mmap(NULL, RING * 8ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ring == MAP_FAILED)
		exit(2);
	madvise(ring, RING * 8ul, MADV_NOHUGEPAGE);
	for (uint64_t i = 0; i < lines; i++) {
		uint64_t next = (at * 1664525 + 1013904223) & (lines - 1);

		ring[at * 8] = next * 8;
		at = next;
	}
}

static void __attribute__((noinline)) compute(long n)
{
	uint64_t x = state;

	for (; n; n--) {
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
	}
	state = x;
}

static void __attribute__((noinline)) chase(long n)
{
	uint64_t x = state;

	for (; n; n--)
		x = ((volatile uint64_t *)ring)[x];
	state = x;
}

int main(int argc, char **argv)
{
	long (*f)(struct timeval *, void *) = NULL;
	long calls, steps;
	double start;

	if (argc == 5 && !strcmp(argv[1], "vdso"))
		f = (long (*)(struct timeval *, void *))vdso_find("__vdso_gettimeofday");
	else if (argc == 5 && !strcmp(argv[1], "vsyscall"))
		f = (long (*)(struct timeval *, void *))VSYS_GETTIMEOFDAY;
	if (!f) {
		fprintf(stderr, "usage: mix vdso|vsyscall CALLS compute|memory STEPS\n");
		return 2;
	}
	calls = atol(argv[2]);
	steps = atol(argv[4]);
	if (!strcmp(argv[3], "memory")) {
		make_ring();
		state = 0;
	}
	start = cpu_seconds();
	for (long i = 0; i < calls; i++) {
		f(&tv, NULL);
		if (ring)
			chase(steps);
		else if (steps)
			compute(steps);
	}
	printf("%.6f s, %.2f ns a call\n", cpu_seconds() - start, (cpu_seconds() - start) * 1e9 / (double)calls);
	return state == 12345;
}
