/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the programs of this folder share: calls past the C library, results by name. */
#ifndef GUEST_TASK_H
#define GUEST_TASK_H

#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define MS 1000000L

/* "TEXT: result", an error by its name. */
static inline long say(const char *text, long r)
{
	if (r == -1)
		printf("%s: %s\n", text, strerrorname_np(errno));
	else
		printf("%s: %ld\n", text, r);
	fflush(stdout);
	return r;
}

static inline long futex(volatile uint32_t *w, int op, uint32_t v, const void *t, volatile uint32_t *w2, uint32_t v3)
{
	return syscall(SYS_futex, w, op, v, t, w2, v3);
}

/* Now on @clock, and @ns more. */
static inline struct timespec in(clockid_t clock, long ns)
{
	struct timespec t;

	clock_gettime(clock, &t);
	t.tv_nsec += ns;
	t.tv_sec += t.tv_nsec / 1000000000;
	t.tv_nsec %= 1000000000;
	return t;
}

static inline void nap(long ns)
{
	struct timespec t = { ns / 1000000000, ns % 1000000000 };

	nanosleep(&t, NULL);
}

#endif
