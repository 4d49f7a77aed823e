/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run as one HTML page without anything from elsewhere; readable in print and in the dark. */
#include <stdio.h>
#include <string.h>

#include "cli/escape.h"
#include "cli/html.h"
#include "cli/report_forms.h"
#include "kernel/klog.h"

static const char style[] =
	".bar{display:flex;height:1.4rem;border-radius:3px;overflow:hidden;margin:.1rem 0 .4rem}.bar i{min-width:1px;"
	"border-right:1px solid var(--bg)}svg.time{display:block;width:100%;height:7.5rem;border-bottom:1px solid var(--line)}"
	"ul.facts{list-style:none;padding:0;margin:.4rem 0}ol{margin:.2rem 0;padding-left:1.6rem}\n";

/* Stages have one colour each under all policies: that of their place in @names, where new ones go. */
struct legend {
	const char *name[COST_STAGE_COUNT];
	unsigned n;
};

static unsigned colour(struct legend *l, const char *stage)
{
	unsigned i = 0;

	while (i < l->n && strcmp(l->name[i], stage))
		i++;
	if (i == l->n && l->n < ARRAY_SIZE(l->name))
		l->name[l->n++] = stage;
	return i % HTML_COLOURS;
}

/* Whole cycles, as in the JSON. */
static unsigned whole(uint32_t cycles16)
{
	return (cycles16 + 8) / 16;
}

static void stage_bar(const struct model *m, unsigned policy, const struct cost_profile *p, uint32_t widest,
		      struct legend *l, struct buf *b)
{
	buf_printf(b, "<div>%s@%s <span class=\"dim\">%u cycles</span></div><div class=\"bar\" style=\"width:%.2f%%\">",
		   vsysemu_mode_name(m->policy[policy].mode), m->policy[policy].kernel->name, whole(p->total16),
		   100.0 * p->total16 / widest);
	for (unsigned j = 0; j < p->n; j++)
		if (p->line[j].cycles16)
			buf_printf(b, "<i class=\"c%u\" style=\"flex:%u\" title=\"%s: %u cycles%s\"></i>",
				   colour(l, p->line[j].stage), p->line[j].cycles16, p->line[j].stage,
				   whole(p->line[j].cycles16), p->line[j].estimated ? " (estimated)" : "");
	buf_printf(b, "</div>\n");
}

/* One call of kind @ev: its stages as a bar, under each policy that carries it out. */
static void event_stages(const struct model *m, enum cost_event ev, struct buf *b)
{
	struct legend l = { .n = 0 };
	uint32_t widest = 1;
	struct cost_profile p;

	buf_printf(b, "<h3>%s</h3>\n", cost_event_name(ev));
	for (unsigned i = 0; i < m->policies; i++) {
		cost_profile(m, i, ev, &p);
		widest = p.total16 > widest ? p.total16 : widest;
	}
	for (unsigned i = 0; i < m->policies; i++) {
		if (m->policy[i].mode == VSYSEMU_NONE)
			continue;
		cost_profile(m, i, ev, &p);
		stage_bar(m, i, &p, widest, &l, b);
	}
	buf_printf(b, "<p class=\"dim\">");
	for (unsigned i = 0; i < l.n; i++)
		buf_printf(b, "<span class=\"key\"><i class=\"c%u\"></i>%s</span> ", i % HTML_COLOURS, l.name[i]);
	buf_printf(b, "</p>\n");
}

static void stages(const struct report *r, struct buf *b)
{
	bool any = false;

	for (unsigned ev = COST_VSYSCALL_GETTIMEOFDAY; ev <= COST_VSYSCALL_GETCPU; ev++) {
		if (!r->total->event[ev])
			continue;
		if (!any)
			buf_printf(b, "<h2>Cost of a call by stage</h2>\n");
		any = true;
		event_stages(r->k->model, (enum cost_event)ev, b);
	}
}

