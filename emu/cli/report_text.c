/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run as text and as CSV. */
#include <stdio.h>
#include <string.h>

#include "cli/escape.h"
#include "cli/report_forms.h"
#include "run/loop.h"

#define STACKS_SHOWN 3u

static void outcome(const struct report *r, struct buf *b)
{
	const struct outcome *o = &r->k->outcome;
	char name[32];

	buf_printf(b, "outcome       ");
	if (o->kind == OUTCOME_LIMIT) {
		buf_printf(b, "stopped by a limit at %#lx\n", (unsigned long)o->rip);
		return;
	}
	if (o->kind != OUTCOME_SIGNAL) {
		buf_printf(b, "exit status %d\n", o->status);
		return;
	}
	buf_printf(b, "killed by %s (exit status %d) at rip %#lx, si_code %d, si_addr %#lx\n",
		   report_signal_name(o->status, name), 128 + o->status, (unsigned long)o->rip, o->si_code,
		   (unsigned long)o->fault_addr);
	if (o->reason) {
		buf_printf(b, "reason        %s", o->reason);
		if (o->caller) {
			buf_printf(b, ", called from %#lx", (unsigned long)o->caller);
			if (r->caller.symbol)
				buf_printf(b, " %s+%#lx", r->caller.symbol, (unsigned long)(r->caller.offset + 1));
			if (r->caller.object)
				buf_printf(b, " (%s)", r->caller.object);
		}
		buf_printf(b, "\n");
	}
	report_death_text(r, b);
}

/* Those that ended in another way than with status 0; the first has lines of its own. */
static void processes(const struct report *r, struct buf *b)
{
	for (size_t i = 1; i < r->process.n; i++) {
		const struct report_process *p = &r->process.at[i];

		if (!p->status && !strcmp(p->kind, "exit"))
			continue;
		buf_printf(b, "process       %d: ", p->pid);
		if (p->signal) {
			buf_printf(b, "killed by %s at rip %#lx%s%s\n", p->signal, (unsigned long)p->account->outcome.rip,
				   p->reason ? ", " : "", p->reason ? p->reason : "");
			if (report_meaning(p->reason))
				buf_printf(b, "                %s\n", report_meaning(p->reason));
			if (report_advice(p->reason))
				buf_printf(b, "                %s\n", report_advice(p->reason));
		}
		else if (!strcmp(p->kind, "exit"))
			buf_printf(b, "exit status %d\n", p->status);
		else
			buf_printf(b, "%s\n", p->kind[0] == 'l' ? "stopped by a limit" : "did not end by itself");
	}
}

void report_policies_text(const struct report_policy *p, unsigned n, struct buf *b)
{
	buf_printf(b, "policies      %-18s %-8s %12s %12s %12s %9s %9s %9s\n", "mode@kernel", "outcome", "user ns",
		   "system ns", "vsyscalls ns", "slowdown", "user", "the rest");
	for (unsigned i = 0; i < n; i++) {
		char name[64];

		snprintf(name, sizeof(name), "%s@%s", p[i].mode, p[i].kernel);
		buf_printf(b, "            %c %-18s %-8s %12lu %12lu %12lu %9.3f %9.3f %9.3f%s%s%s%s%s\n", p[i].active ? '*' : ' ',
			   name, p[i].outcome, (unsigned long)p[i].user_ns, (unsigned long)p[i].system_ns,
			   (unsigned long)p[i].vsyscall_ns, p[i].slowdown, p[i].slowdown_user, p[i].slowdown_rest,
			   p[i].baseline ? "  baseline" : "", p[i].why ? "  " : "", p[i].why ? p[i].why : "",
			   p[i].where ? ", at " : "", p[i].where ? p[i].where : "");
	}
}

static void calls(const struct report *r, struct buf *b)
{
	bool any = false;

	for (unsigned c = 0; c < CALL_COUNT; c++)
		for (unsigned p = 0; p < PATH_COUNT; p++) {
			const struct account_call *call = &r->total->call[c][p];

			if (!call->count)
				continue;
			if (!any)
				buf_printf(b, "time calls    %-14s %-9s %10s %12s %11s %7s\n", "name", "path", "count", "cycles",
					   "cycles/call", "errors");
			any = true;
			buf_printf(b, "              %-14s %-9s %10lu %12lu %11.1f %7lu\n", time_call_name((enum time_call)c),
				   call_path_name((enum call_path)p), (unsigned long)call->count,
				   (unsigned long)(call->cycles16 / 16), (double)call->cycles16 / 16 / (double)call->count,
				   (unsigned long)call->errors);
		}
	if (!any)
		buf_printf(b, "time calls    none\n");
}

