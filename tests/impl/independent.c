/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules of the legacy vsyscall page, written from the description of the rules alone, as a
 * check on the core: nothing of the core was read for it, and nothing of the library is in it.
 * It follows the order of the kernel's own functions: fault handler, hook, emulator, seccomp.
 */
#include "facts/policy.h"

#include <string.h>

#define PAGE_END (VSYSEMU_PAGE + VSYSEMU_PAGE_BYTES)

enum { SIGBUS_NO = 7, SIGKILL_NO = 9, SIGSEGV_NO = 11, SIGTRAP_NO = 5, SIGSYS_NO = 31 };
enum { MAPERR = 1, ACCERR = 2, ADRERR = 2, SYS_SECCOMP = 1, SI_KERNEL = 0x80 };
enum { LVL_WARNING = 4, LVL_NOTICE = 5, LVL_INFO = 6, LVL_DEBUG = 7 };
enum { EFAULT_NO = 14, EINVAL_NO = 22, ENOSYS_NO = 38 };

static const int call_numbers[3] = { 96, 201, 309 };

/* What the kernel's pt_regs and its locals hold while it works. */
struct state {
	const struct vsysemu_profile *p;
	enum vsysemu_mode mode;
	const struct vsysemu_frame *f;
	const struct vsysemu_guest *g;
	struct vsysemu_verdict *v;
	uint64_t rax, rip, rsp;
	uint64_t args[6]; /* rdi rsi rdx r10 r8 r9 */
	int64_t orig_rax;
};

static bool e1(enum vsysemu_era era)
{
	return era == VSYSEMU_E1A || era == VSYSEMU_E1B || era == VSYSEMU_E1C;
}

static bool mode_exists(enum vsysemu_era era, enum vsysemu_mode mode)
{
	if (era == VSYSEMU_E0)
		return mode == VSYSEMU_NATIVE;
	if (e1(era))
		return mode == VSYSEMU_EMULATE;
	switch (mode) {
	case VSYSEMU_NATIVE:
		return era <= VSYSEMU_E5;
	case VSYSEMU_EMULATE:
	case VSYSEMU_NONE:
		return true;
	case VSYSEMU_XONLY:
		return era >= VSYSEMU_E7;
	default:
		return false;
	}
}

static bool in_page(uint64_t addr)
{
	return addr >= VSYSEMU_PAGE && addr < PAGE_END;
}

static bool cs_64bit(const struct vsysemu_profile *p, uint16_t cs)
{
	return cs == VSYSEMU_CS_USER || (p->xen_cs && cs == VSYSEMU_CS_XEN);
}

static bool cs_user(uint16_t cs)
{
	return (cs & 3) == 3;
}

static bool lass_on(const struct state *s)
{
	return s->p->era >= VSYSEMU_E9 && s->p->lass && s->mode != VSYSEMU_EMULATE;
}

/* One bit more of address with five-level tables. */
static bool canonical(const struct vsysemu_profile *p, uint64_t addr)
{
	int width = p->task_size > (1ull << 47) ? 57 : 48;
	uint64_t top = addr >> (width - 1);

	return !top || top == (~0ull >> (width - 1));
}

static int decode(uint64_t addr)
{
	int n = (addr >> 10) & 3;

	if ((addr & ~0xc00ull) != VSYSEMU_PAGE || n == 3)
		return -EINVAL_NO;
	return n;
}

/* Signals. */

static void sig_plain(struct vsysemu_signal *sig)
{
	memset(sig, 0, sizeof(*sig));
	sig->signo = SIGSEGV_NO;
	sig->code = SI_KERNEL;
	sig->forced = true;
}

static void sig_trap(struct vsysemu_signal *sig, int signo, uint64_t trapno, uint64_t error)
{
	sig_plain(sig);
	sig->signo = signo;
	sig->trap_set = true;
	sig->trapno = trapno;
	sig->error = error;
}

static void sig_fault(struct vsysemu_signal *sig, int signo, int code, uint64_t addr,
		      uint64_t error)
{
	sig_trap(sig, signo, VSYSEMU_VEC_PF, error);
	sig->code = code;
	sig->addr = addr;
	sig->cr2_set = true;
	sig->cr2 = addr;
}

