/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Every instruction of sse_list.h, once by the processor and once by the engine: the same bytes, called
 * natively and copied into the guest.  RDI: two operands of 16 bytes and MXCSR; RSI: 16 bytes a result.
 */
#include <string.h>
#include <xmmintrin.h>

#include "engine/engine.h"
#include "engine/memory.h"
#include "engine/sse.h"
#include "engine/sse_list.h"

#define PAGES 4
#define DATA_BYTES ((size_t)PAGES * PAGE_BYTES)
#define OUT 64 /* where the results are, behind the operands */
#define MXCSR_MASKS 0x1f80u
#define MXCSR_FTZ_DAZ 0x8040u

#define LOAD "movups (%rdi), %xmm0\n movups 16(%rdi), %xmm1\n"
#define STORE "movups %xmm0, (%rsi)\n add $16, %rsi\n"
#define STORE_RAX "mov %rax, (%rsi)\n add $16, %rsi\n"

#define BINARY(name, insn) LOAD #insn " %xmm1, %xmm0\n" STORE
#define IMMEDIATE(name, insn) LOAD #insn " $3, %xmm0\n" STORE LOAD #insn " $40, %xmm0\n" STORE
#define FLAGS(name, insn) LOAD "xor %eax, %eax\n" #insn " %xmm1, %xmm0\n lahf\n" STORE_RAX
#define FROM_32(name, insn) LOAD #insn " %xmm0, %eax\n" STORE_RAX
#define FROM_64(name, insn) LOAD #insn " %xmm0, %rax\n" STORE_RAX
#define INTO_32(name, insn) LOAD "mov 16(%rdi), %eax\n" #insn " %eax, %xmm0\n" STORE
#define INTO_64(name, insn) LOAD "mov 16(%rdi), %rax\n" #insn " %rax, %xmm0\n" STORE
#define SHUFFLE(name, insn) LOAD #insn " $0x1b, %xmm1, %xmm0\n" STORE LOAD #insn " $0xb2, %xmm0, %xmm0\n" STORE
#define PAIR(name, insn) LOAD #insn " $1, %xmm1, %xmm0\n" STORE LOAD #insn " $2, %xmm1, %xmm0\n" STORE

/* The code and the names of its results follow the same list. */
#define ALL \
	SSE_INTEGER(BINARY) SSE_SHIFT(BINARY) SSE_PACKED(BINARY) SSE_DOUBLE(BINARY) SSE_FLOAT(BINARY) \
	SSE_WIDEN(BINARY) SSE_TO_DOUBLE(BINARY) SSE_TO_FLOAT(BINARY) SSE_SHIFT(IMMEDIATE) \
	SSE_COMPARE_DOUBLE(FLAGS) SSE_COMPARE_FLOAT(FLAGS) SSE_FROM_DOUBLE_32(FROM_32) \
	SSE_FROM_DOUBLE_64(FROM_64) SSE_FROM_FLOAT_32(FROM_32) SSE_FROM_FLOAT_64(FROM_64) \
	SSE_INTO_DOUBLE_32(INTO_32) SSE_INTO_DOUBLE_64(INTO_64) SSE_INTO_FLOAT_32(INTO_32) \
	SSE_INTO_FLOAT_64(INTO_64) FROM_32(, pmovmskb) FROM_32(, movmskpd) FROM_32(, movmskps) \
	SHUFFLE(, shufps) SHUFFLE(, pshufd) PAIR(, shufpd)

void sse_test_code(const void *in, void *out);
extern const uint8_t sse_test_code_end[];
__asm__(".text\n.globl sse_test_code, sse_test_code_end\n.type sse_test_code, @function\n"
	"sse_test_code:\n ldmxcsr 32(%rdi)\n" ALL "sse_test_code_end:\n ret\n"
	".size sse_test_code, . - sse_test_code\n");

#undef BINARY
#undef IMMEDIATE
#undef FLAGS
#undef FROM_32
#undef FROM_64
#undef INTO_32
#undef INTO_64
#undef SHUFFLE
#undef PAIR
#define BINARY(name, insn) #insn,
#define IMMEDIATE(name, insn) #insn, #insn,
#define FLAGS BINARY
#define FROM_32 BINARY
#define FROM_64 BINARY
#define INTO_32 BINARY
#define INTO_64 BINARY
#define SHUFFLE IMMEDIATE
#define PAIR IMMEDIATE
static const char *const names[] = { ALL };
#define RESULTS (sizeof(names) / sizeof(names[0]))
_Static_assert(OUT + 16 * RESULTS <= DATA_BYTES, "the results fit");

static uint64_t random64(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

/* Bits at random, doubles and floats of middling size, special values, small counts. */
static void operands(uint8_t in[36], unsigned round, uint64_t *s)
{
	static const uint64_t special[] = { 0, 1ull << 63, 0x7ff0000000000000, 0xfff8000000000001, 0x7ff0000000000123,
					    0x000fffffffffffff, 0x7f8000007fa00001, 0x0000000180000000 };
	uint32_t mxcsr = MXCSR_MASKS | (round & 3) << 13 | (round & 16 ? MXCSR_FTZ_DAZ : 0);

	for (unsigned i = 0; i < 4; i++) {
		uint64_t v = random64(s);
		double d = (double)(int64_t)v * (round & 4 ? 1e-9 : 1e-17);
		float f[2] = { (float)(int32_t)v * 1e-3f, (float)(int32_t)(v >> 32) * 1e5f };

		switch (random64(s) % 5) {
		case 0:
			memcpy(&v, &d, 8);
			break;
		case 1:
			memcpy(&v, f, 8);
			break;
		case 2:
			v = special[v % 8];
			break;
		case 3:
			v &= round & 8 ? 0x3f : 0xffff0000ffffffff;
			break;
		default:
			break;
		}
		memcpy(in + 8 * i, &v, 8);
	}
	if (!(round % 7))
		memcpy(in, in + 16, 8);
	memcpy(in + 32, &mxcsr, 4);
}

const char *sse_test(struct engine *e, struct memory *mem, gaddr at, unsigned rounds, uint64_t seed)
{
	const gaddr data = at + DATA_BYTES;
	const uint8_t *code = (const uint8_t *)(uintptr_t)sse_test_code;
	const size_t bytes = (size_t)(sse_test_code_end - code);
	const uint8_t leave[] = { 0x0f, 0x05 };
	uint8_t in[36], host[16 * RESULTS] = { 0 }, guest[16 * RESULTS] = { 0 };
	struct trap t;

	if (bytes + sizeof(leave) > DATA_BYTES || memory_poke(mem, at, code, bytes) ||
	    memory_poke(mem, at + bytes, leave, sizeof(leave)))
		return "its code cannot be written";
	for (unsigned i = 0; i < rounds; i++) {
		unsigned mxcsr = _mm_getcsr();

		operands(in, i, &seed);
		sse_test_code(in, host);
		_mm_setcsr(mxcsr);
		memory_poke(mem, data, in, sizeof(in));
		engine_set(e, REG_RIP, at);
		engine_set(e, REG_RDI, data);
		engine_set(e, REG_RSI, data + OUT);
		engine_run(e, &t);
		if (t.kind != TRAP_SYSCALL)
			return "it does not come to its end";
		memory_peek(mem, guest, data + OUT, sizeof(guest));
		for (unsigned k = 0; k < RESULTS; k++)
			if (memcmp(host + 16 * k, guest + 16 * k, 16))
				return names[k];
	}
	return NULL;
}