/* Who called the site, most calls first. */
static void site_stacks(const struct report_site *s, struct buf *b)
{
	for (size_t i = 0; i < s->stack.n && i < STACKS_SHOWN; i++) {
		const struct report_stack *t = &s->stack.at[i];

		if (t->depth < 2)
			continue;
		buf_printf(b, "                by%30s %10lu %12lu  < ", "", (unsigned long)t->count, (unsigned long)(t->cycles16 / 16));
		report_stack_text(t->frame + 1, t->depth - 1, b);
		buf_printf(b, "\n");
	}
	if (s->stack.n > STACKS_SHOWN)
		buf_printf(b, "                and %lu more ways\n", (unsigned long)(s->stack.n - STACKS_SHOWN));
}

static void sites(const struct report *r, struct buf *b)
{
	if (r->site.n)
		buf_printf(b, "call sites    %-18s %-13s %10s %12s  where\n", "return address", "entry", "count", "cycles");
	for (size_t i = 0; i < r->site.n && i < 20; i++) {
		const struct report_site *s = &r->site.at[i];

		buf_printf(b, "              %#-18lx %-13s %10lu %12lu  %s", (unsigned long)s->address, s->entry,
			   (unsigned long)s->count, (unsigned long)s->cycles, s->symbol ? s->symbol : "?");
		if (s->file)
			buf_printf(b, " (%s:%d)", s->file, s->line);
		else if (s->object)
			buf_printf(b, " (%s)", s->object);
		buf_printf(b, "\n");
		site_stacks(s, b);
	}
	if (r->site.n > 20)
		buf_printf(b, "              and %lu more\n", (unsigned long)(r->site.n - 20));
}

void report_text(const struct report *r, struct buf *b)
{
	const struct account_counts *c = &r->total->counts;
	const struct model *m = r->k->model;

	buf_printf(b, "\nvsysemu       %s (%s%s%s)\n", r->k->proc.exe ? r->k->proc.exe : "?", r->kind,
		   r->libc ? ", " : "", r->libc ? r->libc : "");
	buf_printf(b, "model         vsyscall=%s on Linux %s (%s, trap %s), cpu %s, clocksource %s\n",
		   vsysemu_mode_name(m->mode), m->kernel->name, kernel_model_era(m->kernel), trap_gen_name(m->trap),
		   m->cpu->name, clocksource_name(m->clocksource));
	outcome(r, b);
	processes(r, b);
	buf_printf(b, "counts        %lu instructions, %lu syscalls, %lu vsyscalls, %lu vdso calls, %lu signals, "
		   "%lu page faults, %lu process%s\n", (unsigned long)c->instructions, (unsigned long)c->syscalls,
		   (unsigned long)c->vsyscalls, (unsigned long)c->vdso, (unsigned long)c->signals,
		   (unsigned long)c->page_faults, (unsigned long)c->processes, c->processes == 1 ? "" : "es");
	buf_printf(b, "virtual time  user %.6f s, system %.6f s, elapsed %.6f s\n", (double)r->user_ns / 1e9,
		   (double)r->system_ns / 1e9, (double)r->elapsed_ns / 1e9);
	calls(r, b);
	sites(r, b);
	report_policies_text(r->policy, r->policies, b);
	for (size_t i = 0; i < r->warning.n; i++)
		buf_printf(b, "warning       %s\n", r->warning.at[i]);
}

void report_policies_csv(const struct report_policy *p, unsigned n, struct buf *out)
{
	buf_printf(out, "mode,kernel,outcome,why,user_ns,system_ns,slowdown,slowdown_user,vsyscall_ns,slowdown_rest,where\r\n");
	for (unsigned i = 0; i < n; i++) {
		buf_printf(out, "%s,%s,%s,", p[i].mode, p[i].kernel, p[i].outcome);
		escape_csv(out, p[i].why);
		buf_printf(out, ",%lu,%lu,%.6f,%.6f,%lu,%.6f,", (unsigned long)p[i].user_ns, (unsigned long)p[i].system_ns,
			   p[i].slowdown, p[i].slowdown_user, (unsigned long)p[i].vsyscall_ns, p[i].slowdown_rest);
		escape_csv(out, p[i].where);
		buf_printf(out, "\r\n");
	}
}

void report_csv(const struct report *r, struct buf *out)
{
	report_policies_csv(r->policy, r->policies, out);
}
