/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions as facts: bytes -> operands in neutral form (the only user of capstone).  64-bit code
 * only.  What capstone 4 gets wrong (operand access of some SSE moves, cmp and test) is put right by
 * mnemonic and operand position.
 */
#ifndef VSYSEMU_FACTS_INSN_H
#define VSYSEMU_FACTS_INSN_H

#include "base/types.h"

enum insn_operand_kind { OPERAND_REG, OPERAND_IMM, OPERAND_MEM };
enum insn_reg_file { FILE_NONE, FILE_GPR, FILE_XMM, FILE_MMX, FILE_X87, FILE_SEG, FILE_RIP, FILE_OTHER };

/* A register: its file and number in the processor's encoding order (RAX 0, RCX 1 ... R15 15). */
struct insn_reg {
	uint8_t file; /* enum insn_reg_file */
	uint8_t nr;
	bool high; /* AH, CH, DH, BH */
};

struct insn_operand {
	uint8_t kind; /* enum insn_operand_kind */
	uint8_t bytes; /* operand size; of IMM: of the operation */
	bool read, written;
	struct insn_reg reg; /* REG */
	struct insn_reg base, index, seg; /* MEM; file FILE_NONE: absent */
	uint8_t scale; /* 1, 2, 4, 8 */
	int64_t value; /* IMM, sign-extended; MEM: displacement */
};

enum insn_flow { FLOW_NONE, FLOW_JCC, FLOW_JMP, FLOW_CALL, FLOW_RET, FLOW_TRAP };

struct insn {
	gaddr addr;
	uint8_t bytes; /* length */
	uint8_t flow; /* enum insn_flow */
	bool indirect; /* call or jmp through a register or memory */
	bool lock, rep;
	uint8_t n; /* operands */
	struct insn_operand op[4];
	char name[16]; /* mnemonic without prefixes, as capstone spells it */
	char text[96]; /* operands, Intel syntax */
};

struct insn_decoder;
/* NULL when capstone refuses. */
struct insn_decoder *insn_decoder_new(void);
void insn_decoder_free(struct insn_decoder *d);

/* Decode one instruction at @code (at most @n bytes, guest address @addr).  False: undecodable; the
 * caller steps one byte. */
bool insn_decode(struct insn_decoder *d, const uint8_t *code, size_t n, gaddr addr, struct insn *out);

#endif
