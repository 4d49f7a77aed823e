/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run as JSON, schema vsysemu.report/1. */
#include <stdio.h>
#include <string.h>

#include "cli/json.h"
#include "cli/report_facts.h"
#include "cli/report_forms.h"
#include "kernel/klog.h"

static void put_hex(struct json *o, const char *key, gaddr a)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%lx", (unsigned long)a);
	json_put_string(o, key, text);
}

static void program(const struct report *r, struct json *root)
{
	struct json *o = json_put(root, "program", json_new_object()), *argv;

	json_put_string(o, "path", r->k->proc.exe);
	argv = json_put(o, "argv", json_new_array());
	for (char *const *p = r->argv; p && *p; p++)
		json_add_string(argv, *p);
	json_put_string(o, "kind", r->kind);
	json_put_string(o, "libc", r->libc);
}

static void model(const struct report *r, struct json *root)
{
	struct json *o = json_put(root, "model", json_new_object());
	const struct model *m = r->k->model;

	json_put_string(o, "mode", vsysemu_mode_name(m->mode));
	json_put_string(o, "kernel", m->kernel->name);
	json_put_string(o, "era", kernel_model_era(m->kernel));
	json_put_string(o, "trap", trap_gen_name(m->trap));
	json_put_string(o, "cpu", m->cpu->name);
	json_put_string(o, "clocksource", clocksource_name(m->clocksource));
	json_put_int(o, "core_hz", (int64_t)m->cpu->core_hz);
	json_put_int(o, "tsc_hz", (int64_t)m->cpu->tsc_hz);
	json_put_bool(o, "mitigations", m->mitigations);
	json_put_bool(o, "audit", m->audit);
	json_put_string(o, "accounting", m->accounting_precise ? "precise" : "tick");
	json_put_int(o, "seed", (int64_t)r->k->opt->seed);
	json_put_int(o, "epoch_ns", r->k->opt->epoch_ns);
}

static void outcome(const struct report *r, struct json *root)
{
	struct json *o = json_put(root, "outcome", json_new_object()), *log;
	const struct outcome *out = &r->k->outcome;
	char name[32];
	bool signal = out->kind == OUTCOME_SIGNAL;

	json_put_string(o, "kind", signal ? "signal" : out->kind == OUTCOME_LIMIT ? "limit" : "exit");
	json_put_int(o, "status", signal ? 128 + out->status : out->status);
	json_put_string(o, "signal", signal ? report_signal_name(out->status, name) : NULL);
	json_put_string(o, "reason", signal ? out->reason : NULL);
	if (signal || out->kind == OUTCOME_LIMIT)
		put_hex(o, "rip", out->rip);
	else
		json_put_null(o, "rip");
	if (signal) {
		json_put_int(o, "si_code", out->si_code);
		put_hex(o, "si_addr", out->fault_addr);
	} else {
		json_put_null(o, "si_code");
		json_put_null(o, "si_addr");
	}
	if (signal && out->reason && out->caller) {
		struct json *c = json_put(o, "caller", json_new_object());

		put_hex(c, "address", out->caller);
		json_put_string(c, "symbol", r->caller.symbol);
		json_put_string(c, "object", r->caller.object);
		json_put_string(c, "file", r->caller.file);
		json_put_int(c, "line", r->caller.line);
	} else {
		json_put_null(o, "caller");
	}
	report_put_frames(r->death, r->deaths, json_put(o, "stack", json_new_array()));
	json_put_string(o, "meaning", signal ? report_meaning(out->reason) : NULL);
	json_put_string(o, "advice", signal ? report_advice(out->reason) : NULL);
	log = json_put(o, "log", json_new_array());
	for (size_t i = 0; i < klog_count(r->k); i++)
		json_add_string(log, klog_line(r->k, i));
}

static void put_counts(struct json *o, const struct account_counts *c)
{
	json_put_int(o, "instructions", (int64_t)c->instructions);
	json_put_int(o, "syscalls", (int64_t)c->syscalls);
	json_put_int(o, "vsyscalls", (int64_t)c->vsyscalls);
	json_put_int(o, "vdso", (int64_t)c->vdso);
	json_put_int(o, "signals", (int64_t)c->signals);
	json_put_int(o, "page_faults", (int64_t)c->page_faults);
	json_put_int(o, "processes", (int64_t)c->processes);
	json_put_int(o, "threads", (int64_t)c->threads);
}

void report_put_calls(const struct account *a, struct json *root)
{
	struct json *calls = json_put(root, "calls", json_new_array());

	for (unsigned c = 0; c < CALL_COUNT; c++)
		for (unsigned p = 0; p < PATH_COUNT; p++) {
			const struct account_call *call = &a->call[c][p];
			struct json *o;

			if (!call->count)
				continue;
			o = json_add(calls, json_new_object());
			json_put_string(o, "name", time_call_name((enum time_call)c));
			json_put_string(o, "path", call_path_name((enum call_path)p));
			json_put_int(o, "count", (int64_t)call->count);
			json_put_int(o, "cycles", (int64_t)(call->cycles16 / 16));
			json_put_int(o, "errors", (int64_t)call->errors);
		}
}

