/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The line that all readings lie on: see clocks.h. */
#include <stdio.h>
#include <time.h>

#include "clocks.h"

/* Of each class: how far it is from the line at least and at most, and the highest reading. */
static struct {
	int64_t lo, hi, max;
	bool known;
} class[CLASSES];
static int64_t reached[CLASSES]; /* by line: ON_MONO, ON_CPU, ON_USER, ON_SYSTEM */
static int64_t cpu_then, cpu_then_mono; /* a reading of CPU time, and what the clock said before it */

static enum line_class line_of(enum line_class c)
{
	return c < ON_CPU ? ON_MONO : c;
}

static bool has_own_rate(enum line_class c)
{
	return c == ON_TSC || c == ON_RAW;
}

int64_t line_low(enum line_class c)
{
	return reached[line_of(c)];
}

static long lag(enum line_class c)
{
	switch (c) {
	case ON_REAL_COARSE:
	case ON_MONO_COARSE:
	case ON_TIME:
	case ON_TIMES:
		return limits.tick + limits.late;
	case ON_REAL:
		return limits.steer_ppm ? 1000000 : 0; /* somebody may slew it */
	case ON_CPU: /* while a timer runs on it, the clock of a process moves tick by tick */
		return limits.late;
	default:
		return 0;
	}
}

/* What a class that runs at a rate of its own may be off by at @at. */
static int64_t drift(enum line_class c, int64_t at)
{
	static int64_t start;

	if (!start)
		start = at;
	return has_own_rate(c) ? (at - start) / 1000000 * limits.steer_ppm + (c == ON_TSC ? 200 : 0) : 0;
}

static void widen(enum line_class c, int64_t *lo, int64_t *hi)
{
	int64_t by = drift(c, reached[ON_MONO]);

	*lo = class[c].known ? class[c].lo - by : -FAR;
	*hi = class[c].known ? class[c].hi + by : FAR;
}

/* A second clock that brackets the reading fixes the distance between the two. */
static void narrow(const struct source *s, int64_t v, int64_t before)
{
	enum line_class c = s->class;
	int64_t after = mono(), lo = v - after, hi = v + s->res - 1 + lag(c) - before, by = drift(c, after);

	if (!class[c].known) {
		class[c].lo = lo;
		class[c].hi = hi;
		class[c].known = true;
		return;
	}
	if (lo > class[c].hi + by || hi < class[c].lo - by)
		fail(s->name, "off by %ld..%ld from the monotonic clock, before by %ld..%ld", lo, hi, class[c].lo,
		     class[c].hi);
	if (lo > class[c].lo && lo <= class[c].hi)
		class[c].lo = lo;
	if (hi < class[c].hi && hi >= class[c].lo)
		class[c].hi = hi;
}

/* CPU time is not more than the time that has passed. */
static void cpu_reading(const struct source *s, int64_t v, int64_t before)
{
	int64_t passed;

	if (s->res != 1)
		return;
	passed = mono() - cpu_then_mono;
	if (cpu_then_mono && v - cpu_then > passed + limits.late)
		fail(s->name, "CPU time went on by %ld in %ld", v - cpu_then, passed);
	cpu_then = v;
	cpu_then_mono = before;
}

void line_reading(const struct source *s, int64_t v)
{
	enum line_class c = s->class, l = line_of(c);
	int64_t low = reached[l], before = reached[ON_MONO], lo = 0, hi = 0;

	v -= lie(s->name, 2 * (s->res + lag(c)) + 2000);
	if (v + s->res - 1 < class[c].max - (c == ON_CPU ? limits.late : 0))
		fail(s->name, "went backwards from %ld to %ld", class[c].max, v);
	if (v > class[c].max)
		class[c].max = v;
	if (c != l)
		widen(c, &lo, &hi);
	if (v + s->res - 1 + lag(c) - lo < low)
		fail(s->name, "%ld (at most %ld on its line) after the line had reached %ld", v,
		     v + s->res - 1 + lag(c) - lo, low);
	if (v - hi > low && hi < FAR)
		reached[l] = v - hi;
	if (c == ON_CPU)
		cpu_reading(s, v, before);
	else if (c != l && draw(2))
		narrow(s, v, before);
}
