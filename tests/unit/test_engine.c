/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The contract of engine/engine.h: which trap, where RIP stands, how many instructions were completed.  The
 * expected values are the processor's (SDM vol. 2 and 3); rows marked `real` are also run natively, in a
 * child with a handler, and must agree.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "engine/engine.h"
#include "engine/fault.h"
#include "engine/memory.h"
#include "engine/repair.h"
#include "engine/sse.h"

#define CODE ((gaddr)0x400000)
#define DATA ((gaddr)0x500000)
#define STACK ((gaddr)0x602000)

static struct {
	struct memory *mem;
	struct engine *e;
	enum zone_action zone;
	unsigned zones;
	uint32_t zone_insns;
	int level; /* of the engine */
} w = { .level = -1 };

static enum zone_action zone(void *ctx, gaddr pc, uint32_t insns, uint32_t cost)
{
	(void)ctx;
	(void)cost;
	w.zones++;
	w.zone_insns = insns;
	if (w.zone == ZONE_MOVED) {
		gaddr sp = engine_get(w.e, REG_RSP), ret = 0;

		memory_read(w.mem, &ret, sp, 8);
		engine_set(w.e, REG_RAX, pc);
		engine_set(w.e, REG_RSP, sp + 8);
		engine_set(w.e, REG_RIP, ret);
	}
	return w.zone;
}

static uint64_t tsc(void *ctx, uint32_t *aux)
{
	(void)ctx;
	*aux = 0x5003;
	return 0x123456789abcull;
}

static int setup(void **state)
{
	struct engine_ops ops = { .zone = zone, .tsc = tsc };
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	struct err e = { .text = "" };

	(void)state;
	w.mem = memory_new(&e);
	w.e = w.mem ? engine_new(w.mem, &ops, w.level, &e) : NULL;
	if (!w.e) {
		print_message("# %s\n", e.text);
		return -1;
	}
	memory_set_engine(w.mem, w.e);
	memory_mmap(w.mem, CODE, 8192, 7, flags, -1, 0);
	memory_mmap(w.mem, DATA, 8192, 3, flags, -1, 0);
	memory_mmap(w.mem, STACK - 8192, 8192, 3, flags, -1, 0);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	engine_free(w.e);
	memory_free(w.mem);
	return 0;
}

static void run_at(gaddr at, const uint8_t *code, size_t n, struct trap *t)
{
	struct err err = { .text = "" };

	fault_install(&err); /* the harness has its own handler for each test */
	memory_poke(w.mem, at, code, n);
	engine_set(w.e, REG_RIP, at);
	engine_set(w.e, REG_RSP, STACK - 64);
	engine_set(w.e, REG_RFLAGS, 0x202);
	engine_run(w.e, t);
}

struct row {
	const char *name;
	uint8_t code[24];
	unsigned bytes;
	enum trap_kind kind;
	int vector;
	uint32_t error_code;
	gaddr addr, rip; /* rip: offset from CODE, or an address above it */
	unsigned insns;
};

#define GP TRAP_EXCEPTION, VEC_GP, 0, 0
#define UD TRAP_EXCEPTION, VEC_UD, 0, 0
#define RAX_IS(v0, v1, v2, v3) 0x48, 0xc7, 0xc0, v0, v1, v2, v3

