/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is known of each basic block: a direct-mapped table keyed by its first address, and the walks over
 * its instructions.  Private to the engine floor; knows no Unicorn and no guest memory beyond a reader.
 */
#ifndef VSYSEMU_ENGINE_BLOCKS_H
#define VSYSEMU_ENGINE_BLOCKS_H

#include "base/types.h"
#include "engine/legal.h"

enum {
	BLOCK_ZONE = 1, /* ask the owner before it runs */
	BLOCK_GONE = 2, /* its translation was dropped: look again */
	BLOCK_TSC = 4, /* has an RDTSC or RDTSCP */
	BLOCK_REP = 8 /* one iteration of REP MOVS or REP STOS */
};

struct block {
	gaddr pc;
	uint32_t bytes, insns;
	uint32_t cost; /* 1/16 core cycles */
	uint32_t flags;
};

#define BLOCKS 65536u
#define BLOCK_NONE 0u /* a pc that no block has: nothing is mapped there */

struct blocks {
	struct block at[BLOCKS];
};

static inline struct block *blocks_slot(struct blocks *b, gaddr pc)
{
	return &b->at[(pc ^ pc >> 16) & (BLOCKS - 1)];
}

/* Forget all.  Zeroed memory is clear as it is. */
void blocks_clear(struct blocks *b);
/* The translation of the block at @pc was dropped. */
void blocks_gone(struct blocks *b, gaddr pc);

/* Bytes of code at @a, up to @n: the number read. */
typedef size_t block_reader(void *ctx, gaddr a, uint8_t *dst, size_t n);
/* May code at @a (its page) be executed? */
typedef bool block_exec(void *ctx, gaddr a);

struct block_source {
	void *ctx;
	block_reader *read;
	block_exec *exec;
	bool tsc_forbidden;
};

/* Where a walk over a block's instructions stopped, and why. */
enum block_stop {
	BLOCK_END, /* at the end; nothing to object to */
	BLOCK_ILLEGAL, /* the instruction at @at has verdict @verdict */
	BLOCK_NX /* the instruction at @at needs bytes at @fetch, whose page is not executable */
};
struct block_walk {
	enum block_stop stop;
	gaddr at, fetch;
	enum legal verdict;
	uint32_t insns; /* before @at */
	bool tsc; /* an RDTSC was seen */
	bool whole; /* BLOCK_END: every instruction was decoded, the last ends at the end */
};
/* Walk the instructions of [@pc, @pc + @bytes) for objections. */
void block_check(const struct block_source *s, gaddr pc, uint32_t bytes, struct block_walk *w);

/* Instructions of a block from @pc to @rip (exclusive); false: @rip is no instruction of it. */
bool block_count(const struct block_source *s, gaddr pc, uint32_t bytes, gaddr rip, uint32_t *insns);
/* Address of the last instruction of [@pc, @pc + @bytes). */
gaddr block_last(const struct block_source *s, gaddr pc, uint32_t bytes);

#endif
