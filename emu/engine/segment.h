/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions that look into descriptor tables, done by hand over the fixed table that Linux gives a
 * 64-bit process: MOV to a segment register, LSL, LAR, far return, IRET.  Linux
 * arch/x86/include/asm/segment.h; SDM vol. 2.
 */
#ifndef VSYSEMU_ENGINE_SEGMENT_H
#define VSYSEMU_ENGINE_SEGMENT_H

#include "engine/engine.h"

/* The processor as these instructions see it. */
struct segment_cpu {
	void *ctx;
	uint64_t (*get)(void *ctx, enum reg r);
	void (*set)(void *ctx, enum reg r, uint64_t v);
	/* Copies that honour protections: bytes not copied. */
	size_t (*read)(void *ctx, void *dst, gaddr src, size_t n);
	uint32_t cpunode; /* limit of the segment 0x7b: node << 12 | cpu */
};

/* What the instruction ended in; @vector < 0: done, registers and RIP are set. */
struct segment_result {
	int vector; /* VEC_*; -1: none */
	uint32_t error_code;
	gaddr addr; /* #PF */
};

/* Carry out the instruction at RIP, whose bytes are @code (@n of them). */
struct segment_result segment_execute(const struct segment_cpu *c, const uint8_t *code, size_t n);

#endif
