/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An example of somebody else's decision core, for `vsysemu check --impl`: the int 0xcc emulation as it
 * was in its first version (Linux commit 5cec93c216db), used for all kernels of that design.  It is
 * wrong on purpose for those from c9712944b2a1 on: CS is not looked at, and slot 3 of the page
 * decodes to a call that does not exist.
 * What it does not emulate it leaves to the library, whose names it finds with a prefix of its own.
 */
#include <string.h>

#include "facts/policy.h"

#define INT_BYTES 2
#define SLOT_BITS 0xc00ull

/* The library's two, renamed when it was compiled into this object. */
vsysemu_policy_decide_fn library_decide;
vsysemu_policy_finish_fn library_finish;

static void say(struct vsysemu_verdict *v, const struct vsysemu_frame *f, enum vsysemu_tag tag,
		int level)
{
	v->log = (struct vsysemu_log){
		.tag = tag, .level = level, .ip = v->rip, .sp = v->rsp, .ax = v->rax,
		.si = f->gpr[VSYSEMU_RSI], .di = f->gpr[VSYSEMU_RDI], .cs = f->cs,
	};
}

static void segv(struct vsysemu_verdict *v, const struct vsysemu_frame *f, enum vsysemu_tag tag,
		 int level)
{
	v->rip = f->rip - INT_BYTES;
	say(v, f, tag, level);
	v->kind = VSYSEMU_SIGNAL;
	v->signal = (struct vsysemu_signal){ .signo = 11, .code = 0x80, .forced = true };
}

static void emulate_int(const struct vsysemu_frame *f, const struct vsysemu_guest *g,
			struct vsysemu_verdict *v)
{
	static const int calls[] = { 96, 201, 309 };
	uint64_t at = f->rip - INT_BYTES;

	memset(v, 0, sizeof(*v));
	v->rax = f->gpr[VSYSEMU_RAX];
	v->rip = f->rip;
	v->rsp = f->gpr[VSYSEMU_RSP];
	v->orig_rax = -1;
	v->nr = -1;
	if (!(f->cs & 3)) {
		v->kind = VSYSEMU_BUG;
		return;
	}
	if ((at & ~SLOT_BITS) != VSYSEMU_PAGE) {
		segv(v, f, VSYSEMU_TAG_ILL, 4);
		return;
	}
	v->nr = (int)(at >> 10 & 3);
	if (!g->read(g->ctx, &v->caller, v->rsp, sizeof(v->caller))) {
		segv(v, f, VSYSEMU_TAG_STK0, 4);
		return;
	}
	if (f->seccomp != VSYSEMU_SECCOMP_OFF) {
		v->kind = VSYSEMU_KILL;
		v->kill_signo = 9;
		return;
	}
	if (v->nr == 3) {
		v->kind = VSYSEMU_BUG;
		return;
	}
	v->kind = VSYSEMU_CALL;
	v->call_nr = calls[v->nr];
	v->args[0] = f->gpr[VSYSEMU_RDI];
	v->args[1] = v->nr == 1 ? 0 : f->gpr[VSYSEMU_RSI];
}

void vsysemu_policy_decide(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			   const struct vsysemu_frame *f, const struct vsysemu_guest *g,
			   struct vsysemu_verdict *v)
{
	bool ours = p->era >= VSYSEMU_E1A && p->era <= VSYSEMU_E1C && mode == VSYSEMU_EMULATE;

	if (ours && f->vector == VSYSEMU_VEC_INT0XCC)
		emulate_int(f, g, v);
	else
		library_decide(p, mode, f, g, v);
}

void vsysemu_policy_finish(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			   const struct vsysemu_frame *f, const struct vsysemu_body *b,
			   struct vsysemu_verdict *v)
{
	library_finish(p, mode, f, b, v);
}
