/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A length decoder for 64-bit code with what CPL 3 may not do: see legal.h.  The tables are the
 * opcode maps of SDM vol. 2, appendix A, as letters: m ModRM, b imm8, w imm16, z imm16/32,
 * v imm16/32/64, o moffs, j branch, x #UD, p #GP, . nothing.
 */
#include "engine/legal.h"

#include <string.h>

enum { M = 1, B = 2, W = 4, Z = 8, V = 16, O = 32, J = 64, X = 128, P = 256 };

/* One row of 16 opcodes per string pair; a space separates opcodes. */
static const char *const one_byte[16] = {
	"m m m m b z x x m m m m b z x .", /* 00; 0f is the escape */
	"m m m m b z x x m m m m b z x x", /* 10 */
	"m m m m b z . x m m m m b z . x", /* 20 */
	"m m m m b z . x m m m m b z . x", /* 30 */
	". . . . . . . . . . . . . . . .", /* 40 REX */
	". . . . . . . . . . . . . . . .", /* 50 */
	"x x x m . . . . z mz b mb p p p p", /* 60; 62 EVEX */
	"bj bj bj bj bj bj bj bj bj bj bj bj bj bj bj bj", /* 70 */
	"mb mz x mb m m m m m m m m m m m m", /* 80 */
	". . . . . . . . . . x . . . . .", /* 90 */
	"o o o o . . . . b z . . . . . .", /* a0 */
	"b b b b b b b b v v v v v v v v", /* b0 */
	"mb mb wj j x x mb mz wb . wj j . bj x j", /* c0; c4 c5 VEX */
	"m m m m x x x . m m m m m m m m", /* d0 */
	"bj bj bj bj bp bp bp bp zj zj x bj p p p p", /* e0 */
	". . . . p . m m . . p p . . m m", /* f0 */
};
static const char *const two_byte[16] = {
	"m m m m x j p p p p x j x m x x", /* 0f 00; 0b ud2 */
	"m m m m m m m m m m m m m m m m", /* 10 */
	"mp mp mp mp x x x x m m m m m m m m", /* 20 */
	"p . p p x p x x . x . x x x x x", /* 30; 38 3a escapes */
	"m m m m m m m m m m m m m m m m", /* 40 */
	"m m m m m m m m m m m m m m m m", /* 50 */
	"m m m m m m m m m m m m m m m m", /* 60 */
	"mb mb mb mb m m m . x x x x m m m m", /* 70 */
	"zj zj zj zj zj zj zj zj zj zj zj zj zj zj zj zj", /* 80 */
	"m m m m m m m m m m m m m m m m", /* 90 */
	". . . m mb m x x . . x m mb m m m", /* a0 */
	"m m m m m m m m m mx mb m m m m m", /* b0 */
	"m m mb m mb mb mb m . . . . . . . .", /* c0 */
	"m m m m m m m m m m m m m m m m", /* d0 */
	"m m m m m m m m m m m m m m m m", /* e0 */
	"m m m m m m m m m m m m m m m mx", /* f0 */
};

static unsigned lookup(const char *const map[16], uint8_t op)
{
	const char *s = map[op >> 4];
	unsigned f = 0;

	for (unsigned skip = op & 15; skip; s++)
		skip -= *s == ' ';
	for (; *s && *s != ' '; s++)
		switch (*s) {
		case 'm': f |= M; break;
		case 'b': f |= B; break;
		case 'w': f |= W; break;
		case 'z': f |= Z; break;
		case 'v': f |= V; break;
		case 'o': f |= O; break;
		case 'j': f |= J; break;
		case 'x': f |= X; break;
		case 'p': f |= P; break;
		default: break;
		}
	return f;
}

struct parse {
	const uint8_t *p, *end;
	bool opsize, addrsize, rep, rex_w, bad;
	uint8_t modrm;
};

static uint8_t next(struct parse *s)
{
	if (s->p >= s->end) {
		s->bad = true;
		return 0;
	}
	return *s->p++;
}

