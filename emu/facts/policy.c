/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decision: each era is a list of steps in its own order, run until one of them answers.
 * Knows no machine: memory and filters come through the caller's functions.
 * Truth: Linux arch/x86/entry/vsyscall/vsyscall_64.c (arch/x86/kernel/ before 4.2) of each era, whose
 * order of checks is the order of the steps here.
 */
#include "facts/policy_impl.h"
#include "facts/policy_tell.h"

/* One decision under way.  The registers as they stand are in v. */
struct decision {
	const struct vsysemu_profile *p;
	enum vsysemu_mode mode;
	const struct vsysemu_frame *f;
	const struct vsysemu_guest *g;
	struct vsysemu_verdict *v;
	uint64_t entry; /* the address that is decoded */
};

/* True: v is complete. */
typedef bool step_fn(struct decision *d);

static bool in_page(uint64_t a)
{
	return (a & ~(uint64_t)(VSYSEMU_PAGE_BYTES - 1)) == VSYSEMU_PAGE;
}

static bool is_user_cs(uint16_t cs)
{
	return (cs & 3) == 3;
}

static bool is_64bit(const struct vsysemu_profile *p, uint16_t cs)
{
	return cs == VSYSEMU_CS_USER || (p->xen_cs && cs == VSYSEMU_CS_XEN);
}

static bool kill(struct decision *d, int signo, bool group)
{
	d->v->kind = VSYSEMU_KILL;
	d->v->kill_signo = signo;
	d->v->kill_group = group;
	return true;
}

static bool not_handled(struct decision *d)
{
	d->v->kind = VSYSEMU_NOT_HANDLED;
	vsysemu_ordinary_signal(d->p, d->f, &d->v->signal);
	return true;
}

/* The emulator gives up on the task: a message, and SIGSEGV at the entry. */
static bool fail(struct decision *d, enum vsysemu_tag tag)
{
	if (policy_int_era(d->p->era))
		d->v->rip -= INT_BYTES;
	policy_log_line(d->p, d->f, d->v, tag);
	policy_plain_segv(d->v);
	return true;
}

/* ---- E1: int 0xcc ---- */

static bool step_user_mode(struct decision *d)
{
	if (is_user_cs(d->f->cs))
		return false;
	d->v->kind = VSYSEMU_BUG;
	return true;
}

static bool step_cs(struct decision *d)
{
	if (d->f->cs == VSYSEMU_CS_USER)
		return false;
	return step_user_mode(d) || fail(d, VSYSEMU_TAG_ILL32);
}

static bool step_cs_xen(struct decision *d)
{
	if (is_64bit(d->p, d->f->cs))
		return false;
	return step_user_mode(d) || fail(d, VSYSEMU_TAG_ILL32);
}

/* E1a masks both slot bits away, so that slot 3 gets through; see step_bug(). */
static bool step_decode_first(struct decision *d)
{
	if ((d->entry & ~0xc00ull) != VSYSEMU_PAGE)
		return fail(d, VSYSEMU_TAG_ILL);
	d->v->nr = (int)(d->entry >> 10 & 3);
	return false;
}

static bool step_decode_int(struct decision *d)
{
	int nr = vsysemu_entry_nr(d->entry);

	if (d->p->era == VSYSEMU_E1C) {
		d->v->traced = true;
		d->v->trace_nr = nr;
	}
	if (nr < 0)
		return fail(d, VSYSEMU_TAG_ILL);
	d->v->nr = nr;
	return false;
}

static bool step_bug(struct decision *d)
{
	if (d->v->nr < 3)
		return false;
	d->v->kind = VSYSEMU_BUG;
	return true;
}

/* ---- the page fault's front ---- */

/* E2-E6: the hook is only called for fetches. */
static bool step_front_fetch(struct decision *d)
{
	return d->f->error_code & VSYSEMU_PF_I ? false : not_handled(d);
}

