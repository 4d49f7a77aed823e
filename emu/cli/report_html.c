/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run as one HTML page without anything from elsewhere; readable in print and in the dark. */
#include <stdio.h>
#include <string.h>

#include "cli/escape.h"
#include "cli/report_forms.h"
#include "kernel/klog.h"

static const char style[] =
	":root{color-scheme:light dark;--fg:#1b1f24;--bg:#fff;--line:#d0d7de;--dim:#57606a}"
	"@media(prefers-color-scheme:dark){:root{--fg:#e6edf3;--bg:#0d1117;--line:#30363d;--dim:#8b949e}}"
	"@media print{:root{--fg:#000;--bg:#fff}}"
	"body{font:15px/1.5 system-ui,sans-serif;color:var(--fg);background:var(--bg);max-width:64rem;margin:2rem auto;padding:0 1rem}"
	"table{border-collapse:collapse;width:100%;margin:.5rem 0 1.5rem}th,td{border-bottom:1px solid var(--line);padding:.25rem .6rem;text-align:left}"
	"td.n,th.n{text-align:right;font-variant-numeric:tabular-nums}code{font:13px ui-monospace,monospace}.dim{color:var(--dim)}"
	".bar{display:flex;height:1.4rem;border-radius:3px;overflow:hidden;margin:.2rem 0}.bar span{min-width:1px}.bar,.key{-webkit-print-color-adjust:exact;print-color-adjust:exact}"
	"svg.time{width:100%;height:7.5rem;border-bottom:1px solid var(--line)}svg .p0{fill:#0969da}svg .p1{fill:#1a7f37}"
	"svg .p2{fill:#bc4c00}.key{display:inline-block;width:.8em;height:.8em;margin:0 .3em 0 .6em}.k0{background:#0969da}"
	".k1{background:#1a7f37}.k2{background:#bc4c00}"
	".breaks{color:#cf222e;font-weight:600}.runs{color:#1a7f37}.unknown{color:#9a6700}";

static const char *const colours[] = { "#0969da", "#bf3989", "#1a7f37", "#bc4c00", "#8250df", "#b59f00", "#0c9a9a",
				       "#e16f24", "#54aeff", "#cf222e", "#8c959f", "#633c01", "#6fdd8b", "#ff80c8",
				       "#5b6b2f", "#3a2a78" };

/* Stages have one colour each under all policies: that of their place in @names, where new ones go. */
struct legend {
	const char *name[COST_STAGE_COUNT];
	unsigned n;
};

static const char *colour(struct legend *l, const char *stage)
{
	unsigned i = 0;

	while (i < l->n && strcmp(l->name[i], stage))
		i++;
	if (i == l->n && l->n < ARRAY_SIZE(l->name))
		l->name[l->n++] = stage;
	return colours[i % ARRAY_SIZE(colours)];
}

static void stage_bar(const struct model *m, unsigned policy, const struct cost_profile *p, uint32_t widest,
		      struct legend *l, struct buf *b)
{
	buf_printf(b, "<div>%s@%s <span class=dim>%.1f cycles</span></div><div class=bar style=\"width:%.2f%%\">",
		   vsysemu_mode_name(m->policy[policy].mode), m->policy[policy].kernel->name, p->total16 / 16.0,
		   100.0 * p->total16 / widest);
	for (unsigned j = 0; j < p->n; j++)
		if (p->line[j].cycles16)
			buf_printf(b, "<span style=\"flex:%u;background:%s\" title=\"%s: %.1f cycles%s\"></span>",
				   p->line[j].cycles16, colour(l, p->line[j].stage), p->line[j].stage,
				   p->line[j].cycles16 / 16.0, p->line[j].estimated ? " (estimated)" : "");
	buf_printf(b, "</div>");
}

/* One call of each kind that happened: its stages as a bar, under each policy. */
static void stages(const struct report *r, struct buf *b)
{
	const struct model *m = r->k->model;

	for (unsigned ev = COST_VSYSCALL_GETTIMEOFDAY; ev <= COST_VSYSCALL_GETCPU; ev++) {
		struct legend l = { .n = 0 };
		uint32_t widest = 1;
		struct cost_profile p;

		if (!r->total->event[ev])
			continue;
		buf_printf(b, "<h3>%s</h3>", cost_event_name((enum cost_event)ev));
		for (unsigned i = 0; i < m->policies; i++) {
			cost_profile(m, i, (enum cost_event)ev, &p);
			widest = p.total16 > widest ? p.total16 : widest;
		}
		for (unsigned i = 0; i < m->policies; i++) {
			if (m->policy[i].mode == VSYSEMU_NONE)
				continue; /* it is not carried out there */
			cost_profile(m, i, (enum cost_event)ev, &p);
			stage_bar(m, i, &p, widest, &l, b);
		}
		buf_printf(b, "<p class=dim>");
		for (unsigned i = 0; i < l.n; i++)
			buf_printf(b, "<span class=key style=\"background:%s\"></span>%s ",
				   colours[i % ARRAY_SIZE(colours)], l.name[i]);
	}
}

