/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The engine on Unicorn, and the only user of it.  One block hook counts, prices, checks what a block may
 * do when it is first seen, and stops; everything that ends a run is written down as a reason first and
 * turned into a trap after the library has returned.  Why things are done in this way: docs/design.md.
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unicorn/unicorn.h>
/* As in the header, without its shift into the sign bit of an int. */
#undef UC_CTL
#define UC_CTL(type, nr, rw) ((uc_control_type)((unsigned)(type) | (nr) << 26u | (rw) * (1u << 30)))

#include "base/buf.h"
#include "engine/blocks.h"
#include "engine/count.h"
#include "engine/direct.h"
#include "engine/engine.h"
#include "engine/leave.h"
#include "engine/memory.h"
#include "engine/rep.h"
#include "engine/repair.h"
#include "engine/segment.h"
#include "engine/selftest.h"
#include "engine/sse.h"

/* CPUX86State as far as it is used directly; believed only after it was tried (env_find). */
#define ENV_EIP 16 /* index of 64-bit words */
#define ENV_SEGS 184 /* bytes: ES CS SS DS FS GS, selector first */
#define ENV_SEG_BYTES 24
#define CR4_OSFXSR_OSXMMEXCPT 0x600u
#define MSR_TSC_AUX 0xc0000103u
#define ZONES_MAX 9
#define REPS_MAX 256u /* the library looks through all hooks; beyond them, iterations go one by one */
#define LEVEL_DIRECT 2 /* the first level with guarded direct loads */
#define REPEAT_MIN 8u /* iterations worth it */
#define SYSCALL_BYTES 2u
#define STUCK_MAX 1000u /* returns of the library in a row that explain nothing */

/* Why the library was asked to stop. */
enum why {
	WHY_NONE, WHY_ZONE, WHY_LIMIT, WHY_SYSCALL, WHY_VECTOR, WHY_BLOCK, WHY_FAULT, WHY_FETCH, WHY_AVOID,
	WHY_CALLED,
	WHY_MOVED, /* e->rip is where to go on */
	WHY_START /* counted by translated code: nothing is left */
};

struct engine {
	uc_engine *uc;
	struct memory *mem;
	struct engine_ops ops;
	uint64_t *env; /* NULL: registers go through the library */
	bool env_segs, tsc_forbidden, page_present;
	uint64_t insns, cost;
	volatile uint64_t limit_cost; /* 0 while interrupted */
	uint64_t limit_insns, deadline_cost; /* limit_insns: the earlier of the next two */
	uint64_t deadline_insns, watch_insns;
	volatile sig_atomic_t interrupted;
	struct block *last; /* the block that runs */
	struct block once; /* for what must not be remembered */
	bool one_insn; /* the next block is a single instruction (a block patched itself) */
	gaddr rip; /* where RIP stands, outside of translated code */
	gaddr again; /* a block that is begun a second time: its zone was asked; 0: none */
	enum why why;
	struct block_walk walk; /* WHY_BLOCK */
	uint32_t vector; /* WHY_VECTOR */
	gaddr fetch; /* WHY_FETCH */
	struct leave_fault fault; /* WHY_FAULT */
	struct { gaddr start, end; uc_hook hook; } zone[ZONES_MAX];
	unsigned zones;
	uc_hook all_blocks; /* 0: translated code counts */
	VEC(struct block) counted; /* blocks that count themselves; their number is the index, 0 is none */
	uint32_t counted_at[BLOCKS]; /* number of the last one at an address, as blocks_slot() */
	VEC(gaddr) reps; /* addresses with hook_rep() */
	gaddr refused; /* a block that was translated and must not run, or BLOCK_NONE */
	VEC(uint64_t) exits;
	uint64_t aux;
	uint32_t cpunode;
	uint16_t sel[6]; /* shadow of ES CS SS DS FS GS when env_segs is false */
	uint8_t *page, *guard; /* the vsyscall page, and what lies above it */
	char notes[256], error[160];
	uint8_t price_code[16384]; /* bytes of the block that is priced */
	struct blocks blocks;
};

/* ---- registers ---- */

static const int uc_regs[] = {
	UC_X86_REG_RAX, UC_X86_REG_RCX, UC_X86_REG_RDX, UC_X86_REG_RBX, UC_X86_REG_RSP, UC_X86_REG_RBP,
	UC_X86_REG_RSI, UC_X86_REG_RDI, UC_X86_REG_R8, UC_X86_REG_R9, UC_X86_REG_R10, UC_X86_REG_R11,
	UC_X86_REG_R12, UC_X86_REG_R13, UC_X86_REG_R14, UC_X86_REG_R15, UC_X86_REG_RIP, UC_X86_REG_EFLAGS,
	UC_X86_REG_FS_BASE, UC_X86_REG_GS_BASE, UC_X86_REG_CS, UC_X86_REG_SS, UC_X86_REG_DS, UC_X86_REG_ES,
	UC_X86_REG_FS, UC_X86_REG_GS,
};
static const uint8_t seg_index[] = { 1, 2, 3, 0, 4, 5 }; /* of REG_CS.. in the library's order */

static uint64_t reg_read(struct engine *e, int r)
{
	uint64_t v = 0;

	uc_reg_read(e->uc, r, &v);
	return v;
}

static void reg_write(struct engine *e, int r, uint64_t v)
{
	uc_reg_write(e->uc, r, &v);
}

static uint32_t *env_sel(struct engine *e, unsigned i)
{
	return (uint32_t *)(void *)((char *)e->env + ENV_SEGS + i * ENV_SEG_BYTES);
}

static gaddr eip(struct engine *e)
{
	return e->env ? e->env[ENV_EIP] : reg_read(e, UC_X86_REG_RIP);
}

uint64_t engine_get(struct engine *e, enum reg r)
{
	if (r == REG_RIP)
		return e->rip;
	if (r < REG_RIP && e->env)
		return e->env[r];
	if (r >= REG_CS)
		return e->env_segs ? (uint16_t)*env_sel(e, seg_index[r - REG_CS]) : e->sel[seg_index[r - REG_CS]];
	return reg_read(e, uc_regs[r]);
}

void engine_get_general(struct engine *e, uint64_t out[16])
{
	if (e->env)
		memcpy(out, e->env, 16 * sizeof(*out));
	else
		for (unsigned r = 0; r < 16; r++)
			out[r] = reg_read(e, uc_regs[r]);
}

void engine_set(struct engine *e, enum reg r, uint64_t v)
{
	if (r == REG_RIP) {
		e->rip = v;
	} else if (r < REG_RIP && e->env) {
		e->env[r] = v;
	} else if (r >= REG_CS) {
		e->sel[seg_index[r - REG_CS]] = (uint16_t)v;
		if (e->env_segs)
			*env_sel(e, seg_index[r - REG_CS]) = (uint16_t)v;
	} else {
		reg_write(e, uc_regs[r], v);
	}
}