/* A page fault on a user's behalf. */
static void sig_page_fault(const struct vsysemu_profile *p, struct vsysemu_signal *sig,
			   uint64_t addr, uint32_t error, bool mapped, bool bus)
{
	error |= VSYSEMU_PF_U;
	if (addr >= p->task_size)
		sig_fault(sig, SIGSEGV_NO, MAPERR, addr, error | VSYSEMU_PF_P);
	else if (bus)
		sig_fault(sig, SIGBUS_NO, ADRERR, addr, error);
	else
		sig_fault(sig, SIGSEGV_NO, mapped ? ACCERR : MAPERR, addr, error);
}

/* Results. */

static void leave(struct state *s, enum vsysemu_kind kind)
{
	s->v->kind = kind;
	s->v->rax = s->rax;
	s->v->rip = s->rip;
	s->v->rsp = s->rsp;
	s->v->orig_rax = s->orig_rax;
}

static void warn(struct state *s, int level, enum vsysemu_tag tag)
{
	struct vsysemu_log *l = &s->v->log;

	l->tag = tag;
	l->level = s->p->log_style == VSYSEMU_LOG_PLAIN ? level : LVL_NOTICE;
	l->ip = s->rip;
	l->sp = s->rsp;
	l->ax = s->rax;
	l->di = s->args[0];
	l->si = s->args[1];
	l->cs = s->f->cs;
}

static void segv(struct state *s)
{
	sig_plain(&s->v->signal);
	leave(s, VSYSEMU_SIGNAL);
}

static void kill(struct state *s, int signo, bool group)
{
	leave(s, VSYSEMU_KILL);
	s->v->kill_signo = signo;
	s->v->kill_group = group;
}

static void not_handled(struct state *s)
{
	const struct vsysemu_frame *f = s->f;

	leave(s, VSYSEMU_NOT_HANDLED);
	switch (f->vector) {
	case VSYSEMU_VEC_PF:
		if (f->error_code & VSYSEMU_PF_U)
			sig_page_fault(s->p, &s->v->signal, f->addr, f->error_code, f->mapped,
				       f->bus);
		break;
	case VSYSEMU_VEC_GP:
		if (cs_user(f->cs))
			sig_trap(&s->v->signal, SIGSEGV_NO, VSYSEMU_VEC_GP, f->error_code);
		break;
	case VSYSEMU_VEC_BP:
		if (cs_user(f->cs))
			sig_trap(&s->v->signal, SIGTRAP_NO, VSYSEMU_VEC_BP, 0);
		break;
	case VSYSEMU_VEC_INT0XCC:
		s->v->rip = f->rip - 2;
		if (cs_user(f->cs))
			sig_trap(&s->v->signal, SIGSEGV_NO, VSYSEMU_VEC_GP,
				 s->p->fred ? 0 : VSYSEMU_VEC_INT0XCC * 8 + 2);
		break;
	}
}

/* The fetch after the emulated ret. */
static void landing(struct state *s)
{
	struct vsysemu_verdict *v = s->v;

	if (in_page(s->rip))
		return;
	if (!canonical(s->p, s->rip) || (lass_on(s) && s->rip >> 63)) {
		v->landing_faults = true;
		sig_trap(&v->landing, SIGSEGV_NO, VSYSEMU_VEC_GP, 0);
	} else if (s->rip >= s->p->task_size) {
		v->landing_faults = true;
		sig_page_fault(s->p, &v->landing, s->rip, VSYSEMU_PF_I, false, false);
	}
}

static void emulate_ret(struct state *s, uint64_t caller)
{
	s->rip = caller;
	s->rsp += 8;
	leave(s, VSYSEMU_RETURN);
	landing(s);
}

static void call(struct state *s, int nr, uint64_t caller)
{
	leave(s, VSYSEMU_CALL);
	s->v->call_nr = call_numbers[nr];
	s->v->args[0] = s->args[0];
	if (nr != 1)
		s->v->args[1] = s->args[1];
	s->v->signal_uaccess = s->p->era >= VSYSEMU_E3 && s->p->era <= VSYSEMU_E7;
	s->v->caller = caller;
}

