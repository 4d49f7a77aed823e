/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The price of the program's own instructions: a basic block costs the larger of what its ports
 * allow and what its dependencies demand, from the structure and the class table of the CPU profile.
 * Where a profile has no structure: its mean cycles per instruction.  Knows no policy, no kernel.
 */
#ifndef VSYSEMU_FACTS_PRICE_H
#define VSYSEMU_FACTS_PRICE_H

#include "base/types.h"

struct cpu_model;

/* Instruction classes: X(key, meaning).  Key class_KEY of a CPU profile has latency, uops, busy. */
#define PRICE_CLASSES(X) \
	X(alu, "add, sub, logic, cmp, test, inc, dec") \
	X(mov, "register to register or immediate, movzx, movsx") \
	X(jcc, "conditional jump") \
	X(jmp, "direct jump") \
	X(jmpi, "indirect jump") \
	X(call, "call") \
	X(ret, "return") \
	X(push, "push") \
	X(pop, "pop") \
	X(lea, "lea of at most two components") \
	X(lea3, "lea of three components") \
	X(shift, "shift or rotate by a constant") \
	X(shcl, "shift by CL, double shift") \
	X(cmov, "cmov, setcc, adc, sbb") \
	X(imul, "imul of two or three operands") \
	X(mulw, "multiply to a double-width result") \
	X(div32, "32-bit divide") \
	X(div64, "64-bit divide") \
	X(bits, "bsf, bsr, popcnt, crc32") \
	X(xchg, "xchg, bswap, xadd") \
	X(lock, "locked operation, beyond its parts") \
	X(nop, "nop") \
	X(vmov, "SSE move") \
	X(vint, "SSE integer add, logic, compare") \
	X(vshift, "SSE integer shift") \
	X(vshuf, "SSE shuffle, pack, unpack") \
	X(vmul, "SSE integer multiply") \
	X(vgpr, "SSE to general register and back") \
	X(fpadd, "floating-point add, compare to mask, min, max") \
	X(fpmul, "floating-point multiply") \
	X(fpcmp, "floating-point compare to flags") \
	X(fpdiv, "floating-point divide") \
	X(fpsqrt, "floating-point square root") \
	X(cvt, "floating-point conversion") \
	X(aes, "aes, carry-less multiply") \
	X(x87, "x87 arithmetic") \
	X(other, "anything else") \
	X(load, "load") \
	X(store, "store") \
	X(string, "string operation, a repetition")

enum price_class {
#define X(key, meaning) CLASS_##key,
	PRICE_CLASSES(X)
#undef X
	CLASS_COUNT
};

/* Cycles, count, and cycles of one port; all 0: not known. */
struct price_class_row {
	double latency, uops, busy;
};

/* The core around the classes. */
struct price_core {
	double width; /* uops a cycle; 0: structure not known */
	double alu, load, store, branch, shift, vec, shuf, fp; /* ports of each kind */
	double elim; /* 1: register moves need no port and no time */
	double lea3_slow; /* lea3 competes with imul when above 0 */
	double load_latency, vec_load_latency, forward; /* cycles */
	double scale, chain_weight; /* KC and KN of docs/models.md */
	double branch_miss_cycles, indirect_miss_part; /* the part: of an indirect jump */
	double l1_cycles, l2_cycles, l3_cycles, memory_cycles;
};

/* Price of the basic block of @insns instructions in @code, in 1/16 core cycles. */
uint32_t price_block(const struct cpu_model *c, const uint8_t *code, uint32_t bytes, uint32_t insns);

#endif
