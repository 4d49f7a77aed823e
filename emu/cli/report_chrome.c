/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A run's calls as Chrome trace events (the JSON object form), for Perfetto and chrome://tracing. */
#include <stdio.h>

#include "cli/json.h"
#include "cli/report_forms.h"
#include "kernel/pids.h"
#include "kernel/syscall.h"
#include "run/loop.h"
#include "run/timeline.h"

static void name_process(const struct report *r, const struct report_process *p, struct json *events)
{
	struct json *o = json_add(events, json_new_object());
	const char *exe = r->k->proc.exe ? r->k->proc.exe : "?";
	char name[300];

	snprintf(name, sizeof(name), "%s%s", p->pid == PID_FIRST ? "" : "child of ", exe);
	json_put_string(o, "name", "process_name");
	json_put_string(o, "ph", "M");
	json_put_int(o, "pid", p->pid);
	json_put_int(o, "tid", p->pid);
	json_put_string(json_put(o, "args", json_new_object()), "name", name);
}

static void put_call(const struct report *r, const struct timeline_call *c, struct json *events)
{
	const char *name = c->nr == TIMELINE_UNKNOWN ? NULL : syscall_name(c->nr);
	struct json *o = json_add(events, json_new_object()), *args;
	struct image_place p = { 0 };
	char number[16];

	snprintf(number, sizeof(number), "%u", c->nr);
	json_put_string(o, "name", name ? name : number);
	json_put_string(o, "cat", call_path_name((enum call_path)c->path));
	json_put_string(o, "ph", "X");
	json_put_real(o, "ts", (double)c->start_ns / 1e3);
	json_put_real(o, "dur", (double)(c->end_ns - c->start_ns) / 1e3);
	json_put_int(o, "pid", c->pid);
	json_put_int(o, "tid", c->tid);
	args = json_put(o, "args", json_new_object());
	json_put_real(args, "cycles", c->cycles16 / 16.0);
	if (c->refused)
		json_put_bool(args, "refused", true);
	if (!c->caller)
		return;
	json_put_hex(args, "caller", c->caller);
	/* The maps are those of the first process. */
	if (c->pid == PID_FIRST)
		images_find(r->images, r->map.at, r->map.n, c->caller - 1, &p);
	if (p.symbol)
		json_put_string(args, "symbol", p.symbol);
}

void report_chrome(const struct report *r, struct buf *out)
{
	struct json *root = json_new_object(), *events = json_put(root, "traceEvents", json_new_array()), *o;
	struct timeline *t = run_timeline(r->k);
	const struct model *m = r->k->model;
	size_t dropped, n = timeline_sort(t, &dropped);
	char policy[80];

	for (size_t i = 0; i < r->process.n; i++)
		name_process(r, &r->process.at[i], events);
	for (size_t i = 0; i < n; i++)
		put_call(r, timeline_at(t, i), events);
	json_put_string(root, "displayTimeUnit", "ns");
	o = json_put(root, "otherData", json_new_object());
	snprintf(policy, sizeof(policy), "%s@%s", vsysemu_mode_name(m->mode), m->kernel->name);
	json_put_string(o, "policy", policy);
	json_put_string(o, "cpu", m->cpu->name);
	json_put_int(o, "calls", (int64_t)(n + dropped));
	json_put_int(o, "calls_left_off", (int64_t)dropped);
	json_text(root, 1, 17, out);
	buf_add(out, "\n", 1);
	json_drop(root);
}
