/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verb compare: one program under every policy: from one run, or (--each, --kernels) from one run each. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/stdfd.h"
#include "cli/compare.h"
#include "cli/output.h"
#include "cli/report_forms.h"
#include "cli/run.h"
#include "cli/verbs.h"
#include "run/loop.h"

static void store(struct compare_row *to, const struct report_policy *p)
{
	snprintf(to->mode, sizeof(to->mode), "%s", p->mode);
	snprintf(to->kernel, sizeof(to->kernel), "%s", p->kernel);
	snprintf(to->outcome, sizeof(to->outcome), "%s", p->outcome);
	snprintf(to->why, sizeof(to->why), "%s", p->why ? p->why : "");
	snprintf(to->where, sizeof(to->where), "%s", p->where ? p->where : "");
	to->user_ns = p->user_ns;
	to->system_ns = p->system_ns;
	to->slowdown = p->slowdown;
	to->slowdown_user = p->slowdown_user;
	to->vsyscall_ns = p->vsyscall_ns;
	to->slowdown_rest = p->slowdown_rest;
	to->active = p->active;
	to->baseline = p->baseline;
	to->status = p->status;
	to->filled = true;
}

/* Only the first of several runs is heard, all read the same input if it is a file. */
static void hush(const struct compare *s)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (s->input >= 0)
		lseek(STDIN_FILENO, s->input, SEEK_SET);
	if (s->runs == 1 || null < 0)
		return;
	for (int fd = s->input < 0 ? STDIN_FILENO : STDOUT_FILENO; fd <= STDERR_FILENO; fd++)
		if (!stdfd_is_held(fd))
			dup2(null, fd);
}

/* In the child: run, and keep all rows (@first) or the active one. */
static int child(const struct options *o, const struct model *m, struct compare *s, bool all, struct compare_row *one)
{
	struct kernel *k = xcalloc(1, sizeof(*k));
	struct run_files f = { 0 };
	struct err e = { .text = "" };
	struct report r;

	s->runs++;
	hush(s);
	if (!run_guest(o, m, k, &f, &e)) {
		snprintf(s->error, sizeof(s->error), "%s", e.text);
		s->error_status = e.status ? e.status : 125;
		return 125;
	}
	report_facts(&r, k);
	if (s->runs == 1) {
		s->total = *r.total;
		for (size_t i = 0; i < r.warning.n && i < COMPARE_WARNINGS; i++)
			snprintf(s->warning[i], sizeof(s->warning[i]), "%s", r.warning.at[i]);
	}
	for (unsigned i = 0; i < r.policies; i++) {
		if (all && s->n < COMPARE_ROWS)
			store(&s->row[s->n++], &r.policy[i]);
		else if (!all && r.policy[i].active)
			store(one, &r.policy[i]);
	}
	report_facts_free(&r);
	return 0;
}

