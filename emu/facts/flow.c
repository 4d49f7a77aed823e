/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Abstract interpretation of one function for addresses of the vsyscall page: see flow.h.  Sound only
 * in the direction that matters here: a use is told as sure only if every path says so.
 */
#include "facts/flow.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

/* What a register or slot may be: any mix of unknown, one constant, one stack address, page. */
struct value {
	bool unknown, konst, stack;
	uint8_t page; /* entry bits of page addresses that it may be, beside the others */
	uint64_t k; /* konst: the constant; stack: offset from the entry's RSP */
};

#define SLOTS 48
#define CALL_DEPTH 2
#define MAX_BLOCKS 400
#define MAX_STEPS 20000

struct state {
	struct value reg[16];
	int64_t sp; /* RSP minus its value at entry */
	bool sp_known;
	unsigned slots;
	struct {
		int64_t at;
		struct value v;
	} slot[SLOTS];
};

struct block {
	gaddr at;
	struct state in;
	bool queued;
};

struct walk {
	struct insn_decoder *d;
	const struct flow_host *h;
	gaddr start, end, seed;
	bool seed_seen;
	VEC(struct block *) blocks;
	unsigned steps;
	int depth;
};

static const struct value UNKNOWN = { .unknown = true };

unsigned flow_entry_bits(gaddr a)
{
	if (a < VSYSCALL_PAGE || a >= VSYSCALL_PAGE_END)
		return 0;
	if (a & 0x3ff || a == VSYSCALL_PAGE + 0xc00)
		return 8;
	return 1u << ((a >> 10) & 3);
}

static struct value constant(uint64_t k)
{
	return (struct value){ .konst = true, .k = k };
}

static unsigned page_bits(const struct value *v)
{
	return v->page | (v->konst ? flow_entry_bits(v->k) : 0);
}

static bool sure(const struct value *v)
{
	return !v->unknown && !v->stack && (!v->konst || flow_entry_bits(v->k));
}

/* Join two possibilities; true if *a grew. */
static bool join(struct value *a, const struct value *b)
{
	struct value old = *a;

	if ((a->konst || a->stack) && (b->konst || b->stack) &&
	    (a->konst != b->konst || a->k != b->k)) {
		a->page = (uint8_t)(page_bits(a) | page_bits(b));
		a->unknown |= b->unknown || !sure(&old) || !sure(b);
		a->konst = a->stack = false;
		a->k = 0;
	} else if (!a->konst && !a->stack && (b->konst || b->stack)) {
		if (a->unknown || a->page) {
			a->page = (uint8_t)(a->page | page_bits(b));
			a->unknown |= b->unknown || !sure(b);
		} else {
			*a = *b;
		}
	} else {
		if ((a->konst || a->stack) && !(b->konst || b->stack)) {
			a->page = (uint8_t)page_bits(a);
			a->unknown |= !sure(&old);
			a->konst = a->stack = false;
			a->k = 0;
		}
		a->unknown |= b->unknown;
		a->page |= b->page;
	}
	return memcmp(a, &old, sizeof(old)) != 0;
}

static struct value *slot_find(struct state *s, int64_t at)
{
	for (unsigned i = 0; i < s->slots; i++)
		if (s->slot[i].at == at)
			return &s->slot[i].v;
	return NULL;
}

static void slot_set(struct state *s, int64_t at, struct value v)
{
	struct value *p = slot_find(s, at);

	if (p) {
		*p = v;
	} else if (s->slots < SLOTS && (v.konst || v.page || v.stack)) {
		s->slot[s->slots].at = at;
		s->slot[s->slots++].v = v;
	}
}

static bool state_join(struct state *a, const struct state *b)
{
	bool grew = false;

	for (unsigned i = 0; i < 16; i++)
		grew |= join(&a->reg[i], &b->reg[i]);
	if (a->sp_known && (!b->sp_known || a->sp != b->sp)) {
		a->sp_known = false;
		grew = true;
	}
	for (unsigned i = 0; i < a->slots; i++) {
		struct value *o = slot_find((struct state *)(uintptr_t)b, a->slot[i].at);

		grew |= join(&a->slot[i].v, o ? o : &UNKNOWN);
	}
	/* A slot that only the other path filled with a page address may hold it here too. */
	for (unsigned i = 0; i < b->slots; i++) {
		struct value v = b->slot[i].v;

		if (!page_bits(&v) || slot_find(a, b->slot[i].at))
			continue;
		join(&v, &UNKNOWN);
		slot_set(a, b->slot[i].at, v);
		grew |= slot_find(a, b->slot[i].at) != NULL;
	}
	return grew;
}

