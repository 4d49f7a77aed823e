/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions and cost counted by the translated code itself: each block begins with a subtraction from one
 * word, whose sign is tested where the library tests for an exit request.  Upper half: what is left, minus one,
 * in cost and instructions together, so that a block without a price counts as well; lower half: instructions done.
 */
#ifndef VSYSEMU_ENGINE_COUNT_H
#define VSYSEMU_ENGINE_COUNT_H

#include "base/types.h"

#define COUNT_LEFT_MAX ((uint64_t)1 << 26) /* given at once: an interrupt that is lost comes after it */

/* What a block is charged when it starts, and the number by which it is known (0: none). */
struct count_block {
	uint32_t insns, cost, id;
};

struct count_ops {
	void *ctx;
	/* The block at @pc is about to be translated: the time to hook it. */
	void (*translating)(void *ctx, gaddr pc);
	/* The block of @bytes and @insns at @pc was translated and is about to run; from the translator. */
	struct count_block (*translated)(void *ctx, gaddr pc, uint32_t bytes, uint32_t insns);
	/* Nothing is left, at the start of block number @id: it runs if the call-back gives something. */
	void (*start)(void *ctx, uint32_t id);
	/* It did not: translated code was left.  Must make the library stop. */
	void (*due)(void *ctx);
};

/* Does this library have what is needed?  The context must exist. */
bool count_possible(void);
/* From the next translation on.  @env is CPUX86State.  What was translated before is not counted. */
void count_start(void *env, const struct count_ops *ops);
void count_end(void);
bool count_on(void);

/* Let blocks start until their cost (1/16 cycles) and instructions add up to @left, COUNT_LEFT_MAX at most; 0:
 * none, 1: one.  Call count_take() first. */
void count_give(uint64_t left);
/* Add what was counted since the last call, and give nothing.  Returns the number of the block that ran last,
 * 0 if none did since the last call. */
uint32_t count_take(uint64_t *insns, uint64_t *cost);
/* The same sums without taking. */
void count_peek(uint64_t *insns, uint64_t *cost);
/* Be due soon.  Async-signal-safe; may get lost while a block starts. */
void count_interrupt(void);

#endif