/* E7+: the hook sees every user fault in the page, and tells of reads. */
static bool step_front_access(struct decision *d)
{
	bool fetch = d->p->fetch_by_rip ? d->f->addr == d->f->rip :
					  (d->f->error_code & VSYSEMU_PF_I) != 0;

	if (d->f->vector != VSYSEMU_VEC_PF)
		return false;
	if (d->f->error_code & VSYSEMU_PF_W)
		return not_handled(d);
	if (fetch)
		return false;
	if (d->mode != VSYSEMU_EMULATE)
		policy_log_line(d->p, d->f, d->v, VSYSEMU_TAG_RD);
	return not_handled(d);
}

static bool step_64bit(struct decision *d)
{
	return is_64bit(d->p, d->f->cs) ? false : not_handled(d);
}

/* ---- the common emulator ---- */

static bool step_none(struct decision *d)
{
	if (d->mode != VSYSEMU_NONE)
		return false;
	policy_log_line(d->p, d->f, d->v, VSYSEMU_TAG_NONE);
	return not_handled(d);
}

static bool step_decode(struct decision *d)
{
	int nr = vsysemu_entry_nr(d->entry);

	d->v->traced = true;
	d->v->trace_nr = nr;
	if (nr < 0)
		return fail(d, VSYSEMU_TAG_MIS);
	d->v->nr = nr;
	return false;
}

static bool step_stack(struct decision *d)
{
	if (d->g->read(d->g->ctx, &d->v->caller, d->v->rsp, sizeof(d->v->caller)))
		return false;
	return fail(d, policy_int_era(d->p->era) ? VSYSEMU_TAG_STK0 : VSYSEMU_TAG_STK);
}

/* Before filters existed, any mode was strict mode. */
static bool step_seccomp_any(struct decision *d)
{
	return d->f->seccomp == VSYSEMU_SECCOMP_OFF ? false : kill(d, SIGNO_KILL, false);
}

static bool in_user_range(const struct vsysemu_profile *p, uint64_t addr, uint64_t size)
{
	return p->user_limit_start ? addr < p->user_limit : addr <= p->user_limit - size;
}

/* What each body stores to: argument and size.  getcpu's third argument is never looked at. */
static const struct { uint8_t arg, size; } stores[3][2] = {
	{ { 0, 16 }, { 1, 8 } },
	{ { 0, 8 } },
	{ { 0, 4 }, { 1, 4 } },
};

static bool step_range(struct decision *d)
{
	for (int i = 0; i < 2; i++) {
		uint64_t size = stores[d->v->nr][i].size;
		uint64_t addr = d->v->args[stores[d->v->nr][i].arg];

		if (!size || in_user_range(d->p, addr, size))
			continue;
		policy_log_line(d->p, d->f, d->v, VSYSEMU_TAG_FLT);
		policy_fault_signal(d->v, SIGNO_SEGV, CODE_MAPERR, addr, VSYSEMU_PF_U | VSYSEMU_PF_W);
		return true;
	}
	return false;
}

/* 3.5, 3.6: a call that was refused returns only if what is in rax looks like an error or zero. */
static bool step_seccomp_first(struct decision *d)
{
	struct vsysemu_verdict *v = d->v;

	if (d->f->seccomp == VSYSEMU_SECCOMP_OFF)
		return false;
	v->orig_rax = vsysemu_entry_call(v->nr);
	v->rax = (uint64_t)v->orig_rax;
	if (d->f->seccomp == VSYSEMU_SECCOMP_STRICT)
		return kill(d, SIGNO_KILL, false);
	switch (policy_seccomp(d->p, d->g, v)) {
	case SECCOMP_KILLED:
		return true;
	case SECCOMP_SKIP:
		if (v->rax == 0 || v->rax >> 63) {
			v->skipped = true;
			policy_return(d->p, d->mode, v);
		}
		return true;
	default:
		return false;
	}
}

