/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Run one case through a decision core: a make-believe guest (eight bytes of stack, two pointers,
 * a filter with one answer) and make-believe bodies of the three calls.  Where no trap is due the
 * few instructions that the page can hold are followed here.
 */
#include <string.h>

#include "facts/vectors.h"

#define BODY_TIME 1300000000 /* what the time body answers: nothing else is that number */

enum { ERR_FAULT = 14 };
enum { PF_KERNEL_WRITE = VSYSEMU_PF_W };

static const char *const outcome_names[OUT_COUNT] = {
	[OUT_NATIVE_EXEC] = "NATIVE_EXEC", [OUT_EMULATED] = "EMULATED", [OUT_SKIPPED] = "SKIPPED",
	[OUT_SIGNAL] = "SIGNAL", [OUT_KILLED] = "KILLED", [OUT_KERNEL_BUG] = "KERNEL_BUG",
	[OUT_READ_OK] = "READ_OK", [OUT_KERNEL_FAULT] = "KERNEL_FAULT",
};

const char *vector_outcome_name(enum vector_outcome_kind k)
{
	return (unsigned)k < OUT_COUNT ? outcome_names[k] : NULL;
}

static bool read_stack(void *ctx, void *dst, uint64_t addr, size_t n)
{
	const struct vector_case *c = ctx;

	if (!c->stack_ok || addr != c->rsp || n != sizeof(c->caller))
		return false;
	memcpy(dst, &c->caller, n);
	return true;
}

static void answer_filter(void *ctx, const struct vsysemu_seccomp_data *data,
			  struct vsysemu_seccomp_answer *a)
{
	const struct vector_seccomp *s = &((const struct vector_case *)ctx)->seccomp;

	(void)data;
	a->ret = s->ret;
	a->traced = s->traced;
	a->listener = s->listener;
	a->notif_continue = s->notif_continue;
	if (s->set_orig_rax)
		a->orig_rax = s->orig_rax;
	if (s->set_rax)
		a->rax = s->rax;
	a->rip += s->add[MOVED_RIP];
	a->rsp += s->add[MOVED_RSP];
	a->args[0] += s->add[MOVED_RDI];
	a->args[1] += s->add[MOVED_RSI];
}

void vector_case_frame(const struct vector_case *c, struct vsysemu_frame *f)
{
	*f = (struct vsysemu_frame){
		.vector = c->entry == ENTRY_INT ? VSYSEMU_VEC_INT0XCC :
			  c->entry == ENTRY_GP	? VSYSEMU_VEC_GP :
						  VSYSEMU_VEC_PF,
		.error_code = c->error_code, .rip = c->target, .rflags = c->rflags, .cs = c->cs,
		.seccomp = c->seccomp.mode,
	};
	for (unsigned i = 0; i < VSYSEMU_REG_COUNT; i++)
		f->gpr[i] = 0x1111111111111111ull * (i & 7) + i;
	f->gpr[VSYSEMU_RAX] = c->rax;
	f->gpr[VSYSEMU_RSP] = c->rsp;
	f->gpr[VSYSEMU_RDI] = c->ptr[0].addr;
	f->gpr[VSYSEMU_RSI] = c->ptr[1].addr;
	if (f->vector == VSYSEMU_VEC_PF)
		f->addr = c->target;
	if (c->entry == ENTRY_READ || c->entry == ENTRY_WRITE)
		f->rip = c->from;
	if (c->entry == ENTRY_INT)
		f->rip += 2;
}

bool vector_case_traps(const struct vector_case *c)
{
	struct vsysemu_page page = vsysemu_page_of(&c->profile, c->mode);

	switch (c->entry) {
	case ENTRY_NATIVE:
		return false;
	case ENTRY_FETCH:
		return !(c->error_code & VSYSEMU_PF_I ? page.executable : page.readable);
	case ENTRY_READ:
		return !page.readable;
	default:
		return true;
	}
}

/* Store of @size bytes by the kernel.  True: it went through. */
static bool store(const struct vector_case *c, const struct vector_pointer *p, unsigned size,
		  struct vsysemu_body *b)
{
	bool crosses = (p->addr & (VSYSEMU_PAGE_BYTES - 1)) + size > VSYSEMU_PAGE_BYTES;

	if (p->state == POINTER_NULL || p->state == POINTER_OK ||
	    (p->state == POINTER_CROSS && !crosses))
		return true;
	b->result = -ERR_FAULT;
	/* The pointer check of the system call itself: no access, so no fault. */
	if (c->profile.user_limit_start ? p->addr >= c->profile.user_limit :
					  p->addr > c->profile.user_limit - size)
		return false;
	if (b->fault)
		return false;
	b->fault = true;
	b->addr = p->state == POINTER_CROSS ? (p->addr | (VSYSEMU_PAGE_BYTES - 1)) + 1 : p->addr;
	b->error_code = PF_KERNEL_WRITE | (p->state == POINTER_READONLY ? VSYSEMU_PF_P : 0);
	b->mapped = p->state == POINTER_READONLY || p->state == POINTER_PROTNONE;
	b->bus = p->state == POINTER_EOF;
	return false;
}

/* A pointer as a tracer left it: beside what it pointed at, and nothing lies beside NULL. */
static struct vector_pointer moved(const struct vector_pointer *p, uint64_t add)
{
	return (struct vector_pointer){
		.addr = p->addr + add,
		.state = add && p->state == POINTER_NULL ? POINTER_UNMAPPED : p->state,
	};
}

