/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says: see report_facts.h. */
#include "cli/report_facts.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/syscall.h"
#include "run/loop.h"

#define DYING_CALLER_BACK 1u /* a return address lies behind its call */

const char *report_signal_name(int signo, char buf[32])
{
	if (signo < 32 && sigabbrev_np(signo))
		snprintf(buf, 32, "SIG%s", sigabbrev_np(signo));
	else
		snprintf(buf, 32, "SIGRTMIN+%d", signo - 34);
	return buf;
}

static void add_maps(struct report *r)
{
	const struct vma *v = NULL;

	while ((v = memory_next(r->k->mem, v)))
		if (v->name && v->name[0] == '/')
			VEC_PUSH(&r->map, ((struct image_map){ v->start, v->end, v->offset, v->name }));
}

static void find(struct report *r, gaddr a, struct image_place *p)
{
	memset(p, 0, sizeof(*p));
	if (a)
		images_find(r->images, r->map.at, r->map.n, a, p);
}

static void add_program(struct report *r)
{
	struct image *i = r->k->proc.exe ? images_get(r->images, r->k->proc.exe) : NULL;

	r->kind = i ? image_kind_name(image_kind(i)) : "static";
	r->libc = i ? images_libc(r->images, r->k->proc.exe, r->map.at, r->map.n) : NULL;
}

void report_frame_name(const struct report_frame *f, struct buf *out)
{
	if (f->place.symbol)
		buf_printf(out, "%s+%#lx", f->place.symbol, (unsigned long)f->place.offset + !f->interrupted);
	else
		buf_printf(out, "?");
}

