/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verb `calibrate`: measures the machine it runs on and writes a CPU profile.  calibrate_measure.c
 * times loops on the host (and is the only place where the host's own clock is read for a model),
 * calibrate.c turns them into prices of stages.
 */
#ifndef VSYSEMU_CLI_CALIBRATE_H
#define VSYSEMU_CLI_CALIBRATE_H

#include "base/buf.h"
#include "base/err.h"
#include "base/types.h"
#include "facts/model.h"

/* What is timed: X(key, loops a round).  All but the clocks end as core cycles of one repetition. */
#define CALIBRATE_PROBES(X) \
	X(empty, 20000) \
	X(rdtsc, 5000) \
	X(fence, 5000) \
	X(vdso_gettime, 4000) \
	X(vdso_gettimeofday, 4000) \
	X(vdso_time, 20000) \
	X(vdso_getcpu, 10000) \
	X(vdso_coarse, 10000) \
	X(syscall_null, 1000) \
	X(syscall_gettime, 1000) \
	X(syscall_gettimeofday, 1000) \
	X(syscall_time, 1000) \
	X(breakpoint, 100) \
	X(signal, 100) \
	X(touch, 64) \
	X(vsyscall, 300)

enum calibrate_probe {
#define X(key, loops) PROBE_##key,
	CALIBRATE_PROBES(X)
#undef X
	PROBE_COUNT
};

struct calibrate_value {
	double cycles; /* core cycles, median of the rounds; 0: could not be measured */
	double spread; /* (third quartile - first) / median */
};

struct calibrate {
	double core_hz, tsc_hz, clock_spread;
	struct calibrate_value probe[PROBE_COUNT];
	double load_cycles[4]; /* a chained load from L1, L2, L3, memory */
	struct price_class_row class_row[CLASS_COUNT]; /* latency and busy in core cycles; 0: not measured */
};

/* A loop that does something @n times, and what a run of it takes. */
typedef void calibrate_fn(unsigned n);
struct calibrate_value calibrate_loop(calibrate_fn *run, unsigned n);

/* Fill c->class_row; write what of it was measured, uops from @base, as sections of a profile. */
void calibrate_classes(struct calibrate *c);
void calibrate_write_classes(const struct calibrate *c, const struct cpu_model *base, struct buf *b);

/* Measure for about a second.  False: @e (a page of memory or a process could not be had). */
bool calibrate_measure(struct calibrate *c, struct err *e);

#endif
