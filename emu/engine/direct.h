/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guarded direct loads: the guest's loads as host loads at the same address, without the library's look-up.
 * The guest window is [WINDOW_START, WINDOW_END) = [.., 2^46) and everything of the emulator lies above it, so the
 * address a goes through the guard
 *	g = a | (a >> 46) << 47
 * which is a itself inside the window and below, and otherwise has a bit from 47 on set: non-canonical, or in
 * the kernel's half.  No load reaches the emulator; what is no address of the window faults, and the instruction
 * is translated again, alone and with the library's own load, which says what the guest's processor would.
 */
#ifndef VSYSEMU_ENGINE_DIRECT_H
#define VSYSEMU_ENGINE_DIRECT_H

#include "base/types.h"

/* Has this library the names and the layout that are needed?  NULL: yes; else what is missing.  Call after
 * uc_open(). */
const char *direct_missing(void);
/* From now on, translate loads so (or not). */
void direct_enable(bool on);
bool direct_enabled(void);
/* The instruction at @pc is to be translated alone and with the library's own load. */
void direct_avoid(gaddr pc);

/* The code generator's context was made; a block at @pc is about to be translated, of at most the returned number
 * of instructions; it was.  For whoever stands in for the library's functions. */
void direct_context(void *s);
int direct_begin(gaddr pc, int max_insns);
void direct_end(void);

#endif
