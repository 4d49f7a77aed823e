/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run: see report.h. */
#include "cli/report.h"

#include <string.h>

#include "cli/output.h"
#include "cli/report_forms.h"

bool report_write(struct kernel *k, const struct options *o, struct err *e)
{
	const char *form = o->report ? o->report : "text";
	struct buf b = { 0 };
	struct report r;
	bool ok = true;

	if (!strcmp(form, "none") || (o->quiet_on && !o->output))
		return true;
	report_facts(&r, k);
	r.argv = o->argv;
	if (!strcmp(form, "json"))
		report_json(&r, &b);
	else if (!strcmp(form, "csv"))
		report_csv(&r, &b);
	else if (!strcmp(form, "html"))
		report_html(&r, &b);
	else if (!strcmp(form, "folded"))
		report_folded(&r, &b);
	else if (!strcmp(form, "trace"))
		report_chrome(&r, &b);
	else if (!strcmp(form, "text"))
		report_text(&r, &b);
	else
		ok = err_set(e, "--report: a run has the forms text, json, csv, html, folded, trace and none, not %s", form);
	if (ok)
		ok = output_write(o->output, &b, e);
	report_facts_free(&r);
	buf_free(&b);
	return ok;
}
