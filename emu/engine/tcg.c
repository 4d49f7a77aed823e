/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Adding operations to what the library translates: see tcg.h. */
#include "engine/tcg.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/direct.h"

#define DEFS_OFFSET 0x9968 /* TCGContext.tcg_op_defs */
#define DEFS_MAX 250
#define TYPE_I32 0
#define TYPE_I64 1
#define ONE_INPUT 0x100u /* TCGOP_CALLI, of TCGOp's bits */
#define LABEL_PRESENT 1u /* of TCGLabel's */

/* TCGOpDef */
struct op_def {
	const char *name;
	uint8_t counts[4], flags;
	void *constraints;
	int *sorted;
};

static struct {
	bool looked;
	int number[TCG_OPCODES];
	bool known;
	void (*context_init)(void *s);
	struct tcg_op *(*emit_op)(void *s, int op);
	void *(*new_label)(void *s);
	void *(*temp_new)(void *s, int type, bool local);
	void (*temp_free)(void *s, void *t);
} tcg;

bool tcg_look_up(void)
{
	if (!tcg.looked) {
		tcg.looked = true;
		*(void **)&tcg.context_init = dlsym(RTLD_NEXT, "tcg_context_init_x86_64");
		*(void **)&tcg.emit_op = dlsym(RTLD_NEXT, "tcg_emit_op_x86_64");
		*(void **)&tcg.new_label = dlsym(RTLD_NEXT, "gen_new_label_x86_64");
		*(void **)&tcg.temp_new = dlsym(RTLD_NEXT, "tcg_temp_new_internal_x86_64");
		*(void **)&tcg.temp_free = dlsym(RTLD_NEXT, "tcg_temp_free_internal_x86_64");
	}
	return tcg.context_init && tcg.emit_op && tcg.new_label && tcg.temp_new && tcg.temp_free;
}

bool tcg_known(void)
{
	return tcg.known;
}

/* Read without trusting @src. */
static bool peek(void *dst, const void *src, size_t n)
{
	struct iovec to = { dst, n }, from = { (void *)(uintptr_t)src, n };

	return process_vm_readv(getpid(), &to, 1, &from, 1, 0) == (ssize_t)n;
}

static void find_numbers(void *s)
{
	static const char *const name[TCG_OPCODES] = { "movi_i64", "movi_i32", "ld_i32", "ld_i64",
						       "st_i32",   "st_i64",   "sub_i64", "call",   "set_label" };
	struct op_def *defs, d;
	unsigned found = 0;

	if (!peek(&defs, (char *)s + DEFS_OFFSET, sizeof(defs)))
		return;
	for (int i = 0; i < DEFS_MAX && peek(&d, defs + i, sizeof(d)); i++) {
		char text[16] = "";

		if (!d.name || !peek(text, d.name, sizeof(text) - 1))
			break;
		if (!i && strcmp(text, "discard"))
			return;
		for (unsigned k = 0; k < TCG_OPCODES; k++)
			if (!strcmp(text, name[k])) {
				tcg.number[k] = i;
				found++;
			}
	}
	tcg.known = found == TCG_OPCODES;
}

void LIB(tcg_context_init)(void *s);
void LIB(tcg_context_init)(void *s)
{
	bool all = tcg_look_up();

	tcg.context_init(s);
	direct_context(s);
	tcg.known = false;
	if (all)
		find_numbers(s);
}

int tcg_number(enum tcg_opcode op)
{
	return tcg.number[op];
}

struct tcg_op *tcg_emit(void *s, enum tcg_opcode op)
{
	return tcg.emit_op(s, tcg.number[op]);
}

void tcg_call(void *s, void (*fn)(uint32_t), void *arg)
{
	struct tcg_op *o = tcg_emit(s, TCG_CALL);

	o->bits |= ONE_INPUT;
	o->args[0] = (uint64_t)(uintptr_t)arg;
	o->args[1] = (uint64_t)(uintptr_t)fn;
	o->args[2] = 0; /* it may read and write whatever it likes */
}

void *tcg_label_here(void *s)
{
	uint32_t *label = tcg.new_label(s);

	*label |= LABEL_PRESENT;
	tcg_emit(s, TCG_SET_LABEL)->args[0] = (uint64_t)(uintptr_t)label;
	return label;
}

void *tcg_temp64(void *s)
{
	return tcg.temp_new(s, TYPE_I64, false);
}

void *tcg_temp32(void *s)
{
	return tcg.temp_new(s, TYPE_I32, false);
}

void tcg_temp_done(void *s, void *t)
{
	tcg.temp_free(s, t);
}
