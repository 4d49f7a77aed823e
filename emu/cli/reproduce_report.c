/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What `reproduce` found, as text, JSON and a page with a plot.  See reproduce.h. */
#include <math.h>
#include <string.h>

#include "cli/escape.h"
#include "cli/html.h"
#include "cli/json.h"
#include "cli/reproduce.h"

/* The plot's axis, in percent. */
#define AXIS_PERCENT 25
#define AXIS_STEP 5

/* As many digits as a published figure has. */
static void number(double v, struct buf *out)
{
	buf_printf(out, v < 1000 ? "%.2f" : v < 100000 ? "%.1f" : "%.0f", v);
}

static void kind_text(const struct reproduce_table *t, int k, struct buf *out)
{
	if (t->kind_n[k])
		buf_printf(out, "; %u %s: mean error %.1f %%, worst %.1f %%", t->kind_n[k],
			   k ? "fitted" : "not fitted", 100 * t->mean[k], 100 * t->worst[k]);
}

static void summary(const struct reproduce_table *t, struct buf *out)
{
	buf_printf(out, "%s: %u of %u rows simulated", t->name, t->done, t->rows);
	kind_text(t, 1, out);
	kind_text(t, 0, out);
	buf_printf(out, "\n");
}

void reproduce_text(const struct reproduce *r, struct buf *out)
{
	const char *table = "";

	for (size_t i = 0; i < r->row.n; i++) {
		const struct reproduce_row *w = &r->row.at[i];
		struct buf v = { 0 };

		if (strcmp(table, w->p->table))
			buf_printf(out, "%s%s\n  %-46s %12s %12s %-8s %8s %-6s %s\n", *table ? "\n" : "", w->p->table, "row",
				   "published", "simulated", "unit", "error", "fitted", "source");
		table = w->p->table;
		if (w->done)
			number(w->simulated, &v);
		buf_printf(out, "  %-46s %12s %12s %-8s ", w->p->row, w->p->published_text, w->done ? v.data : "-",
			   w->p->unit);
		if (w->done)
			buf_printf(out, "%+6.1f %%", 100 * w->error);
		else
			buf_printf(out, "%8s", "-");
		buf_printf(out, " %-6s %s%s%s%s\n", w->p->fitted ? "yes" : "no", w->p->source, *w->p->note ? "; " : "",
			   w->p->note, w->missing ? "; its program is not built: make fsmark" : "");
		buf_free(&v);
	}
	buf_printf(out, "\n");
	for (size_t i = 0; i < r->table.n; i++)
		summary(&r->table.at[i], out);
}

/* @share as percent, to a tenth, as the text shows it. */
static double tenth(double share)
{
	return round(1000 * share) / 10;
}

static void row_json(const struct reproduce_row *w, struct json *o)
{
	json_put_string(o, "table", w->p->table);
	json_put_string(o, "row", w->p->row);
	json_put_real(o, "published", w->p->published);
	if (w->done)
		json_put_real(o, "simulated", w->simulated);
	else
		json_put_null(o, "simulated");
	json_put_string(o, "unit", w->p->unit);
	json_put_real(o, "error", w->done ? w->error : NAN);
	json_put_real(o, "error_percent", w->done ? tenth(w->error) : NAN);
	json_put_bool(o, "fitted", w->p->fitted);
	json_put_string(o, "source", w->p->source);
	json_put_string(o, "note", *w->p->note ? w->p->note : NULL);
}

static void table_json(const struct reproduce_table *t, struct json *o)
{
	static const char *const kind[] = { "not_fitted", "fitted" };

	json_put_string(o, "table", t->name);
	json_put_int(o, "rows", t->rows);
	json_put_int(o, "simulated", t->done);
	for (int k = 1; k >= 0; k--) {
		struct json *j = json_put(o, kind[k], json_new_object());

		json_put_int(j, "rows", t->kind_n[k]);
		json_put_real(j, "mean_error", t->kind_n[k] ? t->mean[k] : NAN);
		json_put_real(j, "worst_error", t->kind_n[k] ? t->worst[k] : NAN);
		json_put_real(j, "mean_error_percent", t->kind_n[k] ? tenth(t->mean[k]) : NAN);
		json_put_real(j, "worst_error_percent", t->kind_n[k] ? tenth(t->worst[k]) : NAN);
	}
}

