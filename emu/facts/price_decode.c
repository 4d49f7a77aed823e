/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Decoding for the block price: see price_decode.h.  It knows lengths of the maps that compilers
 * emit for SSE-level code (VEX included, EVEX not) and gives each opcode a class; operands are taken
 * to the register, not to the byte.  Whatever it does not know, it says so, and the caller falls
 * back on the mean.
 */
#include "facts/price_decode.h"

#include <string.h>

struct scan {
	const uint8_t *p;
	uint32_t n, at;
	bool data16, repne, rep;
	uint8_t rex, map, op, modrm;
	bool has_modrm;
	unsigned reg, rm; /* of ModRM, REX added */
	bool mem;
	struct price_insn *o;
};

static uint64_t bit(unsigned r)
{
	return 1ull << r;
}

static bool take(struct scan *s, uint32_t bytes)
{
	s->at += bytes;
	return s->at <= s->n && s->at <= 15;
}

static bool legacy_prefix(struct scan *s, uint8_t b)
{
	switch (b) {
	case 0x66:
		s->data16 = true;
		return true;
	case 0xf2:
		s->repne = true;
		return true;
	case 0xf3:
		s->rep = true;
		return true;
	case 0xf0:
		s->o->lock = true;
		return true;
	case 0x26: case 0x2e: case 0x36: case 0x3e: case 0x64: case 0x65: case 0x67:
		return true;
	default:
		return false;
	}
}

/* A REX prefix counts only right before the opcode. */
static bool prefixes(struct scan *s)
{
	for (; s->at < s->n; s->at++) {
		uint8_t b = s->p[s->at];

		if ((b & 0xf0) == 0x40)
			s->rex = b;
		else if (legacy_prefix(s, b))
			s->rex = 0;
		else
			return true;
	}
	return false;
}

/* VEX: the same maps and prefixes, folded into two or three bytes. */
static bool vex(struct scan *s)
{
	uint8_t b = s->p[s->at], c, pp;

	if (s->n - s->at < 4)
		return false;
	c = s->p[s->at + 1];
	s->rex = (uint8_t)(c & 0x80 ? 0x40 : 0x44);
	s->map = 2;
	if (b == 0xc4) {
		s->rex = (uint8_t)(s->rex | (c & 0x40 ? 0 : 2) | (c & 0x20 ? 0 : 1));
		s->map = (uint8_t)((c & 0x1f) + 1);
		c = s->p[s->at + 2];
		s->at++;
		if (c & 0x80)
			s->rex |= 8;
	}
	s->at += 2;
	pp = c & 3;
	s->data16 = pp == 1;
	s->rep = pp == 2;
	s->repne = pp == 3;
	if (((unsigned)c >> 3 & 15) != 15)
		s->o->reads |= bit(PRICE_SSE + (~((unsigned)c >> 3) & 15));
	s->op = s->p[s->at++];
	return s->map >= 2 && s->map <= 4;
}

static bool opcode(struct scan *s)
{
	uint8_t b = s->p[s->at];

	if (!s->rex && (b == 0xc4 || b == 0xc5))
		return vex(s);
	if (!s->rex && b == 0x62)
		return false;
	s->map = 1;
	s->op = b;
	s->at++;
	if (b != 0x0f)
		return true;
	if (s->at >= s->n)
		return false;
	s->map = 2;
	s->op = s->p[s->at++];
	if (s->op != 0x38 && s->op != 0x3a)
		return true;
	s->map = s->op == 0x38 ? 3 : 4;
	if (s->at >= s->n)
		return false;
	s->op = s->p[s->at++];
	return true;
}

static bool modrm(struct scan *s)
{
	unsigned mod, rm, base, index;
	uint8_t sib;

	if (s->at >= s->n)
		return false;
	s->has_modrm = true;
	s->modrm = s->p[s->at++];
	mod = s->modrm >> 6;
	rm = s->modrm & 7;
	s->reg = (unsigned)(s->modrm >> 3 & 7) | (s->rex & 4 ? 8 : 0);
	s->rm = rm | (s->rex & 1 ? 8 : 0);
	s->mem = mod != 3;
	if (!s->mem)
		return true;
	if (rm == 4) {
		if (s->at >= s->n)
			return false;
		sib = s->p[s->at++];
		base = sib & 7;
		index = (unsigned)(sib >> 3 & 7) | (s->rex & 2 ? 8 : 0);
		if (index != 4)
			s->o->address |= bit(index);
		if (base == 5 && mod == 0)
			return take(s, 4);
		s->o->address |= bit(base | (s->rex & 1 ? 8 : 0));
	} else if (rm == 5 && mod == 0) {
		return take(s, 4);
	} else {
		s->o->address |= bit(s->rm);
	}
	return take(s, mod == 1 ? 1 : mod == 2 ? 4 : 0);
}

