/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that a C library finds the vDSO by itself: each of its time functions once, plainly called.  The
 * trace tells which way they went.
 */
#include <stdio.h>
#include <sys/time.h>
#include <time.h>

int main(void)
{
	struct timespec ts = { 0 };
	struct timeval tv = { 0 };
	time_t t = 0;

	if (clock_gettime(CLOCK_MONOTONIC, &ts) || gettimeofday(&tv, NULL) || time(&t) == (time_t)-1)
		return 1;
	/* time() may be a tick behind. */
	if (ts.tv_nsec < 0 || ts.tv_nsec > 999999999 || tv.tv_sec - t > 1 || t > tv.tv_sec)
		return 2;
	return 0;
}
