/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verb: which rows, their errors table by table, and the form of the answer.  See reproduce.h. */
#include "cli/reproduce.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/verbs.h"

static bool is_wanted(const struct options *o, const char *table)
{
	for (int i = 0; i < o->argc; i++)
		if (!strcmp(o->argv[i], table))
			return true;
	return !o->argc;
}

/* Each TABLE named must be there. */
static bool check_names(const struct options *o, const struct published *p, struct err *e)
{
	struct buf all = { 0 };
	const char *last = "";
	bool found = true;

	for (int i = 0; i < o->argc && found; i++) {
		found = false;
		for (size_t k = 0; k < p->row.n; k++)
			found |= !strcmp(p->row.at[k].table, o->argv[i]);
		for (size_t k = 0; k < p->row.n && !found; k++) {
			if (strcmp(p->row.at[k].table, last))
				buf_printf(&all, "%s%s", *last ? ", " : "", p->row.at[k].table);
			last = p->row.at[k].table;
		}
		if (!found)
			err_set(e, "TABLE: '%.60s' is none of %s", o->argv[i], all.data);
	}
	buf_free(&all);
	return found;
}

static void count(struct reproduce *r, const struct reproduce_row *row)
{
	struct reproduce_table *t = r->table.n ? &r->table.at[r->table.n - 1] : NULL;
	double far = fabs(row->error);
	int k = row->p->fitted;

	if (!t || strcmp(t->name, row->p->table)) {
		VEC_PUSH(&r->table, (struct reproduce_table){ .name = row->p->table });
		t = &r->table.at[r->table.n - 1];
	}
	t->rows++;
	if (!row->done)
		return;
	t->done++;
	t->mean[k] = (t->mean[k] * t->kind_n[k] + far) / (t->kind_n[k] + 1);
	t->kind_n[k]++;
	if (far > t->worst[k])
		t->worst[k] = far;
}

static bool answer(const struct options *o, const struct published *p, struct reproduce *r, struct err *e)
{
	for (size_t i = 0; i < p->row.n; i++) {
		struct reproduce_row row = { .p = &p->row.at[i] };

		if (!is_wanted(o, row.p->table))
			continue;
		if (!reproduce_run(r, &row, o, e))
			return false;
		if (row.done)
			row.error = row.simulated / row.p->published - 1;
		count(r, &row);
		VEC_PUSH(&r->row, row);
	}
	return true;
}

static bool check_options(const struct options *o, struct err *e)
{
	if (o->report && strcmp(o->report, "text") && strcmp(o->report, "json") && strcmp(o->report, "html") &&
	    strcmp(o->report, "none"))
		return err_set(e, "--report: reproduce has text, json, html and none");
	if (o->cpu || o->kernel || o->mode || o->trap || o->clocksource)
		return err_set(e, "%s: each published row has its own machine; reproduce takes --set for what-ifs",
			       o->cpu	 ? "--cpu" :
			       o->kernel ? "--kernel" :
			       o->mode	 ? "--mode" :
			       o->trap	 ? "--trap" :
					   "--clocksource");
	return true;
}

/* A what-if that no run would take is refused once, here. */
static bool check_sets(const struct options *o, struct err *e)
{
	struct cpu_model *c = o->set.n ? cpu_model_load("sandybridge", e) : NULL;
	struct kernel_model *k = c ? kernel_model_load("3.1-rc1", e) : NULL;
	bool good = !o->set.n || (c && k);

	for (size_t i = 0; good && i < o->set.n; i++)
		good = model_set(c, k, o->set.at[i], e);
	if (c)
		cpu_model_free(c);
	if (k)
		kernel_model_free(k);
	return good;
}

int cli_reproduce(const struct options *o, struct err *e)
{
	const char *form = o->report ? o->report : "text";
	struct published p = { 0 };
	struct reproduce r = { 0 };
	struct buf out = { 0 };
	char *dir = model_dir();
	bool good;

	good = check_options(o, e) && check_sets(o, e) && published_load(&p, dir, e) && check_names(o, &p, e) &&
	       (!o->output || output_check(o->output, e)) &&
	       answer(o, &p, &r, e);
	if (good && !strcmp(form, "json"))
		reproduce_json(&r, &out);
	else if (good && !strcmp(form, "html"))
		reproduce_html(&r, &out);
	else if (good)
		reproduce_text(&r, &out);
	if (good && strcmp(form, "none"))
		good = output_write(o->output ? o->output : "-", &out, e);
	buf_free(&out);
	for (size_t i = 0; i < r.output.n; i++) {
		free(r.output.at[i].options);
		free(r.output.at[i].guest);
		free(r.output.at[i].text);
	}
	VEC_FREE(&r.output);
	VEC_FREE(&r.row);
	VEC_FREE(&r.table);
	published_free(&p);
	free(dir);
	return good ? 0 : -1;
}