/* Which one-byte opcodes have a ModRM byte. */
static bool one_has_modrm(uint8_t op)
{
	if (op < 0x40)
		return (op & 7) < 4;
	return op == 0x63 || op == 0x69 || op == 0x6b || (op >= 0x80 && op <= 0x8f) || op == 0xc0 ||
	       op == 0xc1 || op == 0xc6 || op == 0xc7 || (op >= 0xd0 && op <= 0xd3) ||
	       (op >= 0xd8 && op <= 0xdf) || op == 0xf6 || op == 0xf7 || op >= 0xfe;
}

/* Bytes of immediate of a one-byte opcode. */
static uint32_t one_immediate(const struct scan *s)
{
	uint8_t op = s->op;
	uint32_t wide = s->data16 ? 2 : 4;

	if (op < 0x40)
		return (op & 7) == 4 ? 1 : (op & 7) == 5 ? wide : 0;
	if (op == 0x6a || op == 0x6b || (op >= 0x70 && op <= 0x80) || op == 0x82 || op == 0x83 ||
	    op == 0xa8 || (op >= 0xb0 && op <= 0xb7) || op == 0xc0 || op == 0xc1 || op == 0xc6 ||
	    op == 0xcd || (op >= 0xe0 && op <= 0xe7) || op == 0xeb)
		return 1;
	if (op == 0x68 || op == 0x69 || op == 0x81 || op == 0xa9 || op == 0xc7)
		return wide;
	if (op == 0xe8 || op == 0xe9)
		return 4;
	if (op >= 0xa0 && op <= 0xa3)
		return 8;
	if (op >= 0xb8 && op <= 0xbf)
		return s->rex & 8 ? 8 : wide;
	if (op == 0xc2 || op == 0xca)
		return 2;
	if (op == 0xc8)
		return 3;
	if ((op == 0xf6 || op == 0xf7) && (s->modrm & 0x30) == 0)
		return op == 0xf6 ? 1 : wide;
	return 0;
}

static bool two_has_modrm(uint8_t op)
{
	return !((op >= 0x05 && op <= 0x0b) || op == 0x0e || (op >= 0x30 && op <= 0x37) || op == 0x77 ||
		 (op >= 0x80 && op <= 0x8f) || (op >= 0xa0 && op <= 0xa2) ||
		 (op >= 0xa8 && op <= 0xaa) || (op >= 0xc8 && op <= 0xcf));
}

static uint32_t two_immediate(uint8_t op)
{
	if (op >= 0x80 && op <= 0x8f)
		return 4;
	return (op >= 0x70 && op <= 0x73) || op == 0xa4 || op == 0xac || op == 0xba || op == 0xc2 ||
	       (op >= 0xc4 && op <= 0xc6);
}

/* The general shape of "destination, source": @to_rm says which side ModRM.rm is. */
static void operands(struct scan *s, bool to_rm, bool reads_dst, bool writes, unsigned file_reg,
		     unsigned file_rm)
{
	uint64_t reg = bit(file_reg + s->reg), rm = s->mem ? 0 : bit(file_rm + s->rm);
	uint64_t dst = to_rm ? rm : reg, src = to_rm ? reg : rm;

	s->o->reads |= src | (reads_dst ? dst : 0);
	if (writes)
		s->o->writes |= dst;
	if (s->mem) {
		s->o->load = !to_rm || reads_dst;
		s->o->store = to_rm && writes;
	}
}

/* Operand ModRM.rm alone. */
static void operand(struct scan *s, bool reads, bool writes)
{
	uint64_t rm = s->mem ? 0 : bit(s->rm);

	s->o->reads |= reads ? rm : 0;
	s->o->writes |= writes ? rm : 0;
	s->o->load |= s->mem && reads;
	s->o->store |= s->mem && writes;
}