static void skip(struct parse *s, size_t n)
{
	if ((size_t)(s->end - s->p) < n) {
		s->bad = true;
		s->p = s->end;
		return;
	}
	s->p += n;
}

static void modrm(struct parse *s)
{
	uint8_t m = next(s), mod = m >> 6, rm = m & 7;

	s->modrm = m;
	if (mod == 3)
		return;
	if (rm == 4 && (next(s) & 7) == 5 && mod == 0)
		skip(s, 4);
	if (mod == 1)
		skip(s, 1);
	else if (mod == 2 || (mod == 0 && rm == 5))
		skip(s, 4);
}

static void immediates(struct parse *s, unsigned f)
{
	if (f & W)
		skip(s, 2);
	if (f & B)
		skip(s, 1);
	if (f & Z)
		skip(s, s->opsize && !s->rex_w && !(f & J) ? 2 : 4);
	if (f & V)
		skip(s, s->rex_w ? 8 : s->opsize ? 2 : 4);
	if (f & O)
		skip(s, s->addrsize ? 4 : 8);
}

/* 0f 01: system instructions told apart by ModRM. */
static enum legal group_01(uint8_t m)
{
	static const uint8_t ud[] = { 0xc0, 0xc1, 0xc2, 0xc3, 0xc4, 0xc5, 0xc8, 0xc9, 0xca, 0xcb, 0xcf,
				      0xd0, 0xd1, 0xd4, 0xd5, 0xd6, 0xd7, 0xd8, 0xd9, 0xda, 0xdb, 0xdc,
				      0xdd, 0xde, 0xdf, 0xe8, 0xea, 0xee, 0xef, 0xfa, 0xfb, 0xfc, 0xfd };

	if (m >> 6 != 3) {
		unsigned reg = m >> 3 & 7;

		return reg == 2 || reg == 3 || reg == 6 || reg == 7 ? LEGAL_GP
		       : reg == 5				    ? LEGAL_UD
								    : LEGAL_OK;
	}
	if (m == 0xf9)
		return LEGAL_TSC;
	if (m == 0xf8 || (m & 0xf8) == 0xf0)
		return LEGAL_GP;
	return memchr(ud, m, sizeof(ud)) ? LEGAL_UD : LEGAL_OK;
}

static enum legal two_byte_verdict(const struct parse *s, uint8_t op)
{
	unsigned reg = s->modrm >> 3 & 7;
	bool mem = s->modrm >> 6 != 3;

	switch (op) {
	case 0x00: return reg == 2 || reg == 3 ? LEGAL_GP : reg > 5 ? LEGAL_UD : LEGAL_OK;
	case 0x01: return group_01(s->modrm);
	case 0x02:
	case 0x03: return LEGAL_SEGMENT;
	case 0x31: return LEGAL_TSC;
	case 0xae: /* XSAVE family needs OSXSAVE; RDFSBASE family CR4.FSGSBASE; neither is on */
		if (mem && (reg == 4 || (reg == 5) || (reg == 6 && !s->opsize)))
			return LEGAL_UD;
		return !mem && s->rep ? LEGAL_UD : LEGAL_OK;
	case 0xc7: /* XSAVEC and friends; RDPID */
		if (mem && (reg == 3 || reg == 4 || reg == 5))
			return LEGAL_UD;
		return !mem && reg == 7 && s->rep ? LEGAL_UD : LEGAL_OK;
	default: return LEGAL_OK;
	}
}

static void two_bytes(struct parse *s, struct legal_insn *out)
{
	uint8_t op = next(s);
	unsigned f;

	if (op == 0x38 || op == 0x3a) {
		next(s);
		modrm(s);
		if (op == 0x3a)
			skip(s, 1);
		return;
	}
	f = lookup(two_byte, op);
	if (f & M)
		modrm(s);
	immediates(s, f);
	out->branch = f & J;
	out->verdict = f & X ? LEGAL_UD : f & P ? LEGAL_GP : (uint8_t)two_byte_verdict(s, op);
	if (op == 0x0b)
		out->verdict = LEGAL_OK; /* UD2: the library knows it */
}

