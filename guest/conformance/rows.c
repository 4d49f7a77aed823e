/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The families of rows: what probe an id stands for, and the ids that each family has. */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>

#include "conformance.h"

extern void t_syscall(void), t_call(void), t_ret(void), t_lretq(void), t_iretq(void);
extern void t_retaddr(void), t_stack(void), t_sigreturn(void), t_load8(void), t_load1(void);
extern void t_store(void), t_cmpxchg(void), t_prefetch(void), t_intcc(void), t_hlt(void);
extern void t_int3(void), t_compat0(void), t_compat1(void), t_compat2(void), t_compat3(void);
extern char l_compat_load[], l_compat_call[], l_compat_store[], l_compat_int[];

#define RW (MEM_RW + 0x100)
#define RW2 (MEM_RW + 0x200)
#define TF 0x100u

static const struct {
	const char *name;
	uint64_t offset;
	long nr;
	const char *first, *second;
} calls[3] = {
	{ "gtod", 0x0, SYS_gettimeofday, "tv=", ",tz=" },
	{ "time", 0x400, SYS_time, "t=", NULL },
	{ "getcpu", 0x800, SYS_getcpu, "cpu=", ",node=" },
};

static const char *after(const char *s, const char *prefix)
{
	size_t n = strlen(prefix);

	return strncmp(s, prefix, n) ? NULL : s + n;
}

/* A signed hexadecimal offset that takes the whole string. */
static bool offset(const char *s, uint64_t *v)
{
	bool minus = *s == '-';
	char *end;

	s += minus;
	if (strncmp(s, "0x", 2) || !s[2])
		return false;
	*v = strtoull(s, &end, 16);
	if (minus)
		*v = -*v;
	return !*end;
}

static bool value(const char *s, uint64_t *v)
{
	return probe_value(s, strlen(s), v);
}

static bool entry(const char *s, struct probe *p)
{
	uint64_t o;

	if (!offset(s, &o))
		return false;
	p->target = PAGE_VSYS + o;
	return true;
}

static bool stack_value(const char *s, uint64_t *v)
{
	static const struct {
		const char *name;
		uint64_t v;
	} names[] = {
		{ "good", MEM_STACK + 0x1000 }, { "odd", MEM_STACK + 0x1001 },
		{ "last8", MEM_STACK + 0x1ff8 }, { "last4-straddle", MEM_STACK + 0x1ffc },
		{ "ro", MEM_STACK_RO + 0x100 },
	};
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(s, names[i].name))
			return *v = names[i].v, true;
	return value(s, v);
}

static bool entry_row(const char *s, struct probe *p)
{
	p->rsi = RW2;
	return entry(s, p);
}

static bool exec_row(const char *s, struct probe *p)
{
	p->rsi = RW2;
	return value(s, &p->target);
}

/* "tv=X,tz=Y" of call @k. */
static bool call_row(int k, const char *s, struct probe *p)
{
	const char *x = after(s, calls[k].first), *y;

	if (!x)
		return false;
	p->target = PAGE_VSYS + calls[k].offset;
	y = calls[k].second ? strstr(x, calls[k].second) : NULL;
	if (!probe_value(x, y ? (size_t)(y - x) : strlen(x), &p->rdi))
		return false;
	return !y || value(y + strlen(calls[k].second), &p->rsi);
}

static bool gtod_row(const char *s, struct probe *p) { return call_row(0, s, p); }
static bool time_row(const char *s, struct probe *p) { return call_row(1, s, p); }
static bool getcpu_row(const char *s, struct probe *p) { return call_row(2, s, p); }

static bool syscall_row(const char *s, struct probe *p)
{
	static const char *const names[3] = { "gettimeofday:", "time:", "getcpu:" };
	const char *x;
	int k;

	p->stub = t_syscall;
	p->flags = 0x297;
	for (k = 0; k < 3; k++) {
		x = after(s, names[k]);
		if (!x)
			continue;
		p->rax = (uint64_t)calls[k].nr;
		return value(x, &p->rdi);
	}
	return false;
}

static bool via_row(const char *s, struct probe *p)
{
	static const struct {
		const char *name;
		void (*stub)(void);
		uint64_t flags;
	} ways[] = {
		{ "ret:", t_ret, 0x287 }, { "lretq:", t_lretq, 0x297 }, { "iretq:", t_iretq, 0x212 },
		{ "sigreturn:", t_sigreturn, 0x246 },
	};
	size_t i;
	const char *x;

	for (i = 0; i < sizeof(ways) / sizeof(ways[0]); i++) {
		x = after(s, ways[i].name);
		if (!x)
			continue;
		p->stub = ways[i].stub;
		p->flags = ways[i].flags;
		return entry(x, p);
	}
	return false;
}

/* "X:ENTRY": the part before the last colon, copied. */
static const char *split(const char *s, char *head, size_t size)
{
	const char *c = strrchr(s, ':');

	if (!c || (size_t)(c - s) >= size)
		return NULL;
	memcpy(head, s, (size_t)(c - s));
	head[c - s] = 0;
	return c + 1;
}