/* FXSAVE64: SDM vol. 1, table 10-2. */
static void fx_save(struct engine *e, uint8_t *fx)
{
	uint16_t fcw = (uint16_t)reg_read(e, UC_X86_REG_FPCW), fsw = (uint16_t)reg_read(e, UC_X86_REG_FPSW);
	uint16_t tags = (uint16_t)reg_read(e, UC_X86_REG_FPTAG);
	uint32_t mxcsr = (uint32_t)reg_read(e, UC_X86_REG_MXCSR), mask = 0xffff;
	unsigned top = fsw >> 11 & 7;

	memset(fx, 0, 512);
	memcpy(fx, &fcw, 2);
	memcpy(fx + 2, &fsw, 2);
	for (unsigned i = 0; i < 8; i++)
		if ((tags >> (2 * i) & 3) != 3)
			fx[4] |= (uint8_t)(1u << i);
	memcpy(fx + 24, &mxcsr, 4);
	memcpy(fx + 28, &mask, 4);
	for (unsigned i = 0; i < 8; i++) {
		uint8_t st[16] = { 0 };

		uc_reg_read(e->uc, UC_X86_REG_FP0 + (int)((top + i) & 7), st);
		memcpy(fx + 32 + 16 * i, st, 10);
	}
	for (int i = 0; i < 16; i++)
		uc_reg_read(e->uc, UC_X86_REG_XMM0 + i, fx + 160 + 16 * i);
}

static void fx_load(struct engine *e, const uint8_t *fx)
{
	uint16_t fcw, fsw, tags = 0;
	uint32_t mxcsr;
	unsigned top;

	memcpy(&fcw, fx, 2);
	memcpy(&fsw, fx + 2, 2);
	memcpy(&mxcsr, fx + 24, 4);
	top = fsw >> 11 & 7;
	for (unsigned i = 0; i < 8; i++)
		if (!(fx[4] >> i & 1))
			tags |= (uint16_t)(3u << (2 * i));
	reg_write(e, UC_X86_REG_FPCW, fcw);
	reg_write(e, UC_X86_REG_FPSW, fsw);
	for (unsigned i = 0; i < 8; i++) {
		uint8_t st[16] = { 0 };

		memcpy(st, fx + 32 + 16 * i, 10);
		uc_reg_write(e->uc, UC_X86_REG_FP0 + (int)((top + i) & 7), st);
	}
	reg_write(e, UC_X86_REG_FPTAG, tags);
	reg_write(e, UC_X86_REG_MXCSR, mxcsr & 0xffff);
	for (int i = 0; i < 16; i++)
		uc_reg_write(e->uc, UC_X86_REG_XMM0 + i, fx + 160 + 16 * i);
}

void engine_save(struct engine *e, struct cpu_state *s)
{
	for (unsigned r = 0; r < REG_COUNT; r++)
		s->reg[r] = engine_get(e, (enum reg)r);
	fx_save(e, s->fxsave);
}

void engine_load(struct engine *e, const struct cpu_state *s)
{
	for (unsigned r = 0; r < REG_COUNT; r++)
		engine_set(e, (enum reg)r, s->reg[r]);
	fx_load(e, s->fxsave);
}

void cpu_state_init(struct cpu_state *s)
{
	const uint16_t fcw = 0x37f;
	const uint32_t mxcsr = 0x1f80, mask = 0xffff;

	memset(s, 0, sizeof(*s));
	s->reg[REG_RFLAGS] = RFLAGS_IF | 2;
	s->reg[REG_CS] = 0x33;
	s->reg[REG_SS] = 0x2b;
	memcpy(s->fxsave, &fcw, 2);
	memcpy(s->fxsave + 24, &mxcsr, 4);
	memcpy(s->fxsave + 28, &mask, 4);
}

/* ---- counts and limits ---- */

/* What translated code has counted so far becomes ours. */
static void settle(struct engine *e)
{
	uint32_t id;

	if (!count_on())
		return;
	id = count_take(&e->insns, &e->cost);
	if (id)
		e->last = &e->counted.at[id];
}

static bool limit_reached(const struct engine *e)
{
	return e->interrupted || e->cost >= e->deadline_cost || e->insns >= e->deadline_insns;
}

static void give(struct engine *e, uint64_t left)
{
	count_give(left);
	if (e->interrupted)
		count_interrupt(); /* it came before there was something to take away */
}

/* Let blocks start until a limit or the next one to watch, but no more than a portion at a time. */
static void limit_set(struct engine *e)
{
	uint64_t left = COUNT_LEFT_MAX;

	e->limit_insns = e->deadline_insns < e->watch_insns ? e->deadline_insns : e->watch_insns;
	e->limit_cost = e->deadline_cost;
	if (e->interrupted)
		e->limit_cost = 0;
	if (!count_on())
		return;
	settle(e);
	if (limit_reached(e) || e->refused != BLOCK_NONE || e->insns >= e->watch_insns) {
		count_give(0);
		return;
	}
	if (left > e->deadline_cost - e->cost)
		left = e->deadline_cost - e->cost;
	if (left > e->limit_insns - e->insns)
		left = e->limit_insns - e->insns;
	give(e, left);
}

/* ---- what blocks are made of ---- */

static bool in_page(gaddr a)
{
	return a >= VSYSCALL_PAGE && a < VSYSCALL_PAGE_END;
}

static size_t code_read(void *ctx, gaddr a, uint8_t *dst, size_t n)
{
	struct engine *e = ctx;

	if (in_page(a)) {
		size_t have = (size_t)(VSYSCALL_PAGE_END - a);

		n = n < have ? n : have;
		memcpy(dst, e->page + (a - VSYSCALL_PAGE), n);
		return n;
	}
	return n - memory_peek(e->mem, dst, a, n);
}

static bool code_exec(void *ctx, gaddr a)
{
	struct engine *e = ctx;
	const struct vma *v;

	if (in_page(a))
		return true;
	v = memory_find(e->mem, a);
	return v && v->start <= a && v->prot & PROT_EXEC;
}

static struct block_source source(struct engine *e)
{
	return (struct block_source){ e, code_read, code_exec, e->tsc_forbidden };
}

static unsigned zone_of(const struct engine *e, gaddr pc)
{
	for (unsigned i = 0; i < e->zones; i++)
		if (pc >= e->zone[i].start && pc < e->zone[i].end)
			return i;
	return ZONES_MAX;
}

static bool is_exit(const struct engine *e, gaddr a)
{
	for (size_t i = 0; i < e->exits.n; i++)
		if (e->exits.at[i] == a)
			return true;
	return false;
}

