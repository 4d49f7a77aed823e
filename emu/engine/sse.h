/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * SSE instructions executed by the host's very instructions: bit-equal to the processor, NaN payloads,
 * rounding modes, FTZ and DAZ included, where the library's helpers are slow and not always right.
 * sse_list.h has which.
 */
#ifndef VSYSEMU_ENGINE_SSE_H
#define VSYSEMU_ENGINE_SSE_H

#include "base/types.h"

struct engine;
struct memory;

/* Does the library export every helper that is replaced?  False leaves the library's own in use. */
bool sse_possible(void);
/* Use the host's instructions, or the library's helpers; at start it is the latter. */
void sse_use(bool host);

/* Run every replaced instruction @rounds times on random operands from @seed, under every rounding mode, natively
 * and in @e, where 8 pages are mapped at @at (readable, writable, executable).
 * Returns the name of the first instruction whose result differs, what else went wrong, or NULL. */
const char *sse_test(struct engine *e, struct memory *mem, gaddr at, unsigned rounds, uint64_t seed);

#endif
