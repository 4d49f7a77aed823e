/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What mispredicted branches cost a run.  A predictor follows the program in windows that are counted in
 * instructions, so that the same run gives the same cycles: its first million, then some of every ten
 * million; between windows the rate of the last one is charged.
 */
#ifndef VSYSEMU_RUN_BRANCHES_H
#define VSYSEMU_RUN_BRANCHES_H

#include "engine/memory.h"
#include "facts/model.h"

struct branches;

/* NULL when the misses of profile @c cost nothing.  @mem: where the program's code is; borrowed. */
struct branches *branches_new(const struct cpu_model *c, struct memory *mem);
void branches_free(struct branches *b);

/* A block that is about to run. */
struct branches_at {
	gaddr pc;
	uint32_t bytes;
	bool follows; /* the block told before led here by itself */
	bool priced; /* its branches are in a price of its own: only calls and returns are followed */
	uint64_t insns, cost; /* of the run before it: instructions, 1/16 cycles of blocks */
};

/* Returns the number of instructions from which it wants to be told again; 0: the next block. */
uint64_t branches_block(struct branches *b, const struct branches_at *at);

/* Another program lies in memory now. */
void branches_moved(struct branches *b);

/* Cycles (1/16) to charge since the last call; @insns have run. */
uint64_t branches_take(struct branches *b, uint64_t insns);

/* How much of @cost16 the blocks themselves would be, going by the last window: for a deadline that is
 * counted in those. */
uint64_t branches_blocks_alone(const struct branches *b, uint64_t cost16);

#endif
