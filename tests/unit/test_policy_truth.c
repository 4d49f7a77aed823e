/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decision core alone against what real kernels answered: for rows of tests/truth/given.tsv that
 * enter the page, the trap frame of the probe is built, the body is played on the probe's memory, and
 * outcome, signal and registers must be the row's.  No engine, no emulated kernel.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/truth_compare.h"
#include "facts/policy.h"

#define PAGE VSYSEMU_PAGE
#define PATTERN 0xa5a5a5a5a5a5a5a5ull
#define CALLER 0x401ab0ull

struct probe {
	uint64_t target, rdi, rsi, rsp, ret;
	enum vsysemu_seccomp_mode seccomp;
	uint32_t action;
	bool ip_match;
};

static const struct column {
	const char *name;
	unsigned major, minor;
	enum vsysemu_mode mode;
} columns[] = {
	{ "host-6.18-xonly", 6, 18, VSYSEMU_XONLY }, { "6.1-emulate", 0, 0, VSYSEMU_EMULATE },
	{ "6.1-xonly", 0, 0, VSYSEMU_XONLY }, { "6.1-none", 0, 0, VSYSEMU_NONE },
	{ "4.10.7-emulate", 4, 10, VSYSEMU_EMULATE }, { "4.10.7-none", 4, 10, VSYSEMU_NONE },
	{ "3.16.6-emulate", 3, 16, VSYSEMU_EMULATE }, { "3.16.6-none", 3, 16, VSYSEMU_NONE },
};

/* 6.1.192 carries what came later: an E8 of 6.1's user limit. */
static void profile_of(const struct column *c, struct vsysemu_profile *p)
{
	if (c->major) {
		assert_true(vsysemu_profile_release(p, c->major, c->minor));
		return;
	}
	assert_true(vsysemu_profile_release(p, 6, 1));
	p->era = VSYSEMU_E8;
	p->fetch_by_rip = true;
}

/* 'w' writable, 'r' readable, 'n' mapped without rights, 0 not mapped. */
static char rights(uint64_t at)
{
	if (at - 0x10000000 < 0x2000 || at - 0x10040000 < 0x2000)
		return 'w';
	if (at - 0x10010000 < 0x1000 || at - 0x10050000 < 0x1000)
		return 'r';
	return at - 0x10020000 < 0x1000 || at - 0x7ffd00000000 < 0x10000 ? (at < 0x7ffd00000000 ? 'n' : 'w') : 0;
}

static bool read_memory(void *ctx, void *dst, uint64_t addr, size_t n)
{
	const struct probe *p = ctx;
	size_t i;

	for (i = 0; i < n; i++)
		if (!rights(addr + i) || rights(addr + i) == 'n')
			return false;
	memset(dst, 0, n);
	memcpy(dst, &p->ret, n < 8 ? n : 8);
	return true;
}

static void filter(void *ctx, const struct vsysemu_seccomp_data *d, struct vsysemu_seccomp_answer *a)
{
	const struct probe *p = ctx;

	a->ret = p->ip_match ? 0x00050000u | (d->ip == p->target ? 77 : 88) : p->action;
}

/* A store of @n bytes by the body; false: the fault is in @b. */
static bool store(struct vsysemu_body *b, uint64_t at, unsigned n)
{
	unsigned i;

	for (i = 0; at && i < n; i++) {
		if (rights(at + i) == 'w')
			continue;
		if (!b->fault) {
			b->fault = true;
			b->addr = at + i;
			b->mapped = rights(at + i) != 0;
			b->error_code = VSYSEMU_PF_W;
		}
		b->result = -14;
		return false;
	}
	return true;
}

static void play_body(const struct vsysemu_verdict *v, struct vsysemu_body *b)
{
	memset(b, 0, sizeof(*b));
	if (v->call_nr == 96) {
		if (store(b, v->args[0], 8) && store(b, v->args[0] ? v->args[0] + 8 : 0, 8))
			store(b, v->args[1], 8);
	} else if (v->call_nr == 201) {
		if (store(b, v->args[0], 8))
			b->result = 1700000000;
	} else {
		store(b, v->args[0], 4);
		store(b, v->args[1], 4);
	}
}

