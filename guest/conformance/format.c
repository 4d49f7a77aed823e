/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What was seen, in words. */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "conformance.h"

extern char l_load8[], l_intcc[];
extern void t_load1(void), t_store(void), t_cmpxchg(void), t_prefetch(void), t_hlt(void);
extern void t_int3(void), t_compat0(void), t_compat1(void), t_compat2(void), t_compat3(void);

/* Symbols that stand for addresses of this program. */
void probe_symbol(uint64_t v, bool tf, char *out, size_t size)
{
	static const struct {
		const char *name;
		void (*start)(void);
	} stubs[] = {
		{ "t_load1", t_load1 }, { "t_store", t_store }, { "t_cmpxchg", t_cmpxchg },
		{ "t_prefetch", t_prefetch }, { "t_hlt", t_hlt }, { "t_int3", t_int3 },
		{ "t_compat0", t_compat0 }, { "t_compat1", t_compat1 },
		{ "t_compat2", t_compat2 }, { "t_compat3", t_compat3 },
	};
	uint64_t d = v - (uint64_t)l_after;
	size_t i;
	char here;

	if (v - PAGE_VSYS <= 0x1000)
		snprintf(out, size, "vsys+0x%llx", (unsigned long long)(v - PAGE_VSYS));
	else if (PAGE_VSYS - v <= 0x100)
		snprintf(out, size, "vsys-%llu", (unsigned long long)(PAGE_VSYS - v));
	else if (v == (uint64_t)l_call)
		snprintf(out, size, tf ? "TFCALL" : "CALL");
	else if (!d)
		snprintf(out, size, tf ? "TFAFTER" : "AFTER");
	else if (d < 34)
		snprintf(out, size, "%sAFTER+%llu", tf ? "TF" : "", (unsigned long long)d);
	else if (v == (uint64_t)l_load8)
		snprintf(out, size, "LOAD8");
	else if (v == (uint64_t)l_intcc)
		snprintf(out, size, "INTCC");
	else if (v - (uint64_t)&here + 0x100000 < 0x200000)
		snprintf(out, size, "STACK");
	else
		snprintf(out, size, "0x%llx", (unsigned long long)v);
	for (i = 0; i < sizeof(stubs) / sizeof(stubs[0]); i++) {
		d = v - (uint64_t)stubs[i].start;
		if (d < 176)
			snprintf(out, size, "%s+%llu", stubs[i].name, (unsigned long long)d);
	}
}

void text_append(char *out, size_t size, const char *text)
{
	size_t n = strlen(out);

	while (n + 1 < size && *text)
		out[n++] = *text++;
	out[n] = 0;
}

static void format_value(uint64_t v, char *out, size_t size)
{
	uint64_t t = (uint64_t)time(NULL);

	if (v - t + 100 < 200)
		snprintf(out, size, "TIME");
	else
		snprintf(out, size, "0x%llx", (unsigned long long)v);
}

static void format_changes(const struct result *r, char *out, size_t size)
{
	static const char *const names[16] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp", "rsi", "rdi",
					       "r8", "r9", "r10", "r11", "r12", "r13", "r14", "r15" };
	char one[40];
	int i;

	out[0] = 0;
	for (i = 1; i < 16; i++) {
		if (i == IN_RSP || r->in[i] == r->out[i])
			continue;
		snprintf(one, sizeof(one), "%s%s:0x%llx", out[0] ? "," : "", names[i],
			 (unsigned long long)r->out[i]);
		text_append(out, size, one);
	}
	if (!out[0])
		text_append(out, size, "none");
}

static void format_sig(const struct result *r, char *out, size_t size)
{
	const struct sighting *s = &r->last;
	char rip[48], addr[48], rax[24];

	probe_symbol(s->rip, r->tf, rip, sizeof(rip));
	probe_symbol(s->addr, r->tf, addr, sizeof(addr));
	if (strcmp(addr, "STACK"))
		snprintf(addr, sizeof(addr), "0x%llx", (unsigned long long)s->addr);
	format_value(s->rax, rax, sizeof(rax));
	snprintf(out, size, "sig sig=%d code=%d addr=%s trapno=%llu err=0x%llx cr2=0x%llx rip=%s srax=%s",
		 s->signo, s->code, addr, (unsigned long long)s->trapno, (unsigned long long)s->err,
		 (unsigned long long)s->cr2, rip, rax);
}

void probe_format(const struct result *r, char *out, size_t size)
{
	char changes[300], rax[24], rip[48], more[160];

	switch (r->kind) {
	case KIND_TEXT:
		snprintf(out, size, "%s", r->text);
		return;
	case KIND_NOTHING:
		snprintf(out, size, "killed termsig=%d", r->termsig);
		return;
	case KIND_RET:
		format_changes(r, changes, sizeof(changes));
		format_value(r->out[IN_RAX], rax, sizeof(rax));
		snprintf(out, size, "ret rax=%s chg=%s rspd=%lld", rax, changes,
			 (long long)(r->out_rsp - r->in_rsp));
		break;
	case KIND_SIG:
		format_sig(r, out, size);
		break;
	case KIND_OVERFLOW:
		snprintf(out, size, "sig");
		break;
	}
	if (r->mem[0]) {
		snprintf(more, sizeof(more), " mem=%s", r->mem);
		text_append(out, size, more);
	}
	if (r->traps) {
		snprintf(more, sizeof(more), " ntraps=%d", r->signals);
		text_append(out, size, more);
	}
	if (r->kind == KIND_OVERFLOW) {
		snprintf(more, sizeof(more), " traps=%s", r->trap_list);
		text_append(out, size, more);
	}
	if (r->kind == KIND_RET && r->resumed) {
		probe_symbol(r->first.rip, r->tf, rip, sizeof(rip));
		snprintf(more, sizeof(more), " sig=%d,code=%d,rip=%s", r->first.signo, r->first.code, rip);
		text_append(out, size, more);
	}
}
