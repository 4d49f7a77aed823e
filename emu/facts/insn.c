/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Instructions as facts: see insn.h.  Knows capstone 4 and the SDM's operand order; knows neither
 * prices nor the vsyscall page.
 */
#include "facts/insn.h"

#include <capstone/capstone.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* Loaded when it is needed: a run needs none of it, and its tables are as much to relocate as all the rest. */
#define TEXT(x) #x
#define SONAME(major) "libcapstone.so." TEXT(major)

struct insn_decoder {
	void *lib;
	csh handle;
	cs_insn *scratch;
	__typeof__(cs_open) *open;
	__typeof__(cs_close) *close;
	__typeof__(cs_option) *option;
	__typeof__(cs_malloc) *alloc;
	__typeof__(cs_free) *release;
	__typeof__(cs_disasm_iter) *disasm_iter;
};

static bool load(struct insn_decoder *d)
{
	d->lib = dlopen(SONAME(CS_API_MAJOR), RTLD_NOW | RTLD_LOCAL);
	if (!d->lib)
		return false;
	*(void **)&d->open = dlsym(d->lib, "cs_open");
	*(void **)&d->close = dlsym(d->lib, "cs_close");
	*(void **)&d->option = dlsym(d->lib, "cs_option");
	*(void **)&d->alloc = dlsym(d->lib, "cs_malloc");
	*(void **)&d->release = dlsym(d->lib, "cs_free");
	*(void **)&d->disasm_iter = dlsym(d->lib, "cs_disasm_iter");
	return d->open && d->close && d->option && d->alloc && d->release && d->disasm_iter &&
	       d->open(CS_ARCH_X86, CS_MODE_64, &d->handle) == CS_ERR_OK;
}

struct insn_decoder *insn_decoder_new(void)
{
	struct insn_decoder *d = xcalloc(1, sizeof(*d));

	if (!load(d)) {
		free(d);
		return NULL;
	}
	d->option(d->handle, CS_OPT_DETAIL, CS_OPT_ON);
	d->scratch = d->alloc(d->handle);
	return d;
}

void insn_decoder_free(struct insn_decoder *d)
{
	if (!d)
		return;
	d->release(d->scratch, 1);
	d->close(&d->handle);
	free(d);
}

/* capstone's registers, in encoding order, by width. */
static const uint16_t gpr_names[4][16] = {
	{ X86_REG_RAX, X86_REG_RCX, X86_REG_RDX, X86_REG_RBX, X86_REG_RSP, X86_REG_RBP, X86_REG_RSI,
	  X86_REG_RDI, X86_REG_R8, X86_REG_R9, X86_REG_R10, X86_REG_R11, X86_REG_R12, X86_REG_R13,
	  X86_REG_R14, X86_REG_R15 },
	{ X86_REG_EAX, X86_REG_ECX, X86_REG_EDX, X86_REG_EBX, X86_REG_ESP, X86_REG_EBP, X86_REG_ESI,
	  X86_REG_EDI, X86_REG_R8D, X86_REG_R9D, X86_REG_R10D, X86_REG_R11D, X86_REG_R12D,
	  X86_REG_R13D, X86_REG_R14D, X86_REG_R15D },
	{ X86_REG_AX, X86_REG_CX, X86_REG_DX, X86_REG_BX, X86_REG_SP, X86_REG_BP, X86_REG_SI,
	  X86_REG_DI, X86_REG_R8W, X86_REG_R9W, X86_REG_R10W, X86_REG_R11W, X86_REG_R12W,
	  X86_REG_R13W, X86_REG_R14W, X86_REG_R15W },
	{ X86_REG_AL, X86_REG_CL, X86_REG_DL, X86_REG_BL, X86_REG_SPL, X86_REG_BPL, X86_REG_SIL,
	  X86_REG_DIL, X86_REG_R8B, X86_REG_R9B, X86_REG_R10B, X86_REG_R11B, X86_REG_R12B,
	  X86_REG_R13B, X86_REG_R14B, X86_REG_R15B },
};

static struct insn_reg reg_of(unsigned r)
{
	struct insn_reg out = { .file = FILE_OTHER };

	if (r == X86_REG_INVALID || r == X86_REG_RIZ || r == X86_REG_EIZ)
		return (struct insn_reg){ .file = FILE_NONE };
	for (unsigned w = 0; w < 4; w++)
		for (unsigned i = 0; i < 16; i++)
			if (gpr_names[w][i] == r)
				return (struct insn_reg){ .file = FILE_GPR, .nr = (uint8_t)i };
	if (r == X86_REG_AH || r == X86_REG_CH || r == X86_REG_DH || r == X86_REG_BH)
		return (struct insn_reg){ .file = FILE_GPR,
					  .nr = (uint8_t)(r == X86_REG_AH   ? 0
							  : r == X86_REG_CH ? 1
							  : r == X86_REG_DH ? 2
									    : 3),
					  .high = true };
	if (r >= X86_REG_XMM0 && r <= X86_REG_XMM15)
		return (struct insn_reg){ .file = FILE_XMM, .nr = (uint8_t)(r - X86_REG_XMM0) };
	if (r >= X86_REG_MM0 && r <= X86_REG_MM7)
		return (struct insn_reg){ .file = FILE_MMX, .nr = (uint8_t)(r - X86_REG_MM0) };
	if (r >= X86_REG_ST0 && r <= X86_REG_ST7)
		return (struct insn_reg){ .file = FILE_X87, .nr = (uint8_t)(r - X86_REG_ST0) };
	if (r == X86_REG_RIP || r == X86_REG_EIP)
		out.file = FILE_RIP;
	else if (r == X86_REG_ES || r == X86_REG_CS || r == X86_REG_SS || r == X86_REG_DS ||
		 r == X86_REG_FS || r == X86_REG_GS)
		out = (struct insn_reg){ .file = FILE_SEG,
					 .nr = (uint8_t)(r == X86_REG_ES   ? 0
							 : r == X86_REG_CS ? 1
							 : r == X86_REG_SS ? 2
							 : r == X86_REG_DS ? 3
							 : r == X86_REG_FS ? 4
									   : 5) };
	return out;
}