static bool stack_row(const char *s, struct probe *p)
{
	char head[32];
	const char *e = split(s, head, sizeof(head));

	p->stub = t_stack;
	p->flags = 0x246;
	return e && stack_value(head, &p->rsp) && entry(e, p);
}

static bool stack_ptr_row(const char *s, struct probe *p)
{
	char head[32];
	const char *comma = strchr(s, ',');

	if (!comma || (size_t)(comma - s) >= sizeof(head))
		return false;
	memcpy(head, s, (size_t)(comma - s));
	head[comma - s] = 0;
	p->stub = t_stack;
	p->flags = 0x246;
	p->target = PAGE_VSYS;
	return stack_value(head, &p->rsp) && value(comma + 1, &p->rdi);
}

static bool retaddr_row(const char *s, struct probe *p)
{
	static const struct {
		const char *name;
		uint64_t v;
	} pages[] = {
		{ "vsys0", PAGE_VSYS }, { "vsys400", PAGE_VSYS + 0x400 },
		{ "vsys800", PAGE_VSYS + 0x800 }, { "vsysc00", PAGE_VSYS + 0xc00 },
	};
	size_t i;

	p->stub = t_retaddr;
	p->target = PAGE_VSYS + 0x400;
	p->rdi = 0;
	for (i = 0; i < sizeof(pages) / sizeof(pages[0]); i++)
		if (!strcmp(s, pages[i].name))
			return p->retaddr = pages[i].v, true;
	return value(s, &p->retaddr);
}

static bool tf_row(const char *s, struct probe *p)
{
	char head[32];
	const char *comma = strchr(s, ',');

	p->flags = 0x297 | TF;
	if (!comma)
		return entry(s, p);
	if ((size_t)(comma - s) >= sizeof(head))
		return false;
	memcpy(head, s, (size_t)(comma - s));
	head[comma - s] = 0;
	s = after(comma, ",tv=");
	return s && value(s, &p->rdi) && entry(head, p);
}

static bool filter_action(const char *s, struct probe *p)
{
	static const struct {
		const char *name;
		uint32_t ret;
	} names[] = {
		{ "allow", 0x7fff0000u }, { "log", 0x7ffc0000u }, { "trace-notracer", 0x7ff00000u },
		{ "usernotif-nolistener", 0x7fc00000u }, { "trap", 0x00030000u },
		{ "trap-resume", 0x00030000u }, { "kill-thread", 0 }, { "kill-process", 0x80000000u },
	};
	const char *n = after(s, "errno");
	size_t i;

	p->prepare = PREPARE_FILTER;
	p->resume = !strcmp(s, "trap-resume");
	if (n && *n) {
		p->action = 0x00050000u | (uint16_t)strtoul(n, NULL, 10);
		return true;
	}
	p->ip_match = !strcmp(s, "ip-match(77=yes)");
	if (!strcmp(s, "strict"))
		p->prepare = PREPARE_STRICT;
	if (p->ip_match || p->prepare == PREPARE_STRICT)
		return true;
	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (!strcmp(s, names[i].name))
			return p->action = names[i].ret, true;
	return false;
}

/* What is called under the filter: an entry, an entry with a bad argument or stack, or the door of
 * the real system call. */
static bool filter_call(const char *s, struct probe *p)
{
	static const char *const real[3] = { "real-syscall-gettimeofday", "real-syscall-time",
					     "real-syscall-getcpu" };
	const char *x = after(s, "stack=");
	int k;

	if (x) {
		p->stub = t_stack;
		p->rdi = 0;
		p->target = PAGE_VSYS;
		return stack_value(x, &p->rsp);
	}
	for (k = 0; k < 3; k++) {
		if (after(s, calls[k].first))
			return call_row(k, s, p);
		if (strcmp(s, real[k]))
			continue;
		p->stub = t_syscall;
		p->flags = 0x297;
		p->rax = (uint64_t)calls[k].nr;
		p->rdi = 0;
		return true;
	}
	return entry(s, p);
}

static bool seccomp_row(const char *s, struct probe *p)
{
	char head[64];
	const char *e = split(s, head, sizeof(head));
	const char *what = e ? after(head, "trace+tracer:") : NULL;

	if (!e)
		return false;
	if (what) {
		if (!trace_seccomp_known(what))
			return false;
		p->action = 0x7ff00000u;
		p->prepare = PREPARE_FILTER;
		p->traced = true;
		p->flags = 0x216;
		return filter_call(e, p);
	}
	return filter_action(head, p) && filter_call(e, p);
}

static bool seccomp_tf_row(const char *s, struct probe *p)
{
	char head[64];
	const char *e = split(s, head, sizeof(head));

	p->target = PAGE_VSYS;
	if (e && !entry(e, p))
		return false;
	if (!filter_action(e ? head : s, p))
		return false;
	p->resume = p->action == 0x00030000u;
	p->flags = 0x297 | TF;
	return true;
}

