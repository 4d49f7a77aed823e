/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vsyscall page on the kernel side: see page.h. */
#include "kernel/page.h"

#include <errno.h>
#include <string.h>

#include "kernel/klog.h"
#include "kernel/pagecode.h"
#include "kernel/seccomp.h"
#include "kernel/signal.h"
#include "kernel/syscall.h"
#include "kernel/task.h"

const uint8_t *page_bytes(const struct kernel *k)
{
	return k->page;
}

static const struct vsysemu_profile *rules(const struct kernel *k)
{
	return &k->model->kernel->rules;
}

void page_init(struct kernel *k)
{
	struct vsysemu_page p = vsysemu_page_of(rules(k), k->model->mode);

	if (!vsysemu_page_bytes(rules(k), k->model->mode, k->page)) {
		memset(k->page, 0xcc, PAGE_BYTES);
		if (rules(k)->era == VSYSEMU_E0)
			pagecode_build(k, k->page);
	}
	engine_set_page(k->engine, k->page, p.present && p.readable, p.present);
}

void page_tick(struct kernel *k)
{
	if (rules(k)->era == VSYSEMU_E0)
		pagecode_tick(k, k->page);
}

void page_frame(struct kernel *k, struct vsysemu_frame *f, unsigned vector, uint32_t error_code, gaddr addr)
{
	const struct task *t = k->proc.current;
	const struct vma *v = memory_find(k->mem, addr);

	memset(f, 0, sizeof(*f));
	f->vector = vector;
	f->error_code = error_code;
	f->addr = addr;
	f->rip = engine_get(k->engine, REG_RIP);
	f->rflags = engine_get(k->engine, REG_RFLAGS);
	engine_get_general(k->engine, f->gpr); /* the same order, the processor's */
	f->cs = (uint16_t)engine_get(k->engine, REG_CS);
	f->seccomp = t->seccomp_mode == 1 ? VSYSEMU_SECCOMP_STRICT :
		     t->seccomp_mode == 2 ? VSYSEMU_SECCOMP_FILTER : VSYSEMU_SECCOMP_OFF;
	f->mapped = v && v->start <= addr;
}

/* What the decision core asks, and what it was told. */
struct asked {
	struct kernel *k;
	uint32_t seccomp_ret;
};

static bool read_guest(void *ctx, void *dst, uint64_t addr, size_t n)
{
	return !memory_read(((struct asked *)ctx)->k->mem, dst, addr, n);
}

static void ask_seccomp(void *ctx, const struct vsysemu_seccomp_data *data, struct vsysemu_seccomp_answer *a)
{
	struct asked *q = ctx;

	a->ret = seccomp_run(q->k, data);
	q->seccomp_ret = a->ret;
}

static const char *reason_of(const struct vsysemu_verdict *v)
{
	switch (v->log.tag) {
	case VSYSEMU_TAG_NONE:
		return "vsyscall-none";
	case VSYSEMU_TAG_MIS:
	case VSYSEMU_TAG_ILL:
	case VSYSEMU_TAG_ILL32:
		return "vsyscall-misaligned";
	case VSYSEMU_TAG_STK:
	case VSYSEMU_TAG_STK0:
		return "vsyscall-bad-stack";
	case VSYSEMU_TAG_FLT:
		return "vsyscall-fault";
	case VSYSEMU_TAG_SEC:
		return "vsyscall-seccomp";
	case VSYSEMU_TAG_RD:
		return "page-read";
	default:
		return NULL;
	}
}

static void set_regs(struct kernel *k, const struct vsysemu_verdict *v)
{
	engine_set(k->engine, REG_RAX, v->rax);
	engine_set(k->engine, REG_RSP, v->rsp);
	engine_set(k->engine, REG_RIP, v->rip);
}

/* The segfault line of a fault that nobody handled (do_user_addr_fault(), show_signal_msg()). */
static void log_ordinary(struct kernel *k, const struct vsysemu_frame *f, const struct vsysemu_signal *s)
{
	if (f->vector == VSYSEMU_VEC_PF && s->signo == SIGSEGV)
		klog_fault(k, s->signo, "segfault", f->addr, s->error);
	else if (f->vector == VSYSEMU_VEC_GP)
		klog_fault(k, s->signo, k->model->kernel->release_nr >= KVER(5, 0) ? "general protection fault" : "general protection",
			   0, s->error);
}

static void kill_now(struct kernel *k, const struct vsysemu_verdict *v)
{
	if (!v->kill_group && !task_alone(k)) {
		k->proc.current->ends = true;
		return;
	}
	k->outcome.kind = OUTCOME_SIGNAL;
	k->outcome.status = v->kill_signo;
	k->outcome.rip = engine_get(k->engine, REG_RIP);
	k->outcome.reason = k->proc.current->reason;
	k->outcome.caller = k->proc.current->caller;
}