static void queue(struct walk *w, gaddr at, const struct state *s)
{
	struct block *b;

	if (w->end && (at < w->start || at >= w->end))
		return;
	for (size_t i = 0; i < w->blocks.n; i++)
		if (w->blocks.at[i]->at == at) {
			if (state_join(&w->blocks.at[i]->in, s))
				w->blocks.at[i]->queued = true;
			return;
		}
	if (w->blocks.n >= MAX_BLOCKS)
		return;
	b = xcalloc(1, sizeof(*b));
	b->at = at;
	b->in = *s;
	b->queued = true;
	VEC_PUSH(&w->blocks, b);
}

/* Address of a memory operand as a value (konst, stack, page or unknown). */
static struct value address_of(const struct insn *i, const struct insn_operand *o,
			       const struct state *s, bool *indexed)
{
	struct value base = constant(0);

	*indexed = o->index.file == FILE_GPR;
	if (o->seg.file == FILE_SEG && o->seg.nr >= 4)
		return UNKNOWN;
	if (o->base.file == FILE_RIP)
		return constant(i->addr + i->bytes + (uint64_t)o->value);
	if (o->base.file == FILE_GPR && o->base.nr == 4) {
		if (!s->sp_known)
			return UNKNOWN;
		base = (struct value){ .stack = true, .k = (uint64_t)s->sp };
	} else if (o->base.file == FILE_GPR) {
		base = s->reg[o->base.nr];
	}
	if (base.konst || base.stack) {
		base.k += (uint64_t)o->value;
		if (*indexed && s->reg[o->index.nr].konst && base.konst) {
			base.k += s->reg[o->index.nr].k * o->scale;
			*indexed = false;
		}
		return base;
	}
	if (*indexed && o->scale == 1 && s->reg[o->index.nr].konst)
		return constant(s->reg[o->index.nr].k + (uint64_t)o->value);
	if (base.page) /* somewhere in the page, displaced */
		base.page = o->value || *indexed ? 8 : base.page;
	return base;
}

static struct value load(struct walk *w, const struct insn *i, const struct insn_operand *o,
			 struct state *s)
{
	bool indexed, writable = false, any = false;
	struct value a = address_of(i, o, s, &indexed), v = { .unknown = false };
	struct value *p;
	uint64_t word;

	if (a.stack && !indexed) {
		p = slot_find(s, (int64_t)a.k);
		return p ? *p : UNKNOWN;
	}
	if (page_bits(&a) && !a.unknown) {
		w->h->use(w->h->ctx, FLOW_USE_READ, i->addr, page_bits(&a), true);
		return UNKNOWN;
	}
	if (!a.konst || o->bytes != 8)
		return UNKNOWN;
	/* An indexed load may come from any of the next words of a table; without a scale of 8 the stride is
	 * not known, and in a table of records the next word is another member. */
	for (unsigned n = 0; n < (indexed ? 4u : 1u) && (!n || any || o->scale == 8); n++)
		if (w->h->word(w->h->ctx, a.k + 8 * n, &word, &writable) && flow_entry_bits(word)) {
			v.page |= (uint8_t)flow_entry_bits(word);
			any = true;
		}
	if (!any)
		return UNKNOWN;
	v.unknown = writable;
	return v;
}

static struct value operand(struct walk *w, const struct insn *i, unsigned n, struct state *s)
{
	const struct insn_operand *o = &i->op[n];

	if (o->kind == OPERAND_IMM)
		return constant((uint64_t)o->value);
	if (o->kind == OPERAND_MEM)
		return load(w, i, o, s);
	if (o->reg.file == FILE_GPR && !o->reg.high) {
		if (o->reg.nr == 4)
			return s->sp_known ? (struct value){ .stack = true, .k = (uint64_t)s->sp }
					   : UNKNOWN;
		return s->reg[o->reg.nr];
	}
	return UNKNOWN;
}

static void store(struct walk *w, const struct insn *i, struct state *s, struct value v)
{
	const struct insn_operand *o = &i->op[0];
	bool indexed;
	struct value a;

	if (o->kind == OPERAND_REG) {
		if (o->reg.file != FILE_GPR)
			return;
		if (o->bytes == 4 && v.konst)
			v.k = (uint32_t)v.k;
		else if (o->bytes < 8 && !v.konst)
			v = UNKNOWN;
		if (o->bytes < 4 || o->reg.high)
			v = UNKNOWN;
		if (o->reg.nr == 4) {
			s->sp_known = v.stack;
			s->sp = (int64_t)v.k;
		} else {
			s->reg[o->reg.nr] = v;
		}
		return;
	}
	if (o->kind != OPERAND_MEM)
		return;
	a = address_of(i, o, s, &indexed);
	if (a.stack && !indexed)
		slot_set(s, (int64_t)a.k, v);
	else if (page_bits(&v) && o->bytes == 8)
		w->h->use(w->h->ctx, FLOW_USE_STORE, i->addr, page_bits(&v), sure(&v));
}

