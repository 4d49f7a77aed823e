/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * All cycles of a run as folded stacks for flame graphs: program;callers...;function;stage cycles.  The
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

static void function(struct buf *b, const struct report_frame *f)
{
	if (f->place.symbol)
		frame(b, f->place.symbol);
	else
		buf_printf(b, "%#lx", (unsigned long)f->address);
	buf_add(b, ";", 1);
}

static void stack(const struct report *r, const char *program, unsigned entry, const struct report_stack *s,
		  uint64_t *left, struct buf *out)
{
	uint64_t ok = s->count - s->refused - s->skipped;
	struct buf b = { 0 };

	buf_printf(&b, "%s;", program);
	for (unsigned i = s->depth; i-- > 0;)
		function(&b, &s->frame[i]);
	buf_printf(&b, "vsyscall.%s", time_call_name((enum time_call)entry));
	event(r, b.data, (enum cost_event)(COST_VSYSCALL_GETTIMEOFDAY + entry), ok, out);
	event(r, b.data, COST_VSYSCALL_SKIPPED, s->skipped, out);
	buf_printf(&b, ".refused");
	event(r, b.data, COST_VSYSCALL_REFUSED, s->refused, out);
	left[COST_VSYSCALL_GETTIMEOFDAY + entry] -= ok;
	left[COST_VSYSCALL_SKIPPED] -= s->skipped;
	left[COST_VSYSCALL_REFUSED] -= s->refused;
	buf_free(&b);
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
	for (size_t i = 0; i < r->site.n; i++)
		for (size_t j = 0; j < r->site.at[i].stack.n; j++)
			stack(r, program.data, r->site.at[i].entry_nr, &r->site.at[i].stack.at[j], left, out);
	for (unsigned ev = 0; ev < COST_EVENT_COUNT; ev++) {
		struct buf b = { 0 };

		buf_printf(&b, "%s;%s%s", program.data, ev <= COST_VDSO_FALLBACK ? "" : "[kernel];",
			   cost_event_name((enum cost_event)ev));
		event(r, b.data, (enum cost_event)ev, left[ev], out);
		buf_free(&b);
	}
	buf_free(&program);
}
