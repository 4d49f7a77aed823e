/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rules a second time, told as the emulator's C code tells them: one function down from the trap,
 * with a question about the era where eras differ.  It shares no code with the decision core, only its
 * header; `check --random` holds the two against each other.
 */
#include <string.h>

#include "facts/policy.h"

#define BASE VSYSEMU_PAGE
#define NOSYS ((uint64_t)-38)

struct now {
	const struct vsysemu_profile *p;
	enum vsysemu_mode mode;
	const struct vsysemu_frame *f;
	struct vsysemu_verdict *v;
};

static bool inside(uint64_t a)
{
	return a >= BASE && a < BASE + 4096;
}

static int number_of(uint64_t a)
{
	switch (a) {
	case BASE:
		return 0;
	case BASE + 0x400:
		return 1;
	case BASE + 0x800:
		return 2;
	default:
		return -22;
	}
}

static int call_of(int nr)
{
	return nr == 0 ? 96 : nr == 1 ? 201 : 309;
}

static void message(const struct now *n, enum vsysemu_tag tag)
{
	struct vsysemu_log *l = &n->v->log;

	l->tag = tag;
	l->level = tag == VSYSEMU_TAG_SEC ? 7 :
		   tag == VSYSEMU_TAG_FLT || tag == VSYSEMU_TAG_NONE || tag == VSYSEMU_TAG_RD ? 6 :
		   4;
	if (n->p->log_style != VSYSEMU_LOG_PLAIN)
		l->level = 5;
	l->ip = n->v->rip;
	l->sp = n->v->rsp;
	l->ax = n->v->rax;
	/* What a tracer left; time's call has no second argument to keep it in. */
	l->di = n->v->args[0];
	l->si = n->v->kind == VSYSEMU_CALL && n->v->nr == 1 ? n->f->gpr[VSYSEMU_RSI] : n->v->args[1];
	l->cs = n->f->cs;
}

static void recorded(struct vsysemu_signal *s, uint64_t trapno, uint64_t error)
{
	s->trap_set = true;
	s->trapno = trapno;
	s->error = error;
}

static void at_address(struct vsysemu_signal *s, int signo, int code, uint64_t addr, uint64_t error)
{
	memset(s, 0, sizeof(*s));
	s->signo = signo;
	s->code = code;
	s->addr = s->cr2 = addr;
	s->cr2_set = s->forced = true;
	recorded(s, 14, error);
}

static void kernel_sent(struct vsysemu_signal *s, int signo)
{
	memset(s, 0, sizeof(*s));
	s->signo = signo;
	s->code = 0x80;
	s->forced = true;
}

static void refuse(const struct now *n, enum vsysemu_tag tag)
{
	message(n, tag);
	n->v->kind = VSYSEMU_SIGNAL;
	kernel_sent(&n->v->signal, 11);
}

static void die(const struct now *n, int signo, bool group)
{
	n->v->kind = VSYSEMU_KILL;
	n->v->kill_signo = signo;
	n->v->kill_group = group;
}

/* What any kernel does about the trap, were there no vsyscalls. */
static void ordinary(const struct now *n)
{
	const struct vsysemu_frame *f = n->f;
	struct vsysemu_signal *s = &n->v->signal;
	uint64_t code = f->error_code;

	n->v->kind = VSYSEMU_NOT_HANDLED;
	if ((f->cs & 3) != 3)
		return;
	if (f->vector == 204 || f->vector == 13) {
		kernel_sent(s, 11);
		recorded(s, 13, f->vector == 13 ? code : n->p->fred ? 0 : 0x662);
	} else if (f->vector == 14 && code & 4) {
		if (f->addr >= n->p->task_size)
			at_address(s, 11, 1, f->addr, code | 1);
		else if (f->bus)
			at_address(s, 7, 2, f->addr, code);
		else
			at_address(s, 11, f->mapped ? 2 : 1, f->addr, code);
	}
}

static void go_back(const struct now *n)
{
	struct vsysemu_verdict *v = n->v;
	uint64_t to = v->caller;
	bool lass = n->p->lass && n->p->era == VSYSEMU_E9 && n->mode != VSYSEMU_EMULATE;

	v->rip = to;
	v->rsp += 8;
	if (v->kind == VSYSEMU_SIGNAL)
		return;
	v->kind = VSYSEMU_RETURN;
	if (to < n->p->task_size || inside(to))
		return;
	v->landing_faults = true;
	if ((int64_t)(to << 16) >> 16 != (int64_t)to || (lass && to >> 63)) {
		kernel_sent(&v->landing, 11);
		recorded(&v->landing, 13, 0);
	} else {
		at_address(&v->landing, 11, 1, to, 0x15);
	}
}

