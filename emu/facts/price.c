/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The price of the program's own instructions: see price.h.  A block is taken as if it were iterated:
 * it costs what its fullest port needs or what its longest register chain needs, whichever is more.
 * Memory dependences, caches and branch misses are left out; docs/models.md says what that costs.
 */
#include "facts/price.h"

#include "facts/model.h"
#include "facts/price_decode.h"

/* Chains are measured between these passes, when the start no longer shows. */
#define PASS_FIRST 2
#define PASS_LAST 5
/* Longer blocks are straight code whose ports decide; it also bounds the work here. */
#define CHAIN_INSNS 256u

/* What a block asks of the core. */
struct demand {
	double uops, alu, load, store, branch, shift, multiply, vec, shuffle, fp, divide;
	double serial; /* cycles that nothing overlaps: locks, fences, time stamps */
};

static double at_least_one(double v)
{
	return v > 1 ? v : 1;
}

static const struct price_class_row *row(const struct cpu_model *c, const struct price_insn *i)
{
	return &c->class_row[i->cls];
}

/* Micro-operations that the front end issues; loads and stores travel with their operation. */
static double uops(const struct cpu_model *c, const struct price_insn *i)
{
	switch (i->cls) {
	case CLASS_push: case CLASS_pop: case CLASS_ret: case CLASS_jmp: case CLASS_jcc: case CLASS_nop:
	case CLASS_mov: case CLASS_vmov:
		return 1;
	case CLASS_call:
		return 2;
	default:
		return at_least_one(row(c, i)->uops) + (i->load && i->store ? 1 : 0);
	}
}

static void demand_vector(struct demand *d, const struct price_insn *i, double n)
{
	if (i->cls == CLASS_vmov && (i->load || i->store))
		return;
	d->vec += n;
	if (i->cls == CLASS_vshuf)
		d->shuffle += n;
	if (i->cls == CLASS_fpadd || i->cls == CLASS_fpmul || i->cls == CLASS_fpcmp || i->cls == CLASS_cvt ||
	    i->cls == CLASS_vmul)
		d->fp += n;
}

static void demand_integer(const struct cpu_model *c, struct demand *d, const struct price_insn *i, double n)
{
	if (i->cls == CLASS_mov && (i->load || i->store))
		return;
	d->alu += n;
	if (i->cls == CLASS_shift || i->cls == CLASS_shcl)
		d->shift += n;
	if (i->cls == CLASS_imul || i->cls == CLASS_mulw || i->cls == CLASS_bits ||
	    (i->cls == CLASS_lea3 && c->core.lea3_slow > 0 && c->core.lea3_slow < 3))
		d->multiply += 1;
}

static void demand_add(const struct cpu_model *c, struct demand *d, const struct price_insn *i)
{
	double n = uops(c, i) - (i->load && i->store ? 1 : 0);

	d->uops += uops(c, i);
	d->load += i->load;
	d->store += i->store;
	if (i->lock)
		d->serial += c->class_row[CLASS_lock].latency;
	if (i->fence)
		d->serial += c->stage_cycles[STAGE_fence];
	if (i->rdtsc)
		d->serial += c->stage_cycles[STAGE_rdtsc];
	if (i->idle || (i->move && c->core.elim > 0))
		return;
	switch (i->cls) {
	case CLASS_jcc: case CLASS_jmp: case CLASS_jmpi: case CLASS_call: case CLASS_ret:
		d->branch += 1;
		return;
	case CLASS_push: case CLASS_pop:
		return;
	case CLASS_div32: case CLASS_div64: case CLASS_fpdiv: case CLASS_fpsqrt: case CLASS_x87:
	case CLASS_aes: case CLASS_string: case CLASS_other:
		d->divide += row(c, i)->busy;
		return;
	}
	if (i->vec)
		demand_vector(d, i, n);
	else
		demand_integer(c, d, i, n);
}

