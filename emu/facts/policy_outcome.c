/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * How a decision shows: the log line, the signal of a refusal, and what follows a body.  Truth: Linux
 * warn_bad_vsyscall(), force_sig(), and the end of emulate_vsyscall() of each era.
 */
#include "facts/policy_impl.h"

enum { ERR_FAULT = 14 };

bool policy_int_era(enum vsysemu_era era)
{
	return era >= VSYSEMU_E1A && era <= VSYSEMU_E1C;
}

/* si and di stand in the log already: the frame's, or what a tracer made of them. */
void policy_log_line(const struct vsysemu_profile *p, const struct vsysemu_frame *f,
		     struct vsysemu_verdict *v, enum vsysemu_tag tag)
{
	v->log.tag = tag;
	v->log.level = policy_log_level(p, tag);
	v->log.ip = v->rip;
	v->log.sp = v->rsp;
	v->log.ax = v->rax;
	v->log.cs = f->cs;
}

void policy_plain_segv(struct vsysemu_verdict *v)
{
	v->kind = VSYSEMU_SIGNAL;
	v->signal = (struct vsysemu_signal){
		.signo = SIGNO_SEGV, .code = CODE_KERNEL, .forced = true,
	};
}

void policy_fault_signal(struct vsysemu_verdict *v, int signo, int code, uint64_t addr,
			 uint64_t error)
{
	v->kind = VSYSEMU_SIGNAL;
	v->signal = (struct vsysemu_signal){
		.signo = signo, .code = code, .addr = addr, .forced = true, .trap_set = true,
		.cr2_set = true, .trapno = VSYSEMU_VEC_PF, .error = error, .cr2 = addr,
	};
}

/* A body that met a bad pointer: with the flag of 3.3 - 6.8 the fault itself has signalled. */
static void finish_fault(const struct vsysemu_profile *p, const struct vsysemu_frame *f,
			 const struct vsysemu_body *b, struct vsysemu_verdict *v)
{
	if (policy_int_era(p->era))
		v->rip -= INT_BYTES;
	v->log.di = v->args[0];
	v->log.si = v->nr == 1 ? f->gpr[VSYSEMU_RSI] : v->args[1];
	policy_log_line(p, f, v, VSYSEMU_TAG_FLT);
	if (!v->signal_uaccess || !b->fault)
		policy_plain_segv(v);
	else if (b->bus)
		policy_fault_signal(v, SIGNO_BUS, CODE_BUS_ADRERR, b->addr, b->error_code | VSYSEMU_PF_U);
	else
		policy_fault_signal(v, SIGNO_SEGV, b->mapped ? CODE_ACCERR : CODE_MAPERR, b->addr,
			     b->error_code | VSYSEMU_PF_U);
}

void vsysemu_policy_finish(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			   const struct vsysemu_frame *f, const struct vsysemu_body *b,
			   struct vsysemu_verdict *v)
{
	if (b->result == -ERR_FAULT) {
		finish_fault(p, f, b, v);
		return;
	}
	v->rax = (uint64_t)b->result;
	policy_return(p, mode, v);
}
