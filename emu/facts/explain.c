/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The order of the steps, and the stages that belong to them: see explain.h. */
#include "facts/explain.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *explain_part_name(enum explain_part p)
{
	static const char *const names[PART_COUNT] = {
		[PART_CALLER] = "caller", [PART_PAGE] = "page", [PART_TRAP] = "trap",
		[PART_CHECK] = "check", [PART_SECCOMP] = "seccomp", [PART_BODY] = "body",
		[PART_EDIT] = "edit", [PART_RETURN] = "return", [PART_SIGNAL] = "signal",
	};

	return (unsigned)p < PART_COUNT ? names[p] : NULL;
}

static char *formatted(const char *fmt, va_list ap)
{
	char text[2048];

	vsnprintf(text, sizeof(text), fmt, ap);
	return xstrdup(text);
}

/* Nothing of the last step changes any more. */
static void finish_step(struct explain_walk *w)
{
	struct explain_step *s = w->x->steps.n ? &w->x->steps.at[w->x->steps.n - 1] : NULL;

	if (!s)
		return;
	s->rip = w->rip;
	s->rsp = w->rsp;
	s->rax = w->rax;
	s->kernel = w->kernel;
	s->total16 = w->x->total16;
}

struct explain_step *explain_step(struct explain_walk *w, enum explain_part part, const char *truth,
				  const char *title, ...)
{
	struct explain_step s = { .part = part, .truth = truth };
	va_list ap;

	finish_step(w);
	va_start(ap, title);
	s.title = formatted(title, ap);
	va_end(ap);
	s.text = xstrdup("");
	VEC_PUSH(&w->x->steps, s);
	return &w->x->steps.at[w->x->steps.n - 1];
}

void explain_say(struct explain_step *s, const char *fmt, ...)
{
	size_t old = strlen(s->text), n;
	char *line;
	va_list ap;

	va_start(ap, fmt);
	line = formatted(fmt, ap);
	va_end(ap);
	n = strlen(line);
	s->text = xrealloc(s->text, old + n + 2);
	memcpy(s->text + old, line, n);
	s->text[old + n] = '\n';
	s->text[old + n + 1] = 0;
	free(line);
}

static bool is_named(const char *stage, const char *names)
{
	size_t len = strlen(stage);

	if (*names == '!')
		return strcmp(stage, names + 1) != 0;
	for (const char *p = names; *p; p += strspn(p, " ")) {
		size_t n = strcspn(p, " ");

		if (*p == '*' ? len >= n - 1 && !memcmp(stage + len - (n - 1), p + 1, n - 1)
			      : len == n && !memcmp(stage, p, n))
			return true;
		p += n;
	}
	return false;
}

static struct explain_stage stage_of(const struct explain_walk *w, const struct cost_line *l)
{
	int s = cost_stage_find(l->stage, strlen(l->stage));
	struct explain_stage g = {
		.stage = l->stage, .meaning = "read of a counter on the board", .where = l->where,
		.times = l->times, .cycles16 = l->cycles16,
		.provenance = l->estimated ? PROV_ESTIMATED : PROV_PUBLISHED, .source = "",
	};

	snprintf(g.symbol, sizeof(g.symbol), "%s", l->symbol);
	if (s >= 0) {
		const struct model_origin *o =
			&w->a->m->cpu->origin[cpu_key_of_stage((enum cost_stage)s)];

		g.meaning = cost_stage_meaning((enum cost_stage)s);
		g.provenance = o->provenance;
		g.source = o->source ? o->source : "";
	}
	return g;
}

void explain_charge(struct explain_walk *w, enum cost_where where, const char *names)
{
	struct explain_step *s = &w->x->steps.at[w->x->steps.n - 1];

	for (unsigned k = 0; k < w->costs; k++)
		for (unsigned i = 0; i < w->cost[k].n; i++) {
			struct cost_line *l = &w->cost[k].line[i];

			if (!l->stage || l->where != where || (names && !is_named(l->stage, names)))
				continue;
			VEC_PUSH(&s->stages, stage_of(w, l));
			s->cycles16 += l->cycles16;
			w->x->total16 += l->cycles16;
			l->stage = NULL;
		}
}

/* What no step asked for, so that the sum is that of the prices. */
static void charge_rest(struct explain_walk *w)
{
	explain_charge(w, WHERE_ENTRY, NULL);
	explain_charge(w, WHERE_BODY, NULL);
	explain_charge(w, WHERE_EXIT, NULL);
	explain_charge(w, WHERE_USER, NULL);
}

