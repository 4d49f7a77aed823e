/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What libunicorn 2.0.1 needs to be usable, done from outside: the library exports its internal symbols
 * and calls them through its PLT, so definitions of the same names in the executable win.
 *   - its stores never leave the slow path (TLB_NOTDIRTY is not cleared): repaired here;
 *   - RDTSC has no hook: cpu_get_tsc is replaced;
 *   - its CPU lacks feature bits that baseline programs use: widened.
 * With another library the repair is off and the program runs on, slower.
 */
#ifndef VSYSEMU_ENGINE_REPAIR_H
#define VSYSEMU_ENGINE_REPAIR_H

#include "base/types.h"

/* What the replaced functions need and learn; one engine a process, so one struct. */
struct repair {
	uint64_t (*tsc)(void *ctx); /* value of RDTSC; NULL: the host's */
	void *tsc_ctx;
	void *cpu, *uc; /* captured when the library first runs */
	void *env; /* of the last RDTSC */
	/* The library takes a second exception for a double fault and a third for a triple one, because
	 * it never sees the first one's handler: its note of the exception in flight, -1: none.  NULL: not
	 * found (selftest.c looks for it). */
	int32_t *in_flight;
	/* Told of every translation that is dropped, by its first address; and, with the registers exact,
	 * of a block that patched itself and goes on with one instruction at a time.  NULL: nobody. */
	void (*gone)(void *ctx, gaddr pc);
	void (*patched_itself)(void *ctx);
	void (*enter)(void *ctx); /* before the library looks for the first block to run */
	void *ctx; /* of these three */
	uint64_t slow_stores, code_stores; /* counters for the self-test */
	bool page_unreadable; /* loads of the vsyscall page fault: a fetch must not let them in */
	bool enabled; /* the store repair is on */
};
extern struct repair repair;

/* Is this the library whose internals are known here?  Call before uc_open(). */
bool repair_possible(void);
/* Does the page of guest window address @a hold translated code? */
bool repair_has_code(gaddr a);
/* Call @fn for each run of pages with code inside [@start, @end), and forget that they have it. */
void repair_each_code_page(gaddr start, gaddr end, void (*fn)(void *ctx, gaddr start, gaddr end),
			   void *ctx);

/* cpu_restore_state and cpu_loop_exit of the library; false: not exported. */
bool repair_can_unwind(void);
void repair_restore(uintptr_t host_pc);
void repair_loop_exit(void) __attribute__((noreturn));

#endif
