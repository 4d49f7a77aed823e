/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Branch misses of a run: see branches.h. */
#include "run/branches.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "engine/legal.h"
#include "facts/predict.h"

/* Instructions.  A window's first part warms the predictor up, to which it is unknown what happened since the
 * last one: misses there do not count.  Those of the first window are the program's own and are charged, but
 * its start is no measure of what comes after.  docs/models.md says what sampling costs. */
#define WINDOW_FIRST 1000000u
#define WARM_FIRST 500000u
#define WINDOW 200000u
#define WARM 50000u
#define PERIOD 10000000u

#define FRACTION 16 /* bits below 1/16 cycle */
#define SEEN 16384u

struct seen {
	gaddr pc;
	uint32_t bytes;
	uint32_t kind; /* enum branch_kind */
};

struct branches {
	struct memory *mem;
	struct predictor *predictor;
	uint64_t miss, indirect_miss; /* price of each, with FRACTION */
	struct seen seen[SEEN];
	struct seen last; /* the block told before */
	bool last_priced;
	bool open, counting; /* in a window; misses are charged as they come */
	bool warm; /* past the window's first part */
	uint64_t start, warm_at, end; /* of the window, in instructions */
	uint64_t from_insns, from_cost; /* where the measure began */
	uint64_t lost; /* in this window, with FRACTION */
	uint64_t rate_lost, rate_insns, rate_cost; /* of the last window */
	uint64_t charged_to; /* instructions, outside of windows */
	uint64_t due; /* with FRACTION */
};

struct branches *branches_new(const struct cpu_model *c, struct memory *mem)
{
	struct branches *b;

	if (c->core.branch_miss_cycles <= 0 || c->core.width <= 0)
		return NULL;
	b = xcalloc(1, sizeof(*b));
	b->mem = mem;
	b->predictor = predictor_new();
	b->miss = (uint64_t)(c->core.branch_miss_cycles * 16 * (1 << FRACTION));
	b->indirect_miss = (uint64_t)((double)b->miss * c->core.indirect_miss_part);
	return b;
}

void branches_free(struct branches *b)
{
	if (b)
		predictor_free(b->predictor);
	free(b);
}

/* How the block of @bytes bytes at @pc ends. */
static enum branch_kind kind_of(struct branches *b, gaddr pc, uint32_t bytes)
{
	struct seen *s = &b->seen[(pc ^ pc >> 14) & (SEEN - 1)];
	gaddr end = pc + bytes;

	if (s->pc == pc && s->bytes == bytes)
		return (enum branch_kind)s->kind;
	*s = (struct seen){ pc, bytes, BRANCH_NONE };
	for (gaddr a = pc; a < end;) {
		uint8_t code[16];
		struct legal_insn i = legal_decode(code, sizeof(code) - memory_peek(b->mem, code, a, sizeof(code)));

		if (!i.bytes)
			break;
		if (a + i.bytes == end)
			s->kind = branch_of(code, i.bytes);
		a += i.bytes;
	}
	return (enum branch_kind)s->kind;
}

/* Between windows: the last one's rate. */
static void charge_to(struct branches *b, uint64_t insns)
{
	if (b->rate_insns)
		b->due += (uint64_t)((unsigned __int128)b->rate_lost * (insns - b->charged_to) / b->rate_insns);
	b->charged_to = insns;
}

static void window_open(struct branches *b, uint64_t insns)
{
	b->open = true;
	b->start = insns;
	b->counting = !b->rate_insns;
	b->warm_at = insns + (b->rate_insns ? WARM : WARM_FIRST);
	b->end = insns + (b->rate_insns ? WINDOW : WINDOW_FIRST);
}

static uint64_t window_close(struct branches *b, const struct branches_at *at)
{
	b->open = b->counting = b->warm = false;
	b->rate_lost = b->lost;
	b->rate_insns = at->insns - b->from_insns;
	b->rate_cost = at->cost - b->from_cost;
	b->charged_to = at->insns;
	return b->start + PERIOD;
}

static void measure_begin(struct branches *b, const struct branches_at *at)
{
	if (!b->counting)
		charge_to(b, at->insns);
	b->counting = b->warm = true;
	b->lost = 0;
	b->from_insns = at->insns;
	b->from_cost = at->cost;
}

static void went(struct branches *b, gaddr target)
{
	enum branch_kind kind = (enum branch_kind)b->last.kind;
	gaddr end = b->last.pc + b->last.bytes;
	uint64_t lost;

	if (b->last_priced) {
		predictor_follow(b->predictor, kind, end);
		return;
	}
	if (!predictor_branch(b->predictor, kind, end, target) || !b->counting)
		return;
	lost = kind == BRANCH_JMP_INDIRECT || kind == BRANCH_CALL_INDIRECT ? b->indirect_miss : b->miss;
	b->lost += lost;
	b->due += lost;
}

uint64_t branches_block(struct branches *b, const struct branches_at *at)
{
	bool again = b->open;

	if (!b->open)
		window_open(b, at->insns);
	if (!b->warm && at->insns >= b->warm_at)
		measure_begin(b, at);
	if (again && at->follows && b->last.kind != BRANCH_NONE)
		went(b, at->pc);
	if (at->insns >= b->end)
		return window_close(b, at);
	b->last = (struct seen){ at->pc, at->bytes, kind_of(b, at->pc, at->bytes) };
	b->last_priced = at->priced;
	return 0;
}

void branches_moved(struct branches *b)
{
	memset(b->seen, 0, sizeof(b->seen));
	b->last.kind = BRANCH_NONE;
}

uint64_t branches_take(struct branches *b, uint64_t insns)
{
	uint64_t whole;

	if (!b->counting)
		charge_to(b, insns);
	whole = b->due >> FRACTION;
	b->due -= whole << FRACTION;
	return whole;
}

uint64_t branches_blocks_alone(const struct branches *b, uint64_t cost16)
{
	uint64_t lost = b->rate_lost >> FRACTION;

	if (!b->rate_cost)
		return cost16;
	return (uint64_t)((unsigned __int128)cost16 * b->rate_cost / (b->rate_cost + lost));
}