void report_policies_html(const struct report_policy *p, unsigned n, struct buf *b)
{
	html_table(b, "<th>mode@kernel</th><th>outcome</th><th class=\"n\">user ns</th><th class=\"n\">system ns</th>"
		      "<th class=\"n\">slowdown</th><th class=\"n\">of user time</th>"
		      "<th class=\"n\">vsyscalls ns</th><th class=\"n\">slowdown of the rest</th>");
	for (unsigned i = 0; i < n; i++) {
		buf_printf(b, "<tr><td class=\"name\">%s%s@%s%s%s</td><td class=\"where\"><span class=\"%s\">%s</span> ",
			   p[i].active ? "<b>" : "", p[i].mode, p[i].kernel, p[i].active ? "</b>" : "",
			   p[i].baseline ? " <span class=\"dim\">baseline</span>" : "", p[i].outcome, p[i].outcome);
		escape_html(b, p[i].why);
		if (p[i].where) {
			buf_printf(b, ", at <code>");
			escape_html(b, p[i].where);
			buf_printf(b, "</code>");
		}
		buf_printf(b, "</td><td class=\"n\">%lu</td><td class=\"n\">%lu</td><td class=\"n\">",
			   (unsigned long)p[i].user_ns, (unsigned long)p[i].system_ns);
		html_real(b, p[i].slowdown);
		buf_printf(b, "</td><td class=\"n\">");
		html_real(b, p[i].slowdown_user);
		buf_printf(b, "</td><td class=\"n\">%lu</td><td class=\"n\">", (unsigned long)p[i].vsyscall_ns);
		html_real(b, p[i].slowdown_rest);
		buf_printf(b, "</td></tr>\n");
	}
	html_table_end(b);
}

void report_calls_html(const struct account *a, struct buf *b)
{
	bool any = false;

	for (unsigned c = 0; c < CALL_COUNT; c++)
		for (unsigned p = 0; p < PATH_COUNT; p++) {
			const struct account_call *call = &a->call[c][p];

			if (!call->count)
				continue;
			if (!any)
				html_table(b, "<th>time call</th><th>path</th><th class=\"n\">count</th><th class=\"n\">cycles</th>"
					      "<th class=\"n\">errors</th>");
			any = true;
			buf_printf(b, "<tr><td>%s</td><td>%s</td><td class=\"n\">%lu</td><td class=\"n\">%lu</td>"
				   "<td class=\"n\">%lu</td></tr>\n", time_call_name((enum time_call)c),
				   call_path_name((enum call_path)p), (unsigned long)call->count,
				   (unsigned long)(call->cycles16 / 16), (unsigned long)call->errors);
		}
	if (any)
		html_table_end(b);
	else
		buf_printf(b, "<p>The program made no time calls.</p>\n");
}

static void frame_html(const struct report_frame *f, struct buf *b)
{
	buf_printf(b, "<li><code>%#lx</code> ", (unsigned long)f->address);
	escape_html(b, f->place.symbol ? f->place.symbol : "?");
	if (f->place.file || f->place.object) {
		buf_printf(b, " <span class=\"dim\">");
		escape_html(b, f->place.file ? f->place.file : f->place.object);
		if (f->place.file)
			buf_printf(b, ":%d", f->place.line);
		buf_printf(b, "</span>");
	}
	buf_printf(b, "</li>");
}

static void site_stacks(const struct report_site *s, struct buf *b)
{
	for (size_t i = 0; i < s->stack.n; i++) {
		const struct report_stack *t = &s->stack.at[i];

		buf_printf(b, "<details><summary>%lu called from here:</summary><ol>", (unsigned long)t->count);
		for (unsigned k = 0; k < t->depth; k++)
			frame_html(&t->frame[k], b);
		buf_printf(b, "</ol></details>");
	}
}

static void sites(const struct report *r, struct buf *b)
{
	if (!r->site.n)
		return;
	buf_printf(b, "<h2>Call sites</h2>\n");
	html_table(b, "<th>return address</th><th>function</th><th>where, and by whom called</th><th>entry</th>"
		      "<th class=\"n\">count</th><th class=\"n\">cycles</th>");
	for (size_t i = 0; i < r->site.n; i++) {
		const struct report_site *s = &r->site.at[i];

		buf_printf(b, "<tr><td><code>%#lx</code></td><td>", (unsigned long)s->address);
		escape_html(b, s->symbol ? s->symbol : "?");
		buf_printf(b, "</td><td class=\"where\">");
		escape_html(b, s->file ? s->file : s->object);
		if (s->file)
			buf_printf(b, ":%d", s->line);
		site_stacks(s, b);
		buf_printf(b, "</td><td>%s</td><td class=\"n\">%lu</td><td class=\"n\">%lu</td></tr>\n", s->entry,
			   (unsigned long)s->count, (unsigned long)s->cycles);
	}
	html_table_end(b);
}