static struct vsysemu_body run_body(const struct vector_case *c, int nr)
{
	struct vsysemu_body b = { .result = nr == 201 ? BODY_TIME : 0 };
	bool traced = c->seccomp.traced && c->seccomp.mode == VSYSEMU_SECCOMP_FILTER;
	struct vector_pointer p = moved(&c->ptr[0], traced ? c->seccomp.add[MOVED_RDI] : 0);
	struct vector_pointer q = moved(&c->ptr[1], traced ? c->seccomp.add[MOVED_RSI] : 0);

	if (nr == 201) {
		store(c, &p, 8, &b);
	} else if (nr == 96) {
		if (store(c, &p, 16, &b))
			store(c, &q, 8, &b);
	} else if (nr == 309) {
		store(c, &p, 4, &b);
		store(c, &q, 4, &b);
	}
	return b;
}

static void take_signal(const struct vector_case *c, struct vector_outcome *o,
			const struct vsysemu_signal *s)
{
	o->signal = *s;
	o->kind = !s->signo ? OUT_KERNEL_FAULT : OUT_SIGNAL;
	if (s->signo == 11 && s->forced && c->segv_blocked) {
		o->kind = OUT_KILLED;
		o->v.kill_signo = s->signo;
	}
}

static void conclude(const struct vector_case *c, struct vector_outcome *o)
{
	o->handled = true;
	switch (o->v.kind) {
	case VSYSEMU_NOT_HANDLED:
		o->handled = false;
		take_signal(c, o, &o->v.signal);
		break;
	case VSYSEMU_SIGNAL:
		take_signal(c, o, &o->v.signal);
		break;
	case VSYSEMU_ALLOWED:
		o->kind = c->entry == ENTRY_READ ? OUT_READ_OK : OUT_NATIVE_EXEC;
		break;
	case VSYSEMU_RETURN:
		o->kind = o->v.skipped ? OUT_SKIPPED : OUT_EMULATED;
		if (o->v.landing_faults) {
			o->handled = false;
			take_signal(c, o, &o->v.landing);
		}
		break;
	case VSYSEMU_KILL:
		o->kind = OUT_KILLED;
		break;
	default:
		o->kind = OUT_KERNEL_BUG;
	}
}

/* A system call made by the page's own bytes: seccomp as for any call, RCX and R11 aside. */
static void native_syscall(const struct vector_case *c, struct vector_outcome *o, uint64_t next)
{
	struct vsysemu_verdict *v = &o->v;

	o->executed_nr = (int)v->rax;
	if (c->seccomp.mode == VSYSEMU_SECCOMP_STRICT) {
		o->kind = OUT_KILLED;
		v->kill_signo = 9;
		return;
	}
	if (vsysemu_entry_call(0) != o->executed_nr && vsysemu_entry_call(1) != o->executed_nr &&
	    vsysemu_entry_call(2) != o->executed_nr)
		return;
	o->called = true;
	o->result = run_body(c, o->executed_nr).result;
	v->rax = (uint64_t)o->result;
	v->rip = next;
}

/* Follow the bytes from @rip on. */
static void run_native(const struct vector_case *c, struct vector_outcome *o)
{
	uint8_t bytes[VSYSEMU_PAGE_BYTES];
	struct vsysemu_verdict *v = &o->v;
	struct vsysemu_frame bp = { .vector = VSYSEMU_VEC_BP, .cs = c->cs };
	struct vsysemu_signal s;

	if (!vsysemu_page_bytes(&c->profile, c->mode, bytes))
		return;
	while (o->kind == OUT_NATIVE_EXEC && v->rip >= VSYSEMU_PAGE &&
	       v->rip - VSYSEMU_PAGE < VSYSEMU_PAGE_BYTES - 8) {
		const uint8_t *b = bytes + (v->rip - VSYSEMU_PAGE);

		if (b[0] == 0x48 && b[1] == 0xc7 && b[2] == 0xc0) {
			v->rax = b[3] | (uint64_t)b[4] << 8;
			v->rip += 7;
		} else if (b[0] == 0x0f && b[1] == 0x05) {
			native_syscall(c, o, v->rip + 2);
			if (!o->called)
				return;
		} else if (b[0] == 0xc3 && c->stack_ok) {
			v->rip = c->caller;
			v->rsp += 8;
			return;
		} else if (b[0] == 0xcc) {
			v->rip++;
			vsysemu_ordinary_signal(&c->profile, &bp, &s);
			take_signal(c, o, &s);
		} else {
			return;
		}
	}
}

void vector_case_run(const struct vector_case *c, const struct vector_impl *impl,
		     struct vector_outcome *o)
{
	struct vsysemu_frame f;
	struct vsysemu_guest g = { .ctx = (void *)(uintptr_t)c, .read = read_stack,
				   .seccomp = answer_filter };
	vsysemu_policy_finish_fn *finish = impl->finish ? impl->finish : vsysemu_policy_finish;

	memset(o, 0, sizeof(*o));
	o->executed_nr = -1;
	vector_case_frame(c, &f);
	impl->decide(&c->profile, c->mode, &f, &g, &o->decided);
	o->v = o->decided;
	if (o->v.kind == VSYSEMU_CALL) {
		struct vsysemu_body b = run_body(c, o->v.call_nr);

		o->called = true;
		o->result = b.result;
		finish(&c->profile, c->mode, &f, &b, &o->v);
	}
	conclude(c, o);
	if (o->kind == OUT_NATIVE_EXEC)
		run_native(c, o);
}