void report_policies_html(const struct report_policy *p, unsigned n, struct buf *b)
{
	buf_printf(b, "<table><tr><th>mode@kernel<th>outcome<th class=n>user ns<th class=n>system ns"
		      "<th class=n>slowdown<th class=n>user</tr>");
	for (unsigned i = 0; i < n; i++) {
		buf_printf(b, "<tr><td>%s%s@%s%s<td><span class=%s>%s</span> ", p[i].active ? "<b>" : "", p[i].mode,
			   p[i].kernel, p[i].active ? "</b>" : "", p[i].outcome, p[i].outcome);
		escape_html(b, p[i].why);
		buf_printf(b, "<td class=n>%lu<td class=n>%lu<td class=n>%.3f<td class=n>%.3f</tr>",
			   (unsigned long)p[i].user_ns, (unsigned long)p[i].system_ns, p[i].slowdown, p[i].slowdown_user);
	}
	buf_printf(b, "</table>");
}

void report_html_head(const char *title, struct buf *b)
{
	buf_printf(b, "<!DOCTYPE html><html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\">"
		      "<title>vsysemu report</title><style>%s</style><h1>", style);
	escape_html(b, title);
	buf_printf(b, "</h1>");
}

static void frame_html(const struct report_frame *f, struct buf *b)
{
	buf_printf(b, "<li><code>%#lx</code> ", (unsigned long)f->address);
	escape_html(b, f->place.symbol ? f->place.symbol : "?");
	if (f->place.file || f->place.object) {
		buf_printf(b, " <span class=dim>");
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

		buf_printf(b, "<details><summary>%lu called through %u callers</summary><ol>", (unsigned long)t->count,
			   t->depth);
		for (unsigned k = 0; k < t->depth; k++)
			frame_html(&t->frame[k], b);
		buf_printf(b, "</ol></details>");
	}
}

static void sites(const struct report *r, struct buf *b)
{
	if (!r->site.n)
		return;
	buf_printf(b, "<h2>Call sites</h2><div class=wide><table><thead><tr><th scope=col>return address<th scope=col>function"
		      "<th scope=col>where, and by whom called<th scope=col>entry<th scope=col class=n>count"
		      "<th scope=col class=n>cycles</thead><tbody>");
	for (size_t i = 0; i < r->site.n; i++) {
		const struct report_site *s = &r->site.at[i];

		buf_printf(b, "<tr><td><code>%#lx</code><td>", (unsigned long)s->address);
		escape_html(b, s->symbol ? s->symbol : "?");
		buf_printf(b, "<td class=where>");
		escape_html(b, s->file ? s->file : s->object);
		if (s->file)
			buf_printf(b, ":%d", s->line);
		site_stacks(s, b);
		buf_printf(b, "<td>%s<td class=n>%lu<td class=n>%lu</tr>", s->entry, (unsigned long)s->count,
			   (unsigned long)s->cycles);
	}
	buf_printf(b, "</tbody></table></div>");
}

static void processes(const struct report *r, struct buf *b)
{
	for (size_t i = 1; i < r->process.n; i++) {
		const struct report_process *p = &r->process.at[i];

		if (p->signal)
			buf_printf(b, "<p class=breaks>process %d: killed by %s at <code>%#lx</code> %s", p->pid, p->signal,
				   (unsigned long)p->account->outcome.rip, p->reason ? p->reason : "");
		else if (p->status)
			buf_printf(b, "<p>process %d: exit status %d", p->pid, p->status);
	}
}

void report_html(const struct report *r, struct buf *b)
{
	const struct outcome *o = &r->k->outcome;
	const struct model *m = r->k->model;
	char name[32];

	report_html_head(r->k->proc.exe, b);
	buf_printf(b, "<p>vsyscall=%s on Linux %s (%s), cpu %s, clock source %s", vsysemu_mode_name(m->mode),
		   m->kernel->name, kernel_model_era(m->kernel), m->cpu->name, clocksource_name(m->clocksource));
	if (o->kind == OUTCOME_SIGNAL)
		buf_printf(b, "<p class=breaks>killed by %s at <code>%#lx</code> %s", report_signal_name(o->status, name),
			   (unsigned long)o->rip, o->reason ? o->reason : "");
	else
		buf_printf(b, "<p>exit status %d", o->status);
	processes(r, b);
	buf_printf(b, "<p>%lu instructions, %lu syscalls, %lu vsyscalls, %lu vDSO calls",
		   (unsigned long)r->total->counts.instructions, (unsigned long)r->total->counts.syscalls,
		   (unsigned long)r->total->counts.vsyscalls, (unsigned long)r->total->counts.vdso);
	buf_printf(b, "<h2>Policies</h2>");
	report_policies_html(r->policy, r->policies, b);
	buf_printf(b, "<h2>Cost of a call by stage</h2>");
	stages(r, b);
	report_time_html(r, b);
	sites(r, b);
	if (klog_count(r->k))
		buf_printf(b, "<h2>Kernel log</h2><pre>");
	for (size_t i = 0; i < klog_count(r->k); i++) {
		escape_html(b, klog_line(r->k, i));
		buf_printf(b, "\n");
	}
	if (klog_count(r->k))
		buf_printf(b, "</pre>");
	for (size_t i = 0; i < r->warning.n; i++) {
		buf_printf(b, "<p class=dim>");
		escape_html(b, r->warning.at[i]);
	}
	buf_printf(b, "</html>\n");
}