/* How one process ended. */
static void end(const char *kind, const char *signal, const char *reason, gaddr rip, int status, struct buf *b)
{
	if (signal)
		buf_printf(b, "<b class=\"breaks\">killed by %s at <code>%#lx</code>%s%s</b>", signal, (unsigned long)rip,
			   reason ? ": " : "", reason ? reason : "");
	else if (!strcmp(kind, "limit"))
		buf_printf(b, "<b class=\"warn\">stopped by a limit</b>");
	else
		buf_printf(b, "exit status %d", status);
}

static void processes(const struct report *r, struct buf *b)
{
	for (size_t i = 1; i < r->process.n; i++) {
		const struct report_process *p = &r->process.at[i];

		if (!p->status && !p->signal && strcmp(p->kind, "limit"))
			continue;
		buf_printf(b, "<li>process %d: ", p->pid);
		end(p->kind, p->signal, p->reason, p->account->outcome.rip, p->status, b);
		buf_printf(b, "</li>\n");
	}
}

static void facts(const struct report *r, struct buf *b)
{
	const struct outcome *o = &r->k->outcome;
	const struct account_counts *c = &r->total->counts;
	const struct model *m = r->k->model;
	bool signal = o->kind == OUTCOME_SIGNAL;
	char name[32];

	buf_printf(b, "<ul class=\"facts\"><li>vsyscall=%s on Linux %s (%s, trap %s), cpu %s, clock source %s</li>\n<li>",
		   vsysemu_mode_name(m->mode), m->kernel->name, kernel_model_era(m->kernel), trap_gen_name(m->trap),
		   m->cpu->name, clocksource_name(m->clocksource));
	end(o->kind == OUTCOME_LIMIT ? "limit" : "exit", signal ? report_signal_name(o->status, name) : NULL, o->reason,
	    o->rip, o->status, b);
	buf_printf(b, "</li>\n");
	processes(r, b);
	buf_printf(b, "<li>instructions %lu, syscalls %lu, vsyscalls %lu, vDSO calls %lu, signals %lu, page faults %lu, "
		   "processes %lu, threads %lu</li>\n", (unsigned long)c->instructions, (unsigned long)c->syscalls,
		   (unsigned long)c->vsyscalls, (unsigned long)c->vdso, (unsigned long)c->signals,
		   (unsigned long)c->page_faults, (unsigned long)c->processes, (unsigned long)c->threads);
	buf_printf(b, "<li>virtual time: user %lu ns, system %lu ns, elapsed %lu ns</li></ul>\n", (unsigned long)r->user_ns,
		   (unsigned long)r->system_ns, (unsigned long)r->elapsed_ns);
	if (signal)
		report_death_html(r, b);
}

static void log_lines(const struct report *r, struct buf *b)
{
	size_t n = klog_count(r->k);

	if (!n)
		return;
	buf_printf(b, "<h2>Kernel log</h2>\n<pre>");
	for (size_t i = 0; i < n; i++) {
		escape_html(b, klog_line(r->k, i));
		buf_printf(b, "\n");
	}
	buf_printf(b, "</pre>\n");
}

void report_html(const struct report *r, struct buf *b)
{
	html_begin(b, r->k->proc.exe ? r->k->proc.exe : "?", style);
	facts(r, b);
	buf_printf(b, "<h2>Policies</h2>\n");
	report_policies_html(r->policy, r->policies, b);
	buf_printf(b, "<h2>Time calls</h2>\n");
	report_calls_html(r->total, b);
	stages(r, b);
	report_time_html(r, b);
	sites(r, b);
	log_lines(r, b);
	for (size_t i = 0; i < r->warning.n; i++) {
		buf_printf(b, "<p class=\"dim\">");
		escape_html(b, r->warning.at[i]);
		buf_printf(b, "</p>\n");
	}
	html_end(b);
}