static const struct row rows[] = {
	{ "syscall", { 0x90, 0x0f, 0x05 }, 3, TRAP_SYSCALL, 0, 0, 0, 3, 2 },
	{ "hlt", { 0x90, 0x90, 0xf4 }, 3, GP, 2, 2 },
	{ "hlt first", { 0xf4 }, 1, GP, 0, 0 },
	{ "cli", { 0x90, 0xfa }, 2, GP, 1, 1 },
	{ "in", { 0x90, 0xec }, 2, GP, 1, 1 },
	{ "mov cr0", { 0x90, 0x0f, 0x20, 0xc0 }, 4, GP, 1, 1 },
	{ "wrmsr", { 0x90, 0x0f, 0x30 }, 3, GP, 1, 1 },
	{ "vzeroupper", { 0x90, 0xc5, 0xf8, 0x77 }, 4, UD, 1, 1 },
	{ "vaddps xmm", { 0x90, 0xc5, 0xf0, 0x58, 0xc2 }, 5, UD, 1, 1 },
	{ "EVEX", { 0x90, 0x62, 0xf1, 0x7c, 0x48, 0x58, 0xc0 }, 7, UD, 1, 1 },
	{ "xgetbv", { 0x90, 0x0f, 0x01, 0xd0 }, 4, UD, 1, 1 },
	{ "ud2", { 0x90, 0x0f, 0x0b }, 3, UD, 1, 1 },
	{ "push %es of 32-bit code", { 0x90, 0x06 }, 2, UD, 1, 1 },
	{ "int $0x80", { 0x90, 0xcd, 0x80 }, 3, TRAP_INT, 0x80, 0, 0, 1, 1 },
	{ "int $0xcc", { 0xcd, 0xcc }, 2, TRAP_INT, 0xcc, 0, 0, 0, 0 },
	{ "int3", { 0x90, 0xcc }, 2, TRAP_EXCEPTION, VEC_BP, 0, 0, 2, 2 },
	{ "div by zero", { 0x31, 0xc9, 0xf7, 0xf1 }, 4, TRAP_EXCEPTION, VEC_DE, 0, 0, 2, 1 },
	{ "null load", { 0x31, 0xc0, 0x8b, 0x00 }, 4, TRAP_EXCEPTION, VEC_PF, PF_U, 0, 2, 1 },
	{ "load of a non-canonical address", { 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x8b, 0x00 }, 12, GP, 10, 1 },
	{ "jump to one", { 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0xe0 }, 12, GP, 10, 1 },
	{ "call to one", { 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0xff, 0xd0 }, 12, GP, 10, 1 },
	{ "return to one", { 0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x50, 0xc3 }, 12, GP, 11, 2 },
	{ "kernel load", { RAX_IS(0, 0, 0, 0x81), 0x8b, 0x00 }, 9, TRAP_EXCEPTION, VEC_PF, PF_U, 0xffffffff81000000, 7, 1 },
	{ "kernel jump", { RAX_IS(0, 0, 0, 0x81), 0xff, 0xe0 }, 9, TRAP_EXCEPTION, VEC_PF, PF_U | PF_I,
	  0xffffffff81000000, 0xffffffff81000000, 2 },
	{ "page load", { RAX_IS(0, 0, 0x60, 0xff), 0x8b, 0x00 }, 9, TRAP_EXCEPTION, VEC_PF, PF_U, VSYSCALL_PAGE, 7, 1 },
	{ "page store", { RAX_IS(0, 0, 0x60, 0xff), 0x89, 0x00 }, 9, TRAP_EXCEPTION, VEC_PF, PF_U | PF_W, VSYSCALL_PAGE, 7, 1 },
	{ "data executed", { 0xb8, 0, 0, 0x50, 0, 0xff, 0xe0 }, 7, TRAP_EXCEPTION, VEC_PF, PF_P | PF_U | PF_I, DATA, DATA, 2 },
	{ "nothing executed", { 0xb8, 0, 0, 0x70, 0, 0xff, 0xe0 }, 7, TRAP_EXCEPTION, VEC_PF, PF_U | PF_I, 0x700000, 0x700000, 2 },
	{ "emulator's half", { 0x48, 0xb8, 0, 0, 0, 0, 0, 0x55, 0, 0, 0x89, 0 }, 12, TRAP_EXCEPTION, VEC_PF, PF_U | PF_W,
	  0x550000000000, 10, 1 },
	{ "single step", { 0x9c, 0x81, 0x0c, 0x24, 0, 1, 0, 0, 0x9d, 0x90, 0x90 }, 11, TRAP_EXCEPTION, VEC_DB, 0, 0, 10, 4 },
	/* movb $0xc3,1(%rip): makes the second nop behind it a ret to 0 */
	{ "a block that patches itself", { 0x6a, 0, 0xc6, 0x05, 1, 0, 0, 0, 0xc3, 0x90, 0x90, 0x0f, 0x05 }, 13,
	  TRAP_EXCEPTION, VEC_PF, PF_U | PF_I, 0, 0, 4 },
	{ "iretq", { 0x6a, 0x2b, 0x54, 0x9c, 0x6a, 0x33, 0x68, 0x14, 0, 0x40, 0, 0x48, 0xcf, 0, 0, 0, 0, 0, 0, 0, 0x0f, 0x05 },
	  22, TRAP_SYSCALL, 0, 0, 0, 22, 7 },
	{ "lret to 32-bit code", { 0x6a, 0x23, 0x68, 0, 0, 0x40, 0, 0x48, 0xcb }, 9, TRAP_EXCEPTION, VEC_GP, 0x20, 0, 7, 2 },
	{ "mov to %ss of a code segment", { 0xb8, 0x33, 0, 0, 0, 0x8e, 0xd0 }, 7, TRAP_EXCEPTION, VEC_GP, 0x30, 0, 5, 1 },
};