static double port_bound(const struct price_core *p, const struct demand *d)
{
	const double by[][2] = {
		{ d->uops, p->width }, { d->alu, p->alu }, { d->load, p->load }, { d->store, p->store },
		{ d->branch, p->branch }, { d->shift, p->shift }, { d->multiply, 1 }, { d->vec, p->vec },
		{ d->shuffle, p->shuf }, { d->fp, p->fp }, { d->divide, 1 },
	};
	double most = 0;

	for (size_t i = 0; i < ARRAY_SIZE(by); i++)
		if (by[i][0] / by[i][1] > most)
			most = by[i][0] / by[i][1];
	return most;
}

/* When the registers of @set are there. */
static double ready(const double *t, uint64_t set)
{
	double last = 0;

	for (; set; set &= set - 1)
		if (t[__builtin_ctzll(set)] > last)
			last = t[__builtin_ctzll(set)];
	return last;
}

static double latency(const struct cpu_model *c, const struct price_insn *i)
{
	/* The stack engine and the load bring these; their table latencies contain them. */
	if (i->cls == CLASS_push || i->cls == CLASS_pop || i->cls == CLASS_call || i->cls == CLASS_ret)
		return 0;
	if (i->idle || (i->move && c->core.elim > 0))
		return 0;
	if ((i->cls == CLASS_mov || i->cls == CLASS_vmov) && i->load)
		return 0;
	return at_least_one(row(c, i)->latency);
}

static void pass(const struct cpu_model *c, const struct price_insn *in, size_t n, double *t)
{
	for (size_t k = 0; k < n; k++) {
		const struct price_insn *i = &in[k];
		double start = ready(t, i->reads);

		if (i->load) {
			double loaded = ready(t, i->address) +
					(i->vec ? c->core.vec_load_latency : c->core.load_latency);

			start = loaded > start ? loaded : start;
		} else if (i->rep) {
			start = ready(t, i->reads | i->address);
		}
		start += latency(c, i);
		for (uint64_t w = i->writes; w; w &= w - 1)
			t[__builtin_ctzll(w)] = start;
	}
}

static double chain_bound(const struct cpu_model *c, const struct price_insn *in, size_t n)
{
	double t[PRICE_REGISTERS] = { 0 }, first = 0;

	for (unsigned p = 1; p <= PASS_LAST; p++) {
		pass(c, in, n, t);
		if (p == PASS_FIRST)
			first = ready(t, (1ull << PRICE_REGISTERS) - 1);
	}
	return (ready(t, (1ull << PRICE_REGISTERS) - 1) - first) / (PASS_LAST - PASS_FIRST);
}

static uint32_t to_cycles16(double cycles)
{
	double v = 16 * cycles + 0.5;

	return v < 1 ? 1 : v > 4e9 ? 4000000000u : (uint32_t)v;
}

uint32_t price_block(const struct cpu_model *c, const uint8_t *code, uint32_t bytes, uint32_t insns)
{
	struct price_insn in[CHAIN_INSNS], i;
	struct demand d = { 0 };
	uint32_t at = 0, done = 0;
	size_t n = 0;
	bool fusible = false;
	double port, chain;

	if (c->core.width <= 0)
		return to_cycles16(c->cpi * insns);
	for (; done < insns && price_decode(code + at, bytes - at, &i); done++) {
		at += i.bytes;
		/* Fused with the comparison before it, a jump takes its port but no slot. */
		if (i.cls == CLASS_jcc && fusible)
			d.uops -= 1;
		demand_add(c, &d, &i);
		fusible = i.fusible && !i.store;
		if (n < CHAIN_INSNS)
			in[n++] = i;
	}
	port = port_bound(&c->core, &d);
	chain = done <= CHAIN_INSNS ? c->core.chain_weight * chain_bound(c, in, n) : 0;
	return to_cycles16(c->core.scale * (port > chain ? port : chain) + d.serial + c->cpi * (insns - done));
}