static int compare_stacks(const struct report_stack *x, const struct report_stack *y)
{
	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	for (unsigned i = 0; i < x->depth && i < y->depth; i++)
		if (x->frame[i].address != y->frame[i].address)
			return x->frame[i].address < y->frame[i].address ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static int by_calls(const void *a, const void *b)
{
	return compare_stacks(a, b);
}

static int by_count(const void *a, const void *b)
{
	const struct report_site *x = a, *y = b;

	if (x->count != y->count)
		return x->count < y->count ? 1 : -1;
	if (x->address != y->address)
		return x->address < y->address ? -1 : 1;
	return x->entry_nr < y->entry_nr ? -1 : x->entry_nr > y->entry_nr;
}

/* Where a frame lay when it was seen, in whatever process. */
static void place_frame(struct report *r, const struct sites_frame *from, struct report_frame *to)
{
	const char *path = sites_object(run_sites(r->k), from->object);
	struct image_map m = { .offset = from->offset - 1, .end = 1, .path = path };

	*to = (struct report_frame){ .address = from->address, .interrupted = from->interrupted };
	if (from->interrupted)
		m.offset++;
	if (path && !images_find(r->images, &m, 1, 0, &to->place))
		to->place.object = path; /* the vDSO */
}

static struct report_site *site_of(struct report *r, const struct sites_stack *s, const struct report_frame *f)
{
	for (size_t i = 0; i < r->site.n; i++) {
		struct report_site *t = &r->site.at[i];

		if (t->address == f->address && t->entry_nr == s->entry && t->object == f->place.object)
			return t;
	}
	VEC_PUSH(&r->site, ((struct report_site){ .address = f->address, .symbol = f->place.symbol,
						  .object = f->place.object, .file = f->place.file,
						  .entry = time_call_name((enum time_call)s->entry),
						  .line = f->place.line, .entry_nr = s->entry }));
	return &r->site.at[r->site.n - 1];
}

static void add_stack(struct report *r, const struct sites_stack *s)
{
	struct report_stack t = { .count = s->count, .cycles16 = s->cycles16, .refused = s->refused,
				  .skipped = s->skipped, .depth = s->depth };
	struct report_site *site;

	for (unsigned i = 0; i < t.depth; i++)
		place_frame(r, &s->frame[i], &t.frame[i]);
	site = site_of(r, s, &t.frame[0]);
	site->count += t.count;
	site->cycles += t.cycles16; /* sixteenths until all are there */
	VEC_PUSH(&site->stack, t);
}

static void add_sites(struct report *r)
{
	const struct sites_stack *s;

	for (size_t i = 0; (s = sites_at(run_sites(r->k), i)); i++)
		if (s->ready && s->count)
			add_stack(r, s);
	for (size_t i = 0; i < r->site.n; i++) {
		struct report_site *t = &r->site.at[i];

		t->cycles /= 16;
		qsort(t->stack.at, t->stack.n, sizeof(*t->stack.at), by_calls);
	}
	if (r->site.n)
		qsort(r->site.at, r->site.n, sizeof(*r->site.at), by_count);
}

static void add_processes(struct report *r)
{
	static const char *const kinds[] = { "running", "exit", "signal", "limit" };
	const struct account *a;
	pid_t pid;

	for (size_t i = 0; (a = run_process(r->k, i, &pid)); i++)
		VEC_PUSH(&r->process, ((struct report_process){ .account = a, .pid = pid, .kind = kinds[a->outcome.kind],
								.reason = a->outcome.reason[0] ? a->outcome.reason : NULL,
								.status = a->outcome.status }));
	for (size_t i = 0; i < r->process.n; i++) {
		struct report_process *p = &r->process.at[i];

		if (p->account->outcome.kind != ACCOUNT_END_SIGNAL)
			continue;
		p->signal = report_signal_name(p->status, p->signal_text);
		p->status += 128;
	}
}

/* Why the first process died that the page killed, NULL: none did. */
static const char *reason_of_death(const struct report *r)
{
	for (size_t i = 0; i < r->process.n; i++)
		if (r->process.at[i].reason)
			return r->process.at[i].reason;
	return NULL;
}

/* Died of the page: what would have come next is not known. */
static bool died_of_page(const struct report *r)
{
	return reason_of_death(r);
}

static uint64_t stub_errors(const struct account *a)
{
	uint64_t n = 0;

	for (unsigned c = 0; c < CALL_COUNT; c++)
		n += a->call[c][PATH_VSYSCALL].errors;
	return n;
}

/* "main+0x1c (./prog)", owned; NULL: not known. */
static char *place_name(const struct image_place *p, uint64_t offset)
{
	struct buf b = { 0 };

	if (p->symbol)
		buf_printf(&b, "%s+%#lx", p->symbol, (unsigned long)offset);
	if (p->object)
		buf_printf(&b, "%s(%s)", b.len ? " " : "", p->object);
	return b.data;
}

/* The call of the page that came first, and the one that killed. */
static void add_places(struct report *r)
{
	const struct sites_stack *s, *first = NULL;
	struct report_frame f;

	for (size_t i = 0; (s = sites_at(run_sites(r->k), i)); i++)
		if (s->ready && s->count && s->depth && (!first || s->order < first->order))
			first = s;
	if (first) {
		place_frame(r, &first->frame[0], &f);
		r->first_call = place_name(&f.place, f.place.offset + !f.interrupted);
	}
	if (r->k->outcome.reason && r->k->outcome.caller)
		r->last_call = place_name(&r->caller, r->caller.offset + DYING_CALLER_BACK);
}

static void judge(const struct report *r, const struct model_policy *m, bool active, struct report_policy *p)
{
	const struct account *a = r->total;
	const uint32_t vague = ACCOUNT_READ_PAGE | ACCOUNT_WRONG_OFFSET | ACCOUNT_PAGE_WRITE;

	p->outcome = "runs";
	p->why = NULL;
	if (m->mode == VSYSEMU_NONE && a->counts.vsyscalls) {
		p->outcome = "breaks";
		p->why = "vsyscall-none";
		p->where = r->first_call;
		return;
	}
	/* A stub's EFAULT is a signal where the call is emulated (semantics of 3.1 on). */
	if (m->mode != VSYSEMU_NATIVE && r->k->model->mode == VSYSEMU_NATIVE && r->k->model->kernel->native_stubs &&
	    stub_errors(a)) {
		p->outcome = "breaks";
		p->why = "vsyscall-fault";
		return;
	}
	if (active) {
		if (died_of_page(r) || a->flags & ACCOUNT_REFUSED) {
			p->outcome = "breaks";
			p->why = died_of_page(r) ? reason_of_death(r) : "vsyscall-fault";
			p->where = r->last_call;
		}
		return;
	}
	if (died_of_page(r) || a->flags & vague || a->flags & ACCOUNT_REFUSED) {
		p->outcome = "unknown";
		p->why = a->flags & (ACCOUNT_READ_PAGE | ACCOUNT_PAGE_WRITE) ? "it accessed the page or read its maps line" :
			 a->flags & ACCOUNT_WRONG_OFFSET			 ? "it jumped to a wrong offset" :
									   "it died before it could tell";
	}
}

static void add_policies(struct report *r)
{
	const struct model *m = r->k->model;
	uint64_t base_user, base_system, user, system, page, base_page = account_price_page(r->total, m, m->baseline);

	add_places(r);
	account_price(r->total, m, m->baseline, &base_user, &base_system);
	for (unsigned i = 0; i < m->policies; i++) {
		struct report_policy *p = &r->policy[r->policies++];
		const struct model_policy *mp = &m->policy[i];

		account_price(r->total, m, i, &user, &system);
		p->mode = vsysemu_mode_name(mp->mode);
		p->kernel = mp->kernel->name;
		p->active = i == m->active;
		p->baseline = mp->baseline;
		p->status = !p->active				   ? -1 :
			    r->k->outcome.kind == OUTCOME_SIGNAL ? 128 + r->k->outcome.status :
								   r->k->outcome.status;
		p->user_ns = clock_cycles16_to_ns(&r->k->clock, user);
		p->system_ns = clock_cycles16_to_ns(&r->k->clock, system);
		page = account_price_page(r->total, m, i);
		p->vsyscall_ns = clock_cycles16_to_ns(&r->k->clock, page);
		judge(r, mp, p->active, p);
		if (base_user + base_system)
			p->slowdown = (double)(user + system) / (double)(base_user + base_system);
		if (base_user)
			p->slowdown_user = (double)user / (double)base_user;
		if (base_user + base_system > base_page)
			p->slowdown_rest = (double)(user + system - page) / (double)(base_user + base_system - base_page);
	}
}

static void warn(struct report *r, const char *text)
{
	VEC_PUSH(&r->warning, xstrdup(text));
}

/* Prices without a source that this run used. */
static void warn_estimates(struct report *r)
{
	const char *seen[COST_LINES_MAX];
	struct buf b = { 0 };
	unsigned n = 0;

	for (unsigned ev = 0; ev < COST_EVENT_COUNT; ev++) {
		struct cost_profile p;

		if (!r->total->event[ev])
			continue;
		cost_profile(r->k->model, r->k->model->active, (enum cost_event)ev, &p);
		for (unsigned i = 0; i < p.n; i++) {
			bool old = !p.line[i].estimated || !p.line[i].cycles16;

			for (unsigned j = 0; j < n; j++)
				old |= !strcmp(seen[j], p.line[i].stage);
			if (!old && n < COST_LINES_MAX)
				seen[n++] = p.line[i].stage;
		}
	}
	for (unsigned j = 0; j < n; j++)
		buf_printf(&b, "%s%s", j ? ", " : "prices without a published source were used: ", seen[j]);
	if (n)
		warn(r, b.data);
	buf_free(&b);
}

static void add_warnings(struct report *r)
{
	const struct account *a = r->total;
	char text[200];

	if (a->flags & ACCOUNT_READ_CLOCK)
		warn(r, "the program read a clock: figures of other policies are projections from this run");
	for (unsigned nr = 0; nr < ACCOUNT_SYSCALLS; nr++)
		if (a->unknown_syscall[nr / 64] >> (nr % 64) & 1) {
			snprintf(text, sizeof(text), "system call %u is not known: answered ENOSYS", nr);
			warn(r, text);
		}
	for (unsigned i = 0; i < ACCOUNT_WARNINGS && a->warning[i][0]; i++)
		warn(r, a->warning[i]);
	if (sites_lost(run_sites(r->k))) {
		snprintf(text, sizeof(text), "%lu calls have no call site: more of them than are kept, or no readable stack",
			 (unsigned long)sites_lost(run_sites(r->k)));
		warn(r, text);
	}
	if (r->k->outcome.kind == OUTCOME_LIMIT)
		warn(r, r->k->timed_out ? "ended by --timeout" : "ended by --max-insns");
	warn_estimates(r);
}

void report_facts(struct report *r, struct kernel *k)
{
	memset(r, 0, sizeof(*r));
	r->k = k;
	r->total = run_total(k);
	r->images = images_new();
	add_maps(r);
	add_program(r);
	add_processes(r);
	if (k->outcome.reason && k->outcome.caller)
		find(r, k->outcome.caller - DYING_CALLER_BACK, &r->caller);
	report_find_death(r);
	r->user_ns = clock_cycles16_to_ns(&k->clock, r->total->user_cycles16);
	r->system_ns = clock_cycles16_to_ns(&k->clock, r->total->system_cycles16);
	r->elapsed_ns = k->clock.now_ns - k->clock.start_ns;
	add_sites(r);
	add_policies(r);
	add_warnings(r);
}

void report_facts_free(struct report *r)
{
	for (size_t i = 0; i < r->warning.n; i++)
		free(r->warning.at[i]);
	VEC_FREE(&r->warning);
	VEC_FREE(&r->process);
	for (size_t i = 0; i < r->site.n; i++)
		VEC_FREE(&r->site.at[i].stack);
	VEC_FREE(&r->site);
	VEC_FREE(&r->map);
	images_free(r->images);
	free(r->first_call);
	free(r->last_call);
}