/* int 0xcc. */
static void int0xcc(struct state *s)
{
	enum vsysemu_era era = s->p->era;
	uint64_t addr = s->f->rip - 2, caller = 0;
	int nr;

	if (era != VSYSEMU_E1A && s->f->cs != VSYSEMU_CS_USER &&
	    !(era == VSYSEMU_E1C && cs_64bit(s->p, s->f->cs)) && cs_user(s->f->cs)) {
		s->rip = addr;
		warn(s, LVL_WARNING, VSYSEMU_TAG_ILL32);
		segv(s);
		return;
	}
	if (!cs_user(s->f->cs)) {
		leave(s, VSYSEMU_BUG);
		return;
	}
	nr = decode(addr);
	if (era == VSYSEMU_E1A && (addr & ~0xc00ull) == VSYSEMU_PAGE)
		nr = (addr >> 10) & 3;
	if (era == VSYSEMU_E1C) {
		s->v->traced = true;
		s->v->trace_nr = nr;
	}
	if (nr < 0) {
		s->rip = addr;
		warn(s, LVL_WARNING, VSYSEMU_TAG_ILL);
		segv(s);
		return;
	}
	s->v->nr = nr;
	if (!s->g->read(s->g->ctx, &caller, s->rsp, 8)) {
		s->rip = addr;
		warn(s, LVL_WARNING, VSYSEMU_TAG_STK0);
		segv(s);
		return;
	}
	if (s->f->seccomp != VSYSEMU_SECCOMP_OFF)
		kill(s, SIGKILL_NO, false);
	else if (nr == 3)
		leave(s, VSYSEMU_BUG);
	else
		call(s, nr, caller);
}

/* False: the signal is set. */
static bool range_ok(struct state *s, uint64_t addr, uint64_t size)
{
	uint64_t limit = s->p->user_limit;
	bool ok;

	if (s->p->user_limit_start)
		ok = addr < limit;
	else
		ok = size <= limit && addr <= limit - size;
	if (!ok)
		sig_fault(&s->v->signal, SIGSEGV_NO, MAPERR, addr, VSYSEMU_PF_U | VSYSEMU_PF_W);
	return ok;
}

static bool ranges_ok(struct state *s, int nr)
{
	switch (nr) {
	case 0:
		return range_ok(s, s->args[0], 16) && range_ok(s, s->args[1], 8);
	case 1:
		return range_ok(s, s->args[0], 8);
	default:
		return range_ok(s, s->args[0], 4) && range_ok(s, s->args[1], 4);
	}
}

static void range_fault(struct state *s)
{
	warn(s, LVL_INFO, VSYSEMU_TAG_FLT);
	leave(s, VSYSEMU_SIGNAL);
}

enum outcome { GO_ON, SKIP, TRAPPED, DEAD };

/* The filter, with its effects on the registers. */
static enum outcome filter(struct state *s, int nr)
{
	struct vsysemu_seccomp_data data = { .nr = nr, .arch = 0xc000003e, .ip = s->rip };
	struct vsysemu_seccomp_answer a;
	uint32_t known = s->p->seccomp_actions, action;
	bool group;

	memcpy(data.args, s->args, sizeof(data.args));
	memset(&a, 0, sizeof(a));
	a.orig_rax = s->orig_rax;
	a.rax = s->rax;
	a.rip = s->rip;
	a.rsp = s->rsp;
	memcpy(a.args, s->args, sizeof(a.args));
	s->g->seccomp(s->g->ctx, &data, &a);

	action = a.ret & (known & VSYSEMU_SECCOMP_KILL_PROCESS ? 0xffff0000 : 0x7fff0000);
	switch (action) {
	case 0x7fff0000: /* ALLOW */
		return GO_ON;
	case 0x7ffc0000: /* LOG */
		if (known & VSYSEMU_SECCOMP_LOG)
			return GO_ON;
		break;
	case 0x00050000: { /* ERRNO */
		uint64_t e = a.ret & 0xffff;

		s->rax = -(e > s->p->errno_max ? s->p->errno_max : e);
		return SKIP;
	}
	case 0x00030000: /* TRAP */
		s->rax = (uint64_t)nr;
		memset(&s->v->signal, 0, sizeof(s->v->signal));
		s->v->signal.signo = SIGSYS_NO;
		s->v->signal.code = SYS_SECCOMP;
		s->v->signal.err_no = a.ret & 0xffff;
		s->v->signal.addr = s->rip;
		s->v->signal.nr = nr;
		s->v->signal.arch = 0xc000003e;
		s->v->signal.forced = true;
		return TRAPPED;
	case 0x7ff00000: /* TRACE */
		if (!a.traced) {
			s->rax = -(uint64_t)ENOSYS_NO;
			return SKIP;
		}
		s->orig_rax = a.orig_rax;
		s->rax = a.rax;
		s->rip = a.rip;
		s->rsp = a.rsp;
		memcpy(s->args, a.args, sizeof(s->args));
		return s->p->era >= VSYSEMU_E5 && (int32_t)a.orig_rax < 0 ? SKIP : GO_ON;
	case 0x7fc00000: /* USER_NOTIF */
		if (!(known & VSYSEMU_SECCOMP_USER_NOTIF))
			break;
		if (a.listener && a.notif_continue)
			return GO_ON;
		s->rax = a.listener ? a.rax : -(uint64_t)ENOSYS_NO;
		return SKIP;
	}
	group = action == 0x80000000 || (action && known & VSYSEMU_SECCOMP_UNKNOWN_GROUP);
	kill(s, SIGSYS_NO, group);
	return DEAD;
}