static void symbol(uint64_t v, char *out, size_t size)
{
	if (v - PAGE <= 0x1000)
		snprintf(out, size, "vsys+0x%llx", (unsigned long long)(v - PAGE));
	else if (PAGE - v <= 0x100)
		snprintf(out, size, "vsys-%llu", (unsigned long long)(PAGE - v));
	else if (v == CALLER)
		snprintf(out, size, "AFTER");
	else
		snprintf(out, size, "0x%llx", (unsigned long long)v);
}

static void say_signal(const struct vsysemu_signal *s, uint64_t rip, uint64_t rax, char *out, size_t size)
{
	char where[40], value[40];

	symbol(rip, where, sizeof(where));
	snprintf(value, sizeof(value), rax == 1700000000 ? "TIME" : "0x%llx", (unsigned long long)rax);
	snprintf(out, size, "sig sig=%d code=%d addr=0x%llx trapno=%llu err=0x%llx cr2=0x%llx rip=%s srax=%s",
		 s->signo, s->code, (unsigned long long)s->addr,
		 s->trap_set ? (unsigned long long)s->trapno : 0,
		 s->trap_set ? (unsigned long long)s->error : 0,
		 s->cr2_set ? (unsigned long long)s->cr2 : 0, where, value);
}

static void say_log(const struct vsysemu_log *l, char *out, size_t size)
{
	size_t n = strlen(out), cut;
	const char *text = l->tag ? vsysemu_tag_message(l->tag) : NULL;

	if (!text)
		return;
	cut = strcspn(text, "(-");
	if (strstr(text, "syscall nr"))
		cut = (size_t)(strstr(text, "syscall nr") - text);
	snprintf(out + n, size - n, " klog=%.*s", (int)cut, text);
	for (n += 6; out[n]; n++)
		if (out[n] == ' ')
			out[n] = out[n + 1] ? '_' : 0;
	n = strlen(out);
	if (out[n - 1] == '_')
		out[n - 1] = 0;
}

/* What the core says of one arrival; a return to another entry arrives again. */
static void decide(const struct column *c, const struct probe *p, char *out, size_t size)
{
	struct vsysemu_profile prof;
	struct vsysemu_guest g = { (void *)(uintptr_t)p, read_memory, filter };
	struct vsysemu_frame f = { .vector = VSYSEMU_VEC_PF, .addr = p->target, .rip = p->target,
				   .rflags = 0x283, .cs = VSYSEMU_CS_USER, .seccomp = p->seccomp };
	struct vsysemu_page page;
	struct vsysemu_verdict v;
	struct vsysemu_body b;
	char value[40];

	profile_of(c, &prof);
	page = vsysemu_page_of(&prof, c->mode);
	f.error_code = VSYSEMU_PF_U | VSYSEMU_PF_I;
	if (page.present && p->target - PAGE < 0x1000)
		f.error_code |= VSYSEMU_PF_P;
	f.gpr[VSYSEMU_RAX] = PATTERN;
	f.gpr[VSYSEMU_RDI] = p->rdi;
	f.gpr[VSYSEMU_RSI] = p->rsi;
	f.gpr[VSYSEMU_RSP] = p->rsp;
	vsysemu_policy_decide(&prof, c->mode, &f, &g, &v);
	if (v.kind == VSYSEMU_CALL) {
		play_body(&v, &b);
		vsysemu_policy_finish(&prof, c->mode, &f, &b, &v);
	}
	if (v.kind == VSYSEMU_RETURN && v.landing_faults) {
		say_signal(&v.landing, v.rip, v.rax, out, size);
	} else if (v.kind == VSYSEMU_RETURN) {
		snprintf(value, sizeof(value), v.rax == 1700000000 ? "TIME" : "0x%llx", (unsigned long long)v.rax);
		snprintf(out, size, "ret rax=%s chg=none rspd=%lld", value, (long long)(v.rsp - p->rsp));
	} else if (v.kind == VSYSEMU_KILL) {
		snprintf(out, size, "killed termsig=%d", v.kill_signo);
	} else {
		say_signal(&v.signal, v.rip, v.rax, out, size);
	}
	say_log(&v.log, out, size);
}

