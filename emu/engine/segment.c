/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Instructions that look into descriptor tables: see segment.h. */
#include "engine/segment.h"

#include <string.h>

#include "engine/legal.h"

/* Linux's selectors with RPL 3 (segment.h of x86-64), and access rights as LAR shows them (bits 8-15 and
 * 20-23 of the descriptor's high word). */
#define SEL_USER32_CS 0x23u
#define SEL_USER_DS 0x2bu
#define SEL_USER_CS 0x33u
#define SEL_CPUNODE 0x7bu

struct descriptor {
	uint32_t limit, rights;
	bool code, writable;
};

struct insn {
	const struct segment_cpu *c;
	const uint8_t *p;
	uint8_t rex, bytes, op, modrm;
	bool opsize, two, addrsize;
	unsigned seg; /* override: 0x64, 0x65 or 0 */
};

static bool descriptor_find(const struct segment_cpu *c, uint16_t sel, struct descriptor *d)
{
	switch (sel & ~3u) {
	case SEL_USER32_CS & ~3u:
		*d = (struct descriptor){ 0xffffffff, 0xcffb00, true, false };
		return true;
	case SEL_USER_DS & ~3u:
		*d = (struct descriptor){ 0xffffffff, 0xcff300, false, true };
		return true;
	case SEL_USER_CS & ~3u:
		*d = (struct descriptor){ 0xffffffff, 0xaffb00, true, false };
		return true;
	case SEL_CPUNODE & ~3u:
		*d = (struct descriptor){ c->cpunode, 0x40f500, false, false };
		return true;
	default:
		return false;
	}
}

static const struct segment_result done = { .vector = -1 };

static struct segment_result fault(int vector, uint32_t code, gaddr addr)
{
	return (struct segment_result){ vector, code, addr };
}

static void parse(struct insn *i, const uint8_t *code)
{
	const uint8_t *p = code;

	for (;; p++) {
		if (*p == 0x66)
			i->opsize = true;
		else if (*p == 0x67)
			i->addrsize = true;
		else if (*p == 0x64 || *p == 0x65)
			i->seg = *p;
		else if (*p != 0xf2 && *p != 0xf3 && *p != 0xf0 && *p != 0x2e && *p != 0x36 && *p != 0x3e &&
			 *p != 0x26)
			break;
	}
	if ((*p & 0xf0) == 0x40)
		i->rex = *p++;
	i->op = *p++;
	if (i->op == 0x0f) {
		i->two = true;
		i->op = *p++;
	}
	i->modrm = *p++;
	i->p = p;
}

/* Effective address of a memory operand (SDM vol. 2, 2.1.5 and 2.2.1). */
static gaddr effective(const struct insn *i)
{
	const struct segment_cpu *c = i->c;
	unsigned mod = i->modrm >> 6, rm = i->modrm & 7;
	const uint8_t *p = i->p;
	int32_t d32 = 0;
	gaddr a = 0;

	if (rm == 4) {
		unsigned sib = *p++, index = (sib >> 3 & 7) | (i->rex & 2 ? 8 : 0);
		unsigned base = (sib & 7) | (i->rex & 1 ? 8 : 0);

		if (index != 4)
			a = c->get(c->ctx, (enum reg)index) << (sib >> 6);
		if ((sib & 7) == 5 && mod == 0)
			memcpy(&d32, p, 4);
		else
			a += c->get(c->ctx, (enum reg)base);
	} else if (rm == 5 && mod == 0) {
		memcpy(&d32, p, 4);
		a = c->get(c->ctx, REG_RIP) + i->bytes;
	} else {
		a = c->get(c->ctx, (enum reg)(rm | (i->rex & 1 ? 8 : 0)));
	}
	if (mod == 1)
		d32 = (int8_t)*p;
	else if (mod == 2)
		memcpy(&d32, p, 4);
	a += (uint64_t)(int64_t)d32;
	if (i->addrsize)
		a = (uint32_t)a;
	if (i->seg)
		a += c->get(c->ctx, i->seg == 0x64 ? REG_FS_BASE : REG_GS_BASE);
	return a;
}

static struct segment_result operand16(const struct insn *i, uint16_t *v)
{
	const struct segment_cpu *c = i->c;
	gaddr a;

	if (i->modrm >> 6 == 3) {
		*v = (uint16_t)c->get(c->ctx, (enum reg)((i->modrm & 7) | (i->rex & 1 ? 8 : 0)));
		return done;
	}
	a = effective(i);
	if (!gaddr_is_canonical(a))
		return fault(VEC_GP, 0, 0);
	if (c->read(c->ctx, v, a, 2))
		return fault(VEC_PF, PF_U, a);
	return done;
}

static struct segment_result load_segment(const struct insn *i)
{
	static const enum reg reg[8] = { REG_ES, REG_CS, REG_SS, REG_DS, REG_FS, REG_GS, 0, 0 };
	unsigned nr = i->modrm >> 3 & 7;
	const struct segment_cpu *c = i->c;
	struct segment_result r;
	struct descriptor d;
	uint16_t sel = 0;