void reproduce_json(const struct reproduce *r, struct buf *out)
{
	struct json *j = json_new_object(), *a;

	json_put_string(j, "schema", "vsysemu.reproduce/1");
	a = json_put(j, "rows", json_new_array());
	for (size_t i = 0; i < r->row.n; i++)
		row_json(&r->row.at[i], json_add(a, json_new_object()));
	a = json_put(j, "tables", json_new_array());
	for (size_t i = 0; i < r->table.n; i++)
		table_json(&r->table.at[i], json_add(a, json_new_object()));
	a = json_put(j, "axis_percent", json_new_array()); /* of the page's plot */
	for (int p = -AXIS_PERCENT; p <= AXIS_PERCENT; p += AXIS_STEP)
		json_add_int(a, p);
	json_text(j, 2, 6, out);
	buf_printf(out, "\n");
	json_drop(j);
}

static const char style[] =
	"svg text{fill:var(--dim);font-size:12px}svg line{stroke:var(--line)}"
	"circle.fitted{fill:var(--c0)}circle.free{fill:none;stroke:var(--c3);stroke-width:2}svg{display:block;min-width:40rem}"
	"table{font-size:14px}\n";

/* Errors of all simulated rows, a table a line; beyond the axis at the edge. */
static void plot(const struct reproduce *r, struct buf *out)
{
	const double mid = 560, per = 16; /* pixels: of error 0, of a percent */

	buf_printf(out, "<div class=\"wide\"><svg role=\"img\" aria-label=\"errors by table\" viewBox=\"0 0 1000 %zu\">\n",
		   40 + 26 * r->table.n);
	for (int p = -AXIS_PERCENT; p <= AXIS_PERCENT; p += AXIS_STEP)
		buf_printf(out, "<line x1=\"%g\" x2=\"%g\" y1=\"20\" y2=\"%zu\"/><text x=\"%g\" y=\"14\" "
				"text-anchor=\"middle\">%+d %%</text>\n",
			   mid + p * per, mid + p * per, 30 + 26 * r->table.n, mid + p * per, p);
	for (size_t t = 0; t < r->table.n; t++) {
		buf_printf(out, "<text x=\"0\" y=\"%zu\">", 44 + 26 * t);
		escape_html(out, r->table.at[t].name);
		buf_printf(out, "</text>\n");
		for (size_t i = 0; i < r->row.n; i++) {
			const struct reproduce_row *w = &r->row.at[i];

			if (!w->done || strcmp(w->p->table, r->table.at[t].name))
				continue;
			buf_printf(out, "<circle class=\"%s\" r=\"5\" cx=\"%.1f\" cy=\"%zu\"><title>",
				   w->p->fitted ? "fitted" : "free",
				   mid + per * fmax(-AXIS_PERCENT - 1, fmin(AXIS_PERCENT + 1, 100 * w->error)), 40 + 26 * t);
			escape_html(out, w->p->row);
			buf_printf(out, ": %+.1f %%</title></circle>\n", 100 * w->error);
		}
	}
	buf_printf(out, "</svg></div>\n");
}

static void row_html(const struct reproduce_row *w, struct buf *out)
{
	buf_printf(out, "<tr><td>");
	escape_html(out, w->p->row);
	buf_printf(out, "</td><td class=\"n\">%s</td><td class=\"n\">", w->p->published_text);
	if (w->done)
		html_real(out, w->simulated);
	buf_printf(out, "</td><td>%s</td><td class=\"n\">", w->p->unit);
	if (w->done)
		buf_printf(out, "%+.1f %%", 100 * w->error);
	buf_printf(out, "</td><td>%s</td><td class=\"dim where\">", w->p->fitted ? "yes" : "no");
	escape_html(out, w->p->source);
	buf_printf(out, "%s", *w->p->note ? "; " : "");
	escape_html(out, w->p->note);
	buf_printf(out, "</td></tr>\n");
}

void reproduce_html(const struct reproduce *r, struct buf *out)
{
	html_begin(out, "Published and simulated", style);
	buf_printf(out, "<p class=\"dim\">Error is simulated / published &minus; one. Full dots: rows that served to fit a "
			"price; rings: rows that did not.</p>\n");
	plot(r, out);
	for (size_t t = 0; t < r->table.n; t++) {
		buf_printf(out, "<h2>");
		escape_html(out, r->table.at[t].name);
		buf_printf(out, "</h2>\n<p class=\"dim\">");
		summary(&r->table.at[t], out);
		buf_printf(out, "</p>\n");
		html_table(out, "<th>row</th><th class=\"n\">published</th><th class=\"n\">simulated</th><th>unit</th>"
				"<th class=\"n\">error</th><th>fitted</th><th>source</th>");
		for (size_t i = 0; i < r->row.n; i++)
			if (!strcmp(r->row.at[i].p->table, r->table.at[t].name))
				row_html(&r->row.at[i], out);
		html_table_end(out);
	}
	html_end(out);
}