/* x op y for constants; a page base plus something unknown is an unknown offset of the page. */
static struct value arith(const char *name, struct value x, struct value y)
{
	bool sub = !strcmp(name, "sub"), add = !strcmp(name, "add"), or_ = !strcmp(name, "or");

	if (y.konst && (x.konst || x.stack)) {
		if (sub)
			x.k -= y.k;
		else if (add)
			x.k += y.k;
		else if (x.stack)
			return UNKNOWN;
		else if (or_)
			x.k |= y.k;
		else if (!strcmp(name, "and"))
			x.k &= y.k;
		else if (!strcmp(name, "xor"))
			x.k ^= y.k;
		else if (!strcmp(name, "shl"))
			x.k = y.k < 64 ? x.k << y.k : 0;
		else if (!strcmp(name, "shr"))
			x.k = y.k < 64 ? x.k >> y.k : 0;
		else
			return UNKNOWN;
		return x;
	}
	if (((add || or_) && y.konst && flow_entry_bits(y.k)) ||
	    (sub && y.konst && flow_entry_bits(-y.k)) ||
	    ((add || or_) && x.konst && flow_entry_bits(x.k)))
		return (struct value){ .page = 8 };
	/* Pointer mangling (xor with %fs:0x30, rol) keeps what the pointer was. */
	if ((!strcmp(name, "xor") || !strcmp(name, "rol") || !strcmp(name, "ror")) && page_bits(&x))
		return (struct value){ .page = (uint8_t)page_bits(&x) };
	if ((add || sub) && x.page)
		return (struct value){ .page = 8, .unknown = x.unknown };
	if (add && y.page)
		return (struct value){ .page = 8, .unknown = y.unknown };
	return UNKNOWN;
}

static bool is(const struct insn *i, const char *name)
{
	return !strcmp(i->name, name);
}

static void push(struct state *s, struct value v)
{
	s->sp -= 8;
	if (s->sp_known)
		slot_set(s, s->sp, v);
}

static struct value pop(struct state *s)
{
	struct value *p = s->sp_known ? slot_find(s, s->sp) : NULL;

	s->sp += 8;
	return p ? *p : UNKNOWN;
}

static void walk_function(struct walk *up, gaddr start, const struct state *in);

static void clobber_call(struct state *s)
{
	static const uint8_t scratch[] = { 0, 1, 2, 6, 7, 8, 9, 10, 11 };

	for (size_t n = 0; n < sizeof(scratch); n++)
		s->reg[scratch[n]] = UNKNOWN;
}

static void do_call(struct walk *w, const struct insn *i, struct state *s)
{
	static const uint8_t args[] = { 7, 6, 2, 1, 8, 9 };
	struct value t = operand(w, i, 0, s);
	unsigned bits = page_bits(&t);

	if (bits) {
		w->h->use(w->h->ctx, FLOW_USE_CALL, i->addr, bits, sure(&t));
	} else {
		unsigned passed = 0;

		for (size_t n = 0; n < sizeof(args); n++)
			passed |= page_bits(&s->reg[args[n]]);
		if (passed && !i->indirect && w->depth < CALL_DEPTH) {
			struct state callee = { .sp = 0, .sp_known = true };

			memcpy(callee.reg, s->reg, sizeof(callee.reg));
			walk_function(w, (gaddr)i->op[0].value, &callee);
		} else if (passed) {
			w->h->use(w->h->ctx, FLOW_USE_PASS, i->addr, passed, false);
		}
	}
	clobber_call(s);
}

static void do_return(struct walk *w, const struct insn *i, struct state *s)
{
	struct value *top = s->sp_known && s->sp != 0 ? slot_find(s, s->sp) : NULL;

	if (top && page_bits(top))
		w->h->use(w->h->ctx, FLOW_USE_CALL, i->addr, page_bits(top), sure(top));
	else if (page_bits(&s->reg[0]) && w->depth == 0)
		w->h->use(w->h->ctx, FLOW_USE_RETURN, i->addr, page_bits(&s->reg[0]),
			  sure(&s->reg[0]));
}

