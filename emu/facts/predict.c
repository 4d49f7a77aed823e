/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The predictor: see predict.h.  Conditional jumps by TAGE (A. Seznec, P. Michaud, "A case for (partially)
 * tagged geometric history length branch predictors", JILP 8, 2006): the longest history whose tag
 * matches decides; after a miss an entry of a longer one is taken.
 */
#include "facts/predict.h"

#include <stdlib.h>

#include "base/buf.h"

enum {
	TABLES = 6, ROWS_LOG = 11, ROWS = 1 << ROWS_LOG, TAG_MASK = 0x3ff,
	BASE_ROWS = 8192, TARGETS = 2048, STACK = 32,
	COUNT_MAX = 3, COUNT_MIN = -4, /* of a tagged entry; taken from 0 */
	BASE_MAX = 1, BASE_MIN = -2, USEFUL_MAX = 3
};

/* Branches that the index of each table looks back. */
static const uint8_t history_length[TABLES] = { 4, 8, 14, 24, 40, 63 };

struct entry {
	uint16_t tag; /* 0: free */
	int8_t count, useful;
};

struct predictor {
	struct entry tagged[TABLES][ROWS];
	int8_t base[BASE_ROWS];
	uint64_t history; /* latest conditional jump in bit 0 */
	gaddr target[TARGETS], stack[STACK];
	uint64_t path; /* where indirect jumps went lately */
	unsigned top; /* of the stack; it wraps */
};

struct predictor *predictor_new(void)
{
	return xcalloc(1, sizeof(struct predictor));
}

void predictor_free(struct predictor *p)
{
	free(p);
}

/* The latest @length branches, folded to @bits. */
static uint32_t fold(uint64_t history, unsigned length, unsigned bits)
{
	uint64_t h = history & ((1ull << length) - 1), f = 0;

	for (; h; h >>= bits)
		f ^= h;
	return (uint32_t)(f & ((1u << bits) - 1));
}

struct place {
	struct entry *e;
	uint16_t tag;
};

static struct place place(struct predictor *p, unsigned t, gaddr pc)
{
	uint64_t a = pc ^ pc >> (5 + t);
	uint32_t row = (uint32_t)(a ^ fold(p->history, history_length[t], ROWS_LOG)) & (ROWS - 1);
	uint32_t tag = (uint32_t)(pc >> 3 ^ pc >> 12 ^ fold(p->history, history_length[t], 9) * 3u) & TAG_MASK;

	return (struct place){ &p->tagged[t][row], (uint16_t)(tag | (TAG_MASK + 1)) };
}

static void count(int8_t *c, bool up, int low, int high)
{
	if (up && *c < high)
		++*c;
	else if (!up && *c > low)
		--*c;
}

/* An entry of a longer history for a branch that was missed. */
static void take_entry(struct place *at, int from, bool taken)
{
	for (int t = from; t < TABLES; t++)
		if (!at[t].e->useful) {
			*at[t].e = (struct entry){ at[t].tag, taken ? 0 : -1, 0 };
			return;
		}
	for (int t = from; t < TABLES; t++)
		at[t].e->useful--;
}

static bool conditional(struct predictor *p, gaddr pc, bool taken)
{
	int8_t *base = &p->base[(pc ^ pc >> 13) & (BASE_ROWS - 1)];
	struct place at[TABLES];
	int provider = -1;
	bool other = *base >= 0, guess = other; /* without the provider; in the end */

	for (int t = 0; t < TABLES; t++) {
		at[t] = place(p, (unsigned)t, pc);
		if (at[t].e->tag != at[t].tag)
			continue;
		if (provider >= 0)
			other = at[provider].e->count >= 0;
		provider = t;
	}
	if (provider >= 0) {
		struct entry *e = at[provider].e;
		bool own = e->count >= 0, fresh = !e->useful && (e->count == 0 || e->count == -1);

		guess = fresh ? other : own;
		if (own != other)
			count(&e->useful, own == taken, 0, USEFUL_MAX);
		count(&e->count, taken, COUNT_MIN, COUNT_MAX);
	} else {
		count(base, taken, BASE_MIN, BASE_MAX);
	}
	if (guess != taken)
		take_entry(at, provider + 1, taken);
	p->history = p->history << 1 | taken;
	return guess != taken;
}

static bool indirect(struct predictor *p, gaddr pc, gaddr target)
{
	gaddr *t = &p->target[(pc ^ pc >> 11 ^ p->path ^ p->path >> 11 ^ p->path >> 22) & (TARGETS - 1)];
	bool missed = *t != target;

	*t = target;
	p->path = (p->path << 5 ^ target ^ target >> 7) & 0xffffffff;
	return missed;
}

void predictor_follow(struct predictor *p, enum branch_kind kind, gaddr end)
{
	if (kind == BRANCH_CALL || kind == BRANCH_CALL_INDIRECT)
		p->stack[++p->top % STACK] = end;
	else if (kind == BRANCH_RET)
		p->top--;
}

bool predictor_branch(struct predictor *p, enum branch_kind kind, gaddr end, gaddr target)
{
	gaddr back = p->stack[p->top % STACK];

	predictor_follow(p, kind, end);
	switch (kind) {
	case BRANCH_JCC:
		return conditional(p, end, target != end);
	case BRANCH_RET:
		return back != target;
	case BRANCH_JMP_INDIRECT:
	case BRANCH_CALL_INDIRECT:
		return indirect(p, end, target);
	case BRANCH_NONE:
	case BRANCH_JMP:
	case BRANCH_CALL:
	default:
		return false;
	}
}

static bool is_prefix(uint8_t b)
{
	return b == 0xf2 || b == 0xf3 || b == 0x66 || b == 0x67 || b == 0x2e || b == 0x36 || b == 0x3e ||
	       b == 0x26 || b == 0x64 || b == 0x65 || (b & 0xf0) == 0x40;
}

/* SDM vol. 2, appendix A. */
enum branch_kind branch_of(const uint8_t *code, size_t bytes)
{
	size_t i = 0;

	while (i < bytes && is_prefix(code[i]))
		i++;
	if (i == bytes)
		return BRANCH_NONE;
	switch (code[i]) {
	case 0xe8:
		return BRANCH_CALL;
	case 0xe9: case 0xeb:
		return BRANCH_JMP;
	case 0xc2: case 0xc3:
		return BRANCH_RET;
	case 0x0f:
		return i + 1 < bytes && (code[i + 1] & 0xf0) == 0x80 ? BRANCH_JCC : BRANCH_NONE;
	case 0xff:
		switch (i + 1 < bytes ? code[i + 1] >> 3 & 7 : 0) {
		case 2:
			return BRANCH_CALL_INDIRECT;
		case 4:
			return BRANCH_JMP_INDIRECT;
		default:
			return BRANCH_NONE;
		}
	default:
		return (code[i] & 0xf0) == 0x70 || (code[i] >= 0xe0 && code[i] <= 0xe3) ? BRANCH_JCC : BRANCH_NONE;
	}
}
