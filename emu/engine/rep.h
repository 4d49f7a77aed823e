/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * REP MOVS and REP STOS many iterations at a time (SDM vol. 2, REP): what can be done in one piece exactly as one
 * by one.  Upwards, 64-bit addresses, no segment, no overlap that would show, inside a page; the rest is left.
 */
#ifndef VSYSEMU_ENGINE_REP_H
#define VSYSEMU_ENGINE_REP_H

#include "base/types.h"

struct rep {
	bool load; /* MOVS */
	unsigned size; /* bytes of an element */
};

/* Is the instruction in [@code, @code + @n), all of it, one of them? */
bool rep_decode(const uint8_t *code, size_t n, struct rep *r);

/* Up to @count iterations at @rdi (and @rsi), which are moved on: how many were done.  @rax: what STOS stores.
 * Stops before what would fault and before pages that hold translated code. */
uint64_t rep_do(const struct rep *r, uint64_t *rdi, uint64_t *rsi, uint64_t rax, uint64_t count);

#endif