static enum outcome seccomp(struct state *s, int nr)
{
	switch (s->f->seccomp) {
	case VSYSEMU_SECCOMP_OFF:
		return GO_ON;
	case VSYSEMU_SECCOMP_FILTER:
		return filter(s, nr);
	default:
		kill(s, SIGKILL_NO, false);
		return DEAD;
	}
}

/* 3.5 and 3.6: seccomp, then the pointers; a skipped call returns unless rax is positive. */
static void first_form(struct state *s, int nr, uint64_t caller)
{
	enum outcome o = GO_ON;

	if (s->f->seccomp != VSYSEMU_SECCOMP_OFF) {
		s->orig_rax = call_numbers[nr];
		s->rax = (uint64_t)call_numbers[nr];
		o = seccomp(s, call_numbers[nr]);
	}
	if (o == DEAD)
		return;
	if (o == TRAPPED) {
		leave(s, VSYSEMU_SIGNAL);
	} else if (o == SKIP) {
		s->v->skipped = true;
		if ((int64_t)s->rax <= 0)
			emulate_ret(s, caller);
		else
			leave(s, VSYSEMU_RETURN);
	} else if (!ranges_ok(s, nr)) {
		range_fault(s);
	} else {
		call(s, nr, caller);
	}
}

/* From 3.7. */
static void second_form(struct state *s, uint64_t addr, int nr, uint64_t caller)
{
	int call_nr = call_numbers[nr];
	enum outcome o;

	if (!ranges_ok(s, nr)) {
		range_fault(s);
		return;
	}
	s->orig_rax = call_nr;
	s->rax = -(uint64_t)ENOSYS_NO;
	o = seccomp(s, call_nr);
	if (o == DEAD)
		return;
	if ((o == GO_ON && s->orig_rax != call_nr) || s->rip != addr) {
		warn(s, LVL_DEBUG, VSYSEMU_TAG_SEC);
		memset(&s->v->signal, 0, sizeof(s->v->signal));
		kill(s, SIGSYS_NO, true);
		return;
	}
	if (s->p->orig_rax_reset)
		s->orig_rax = -1;
	if (o == SKIP) {
		s->v->skipped = true;
		emulate_ret(s, caller);
	} else if (o == TRAPPED) {
		s->rip = caller;
		s->rsp += 8;
		leave(s, VSYSEMU_SIGNAL);
	} else {
		call(s, nr, caller);
	}
}

/* 3.1 and later, once it is sure that the page was entered. */
static void emulate(struct state *s, uint64_t addr)
{
	enum vsysemu_era era = s->p->era;
	uint64_t caller = 0;
	int nr;

	if (era >= VSYSEMU_E9 && !cs_64bit(s->p, s->f->cs)) {
		not_handled(s);
		return;
	}
	if (s->mode == VSYSEMU_NONE) {
		warn(s, LVL_INFO, VSYSEMU_TAG_NONE);
		not_handled(s);
		return;
	}
	nr = decode(addr);
	s->v->traced = true;
	s->v->trace_nr = nr;
	if (nr < 0) {
		warn(s, LVL_WARNING, VSYSEMU_TAG_MIS);
		segv(s);
		return;
	}
	s->v->nr = nr;
	if (!s->g->read(s->g->ctx, &caller, s->rsp, 8)) {
		warn(s, LVL_WARNING, VSYSEMU_TAG_STK);
		segv(s);
		return;
	}
	if (era <= VSYSEMU_E3) {
		if (s->f->seccomp != VSYSEMU_SECCOMP_OFF)
			kill(s, SIGKILL_NO, false);
		else if (era == VSYSEMU_E3 && !ranges_ok(s, nr))
			range_fault(s);
		else
			call(s, nr, caller);
	} else if (era == VSYSEMU_E4) {
		first_form(s, nr, caller);
	} else {
		second_form(s, addr, nr, caller);
	}
}