static const char *after(const char *s, const char *prefix)
{
	return strncmp(s, prefix, strlen(prefix)) ? NULL : s + strlen(prefix);
}

static bool pointer(const char *s, uint64_t *v)
{
	static const struct {
		const char *name;
		uint64_t v;
	} names[] = { { "null", 0 }, { "zero", 0 }, { "rw", 0x10000100 }, { "rw+1", 0x10000101 },
		      { "low16", 0x10 }, { "ro", 0x10010010 }, { "protnone", 0x10020000 },
		      { "unmapped", 0x10030000 }, { "taskmax", 0x7ffffffff000 }, { "2e47", 1ull << 47 },
		      { "2e63", 1ull << 63 }, { "kernel", 0xffffffff81000000 }, { "vsys", PAGE },
		      { "good", 0x10041000 }, { "odd", 0x10041001 }, { "last8", 0x10041ff8 },
		      { "last4-straddle", 0x10041ffc } };
	const char *n;
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(s, names[i].name))
			return *v = names[i].v, true;
	if ((n = after(s, "end-")))
		return *v = 0x10002000 - strtoull(n, NULL, 10), true;
	if ((n = after(s, "taskmax-")))
		return *v = 0x7ffffffff000 - strtoull(n, NULL, 10), true;
	if ((n = after(s, "minus")))
		return *v = -strtoull(n, NULL, 10), true;
	return false;
}

/* "first=X" or "first=X,second=Y". */
static bool pair(const char *s, const char *first, const char *second, struct probe *p)
{
	char head[40];
	const char *x = after(s, first), *y = x ? strstr(x, second) : NULL;
	size_t n;

	if (!x)
		return false;
	n = y ? (size_t)(y - x) : strlen(x);
	snprintf(head, sizeof(head), "%.*s", (int)n, x);
	return pointer(head, &p->rdi) && (!y || pointer(y + strlen(second), &p->rsi));
}

static bool seccomp_probe(const char *s, struct probe *p)
{
	static const struct {
		const char *name;
		uint32_t ret;
	} actions[] = { { "allow:", 0x7fff0000 }, { "log:", 0x7ffc0000 }, { "trap:", 0x30000 },
			{ "trace-notracer:", 0x7ff00000 }, { "usernotif-nolistener:", 0x7fc00000 },
			{ "kill-thread:", 0 }, { "kill-process:", 0x80000000 }, { "errno0:", 0x50000 },
			{ "errno14:", 0x5000e }, { "errno42:", 0x5002a } };
	const char *rest = after(s, "ip-match(77=yes):");
	size_t i;

	p->seccomp = VSYSEMU_SECCOMP_FILTER;
	p->ip_match = rest;
	for (i = 0; !rest && i < sizeof(actions) / sizeof(actions[0]); i++) {
		rest = after(s, actions[i].name);
		p->action = actions[i].ret;
	}
	if (!rest && (rest = after(s, "strict:")))
		p->seccomp = VSYSEMU_SECCOMP_STRICT;
	if (!rest)
		return false;
	p->target = PAGE;
	if (after(rest, "tv="))
		return pair(rest, "tv=", ",", p);
	if (after(rest, "stack="))
		return pointer(rest + 6, &p->rsp);
	p->target = PAGE + strtoull(rest, NULL, 16);
	return after(rest, "0x");
}