static void times(const struct report *r, struct json *root)
{
	struct json *o = json_put(root, "time", json_new_object());

	json_put_int(o, "user_ns", (int64_t)r->user_ns);
	json_put_int(o, "system_ns", (int64_t)r->system_ns);
	json_put_int(o, "elapsed_ns", (int64_t)r->elapsed_ns);
	json_put_int(o, "user_cycles", (int64_t)(r->total->user_cycles16 / 16));
	json_put_int(o, "system_cycles", (int64_t)(r->total->system_cycles16 / 16));
	json_put_int(o, "branch_miss_cycles", (int64_t)(r->total->branch_cycles16 / 16));
}

void report_put_policies(const struct report_policy *p, unsigned n, struct json *root)
{
	struct json *list = json_put(root, "policies", json_new_array());

	for (unsigned i = 0; i < n; i++) {
		struct json *o = json_add(list, json_new_object());

		json_put_string(o, "mode", p[i].mode);
		json_put_string(o, "kernel", p[i].kernel);
		json_put_string(o, "outcome", p[i].outcome);
		json_put_string(o, "why", p[i].why);
		if (p[i].status < 0)
			json_put_null(o, "status");
		else
			json_put_int(o, "status", p[i].status);
		json_put_string(o, "where", p[i].where);
		json_put_int(o, "user_ns", (int64_t)p[i].user_ns);
		json_put_int(o, "system_ns", (int64_t)p[i].system_ns);
		json_put_real(o, "slowdown", p[i].slowdown);
		json_put_real(o, "slowdown_user", p[i].slowdown_user);
		json_put_int(o, "vsyscall_ns", (int64_t)p[i].vsyscall_ns);
		json_put_real(o, "slowdown_rest", p[i].slowdown_rest);
	}
}

static void site_stacks(const struct report_site *s, struct json *list)
{
	for (size_t i = 0; i < s->stack.n; i++) {
		const struct report_stack *t = &s->stack.at[i];
		struct json *o = json_add(list, json_new_object());

		json_put_int(o, "count", (int64_t)t->count);
		json_put_int(o, "cycles", (int64_t)(t->cycles16 / 16));
		report_put_frames(t->frame, t->depth, json_put(o, "frames", json_new_array()));
	}
}

static void sites(const struct report *r, struct json *root)
{
	struct json *list = json_put(root, "call_sites", json_new_array());

	for (size_t i = 0; i < r->site.n; i++) {
		const struct report_site *s = &r->site.at[i];
		struct json *o = json_add(list, json_new_object());

		put_hex(o, "address", s->address);
		json_put_string(o, "symbol", s->symbol);
		json_put_string(o, "object", s->object);
		json_put_string(o, "file", s->file);
		json_put_int(o, "line", s->line);
		json_put_string(o, "entry", s->entry);
		json_put_int(o, "count", (int64_t)s->count);
		json_put_int(o, "cycles", (int64_t)s->cycles);
		site_stacks(s, json_put(o, "stacks", json_new_array()));
	}
}

static void processes(const struct report *r, struct json *root)
{
	struct json *list = json_put(root, "processes", json_new_array());

	for (size_t i = 0; i < r->process.n; i++) {
		const struct report_process *p = &r->process.at[i];
		struct json *o = json_add(list, json_new_object()), *end;

		json_put_int(o, "pid", p->pid);
		end = json_put(o, "outcome", json_new_object());
		json_put_string(end, "kind", p->kind);
		json_put_int(end, "status", p->status);
		json_put_string(end, "signal", p->signal);
		json_put_string(end, "reason", p->reason);
		if (p->signal)
			put_hex(end, "rip", p->account->outcome.rip);
		else
			json_put_null(end, "rip");
		put_counts(json_put(o, "counts", json_new_object()), &p->account->counts);
		report_put_calls(p->account, o);
		json_put_int(o, "user_cycles", (int64_t)(p->account->user_cycles16 / 16));
		json_put_int(o, "system_cycles", (int64_t)(p->account->system_cycles16 / 16));
	}
}

void report_json(const struct report *r, struct buf *out)
{
	struct json *root = json_new_object(), *w;

	json_put_string(root, "schema", "vsysemu.report/1");
	program(r, root);
	model(r, root);
	outcome(r, root);
	put_counts(json_put(root, "counts", json_new_object()), &r->total->counts);
	report_put_calls(r->total, root);
	times(r, root);
	report_put_policies(r->policy, r->policies, root);
	sites(r, root);
	processes(r, root);
	report_put_time(r, root);
	report_put_stages(r, root);
	report_put_charges(r, root);
	w = json_put(root, "warnings", json_new_array());
	for (size_t i = 0; i < r->warning.n; i++)
		json_add_string(w, r->warning.at[i]);
	json_text(root, 2, 6, out);
	buf_add(out, "\n", 1);
	json_drop(root);
}