/* 3.7+: what the tracer made of number and ip is looked at, and every refused call returns. */
static bool step_seccomp_second(struct decision *d)
{
	struct vsysemu_verdict *v = d->v;
	int nr = vsysemu_entry_call(v->nr);
	enum seccomp_end end = SECCOMP_GO;

	v->orig_rax = nr;
	v->rax = (uint64_t)-ERR_NOSYS;
	if (d->f->seccomp == VSYSEMU_SECCOMP_STRICT)
		return kill(d, SIGNO_KILL, false);
	if (d->f->seccomp == VSYSEMU_SECCOMP_FILTER)
		end = policy_seccomp(d->p, d->g, v);
	if (end == SECCOMP_KILLED)
		return true;
	if (end == SECCOMP_TRACED_SKIP && (int32_t)v->orig_rax < 0)
		end = SECCOMP_SKIP;
	if ((end != SECCOMP_SKIP && v->orig_rax != nr) || v->rip != d->entry) {
		policy_log_line(d->p, d->f, v, VSYSEMU_TAG_SEC);
		return kill(d, SIGNO_SYS, true);
	}
	if (d->p->orig_rax_reset)
		v->orig_rax = -1;
	if (end != SECCOMP_SKIP)
		return false;
	v->skipped = true;
	policy_return(d->p, d->mode, v);
	return true;
}

static bool step_call(struct decision *d)
{
	struct vsysemu_verdict *v = d->v;

	v->kind = VSYSEMU_CALL;
	v->call_nr = vsysemu_entry_call(v->nr);
	v->signal_uaccess = d->p->era >= VSYSEMU_E3 && d->p->era <= VSYSEMU_E7;
	for (int i = v->nr == 1 ? 1 : 2; i < 6; i++)
		v->args[i] = 0;
	return true;
}

static step_fn *const checks[CHECK_COUNT] = {
	[CHECK_ORDINARY] = not_handled,
	[CHECK_USER_MODE] = step_user_mode,
	[CHECK_CS] = step_cs,
	[CHECK_CS_XEN] = step_cs_xen,
	[CHECK_DECODE_FIRST] = step_decode_first,
	[CHECK_DECODE_INT] = step_decode_int,
	[CHECK_BUG] = step_bug,
	[CHECK_FETCH] = step_front_fetch,
	[CHECK_ACCESS] = step_front_access,
	[CHECK_64BIT] = step_64bit,
	[CHECK_NONE] = step_none,
	[CHECK_DECODE] = step_decode,
	[CHECK_STACK] = step_stack,
	[CHECK_SECCOMP_ANY] = step_seccomp_any,
	[CHECK_RANGE] = step_range,
	[CHECK_SECCOMP_FIRST] = step_seccomp_first,
	[CHECK_SECCOMP] = step_seccomp_second,
	[CHECK_CALL] = step_call,
};

/* The order of checks is the era's own; the last one always answers. */
static const uint8_t order[VSYSEMU_ERA_COUNT][10] = {
	[VSYSEMU_E0] = { CHECK_ORDINARY },
	[VSYSEMU_E1A] = { CHECK_USER_MODE, CHECK_DECODE_FIRST, CHECK_STACK, CHECK_SECCOMP_ANY,
			 CHECK_BUG, CHECK_CALL },
	[VSYSEMU_E1B] = { CHECK_CS, CHECK_DECODE_INT, CHECK_STACK, CHECK_SECCOMP_ANY,
			 CHECK_CALL },
	[VSYSEMU_E1C] = { CHECK_CS_XEN, CHECK_DECODE_INT, CHECK_STACK, CHECK_SECCOMP_ANY,
			 CHECK_CALL },
	[VSYSEMU_E2] = { CHECK_FETCH, CHECK_NONE, CHECK_DECODE, CHECK_STACK, CHECK_SECCOMP_ANY,
			 CHECK_CALL },
	[VSYSEMU_E3] = { CHECK_FETCH, CHECK_NONE, CHECK_DECODE, CHECK_STACK, CHECK_SECCOMP_ANY,
			 CHECK_RANGE, CHECK_CALL },
	[VSYSEMU_E4] = { CHECK_FETCH, CHECK_NONE, CHECK_DECODE, CHECK_STACK, CHECK_SECCOMP_FIRST,
			 CHECK_RANGE, CHECK_CALL },
	[VSYSEMU_E5] = { CHECK_FETCH, CHECK_NONE, CHECK_DECODE, CHECK_STACK, CHECK_RANGE,
			 CHECK_SECCOMP, CHECK_CALL },
	[VSYSEMU_E6] = { CHECK_FETCH, CHECK_NONE, CHECK_DECODE, CHECK_STACK, CHECK_RANGE,
			 CHECK_SECCOMP, CHECK_CALL },
	[VSYSEMU_E7] = { CHECK_ACCESS, CHECK_NONE, CHECK_DECODE, CHECK_STACK, CHECK_RANGE,
			 CHECK_SECCOMP, CHECK_CALL },
	[VSYSEMU_E8] = { CHECK_ACCESS, CHECK_NONE, CHECK_DECODE, CHECK_STACK, CHECK_RANGE,
			 CHECK_SECCOMP, CHECK_CALL },
	[VSYSEMU_E9] = { CHECK_ACCESS, CHECK_64BIT, CHECK_NONE, CHECK_DECODE, CHECK_STACK,
			 CHECK_RANGE, CHECK_SECCOMP, CHECK_CALL },
};

