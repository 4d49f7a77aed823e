/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two outcomes of one case held against each other: everything that a process, its tracer or a reader
 * of the kernel log would tell apart.
 */
#include <string.h>

#include "facts/vectors.h"

static void number(struct buf *why, const char *what, uint64_t ours, uint64_t theirs)
{
	if (ours != theirs)
		buf_printf(why, "%s%s 0x%llx, theirs 0x%llx", why->len ? "; " : "", what,
			   (unsigned long long)ours, (unsigned long long)theirs);
}

static void signals(struct buf *why, const struct vsysemu_signal *a, const struct vsysemu_signal *b)
{
	number(why, "signo", (uint64_t)a->signo, (uint64_t)b->signo);
	if (!a->signo || a->signo != b->signo)
		return;
	number(why, "si_code", (uint64_t)a->code, (uint64_t)b->code);
	number(why, "si_errno", (uint64_t)a->err_no, (uint64_t)b->err_no);
	number(why, "si_addr", a->addr, b->addr);
	if (a->signo == 31) {
		number(why, "si_syscall", (uint64_t)a->nr, (uint64_t)b->nr);
		number(why, "si_arch", a->arch, b->arch);
	}
	number(why, "forced", a->forced, b->forced);
	number(why, "trap recorded", a->trap_set, b->trap_set);
	number(why, "cr2 recorded", a->cr2_set, b->cr2_set);
	if (a->trap_set && b->trap_set) {
		number(why, "trapno", a->trapno, b->trapno);
		number(why, "err", a->error, b->error);
	}
	if (a->cr2_set && b->cr2_set)
		number(why, "cr2", a->cr2, b->cr2);
}

static void logs(struct buf *why, const struct vsysemu_log *a, const struct vsysemu_log *b)
{
	number(why, "log tag", a->tag, b->tag);
	if (a->tag == VSYSEMU_TAG_NO_LOG || a->tag != b->tag)
		return;
	number(why, "log level", (uint64_t)a->level, (uint64_t)b->level);
	number(why, "log ip", a->ip, b->ip);
	number(why, "log cs", a->cs, b->cs);
	number(why, "log sp", a->sp, b->sp);
	number(why, "log ax", a->ax, b->ax);
	number(why, "log si", a->si, b->si);
	number(why, "log di", a->di, b->di);
}

static void registers(struct buf *why, const struct vsysemu_verdict *a,
		      const struct vsysemu_verdict *b)
{
	number(why, "rax", a->rax, b->rax);
	number(why, "rip", a->rip, b->rip);
	number(why, "rsp", a->rsp, b->rsp);
	number(why, "orig_rax", (uint64_t)a->orig_rax, (uint64_t)b->orig_rax);
}

static const char *kind_name(enum vsysemu_kind k)
{
	static const char *const names[VSYSEMU_KIND_COUNT] = {
		[VSYSEMU_NOT_HANDLED] = "not handled", [VSYSEMU_ALLOWED] = "allowed",
		[VSYSEMU_CALL] = "a call", [VSYSEMU_RETURN] = "a return", [VSYSEMU_SIGNAL] = "a signal",
		[VSYSEMU_KILL] = "a kill", [VSYSEMU_BUG] = "a kernel bug",
	};

	return (unsigned)k < VSYSEMU_KIND_COUNT ? names[k] : "no known kind";
}

static void verdicts(struct buf *why, const struct vsysemu_verdict *a,
		     const struct vsysemu_verdict *b)
{
	if (a->kind != b->kind) {
		buf_printf(why, "%sthe verdict is %s, theirs %s", why->len ? "; " : "", kind_name(a->kind),
			   kind_name(b->kind));
		return;
	}
	logs(why, &a->log, &b->log);
	number(why, "trace event", a->traced, b->traced);
	if (a->traced && b->traced)
		number(why, "trace event's nr", (uint64_t)a->trace_nr, (uint64_t)b->trace_nr);
	switch (a->kind) {
	case VSYSEMU_NOT_HANDLED:
	case VSYSEMU_SIGNAL:
		signals(why, &a->signal, &b->signal);
		registers(why, a, b);
		break;
	case VSYSEMU_CALL:
		number(why, "call", (uint64_t)a->call_nr, (uint64_t)b->call_nr);
		for (int i = 0; i < (a->nr == 1 ? 1 : 2); i++)
			number(why, i ? "second argument" : "first argument", a->args[i], b->args[i]);
		registers(why, a, b);
		break;
	case VSYSEMU_RETURN:
		number(why, "skipped", a->skipped, b->skipped);
		number(why, "landing faults", a->landing_faults, b->landing_faults);
		if (a->landing_faults && b->landing_faults)
			signals(why, &a->landing, &b->landing);
		registers(why, a, b);
		break;
	case VSYSEMU_KILL:
		number(why, "signal that kills", (uint64_t)a->kill_signo, (uint64_t)b->kill_signo);
		number(why, "whole process dies", a->kill_group, b->kill_group);
		break;
	default:
		break;
	}
}

void vector_outcome_diff(const struct vector_outcome *ours, const struct vector_outcome *theirs,
			 struct buf *why)
{
	verdicts(why, &ours->decided, &theirs->decided);
	if (!why->len && ours->decided.kind == VSYSEMU_CALL)
		verdicts(why, &ours->v, &theirs->v);
}
