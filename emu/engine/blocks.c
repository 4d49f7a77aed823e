/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of each basic block: see blocks.h. */
#include "engine/blocks.h"

#include <string.h>

void blocks_clear(struct blocks *b)
{
	for (size_t i = 0; i < BLOCKS; i++)
		b->at[i].pc = BLOCK_NONE;
}

void blocks_gone(struct blocks *b, gaddr pc)
{
	struct block *s = blocks_slot(b, pc);

	if (s->pc == pc)
		s->flags |= BLOCK_GONE;
}

void block_check(const struct block_source *s, gaddr pc, uint32_t bytes, struct block_walk *w)
{
	gaddr page = page_down(pc), end = pc + bytes, a = pc;

	memset(w, 0, sizeof(*w));
	if (!s->exec(s->ctx, pc)) {
		*w = (struct block_walk){ .stop = BLOCK_NX, .at = pc, .fetch = pc };
		return;
	}
	while (a < end) {
		uint8_t code[16];
		size_t n = s->read(s->ctx, a, code, 15);
		struct legal_insn i = legal_decode(code, n);

		if (page_down(a) != page || page_down(a + i.bytes - 1) != page) {
			gaddr other = page_down(a) != page ? a : page_down(a) + PAGE_BYTES;

			if (!s->exec(s->ctx, other)) {
				w->stop = BLOCK_NX;
				w->at = a;
				w->fetch = other;
				return;
			}
			page = page_down(a);
		}
		if (!i.bytes)
			return;
		w->tsc |= i.verdict == LEGAL_TSC;
		if (i.verdict != LEGAL_OK && (i.verdict != LEGAL_TSC || s->tsc_forbidden)) {
			w->stop = BLOCK_ILLEGAL;
			w->at = a;
			w->verdict = i.verdict;
			return;
		}
		a += i.bytes;
		w->insns++;
	}
	w->whole = a == end;
}

bool block_count(const struct block_source *s, gaddr pc, uint32_t bytes, gaddr rip, uint32_t *insns)
{
	gaddr a = pc;

	*insns = 0;
	if (rip < pc || rip > pc + bytes)
		return false;
	while (a < rip) {
		uint8_t code[16];
		struct legal_insn i = legal_decode(code, s->read(s->ctx, a, code, 15));

		if (!i.bytes)
			return false;
		a += i.bytes;
		++*insns;
	}
	return a == rip;
}

gaddr block_last(const struct block_source *s, gaddr pc, uint32_t bytes)
{
	gaddr a = pc;

	for (;;) {
		uint8_t code[16];
		struct legal_insn i = legal_decode(code, s->read(s->ctx, a, code, 15));

		if (!i.bytes || a + i.bytes >= pc + bytes)
			return a;
		a += i.bytes;
	}
}
