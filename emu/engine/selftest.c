/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine tries itself: see selftest.h. */
#include "engine/selftest.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/direct.h"
#include "engine/memory.h"
#include "engine/repair.h"
#include "engine/sse.h"

#define CODE ((gaddr)0x100000)
#define DATA ((gaddr)0x200000)
#define NOWHERE ((gaddr)0x300000)
#define STORES 4000u
#define SLOW_STORES_MAX 100u

/* mov $STORES,%ecx; 1: mov %rcx,(%rdi); dec %ecx; jnz 1b; rdtsc; inc %r8; mov (%rsi),%r9; inc %r8; syscall */
static const uint8_t code[] = { 0xb9, STORES & 0xff, STORES >> 8 & 0xff, STORES >> 16 & 0xff, 0,
				0x48, 0x89, 0x0f, 0xff, 0xc9, 0x75, 0xf9, 0x0f, 0x31, 0x49, 0xff, 0xc0,
				0x4c, 0x8b, 0x0e, 0x49, 0xff, 0xc0, 0x0f, 0x05 };
#define FAULT_AT 17 /* offset of the load */
#define INSNS_TO_FAULT (1 + 3 * (uint64_t)STORES + 2)

static const char *run(struct engine *e, struct memory *mem)
{
	uint64_t before = engine_insns(e), v = 0;
	struct trap t;

	if (memory_poke(mem, CODE, code, sizeof(code)))
		return "its code cannot be written";
	engine_set(e, REG_RIP, CODE);
	engine_set(e, REG_RDI, DATA);
	engine_set(e, REG_RSI, NOWHERE);
	engine_set(e, REG_R8, 7);
	engine_run(e, &t);
	if (t.kind != TRAP_EXCEPTION || t.vector != VEC_PF || t.addr != NOWHERE || t.error_code != PF_U ||
	    t.rip != CODE + FAULT_AT || engine_get(e, REG_R8) != 8)
		return "a fault is not exact";
	if (engine_insns(e) - before != INSNS_TO_FAULT)
		return "instructions are miscounted";
	if (repair.enabled && repair.slow_stores > SLOW_STORES_MAX)
		return "stores stay slow";
	if (!repair.env)
		return "RDTSC cannot be intercepted";
	memory_peek(mem, &v, DATA, 8);
	engine_set(e, REG_RSI, DATA);
	engine_run(e, &t);
	if (t.kind != TRAP_SYSCALL || t.rip != CODE + sizeof(code) || engine_get(e, REG_R9) != v || v != 1 ||
	    engine_get(e, REG_R8) != 9)
		return "it does not go on after a fault";
	return NULL;
}

/* xor %ecx,%ecx; div %ecx; syscall, so that the block ends */
static const uint8_t divide[] = { 0x31, 0xc9, 0xf7, 0xf1, 0x0f, 0x05 };
#define DIVIDE (CODE + 2048) /* code that was run already is not looked at again */
#define ENV_WORDS 1536u /* 32-bit; the library's register file is larger */

static bool divides(struct engine *e)
{
	struct trap t;

	engine_set(e, REG_RIP, DIVIDE);
	engine_run(e, &t);
	return t.kind == TRAP_EXCEPTION && t.vector == VEC_DE && t.rip == DIVIDE + 2;
}

/* The word that says -1 before an exception and its vector, 0, afterwards. */
static const char *find_in_flight(struct engine *e, struct memory *mem)
{
	int32_t before[ENV_WORDS];
	int32_t *env = repair.env, *found = NULL;

	if (memory_poke(mem, DIVIDE, divide, sizeof(divide)))
		return "its code cannot be written";
	repair.in_flight = NULL; /* it would be put back before it is seen */
	memcpy(before, env, sizeof(before));
	if (!divides(e))
		return "a division by zero is not told";
	for (unsigned i = 0; i < ENV_WORDS; i++) {
		if (before[i] != -1 || env[i])
			continue;
		if (found)
			return "the exception in flight is not found";
		found = &env[i];
	}
	if (!found)
		return "the exception in flight is not found";
	*found = -1;
	repair.in_flight = found;
	return divides(e) && divides(e) ? NULL : "a second exception is another one";
}

/* mov (%rsi),%r9; syscall */
static const uint8_t load[] = { 0x4c, 0x8b, 0x0e, 0x0f, 0x05 };
#define LOAD (CODE + 1024)