/* Ask the filter.  1: go on, 0: the call is skipped, -1: the task is dead; 2: a tracer was there. */
static int ask_filter(const struct now *n, const struct vsysemu_guest *g)
{
	static const int order[6] = { VSYSEMU_RDI, VSYSEMU_RSI, VSYSEMU_RDX,
				      VSYSEMU_R10, VSYSEMU_R8, VSYSEMU_R9 };
	struct vsysemu_verdict *v = n->v;
	uint32_t known = n->p->seccomp_actions, action, data;
	struct vsysemu_seccomp_data d;
	struct vsysemu_seccomp_answer a;

	memset(&d, 0, sizeof(d));
	memset(&a, 0, sizeof(a));
	d.nr = call_of(v->nr);
	d.arch = 0xc000003e;
	d.ip = a.rip = v->rip;
	a.rax = v->rax;
	a.orig_rax = d.nr;
	a.rsp = v->rsp;
	for (int i = 0; i < 6; i++)
		d.args[i] = a.args[i] = n->f->gpr[order[i]];
	g->seccomp(g->ctx, &d, &a);
	action = a.ret >> 16;
	data = a.ret & 0xffff;
	if (!(known & VSYSEMU_SECCOMP_KILL_PROCESS))
		action &= 0x7fff;
	if (action == 0x7fff || (action == 0x7ffc && known & VSYSEMU_SECCOMP_LOG))
		return 1;
	if (action == 5) {
		v->rax = -(uint64_t)(data < n->p->errno_max ? data : n->p->errno_max);
		return 0;
	}
	if (action == 3) {
		v->kind = VSYSEMU_SIGNAL;
		kernel_sent(&v->signal, 31);
		v->signal.code = 1;
		v->signal.err_no = (int)data;
		v->signal.addr = v->rip;
		v->signal.nr = d.nr;
		v->signal.arch = d.arch;
		v->rax = (uint64_t)d.nr;
		return 0;
	}
	if (action == 0x7ff0 && !a.traced) {
		v->rax = NOSYS;
		return 0;
	}
	if (action == 0x7ff0) {
		v->rax = a.rax;
		v->rip = a.rip;
		v->rsp = a.rsp;
		v->orig_rax = a.orig_rax;
		memcpy(v->args, a.args, sizeof(v->args));
		return 2;
	}
	if (action == 0x7fc0 && known & VSYSEMU_SECCOMP_USER_NOTIF) {
		if (a.listener && a.notif_continue)
			return 1;
		v->rax = a.listener ? a.rax : NOSYS;
		return 0;
	}
	die(n, 31, action == 0x8000 || (action != 0 && known & VSYSEMU_SECCOMP_UNKNOWN_GROUP));
	return -1;
}

/* True: all pointers are in the user's range. */
static bool ranges(const struct now *n)
{
	static const unsigned size[3][2] = { { 16, 8 }, { 8, 0 }, { 4, 4 } };
	uint64_t limit = n->p->user_limit;

	for (int i = 0; i < 2; i++) {
		uint64_t a = n->v->args[i], bytes = size[n->v->nr][i];

		if (!bytes || (n->p->user_limit_start ? a < limit : a < limit && bytes <= limit - a))
			continue;
		message(n, VSYSEMU_TAG_FLT);
		n->v->kind = VSYSEMU_SIGNAL;
		at_address(&n->v->signal, 11, 1, a, 6);
		return false;
	}
	return true;
}

static void call(const struct now *n)
{
	n->v->kind = VSYSEMU_CALL;
	n->v->call_nr = call_of(n->v->nr);
	n->v->signal_uaccess = n->p->era >= VSYSEMU_E3 && n->p->era < VSYSEMU_E8;
	if (n->v->nr == 1)
		n->v->args[1] = 0;
	for (int i = 2; i < 6; i++)
		n->v->args[i] = 0;
}