static void exits_told(struct engine *e)
{
	uc_ctl_set_exits(e->uc, e->exits.at, e->exits.n);
}

static uint32_t price(struct engine *e, const struct block *b)
{
	size_t n, cap = sizeof(e->price_code);

	if (!e->ops.price)
		return 16 * b->insns;
	n = code_read(e, b->pc, e->price_code, b->bytes < cap ? b->bytes : cap);
	return e->ops.price(e->ops.ctx, b->pc, e->price_code, (uint32_t)n, b->insns);
}

/* Fill @b for the translation at @pc, of @insns if they are known; false: it must not run as it is (e->walk
 * says why). */
static bool block_fill(struct engine *e, struct block *b, gaddr pc, uint32_t bytes, uint32_t insns)
{
	struct block_source s = source(e);
	uint8_t code[16];
	struct rep rep;

	block_check(&s, pc, bytes, &e->walk);
	if (e->walk.stop != BLOCK_END)
		return false;
	*b = (struct block){ .pc = pc, .bytes = bytes, .insns = insns };
	if (!insns || e->one_insn || (e->walk.whole && is_exit(e, pc + bytes)))
		b->insns = e->walk.insns;
	if (zone_of(e, pc) < ZONES_MAX)
		b->flags |= BLOCK_ZONE;
	b->cost = price(e, b);
	if (b->insns == 1 && b->bytes < sizeof(code) && direct_enabled() && e->env && !b->flags) {
		code_read(e, pc, code, b->bytes);
		if (rep_decode(code, b->bytes, &rep))
			b->flags |= BLOCK_REP;
	}
	return true;
}

/* All iterations of the block but the last that can be done at once, before the deadline. */
static void repeat(struct engine *e, const struct block *b)
{
	uint64_t *rcx = &e->env[REG_RCX], n = *rcx ? *rcx - 1 : 0;
	uint8_t code[16];
	struct rep r;

	if (b->cost && n > (e->limit_cost - e->cost - 1) / b->cost)
		n = (e->limit_cost - e->cost - 1) / b->cost;
	if (n > e->limit_insns - e->insns - 1)
		n = e->limit_insns - e->insns - 1;
	if (n < REPEAT_MIN || !rep_decode(code, code_read(e, b->pc, code, b->bytes), &r) ||
	    reg_read(e, UC_X86_REG_EFLAGS) & RFLAGS_DF)
		return;
	n = rep_do(&r, &e->env[REG_RDI], &e->env[REG_RSI], e->env[REG_RAX], n);
	*rcx -= n;
	e->insns += n;
	e->cost += n * b->cost;
}

static bool block_look(struct engine *e, struct block *b, gaddr pc, uint32_t bytes)
{
	uc_tb tb = { 0 };

	if (!e->one_insn && uc_ctl_request_cache(e->uc, pc, &tb) == UC_ERR_OK && tb.size)
		bytes = tb.size;
	return block_fill(e, b, pc, bytes, tb.icount);
}

/* A block that counts itself was translated.  One that must not run is not charged and nothing is left
 * for it to start with; engine_run() sees to it. */
static struct count_block on_translated(void *ctx, gaddr pc, uint32_t bytes, uint32_t insns)
{
	struct engine *e = ctx;
	struct block b, *old;
	uint32_t *at = &e->counted_at[(pc ^ pc >> 16) & (BLOCKS - 1)];

	if (!block_fill(e, &b, pc, bytes, insns)) {
		e->refused = pc;
		settle(e);
		return (struct count_block){ 0 };
	}
	old = *at ? &e->counted.at[*at] : NULL;
	if (!old || memcmp(old, &b, sizeof(b))) {
		if (!e->counted.n)
			VEC_PUSH(&e->counted, (struct block){ .pc = BLOCK_NONE });
		*at = (uint32_t)e->counted.n;
		VEC_PUSH(&e->counted, b);
	}
	return (struct count_block){ b.insns, b.cost, *at };
}

/* ---- hooks ---- */

static void stop(struct engine *e, enum why why)
{
	e->why = why;
	uc_emu_stop(e->uc);
}

/* The owner's zone call-back; true: the block runs. */
static bool zone_asked(struct engine *e, const struct block *b)
{
	switch (e->ops.zone(e->ops.ctx, b->pc, b->insns, b->cost)) {
	case ZONE_RUN:
		return true;
	case ZONE_MOVED:
		e->last = NULL;
		if (count_on())
			stop(e, WHY_MOVED); /* the block's own exit would set RIP back */
		else
			reg_write(e, UC_X86_REG_RIP, e->rip);
		return false;
	case ZONE_STOP:
	default:
		stop(e, WHY_ZONE);
		return false;
	}
}

static void watch(struct engine *e, const struct block *b)
{
	struct engine_watch at = { b->pc, b->bytes, e->last, e->insns, e->cost };

	e->watch_insns = e->ops.watch(e->ops.ctx, &at);
	limit_set(e);
}

static void __attribute__((noinline)) block_slow(struct engine *e, struct block *b, gaddr pc, uint32_t bytes)
{
	bool one = e->one_insn;

	e->rip = pc;
	if (limit_reached(e)) {
		e->last = NULL;
		stop(e, WHY_LIMIT);
		return;
	}
	if (b->pc != pc || b->flags & BLOCK_GONE || one) {
		/* Single-stepped blocks are shorter than the ones to remember. */
		if (one || reg_read(e, UC_X86_REG_EFLAGS) & RFLAGS_TF)
			b = &e->once;
		if (!block_look(e, b, pc, bytes)) {
			e->last = NULL;
			stop(e, WHY_BLOCK);
			return;
		}
		e->one_insn = false;
		limit_set(e);
	}
	if (b->flags & BLOCK_ZONE && e->again != pc && !zone_asked(e, b))
		return;
	e->again = 0;
	if (e->insns >= e->watch_insns)
		watch(e, b);
	/* Where each block is watched, each iteration is one. */
	if (b->flags & BLOCK_REP && b != &e->once && e->limit_cost > e->cost && e->limit_insns > e->insns)
		repeat(e, b);
	e->last = b;
	e->insns += b->insns;
	e->cost += b->cost;
}

static void hook_block(uc_engine *uc, uint64_t pc, uint32_t bytes, void *user)
{
	struct engine *e = user;
	struct block *b = blocks_slot(&e->blocks, pc);

	(void)uc;
	if (__builtin_expect(b->pc == pc && !b->flags && e->cost < e->limit_cost &&
				     e->insns < e->limit_insns, 1)) {
		e->last = b;
		e->insns += b->insns;
		e->cost += b->cost;
		return;
	}
	block_slow(e, b, pc, bytes);
}