uint64_t explain_caller_of(const struct explain_ask *a)
{
	return a->seen ? a->seen->caller : EXPLAIN_CALLER;
}

uint64_t explain_rsp_of(const struct explain_ask *a)
{
	if (a->seen)
		return a->seen->rsp;
	return a->bad_stack ? EXPLAIN_BAD_STACK : EXPLAIN_STACK;
}

int64_t explain_result(const struct explain_ask *a, int nr)
{
	if (a->seen && a->seen->result_known)
		return a->seen->result;
	return nr == 1 ? 1700000000 : 0;
}

static bool read_stack(void *ctx, void *dst, uint64_t addr, size_t n)
{
	const struct explain_ask *a = ((const struct explain_walk *)ctx)->a;
	uint64_t caller = explain_caller_of(a);

	if (a->bad_stack || addr != explain_rsp_of(a) || n != sizeof(caller))
		return false;
	memcpy(dst, &caller, n);
	return true;
}

static void answer_filter(void *ctx, const struct vsysemu_seccomp_data *data,
			  struct vsysemu_seccomp_answer *answer)
{
	struct explain_walk *w = ctx;

	(void)data;
	w->filtered = true;
	answer->ret = w->a->seccomp_ret;
}

void explain_cost(struct explain_walk *w, enum cost_event ev)
{
	struct cost_profile *c = &w->cost[w->costs++];

	cost_profile(w->a->m, w->a->policy, ev, c);
	w->x->cost.user16 += c->cost.user16;
	w->x->cost.system16 += c->cost.system16;
}

static bool in_page(uint64_t a)
{
	return a >= VSYSEMU_PAGE && a - VSYSEMU_PAGE < VSYSEMU_PAGE_BYTES;
}

/* The trap that the arrival raises; false: none, bytes of the page run. */
static bool make_frame(struct explain_walk *w, struct vsysemu_frame *f)
{
	const struct explain_ask *a = w->a;
	struct vsysemu_page page = vsysemu_page_of(w->rules, w->p->mode);
	bool fetch = !a->code_set || (a->error_code & VSYSEMU_PF_I) || w->p->trap == TRAP_GEN_GP;
	uint8_t bytes[VSYSEMU_PAGE_BYTES];

	w->fetch = fetch;
	*f = (struct vsysemu_frame){
		.vector = VSYSEMU_VEC_PF, .addr = w->target, .rip = w->target, .rflags = 0x202,
		.cs = a->cs, .seccomp = a->seccomp,
	};
	f->error_code = VSYSEMU_PF_U | VSYSEMU_PF_I | (page.present ? VSYSEMU_PF_P : 0);
	if (a->code_set)
		f->error_code = a->error_code;
	f->gpr[VSYSEMU_RAX] = w->target;
	f->gpr[VSYSEMU_RSP] = explain_rsp_of(a);
	f->gpr[VSYSEMU_RDI] = a->nr == 1 ? 0 : EXPLAIN_BUFFER;
	if (a->seen) {
		f->gpr[VSYSEMU_RDI] = a->seen->args[0];
		f->gpr[VSYSEMU_RSI] = a->seen->args[1];
	}
	if (!fetch) { /* a data access by the program's own code */
		f->addr = in_page(w->target) ? w->target : VSYSEMU_PAGE + 0x400ull * (unsigned)a->nr;
		f->rip = in_page(w->target) ? explain_caller_of(a) : w->target;
		if (w->p->trap != TRAP_GEN_GP)
			return (f->error_code & VSYSEMU_PF_W) || !page.readable;
	}
	if (w->p->trap == TRAP_GEN_INT0XCC) {
		f->error_code = 0;
		f->vector = VSYSEMU_VEC_INT0XCC;
		f->rip = w->target + 2;
		if (!in_page(w->target) || !vsysemu_page_bytes(w->rules, w->p->mode, bytes))
			return true;
		if (bytes[w->target - VSYSEMU_PAGE] == 0xcc) {
			f->vector = VSYSEMU_VEC_BP;
			f->rip = w->target + 1;
		}
		return true;
	}
	if (w->p->trap == TRAP_GEN_GP) {
		f->vector = VSYSEMU_VEC_GP;
		f->error_code = 0;
		return true;
	}
	if (!page.present || !page.executable || !in_page(w->target))
		return true;
	if (!vsysemu_page_bytes(w->rules, w->p->mode, bytes) || bytes[w->target - VSYSEMU_PAGE] != 0xcc)
		return false;
	f->vector = VSYSEMU_VEC_BP;
	f->error_code = 0;
	f->rip = w->target + 1;
	return true;
}