static bool probe_of(const char *id, struct probe *p)
{
	const char *s, *colon = strrchr(id, ':');
	char head[40];

	*p = (struct probe){ .target = PAGE, .rdi = 0x10000100, .rsp = 0x7ffd00001000, .ret = CALLER };
	if ((s = after(id, "entry:"))) {
		p->target += *s == '-' ? -strtoull(s + 1, NULL, 16) : strtoull(s, NULL, 16);
		p->rsi = 0x10000200;
		return true;
	}
	if ((s = after(id, "gtod:")))
		return pair(s, "tv=", ",tz=", p);
	if ((s = after(id, "time:")))
		return p->target += 0x400, pair(s, "t=", ",", p);
	if ((s = after(id, "getcpu:")))
		return p->target += 0x800, pair(s, "cpu=", ",node=", p);
	if (after(id, "via-"))
		return p->target += strtoull(colon + 1, NULL, 16), true;
	if ((s = after(id, "stack:"))) {
		snprintf(head, sizeof(head), "%.*s", (int)(colon - s), s);
		p->target += strtoull(colon + 1, NULL, 16);
		if (!strcmp(head, "ro"))
			return p->rsp = 0x10050100, true;
		return pointer(head, &p->rsp);
	}
	if (!strcmp(id, "stack+ptr:unmapped,kernel"))
		return p->rsp = 0x10030000, pointer("kernel", &p->rdi);
	if ((s = after(id, "retaddr:"))) {
		p->target += 0x400;
		p->rdi = 0;
		/* The others need what is mapped there, or arrive once more. */
		return (!strcmp(s, "taskmax") || !strcmp(s, "kernel")) && pointer(s, &p->ret);
	}
	return (s = after(id, "seccomp:")) && seccomp_probe(s, p);
}

/* What a frame alone cannot say: written memory, and where rsp was before the call was pushed. */
static void drop(char *answer, const char *field)
{
	char *p = strstr(answer, field), *end;

	if (!p)
		return;
	end = p + 1 + strcspn(p + 1, " ");
	memmove(p, end, strlen(end) + 1);
}

static bool row_holds(const struct column *c, const char *id, char *want)
{
	static const struct truth_rules plain;
	char got[400];
	const char *why;
	struct probe p;

	if (!probe_of(id, &p) || !strcmp(want, "-"))
		return true;
	/* 4.10.7 was built without seccomp. */
	if (p.seccomp && !strncmp(c->name, "4.10", 4))
		return true;
	decide(c, &p, got, sizeof(got));
	drop(want, " mem=");
	drop(want, " rspd=");
	drop(got, " rspd=");
	if (truth_compare(&plain, id, want, got, &why) == TRUTH_SAME)
		return true;
	printf("# %s %s: %s\n#   want %s\n#   got  %s\n", c->name, id, why, want, got);
	return false;
}

static char *cell(char *line, int n)
{
	static char out[1024];

	while (n-- > 0)
		line = strchr(line, '\t') + 1;
	snprintf(out, sizeof(out), "%.*s", (int)strcspn(line, "\t\n"), line);
	return out;
}

static int column_index(const char *header, const char *name)
{
	const char *p = strstr(header, name);
	int n = 0;

	assert_non_null(p);
	for (; header < p; header++)
		n += *header == '\t';
	return n;
}

static void rows_hold(void **state)
{
	char line[8192], header[1024], id[128];
	FILE *f = fopen("tests/truth/given.tsv", "r");
	int bad = 0, rows = 0;
	struct probe p;
	size_t i;

	(void)state;
	assert_non_null(f);
	assert_non_null(fgets(header, sizeof(header), f));
	while (fgets(line, sizeof(line), f)) {
		snprintf(id, sizeof(id), "%.127s", cell(line, 0));
		rows += probe_of(id, &p);
		for (i = 0; i < sizeof(columns) / sizeof(columns[0]); i++)
			bad += !row_holds(&columns[i], id, cell(line, column_index(header, columns[i].name)));
	}
	fclose(f);
	assert_true(rows > 150);
	assert_int_equal(bad, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(rows_hold) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
