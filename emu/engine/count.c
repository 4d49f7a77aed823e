/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Counting by translated code: see count.h.  Of each block's head, which loads icount_decr and branches to the
 * exit if it is negative (gen_tb_start), the load is redirected to the upper half of our word, and the
 * subtraction is appended.  The exit request of the library (cpu_exit) makes our word negative too.
 */
#include "engine/count.h"

#include <dlfcn.h>

#include "engine/direct.h"
#include "engine/tcg.h"

#define LEFT(word) ((word) >> 32)
#define INTERRUPT ((int64_t)1 << 30) /* taken from what is left; larger than anything that is given or charged at once */

enum at { ELSEWHERE, AT_START, AT_BRANCH }; /* in the translation of a block */

static struct {
	bool on, looked, due; /* due: the block that is next was not given anything */
	struct count_ops ops;
	int64_t *word;
	uint32_t *id;
	int64_t given;
	uint64_t insns, cost; /* taken from the word already */
	enum at at;
	uint64_t env; /* the temporary, as an argument */
	/* Of the block that is translated. */
	struct tcg_op *charge, *mark, *start;
	void *body; /* label behind the test */
	void (*op3)(void *s, int op, uint64_t a, uint64_t b, uint64_t c);
	void (*brcondi)(void *s, int cond, uint64_t a, int32_t imm, void *label);
	void (*exit_tb)(void *s, void *tb, unsigned index);
	void (*translate)(void *cpu, struct tcg_block *tb, int max);
	void (*exec_unlock)(void *c), (*cpu_exit)(void *cpu);
} count;

static void look_up(void)
{
	if (count.looked)
		return;
	count.looked = true;
#define GET(field, name) *(void **)&count.field = dlsym(RTLD_NEXT, name)
	GET(op3, "tcg_gen_op3_x86_64");
	GET(brcondi, "tcg_gen_brcondi_i32_x86_64");
	GET(exit_tb, "tcg_gen_exit_tb_x86_64");
	GET(translate, "gen_intermediate_code_x86_64");
	GET(exec_unlock, "tb_exec_unlock_x86_64");
	GET(cpu_exit, "cpu_exit");
#undef GET
}

bool count_possible(void)
{
	look_up();
	return tcg_known() && count.op3 && count.brcondi && count.exit_tb && count.translate && count.exec_unlock && count.cpu_exit;
}

bool count_on(void)
{
	return count.on;
}

void count_start(void *env, const struct count_ops *ops)
{
	count.ops = *ops;
	count.word = (int64_t *)(void *)((char *)env + ENV_FREE_LONG);
	count.id = (uint32_t *)(void *)((char *)env + ENV_FREE_WORD);
	count.insns = count.cost = 0;
	*count.id = 0;
	count.on = true;
	count_give(0);
}

void count_end(void)
{
	if (count.on)
		*count.word = *count.id = 0;
	count.on = false;
}

void count_give(uint64_t left)
{
	count.given = (int64_t)left;
	*count.word = (int64_t)((uint64_t)(count.given - 1) << 32);
}

void count_peek(uint64_t *insns, uint64_t *cost)
{
	int64_t spent = count.given - 1 - LEFT(*count.word);

	if (spent >= INTERRUPT / 2)
		spent -= INTERRUPT;
	*insns += count.insns + (uint32_t)*count.word;
	*cost += count.cost + (uint64_t)spent - (uint32_t)*count.word;
}

uint32_t count_take(uint64_t *insns, uint64_t *cost)
{
	uint32_t id = *count.id;

	count_peek(insns, cost);
	count.insns = count.cost = 0;
	*count.id = 0;
	count_give(0);
	return id;
}

void count_interrupt(void)
{
	if (count.on && LEFT(*count.word) > -INTERRUPT / 2)
		__asm__ volatile("subq %1, %0" : "+m"(*count.word) : "r"((int64_t)((uint64_t)INTERRUPT << 32)) : "cc");
}

/* ---- what the library calls ---- */

void LIB(tcg_gen_op3)(void *s, int op, uint64_t a, uint64_t b, uint64_t c);
void LIB(tcg_gen_op3)(void *s, int op, uint64_t a, uint64_t b, uint64_t c)
{
	look_up();
	if (count.at == AT_START && op == tcg_number(TCG_LD_I32) && (int64_t)c == ENV_EXIT_WORD) {
		count.at = AT_BRANCH;
		count.env = b;
		c = (uint64_t)(ENV_FREE_LONG + 4);
	}
	count.op3(s, op, a, b, c);
}

