/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * REP MOVS and REP STOS: registers, memory, faults, counts and the place of a deadline are the same whether
 * iterations are done one by one (level 0) or many at a time (the best level), and as the loop in C has it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "base/buf.h"
#include "engine/engine.h"
#include "engine/fault.h"
#include "engine/memory.h"

#define CODE ((gaddr)0x400000)
#define DATA ((gaddr)0x500000) /* three pages, then none */
enum { BYTES = 3 * 4096, CASES = 300 };

struct outcome {
	struct trap t;
	uint64_t rdi, rsi, rcx, insns, cost;
	unsigned stops;
	uint64_t sum;
};

static struct outcome seen[2][CASES];
static uint64_t x;

static uint64_t below(uint64_t n)
{
	x ^= x << 13, x ^= x >> 7, x ^= x << 17;
	return (x >> 16) % n;
}

static uint64_t sum(const uint8_t *p, size_t n)
{
	uint64_t s = 14695981039346656037u;

	for (size_t i = 0; i < n; i++)
		s = (s ^ p[i]) * 1099511628211u;
	return s;
}

/* What the processor does, on a copy; false: an element does not fit. */
static bool by_hand(uint8_t *m, bool load, unsigned size, bool down, struct outcome *o, uint64_t rax)
{
	for (; o->rcx; o->rcx--) {
		uint64_t d = o->rdi - DATA, s = o->rsi - DATA, step = down ? -(uint64_t)size : size;

		if ((load && (s > BYTES || s + size > BYTES)) || d > BYTES || d + size > BYTES)
			return false;
		memmove(m + d, load ? m + s : (uint8_t *)&rax, size);
		o->rdi += step;
		o->rsi += load ? step : 0;
	}
	return true;
}

static void one(struct memory *mem, struct engine *e, struct outcome *o)
{
	static const uint8_t op[4] = { 0xa4, 0xa5, 0xaa, 0xab };
	unsigned kind = (unsigned)below(4), width = kind & 1 ? (unsigned)below(3) : 0;
	unsigned size = kind & 1 ? (unsigned[]){ 4, 2, 8 }[width] : 1;
	bool down = below(6) == 0, load = kind < 2, whole;
	/* Something before it, so that the first iteration ends another block. */
	uint8_t code[16] = { 0x90 }, m[BYTES], after[BYTES];
	uint64_t rax = x, limit = below(3) ? UINT64_MAX : below(3000) + 5, n = 1, before;
	struct outcome want = { .rcx = below(below(2) ? 20 : 1500) };

	if (width == 1)
		code[n++] = 0x66;
	code[n++] = (uint8_t)(0xf2 | below(2));
	if (width == 2)
		code[n++] = 0x48;
	code[n++] = op[kind];
	code[n++] = 0x0f;
	code[n++] = 0x05;
	for (size_t i = 0; i < BYTES; i++)
		m[i] = (uint8_t)below(256);
	memory_poke(mem, DATA, m, BYTES);
	memory_poke(mem, CODE, code, n);
	want.rdi = DATA + below(BYTES);
	want.rsi = below(3) ? DATA + below(BYTES) : want.rdi + below(40) - 20;
	if (want.rsi < DATA)
		want.rsi = DATA;
	engine_set(e, REG_RIP, CODE);
	engine_set(e, REG_RAX, rax);
	engine_set(e, REG_RDI, want.rdi);
	engine_set(e, REG_RSI, want.rsi);
	engine_set(e, REG_RCX, want.rcx);
	engine_set(e, REG_RFLAGS, down ? 0x602 : 0x202);
	before = engine_insns(e);
	do {
		engine_set_deadline(e, UINT64_MAX, limit == UINT64_MAX ? limit : engine_insns(e) + limit);
		engine_run(e, &o->t);
		o->stops++;
	} while (o->t.kind == TRAP_DEADLINE);
	o->rdi = engine_get(e, REG_RDI);
	o->rsi = engine_get(e, REG_RSI);
	o->rcx = engine_get(e, REG_RCX);
	o->insns = engine_insns(e) - before;
	o->cost = engine_cost(e);
	memory_peek(mem, after, DATA, BYTES);
	o->sum = sum(after, BYTES);
	whole = by_hand(m, load, size, down, &want, rax);
	assert_int_equal(o->t.kind, whole ? TRAP_SYSCALL : TRAP_EXCEPTION);
	assert_int_equal(o->rdi, want.rdi);
	assert_int_equal(o->rsi, want.rsi);
	assert_int_equal(o->rcx, want.rcx);
	assert_memory_equal(after, m, BYTES);
}

static void at_level(int level, struct outcome *o)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	const struct engine_ops ops = { 0 };
	struct err err = { .text = "" };
	struct memory *mem = memory_new(&err);
	struct engine *e = engine_new(mem, &ops, level, &err);

	assert_non_null(e);
	fault_install(&err); /* the harness has its own handler for each test */
	memory_set_engine(mem, e);
	memory_mmap(mem, CODE, 4096, 7, flags, -1, 0);
	memory_mmap(mem, DATA, BYTES, 3, flags, -1, 0);
	x = 88172645463325252u;
	for (unsigned i = 0; i < CASES; i++)
		one(mem, e, &o[i]);
	engine_free(e);
	memory_free(mem);
}

static void same_at_each_level(void **state)
{
	(void)state;
	at_level(-1, seen[0]);
	at_level(0, seen[1]);
	for (unsigned i = 0; i < CASES; i++) {
		const struct outcome *a = &seen[0][i], *b = &seen[1][i];

		assert_int_equal(a->t.kind, b->t.kind);
		/* The library's own load of two pages tells the first word, not the first byte. */
		assert_int_equal(a->t.addr & ~7ull, b->t.addr & ~7ull);
		assert_int_equal(a->t.error_code, b->t.error_code);
		assert_int_equal(a->t.rip, b->t.rip);
		assert_int_equal(a->insns, b->insns);
		assert_int_equal(a->cost, b->cost);
		assert_int_equal(a->stops, b->stops);
		assert_int_equal(a->sum, b->sum);
	}
}

int main(void)
{
	const struct CMUnitTest all[] = { cmocka_unit_test(same_at_each_level) };

	return cmocka_run_group_tests(all, NULL, NULL);
}