/* What the run would charge for it. */
static void find_costs(struct explain_walk *w, const struct vsysemu_verdict *v, bool faults)
{
	bool returns = (v->kind == VSYSEMU_CALL && !faults) || v->kind == VSYSEMU_RETURN;
	bool signals = faults || ((v->kind == VSYSEMU_SIGNAL || v->kind == VSYSEMU_NOT_HANDLED) &&
				  v->signal.signo);

	if (returns && v->skipped)
		explain_cost(w, COST_VSYSCALL_SKIPPED);
	else if (returns)
		explain_cost(w, cost_event_of_call(PATH_VSYSCALL, (enum time_call)(v->nr < 0 ? w->a->nr : v->nr),
					       0));
	else if (!w->fetch && w->p->trap != TRAP_GEN_GP)
		explain_cost(w, COST_EXCEPTION);
	else
		explain_cost(w, COST_VSYSCALL_REFUSED);
	if (w->filtered)
		explain_cost(w, COST_SECCOMP);
	if (signals || v->kind == VSYSEMU_KILL)
		explain_cost(w, COST_SIGNAL);
}

static void trapped(struct explain_walk *w, const struct vsysemu_guest *g)
{
	struct explanation *x = w->x;
	struct vsysemu_frame *f = &x->frame;
	struct vsysemu_verdict *v = &x->verdict;
	struct vsysemu_body body = { .result = explain_result(w->a, w->a->nr) };

	if (f->vector == VSYSEMU_VEC_BP) {
		*v = (struct vsysemu_verdict){ .kind = VSYSEMU_NOT_HANDLED, .rax = f->gpr[VSYSEMU_RAX],
					       .rip = f->rip, .rsp = f->gpr[VSYSEMU_RSP],
					       .orig_rax = -1, .nr = -1 };
		vsysemu_ordinary_signal(w->rules, f, &v->signal);
		explain_cost(w, COST_EXCEPTION);
		explain_cost(w, COST_SIGNAL);
		explain_translation(w);
		explain_back(w);
		return;
	}
	vsysemu_policy_decide(w->rules, w->p->mode, f, g, v);
	if (w->a->seen && w->a->seen->refused && v->kind == VSYSEMU_CALL)
		body = (struct vsysemu_body){ .result = -14, .fault = true, .error_code = VSYSEMU_PF_W,
					      .addr = w->a->seen->args[!w->a->seen->args[0]] };
	find_costs(w, v, body.result == -14);
	explain_translation(w);
	explain_checks(w, v, g);
	if (v->kind == VSYSEMU_CALL)
		vsysemu_policy_finish(w->rules, w->p->mode, f, &body, v);
	if (v->kind == VSYSEMU_RETURN && v->landing_faults)
		explain_cost(w, COST_SIGNAL);
	explain_back(w);
}

void explain(const struct explain_ask *a, struct explanation *x)
{
	struct explain_walk w = { .a = a, .p = &a->m->policy[a->policy], .x = x };
	struct vsysemu_guest g = { .ctx = &w, .read = read_stack,
				   .seccomp = answer_filter };

	memset(x, 0, sizeof(*x));
	w.rules = &w.p->kernel->rules;
	w.target = a->rip_set ? a->rip : VSYSEMU_PAGE + 0x400ull * (unsigned)a->nr;
	w.rax = w.target;
	w.rip = explain_caller_of(a) - 2;
	w.rsp = explain_rsp_of(a) + (a->bad_stack ? 0 : 8);
	explain_caller(&w);
	if (make_frame(&w, &x->frame)) {
		trapped(&w, &g);
	} else {
		x->frame.vector = 0;
		explain_native(&w);
	}
	charge_rest(&w);
	finish_step(&w);
}

void explain_free(struct explanation *x)
{
	for (size_t i = 0; i < x->steps.n; i++) {
		free(x->steps.at[i].title);
		free(x->steps.at[i].text);
		VEC_FREE(&x->steps.at[i].stages);
	}
	VEC_FREE(&x->steps);
}