static void traps(void **state)
{
	(void)state;
	w.zone = ZONE_STOP;
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		const struct row *r = &rows[i];
		uint64_t before = engine_insns(w.e), sp = STACK - 64;
		gaddr rip = r->rip >= 0x1000 || !strncmp(r->name, "a block", 7) ? r->rip : CODE + r->rip;
		struct trap t;

		print_message("# %s\n", r->name);
		run_at(CODE, r->code, r->bytes, &t);
		assert_int_equal(t.kind, r->kind);
		assert_int_equal(t.vector, r->vector);
		assert_int_equal(t.error_code, r->error_code);
		assert_int_equal(t.addr, r->addr);
		assert_int_equal(t.rip, rip);
		assert_int_equal(engine_insns(w.e) - before, r->insns);
		if (t.kind == TRAP_EXCEPTION && t.vector == VEC_GP && strstr(r->name, "call"))
			assert_int_equal(engine_get(w.e, REG_RSP), sp);
	}
}

static void page(void **state)
{
	static const uint8_t code[] = { RAX_IS(0, 4, 0x60, 0xff), 0xff, 0xd0, 0x0f, 0x05 };
	static const uint8_t call_and_load[] = { RAX_IS(0, 4, 0x60, 0xff), 0xff, 0xd0, RAX_IS(0, 4, 0x60, 0xff), 0x8b, 0x00, 0x0f, 0x05 };
	uint8_t bytes[PAGE_BYTES];
	uint64_t before;
	struct trap t;

	(void)state;
	w.zone = ZONE_STOP;
	run_at(CODE, code, sizeof(code), &t);
	assert_int_equal(t.kind, TRAP_ZONE);
	assert_int_equal(t.rip, VSYSCALL_PAGE + 0x400);
	w.zone = ZONE_MOVED;
	before = engine_insns(w.e);
	run_at(CODE, code, sizeof(code), &t);
	assert_int_equal(t.kind, TRAP_SYSCALL);
	assert_int_equal(engine_get(w.e, REG_RAX), VSYSCALL_PAGE + 0x400);
	assert_int_equal(engine_get(w.e, REG_RSP), STACK - 64);
	assert_int_equal(engine_insns(w.e) - before, 3);
	/* Code in the page runs, and is readable when it is to be. */
	memset(bytes, 0xcc, sizeof(bytes));
	memcpy(bytes + 0x400, "\x48\x8b\x05\xf9\xff\xff\xff\xc3", 8); /* mov 0(%rip-7),%rax; ret: loads itself */
	engine_set_page(w.e, bytes, true, true);
	w.zone = ZONE_RUN;
	before = engine_insns(w.e);
	run_at(CODE, code, sizeof(code), &t);
	assert_int_equal(t.kind, TRAP_SYSCALL);
	assert_int_equal(engine_get(w.e, REG_RAX), 0xc3fffffff9058b48);
	assert_int_equal(engine_insns(w.e) - before, 5);
	/* Execute-only: a call that is emulated does not make the page readable. */
	engine_set_page(w.e, bytes, false, true);
	w.zone = ZONE_MOVED;
	run_at(CODE, call_and_load, sizeof(call_and_load), &t);
	assert_int_equal(t.kind, TRAP_EXCEPTION);
	assert_int_equal(t.error_code, PF_P | PF_U);
	assert_int_equal(t.rip, CODE + 16);
	/* The first load was one of a page that is fetched from for the first time; again. */
	run_at(CODE, call_and_load, sizeof(call_and_load), &t);
	run_at(CODE, call_and_load, sizeof(call_and_load), &t);
	assert_int_equal(t.kind, TRAP_EXCEPTION);
	assert_int_equal(t.error_code, PF_P | PF_U);
	engine_set_page(w.e, NULL, false, false);
}