static const struct block *counted_find(const struct engine *e, gaddr pc)
{
	uint32_t id = e->counted_at[(pc ^ pc >> 16) & (BLOCKS - 1)];

	if (e->counted.n && e->counted.at[id].pc == pc)
		return &e->counted.at[id];
	for (size_t i = e->counted.n; i-- > 1;)
		if (e->counted.at[i].pc == pc)
			return &e->counted.at[i];
	return NULL;
}

/* Counted block @b is next, and settled what came before: tell it if it is watched, and give to go on. */
static void start(struct engine *e, const struct block *b)
{
	if (e->insns >= e->watch_insns)
		watch(e, b);
	else
		limit_set(e);
	if (e->insns >= e->watch_insns && !limit_reached(e))
		give(e, 1);
}

/* A block in a zone, when translated code counts: called before the block looks whether it may start. */
static void hook_zone(uc_engine *uc, uint64_t pc, uint32_t bytes, void *user)
{
	struct engine *e = user;
	const struct block *b;

	(void)uc;
	(void)bytes;
	if (e->refused != BLOCK_NONE || zone_of(e, pc) >= ZONES_MAX)
		return;
	b = counted_find(e, pc);
	settle(e);
	e->rip = pc;
	if (!b || limit_reached(e)) {
		stop(e, WHY_START);
		return;
	}
	if (e->again != pc && !zone_asked(e, b))
		return;
	e->again = 0;
	/* It runs and is charged, whatever the call-back made of the limits. */
	start(e, b);
	if (limit_reached(e))
		count_give(1);
}

/* Nothing is left for a counted block to start with: a limit, one to watch, or just the next portion. */
static void on_start(void *ctx, uint32_t id)
{
	struct engine *e = ctx;

	settle(e);
	if (id && !limit_reached(e) && e->refused == BLOCK_NONE)
		start(e, &e->counted.at[id]);
}

/* A block of one REP MOVS or REP STOS, when translated code counts: as hook_zone(). */
static void hook_rep(uc_engine *uc, uint64_t pc, uint32_t bytes, void *user)
{
	struct engine *e = user;
	const struct block *b;

	(void)uc;
	(void)bytes;
	settle(e);
	/* Where each block is watched, each iteration is one. */
	if (e->refused != BLOCK_NONE || e->insns >= e->watch_insns || limit_reached(e))
		return;
	b = counted_find(e, pc);
	if (b && b->flags & BLOCK_REP && !(reg_read(e, UC_X86_REG_EFLAGS) & RFLAGS_TF))
		repeat(e, b);
	limit_set(e);
}

/* Hooks are looked for when a block is translated. */
static void on_translating(void *ctx, gaddr pc)
{
	struct engine *e = ctx;
	struct rep rep;
	uint8_t code[16];
	uint32_t n;
	uc_hook h;

	if (!direct_enabled() || !e->env || zone_of(e, pc) < ZONES_MAX || e->reps.n >= REPS_MAX)
		return;
	n = legal_decode(code, code_read(e, pc, code, 15)).bytes;
	if (!n || !rep_decode(code, n, &rep))
		return;
	for (size_t i = 0; i < e->reps.n; i++)
		if (e->reps.at[i] == pc)
			return;
	if (uc_hook_add(e->uc, &h, UC_HOOK_BLOCK, (void *)(uintptr_t)hook_rep, e, pc, pc) == UC_ERR_OK)
		VEC_PUSH(&e->reps, pc);
}

static void on_due(void *ctx)
{
	struct engine *e = ctx;

	if (e->why == WHY_NONE)
		stop(e, WHY_START);
}

static void hook_syscall(uc_engine *uc, void *user)
{
	struct engine *e = user;
	enum zone_action done = ZONE_RUN;

	(void)uc;
	settle(e);
	/* Not while it steps; and the library adds the instruction's length to RIP only afterwards. */
	if (e->ops.syscall && e->env && e->last && e->last != &e->once &&
	    !(count_on() && reg_read(e, UC_X86_REG_EFLAGS) & RFLAGS_TF)) {
		e->rip = eip(e) + SYSCALL_BYTES;
		done = e->ops.syscall(e->ops.ctx);
	}
	if (done != ZONE_MOVED) {
		stop(e, done == ZONE_RUN ? WHY_SYSCALL : WHY_CALLED);
	} else {
		limit_set(e);
	}
}

static int hook_cpuid(uc_engine *uc, void *user)
{
	struct engine *e = user;
	uint32_t out[4];

	(void)uc;
	if (!e->ops.cpuid)
		return 0;
	e->ops.cpuid(e->ops.ctx, (uint32_t)engine_get(e, REG_RAX), (uint32_t)engine_get(e, REG_RCX), out);
	engine_set(e, REG_RAX, out[0]);
	engine_set(e, REG_RBX, out[1]);
	engine_set(e, REG_RCX, out[2]);
	engine_set(e, REG_RDX, out[3]);
	return 1;
}

static void hook_vector(uc_engine *uc, uint32_t vector, void *user)
{
	struct engine *e = user;

	(void)uc;
	/* SYSCALL masks TF: whether a step is due after it is the kernel's way of returning. */
	if (e->why == WHY_SYSCALL && vector == VEC_DB)
		return;
	e->vector = vector;
	stop(e, WHY_VECTOR);
}

/* Memory that the library does not know or protects: outside of the window, or the vsyscall page. */
static bool hook_memory(uc_engine *uc, uc_mem_type type, uint64_t addr, int size, int64_t value, void *user)
{
	struct engine *e = user;
	bool exact = false;

	(void)uc;
	(void)size;
	(void)value;
	if (type == UC_MEM_FETCH_UNMAPPED || type == UC_MEM_FETCH_PROT || type == UC_MEM_FETCH) {
		e->fetch = addr;
		stop(e, WHY_FETCH);
		exact = repair_can_unwind();
	} else {
		bool write = type == UC_MEM_WRITE_UNMAPPED || type == UC_MEM_WRITE_PROT;

		e->fault = (struct leave_fault){ .addr = addr,
						 .code = PF_U | (write ? PF_W : 0u) |
							 (in_page(addr) && e->page_present ? PF_P : 0u),
						 .noncanonical = !gaddr_is_canonical(addr) };
		exact = leave_restore();
		stop(e, WHY_FAULT);
	}
	if (exact)
		repair_loop_exit();
	return false;
}

/* A host fault in translated code, a helper or the translator. */
static void on_leave(void *ctx, const struct leave_fault *f)
{
	struct engine *e = ctx;

	if (f->translating) {
		e->fetch = f->addr;
		e->fault = *f;
		stop(e, WHY_FETCH);
		return;
	}
	e->fault = *f;
	/* A guarded load outside of the window: what it is there, the library knows. */
	stop(e, f->direct && (f->noncanonical || f->addr >= WINDOW_END) ? WHY_AVOID : WHY_FAULT);
}

