/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Comparison of two answers: both are taken apart into words and fields, and each field is compared
 * by its own rule.  Knows nothing of how answers come about.
 */
#include "cli/truth_compare.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define FIELDS_MAX 24
#define PAGE 0xffffffffff600000ull

struct field {
	const char *name, *value;
};

struct answer {
	char *text; /* owned: cut into the fields */
	const char *outcome; /* ret, sig, killed, ok, err, trace */
	struct field field[FIELDS_MAX];
	int n;
};

static void answer_parse(struct answer *a, const char *text)
{
	char *p, *save = NULL, *eq;

	memset(a, 0, sizeof(*a));
	a->text = xstrdup(text);
	a->outcome = strtok_r(a->text, " ", &save);
	while (a->n < FIELDS_MAX && (p = strtok_r(NULL, " ", &save)) != NULL) {
		eq = strchr(p, '=');
		if (!eq)
			continue;
		*eq = 0;
		/* "sig=31,code=1,rip=X" after a return is another field than "sig=11". */
		a->field[a->n].name = !strcmp(p, "sig") && strchr(eq + 1, ',') ? "resumed" : p;
		a->field[a->n++].value = eq + 1;
	}
	if (!a->outcome)
		a->outcome = "";
}

static const char *answer_get(const struct answer *a, const char *name)
{
	int i;

	for (i = 0; i < a->n; i++)
		if (!strcmp(a->field[i].name, name))
			return a->field[i].value;
	return NULL;
}

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* Kinds of addresses whose exact value is no fact. */
static bool own_text(const char *s)
{
	uint64_t v = strtoull(s, NULL, 0);

	if (starts(s, "t_"))
		return true;
	return starts(s, "0x") && ((v >= 0x400000 && v < 0x600000) || (v >= 0x20000000 && v < 0x20200000));
}

static bool stack_address(const char *s)
{
	uint64_t v = strtoull(s, NULL, 0);

	if (!strcmp(s, "STACK"))
		return true;
	return starts(s, "0x") && v >= 0x7f0000000000 && v < 0x7fffffff0000;
}

static bool in_page(const char *s, uint64_t *v)
{
	if (starts(s, "vsys+"))
		*v = PAGE + strtoull(s + 5, NULL, 0);
	else if (starts(s, "vsys-"))
		*v = PAGE - strtoull(s + 5, NULL, 0);
	else
		*v = strtoull(s, NULL, 0);
	return *v - PAGE + 0x10000 < 0x20000;
}

static bool same_value(const char *a, const char *b)
{
	uint64_t x, y;

	if (!strcmp(a, b) || (own_text(a) && own_text(b)) || (stack_address(a) && stack_address(b)))
		return true;
	return in_page(a, &x) && in_page(b, &y) && x == y;
}

struct ranges {
	struct {
		unsigned long start, end;
	} at[16];
	int n;
};

static void ranges_parse(struct ranges *r, const char *s)
{
	char *end;

	r->n = 0;
	while (s && *s && r->n < 16) {
		r->at[r->n].start = strtoul(s, &end, 0);
		r->at[r->n++].end = strtoul(end + (*end == '-'), &end, 0);
		s = *end == ',' ? end + 1 : NULL;
	}
}

static bool ranges_have(const struct ranges *r, unsigned long at)
{
	int i;

	for (i = 0; i < r->n; i++)
		if (at >= r->at[i].start && at < r->at[i].end)
			return true;
	return false;
}

/* A written byte that equals the fill is not seen: single bytes may be missing on either side. */
static bool same_memory(const char *a, const char *b)
{
	struct ranges x, y;
	unsigned long at;
	int run = 0, total = 0;

	ranges_parse(&x, a);
	ranges_parse(&y, b);
	for (at = 0; at < 0x2000; at++) {
		run = ranges_have(&x, at) != ranges_have(&y, at) ? run + 1 : 0;
		total += run > 0;
		if (run > 1 || total > 2)
			return false;
	}
	return true;
}

/* One register of "rcx:0x1,r11:0x283". */
static bool change_get(const char *list, const char *reg, size_t len, const char **v, size_t *vlen)
{
	const char *p = list, *colon;

	while (p && *p) {
		colon = strchr(p, ':');
		if (!colon)
			return false;
		*v = colon + 1;
		*vlen = strcspn(*v, ",");
		if ((size_t)(colon - p) == len && !memcmp(p, reg, len))
			return true;
		p = (*v)[*vlen] ? *v + *vlen + 1 : NULL;
	}
	return false;
}

/* Where flags come from the way of arrival (tracer, far return), their arithmetic bits are noise;
 * the resume flag is an artefact of an emulated processor everywhere. */
static uint64_t flags_noise(const char *id)
{
	return 0x10000 | (starts(id, "via-") || strstr(id, "trace+tracer") ? 0x8d5 : 0);
}

static bool changes_within(const char *id, const char *a, const char *b)
{
	const char *p = a, *colon, *v, *w;
	char one[32], two[32];
	size_t n, m;

	if (!strcmp(a, "none"))
		return true;
	while (p && *p) {
		colon = strchr(p, ':');
		if (!colon)
			return false;
		v = colon + 1;
		n = strcspn(v, ",");
		if (!change_get(b, p, (size_t)(colon - p), &w, &m) || n >= sizeof(one) || m >= sizeof(two))
			return false;
		memcpy(one, v, n);
		memcpy(two, w, m);
		one[n] = two[m] = 0;
		if (starts(p, "r11:")) {
			if ((strtoull(one, NULL, 0) ^ strtoull(two, NULL, 0)) & ~flags_noise(id))
				return false;
		} else if (!same_value(one, two)) {
			return false;
		}
		p = v[n] ? v + n + 1 : NULL;
	}
	return true;
}

