/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the library would execute but a processor at CPL 3 would not, or would do otherwise: found by a
 * length decoder when a block is first seen.  64-bit code.  SDM vol. 2, appendix A (opcode maps).
 */
#ifndef VSYSEMU_ENGINE_LEGAL_H
#define VSYSEMU_ENGINE_LEGAL_H

#include "base/types.h"

enum legal {
	LEGAL_OK,
	LEGAL_GP, /* privileged: #GP(0) */
	LEGAL_UD, /* not on this processor (VEX, EVEX, XSAVE...) or not in 64-bit mode: #UD */
	LEGAL_TSC, /* RDTSC, RDTSCP: #GP(0) while forbidden */
	LEGAL_SEGMENT, /* MOV Sreg, LSL, LAR: needs descriptor tables, done by hand */
	LEGAL_FAR /* far return, IRET: the same */
};

struct legal_insn {
	uint8_t bytes; /* length; 0: not known (truncated or beyond 15 bytes) */
	uint8_t verdict; /* enum legal */
	bool branch; /* ends a basic block */
};

/* Look at one instruction at @p, at most @n bytes long. */
struct legal_insn legal_decode(const uint8_t *p, size_t n);

/* Does the instruction read its memory operand in order to write it back?  Its faults are write faults then
 * (SDM vol. 3, 4.7), though the library loads first. */
bool legal_modifies_memory(const uint8_t *p, size_t n);

#endif
