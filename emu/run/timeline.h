/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls over virtual time: a histogram in each account (struct history), and, on demand, the calls one
 * by one in a bounded buffer that the tree of processes shares.
 */
#ifndef VSYSEMU_RUN_TIMELINE_H
#define VSYSEMU_RUN_TIMELINE_H

#include "kernel/kernel.h"

struct timeline_call {
	uint64_t start_ns, end_ns; /* V since the start of the run */
	gaddr caller; /* return address; 0: not known */
	uint32_t cycles16; /* what was charged */
	int32_t pid, tid; /* virtual */
	uint16_t nr; /* system call number; TIMELINE_UNKNOWN: outside the table */
	uint8_t path; /* enum call_path */
	bool refused;
};
#define TIMELINE_MAX 65536u
#define TIMELINE_UNKNOWN 0xffffu

struct timeline;

/* NULL without memory, which every function below takes for an empty one. */
struct timeline *timeline_new(void);
void timeline_free(struct timeline *t);
/* Add @c, whose start_ns is V as the clock has it and whose end is now; kept while there is room.  Time
 * calls are counted in the histogram of @k's account as well. */
void timeline_note(struct timeline *t, struct kernel *k, struct timeline_call c);
/* Calls in the order of their start; the number kept, and in *@dropped those for which there was no room. */
size_t timeline_sort(struct timeline *t, size_t *dropped);
const struct timeline_call *timeline_at(const struct timeline *t, size_t i);

#endif
