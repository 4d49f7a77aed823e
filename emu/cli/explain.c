/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verb: options into a question, the answer into a report.  See explain.h. */
#include "cli/explain.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/verbs.h"

static const char *const calls[] = { "gettimeofday", "time", "getcpu" };

const char *explain_call_name(int nr)
{
	return calls[nr];
}

double explain_cycles(uint32_t cycles16)
{
	return cycles16 / 16.0;
}

void explain_side_name(const struct explain_side *s, struct buf *out)
{
	const struct model_policy *p = &s->m->policy[s->policy];

	buf_printf(out, "%s on %s (%s, %s)", vsysemu_mode_name(p->mode), p->kernel->name,
		   vsysemu_era_name(p->kernel->rules.era),
		   p->trap == TRAP_GEN_NONE ? "no trap" : trap_gen_name(p->trap));
}

static bool read_number(const char *option, const char *s, uint64_t max, uint64_t *n, struct err *e)
{
	char *end;

	errno = 0;
	*n = strtoull(s, &end, 0);
	if (*s < '0' || *s > '9' || *end || errno || *n > max)
		return err_set(e, "--%s: \"%.60s\" is not a number up to 0x%llx", option, s,
			       (unsigned long long)max);
	return true;
}

static bool read_call(const struct options *o, struct explain_ask *a, struct err *e)
{
	if (o->argc > 1)
		return err_set(e, "explain takes one CALL: gettimeofday, time or getcpu");
	for (int i = 0; i < 3; i++)
		if (o->argc == 0 || !strcmp(o->argv[0], calls[i])) {
			a->nr = i;
			return true;
		}
	return err_set(e, "CALL: \"%.60s\" is none of gettimeofday, time, getcpu", o->argv[0]);
}

/* One ACTION of --seccomp as a filter's answer. */
static bool read_action(const char *s, size_t n, uint32_t *ret)
{
	static const struct {
		const char *word;
		uint32_t ret;
	} words[] = {
		{ "allow", 0x7fff0000 }, { "log", 0x7ffc0000 }, { "trace", 0x7ff00000 },
		{ "trap", 0x00030000 }, { "kill", 0x80000000 }, { "kill-thread", 0 },
	};
	unsigned long number;
	char *end;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (strlen(words[i].word) == n && !memcmp(s, words[i].word, n)) {
			*ret = words[i].ret;
			return true;
		}
	if (n < 7 || memcmp(s, "errno=", 6) || s[6] < '0' || s[6] > '9')
		return false;
	number = strtoul(s + 6, &end, 10);
	*ret = 0x00050000 | (uint32_t)number;
	return end == s + n && number <= 4095;
}

/* strict, or NAME:ACTION[,...]: what it says of the call; the first that names it, else *. */
static bool read_seccomp(const char *spec, struct explain_ask *a, struct err *e)
{
	bool exact = false;

	if (!spec || !strcmp(spec, "none"))
		return true;
	a->seccomp = VSYSEMU_SECCOMP_STRICT;
	if (!strcmp(spec, "strict"))
		return true;
	a->seccomp = VSYSEMU_SECCOMP_FILTER;
	a->seccomp_ret = 0x7fff0000;
	for (const char *p = spec; *p; p += *p == ',') {
		size_t n = strcspn(p, ":,"), len = strcspn(p, ",");
		uint32_t ret;
		bool named = n == strlen(calls[a->nr]) && !memcmp(p, calls[a->nr], n);

		if (p[n] != ':' || !n || !read_action(p + n + 1, len - n - 1, &ret))
			return err_set(e, "--seccomp: \"%.*s\" is not NAME:ACTION with ACTION allow, errno=N, trap, "
					  "kill, kill-thread, log or trace (or strict)",
				       (int)(len < 60 ? len : 60), p);
		if ((named && !exact) || (!exact && n == 1 && *p == '*'))
			a->seccomp_ret = ret;
		exact |= named;
		p += len;
	}
	return true;
}

