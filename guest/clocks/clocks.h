/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * clocks: every source of time of a machine, read at random, tells one story.  Times are ns.  All that is read
 * is mapped to one line, CLOCK_MONOTONIC's, or to that of CPU time: a reading says that the line is at least
 * here and at most there, and the line never goes back.
 */
#ifndef GUEST_CLOCKS_H
#define GUEST_CLOCKS_H

#include <stdbool.h>
#include <stdint.h>

#define S 1000000000l
#define USER_HZ_NS 10000000l
#define FAR (INT64_MAX / 4)

/* What the readings of one clock have in common. */
enum line_class {
	ON_MONO, ON_REAL, ON_RAW, ON_BOOT, ON_TAI, ON_REAL_COARSE, ON_MONO_COARSE, ON_TIME, ON_TSC, ON_TIMES,
	ON_CPU, ON_USER, ON_SYSTEM, /* CPU time has a line of its own, and so has each of its parts */
	CLASSES
};

struct source {
	const char *name;
	enum line_class class;
	long res; /* a reading v means [v, v + res) */
	bool (*read)(const struct source *s, int64_t *v); /* false: not here */
	int id;
};

extern const struct source sources[];
extern const unsigned source_count;
void sources_start(uint64_t tsc_hz);

/* How strict: on real hardware others take the processor and the clock is steered. */
struct limits {
	long tick, late; /* ns a coarse clock may lag; beyond that */
	long slack; /* a sleep may last longer by so much */
	long steer_ppm; /* RAW and TSC against MONO */
};
extern struct limits limits;

uint64_t draw(uint64_t below);
void fail(const char *what, const char *format, ...) __attribute__((format(printf, 2, 3), noreturn));
/* What the operation that lies is to subtract from its reading; @name says whose turn it is. */
int64_t lie(const char *name, long res);

/* CLOCK_MONOTONIC by a path drawn at random. */
int64_t mono(void);
/* A reading @v of @s that began when the line stood at @before. */
void line_reading(const struct source *s, int64_t v);
/* The line has reached at least @at. */
int64_t line_low(enum line_class c);

/* One wait, or one look at a timer, drawn at random. */
void waits_start(void);
void waits_step(void);
void children_step(void);

#endif
