/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where do addresses of the vsyscall page go in one function?  A small abstract interpretation over
 * its control flow: registers and stack slots hold what they may be, constants are folded through
 * mov, lea, add, sub, shl, or, neg, not, and loads from words that hold page addresses.  Pure.
 */
#ifndef VSYSEMU_FACTS_FLOW_H
#define VSYSEMU_FACTS_FLOW_H

#include "base/types.h"
#include "facts/insn.h"

enum flow_use {
	FLOW_USE_CALL, /* control goes to the page (call, jmp, push + ret) */
	FLOW_USE_READ, /* a load from the page */
	FLOW_USE_STORE, /* a page address is stored outside the stack: a fallback pointer */
	FLOW_USE_RETURN, /* a page address is the return value: an IFUNC resolver */
	FLOW_USE_COMPARE, /* only compared */
	FLOW_USE_PASS /* passed to a function that is not followed */
};

/* Entries as bits: 1 gettimeofday, 2 time, 4 getcpu, 8 another or an unknown offset. */
unsigned flow_entry_bits(gaddr a); /* 0: not an address of the page */

struct flow_host {
	void *ctx;
	/* Code bytes from @a on: NULL or a pointer with *n bytes. */
	const uint8_t *(*code)(void *ctx, gaddr a, size_t *n);
	/* The 64-bit word stored at @a in the file, relocations applied as far as known. */
	bool (*word)(void *ctx, gaddr a, uint64_t *v, bool *writable);
	/* One use found at instruction @at.  @sure: no other value is possible there. */
	void (*use)(void *ctx, enum flow_use use, gaddr at, unsigned entries, bool sure);
};

/* Follow the function at @start (not past @end; 0: unknown).  @seed, if not 0, is an instruction that
 * is visited even if no path from @start was found to it. */
void flow_function(struct insn_decoder *d, const struct flow_host *h, gaddr start, gaddr end,
		   gaddr seed);

#endif