static void flags(struct scan *s)
{
	s->o->writes |= bit(PRICE_FLAGS);
}

static void alu(struct scan *s)
{
	unsigned what = s->op >= 0x80 ? s->modrm >> 3 & 7 : s->op >> 3;
	bool cmp = what == 7, carry = what == 2 || what == 3;

	s->o->cls = carry ? CLASS_cmov : CLASS_alu;
	s->o->reads |= carry ? bit(PRICE_FLAGS) : 0;
	s->o->fusible = what == 0 || what == 4 || what == 5 || what == 7;
	if (s->op >= 0x80) {
		operand(s, true, !cmp);
	} else if ((s->op & 7) >= 4) {
		s->o->reads |= bit(0);
		s->o->writes |= cmp ? 0 : bit(0);
	} else {
		operands(s, !(s->op & 2), true, !cmp, 0, 0);
		if ((what == 6 || what == 5) && !s->mem && s->reg == s->rm) {
			s->o->idle = true;
			s->o->reads = 0;
		}
	}
	flags(s);
}

static void stack(struct scan *s, enum price_class cls, bool load, bool store)
{
	s->o->cls = (uint8_t)cls;
	s->o->load |= load;
	s->o->store |= store;
}

static void group3(struct scan *s)
{
	unsigned what = s->modrm >> 3 & 7;
	bool wide = s->rex & 8;

	flags(s);
	if (what < 2) {
		s->o->cls = CLASS_alu;
		s->o->fusible = true;
		operand(s, true, false);
		return;
	}
	operand(s, true, what < 4);
	s->o->cls = (uint8_t)(what < 4 ? CLASS_alu : what < 6 ? CLASS_mulw : wide ? CLASS_div64 : CLASS_div32);
	if (what == 2)
		s->o->writes &= ~bit(PRICE_FLAGS);
	if (what >= 4) {
		s->o->reads |= bit(0) | (what >= 6 ? bit(2) : 0);
		s->o->writes |= bit(0) | bit(2);
	}
}

static void group5(struct scan *s)
{
	unsigned what = s->modrm >> 3 & 7;

	if (s->op == 0xfe || what < 2) {
		s->o->cls = CLASS_alu;
		s->o->fusible = true;
		operand(s, true, true);
		flags(s);
		return;
	}
	operand(s, true, false);
	if (what <= 3)
		stack(s, CLASS_call, s->mem, true);
	else if (what <= 5)
		s->o->cls = CLASS_jmpi;
	else
		stack(s, CLASS_push, s->mem, true);
}

static void shift(struct scan *s)
{
	bool by_cl = s->op == 0xd2 || s->op == 0xd3, carry = (s->modrm >> 3 & 6) == 2;

	s->o->cls = by_cl || carry ? CLASS_shcl : CLASS_shift;
	s->o->reads |= (by_cl ? bit(1) : 0) | (carry ? bit(PRICE_FLAGS) : 0);
	operand(s, true, true);
	flags(s);
}

static void string(struct scan *s)
{
	s->o->cls = CLASS_string;
	s->o->rep = s->rep || s->repne;
	s->o->load = s->op != 0xaa && s->op != 0xab;
	s->o->store = s->op == 0xa4 || s->op == 0xa5 || s->op == 0xaa || s->op == 0xab;
	s->o->address |= bit(6) | bit(7);
	s->o->writes |= bit(6) | bit(7);
	if (s->op >= 0xa6 && s->op != 0xaa && s->op != 0xab)
		flags(s);
}

