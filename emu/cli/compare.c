/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verb compare: one program under every policy: from one run, or (--each, --kernels) from one run each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/report_forms.h"
#include "cli/run.h"
#include "cli/verbs.h"
#include "run/loop.h"

#define ROWS_MAX 128u

/* Results of the runs; each is a process of its own, because a process has one engine. */
struct shared {
	struct row {
		char mode[16], kernel[48], outcome[16], why[64];
		uint64_t user_ns, system_ns;
		double slowdown, slowdown_user;
		bool active, baseline, filled;
		int status;
	} row[ROWS_MAX];
	unsigned n;
	struct account total;
	char error[1024];
	int error_status;
};

static void store(struct row *to, const struct report_policy *p)
{
	snprintf(to->mode, sizeof(to->mode), "%s", p->mode);
	snprintf(to->kernel, sizeof(to->kernel), "%s", p->kernel);
	snprintf(to->outcome, sizeof(to->outcome), "%s", p->outcome);
	snprintf(to->why, sizeof(to->why), "%s", p->why ? p->why : "");
	to->user_ns = p->user_ns;
	to->system_ns = p->system_ns;
	to->slowdown = p->slowdown;
	to->slowdown_user = p->slowdown_user;
	to->active = p->active;
	to->baseline = p->baseline;
	to->filled = true;
}

/* In the child: run, and keep all rows (@first) or the active one. */
static int child(const struct options *o, const struct model *m, struct shared *s, bool all, struct row *one)
{
	struct kernel *k = xcalloc(1, sizeof(*k));
	struct run_files f = { 0 };
	struct err e = { .text = "" };
	struct report r;

	if (!run_guest(o, m, k, &f, &e)) {
		snprintf(s->error, sizeof(s->error), "%s", e.text);
		s->error_status = e.status ? e.status : 125;
		return 125;
	}
	report_facts(&r, k);
	s->total = *r.total;
	for (unsigned i = 0; i < r.policies; i++) {
		if (all && s->n < ROWS_MAX)
			store(&s->row[s->n++], &r.policy[i]);
		else if (!all && r.policy[i].active)
			store(one, &r.policy[i]);
	}
	if (one)
		one->status = run_status(k);
	report_facts_free(&r);
	return 0;
}

static bool run_one(const struct options *o, const struct model *m, struct shared *s, bool all, struct row *one,
		    struct err *e)
{
	int status;
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0)
		return err_set(e, "cannot fork");
	if (!pid) {
		int r = child(o, m, s, all, one);

		fflush(NULL);
		_exit(r);
	}
	while (waitpid(pid, &status, 0) < 0)
		;
	if (s->error[0])
		return err_set_status(e, s->error_status, "%s", s->error);
	return WIFEXITED(status) && !WEXITSTATUS(status) ? true : err_set(e, "a run ended abnormally (status %#x)", (unsigned)status);
}

/* Every mode of kernel @name, one run each. */
static bool run_kernel(const struct options *o, const char *name, struct shared *s, struct err *e)
{
	struct kernel_model *km = kernel_model_load(name, e);
	bool ok = km;

	for (unsigned i = 0; ok && i < km->modes && s->n < ROWS_MAX; i++) {
		struct options one = *o;
		struct model m;

		one.kernel = name;
		one.mode = vsysemu_mode_name(km->mode[i]);
		one.trap = NULL;
		ok = run_model(&one, &m, e) && run_one(&one, &m, s, false, &s->row[s->n++], e);
		model_free(&m);
	}
	if (km)
		kernel_model_free(km);
	return ok;
}

static bool run_kernels(const struct options *o, struct shared *s, struct err *e)
{
	model_names names = { 0 };
	bool ok = true;

	if (!o->kernels) {
		struct model m;

		ok = run_model(o, &m, e) && run_kernel(o, m.kernel->name, s, e);
		model_free(&m);
		return ok;
	}
	if (!strcmp(o->kernels, "all")) {
		ok = model_list(true, &names, e);
	} else {
		for (const char *p = o->kernels; *p;) {
			size_t n = strcspn(p, ",");

			VEC_PUSH(&names, xstrndup(p, n));
			p += n + (p[n] == ',');
		}
	}
	for (size_t i = 0; ok && i < names.n; i++)
		ok = run_kernel(o, names.at[i], s, e);
	model_names_free(&names);
	return ok;
}