/* 3.5: seccomp first, and a positive rax keeps the program at the entry. */
static void emulate_35(const struct now *n, const struct vsysemu_guest *g)
{
	struct vsysemu_verdict *v = n->v;
	int answer = 1;

	if (n->f->seccomp != VSYSEMU_SECCOMP_OFF) {
		v->orig_rax = call_of(v->nr);
		v->rax = (uint64_t)v->orig_rax;
	}
	if (n->f->seccomp == VSYSEMU_SECCOMP_STRICT) {
		die(n, 9, false);
		return;
	}
	if (n->f->seccomp == VSYSEMU_SECCOMP_FILTER)
		answer = ask_filter(n, g);
	if (answer == 0 && (int64_t)v->rax <= 0) {
		v->skipped = true;
		go_back(n);
	}
	if (answer > 0 && ranges(n))
		call(n);
}

static void emulate_37(const struct now *n, const struct vsysemu_guest *g, uint64_t entry)
{
	struct vsysemu_verdict *v = n->v;
	int answer = 1, nr = call_of(v->nr);
	bool skip;

	if (!ranges(n))
		return;
	v->orig_rax = nr;
	v->rax = NOSYS;
	if (n->f->seccomp == VSYSEMU_SECCOMP_STRICT) {
		die(n, 9, false);
		return;
	}
	if (n->f->seccomp == VSYSEMU_SECCOMP_FILTER)
		answer = ask_filter(n, g);
	if (answer < 0)
		return;
	skip = answer == 0 || (answer == 2 && (int32_t)v->orig_rax < 0);
	if (v->rip != entry || (!skip && v->orig_rax != nr)) {
		message(n, VSYSEMU_TAG_SEC);
		die(n, 31, true);
		return;
	}
	if (n->p->orig_rax_reset)
		v->orig_rax = -1;
	if (!skip) {
		call(n);
		return;
	}
	v->skipped = true;
	go_back(n);
}

/* From 3.1 on; @entry is the address of the fetch. */
static void emulate(const struct now *n, const struct vsysemu_guest *g, uint64_t entry)
{
	struct vsysemu_verdict *v = n->v;
	enum vsysemu_era era = n->p->era;

	if (era == VSYSEMU_E9 && n->f->cs != 0x33 && !(n->p->xen_cs && n->f->cs == 0xe033)) {
		ordinary(n);
		return;
	}
	if (n->mode == VSYSEMU_NONE) {
		message(n, VSYSEMU_TAG_NONE);
		ordinary(n);
		return;
	}
	v->traced = true;
	v->trace_nr = number_of(entry);
	if (v->trace_nr < 0) {
		refuse(n, VSYSEMU_TAG_MIS);
		return;
	}
	v->nr = v->trace_nr;
	if (!g->read(g->ctx, &v->caller, v->rsp, 8)) {
		refuse(n, VSYSEMU_TAG_STK);
		return;
	}
	if (era >= VSYSEMU_E5) {
		emulate_37(n, g, entry);
	} else if (era == VSYSEMU_E4) {
		emulate_35(n, g);
	} else if (n->f->seccomp != VSYSEMU_SECCOMP_OFF) {
		die(n, 9, false);
	} else if (era == VSYSEMU_E2 || ranges(n)) {
		call(n);
	}
}

static void refuse_int(const struct now *n, enum vsysemu_tag tag)
{
	n->v->rip -= 2;
	refuse(n, tag);
}

static void emulate_int(const struct now *n, const struct vsysemu_guest *g)
{
	struct vsysemu_verdict *v = n->v;
	uint64_t at = n->f->rip - 2;
	bool first = n->p->era == VSYSEMU_E1A, third = n->p->era == VSYSEMU_E1C;

	if (first ? (n->f->cs & 3) != 3 :
		    n->f->cs != 0x33 && !(third && n->p->xen_cs && n->f->cs == 0xe033)) {
		v->kind = VSYSEMU_BUG;
		if ((n->f->cs & 3) == 3)
			refuse_int(n, VSYSEMU_TAG_ILL32);
		return;
	}
	v->traced = third;
	v->trace_nr = third ? number_of(at) : 0;
	if (number_of(at) < 0 && !(first && at == BASE + 0xc00)) {
		refuse_int(n, VSYSEMU_TAG_ILL);
		return;
	}
	v->nr = (int)((at - BASE) / 0x400);
	if (!g->read(g->ctx, &v->caller, v->rsp, 8))
		refuse_int(n, VSYSEMU_TAG_STK0);
	else if (n->f->seccomp != VSYSEMU_SECCOMP_OFF)
		die(n, 9, false);
	else if (v->nr == 3)
		v->kind = VSYSEMU_BUG;
	else
		call(n);
}