/* Do what @v says; CALL has been finished. */
static void carry_out(struct kernel *k, const struct vsysemu_frame *f, const struct vsysemu_verdict *v)
{
	struct task *t = k->proc.current;
	const char *reason = reason_of(v);

	klog_vsyscall(k, &v->log);
	if (reason)
		t->reason = reason;
	set_regs(k, v);
	switch (v->kind) {
	case VSYSEMU_SIGNAL:
	case VSYSEMU_NOT_HANDLED:
		if (!v->signal.signo)
			break;
		if (v->kind == VSYSEMU_NOT_HANDLED)
			log_ordinary(k, f, &v->signal);
		signal_force(k, &v->signal);
		break;
	case VSYSEMU_KILL:
		kill_now(k, v);
		break;
	case VSYSEMU_RETURN:
		if (v->landing_faults)
			signal_force(k, &v->landing);
		break;
	default:
		break;
	}
}

static void body(struct kernel *k, const struct vsysemu_frame *f, struct vsysemu_verdict *v,
		 struct page_event *ev)
{
	struct body_fault fault;
	struct vsysemu_body b = { 0 };
	const struct vma *vma;

	set_regs(k, v);
	b.result = syscall_body(k, (unsigned)v->call_nr, v->args, &fault);
	b.fault = fault.code;
	b.addr = fault.addr;
	b.error_code = fault.code & (PF_P | PF_W);
	b.bus = fault.bus;
	vma = memory_find(k->mem, fault.addr);
	b.mapped = vma && vma->start <= fault.addr;
	ev->result = b.result;
	ev->error = b.result < 0;
	vsysemu_policy_finish(rules(k), k->model->mode, f, &b, v);
}

static void run_frame(struct kernel *k, const struct vsysemu_frame *f, struct page_event *ev)
{
	struct asked asked = { .k = k };
	struct vsysemu_guest g = { &asked, read_guest, ask_seccomp };
	struct task *t = k->proc.current;
	struct vsysemu_verdict v;
	gaddr entry = f->vector == VSYSEMU_VEC_INT0XCC ? f->rip - 2 : f->rip;
	int nr = vsysemu_entry_nr(entry);

	memset(ev, 0, sizeof(*ev));
	ev->nr = nr >= 0 && nr <= 2 ? nr : -1;
	for (unsigned i = 0; i < 3; i++)
		ev->args[i] = f->gpr[i == 0 ? VSYSEMU_RDI : i == 1 ? VSYSEMU_RSI : VSYSEMU_RDX];
	if (memory_read(k->mem, &ev->caller, f->gpr[VSYSEMU_RSP], 8))
		ev->caller = 0;
	t->reason = NULL;
	t->caller = ev->caller;
	t->orig_rax = -1;
	vsysemu_policy_decide(rules(k), k->model->mode, f, &g, &v);
	ev->seccomp = (int)f->seccomp;
	ev->seccomp_ret = asked.seccomp_ret;
	if (v.kind == VSYSEMU_CALL)
		body(k, f, &v, ev);
	ev->refused = v.kind != VSYSEMU_RETURN;
	ev->skipped = v.skipped && !ev->refused;
	if (ev->skipped) {
		ev->result = (int64_t)v.rax;
		ev->error = ev->result < 0;
	}
	if (v.kind == VSYSEMU_SIGNAL && v.signal.signo == SIGSYS)
		t->reason = "vsyscall-seccomp";
	if (v.kind == VSYSEMU_KILL && !t->reason)
		t->reason = "vsyscall-seccomp";
	carry_out(k, f, &v);
}

bool page_arrive(struct kernel *k, gaddr pc, struct page_event *ev)
{
	struct vsysemu_page p = vsysemu_page_of(rules(k), k->model->mode);
	struct vsysemu_frame f;

	if (p.executable && k->model->mode == VSYSEMU_NATIVE)
		return true;
	if (p.executable && rules(k)->era <= VSYSEMU_E1C)
		return true; /* int 0xcc, or int3 of the fill, does the rest */
	page_frame(k, &f, VEC_PF, PF_U | PF_I | (p.present ? PF_P : 0u), pc);
	if (rules(k)->lass && k->model->mode != VSYSEMU_EMULATE) {
		f.vector = VSYSEMU_VEC_GP;
		f.error_code = 0;
	}
	run_frame(k, &f, ev);
	return false;
}

bool page_int0xcc(struct kernel *k, gaddr next, struct page_event *ev)
{
	struct vsysemu_frame f;

	if (rules(k)->era < VSYSEMU_E1A || rules(k)->era > VSYSEMU_E1C)
		return false;
	page_frame(k, &f, VSYSEMU_VEC_INT0XCC, 0, 0);
	f.rip = next;
	run_frame(k, &f, ev);
	return true;
}

void page_access(struct kernel *k, gaddr addr, uint32_t error_code)
{
	struct asked asked = { .k = k };
	struct vsysemu_guest g = { &asked, read_guest, ask_seccomp };
	struct vsysemu_frame f;
	struct vsysemu_verdict v;

	page_frame(k, &f, VEC_PF, error_code, addr);
	if (rules(k)->lass && k->model->mode != VSYSEMU_EMULATE) {
		f.vector = VSYSEMU_VEC_GP;
		f.error_code = 0;
	}
	k->proc.current->reason = NULL;
	k->proc.current->caller = 0;
	vsysemu_policy_decide(rules(k), k->model->mode, &f, &g, &v);
	k->proc.current->reason = error_code & PF_W ? "page-write" : "page-read";
	if (v.kind == VSYSEMU_ALLOWED)
		return;
	carry_out(k, &f, &v);
}