/* Everything but control flow. */
static void step(struct walk *w, const struct insn *i, struct state *s)
{
	bool indexed;
	struct value v;

	if (is(i, "mov") || is(i, "movabs")) {
		store(w, i, s, operand(w, i, 1, s));
	} else if (is(i, "movq") || is(i, "movd") || !strncmp(i->name, "cmov", 4)) {
		v = operand(w, i, 1, s);
		if (i->name[0] == 'c') {
			struct value old = operand(w, i, 0, s);
			join(&v, &old);
		}
		store(w, i, s, v);
	} else if (is(i, "lea")) {
		v = address_of(i, &i->op[1], s, &indexed);
		if (indexed)
			v = arith("add", v, UNKNOWN);
		store(w, i, s, v);
	} else if (is(i, "push")) {
		push(s, operand(w, i, 0, s));
	} else if (is(i, "pop")) {
		store(w, i, s, pop(s));
	} else if (is(i, "leave")) {
		s->sp_known = s->reg[5].stack;
		s->sp = (int64_t)s->reg[5].k;
		s->reg[5] = pop(s);
	} else if (is(i, "xor") && i->n == 2 && i->op[0].kind == OPERAND_REG &&
		   i->op[1].kind == OPERAND_REG && i->op[0].reg.nr == i->op[1].reg.nr) {
		store(w, i, s, constant(0));
	} else if (is(i, "neg") || is(i, "not")) {
		v = operand(w, i, 0, s);
		if (v.konst)
			v.k = is(i, "neg") ? -v.k : ~v.k;
		else
			v = UNKNOWN;
		store(w, i, s, v);
	} else if (is(i, "cmp") || is(i, "test")) {
		struct value a = operand(w, i, 0, s), b = operand(w, i, 1, s);

		if (page_bits(&a) | page_bits(&b))
			w->h->use(w->h->ctx, FLOW_USE_COMPARE, i->addr, page_bits(&a) | page_bits(&b),
				  false);
	} else if (i->n >= 2 && i->op[0].written) {
		struct value a = operand(w, i, 0, s), b = operand(w, i, 1, s);

		store(w, i, s, i->n == 2 ? arith(i->name, a, b) : UNKNOWN);
	} else if (i->n && i->op[0].written) {
		store(w, i, s, UNKNOWN);
	}
	if (is(i, "syscall") || is(i, "cpuid") || is(i, "rdtsc") || is(i, "mul") || is(i, "div"))
		s->reg[0] = s->reg[2] = UNKNOWN;
	if (is(i, "cpuid"))
		s->reg[1] = s->reg[3] = UNKNOWN;
}

/* Run one block from @at until control leaves it. */
static void walk_block(struct walk *w, gaddr at, struct state *s)
{
	struct insn i;
	const uint8_t *code;
	size_t n;

	for (;;) {
		code = w->h->code(w->h->ctx, at, &n);
		if (!code || w->steps++ > MAX_STEPS || (w->end && at >= w->end) ||
		    !insn_decode(w->d, code, n, at, &i))
			return;
		w->seed_seen |= at == w->seed;
		switch (i.flow) {
		case FLOW_CALL: do_call(w, &i, s); break;
		case FLOW_RET: do_return(w, &i, s); return;
		case FLOW_TRAP: return;
		case FLOW_JCC: queue(w, (gaddr)i.op[0].value, s); break;
		case FLOW_JMP:
			if (!i.indirect) {
				queue(w, (gaddr)i.op[0].value, s);
			} else {
				struct value t = operand(w, &i, 0, s);

				if (page_bits(&t))
					w->h->use(w->h->ctx, FLOW_USE_CALL, i.addr, page_bits(&t),
						  sure(&t));
			}
			return;
		default: step(w, &i, s);
		}
		at += i.bytes;
		for (size_t b = 0; b < w->blocks.n; b++)
			if (w->blocks.at[b]->at == at) {
				queue(w, at, s);
				return;
			}
	}
}

static void drain(struct walk *w)
{
	for (size_t b = 0; b < w->blocks.n; b++) {
		if (w->blocks.at[b]->queued) {
			struct state s = w->blocks.at[b]->in;

			w->blocks.at[b]->queued = false;
			walk_block(w, w->blocks.at[b]->at, &s);
			b = (size_t)-1; /* an earlier block may be due again */
		}
	}
}

static void walk_free(struct walk *w)
{
	for (size_t b = 0; b < w->blocks.n; b++)
		free(w->blocks.at[b]);
	VEC_FREE(&w->blocks);
}

static void walk_function(struct walk *up, gaddr start, const struct state *in)
{
	struct walk w = { .d = up->d, .h = up->h, .start = start, .depth = up->depth + 1 };

	queue(&w, start, in);
	drain(&w);
	walk_free(&w);
}

void flow_function(struct insn_decoder *d, const struct flow_host *h, gaddr start, gaddr end,
		   gaddr seed)
{
	struct walk w = { .d = d, .h = h, .start = start, .end = end, .seed = seed };
	struct state s = { .sp = 0, .sp_known = true };

	for (unsigned i = 0; i < 16; i++)
		s.reg[i] = UNKNOWN;
	queue(&w, start, &s);
	drain(&w);
	if (seed && !w.seed_seen) {
		/* Reached only through a jump table, or the start was a guess. */
		queue(&w, seed, &s);
		drain(&w);
	}
	walk_free(&w);
}