static bool read_ask(const struct options *o, struct explain_ask *a, struct err *e)
{
	uint64_t n;

	a->cs = VSYSEMU_CS_USER;
	if ((!o->follow && !read_call(o, a, e)) || !read_seccomp(o->seccomp, a, e))
		return false;
	if (o->follow && (o->rip || o->cs || o->error_code || o->stack))
		return err_set(e, "--follow takes the frame from the run: no --rip, --cs, --error-code, --stack");
	if (o->nth && !o->follow)
		return err_set(e, "--nth says which call of --follow");
	if (o->rip) {
		if (!read_number("rip", o->rip, UINT64_MAX, &a->rip, e))
			return false;
		a->rip_set = true;
	}
	if (o->cs) {
		if (!read_number("cs", o->cs, 0xffff, &n, e))
			return false;
		a->cs = (uint16_t)n;
	}
	if (o->error_code) {
		if (!read_number("error-code", o->error_code, 0xffff, &n, e))
			return false;
		a->error_code = (uint32_t)n;
		a->code_set = true;
	}
	a->bad_stack = o->stack && !strcmp(o->stack, "bad");
	return true;
}

static bool has_form(const char *form)
{
	return !form || !strcmp(form, "text") || !strcmp(form, "json") || !strcmp(form, "html") ||
	       !strcmp(form, "none");
}

static int answer(const struct options *o, const struct model *m, struct explain_ask *a, struct err *e)
{
	struct explain_side one = { .m = m, .policy = m->active }, two = { .m = m, .policy = m->baseline };
	const struct model_policy *p = &m->policy[one.policy], *q = &m->policy[two.policy];
	/* A policy is not set beside itself. */
	const struct explain_side *beside = p->mode != q->mode || strcmp(p->kernel->name, q->kernel->name) ? &two : NULL;
	const char *form = o->report ? o->report : "text";
	struct buf out = { 0 };
	bool good;

	a->m = m;
	a->policy = one.policy;
	explain(a, &one.x);
	a->policy = two.policy;
	explain(a, &two.x);
	if (!strcmp(form, "json"))
		explain_json(&one, beside, a->nr, a->seen, &out);
	else if (!strcmp(form, "html"))
		explain_html(&one, beside, a->nr, a->seen, &out);
	else if (!strcmp(form, "text"))
		explain_text(&one, a->nr, &out);
	good = !strcmp(form, "none") || output_write(o->output ? o->output : "-", &out, e);
	buf_free(&out);
	explain_free(&one.x);
	explain_free(&two.x);
	return good ? 0 : -1;
}

/* The call of the run, if one is to be followed. */
static bool read_run(const struct options *o, const struct model *m, struct explain_ask *a, struct explain_seen *seen,
		     struct err *e)
{
	uint64_t nth = 1;

	if (!o->follow)
		return true;
	if (o->nth && (!read_number("nth", o->nth, UINT32_MAX, &nth, e) || !nth))
		return err_set(e, "--nth: the first call is 1");
	return explain_follow(o, m, (unsigned)nth, a, seen, e);
}

/* What no processor raises. */
static bool impossible(const struct model *m, const struct explain_ask *a, struct err *e)
{
	if (a->code_set && a->error_code && m->policy[m->active].trap == TRAP_GEN_GP)
		return err_set(e, "--error-code: the fault of LASS is a #GP, whose error code is 0"), true;
	return false;
}

int cli_explain(const struct options *o, struct err *e)
{
	struct explain_ask a = { .seccomp = VSYSEMU_SECCOMP_OFF };
	struct explain_seen seen = { .nth = 0 };
	struct model_choice c = {
		.mode = o->mode, .kernel = o->kernel, .trap = o->trap, .cpu = o->cpu,
		.clocksource = o->clocksource, .baseline = o->baseline, .mitigations = o->mitigations,
		.accounting = o->accounting, .set = (const char *const *)o->set.at, .set_n = o->set.n,
		.audit = o->audit_on, .timens = o->timens != NULL,
	};
	struct model m;
	int status = -1;

	if (!has_form(o->report)) {
		err_set(e, "--report: explain has text, json, html and none");
		return -1;
	}
	memset(&m, 0, sizeof(m));
	if (read_ask(o, &a, e) && model_resolve(&m, &c, e) && read_run(o, &m, &a, &seen, e))
		status = impossible(&m, &a, e) ? -1 : answer(o, &m, &a, e);
	explain_follow_free(&seen);
	model_free(&m);
	return status;
}