static bool run_one(const struct options *o, const struct model *m, struct compare *s, bool all, struct compare_row *one,
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

static bool run_policy(const struct options *o, const char *mode, const char *kernel, struct compare *s, struct err *e)
{
	struct options one = *o;
	struct model m;
	bool ok;

	if (s->n == COMPARE_ROWS)
		return err_set(e, "--kernels: more than %u policies", COMPARE_ROWS);
	one.kernel = kernel;
	one.mode = mode;
	one.trap = NULL;
	ok = run_model(&one, &m, e) && run_one(&one, &m, s, false, &s->row[s->n++], e);
	model_free(&m);
	return ok;
}

/* Every mode of kernel @name, one run each. */
static bool run_kernel(const struct options *o, const char *name, struct compare *s, struct err *e)
{
	struct kernel_model *km = kernel_model_load(name, e);
	bool ok = km;

	for (unsigned i = 0; ok && i < km->modes; i++)
		ok = run_policy(o, vsysemu_mode_name(km->mode[i]), name, s, e);
	if (km)
		kernel_model_free(km);
	return ok;
}

/* Against the run of the baseline; one that broke did not do the same work and keeps its projection. */
static void measure(struct compare *s, const struct compare_row *base)
{
	uint64_t base_ns = base->user_ns + base->system_ns, base_rest = base_ns - base->vsyscall_ns;

	for (unsigned i = 0; i < s->n; i++) {
		struct compare_row *r = &s->row[i];

		if (!strcmp(r->outcome, "breaks") || !strcmp(base->outcome, "breaks"))
			continue;
		if (base_ns)
			r->slowdown = (double)(r->user_ns + r->system_ns) / (double)base_ns;
		if (base_rest)
			r->slowdown_rest = (double)(r->user_ns + r->system_ns - r->vsyscall_ns) / (double)base_rest;
		if (base->user_ns)
			r->slowdown_user = (double)r->user_ns / (double)base->user_ns;
	}
}

/* The row of the baseline, run if no kernel of the list had it; the row of the chosen policy is marked. */
static bool run_baseline(const struct options *o, const struct model *m, struct compare *s, struct err *e)
{
	const struct model_policy *b = &m->policy[m->baseline], *a = &m->policy[m->active];
	struct compare_row *base = NULL;

	for (unsigned i = 0;; i++) {
		struct compare_row *r = &s->row[i];

		if (i == s->n && (base || !run_policy(o, vsysemu_mode_name(b->mode), b->kernel->name, s, e)))
			break;
		r->active = !strcmp(r->mode, vsysemu_mode_name(a->mode)) && !strcmp(r->kernel, a->kernel->name);
		r->baseline = !strcmp(r->mode, vsysemu_mode_name(b->mode)) && !strcmp(r->kernel, b->kernel->name);
		if (r->baseline)
			base = r;
	}
	if (!base)
		return false;
	measure(s, base);
	return true;
}

/* Each once, all of them known. */
static bool kernel_names(const char *list, model_names *names, struct err *e)
{
	if (!strcmp(list, "all"))
		return model_list(true, names, e);
	for (const char *p = list;; p++) {
		size_t n = strcspn(p, ","), i = 0;
		char *name = xstrndup(p, n);
		struct kernel_model *km;
		struct err why = { .text = "" };

		while (i < names->n && strcmp(names->at[i], name))
			i++;
		if (i < names->n) {
			free(name);
		} else {
			VEC_PUSH(names, name);
			km = *name ? kernel_model_load(name, &why) : NULL;
			if (!km && !*name)
				return err_set_status(e, 125, "--kernels takes all or names of kernel profiles, not '%s'", list);
			if (!km)
				return err_set_status(e, 125, "--kernels: %s", why.text);
			kernel_model_free(km);
		}
		p += n;
		if (!*p)
			return true;
	}
}

static bool run_kernels(const struct options *o, struct compare *s, struct err *e)
{
	model_names names = { 0 };
	struct model m;
	bool ok = run_model(o, &m, e);

	if (ok && o->kernels)
		ok = kernel_names(o->kernels, &names, e);
	else if (ok)
		VEC_PUSH(&names, xstrdup(m.kernel->name));
	for (size_t i = 0; ok && i < names.n; i++)
		ok = run_kernel(o, names.at[i], s, e);
	ok = ok && run_baseline(o, &m, s, e);
	model_names_free(&names);
	model_free(&m);
	return ok;
}

static bool form_ok(const struct options *o, struct err *e)
{
	static const char *const forms[] = { "text", "json", "csv", "html", "none" };

	for (size_t i = 0; i < ARRAY_SIZE(forms); i++)
		if (!o->report || !strcmp(o->report, forms[i]))
			return true;
	return err_set_status(e, 125, "--report: compare has the forms text, json, csv, html and none, not %s", o->report);
}

int cli_compare(const struct options *o, struct err *e)
{
	struct compare *s;
	int breaks = 0;
	bool ok;

	if (!o->argc) {
		err_set_status(e, 125, "no PROGRAM given (see vsysemu compare --help)");
		return 125;
	}
	if (!form_ok(o, e) || (o->output && !output_check(o->output, e)))
		return 125;
	s = mmap(NULL, sizeof(*s), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (s == MAP_FAILED)
		return err_set(e, "no memory for the results"), 125;
	s->input = lseek(STDIN_FILENO, 0, SEEK_CUR);
	if (o->kernels || o->each) {
		ok = run_kernels(o, s, e);
	} else {
		struct model m;

		ok = run_model(o, &m, e) && run_one(o, &m, s, true, NULL, e);
		model_free(&m);
	}
	if (ok) {
		for (unsigned i = 0; i < s->n; i++)
			breaks |= s->row[i].filled && !strcmp(s->row[i].outcome, "breaks");
		ok = compare_write(o, s, e);
	}
	munmap(s, sizeof(*s));
	return ok ? breaks : 125;
}