static unsigned rows(struct shared *s, struct report_policy *p)
{
	unsigned n = 0;

	for (unsigned i = 0; i < s->n; i++) {
		struct row *r = &s->row[i];

		if (r->filled)
			p[n++] = (struct report_policy){ r->mode, r->kernel, r->outcome, r->why[0] ? r->why : NULL, r->user_ns,
							 r->system_ns, r->slowdown, r->slowdown_user, r->active, r->baseline };
	}
	return n;
}

static bool write_table(const struct options *o, const struct report_policy *p, unsigned n, const struct account *a,
			struct err *e)
{
	const char *form = o->report ? o->report : "text";
	struct buf b = { 0 };
	bool ok = true;

	if (!strcmp(form, "none") || (o->quiet_on && !o->output))
		return true;
	if (!strcmp(form, "json")) {
		struct json *root = json_new_object();

		json_put_string(root, "schema", "vsysemu.compare/1");
		report_put_policies(p, n, root);
		report_put_calls(a, root);
		json_text(root, 2, 6, &b);
		buf_add(&b, "\n", 1);
		json_drop(root);
	} else if (!strcmp(form, "text")) {
		report_policies_text(p, n, &b);
	} else if (!strcmp(form, "csv")) {
		buf_printf(&b, "mode,kernel,outcome,why,user_ns,system_ns,slowdown,slowdown_user\r\n");
		for (unsigned i = 0; i < n; i++) {
			buf_printf(&b, "%s,%s,%s,", p[i].mode, p[i].kernel, p[i].outcome);
			report_csv_field(&b, p[i].why);
			buf_printf(&b, ",%lu,%lu,%.6f,%.6f\r\n", (unsigned long)p[i].user_ns,
				   (unsigned long)p[i].system_ns, p[i].slowdown, p[i].slowdown_user);
		}
	} else if (!strcmp(form, "html")) {
		buf_printf(&b, "<!DOCTYPE html><html lang=en><meta charset=utf-8><title>vsysemu compare</title>"
			       "<table><tr><th>mode<th>kernel<th>outcome<th>why<th>user ns<th>system ns<th>slowdown</tr>");
		for (unsigned i = 0; i < n; i++) {
			buf_printf(&b, "<tr><td>%s<td>%s<td>%s<td>", p[i].mode, p[i].kernel, p[i].outcome);
			report_html_escape(&b, p[i].why);
			buf_printf(&b, "<td>%lu<td>%lu<td>%.3f</tr>", (unsigned long)p[i].user_ns,
				   (unsigned long)p[i].system_ns, p[i].slowdown);
		}
		buf_printf(&b, "</table></html>\n");
	} else {
		ok = err_set(e, "--report: compare has the forms text, json, csv, html and none, not %s", form);
	}
	if (ok)
		ok = output_write(o->output, &b, e);
	buf_free(&b);
	return ok;
}

int cli_compare(const struct options *o, struct err *e)
{
	struct report_policy p[ROWS_MAX];
	struct shared *s;
	unsigned n = 0;
	int breaks = 0;
	bool ok;

	if (!o->argc) {
		err_set_status(e, 125, "no PROGRAM given (see vsysemu compare --help)");
		return 125;
	}
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return err_set(e, "no memory for the results"), 125;
	if (o->kernels || o->each) {
		ok = run_kernels(o, s, e);
	} else {
		struct model m;

		ok = run_model(o, &m, e) && run_one(o, &m, s, true, NULL, e);
		model_free(&m);
	}
	if (ok) {
		n = rows(s, p);
		for (unsigned i = 0; i < n; i++)
			breaks |= !strcmp(p[i].outcome, "breaks");
		write_table(o, p, n, &s->total, e);
	}
	munmap(s, sizeof(*s));
	return ok ? breaks : 125;
}