static bool mode_exists(enum vsysemu_era era, enum vsysemu_mode mode)
{
	switch (mode) {
	case VSYSEMU_NATIVE:
		return era <= VSYSEMU_E5 && (era == VSYSEMU_E0 || era >= VSYSEMU_E2);
	case VSYSEMU_EMULATE:
		return era > VSYSEMU_E0;
	case VSYSEMU_XONLY:
		return era >= VSYSEMU_E7;
	default:
		return mode == VSYSEMU_NONE && era >= VSYSEMU_E2;
	}
}

/* Do the page's rights let user code do what @code says? */
static bool allowed(const struct now *n, uint32_t code)
{
	bool runs = n->mode == VSYSEMU_NATIVE || n->p->era <= VSYSEMU_E1C;
	bool reads = runs || (n->mode == VSYSEMU_EMULATE && !n->p->unreadable) ||
		     (n->mode == VSYSEMU_NONE && n->p->none_mapped);

	if (n->p->compiled_out || code & 2 || !mode_exists(n->p->era, n->mode))
		return false;
	return code & 16 ? runs : reads;
}

static void page_fault(const struct now *n, const struct vsysemu_guest *g)
{
	const struct vsysemu_frame *f = n->f;
	bool write = f->error_code & 2, i_bit = f->error_code & 16;
	bool fetch = n->p->fetch_by_rip ? f->addr == f->rip : i_bit;

	if (n->p->era < VSYSEMU_E2 || n->p->compiled_out) {
		ordinary(n);
	} else if (n->p->era < VSYSEMU_E7) {
		if (i_bit)
			emulate(n, g, f->addr);
		else
			ordinary(n);
	} else if (!write && fetch) {
		emulate(n, g, f->addr);
	} else {
		if (!write && n->mode != VSYSEMU_EMULATE)
			message(n, VSYSEMU_TAG_RD);
		ordinary(n);
	}
}

void vsysemu_policy_decide(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			   const struct vsysemu_frame *f, const struct vsysemu_guest *g,
			   struct vsysemu_verdict *v)
{
	struct now n = { p, mode_exists(p->era, mode) ? mode : VSYSEMU_NONE, f, v };

	memset(v, 0, sizeof(*v));
	v->rax = f->gpr[VSYSEMU_RAX];
	v->rip = f->rip;
	v->rsp = f->gpr[VSYSEMU_RSP];
	v->orig_rax = v->nr = -1;
	v->args[0] = f->gpr[VSYSEMU_RDI];
	v->args[1] = f->gpr[VSYSEMU_RSI];
	if (f->vector == 204) {
		if (p->era >= VSYSEMU_E1A && p->era <= VSYSEMU_E1C) {
			emulate_int(&n, g);
			return;
		}
		v->rip -= 2;
		ordinary(&n);
	} else if (f->vector == 14 && f->error_code & 4 && inside(f->addr)) {
		if (allowed(&n, f->error_code))
			v->kind = VSYSEMU_ALLOWED;
		else
			page_fault(&n, g);
	} else if (f->vector == 13 && p->era == VSYSEMU_E9 && p->lass && !p->compiled_out &&
		   n.mode != VSYSEMU_EMULATE && inside(f->rip) && (f->cs & 3) == 3) {
		emulate(&n, g, f->rip);
	} else {
		ordinary(&n);
	}
}

void vsysemu_policy_finish(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			   const struct vsysemu_frame *f, const struct vsysemu_body *b,
			   struct vsysemu_verdict *v)
{
	struct now n = { p, mode, f, v };

	if (b->result != -14) {
		v->rax = (uint64_t)b->result;
		go_back(&n);
		return;
	}
	if (p->era <= VSYSEMU_E1C)
		v->rip -= 2;
	refuse(&n, VSYSEMU_TAG_FLT);
	if (!b->fault || p->era < VSYSEMU_E3 || p->era > VSYSEMU_E7)
		return;
	if (b->bus)
		at_address(&v->signal, 7, 2, b->addr, b->error_code | 4);
	else
		at_address(&v->signal, 11, b->mapped ? 2 : 1, b->addr, b->error_code | 4);
}