/* The library begins to run blocks; what was given before, its own exit request took away. */
static void on_enter(void *ctx)
{
	struct engine *e = ctx;

	if (e->why == WHY_NONE)
		limit_set(e);
}

static void on_gone(void *ctx, gaddr pc)
{
	blocks_gone(&((struct engine *)ctx)->blocks, pc);
}

/* ---- what ended the run ---- */

/* The running block was left after @done of its instructions. */
static void correct_to(struct engine *e, uint32_t done)
{
	const struct block *b = e->last;

	e->last = NULL;
	if (!b || done >= b->insns)
		return;
	e->insns -= b->insns - done;
	e->cost -= (uint64_t)b->cost * (b->insns - done) / b->insns;
}

static void correct(struct engine *e, gaddr rip)
{
	struct block_source s = source(e);
	uint32_t done;

	if (e->last && block_count(&s, e->last->pc, e->last->bytes, rip, &done))
		correct_to(e, done);
	e->last = NULL;
}

static void on_patched_itself(void *ctx)
{
	struct engine *e = ctx;

	settle(e);
	correct(e, eip(e));
	if (count_on()) {
		limit_set(e);
		return;
	}
	e->one_insn = true;
	e->limit_cost = 0; /* so that the next block is looked at */
}

static bool exception(struct trap *t, unsigned vector, uint32_t code, gaddr addr)
{
	t->kind = TRAP_EXCEPTION;
	t->vector = (uint8_t)vector;
	t->error_code = code;
	t->addr = addr;
	return true;
}

static bool fetch_fault(struct engine *e, struct trap *t, gaddr addr)
{
	const struct vma *v = memory_find(e->mem, addr);
	uint32_t code = PF_U | PF_I;

	if (v && v->start <= addr && v->prot)
		code |= PF_P;
	t->bus = e->fault.bus;
	return exception(t, VEC_PF, code, addr);
}

static void exit_add(struct engine *e, gaddr block, gaddr at)
{
	VEC_PUSH(&e->exits, at);
	exits_told(e);
	uc_ctl_remove_cache(e->uc, block, block + 1);
	blocks_gone(&e->blocks, block);
}

static void exit_remove(struct engine *e, gaddr at)
{
	for (size_t i = 0; i < e->exits.n; i++)
		if (e->exits.at[i] == at)
			e->exits.at[i--] = e->exits.at[--e->exits.n];
	exits_told(e);
	uc_ctl_remove_cache(e->uc, page_down(at), page_down(at) + PAGE_BYTES);
}

static uint64_t segment_get(void *ctx, enum reg r)
{
	return engine_get(ctx, r);
}

static void segment_set(void *ctx, enum reg r, uint64_t v)
{
	engine_set(ctx, r, v);
}

static size_t segment_read(void *ctx, void *dst, gaddr src, size_t n)
{
	return memory_read(((struct engine *)ctx)->mem, dst, src, n);
}

/* The instruction at e->rip may not run as the library would; true: it trapped. */
static bool objection(struct engine *e, struct trap *t)
{
	struct segment_cpu c = { e, segment_get, segment_set, segment_read, e->cpunode };
	struct segment_result r;
	struct block one = { .pc = e->rip, .insns = 1 };
	uint8_t code[16] = { 0 };
	bool step;

	if (e->walk.stop == BLOCK_NX) {
		/* Its translation is of no use, and would make stores there slow. */
		engine_forget(e, page_down(e->rip), page_up(e->rip + 1));
		return fetch_fault(e, t, e->walk.fetch);
	}
	switch (e->walk.verdict) {
	case LEGAL_UD:
		return exception(t, VEC_UD, 0, 0);
	case LEGAL_SEGMENT:
	case LEGAL_FAR:
		break;
	case LEGAL_GP:
	case LEGAL_TSC:
	case LEGAL_OK:
	default:
		return exception(t, VEC_GP, 0, 0);
	}
	step = reg_read(e, UC_X86_REG_EFLAGS) & RFLAGS_TF;
	one.bytes = legal_decode(code, code_read(e, e->rip, code, 15)).bytes;
	r = segment_execute(&c, code, 15);
	if (r.vector >= 0)
		return exception(t, (unsigned)r.vector, r.error_code, r.addr);
	e->insns++;
	e->cost += price(e, &one);
	return step && exception(t, VEC_DB, 0, 0);
}

/* Stopped at e->rip without a reason: one of our exits, or the library's own mind. */
static bool at_exit(struct engine *e, struct trap *t)
{
	struct block_source s = source(e);
	uint8_t code[16];
	struct legal_insn i = legal_decode(code, code_read(e, e->rip, code, 15));

	correct(e, e->rip);
	block_check(&s, e->rip, i.bytes ? i.bytes : 15, &e->walk);
	if (e->walk.stop != BLOCK_END && e->walk.at == e->rip)
		return objection(e, t);
	exit_remove(e, e->rip);
	return false;
}

/* Code at or behind e->fetch cannot be read. */
static bool on_fetch(struct engine *e, struct trap *t)
{
	struct block_source s = source(e);
	gaddr pc = eip(e), a = pc;

	e->rip = pc;
	if (!gaddr_is_canonical(pc)) {
		/* The branch itself faults and has changed nothing (SDM vol. 2, JMP, CALL, RET). */
		if (e->last) {
			uint8_t code[16], *p = code;
			uint64_t sp = engine_get(e, REG_RSP);

			e->rip = block_last(&s, e->last->pc, e->last->bytes);
			memset(code, 0, sizeof(code));
			code_read(e, e->rip, code, 15);
			while (*p == 0xf2 || *p == 0xf3 || *p == 0x3e || *p == 0x66 || (*p & 0xf0) == 0x40)
				p++;
			if (*p == 0xc3)
				sp -= 8;
			else if (*p == 0xc2)
				sp -= 8 + (uint64_t)(p[1] | p[2] << 8);
			else if (*p == 0xff && (p[1] >> 3 & 7) == 2)
				sp += 8;
			engine_set(e, REG_RSP, sp);
			correct(e, e->rip);
		}
		return exception(t, VEC_GP, 0, 0);
	}
	e->last = NULL;
	if (page_down(pc) == page_down(e->fetch) || !code_exec(e, pc))
		return fetch_fault(e, t, pc);
	/* The page behind: what stands before it runs first. */
	for (;;) {
		uint8_t code[16];
		size_t n = (size_t)(page_down(e->fetch) - a);
		struct legal_insn i = legal_decode(code, code_read(e, a, code, n < 15 ? n : 15));

		if (!i.bytes || a + i.bytes >= page_down(e->fetch)) {
			a = i.bytes && a + i.bytes == page_down(e->fetch) ? a + i.bytes : a;
			break;
		}
		a += i.bytes;
	}
	if (a == pc)
		return fetch_fault(e, t, page_down(e->fetch));
	if (is_exit(e, a)) {
		snprintf(e->error, sizeof(e->error), "the translator does not stop before page %#lx",
			 (unsigned long)page_down(e->fetch));
		t->kind = TRAP_ENGINE;
		return true;
	}
	exit_add(e, pc, a);
	return false;
}