/* 80 ... ff of the one-byte map. */
static void one_high(struct scan *s)
{
	uint8_t op = s->op;

	if (op <= 0x83) {
		alu(s);
	} else if (op <= 0x85) {
		s->o->cls = CLASS_alu;
		s->o->fusible = true;
		operands(s, true, true, false, 0, 0);
		flags(s);
	} else if (op <= 0x87) {
		s->o->cls = CLASS_xchg;
		s->o->lock |= s->mem;
		operands(s, true, true, true, 0, 0);
		s->o->writes |= bit(s->reg);
	} else if (op <= 0x8b) {
		s->o->cls = CLASS_mov;
		s->o->move = !s->mem;
		operands(s, op < 0x8a, false, true, 0, 0);
	} else if (op == 0x8d) {
		s->o->cls = CLASS_lea;
		if ((s->modrm & 7) == 4 && (s->modrm >> 6) && (s->o->address & (s->o->address - 1)))
			s->o->cls = CLASS_lea3;
		s->o->reads = s->o->address;
		s->o->writes = bit(s->reg);
	} else if (op == 0x90) {
		s->o->cls = CLASS_nop;
		s->o->idle = true;
	} else if (op >= 0x91 && op <= 0x97) {
		s->o->cls = CLASS_xchg;
		s->o->reads = s->o->writes = bit(0) | bit((op & 7u) | (s->rex & 1 ? 8 : 0));
	} else if (op == 0x98 || op == 0x99) {
		s->o->cls = CLASS_alu;
		s->o->reads = bit(0);
		s->o->writes = op == 0x98 ? bit(0) : bit(2);
	} else if (op >= 0xa0 && op <= 0xa3) {
		stack(s, CLASS_mov, op < 0xa2, op >= 0xa2);
	} else if (op == 0xa8 || op == 0xa9) {
		s->o->cls = CLASS_alu;
		s->o->fusible = true;
		s->o->reads = bit(0);
		flags(s);
	} else if (op >= 0xa4 && op <= 0xaf) {
		string(s);
	} else if (op >= 0xb0 && op <= 0xbf) {
		s->o->cls = CLASS_mov;
		s->o->writes = bit((op & 7u) | (s->rex & 1 ? 8 : 0));
	} else if (op == 0xc0 || op == 0xc1 || (op >= 0xd0 && op <= 0xd3)) {
		shift(s);
	} else if (op == 0xc2 || op == 0xc3) {
		stack(s, CLASS_ret, true, false);
	} else if (op == 0xc6 || op == 0xc7) {
		s->o->cls = CLASS_mov;
		operand(s, false, true);
	} else if (op == 0xc9) {
		stack(s, CLASS_pop, true, false);
		s->o->address = s->o->writes = bit(5);
	} else if (op >= 0xd8 && op <= 0xdf) {
		s->o->cls = CLASS_x87;
		operand(s, s->mem, false);
	} else if (op == 0xe8) {
		stack(s, CLASS_call, false, true);
	} else if (op == 0xe9 || op == 0xeb) {
		s->o->cls = CLASS_jmp;
	} else if (op == 0xf6 || op == 0xf7) {
		group3(s);
	} else if (op >= 0xfe) {
		group5(s);
	}
}

static void one(struct scan *s)
{
	uint8_t op = s->op;

	if (op < 0x40) {
		alu(s);
	} else if (op >= 0x50 && op <= 0x57) {
		stack(s, CLASS_push, false, true);
		s->o->reads = bit((op & 7u) | (s->rex & 1 ? 8 : 0));
	} else if (op >= 0x58 && op <= 0x5f) {
		stack(s, CLASS_pop, true, false);
		s->o->writes = bit((op & 7u) | (s->rex & 1 ? 8 : 0));
	} else if (op == 0x63) {
		s->o->cls = CLASS_mov;
		operands(s, false, false, true, 0, 0);
	} else if (op == 0x68 || op == 0x6a) {
		stack(s, CLASS_push, false, true);
	} else if (op == 0x69 || op == 0x6b) {
		s->o->cls = CLASS_imul;
		operands(s, false, false, true, 0, 0);
		flags(s);
	} else if (op >= 0x70 && op <= 0x7f) {
		s->o->cls = CLASS_jcc;
		s->o->reads = bit(PRICE_FLAGS);
	} else if (op >= 0x80) {
		one_high(s);
	}
}