/* Code that reaches into a page which cannot be executed runs up to there. */
static void crossing(void **state)
{
	static const uint8_t code[] = { 0x90, 0x90, 0xb8, 1, 2 };
	static const int prot[] = { 3, 0 };
	struct trap t;

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(prot); i++) {
		uint64_t before = engine_insns(w.e);

		memory_mprotect(w.mem, CODE + 4096, 4096, prot[i]);
		run_at(CODE + 4096 - 5, code, sizeof(code), &t);
		assert_int_equal(t.kind, TRAP_EXCEPTION);
		assert_int_equal(t.vector, VEC_PF);
		assert_int_equal(t.addr, CODE + 4096);
		assert_int_equal(t.rip, CODE + 4096 - 3);
		assert_int_equal(engine_insns(w.e) - before, 2);
	}
	memory_mprotect(w.mem, CODE + 4096, 4096, 7);
	memory_poke(w.mem, CODE + 4096, "\x03\x04\x0f\x05", 4);
	engine_run(w.e, &t);
	assert_int_equal(t.kind, TRAP_SYSCALL);
	assert_int_equal(engine_get(w.e, REG_RAX), 0x04030201);
}

static void deadlines(void **state)
{
	static const uint8_t loop[] = { 0xeb, 0xfe };
	uint64_t at = engine_cost(w.e) + 16 * 1000, insns = engine_insns(w.e);
	struct trap t;

	(void)state;
	engine_set_deadline(w.e, at, UINT64_MAX);
	run_at(CODE, loop, sizeof(loop), &t);
	assert_int_equal(t.kind, TRAP_DEADLINE);
	assert_int_equal(t.rip, CODE);
	assert_int_equal(engine_insns(w.e) - insns, 1000);
	engine_set_deadline(w.e, UINT64_MAX, engine_insns(w.e) + 5);
	engine_run(w.e, &t);
	assert_int_equal(t.kind, TRAP_DEADLINE);
	assert_int_equal(engine_insns(w.e) - insns, 1005);
	engine_set_deadline(w.e, UINT64_MAX, UINT64_MAX);
	engine_interrupt(w.e);
	engine_run(w.e, &t);
	assert_int_equal(t.kind, TRAP_INTERRUPT);
}