static bool on_vector(struct engine *e, struct trap *t)
{
	struct block_source s = source(e);
	uint8_t code[2] = { 0 };
	gaddr last;

	if (repair.in_flight)
		*repair.in_flight = -1;
	e->rip = eip(e);
	if (e->last) {
		last = block_last(&s, e->last->pc, e->last->bytes);
		if (code_read(e, last, code, 2) == 2 && code[0] == 0xcd && e->rip == last + 2) {
			t->kind = TRAP_INT;
			t->vector = (uint8_t)e->vector;
			t->next = e->rip;
			e->rip = last;
			correct(e, last);
			return true;
		}
	}
	if (e->vector == VEC_DB)
		correct_to(e, 1);
	else if (e->vector != VEC_BP)
		correct(e, e->rip);
	return exception(t, e->vector, 0, 0);
}

static void on_avoid(struct engine *e)
{
	e->rip = eip(e);
	/* Only a block's first instruction begins it again. */
	e->again = e->last && e->last->pc == e->rip ? e->rip : 0;
	correct(e, e->rip);
	direct_avoid(e->rip);
	uc_ctl_remove_cache(e->uc, e->rip, e->rip + 1);
}

static bool on_data(struct engine *e, struct trap *t)
{
	e->rip = eip(e);
	correct(e, e->rip);
	t->bus = e->fault.bus;
	if (!e->fault.noncanonical) {
		uint8_t code[16];

		if (legal_modifies_memory(code, code_read(e, e->rip, code, 15)))
			e->fault.code |= PF_W;
		return exception(t, VEC_PF, e->fault.code, e->fault.addr);
	}
	return exception(t, VEC_GP, 0, 0);
}

static bool limit(struct engine *e, struct trap *t)
{
	t->kind = e->interrupted ? TRAP_INTERRUPT : TRAP_DEADLINE;
	e->interrupted = 0;
	limit_set(e);
	return true;
}

/* Nothing was left at e->rip: a limit, or a block that must not run. */
static bool at_start(struct engine *e, struct trap *t)
{
	if (limit_reached(e))
		return limit(e, t);
	if (e->refused != e->rip)
		return false;
	if (e->walk.at == e->rip)
		return objection(e, t);
	exit_add(e, e->rip, e->walk.at);
	return false;
}

static bool on_return(struct engine *e, uc_err err, struct trap *t)
{
	uint8_t code;

	switch (e->why) {
	case WHY_ZONE:
	case WHY_CALLED:
		t->kind = TRAP_ZONE;
		return true;
	case WHY_LIMIT:
		return limit(e, t);
	case WHY_MOVED:
		return false;
	case WHY_START:
		e->rip = eip(e);
		return at_start(e, t);
	case WHY_SYSCALL:
		e->rip = eip(e);
		t->kind = TRAP_SYSCALL;
		return true;
	case WHY_VECTOR:
		return on_vector(e, t);
	case WHY_FAULT:
		return on_data(e, t);
	case WHY_FETCH:
		return on_fetch(e, t);
	case WHY_AVOID:
		on_avoid(e);
		return false;
	case WHY_BLOCK:
		if (e->walk.at == e->rip)
			return objection(e, t);
		exit_add(e, e->rip, e->walk.at);
		return false;
	case WHY_NONE:
	default:
		break;
	}
	e->rip = eip(e);
	if (err == UC_ERR_OK)
		return at_exit(e, t);
	if (err == UC_ERR_INSN_INVALID) {
		correct(e, e->rip);
		if (code_read(e, e->rip, &code, 1) == 1 && code == 0xf1) {
			e->rip++;
			return exception(t, VEC_DB, 0, 0);
		}
		return exception(t, VEC_UD, 0, 0);
	}
	snprintf(e->error, sizeof(e->error), "unicorn: %s at rip %#lx", uc_strerror(err), (unsigned long)e->rip);
	t->kind = TRAP_ENGINE;
	return true;
}

void engine_run(struct engine *e, struct trap *t)
{
	uint64_t insns = e->insns;
	unsigned stuck = 0;

	memset(t, 0, sizeof(*t));
	if (e->again != e->rip)
		e->again = 0; /* a signal, say, came between */
	for (;;) {
		bool trapped;
		uc_err err;

		if (e->interrupted) {
			e->interrupted = 0;
			limit_set(e);
			t->kind = TRAP_INTERRUPT;
			break;
		}
		e->why = WHY_NONE;
		e->last = NULL;
		e->fault.bus = false;
		leave_arm(true);
		err = uc_emu_start(e->uc, e->rip, 0, 0, 0);
		leave_arm(false);
		settle(e);
		/* Its translation would run the next time. */
		if (e->refused != BLOCK_NONE)
			uc_ctl_remove_cache(e->uc, e->refused, e->refused + 1);
		trapped = on_return(e, err, t);
		e->refused = BLOCK_NONE;
		if (trapped)
			break;
		stuck = e->insns == insns && e->why != WHY_MOVED ? stuck + 1 : 0;
		insns = e->insns;
		if (stuck > STUCK_MAX) {
			snprintf(e->error, sizeof(e->error), "no progress at rip %#lx", (unsigned long)e->rip);
			t->kind = TRAP_ENGINE;
			break;
		}
	}
	e->last = NULL;
	t->rip = e->rip;
}

/* ---- the rest of the contract ---- */

const char *engine_notes(const struct engine *e)
{
	return e->notes[0] ? e->notes : NULL;
}

const char *engine_strerror(const struct engine *e)
{
	return e->error;
}

uint64_t engine_insns(const struct engine *e)
{
	uint64_t insns = e->insns, cost = 0;

	if (count_on())
		count_peek(&insns, &cost);
	return insns;
}

uint64_t engine_cost(const struct engine *e)
{
	uint64_t insns = 0, cost = e->cost;

	if (count_on())
		count_peek(&insns, &cost);
	return cost;
}

void engine_set_deadline(struct engine *e, uint64_t cost, uint64_t insns)
{
	e->deadline_cost = cost;
	e->deadline_insns = insns;
	limit_set(e);
}

