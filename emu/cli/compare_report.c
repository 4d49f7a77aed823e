/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What compare tells: see compare.h. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/compare.h"
#include "cli/escape.h"
#include "cli/html.h"
#include "cli/output.h"
#include "cli/report_forms.h"

static void note(struct compare *s, const char *text)
{
	unsigned i = 0;

	while (i < COMPARE_WARNINGS && s->warning[i][0])
		i++;
	if (i < COMPARE_WARNINGS)
		snprintf(s->warning[i], sizeof(s->warning[i]), "%s", text);
}

static void status_name(int status, char name[64])
{
	char signal[32];

	if (status > 128 && status < 128 + 65)
		snprintf(name, 64, "killed by %s", report_signal_name(status - 128, signal));
	else
		snprintf(name, 64, "exit status %d", status);
}

/* How the runs ended that no policy broke: the same bad end under all of them, or different ones, is not for the
 * page to answer for. */
static void note_ends(struct compare *s)
{
	const struct compare_row *first = NULL, *other = NULL;
	char text[320], end[64], otherwise[64];

	for (unsigned i = 0; i < s->n; i++) {
		const struct compare_row *r = &s->row[i];

		if (!r->filled || r->status < 0 || !strcmp(r->outcome, "breaks"))
			continue;
		if (!first)
			first = r;
		else if (!other && r->status != first->status)
			other = r;
	}
	if (!first || (!first->status && !other))
		return;
	status_name(first->status, end);
	if (other) {
		status_name(other->status, otherwise);
		snprintf(text, sizeof(text), "not the page's doing: %s under %s@%s, %s under %s@%s, no vsyscall was refused",
			 end, first->mode, first->kernel, otherwise, other->mode, other->kernel);
	} else {
		snprintf(text, sizeof(text), "not the page's doing: %s%s", end,
			 s->runs > 1 ? ", under every policy that lets it run" : "");
	}
	note(s, text);
}

/* How much of the chosen policy's slowdown is the calls of the page. */
static void note_share(struct compare *s)
{
	const struct compare_row *a = NULL, *b = NULL;
	double page, all;
	char text[320];

	for (unsigned i = 0; i < s->n; i++) {
		if (s->row[i].active)
			a = &s->row[i];
		if (s->row[i].baseline)
			b = &s->row[i];
	}
	if (!a || !b || a == b || !strcmp(a->outcome, "breaks") || !strcmp(b->outcome, "breaks"))
		return;
	page = (double)a->vsyscall_ns - (double)b->vsyscall_ns;
	all = (double)(a->user_ns + a->system_ns) - (double)(b->user_ns + b->system_ns);
	snprintf(text, sizeof(text), "%s@%s takes %.0f ns %s than %s@%s; calls of the page: %.0f ns %s, all else: %.0f ns %s",
		 a->mode, a->kernel, fabs(all), all < 0 ? "less" : "more", b->mode, b->kernel, fabs(page),
		 page < 0 ? "less" : "more", fabs(all - page), all < page ? "less" : "more");
	note(s, text);
}

static unsigned rows(struct compare *s, struct report_policy *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++) {
		struct compare_row *r = &s->row[i];

		if (r->filled)
			p[n++] = (struct report_policy){
				.mode = r->mode, .kernel = r->kernel, .outcome = r->outcome,
				.why = r->why[0] ? r->why : NULL, .where = r->where[0] ? r->where : NULL,
				.user_ns = r->user_ns, .system_ns = r->system_ns, .vsyscall_ns = r->vsyscall_ns,
				.slowdown = r->slowdown, .slowdown_user = r->slowdown_user,
				.slowdown_rest = r->slowdown_rest, .active = r->active, .baseline = r->baseline,
				.status = r->status,
			};
	}
	return n;
}

static void write_json(const struct options *o, const struct compare *s, const struct report_policy *p, unsigned n, struct buf *b)
{
	struct json *root = json_new_object(), *w;

	json_put_string(root, "schema", "vsysemu.compare/1");
	json_put_int(root, "runs", s->runs);
	w = json_put(json_put(root, "program", json_new_object()), "argv", json_new_array());
	for (int i = 0; i < o->argc; i++)
		json_add_string(w, o->argv[i]);
	report_put_policies(p, n, root);
	report_put_calls(&s->total, root);
	w = json_put(root, "warnings", json_new_array());
	for (unsigned i = 0; i < COMPARE_WARNINGS && s->warning[i][0]; i++)
		json_add_string(w, s->warning[i]);
	json_text(root, 2, 6, b);
	buf_add(b, "\n", 1);
	json_drop(root);
}

static void write_html(const struct options *o, const struct compare *s, const struct report_policy *p, unsigned n,
		       struct buf *b)
{
	html_begin(b, o->argv[0], NULL);
	report_policies_html(p, n, b);
	buf_printf(b, "<h2>Time calls</h2>\n");
	report_calls_html(&s->total, b);
	for (unsigned i = 0; i < COMPARE_WARNINGS && s->warning[i][0]; i++) {
		buf_printf(b, "<p class=\"dim\">");
		escape_html(b, s->warning[i]);
		buf_printf(b, "</p>\n");
	}
	html_end(b);
}

static void write_text(const struct compare *s, const struct report_policy *p, unsigned n, struct buf *b)
{
	report_policies_text(p, n, b);
	for (unsigned i = 0; i < COMPARE_WARNINGS && s->warning[i][0]; i++)
		buf_printf(b, "note          %s\n", s->warning[i]);
}

bool compare_write(const struct options *o, struct compare *s, struct err *e)
{
	struct report_policy p[COMPARE_ROWS];
	const char *form = o->report ? o->report : "text";
	struct buf b = { 0 };
	bool ok = true;
	unsigned n;

	if (!strcmp(form, "none") || (o->quiet_on && !o->output))
		return true;
	note_ends(s);
	note_share(s);
	n = rows(s, p);
	if (!strcmp(form, "json")) {
		write_json(o, s, p, n, &b);
	} else if (!strcmp(form, "text")) {
		write_text(s, p, n, &b);
	} else if (!strcmp(form, "csv")) {
		report_policies_csv(p, n, &b);
	} else {
		write_html(o, s, p, n, &b);
	}
	ok = output_write(o->output, &b, e);
	buf_free(&b);
	return ok;
}