static void time_stamps(void **state)
{
	static const uint8_t code[] = { 0x0f, 0x01, 0xf9, 0x0f, 0x05 };
	struct trap t;

	(void)state;
	run_at(CODE, code, sizeof(code), &t);
	assert_int_equal(engine_get(w.e, REG_RAX), 0x56789abc);
	assert_int_equal(engine_get(w.e, REG_RDX), 0x1234);
	assert_int_equal(engine_get(w.e, REG_RCX), 0x5003);
	engine_forbid_tsc(w.e, true);
	run_at(CODE, code, sizeof(code), &t);
	assert_int_equal(t.kind, TRAP_EXCEPTION);
	assert_int_equal(t.vector, VEC_GP);
	assert_int_equal(t.rip, CODE);
	engine_forbid_tsc(w.e, false);
	engine_run(w.e, &t);
	assert_int_equal(t.kind, TRAP_SYSCALL);
	engine_set_cpunode(w.e, 0x2007);
	run_at(CODE, (const uint8_t[]){ 0xb9, 0x7b, 0, 0, 0, 0x0f, 0x03, 0xc1, 0x0f, 0x05 }, 10, &t);
	assert_int_equal(t.kind, TRAP_SYSCALL);
	assert_int_equal(engine_get(w.e, REG_RAX), 0x2007);
	assert_true(engine_get(w.e, REG_RFLAGS) & RFLAGS_ZF);
}

/* What is saved comes back, the x87 stack in its place. */
static void states(void **state)
{
	/* fld1; fldpi; movd %eax,%xmm3 */
	static const uint8_t code[] = { 0xb8, 0x78, 0x56, 0x34, 0x12, 0xd9, 0xe8, 0xd9, 0xeb, 0x66, 0x0f, 0x6e, 0xd8, 0x0f, 0x05 };
	static const uint8_t image[] = { 0x0f, 0xae, 0x07, 0x0f, 0x05 }; /* fxsave (%rdi) */
	_Alignas(16) uint8_t guest[512];
	struct cpu_state a, b;
	struct trap t;

	(void)state;
	cpu_state_init(&a);
	engine_load(w.e, &a);
	run_at(CODE, code, sizeof(code), &t);
	engine_save(w.e, &a);
	engine_set(w.e, REG_RDI, DATA);
	run_at(CODE, image, sizeof(image), &t);
	memory_peek(w.mem, guest, DATA, 512);
	assert_memory_equal(guest, a.fxsave, 6);
	assert_memory_equal(guest + 24, a.fxsave + 24, 4);
	for (unsigned i = 0; i < 8; i++)
		assert_memory_equal(guest + 32 + 16 * i, a.fxsave + 32 + 16 * i, 10);
	assert_memory_equal(guest + 160, a.fxsave + 160, 256);
	cpu_state_init(&b);
	engine_load(w.e, &b);
	engine_load(w.e, &a);
	engine_save(w.e, &b);
	assert_memory_equal(&a, &b, sizeof(a));
}

/* Stores in a loop over many pages leave the slow path; data beside code does not disturb it. */
static void stores(void **state)
{
	/* 1: mov %rcx,(%rdi,%rcx,8); dec %ecx; jnz 1b; syscall */
	static const uint8_t code[] = { 0xb9, 0, 2, 0, 0, 0x48, 0x89, 0x0c, 0xcf, 0xff, 0xc9, 0x75, 0xf8, 0x0f, 0x05 };
	struct trap t;

	(void)state;
	if (!repair.enabled)
		skip();
	engine_set(w.e, REG_RDI, DATA);
	run_at(CODE, code, sizeof(code), &t);
	repair.slow_stores = 0;
	run_at(CODE, code, sizeof(code), &t);
	assert_int_equal(t.kind, TRAP_SYSCALL);
	assert_in_range(repair.slow_stores, 0, 4);
}