static void one_byte_op(struct parse *s, uint8_t op, struct legal_insn *out)
{
	unsigned f = lookup(one_byte, op), reg;

	if (f & M)
		modrm(s);
	reg = s->modrm >> 3 & 7;
	if ((op == 0xf6 || op == 0xf7) && reg < 2)
		f |= op == 0xf6 ? B : Z;
	immediates(s, f);
	out->branch = f & J || (op == 0xff && reg >= 2 && reg <= 5);
	out->verdict = f & X ? LEGAL_UD : f & P ? LEGAL_GP : LEGAL_OK;
	if (op == 0x8f && reg)
		out->verdict = LEGAL_UD; /* XOP */
	else if (op == 0x8e)
		out->verdict = LEGAL_SEGMENT;
	else if (op == 0xca || op == 0xcb || op == 0xcf)
		out->verdict = LEGAL_FAR;
}

struct legal_insn legal_decode(const uint8_t *p, size_t n)
{
	struct parse s = { .p = p, .end = p + (n < 15 ? n : 15) };
	struct legal_insn out = { .verdict = LEGAL_OK };
	uint8_t op;

	for (;;) {
		op = next(&s);
		if (op == 0x66)
			s.opsize = true;
		else if (op == 0x67)
			s.addrsize = true;
		else if (op == 0xf3)
			s.rep = true;
		else if (op != 0xf2 && op != 0xf0 && op != 0x2e && op != 0x36 && op != 0x3e && op != 0x26 &&
			 op != 0x64 && op != 0x65)
			break;
		if (s.bad)
			return out;
	}
	if ((op & 0xf0) == 0x40) {
		s.rex_w = op & 8;
		op = next(&s);
	}
	if (op == 0x0f)
		two_bytes(&s, &out);
	else
		one_byte_op(&s, op, &out);
	/* #UD does not need the whole instruction. */
	out.bytes = s.bad && out.verdict != LEGAL_UD ? 0 : (uint8_t)(s.p - p);
	return out;
}

static bool modifies_one_byte(uint8_t op, unsigned reg)
{
	/* add or adc sbb and sub xor with r/m as destination; cmp is not among them */
	if (op < 0x38 && (op & 7) < 2)
		return true;
	switch (op) {
	case 0x80: case 0x81: case 0x83:
		return reg != 7;
	case 0x86: case 0x87:
	case 0xc0: case 0xc1: case 0xd0: case 0xd1: case 0xd2: case 0xd3:
		return true;
	case 0xf6: case 0xf7:
		return reg == 2 || reg == 3;
	case 0xfe: case 0xff:
		return reg < 2;
	default:
		return false;
	}
}

static bool modifies_two_bytes(uint8_t op, unsigned reg)
{
	switch (op) {
	case 0xa4: case 0xa5: case 0xac: case 0xad: case 0xab: case 0xb3: case 0xbb:
	case 0xb0: case 0xb1: case 0xc0: case 0xc1:
		return true;
	case 0xba:
		return reg >= 5;
	case 0xc7:
		return reg == 1;
	default:
		return false;
	}
}

bool legal_modifies_memory(const uint8_t *p, size_t n)
{
	const uint8_t *end = p + n;
	bool two = false;
	uint8_t op;

	while (p < end && (*p == 0x66 || *p == 0x67 || *p == 0xf0 || *p == 0xf2 || *p == 0xf3 || *p == 0x2e ||
			   *p == 0x36 || *p == 0x3e || *p == 0x26 || *p == 0x64 || *p == 0x65))
		p++;
	if (p < end && (*p & 0xf0) == 0x40)
		p++;
	if (p < end && *p == 0x0f) {
		two = true;
		p++;
	}
	if (end - p < 2)
		return false;
	op = *p++;
	if (*p >> 6 == 3)
		return false;
	return two ? modifies_two_bytes(op, *p >> 3 & 7) : modifies_one_byte(op, *p >> 3 & 7);
}
