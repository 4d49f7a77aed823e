/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Time calls over virtual time, for JSON and as a drawing; what one call costs by stage, for JSON. */
#include "cli/report_forms.h"

#define DRAW_WIDTH 960u
#define DRAW_HEIGHT 120u

/* Buckets up to the last one with a call. */
static unsigned used(const struct account_history *h)
{
	unsigned n = 0;

	for (unsigned p = 0; p < PATH_COUNT; p++)
		for (unsigned i = n; i < ACCOUNT_BUCKETS; i++)
			if (h->count[p][i])
				n = i + 1;
	return n;
}

/* Calls in the fullest bucket; 0: none. */
static uint64_t highest(const struct account_history *h)
{
	uint64_t most = 0;

	for (unsigned i = 0; i < ACCOUNT_BUCKETS; i++) {
		uint64_t sum = 0;

		for (unsigned p = 0; p < PATH_COUNT; p++)
			sum += h->count[p][i];
		most = sum > most ? sum : most;
	}
	return most;
}

void report_put_time(const struct report *r, struct json *root)
{
	const struct account_history *h = &r->total->history;
	struct json *o = json_put(root, "calls_over_time", json_new_object()), *list;
	unsigned n = used(h);

	json_put_int(o, "bucket_ns", 1l << h->shift);
	json_put_int(o, "highest", (int64_t)highest(h));
	list = json_put(o, "from_ns", json_new_array());
	for (unsigned i = 0; i < n; i++)
		json_add_int(list, (int64_t)((uint64_t)i << h->shift));
	for (unsigned p = 0; p < PATH_COUNT; p++) {
		list = json_put(o, call_path_name((enum call_path)p), json_new_array());
		for (unsigned i = 0; i < n; i++)
			json_add_int(list, (int64_t)h->count[p][i]);
	}
}

static void bar(unsigned p, double x, double width, double top, uint64_t count, uint64_t most, struct buf *b)
{
	double height = (double)count / (double)most * DRAW_HEIGHT;

	buf_printf(b, "<rect class=\"f%u\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>", p, x, top - height, width, height);
}

void report_time_html(const struct report *r, struct buf *b)
{
	const struct account_history *h = &r->total->history;
	unsigned n = used(h);
	uint64_t most = highest(h);

	if (!most)
		return;
	buf_printf(b, "<h2>Time calls over virtual time</h2>\n<svg class=\"time\" viewBox=\"0 0 %u %u\" role=\"img\""
		      " aria-label=\"time calls over virtual time\" preserveAspectRatio=\"none\">", DRAW_WIDTH, DRAW_HEIGHT);
	for (unsigned i = 0; i < n; i++) {
		double width = (double)DRAW_WIDTH / n, top = DRAW_HEIGHT;

		buf_printf(b, "<g><title>from %lu ns:", (unsigned long)i << h->shift);
		for (unsigned p = 0; p < PATH_COUNT; p++)
			buf_printf(b, " %lu by %s", (unsigned long)h->count[p][i], call_path_name((enum call_path)p));
		buf_printf(b, "</title>");
		for (unsigned p = 0; p < PATH_COUNT; p++)
			if (h->count[p][i]) {
				bar(p, i * width, width, top, h->count[p][i], most, b);
				top -= (double)h->count[p][i] / (double)most * DRAW_HEIGHT;
			}
		buf_printf(b, "</g>");
	}
	buf_printf(b, "</svg>\n<p class=\"dim\">");
	for (unsigned p = 0; p < PATH_COUNT; p++)
		buf_printf(b, "<span class=\"key\"><i class=\"c%u\"></i>%s</span> ", p, call_path_name((enum call_path)p));
	buf_printf(b, "A bar is %lu ns of virtual time; the highest has %lu calls.</p>\n", 1ul << h->shift,
		   (unsigned long)most);
}

static void put_profile(const struct model *m, unsigned policy, enum cost_event ev, struct json *list)
{
	struct json *o = json_add(list, json_new_object()), *stages;
	struct cost_profile p;

	cost_profile(m, policy, ev, &p);
	json_put_string(o, "event", cost_event_name(ev));
	json_put_string(o, "mode", vsysemu_mode_name(m->policy[policy].mode));
	json_put_string(o, "kernel", m->policy[policy].kernel->name);
	json_put_int(o, "cycles", (p.total16 + 8) / 16);
	stages = json_put(o, "stages", json_new_array());
	for (unsigned i = 0; i < p.n; i++) {
		struct json *s;

		if (!p.line[i].cycles16)
			continue;
		s = json_add(stages, json_new_object());
		json_put_string(s, "stage", p.line[i].stage);
		json_put_int(s, "cycles", (p.line[i].cycles16 + 8) / 16);
		json_put_bool(s, "estimated", p.line[i].estimated);
	}
}

void report_put_charges(const struct report *r, struct json *root)
{
	struct json *list = json_put(root, "charges", json_new_array());

	for (unsigned ev = 0; ev < COST_EVENT_COUNT; ev++) {
		uint64_t n = r->total->event[ev];
		struct cost c = model_price(r->k->model, (enum cost_event)ev);
		struct json *o;

		if (!n)
			continue;
		o = json_add(list, json_new_object());
		json_put_string(o, "event", cost_event_name((enum cost_event)ev));
		json_put_int(o, "count", (int64_t)n);
		json_put_int(o, "user_cycles16", (int64_t)(n * c.user16));
		json_put_int(o, "system_cycles16", (int64_t)(n * c.system16));
	}
}

void report_put_stages(const struct report *r, struct json *root)
{
	struct json *list = json_put(root, "call_stages", json_new_array());

	for (unsigned ev = COST_VSYSCALL_GETTIMEOFDAY; ev <= COST_VSYSCALL_GETCPU; ev++)
		for (unsigned i = 0; r->total->event[ev] && i < r->k->model->policies; i++)
			if (r->k->model->policy[i].mode != VSYSEMU_NONE)
				put_profile(r->k->model, i, (enum cost_event)ev, list);
}