/* Code replaced by a copy (as read(2) does), by munmap and mmap, and by mprotect. */
static void replaced(void **state)
{
	static const uint8_t one[] = { 0xb8, 1, 0, 0, 0, 0x0f, 0x05 }, two[] = { 0xb8, 2, 0, 0, 0, 0x0f, 0x05 };
	struct trap t;

	(void)state;
	run_at(CODE, one, sizeof(one), &t);
	assert_int_equal(engine_get(w.e, REG_RAX), 1);
	run_at(CODE, two, sizeof(two), &t);
	assert_int_equal(engine_get(w.e, REG_RAX), 2);
	memory_mprotect(w.mem, CODE, 4096, PROT_READ);
	engine_set(w.e, REG_RIP, CODE);
	engine_run(w.e, &t);
	assert_int_equal(t.kind, TRAP_EXCEPTION);
	assert_int_equal(t.error_code, PF_P | PF_U | PF_I);
	memory_mprotect(w.mem, CODE, 4096, 7);
	engine_run(w.e, &t);
	assert_int_equal(t.kind, TRAP_SYSCALL);
	memory_munmap(w.mem, CODE, 4096);
	engine_set(w.e, REG_RIP, CODE);
	engine_run(w.e, &t);
	assert_int_equal(t.kind, TRAP_EXCEPTION);
	assert_int_equal(t.error_code, PF_U | PF_I);
	memory_mmap(w.mem, CODE, 4096, 7, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* Accesses at (%rsi), aligned to 16 bytes, and whether they say that they write. */
static const struct {
	uint8_t code[12];
	unsigned bytes;
	uint32_t write;
} accesses[] = {
	{ { 0x8a, 0x06 }, 2, 0 }, /* mov (%rsi),%al */
	{ { 0x66, 0x8b, 0x06 }, 3, 0 },
	{ { 0x8b, 0x06 }, 2, 0 },
	{ { 0x48, 0x8b, 0x06 }, 3, 0 },
	{ { 0x0f, 0xb6, 0x06 }, 3, 0 }, /* movzx, movsx, movslq */
	{ { 0x48, 0x0f, 0xb7, 0x06 }, 4, 0 },
	{ { 0x0f, 0xbe, 0x06 }, 3, 0 },
	{ { 0x48, 0x0f, 0xbf, 0x06 }, 4, 0 },
	{ { 0x48, 0x63, 0x06 }, 3, 0 },
	{ { 0x48, 0x03, 0x06 }, 3, 0 }, /* add (%rsi),%rax */
	{ { 0x48, 0x0f, 0x38, 0xf0, 0x06 }, 5, 0 }, /* movbe */
	{ { 0x0f, 0x10, 0x06 }, 3, 0 }, /* movups */
	{ { 0x0f, 0x28, 0x06 }, 3, 0 }, /* movaps */
	{ { 0xf2, 0x0f, 0x10, 0x06 }, 4, 0 }, /* movsd */
	{ { 0x66, 0x0f, 0xfc, 0x06 }, 4, 0 }, /* paddb */
	{ { 0xdd, 0x06 }, 2, 0 }, /* fldl */
	{ { 0xac }, 1, 0 }, /* lods */
	{ { 0xff, 0x26 }, 2, 0 }, /* jmp *(%rsi) */
	{ { 0x88, 0x06 }, 2, PF_W },
	{ { 0x66, 0x89, 0x06 }, 3, PF_W },
	{ { 0x89, 0x06 }, 2, PF_W },
	{ { 0x48, 0x89, 0x06 }, 3, PF_W },
	{ { 0x48, 0xff, 0x06 }, 3, PF_W }, /* incq (%rsi) */
	{ { 0xf0, 0x48, 0x0f, 0xc1, 0x06 }, 5, PF_W }, /* lock xadd */
	{ { 0x48, 0x87, 0x06 }, 3, PF_W }, /* xchg */
	{ { 0x0f, 0x11, 0x06 }, 3, PF_W },
	{ { 0x66, 0x0f, 0x7e, 0x06 }, 4, PF_W }, /* movd */
};

static uint64_t secret[2] __attribute__((aligned(16))) = { 0x5ec4e75ec4e7, 42 };

static void wild_at(gaddr a)
{
	bool canonical = gaddr_is_canonical(a);

	for (unsigned i = 0; i < sizeof(accesses) / sizeof(*accesses); i++) {
		uint64_t before = engine_insns(w.e);
		struct trap t;

		engine_set(w.e, REG_RSI, a);
		engine_set(w.e, REG_RAX, 0x1122334455667788);
		run_at(CODE + 64 * i, accesses[i].code, accesses[i].bytes, &t);
		if (t.kind != TRAP_EXCEPTION || t.vector != (canonical ? VEC_PF : VEC_GP) || t.rip != CODE + 64 * i ||
		    t.addr != (canonical ? a : 0) ||
		    (t.error_code & ~(uint32_t)PF_P) != (canonical ? PF_U | accesses[i].write : 0) ||
		    engine_get(w.e, REG_RAX) != 0x1122334455667788 || engine_get(w.e, REG_RSI) != a ||
		    engine_insns(w.e) != before)
			fail_msg("access %u at %#lx: trap %d vector %d address %#lx code %#x rip %#lx", i, (unsigned long)a,
				 t.kind, t.vector, (unsigned long)t.addr, t.error_code, (unsigned long)t.rip);
	}
}

/* No address reaches the emulator, whatever its bits; each is told as the processor would. */
static void wild(void **state)
{
	uint64_t on_stack[2] __attribute__((aligned(16))) = { 1, 2 }, x = 88172645463325252u;
	void *heap = malloc(64);

	(void)state;
	wild_at((gaddr)(uintptr_t)secret);
	wild_at((gaddr)(uintptr_t)on_stack);
	wild_at((gaddr)(uintptr_t)heap & ~15ull);
	wild_at((gaddr)(uintptr_t)malloc & ~15ull);
	wild_at((gaddr)(uintptr_t)wild & ~15ull);
	for (unsigned b = 12; b < 64; b++) {
		gaddr at[] = { 1ull << b, -(1ull << b), (uint64_t)(uintptr_t)secret ^ 1ull << b,
			       ((uint64_t)(uintptr_t)secret & ((1ull << 46) - 1)) | 1ull << b };

		for (unsigned i = 0; i < 4; i++)
			if (at[i] < 0x10000 || at[i] >= 1ull << 46)
				wild_at(at[i] & ~15ull);
	}
	for (unsigned i = 0; i < 40; i++) {
		x ^= x << 13, x ^= x >> 7, x ^= x << 17;
		if (x >= 1ull << 46)
			wild_at(x & ~15ull);
	}
	assert_true(secret[0] == 0x5ec4e75ec4e7 && secret[1] == 42 && on_stack[0] == 1 && on_stack[1] == 2);
	free(heap);
}

/* Every replaced SSE instruction on random operands against the processor; and the test can fail: the
 * library's own helpers do not pass it. */
static void sse(void **state)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	const gaddr at = 0x700000;
	const char *bad;

	(void)state;
	memory_mmap(w.mem, at, 8 * PAGE_BYTES, 7, flags, -1, 0);
	bad = sse_test(w.e, w.mem, at, 20000, 0x9e3779b97f4a7c15);
	if (bad)
		print_message("# %s\n", bad);
	assert_null(bad);
	sse_use(false);
	assert_non_null(sse_test(w.e, w.mem, at, 1000, 1));
	sse_use(true);
	memory_munmap(w.mem, at, 8 * PAGE_BYTES);
}

/* 1,000 random blocks, each with a load, a store or a locked operation that faults somewhere: RIP, the registers and
 * the count are those of the instructions in front of it; then it goes on to the end. */
static void faults(void **state)
{
	static const struct { uint8_t code[8], bytes; } plain[] = {
		{ { 0x49, 0xff, 0xc0 }, 3 }, /* inc %r8 */
		{ { 0x48, 0x01, 0xd8 }, 3 }, /* add %rbx,%rax */
		{ { 0x48, 0x89, 0x07 }, 3 }, /* mov %rax,(%rdi) */
		{ { 0x48, 0x8b, 0x4f, 0x08 }, 4 }, /* mov 8(%rdi),%rcx */
		{ { 0x31, 0xdb }, 2 }, /* xor %ebx,%ebx */
		{ { 0x66, 0x0f, 0xfe, 0xc1 }, 4 }, /* paddd %xmm1,%xmm0 */
		{ { 0x74, 0x00 }, 2 }, /* je to the next */
	}, bad[] = {
		{ { 0x4c, 0x8b, 0x0e }, 3 }, /* mov (%rsi),%r9 */
		{ { 0x48, 0x89, 0x1e }, 3 }, /* mov %rbx,(%rsi) */
		{ { 0xf0, 0x48, 0x01, 0x1e }, 4 }, /* lock add %rbx,(%rsi) */
		{ { 0x66, 0x0f, 0xfe, 0x06 }, 4 }, /* paddd (%rsi),%xmm0 */
	};
	uint64_t seed = 0x2545f4914f6cdd1d;

	struct err e = { .text = "" };

	(void)state;
	fault_install(&e); /* the harness has its own handler for each test */
	for (unsigned round = 0; round < 1000; round++) {
		uint8_t code[400];
		size_t n = 0, at = 0;
		unsigned insns = 1 + (unsigned)(seed >> 40) % 60, fault = (unsigned)(seed >> 20) % insns, incs = 0, k;
		uint64_t before;
		struct trap t;

		for (unsigned i = 0; i < insns; i++) {
			seed = seed * 6364136223846793005ull + 1442695040888963407ull;
			k = (unsigned)(seed >> 33) % 7;
			if (i == fault) {
				at = n;
				k %= 4;
				memcpy(code + n, bad[k].code, bad[k].bytes);
				n += bad[k].bytes;
				continue;
			}
			incs += i < fault && !k;
			memcpy(code + n, plain[k].code, plain[k].bytes);
			n += plain[k].bytes;
		}
		code[n++] = 0x0f;
		code[n++] = 0x05;
		memory_poke(w.mem, CODE, code, n);
		engine_set(w.e, REG_RIP, CODE);
		engine_set(w.e, REG_R8, 0);
		engine_set(w.e, REG_RDI, DATA);
		engine_set(w.e, REG_RSI, 0x900000);
		before = engine_insns(w.e);
		engine_run(w.e, &t);
		assert_int_equal(t.kind, TRAP_EXCEPTION);
		assert_int_equal(t.vector, VEC_PF);
		assert_int_equal(t.rip, CODE + at);
		assert_int_equal(engine_get(w.e, REG_R8), incs);
		assert_int_equal(engine_insns(w.e) - before, fault);
		engine_set(w.e, REG_RSI, DATA);
		engine_run(w.e, &t);
		assert_int_equal(t.kind, TRAP_SYSCALL);
		assert_int_equal(engine_insns(w.e) - before, insns + 1);
	}
}

int main(void)
{
	const struct CMUnitTest all[] = {
		cmocka_unit_test(traps),     cmocka_unit_test(page),   cmocka_unit_test(crossing),
		cmocka_unit_test(deadlines), cmocka_unit_test(states), cmocka_unit_test(time_stamps),
		cmocka_unit_test(replaced),  cmocka_unit_test(wild),   cmocka_unit_test(faults),
	};
	const struct CMUnitTest repaired[] = { cmocka_unit_test(stores), cmocka_unit_test(sse) };
	int failed = cmocka_run_group_tests_name("all that works", all, setup, teardown);

	failed += cmocka_run_group_tests_name("the repair", repaired, setup, teardown);
	w.level = 4;
	failed += cmocka_run_group_tests_name("level 4", all, setup, teardown);
	failed += cmocka_run_group_tests_name("level 4: the repair", repaired, setup, teardown);
	w.level = 1;
	failed += cmocka_run_group_tests_name("level 1", all, setup, teardown);
	w.level = 0;
	return failed + cmocka_run_group_tests_name("level 0", all, setup, teardown);
}
