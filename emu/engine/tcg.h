/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library's translator as far as it is used from outside: operations are added to what it emits.  All
 * private facts of libunicorn 2.0.1 (QEMU 5.0.1's include/tcg/tcg.h, include/exec/exec-all.h) are here; they are
 * believed only after the names of the operations were found and the engine's self-test passed.
 */
#ifndef VSYSEMU_ENGINE_TCG_H
#define VSYSEMU_ENGINE_TCG_H

#include "base/types.h"

#define LIB(name) name##_x86_64

/* TCGOp: an operation; its arguments are numbers or pointers to temporaries. */
struct tcg_op {
	uint32_t bits, pad;
	void *next, *prev;
	uint64_t args[];
};

/* TranslationBlock, its beginning. */
struct tcg_block {
	uint64_t pc, cs_base;
	uint32_t flags;
	uint16_t size, icount; /* guest bytes and instructions */
};

enum tcg_opcode {
	TCG_MOVI_I64, TCG_MOVI_I32, TCG_LD_I32, TCG_LD_I64, TCG_ST_I32, TCG_ST_I64, TCG_SUB_I64, TCG_CALL, TCG_SET_LABEL,
	TCG_OPCODES
};

#define TCG_COND_GE 3 /* signed */
#define TCG_EXIT_REQUESTED 3 /* of tcg_gen_exit_tb(): a block's tail, for those that did not start */

/* The three words in front of CPUX86State: icount_decr, whose sign is tested at each block's start, and
 * what alignment leaves free. */
#define ENV_EXIT_WORD (-16)
#define ENV_FREE_WORD (-12) /* 32 bits */
#define ENV_FREE_LONG (-8) /* 64 bits */

/* Look the functions and, once a context exists, the operations up; false: another library. */
bool tcg_look_up(void);
bool tcg_known(void);

/* Numbers of operations in this library. */
int tcg_number(enum tcg_opcode op);
struct tcg_op *tcg_emit(void *s, enum tcg_opcode op);
/* Call @fn with the 32-bit temporary @arg.  What translated code keeps in registers is in memory during it. */
void tcg_call(void *s, void (*fn)(uint32_t), void *arg);
/* A label set here, which the rest of the block can branch to. */
void *tcg_label_here(void *s);
void *tcg_temp64(void *s);
void *tcg_temp32(void *s);
void tcg_temp_done(void *s, void *t);

#endif