static bool same_resumed(const char *a, const char *b)
{
	const char *x = strstr(a, "rip="), *y = strstr(b, "rip=");

	if (!x || !y || x - a != y - b || strncmp(a, b, (size_t)(x - a)) != 0)
		return !strcmp(a, b);
	return same_value(x + 4, y + 4);
}

/* What full emulation of the processor got wrong in the tables; the right value beside it. */
static bool artefact(const char *id, const char *name, const char *want, const char *got)
{
	uint64_t v = strtoull(want, NULL, 0);

	if (!strcmp(name, "err") && !strcmp(want, "0xcc2") && !strcmp(got, "0x662"))
		return true;
	if (starts(id, "exec:") && !strcmp(name, "rip") && !strcmp(got, "CALL"))
		return (v >> 47) != 0 && (v >> 47) != 0x1ffff;
	return starts(id, "cmpxchg:") && !strcmp(name, "err");
}

static bool same_field(const char *id, const char *name, const char *want, const char *got)
{
	if (!strcmp(name, "mem"))
		return same_memory(want, got);
	if (!strcmp(name, "klog"))
		/* The log is rate limited: a line may be lost, never made up. */
		return !want || (got && !strcmp(want, got));
	if (!want || !got)
		return false;
	if (!strcmp(name, "chg"))
		return changes_within(id, want, got) && changes_within(id, got, want);
	if (!strcmp(name, "resumed"))
		return same_resumed(want, got);
	if (!strcmp(name, "rax") && strstr(id, "change-nr(getpid)") && strcmp(want, "TIME") && strcmp(got, "TIME"))
		return strtoull(want, NULL, 0) - 1 < 0x400000 && strtoull(got, NULL, 0) - 1 < 0x400000;
	return same_value(want, got) || artefact(id, name, want, got);
}

/* E0: what carries over from one build of the page to another. */
static bool carries_over(const char *name)
{
	static const char *const names[] = { "sig", "code", "trapno", "err", "mem", "termsig", "errno",
					     "rspd" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(name, names[i]))
			return true;
	return false;
}

/* Control enters the page elsewhere than at a function: what happens is up to the build's bytes. */
static bool inside_code(const char *id)
{
	const char *hex = strrchr(id, ':');
	uint64_t at;

	if (starts(id, "retaddr:vsysc00"))
		return true;
	if (!hex || starts(id, "load") || starts(id, "store") || starts(id, "sys:"))
		return false;
	if (hex[1] != '0' && hex[1] != '-')
		return false;
	at = strtoull(hex + 1, NULL, 16);
	if (hex[1] == '-')
		at = -strtoull(hex + 2, NULL, 16);
	return at != 0 && at != 0x400 && at != 0x800 && at + 0x1000 < 0x2000;
}

static bool reduced(const char *id)
{
	return starts(id, "seccomp:") || starts(id, "seccomp+tf:") || starts(id, "sys:process_vm_") ||
	       starts(id, "sys:madvise");
}

static const char *compare_fields(const struct truth_rules *r, const char *id, const struct answer *w,
				  const struct answer *g)
{
	int i;

	if (strcmp(w->outcome, g->outcome) != 0)
		return "another outcome";
	if (r->compiled_page && starts(w->outcome, "trace"))
		return NULL;
	for (i = 0; i < w->n + g->n; i++) {
		const char *name = i < w->n ? w->field[i].name : g->field[i - w->n].name;

		if (r->compiled_page && !carries_over(name))
			continue;
		if (!same_field(id, name, answer_get(w, name), answer_get(g, name)))
			return name;
	}
	return NULL;
}

enum truth_verdict truth_compare(const struct truth_rules *r, const char *id, const char *want,
				 const char *got, const char **why)
{
	struct answer w, g;

	*why = NULL;
	if (!strcmp(want, got))
		return TRUTH_SAME;
	if (!strcmp(want, "-"))
		return *why = "no answer given", TRUTH_SKIP;
	if (!strcmp(got, "?"))
		return *why = "unknown probe", TRUTH_SKIP;
	if (!strcmp(got, "-"))
		return *why = "the guest cannot do this probe here", TRUTH_SKIP;
	answer_parse(&w, want);
	answer_parse(&g, got);
	*why = compare_fields(r, id, &w, &g);
	/* The names point into the answers; the caller gets a text that lasts. */
	if (*why) {
		static const char *const lasting[] = { "another outcome", "sig", "code", "addr", "trapno",
			"err", "cr2", "rip", "srax", "rax", "chg", "rspd", "mem", "ntraps", "traps", "klog",
			"resumed", "termsig", "errno", "steps" };
		const char *name = "some field";
		size_t i;

		for (i = 0; i < sizeof(lasting) / sizeof(lasting[0]); i++)
			if (!strcmp(*why, lasting[i]))
				name = lasting[i];
		*why = name;
	}
	free(w.text);
	free(g.text);
	if (!*why)
		return TRUTH_SAME;
	if (r->compiled_page && inside_code(id))
		return *why = "the build's own code decides", TRUTH_SKIP;
	if (r->reduced_build && reduced(id))
		return *why = "the table's kernel was built without it", TRUTH_SKIP;
	return TRUTH_DIFFERS;
}