void engine_interrupt(struct engine *e)
{
	e->interrupted = 1;
	e->limit_cost = 0;
	count_interrupt();
}

/* Blocks that count themselves have no hook but in zones. */
static bool zone_hook(struct engine *e, unsigned i)
{
	return !count_on() || uc_hook_add(e->uc, &e->zone[i].hook, UC_HOOK_BLOCK, (void *)(uintptr_t)hook_zone, e,
					   e->zone[i].start, e->zone[i].end - 1) == UC_ERR_OK;
}

bool engine_add_zone(struct engine *e, gaddr start, gaddr end)
{
	if (e->zones == ZONES_MAX)
		return false;
	e->zone[e->zones].start = start;
	e->zone[e->zones].end = end;
	return zone_hook(e, e->zones++);
}

void engine_clear_zones(struct engine *e)
{
	while (e->zones > 1)
		if (e->zone[--e->zones].hook) {
			uc_hook_del(e->uc, e->zone[e->zones].hook);
			e->zone[e->zones].hook = 0;
		}
	blocks_clear(&e->blocks);
}

void engine_set_page(struct engine *e, const uint8_t *bytes, bool readable, bool present)
{
	if (bytes)
		memcpy(e->page, bytes, PAGE_BYTES);
	else
		memset(e->page, 0xcc, PAGE_BYTES);
	e->page_present = present;
	repair.page_unreadable = !readable;
	/* Mapped anew: a mere change of protection leaves translated addresses behind. */
	uc_ctl_remove_cache(e->uc, VSYSCALL_PAGE, VSYSCALL_PAGE_END);
	uc_mem_unmap(e->uc, VSYSCALL_PAGE, PAGE_BYTES);
	uc_mem_map_ptr(e->uc, VSYSCALL_PAGE, PAGE_BYTES, UC_PROT_EXEC | (readable ? UC_PROT_READ : 0u), e->page);
}

void engine_poke_page(struct engine *e, const uint8_t *page, unsigned offset, unsigned n)
{
	memcpy(e->page + offset, page + offset, n);
}

static void forget_pages(void *ctx, gaddr start, gaddr end)
{
	uc_ctl_remove_cache(((struct engine *)ctx)->uc, start, end);
}

void engine_forget(struct engine *e, gaddr start, gaddr end)
{
	repair_each_code_page(start, end, forget_pages, e);
}

void engine_forbid_tsc(struct engine *e, bool forbidden)
{
	if (e->tsc_forbidden != forbidden && count_on())
		engine_forget(e, WINDOW_START, WINDOW_END);
	e->tsc_forbidden = forbidden;
	blocks_clear(&e->blocks);
}

void engine_set_cpunode(struct engine *e, uint32_t cpunode)
{
	e->cpunode = cpunode;
}

static uint64_t tsc(void *ctx)
{
	struct engine *e = ctx;
	uint32_t aux = (uint32_t)e->aux;
	uint64_t v = e->ops.tsc ? e->ops.tsc(e->ops.ctx, &aux) : engine_insns(e);

	if (aux != e->aux) {
		struct { uint32_t rid; uint64_t value; } msr = { MSR_TSC_AUX, aux };

		uc_reg_write(e->uc, UC_X86_REG_MSR, &msr);
		e->aux = aux;
	}
	return v;
}

/* ---- making one ---- */

static bool map_all(struct engine *e, struct err *err)
{
	uc_err r;

	r = uc_mem_map_ptr(e->uc, WINDOW_START, WINDOW_END - WINDOW_START, UC_PROT_ALL,
			   memory_host(WINDOW_START));
	if (r == UC_ERR_OK)
		r = uc_mem_map_ptr(e->uc, VSYSCALL_PAGE, PAGE_BYTES, UC_PROT_EXEC, e->page);
	/* So that a block at the page's end can be translated; blocks there are never run. */
	if (r == UC_ERR_OK)
		r = uc_mem_map_ptr(e->uc, VSYSCALL_PAGE_END, PAGE_BYTES, UC_PROT_EXEC, e->guard);
	return r == UC_ERR_OK || err_set(err, "unicorn cannot map the guest window: %s", uc_strerror(r));
}

static bool hook_all(struct engine *e, struct err *err)
{
	uc_hook h;
	uc_err r;
	/* Hooks are void pointers to the library; C has no other way to say so. */
	void *const block = (void *)(uintptr_t)hook_block, *const vector = (void *)(uintptr_t)hook_vector;
	void *const sys = (void *)(uintptr_t)hook_syscall, *const cpuid = (void *)(uintptr_t)hook_cpuid;
	void *const mem = (void *)(uintptr_t)hook_memory;

	r = uc_hook_add(e->uc, &e->all_blocks, UC_HOOK_BLOCK, block, e, (uint64_t)1, (uint64_t)0);
	if (r == UC_ERR_OK)
		r = uc_hook_add(e->uc, &h, UC_HOOK_INTR, vector, e, (uint64_t)1, (uint64_t)0);
	if (r == UC_ERR_OK)
		r = uc_hook_add(e->uc, &h, UC_HOOK_INSN, sys, e, (uint64_t)1, (uint64_t)0, UC_X86_INS_SYSCALL);
	if (r == UC_ERR_OK)
		r = uc_hook_add(e->uc, &h, UC_HOOK_INSN, cpuid, e, (uint64_t)1, (uint64_t)0, UC_X86_INS_CPUID);
	if (r == UC_ERR_OK)
		r = uc_hook_add(e->uc, &h, UC_HOOK_MEM_INVALID, mem, e, (uint64_t)1, (uint64_t)0);
	return r == UC_ERR_OK || err_set(err, "unicorn does not take a hook: %s", uc_strerror(r));
}

/* Is what RDTSC's helper was given the register file?  Believed if writes through the library show. */
static void env_find(struct engine *e)
{
	uint64_t *env = repair.env;

	if (!env)
		return;
	for (unsigned r = 0; r < REG_RIP; r++)
		reg_write(e, uc_regs[r], 0x1234567800000000u + r);
	for (unsigned r = 0; r < REG_RIP; r++)
		if (env[r] != 0x1234567800000000u + r)
			return;
	reg_write(e, UC_X86_REG_RIP, 0x123456789abcu);
	if (env[ENV_EIP] != 0x123456789abcu)
		return;
	e->env = env;
	reg_write(e, UC_X86_REG_CS, 0x33);
	if (*env_sel(e, 1) != 0x33)
		return;
	*env_sel(e, 2) = 0x2b;
	e->env_segs = reg_read(e, UC_X86_REG_SS) == 0x2b;
}

