/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All cycles of a run as folded stacks for flame graphs: program;caller;function;stage cycles.  The
 * lines add up to user and system cycles, but for the fraction of a cycle that each line loses.
 */
#include <string.h>

#include "cli/report_forms.h"

/* A frame: the separators of the format cannot stand in a name. */
static void frame(struct buf *b, const char *s)
{
	for (; *s; s++) {
		char c = *s == ';' || *s == '\n' || *s == ' ' ? '_' : *s;

		buf_add(b, &c, 1);
	}
}

static void leaf(const char *stack, const char *stage, uint64_t cycles16, struct buf *out)
{
	if (cycles16 / 16)
		buf_printf(out, "%s;%s %lu\n", stack, stage, (unsigned long)(cycles16 / 16));
}

/* @n times event @ev under @stack. */
static void event(const struct report *r, const char *stack, enum cost_event ev, uint64_t n, struct buf *out)
{
	const struct model *m = r->k->model;
	struct cost_profile p;

	if (!n)
		return;
	cost_profile(m, m->active, ev, &p);
	for (unsigned i = 0; i < p.n; i++) {
		bool seen = false;
		uint64_t sum = 0;

		for (unsigned j = 0; j < p.n; j++)
			if (!strcmp(p.line[i].stage, p.line[j].stage)) {
				seen |= j < i;
				sum += p.line[j].cycles16;
			}
		if (!seen)
			leaf(stack, p.line[i].stage, sum * n, out);
	}
}

/* How many of a site's arrivals were carried out: its cycles are a sum of two prices. */
static uint64_t carried_out(const struct report *r, const struct account_site *s)
{
	const struct model *m = r->k->model;
	struct cost c = model_price(m, (enum cost_event)(COST_VSYSCALL_GETTIMEOFDAY + s->entry));
	struct cost d = model_price(m, COST_VSYSCALL_REFUSED);
	int64_t ok = (int64_t)c.user16 + c.system16, refused = (int64_t)d.user16 + d.system16;

	if (ok == refused)
		return s->count;
	return (uint64_t)(((int64_t)s->cycles16 - (int64_t)s->count * refused) / (ok - refused));
}

static void site(const struct report *r, const char *program, const struct account_site *s, uint64_t *left,
		 struct buf *out)
{
	uint64_t ok = carried_out(r, s);
	struct image_place p = { 0 };
	struct buf stack = { 0 };

	images_find(r->images, r->map.at, r->map.n, s->address - 1, &p);
	buf_printf(&stack, "%s;", program);
	if (p.symbol)
		frame(&stack, p.symbol);
	else
		buf_printf(&stack, "%#lx", (unsigned long)s->address);
	buf_printf(&stack, ";vsyscall.%s", time_call_name((enum time_call)s->entry));
	event(r, stack.data, (enum cost_event)(COST_VSYSCALL_GETTIMEOFDAY + s->entry), ok, out);
	buf_printf(&stack, ".refused");
	event(r, stack.data, COST_VSYSCALL_REFUSED, s->count - ok, out);
	left[COST_VSYSCALL_GETTIMEOFDAY + s->entry] -= ok;
	left[COST_VSYSCALL_REFUSED] -= s->count - ok;
	buf_free(&stack);
}

void report_folded(const struct report *r, struct buf *out)
{
	const char *exe = r->k->proc.exe ? r->k->proc.exe : "?", *slash = strrchr(exe, '/');
	const struct account *a = r->total;
	uint64_t left[COST_EVENT_COUNT];
	struct buf program = { 0 };

	memcpy(left, a->event, sizeof(left));
	frame(&program, slash && slash[1] ? slash + 1 : exe);
	leaf(program.data, "[instructions]", a->block_cycles16, out);
	leaf(program.data, "[kernel];in_proportion", a->extra_user16 + a->extra_system16, out);
	for (size_t i = 0; i < ACCOUNT_SITES; i++)
		if (a->site[i].address)
			site(r, program.data, &a->site[i], left, out);
	for (unsigned ev = 0; ev < COST_EVENT_COUNT; ev++) {
		struct buf stack = { 0 };

		buf_printf(&stack, "%s;%s%s", program.data, ev <= COST_VDSO_FALLBACK ? "" : "[kernel];",
			   cost_event_name((enum cost_event)ev));
		event(r, stack.data, (enum cost_event)ev, left[ev], out);
		buf_free(&stack);
	}
	buf_free(&program);
}