/* Does the processor let a user's access through? */
static bool page_allows(const struct state *s)
{
	const struct vsysemu_frame *f = s->f;
	bool read = false, execute = false;

	if (s->p->compiled_out || f->error_code & VSYSEMU_PF_W)
		return false;
	if (s->p->era == VSYSEMU_E0 || e1(s->p->era))
		read = execute = mode_exists(s->p->era, s->mode);
	else if (s->mode == VSYSEMU_NATIVE)
		read = execute = true;
	else if (s->mode == VSYSEMU_EMULATE)
		read = !s->p->unreadable;
	else if (s->mode == VSYSEMU_NONE)
		read = s->p->none_mapped && !lass_on(s);
	/* Without the I bit it is a read, or the processor has no NX and all that is there executes. */
	return f->error_code & VSYSEMU_PF_I ? execute : read;
}

static void page_fault(struct state *s)
{
	const struct vsysemu_frame *f = s->f;
	bool fetch = f->error_code & VSYSEMU_PF_I;

	if (!(f->error_code & VSYSEMU_PF_U) || !in_page(f->addr)) {
		not_handled(s);
		return;
	}
	if (page_allows(s)) {
		leave(s, VSYSEMU_ALLOWED);
		return;
	}
	if (s->p->compiled_out || s->p->era < VSYSEMU_E2 ||
	    (s->p->era >= VSYSEMU_E7 && f->error_code & VSYSEMU_PF_W)) {
		not_handled(s);
		return;
	}
	if (s->p->fetch_by_rip && s->p->era >= VSYSEMU_E7)
		fetch = f->addr == f->rip;
	if (fetch) {
		emulate(s, f->addr);
		return;
	}
	if (s->p->era >= VSYSEMU_E7 && s->mode != VSYSEMU_EMULATE)
		warn(s, LVL_INFO, VSYSEMU_TAG_RD);
	not_handled(s);
}

static void begin(struct state *s, const struct vsysemu_profile *p, enum vsysemu_mode mode,
		  const struct vsysemu_frame *f, struct vsysemu_verdict *v)
{
	static const enum vsysemu_reg order[6] = { VSYSEMU_RDI, VSYSEMU_RSI, VSYSEMU_RDX,
						   VSYSEMU_R10, VSYSEMU_R8, VSYSEMU_R9 };

	memset(s, 0, sizeof(*s));
	s->p = p;
	s->mode = mode_exists(p->era, mode) ? mode : VSYSEMU_NONE;
	s->f = f;
	s->v = v;
	s->rax = f->gpr[VSYSEMU_RAX];
	s->rip = f->rip;
	s->rsp = f->gpr[VSYSEMU_RSP];
	s->orig_rax = -1;
	for (int i = 0; i < 6; i++)
		s->args[i] = f->gpr[order[i]];
}

void vsysemu_policy_decide(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			   const struct vsysemu_frame *f, const struct vsysemu_guest *g,
			   struct vsysemu_verdict *v)
{
	struct state s;

	memset(v, 0, sizeof(*v));
	v->nr = -1;
	begin(&s, p, mode, f, v);
	s.g = g;
	if (f->vector == VSYSEMU_VEC_INT0XCC && e1(p->era) && mode_exists(p->era, mode))
		int0xcc(&s);
	else if (f->vector == VSYSEMU_VEC_PF)
		page_fault(&s);
	else if (f->vector == VSYSEMU_VEC_GP && cs_user(f->cs) && lass_on(&s) && in_page(f->rip) &&
		 !p->compiled_out)
		emulate(&s, f->rip);
	else
		not_handled(&s);
}

void vsysemu_policy_finish(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			   const struct vsysemu_frame *f, const struct vsysemu_body *b,
			   struct vsysemu_verdict *v)
{
	struct state s;

	begin(&s, p, mode, f, v);
	s.rax = v->rax;
	s.rip = v->rip;
	s.rsp = v->rsp;
	s.orig_rax = v->orig_rax;
	s.args[0] = v->args[0];
	if (v->nr != 1)
		s.args[1] = v->args[1];
	if (b->result != -EFAULT_NO) {
		s.rax = (uint64_t)b->result;
		emulate_ret(&s, v->caller);
		return;
	}
	if (e1(p->era))
		s.rip = f->rip - 2;
	warn(&s, LVL_INFO, VSYSEMU_TAG_FLT);
	segv(&s);
	/* Only a page fault of the body signals: not the range check of its stores, not a #GP. */
	if (v->signal_uaccess && b->fault && canonical(p, b->addr) && b->addr < p->user_limit)
		sig_page_fault(p, &v->signal, b->addr, b->error_code, b->mapped, b->bus);
}