static void start_state(struct engine *e)
{
	struct cpu_state s;

	reg_write(e, UC_X86_REG_CR4, reg_read(e, UC_X86_REG_CR4) | CR4_OSFXSR_OSXMMEXCPT);
	cpu_state_init(&s);
	engine_load(e, &s);
	e->insns = e->cost = 0;
	e->rip = 0;
}

/* A line for the user; a level that is lost leaves the program right, but slower. */
static void note(struct engine *e, const char *fmt, ...)
{
	size_t n = strlen(e->notes);
	va_list ap;

	if (n && n + 2 < sizeof(e->notes))
		n += (size_t)snprintf(e->notes + n, sizeof(e->notes) - n, "; ");
	va_start(ap, fmt);
	vsnprintf(e->notes + n, sizeof(e->notes) - n, fmt, ap);
	va_end(ap);
}

/* Speed-ups above the repair, each tried before it is believed: --engine-level. */
enum { LEVEL_SSE = 3, LEVEL_COUNT = 4, LEVEL_DEFAULT = LEVEL_COUNT };

static bool hook_blocks(struct engine *e)
{
	return uc_hook_add(e->uc, &e->all_blocks, UC_HOOK_BLOCK, (void *)(uintptr_t)hook_block, e, (uint64_t)1,
			   (uint64_t)0) == UC_ERR_OK;
}

/* From the hook of all blocks to blocks that count themselves, and back.  No translation is left from before. */
static void count_begin(struct engine *e)
{
	const struct count_ops ops = { e, on_translating, on_translated, on_start, on_due };

	uc_hook_del(e->uc, e->all_blocks);
	e->all_blocks = 0;
	count_start(repair.env, &ops);
	for (unsigned i = 0; i < e->zones; i++)
		zone_hook(e, i);
}

static void count_back(struct engine *e)
{
	settle(e);
	count_end();
	for (unsigned i = 0; i < e->zones; i++) {
		uc_hook_del(e->uc, e->zone[i].hook);
		e->zone[i].hook = 0;
	}
	hook_blocks(e);
	limit_set(e);
}

static void test_count(struct engine *e)
{
	char why[128] = "unknown internals";
	int32_t *in_flight = repair.in_flight;

	if (count_possible() && repair.env) {
		count_begin(e);
		if (selftest_run(e, e->mem, why, sizeof(why)) && selftest_deadline(e, e->mem, why, sizeof(why)))
			return;
		count_back(e);
		repair.in_flight = in_flight;
	}
	note(e, "self-test of the engine: counting in translated code: %s: a hook counts", why);
}

static void test_speedups(struct engine *e, int level)
{
	char why[128];

	if (level >= LEVEL_SSE) {
		sse_use(true);
		if (!selftest_sse(e, e->mem, why, sizeof(why))) {
			sse_use(false);
			note(e, "self-test of the engine: SSE: %s: the library's own SSE is used", why);
		}
	}
	if (level >= LEVEL_COUNT)
		test_count(e);
}

static void test_self(struct engine *e, int level)
{
	unsigned major = 0, minor = 0;
	char why[128];

	direct_enable(false);
	uc_version(&major, &minor);
	repair.enabled = level && repair_possible() && major == 2 && minor <= 1;
	if (!repair.enabled && level)
		snprintf(e->notes, sizeof(e->notes),
			 "this libunicorn is not the one whose stores can be repaired: the program runs slower");
	if (!leave_set(on_leave, e)) {
		snprintf(e->notes, sizeof(e->notes),
			 "this libunicorn cannot restore registers at a fault: faults are inexact");
		return;
	}
	if (repair.enabled && (level < 0 || level >= LEVEL_DIRECT)) {
		const char *missing = direct_missing();

		direct_enable(!missing);
		if (missing)
			snprintf(e->notes, sizeof(e->notes),
				 "this libunicorn has not %s that direct loads need: the program runs slower", missing);
		if (selftest_run(e, e->mem, why, sizeof(why))) {
			test_speedups(e, level < 0 ? LEVEL_DEFAULT : level);
			return;
		}
		if (direct_enabled())
			snprintf(e->notes, sizeof(e->notes), "self-test of the engine: %s: direct loads are off", why);
		direct_enable(false);
	}
	if (selftest_run(e, e->mem, why, sizeof(why))) {
		if (repair.enabled)
			test_speedups(e, level < 0 ? LEVEL_DEFAULT : level);
		return;
	}
	repair.enabled = false;
	snprintf(e->notes, sizeof(e->notes), "self-test of the engine: %s: the repair of stores is off", why);
}

struct engine *engine_new(struct memory *mem, const struct engine_ops *ops, int level, struct err *err)
{
	struct engine *e = xcalloc(1, sizeof(*e));
	uc_err r = uc_open(UC_ARCH_X86, UC_MODE_64, &e->uc);

	/* Takes effect from 2.1 on; 2.0.1's feature words are widened by hand (repair.c). */
	if (r == UC_ERR_OK)
		r = uc_ctl_set_cpu_model(e->uc, UC_CPU_X86_EPYC);
	e->mem = mem;
	e->page = mmap(NULL, 2 * PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (r != UC_ERR_OK || e->page == MAP_FAILED) {
		err_set(err, "unicorn cannot be opened: %s", uc_strerror(r));
		free(e);
		return NULL;
	}
	e->guard = e->page + PAGE_BYTES;
	memset(e->page, 0xcc, 2 * PAGE_BYTES);
	e->watch_insns = UINT64_MAX;
	e->refused = BLOCK_NONE;
	engine_set_deadline(e, UINT64_MAX, UINT64_MAX);
	engine_add_zone(e, VSYSCALL_PAGE, VSYSCALL_PAGE_END);
	repair.tsc = tsc;
	repair.tsc_ctx = repair.ctx = e;
	repair.gone = on_gone;
	repair.enter = on_enter;
	repair.patched_itself = on_patched_itself;
	uc_ctl_exits_enable(e->uc);
#ifdef uc_ctl_tlb_mode /* from 2.1 on the processor's own mode cuts addresses to 52 bits */
	uc_ctl_tlb_mode(e->uc, UC_TLB_VIRTUAL);
#endif
	if (!map_all(e, err) || !hook_all(e, err)) {
		engine_free(e);
		return NULL;
	}
	sse_use(false);
	start_state(e);
	test_self(e, level);
	env_find(e);
	e->ops = *ops;
	e->watch_insns = e->ops.watch ? 0 : UINT64_MAX;
	limit_set(e);
	start_state(e);
	return e;
}

void engine_free(struct engine *e)
{
	if (!e)
		return;
	count_end();
	memset(&repair, 0, sizeof(repair));
	uc_close(e->uc);
	munmap(e->page, 2 * PAGE_BYTES);
	VEC_FREE(&e->exits);
	VEC_FREE(&e->counted);
	VEC_FREE(&e->reps);
	free(e);
}