static struct tcg_op *emit(void *s, enum tcg_opcode op, void *a, uint64_t b, uint64_t c)
{
	struct tcg_op *o = tcg_emit(s, op);

	o->args[0] = (uint64_t)(uintptr_t)a;
	o->args[1] = b;
	if (op != TCG_MOVI_I64 && op != TCG_MOVI_I32)
		o->args[2] = c;
	return o;
}

void LIB(tcg_gen_brcondi_i32)(void *s, int cond, uint64_t a, int32_t imm, void *label);
void LIB(tcg_gen_brcondi_i32)(void *s, int cond, uint64_t a, int32_t imm, void *label)
{
	void *t, *k, *n;

	look_up();
	count.brcondi(s, cond, a, imm, label);
	if (count.at != AT_BRANCH)
		return;
	count.at = ELSEWHERE;
	count.body = tcg_label_here(s);
	t = tcg_temp64(s);
	k = tcg_temp64(s);
	n = tcg_temp32(s);
	count.mark = emit(s, TCG_MOVI_I32, n, 0, 0);
	emit(s, TCG_ST_I32, n, count.env, (uint64_t)ENV_FREE_WORD);
	count.charge = emit(s, TCG_MOVI_I64, k, 0, 0);
	emit(s, TCG_LD_I64, t, count.env, (uint64_t)ENV_FREE_LONG);
	emit(s, TCG_SUB_I64, t, (uint64_t)(uintptr_t)t, (uint64_t)(uintptr_t)k);
	emit(s, TCG_ST_I64, t, count.env, (uint64_t)ENV_FREE_LONG);
	tcg_temp_done(s, n);
	tcg_temp_done(s, k);
	tcg_temp_done(s, t);
}

/* Nothing is left at a block's start; an exit that was asked for comes first. */
static void at_start(uint32_t id)
{
	if (*(int32_t *)(void *)((char *)count.word - ENV_FREE_LONG + ENV_EXIT_WORD) < 0)
		return;
	count.ops.start(count.ops.ctx, id);
	count.due = *count.word < 0;
}

/* The tail of each block, where the test at its head branches to: ask, and look once more. */
void LIB(tcg_gen_exit_tb)(void *s, void *tb, unsigned index);
void LIB(tcg_gen_exit_tb)(void *s, void *tb, unsigned index)
{
	look_up();
	if (index == TCG_EXIT_REQUESTED && count.body) {
		void *t = tcg_temp32(s);

		count.start = emit(s, TCG_MOVI_I32, t, 0, 0);
		tcg_call(s, at_start, t);
		emit(s, TCG_LD_I32, t, count.env, (uint64_t)(ENV_FREE_LONG + 4));
		count.brcondi(s, TCG_COND_GE, (uint64_t)((char *)t - (char *)s), 0, count.body);
		tcg_temp_done(s, t);
	}
	count.exit_tb(s, tb, index);
}

void LIB(gen_intermediate_code)(void *cpu, struct tcg_block *tb, int max);
void LIB(gen_intermediate_code)(void *cpu, struct tcg_block *tb, int max)
{
	struct count_block b;

	look_up();
	count.at = count.on ? AT_START : ELSEWHERE;
	count.charge = count.start = NULL;
	count.body = NULL;
	if (count.on)
		count.ops.translating(count.ops.ctx, tb->pc);
	count.translate(cpu, tb, direct_begin(tb->pc, max));
	direct_end();
	count.at = ELSEWHERE;
	if (!count.on || !count.charge || !count.start)
		return;
	b = count.ops.translated(count.ops.ctx, tb->pc, tb->size, tb->icount);
	count.charge->args[1] = ((uint64_t)(b.cost + b.insns) << 32) - b.insns;
	count.mark->args[1] = count.start->args[1] = b.id;
}

/* Right after translated code was left. */
void LIB(tb_exec_unlock)(void *c);
void LIB(tb_exec_unlock)(void *c)
{
	look_up();
	count.exec_unlock(c);
	if (count.due || (count.on && LEFT(*count.word) < -INTERRUPT / 2)) {
		count.due = false;
		count.ops.due(count.ops.ctx);
	}
}

void cpu_exit(void *cpu);
void cpu_exit(void *cpu)
{
	look_up();
	if (count.on) {
		uint64_t insns = 0, cost = 0;

		count_peek(&insns, &cost);
		count.insns = insns;
		count.cost = cost;
		count_give(0);
	}
	count.cpu_exit(cpu);
}