	if (nr == 1 || nr > 5)
		return fault(VEC_UD, 0, 0);
	r = operand16(i, &sel);
	if (r.vector >= 0)
		return r;
	if (sel & ~3u) {
		if (sel & 4 || !descriptor_find(c, sel, &d))
			return fault(VEC_GP, sel & ~3u, 0);
		if (nr == 2 ? (sel & 3) != 3 || !d.writable : false)
			return fault(VEC_GP, sel & ~3u, 0);
	} else if (nr == 2 && (sel & 3) == 3) {
		/* In 64-bit mode a null SS is allowed below CPL 3 only. */
		return fault(VEC_GP, 0, 0);
	} else if (nr == 2) {
		return fault(VEC_GP, 0, 0);
	}
	c->set(c->ctx, reg[nr], sel);
	if (nr >= 4)
		c->set(c->ctx, nr == 4 ? REG_FS_BASE : REG_GS_BASE, 0);
	c->set(c->ctx, REG_RIP, c->get(c->ctx, REG_RIP) + i->bytes);
	return done;
}

/* LAR (02) and LSL (03): ZF tells whether the selector is one. */
static struct segment_result look_up(const struct insn *i)
{
	const struct segment_cpu *c = i->c;
	enum reg dst = (enum reg)((i->modrm >> 3 & 7) | (i->rex & 4 ? 8 : 0));
	uint64_t flags = c->get(c->ctx, REG_RFLAGS) & ~(uint64_t)RFLAGS_ZF, v;
	struct segment_result r;
	struct descriptor d;
	uint16_t sel = 0;

	r = operand16(i, &sel);
	if (r.vector >= 0)
		return r;
	if ((sel & ~3u) && !(sel & 4) && descriptor_find(c, sel, &d)) {
		flags |= RFLAGS_ZF;
		v = i->op == 2 ? d.rights : d.limit;
		if (i->opsize && !(i->rex & 8))
			v = (c->get(c->ctx, dst) & ~(uint64_t)0xffff) | (v & 0xffff);
		c->set(c->ctx, dst, v);
	}
	c->set(c->ctx, REG_RFLAGS, flags);
	c->set(c->ctx, REG_RIP, c->get(c->ctx, REG_RIP) + i->bytes);
	return done;
}

static struct segment_result pop(const struct segment_cpu *c, gaddr *sp, unsigned size, uint64_t *v)
{
	*v = 0;
	if (!gaddr_is_canonical(*sp))
		return fault(VEC_SS, 0, 0);
	if (c->read(c->ctx, v, *sp, size))
		return fault(VEC_PF, PF_U, *sp);
	*sp += size;
	return done;
}

/* RETF and IRET to the same privilege and mode; to 32-bit code: #GP, which this processor lacks. */
static struct segment_result far_return(const struct insn *i, const uint8_t *code)
{
	const struct segment_cpu *c = i->c;
	gaddr sp = c->get(c->ctx, REG_RSP);
	unsigned size = i->rex & 8 ? 8 : i->opsize ? 2 : 4;
	uint64_t v[5] = { 0 };
	unsigned n = i->op == 0xcf ? 5 : 2;
	uint16_t extra = 0;

	for (unsigned k = 0; k < n; k++) {
		struct segment_result r = pop(c, &sp, size, &v[k]);

		if (r.vector >= 0)
			return r;
	}
	v[1] &= 0xffff;
	if (v[1] != SEL_USER_CS)
		return fault(VEC_GP, (uint32_t)v[1] & ~3u, 0);
	if (n == 5 && (v[4] & 0xffff) != SEL_USER_DS)
		return fault(VEC_GP, (uint32_t)v[4] & 0xfffc, 0);
	if (!gaddr_is_canonical(v[0]))
		return fault(VEC_GP, 0, 0);
	if (i->op == 0xca)
		memcpy(&extra, code + i->bytes - 2, 2);
	if (n == 5) {
		const uint64_t user = 0x250dd5 | 2; /* CF PF AF ZF SF TF DF OF NT RF AC ID */
		uint64_t old = c->get(c->ctx, REG_RFLAGS);

		sp = v[3];
		c->set(c->ctx, REG_RFLAGS, (old & ~user) | (v[2] & user) | 2);
	}
	c->set(c->ctx, REG_RSP, sp + extra);
	c->set(c->ctx, REG_RIP, v[0]);
	return done;
}

struct segment_result segment_execute(const struct segment_cpu *c, const uint8_t *code, size_t n)
{
	struct insn i = { .c = c, .bytes = legal_decode(code, n).bytes };

	if (!i.bytes)
		return fault(VEC_UD, 0, 0);
	parse(&i, code);
	if (i.two)
		return look_up(&i);
	if (i.op == 0x8e)
		return load_segment(&i);
	return far_return(&i, code);
}