/* General-register opcodes of map 0F; false: it is none. */
static bool two_integer(struct scan *s)
{
	uint8_t op = s->op;

	if (op >= 0x40 && op <= 0x4f) {
		s->o->cls = CLASS_cmov;
		s->o->reads |= bit(PRICE_FLAGS);
		operands(s, false, true, true, 0, 0);
	} else if (op >= 0x80 && op <= 0x8f) {
		s->o->cls = CLASS_jcc;
		s->o->reads = bit(PRICE_FLAGS);
	} else if (op >= 0x90 && op <= 0x9f) {
		s->o->cls = CLASS_cmov;
		s->o->reads |= bit(PRICE_FLAGS);
		operand(s, false, true);
	} else if (op == 0xa3 || op == 0xab || op == 0xb3 || op == 0xbb || op == 0xba) {
		bool test = op == 0xa3 || (op == 0xba && (s->modrm >> 3 & 7) == 4);

		s->o->cls = CLASS_alu;
		if (op == 0xba)
			operand(s, true, !test);
		else
			operands(s, true, true, !test, 0, 0);
		flags(s);
	} else if (op == 0xa4 || op == 0xa5 || op == 0xac || op == 0xad) {
		s->o->cls = CLASS_shcl;
		operands(s, true, true, true, 0, 0);
		flags(s);
	} else if (op == 0xaf) {
		s->o->cls = CLASS_imul;
		operands(s, false, true, true, 0, 0);
		flags(s);
	} else if (op == 0xb0 || op == 0xb1 || op == 0xc0 || op == 0xc1) {
		s->o->cls = CLASS_xchg;
		operands(s, true, true, true, 0, 0);
		s->o->writes |= op < 0xc0 ? bit(0) : bit(s->reg);
		flags(s);
	} else if (op == 0xb6 || op == 0xb7 || op == 0xbe || op == 0xbf) {
		s->o->cls = CLASS_mov;
		operands(s, false, false, true, 0, 0);
	} else if (op == 0xb8 || op == 0xbc || op == 0xbd) {
		s->o->cls = CLASS_bits;
		operands(s, false, false, true, 0, 0);
		flags(s);
	} else if (op == 0xc3) {
		s->o->cls = CLASS_mov;
		operands(s, true, false, true, 0, 0);
	} else if (op >= 0xc8 && op <= 0xcf) {
		s->o->cls = CLASS_xchg;
		s->o->reads = s->o->writes = bit((op & 7u) | (s->rex & 1 ? 8 : 0));
	} else {
		return false;
	}
	return true;
}

/* Classes of the SSE opcodes of map 0F, a letter an opcode from 10 to 7f and d0 to ff. */
static const char sse_low[] =
	/* 10 */ "mmmmuummnnnnnnnn" /* 20 */ "........mmcmcc==" "................" "................"
	/* 50 */ "gqxxiiii+*cc+-/+" /* 60 */ "uuuuiiiuuuuuuugm" /* 70 */ "usssiii.....hhgm";
static const char sse_high[] =
	/* d0 */ "hsssi*mgiiiiiiii" /* e0 */ "issi**cmiiiiiiii" /* f0 */ "msss***miiiiiiii";

_Static_assert(sizeof(sse_low) == 0x80 - 0x10 + 1 && sizeof(sse_high) == 0x100 - 0xd0 + 1, "a letter an opcode");

static enum price_class sse_class(char c)
{
	static const struct {
		char letter;
		enum price_class cls;
	} row[] = {
		{ 'm', CLASS_vmov }, { 'u', CLASS_vshuf }, { 'i', CLASS_vint }, { 's', CLASS_vshift },
		{ 'g', CLASS_vgpr }, { 'q', CLASS_fpsqrt }, { 'x', CLASS_fpmul }, { 'c', CLASS_cvt },
		{ '=', CLASS_fpcmp }, { '+', CLASS_fpadd }, { '-', CLASS_fpadd }, { 'h', CLASS_fpadd },
		{ '/', CLASS_fpdiv }, { 'n', CLASS_nop },
	};

	for (size_t i = 0; i < ARRAY_SIZE(row); i++)
		if (row[i].letter == c)
			return row[i].cls;
	return CLASS_other;
}