static bool prepared_row(const char *s, struct probe *p, enum prepare how)
{
	p->prepare = how;
	p->resume = how == PREPARE_SUD;
	if (how != PREPARE_SUD && how != PREPARE_TSC)
		p->rdi = 0;
	return entry(s, p);
}

static bool sud_row(const char *s, struct probe *p) { return prepared_row(s, p, PREPARE_SUD); }
static bool tsc_row(const char *s, struct probe *p) { return prepared_row(s, p, PREPARE_TSC); }
static bool ignored_row(const char *s, struct probe *p) { return prepared_row(s, p, PREPARE_IGNORE); }
static bool default_row(const char *s, struct probe *p) { return prepared_row(s, p, PREPARE_DEFAULT); }
static bool blocked_row(const char *s, struct probe *p) { return prepared_row(s, p, PREPARE_BLOCK); }

static bool access_row(const char *s, struct probe *p, void (*stub)(void))
{
	uint64_t o;

	p->stub = stub;
	if (offset(s, &o))
		return p->target = PAGE_VSYS + o, true;
	if (!strcmp(s, "ro"))
		return p->target = MEM_RO, true;
	return value(s, &p->target);
}

static bool load8_row(const char *s, struct probe *p) { return access_row(s, p, t_load8); }
static bool load1_row(const char *s, struct probe *p) { return access_row(s, p, t_load1); }
static bool store1_row(const char *s, struct probe *p) { return access_row(s, p, t_store); }
static bool cmpxchg_row(const char *s, struct probe *p) { return access_row(s, p, t_cmpxchg); }
static bool prefetch_row(const char *s, struct probe *p) { return access_row(s, p, t_prefetch); }

static bool bare_row(const char *s, struct probe *p, void (*stub)(void))
{
	p->stub = stub;
	return !*s;
}

static bool intcc_row(const char *s, struct probe *p) { return bare_row(s, p, t_intcc); }
static bool hlt_row(const char *s, struct probe *p) { return bare_row(s, p, t_hlt); }
static bool int3_row(const char *s, struct probe *p) { return bare_row(s, p, t_int3); }

static bool compat_row(const char *s, struct probe *p)
{
	static const struct {
		const char *name;
		void (*stub)(void);
		char *code;
	} kinds[] = {
		{ "call-", t_compat1, l_compat_call }, { "load-", t_compat0, l_compat_load },
		{ "store-", t_compat2, l_compat_store }, { "int-0xcc", t_compat3, l_compat_int },
	};
	const char *x;
	size_t i;

	p->rsp = MEM_STACK + 0x1f00;
	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		x = after(s, kinds[i].name);
		if (!x)
			continue;
		p->stub = kinds[i].stub;
		p->retaddr = (uint64_t)kinds[i].code;
		return !*x || offset(x, &p->rbx);
	}
	return false;
}

static const struct {
	const char *prefix;
	bool (*row)(const char *s, struct probe *p);
} families[] = {
	{ "entry:", entry_row }, { "exec:", exec_row }, { "gtod:", gtod_row }, { "time:", time_row },
	{ "getcpu:", getcpu_row }, { "syscall:", syscall_row }, { "via-", via_row },
	{ "stack:", stack_row }, { "stack+ptr:", stack_ptr_row }, { "retaddr:", retaddr_row },
	{ "tf:", tf_row }, { "seccomp:", seccomp_row }, { "seccomp+tf:", seccomp_tf_row },
	{ "sud-block:", sud_row }, { "tsc-sigsegv:", tsc_row },
	{ "sigsegv-ignored:", ignored_row }, { "sigsegv-default:", default_row },
	{ "sigsegv-blocked:", blocked_row }, { "load8:", load8_row }, { "load1:", load1_row },
	{ "store1:", store1_row }, { "cmpxchg:", cmpxchg_row }, { "prefetch:", prefetch_row },
	{ "int-0xcc", intcc_row }, { "hlt", hlt_row }, { "int3", int3_row },
	{ "compat32:", compat_row }, { "sys:", sys_row }, { "consistency:", sys_row },
};

bool row_run(const char *id, bool in_process, char *out, size_t size)
{
	struct probe p = { .stub = t_call, .rax = PATTERN_RAX, .rdi = RW, .flags = 0x283 };
	char what[64];
	struct result r;
	const char *rest = after(id, "ptrace:"), *e;
	size_t i;

	if (rest)
		return trace_row(rest, out, size);
	for (i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
		rest = after(id, families[i].prefix);
		if (rest)
			break;
	}
	if (!rest || !families[i].row(rest, &p))
		return false;
	e = p.traced ? split(id + strlen("seccomp:trace+tracer:"), what, sizeof(what)) : NULL;
	if (!probe_run(&p, e ? trace_seccomp : NULL, what, in_process, &r))
		snprintf(out, size, "-");
	else if (!r.kind && after(id, "consistency:"))
		snprintf(out, size, "killed");
	else if (!r.kind && !r.termsig)
		snprintf(out, size, "-");
	else
		probe_format(&r, out, size);
	return true;
}