static bool only_reads_first(unsigned id)
{
	switch (id) {
	case X86_INS_CMP:
	case X86_INS_TEST:
	case X86_INS_PUSH:
	case X86_INS_CALL:
	case X86_INS_JMP:
	case X86_INS_BT:
	case X86_INS_COMISD:
	case X86_INS_COMISS:
	case X86_INS_UCOMISD:
	case X86_INS_UCOMISS:
	case X86_INS_PTEST:
		return true;
	default:
		return false;
	}
}

/* Moves that write their first operand without reading it. */
static bool only_writes_first(const char *name)
{
	if (!strncmp(name, "cmov", 4))
		return false;
	return !strncmp(name, "mov", 3) || !strncmp(name, "lea", 3) || !strncmp(name, "set", 3) ||
	       !strncmp(name, "cvt", 3) || !strncmp(name, "pop", 3) || !strncmp(name, "lddqu", 5) ||
	       !strncmp(name, "pmov", 4) || !strncmp(name, "pshuf", 5) || !strncmp(name, "bsf", 3) ||
	       !strncmp(name, "bsr", 3) || !strcmp(name, "sqrtpd") || !strcmp(name, "sqrtps");
}

static void operands(struct insn *out, const cs_insn *in)
{
	const cs_x86 *x = &in->detail->x86;

	for (out->n = 0; out->n < x->op_count && out->n < ARRAY_SIZE(out->op); out->n++) {
		const cs_x86_op *c = &x->operands[out->n];
		struct insn_operand *o = &out->op[out->n];

		o->bytes = c->size;
		o->read = true;
		if (out->n == 0 && !only_reads_first(in->id)) {
			o->written = true;
			o->read = !only_writes_first(in->mnemonic);
		}
		if (c->type == X86_OP_REG) {
			o->kind = OPERAND_REG;
			o->reg = reg_of(c->reg);
		} else if (c->type == X86_OP_IMM) {
			o->kind = OPERAND_IMM;
			o->value = c->imm;
			o->written = false;
		} else {
			o->kind = OPERAND_MEM;
			o->base = reg_of(c->mem.base);
			o->index = reg_of(c->mem.index);
			o->seg = reg_of(c->mem.segment);
			o->scale = (uint8_t)c->mem.scale;
			o->value = c->mem.disp;
		}
	}
	if (in->id == X86_INS_XCHG || in->id == X86_INS_XADD)
		out->op[1].written = true;
}

static void flow(struct insn *out, const cs_insn *in)
{
	bool direct = out->n == 1 && out->op[0].kind == OPERAND_IMM;

	if (in->id == X86_INS_CALL || in->id == X86_INS_LCALL)
		out->flow = FLOW_CALL;
	else if (in->id == X86_INS_JMP || in->id == X86_INS_LJMP)
		out->flow = FLOW_JMP;
	else if (in->id == X86_INS_RET || in->id == X86_INS_RETF || in->id == X86_INS_RETFQ ||
		 in->id == X86_INS_IRET || in->id == X86_INS_IRETQ)
		out->flow = FLOW_RET;
	else if (in->id == X86_INS_UD2 || in->id == X86_INS_HLT || in->id == X86_INS_INT3)
		out->flow = FLOW_TRAP;
	else if (direct && (in->mnemonic[0] == 'j' || !strncmp(in->mnemonic, "loop", 4)))
		out->flow = FLOW_JCC;
	out->indirect = (out->flow == FLOW_CALL || out->flow == FLOW_JMP) && !direct;
}

bool insn_decode(struct insn_decoder *d, const uint8_t *code, size_t n, gaddr addr, struct insn *out)
{
	uint64_t at = addr;
	const char *name;

	if (!d->disasm_iter(d->handle, &code, &n, &at, d->scratch))
		return false;
	memset(out, 0, sizeof(*out));
	out->addr = addr;
	out->bytes = (uint8_t)d->scratch->size;
	name = d->scratch->mnemonic;
	for (const char *sp; (sp = strchr(name, ' ')) && sp[1];)
		name = sp + 1; /* "lock xadd", "rep movsb" */
	snprintf(out->name, sizeof(out->name), "%.15s", name);
	snprintf(out->text, sizeof(out->text), "%.95s", d->scratch->op_str);
	out->lock = d->scratch->detail->x86.prefix[0] == X86_PREFIX_LOCK;
	out->rep = !strncmp(d->scratch->mnemonic, "rep", 3);
	operands(out, d->scratch);
	flow(out, d->scratch);
	return true;
}