static void sse_operands(struct scan *s)
{
	uint8_t op = s->op, cls = s->o->cls;
	bool to_rm = op == 0x11 || op == 0x13 || op == 0x17 || op == 0x29 || op == 0x2b || op == 0x7f ||
		     op == 0xd6 || op == 0xe7 || (op == 0x7e && !s->rep);
	bool general_rm = op == 0x2a || op == 0x6e || (op == 0x7e && !s->rep);
	bool general_reg = op == 0x2c || op == 0x2d || op == 0x50 || op == 0xd7;
	bool move = cls == CLASS_vmov || cls == CLASS_vgpr || cls == CLASS_cvt || op == 0x70 || op == 0x51;

	s->o->vec = true;
	if (cls == CLASS_fpcmp) {
		operands(s, false, true, false, PRICE_SSE, PRICE_SSE);
		flags(s);
		return;
	}
	if (op >= 0x71 && op <= 0x73) {
		s->o->reads = s->o->writes = bit(PRICE_SSE + s->rm);
		return;
	}
	operands(s, to_rm, !move, true, general_reg ? 0 : PRICE_SSE, general_rm ? 0 : PRICE_SSE);
	s->o->move = cls == CLASS_vmov && !s->mem;
	if ((op == 0xef || op == 0x57) && !s->mem && s->reg == s->rm) {
		s->o->idle = true;
		s->o->reads = 0;
	}
}

static void two(struct scan *s)
{
	uint8_t op = s->op;
	char c = '.';

	if (two_integer(s))
		return;
	s->o->rdtsc = op == 0x31 || (op == 0x01 && s->modrm == 0xf9);
	s->o->fence = op == 0xae && s->modrm >= 0xe8;
	if (s->o->rdtsc)
		s->o->writes = bit(0) | bit(2);
	if (op >= 0x10 && op <= 0x7f)
		c = sse_low[op - 0x10];
	else if (op >= 0xd0)
		c = sse_high[op - 0xd0];
	else if (op == 0xc2)
		c = '+';
	else if (op == 0xc4 || op == 0xc5)
		c = 'g';
	else if (op == 0xc6)
		c = 'u';
	else if (op == 0x0d)
		c = 'n';
	if (c == '.')
		return;
	s->o->cls = (uint8_t)sse_class(c);
	if (c == '*')
		s->o->cls = op == 0x59 ? CLASS_fpmul : CLASS_vmul;
	if (op == 0x7e && s->rep)
		s->o->cls = CLASS_vmov;
	if (c == 'n')
		s->o->idle = true;
	else
		sse_operands(s);
}

static void three(struct scan *s)
{
	uint8_t op = s->op;

	if (s->map == 3 && op >= 0xf0) {
		s->o->cls = s->repne ? CLASS_bits : CLASS_mov;
		operands(s, !s->repne && op == 0xf1, s->repne, true, 0, 0);
		return;
	}
	s->o->cls = CLASS_vint;
	if (s->map == 3) {
		if (op == 0x00 || (op >= 0x20 && op <= 0x25) || (op >= 0x30 && op <= 0x35))
			s->o->cls = CLASS_vshuf;
		else if (op == 0x04 || op == 0x0b || op == 0x28 || op == 0x40)
			s->o->cls = CLASS_vmul;
		else if (op >= 0xc8 && op <= 0xdf)
			s->o->cls = CLASS_aes;
	} else if (op >= 0x08 && op <= 0x0b) {
		s->o->cls = CLASS_fpadd;
	} else if (op == 0x0f || op == 0x21) {
		s->o->cls = CLASS_vshuf;
	} else if ((op >= 0x14 && op <= 0x17) || op == 0x20 || op == 0x22) {
		s->o->cls = CLASS_vgpr;
	} else if (op == 0x44 || op >= 0xcc) {
		s->o->cls = CLASS_aes;
	}
	s->op = 0;
	sse_operands(s);
}

bool price_decode(const uint8_t *p, uint32_t n, struct price_insn *out)
{
	struct scan s = { .p = p, .n = n, .o = out };
	bool has;
	uint32_t imm;

	*out = (struct price_insn){ .cls = CLASS_other };
	if (!prefixes(&s) || !opcode(&s))
		return false;
	has = s.map == 1 ? one_has_modrm(s.op) : s.map == 2 ? two_has_modrm(s.op) : true;
	if (has && !modrm(&s))
		return false;
	imm = s.map == 1 ? one_immediate(&s) : s.map == 2 ? two_immediate(s.op) : s.map == 4;
	if (!take(&s, imm))
		return false;
	if (s.map == 1)
		one(&s);
	else if (s.map == 2)
		two(&s);
	else
		three(&s);
	out->bytes = (uint8_t)s.at;
	return true;
}