/* The page table lets the access through: no fault was due. */
static bool is_allowed(const struct vsysemu_profile *p, enum vsysemu_mode mode,
		       const struct vsysemu_frame *f)
{
	struct vsysemu_page page = vsysemu_page_of(p, mode);

	if (f->error_code & VSYSEMU_PF_W)
		return false;
	return f->error_code & VSYSEMU_PF_I ? page.executable : page.readable;
}

/* Does the trap reach the era's emulator at all? */
static bool is_emulators(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			 const struct vsysemu_frame *f)
{
	if (f->vector == VSYSEMU_VEC_INT0XCC)
		return policy_int_era(p->era);
	if (policy_int_era(p->era) || p->compiled_out)
		return false;
	if (f->vector == VSYSEMU_VEC_PF)
		return (f->error_code & VSYSEMU_PF_U) && in_page(f->addr);
	return f->vector == VSYSEMU_VEC_GP && is_user_cs(f->cs) && policy_lass_on(p, mode) &&
	       in_page(f->rip);
}

static void verdict_init(const struct vsysemu_frame *f, struct vsysemu_verdict *v)
{
	*v = (struct vsysemu_verdict){
		.rax = f->gpr[VSYSEMU_RAX], .rip = f->rip, .rsp = f->gpr[VSYSEMU_RSP],
		.orig_rax = -1, .nr = -1,
		.args = { f->gpr[VSYSEMU_RDI], f->gpr[VSYSEMU_RSI], f->gpr[VSYSEMU_RDX],
			  f->gpr[VSYSEMU_R10], f->gpr[VSYSEMU_R8], f->gpr[VSYSEMU_R9] },
		.log = { .si = f->gpr[VSYSEMU_RSI], .di = f->gpr[VSYSEMU_RDI] },
	};
}

void policy_decide_told(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			const struct vsysemu_frame *f, const struct vsysemu_guest *g,
			struct vsysemu_verdict *v, policy_tell_fn *tell, void *ctx)
{
	struct decision d = { .p = p, .mode = mode, .f = f, .g = g, .v = v };
	const uint8_t *c = order[p->era];
	bool emulators, answered;

	verdict_init(f, v);
	if (!vsysemu_mode_valid(p->era, mode))
		d.mode = VSYSEMU_NONE;
	if (f->vector == VSYSEMU_VEC_PF && (f->error_code & VSYSEMU_PF_U) && in_page(f->addr) &&
	    is_allowed(p, d.mode, f)) {
		v->kind = VSYSEMU_ALLOWED;
		return;
	}
	emulators = is_emulators(p, d.mode, f);
	if (!emulators) {
		if (f->vector == VSYSEMU_VEC_INT0XCC)
			v->rip -= INT_BYTES;
		not_handled(&d);
	}
	if (tell)
		tell(ctx, CHECK_ROUTE, v, !emulators);
	if (!emulators)
		return;
	d.entry = f->vector == VSYSEMU_VEC_PF	    ? f->addr :
		  f->vector == VSYSEMU_VEC_INT0XCC ? f->rip - INT_BYTES :
						      f->rip;
	do {
		answered = checks[*c](&d);
		if (tell)
			tell(ctx, (enum policy_check)*c, v, answered);
		c++;
	} while (!answered);
}

void vsysemu_policy_decide(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			   const struct vsysemu_frame *f, const struct vsysemu_guest *g,
			   struct vsysemu_verdict *v)
{
	policy_decide_told(p, mode, f, g, v, NULL, NULL);
}
