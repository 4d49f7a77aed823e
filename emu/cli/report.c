/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run: see report.h. */
#include "cli/report.h"

#include <string.h>

#include "cli/output.h"
#include "cli/report_forms.h"

static void none(const struct report *r, struct buf *out)
{
	(void)r;
	(void)out;
}

/* The first is the default. */
static const struct {
	const char *name;
	void (*put)(const struct report *r, struct buf *out);
} forms[] = {
	{ "text", report_text },     { "json", report_json },	{ "csv", report_csv }, { "html", report_html },
	{ "folded", report_folded }, { "trace", report_chrome }, { "none", none },
};

static size_t find_form(const struct options *o)
{
	size_t i = 0;

	while (o->report && i < ARRAY_SIZE(forms) && strcmp(forms[i].name, o->report) != 0)
		i++;
	return i;
}

/* Is anything to be written? */
static bool wanted(const struct options *o)
{
	return forms[find_form(o)].put != none && (!o->quiet_on || o->output);
}

bool report_check(const struct options *o, struct err *e)
{
	if (find_form(o) == ARRAY_SIZE(forms))
		return err_set_status(e, 125, "--report: a run has the forms text, json, csv, html, folded, trace and none, "
				      "not %s", o->report);
	return !wanted(o) || output_check(o->output, e);
}

bool report_write(struct kernel *k, const struct options *o, struct err *e)
{
	struct buf b = { 0 };
	struct report r;
	bool ok;

	if (!wanted(o))
		return true;
	report_facts(&r, k);
	r.argv = o->argv;
	forms[find_form(o)].put(&r, &b);
	ok = output_write(o->output, &b, e);
	report_facts_free(&r);
	buf_free(&b);
	return ok;
}