/* Is what lies outside of the window out of reach, told exactly, twice, and what lies inside not? */
static const char *loads(struct engine *e, struct memory *mem)
{
	const uint64_t outside[] = { (uint64_t)(uintptr_t)load, (uint64_t)(uintptr_t)&mem, (uint64_t)1 << 46,
				     (uint64_t)1 << 47, UINT64_MAX << 47 };
	struct trap t;

	if (memory_poke(mem, LOAD, load, sizeof(load)))
		return "its code cannot be written";
	for (unsigned i = 0; i < 2 * sizeof(outside) / sizeof(*outside); i++) {
		uint64_t a = outside[i / 2], before = engine_insns(e);
		bool canonical = gaddr_is_canonical(a);

		engine_set(e, REG_RIP, LOAD);
		engine_set(e, REG_R9, 5);
		engine_set(e, REG_RSI, a);
		engine_run(e, &t);
		if (t.kind != TRAP_EXCEPTION || t.vector != (canonical ? VEC_PF : VEC_GP) || t.rip != LOAD ||
		    t.addr != (canonical ? a : 0) || engine_get(e, REG_R9) != 5 || engine_insns(e) != before)
			return "a load leaves the window";
	}
	engine_set(e, REG_RSI, DATA);
	engine_run(e, &t);
	return t.kind == TRAP_SYSCALL && engine_get(e, REG_R9) == 1 ? NULL : "a load is wrong";
}

bool selftest_run(struct engine *e, struct memory *mem, char *why, size_t size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	const char *bad = "no memory";

	repair.slow_stores = 0;
	if (memory_mmap(mem, CODE, PAGE_BYTES, 7, flags, -1, 0) == (int64_t)CODE &&
	    memory_mmap(mem, DATA, PAGE_BYTES, 3, flags, -1, 0) == (int64_t)DATA)
		bad = run(e, mem);
	if (!bad)
		bad = find_in_flight(e, mem);
	if (!bad && direct_enabled())
		bad = loads(e, mem);
	memory_munmap(mem, CODE, PAGE_BYTES);
	memory_munmap(mem, DATA, PAGE_BYTES);
	engine_forget(e, CODE, CODE + PAGE_BYTES);
	if (bad)
		snprintf(why, size, "%s", bad);
	return !bad;
}

#define SSE_ROUNDS 3u
#define SSE_PAGES 8

bool selftest_sse(struct engine *e, struct memory *mem, char *why, size_t size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	const uint64_t bytes = SSE_PAGES * PAGE_BYTES;
	const char *bad = "no memory";

	if (memory_mmap(mem, CODE, bytes, 7, flags, -1, 0) == (int64_t)CODE)
		bad = sse_test(e, mem, CODE, SSE_ROUNDS, 88172645463325252ull);
	memory_munmap(mem, CODE, bytes);
	engine_forget(e, CODE, CODE + bytes);
	if (bad)
		snprintf(why, size, "%s", bad);
	return !bad;
}

/* 1: inc %rax; dec %ecx; jnz 1b; syscall */
static const uint8_t loop[] = { 0x48, 0xff, 0xc0, 0xff, 0xc9, 0x75, 0xf9, 0x0f, 0x05 };
#define LOOPS 100000u

/* Stops where the count says, goes on, and every turn is counted once. */
static const char *stops(struct engine *e, struct memory *mem)
{
	uint64_t before = engine_insns(e), cost = engine_cost(e);
	struct trap t;

	if (memory_poke(mem, CODE, loop, sizeof(loop)))
		return "its code cannot be written";
	engine_set(e, REG_RIP, CODE);
	engine_set(e, REG_RAX, 0);
	engine_set(e, REG_RCX, LOOPS);
	engine_set_deadline(e, UINT64_MAX, before + 1000);
	engine_run(e, &t);
	if (t.kind != TRAP_DEADLINE || t.rip != CODE || engine_get(e, REG_RAX) != 334 || engine_insns(e) != before + 1002)
		return "a limit of instructions is not kept";
	engine_set_deadline(e, cost + 16 * 2000, UINT64_MAX);
	engine_run(e, &t);
	if (t.kind != TRAP_DEADLINE || t.rip != CODE || engine_get(e, REG_RAX) != 667 || engine_cost(e) != cost + 16 * 2001)
		return "a limit of cost is not kept";
	engine_set_deadline(e, UINT64_MAX, UINT64_MAX);
	engine_run(e, &t);
	if (t.kind != TRAP_SYSCALL || engine_get(e, REG_RAX) != LOOPS || engine_insns(e) != before + 3 * LOOPS + 1)
		return "instructions are miscounted";
	return NULL;
}

bool selftest_deadline(struct engine *e, struct memory *mem, char *why, size_t size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	const char *bad = "no memory";

	if (memory_mmap(mem, CODE, PAGE_BYTES, 7, flags, -1, 0) == (int64_t)CODE)
		bad = stops(e, mem);
	engine_set_deadline(e, UINT64_MAX, UINT64_MAX);
	memory_munmap(mem, CODE, PAGE_BYTES);
	engine_forget(e, CODE, CODE + PAGE_BYTES);
	if (bad)
		snprintf(why, size, "%s", bad);
	return !bad;
}
