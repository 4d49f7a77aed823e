/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One x86-64 instruction as the block price sees it: length, class, what it reads and writes.  Tables
 * of bytes and no library, because every block that runs is decoded once.  It is an estimate's
 * decoder: it need not judge legality, only find the end of whatever real code contains.
 * Truth: SDM vol. 2, chapters 2 and 3, appendix A.
 */
#ifndef VSYSEMU_FACTS_PRICE_DECODE_H
#define VSYSEMU_FACTS_PRICE_DECODE_H

#include "facts/price.h"

/* Registers as bits: 0-15 general, 16-31 SSE, 32 flags. */
#define PRICE_SSE 16u
#define PRICE_FLAGS 32u
#define PRICE_REGISTERS 33u

struct price_insn {
	uint8_t bytes;
	uint8_t cls; /* enum price_class */
	bool load, store;
	bool vec; /* works on SSE registers */
	bool lock, rep;
	bool fusible; /* joins a conditional jump behind it */
	bool idle; /* zero idiom or nop: issued, executed by no port */
	bool move; /* register to register */
	bool rdtsc, fence;
	uint64_t reads, writes, address; /* address: what the memory operand is computed from */
};

/* Decode the instruction at @p, @n bytes at hand.  False: they do not hold one that is known. */
bool price_decode(const uint8_t *p, uint32_t n, struct price_insn *out);

#endif
