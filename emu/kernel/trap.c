/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processor exceptions of the guest: see trap.h. */
#include "kernel/trap.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/ident.h"
#include "kernel/klog.h"
#include "kernel/page.h"
#include "kernel/signal.h"

#define RLIMIT_STACK_NR 3u
#define GUARD_GAP_PAGES 256u /* mm/mmap.c stack_guard_gap */

/* mm/mmap.c expand_downwards(): a mapping that grows, when the access lies below it. */
static bool grow_stack(struct kernel *k, gaddr addr)
{
	const struct vma *v = memory_find(k->mem, addr), *below = NULL, *i = NULL;
	uint64_t lim[2];
	gaddr start = page_down(addr);

	if (!v || v->start <= addr || !(v->flags & MAP_GROWSDOWN))
		return false;
	rlimit_get(k, RLIMIT_STACK_NR, lim);
	if (v->end - start > lim[0])
		return false;
	while ((i = memory_next(k->mem, i)) && i->end <= start)
		below = i;
	if (below && below->prot && !(below->flags & MAP_GROWSDOWN) &&
	    start - below->end < (uint64_t)GUARD_GAP_PAGES * PAGE_BYTES)
		return false;
	return memory_mmap(k->mem, start, v->start - start, v->prot,
			   MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_GROWSDOWN | MAP_NORESERVE, -1, 0) > 0;
}

static void force(struct kernel *k, int signo, int code, gaddr addr, unsigned trapno, uint32_t error)
{
	struct vsysemu_signal s = { .signo = signo, .code = code, .addr = addr, .trap_set = true,
				    .trapno = trapno, .error = error };

	signal_force(k, &s);
}

static void page_fault(struct kernel *k, const struct trap *t)
{
	struct vsysemu_signal s;
	struct vsysemu_frame f;

	if (t->addr >= VSYSCALL_PAGE && t->addr < VSYSCALL_PAGE_END) {
		page_access(k, t->addr, t->error_code);
		return;
	}
	if (t->addr < WINDOW_END && grow_stack(k, t->addr))
		return;
	page_frame(k, &f, VEC_PF, t->error_code, t->addr);
	f.bus = t->bus;
	memset(&s, 0, sizeof(s));
	vsysemu_ordinary_signal(&k->model->kernel->rules, &f, &s);
	if (s.signo == SIGSEGV)
		klog_fault(k, SIGSEGV, "segfault", t->addr, s.error);
	signal_force(k, &s);
}

static void protection(struct kernel *k, uint32_t error)
{
	struct vsysemu_signal s;
	struct vsysemu_frame f;

	page_frame(k, &f, VEC_GP, error, 0);
	memset(&s, 0, sizeof(s));
	vsysemu_ordinary_signal(&k->model->kernel->rules, &f, &s);
	klog_fault(k, SIGSEGV, k->model->kernel->release_nr >= KVER(5, 0) ? "general protection fault" : "general protection", 0,
		   error);
	signal_force(k, &s);
}

/* Which of the x87 exceptions it is: fpu__exception_code(). */
static int fpu_code(struct kernel *k)
{
	struct cpu_state s;
	uint16_t fcw, fsw;
	unsigned e;

	engine_save(k->engine, &s);
	memcpy(&fcw, s.fxsave, 2);
	memcpy(&fsw, s.fxsave + 2, 2);
	e = fsw & ~fcw;
	return e & 1 ? FPE_FLTINV : e & 4 ? FPE_FLTDIV : e & 8 ? FPE_FLTOVF : e & 0x12 ? FPE_FLTUND :
	       e & 0x20 ? FPE_FLTRES : SI_KERNEL;
}

void trap_exception(struct kernel *k, const struct trap *t)
{
	struct task *task = k->proc.current;

	task->orig_rax = -1;
	task->reason = NULL;
	task->caller = 0;
	switch (t->vector) {
	case VEC_PF:
		page_fault(k, t);
		break;
	case VEC_GP:
		protection(k, t->error_code);
		break;
	case VEC_DE:
		klog_fault(k, SIGFPE, "trap divide error", 0, 0);
		force(k, SIGFPE, FPE_INTDIV, t->rip, VEC_DE, 0);
		break;
	case VEC_DB:
		force(k, SIGTRAP, TRAP_TRACE, t->rip, VEC_DB, 0);
		break;
	case VEC_BP:
		klog_fault(k, SIGTRAP, "trap int3", 0, 0);
		force(k, SIGTRAP, SI_KERNEL, 0, VEC_BP, 0);
		break;
	case VEC_UD:
		klog_fault(k, SIGILL, "trap invalid opcode", 0, 0);
		force(k, SIGILL, ILL_ILLOPN, t->rip, VEC_UD, 0);
		break;
	case VEC_MF:
		force(k, SIGFPE, fpu_code(k), t->rip, VEC_MF, 0);
		break;
	case VEC_AC:
		force(k, SIGBUS, BUS_ADRALN, 0, VEC_AC, 0);
		break;
	case VEC_SS:
	case VEC_NP:
		klog_fault(k, SIGBUS, t->vector == VEC_SS ? "trap stack segment" : "trap segment not present", 0,
			   t->error_code);
		force(k, SIGBUS, SI_KERNEL, 0, t->vector, t->error_code);
		break;
	default:
		force(k, SIGSEGV, SI_KERNEL, 0, t->vector, t->error_code);
		break;
	}
}

bool trap_int(struct kernel *k, const struct trap *t, struct page_event *ev)
{
	struct trap as = *t;

	if (t->vector == VSYSEMU_VEC_INT0XCC && page_int0xcc(k, t->next, ev))
		return true;
	/* Gates that user code may use: int3, into's, and the 32-bit system call's. */
	as.kind = TRAP_EXCEPTION;
	if (t->vector == VEC_BP || t->vector == VEC_OF) {
		as.vector = t->vector;
		engine_set(k->engine, REG_RIP, t->next);
	} else if (t->vector == 0x80) {
		if (k->warn)
			k->warn(k, "int 0x80 from 64-bit code: 32-bit system calls are not modelled, answered ENOSYS");
		engine_set(k->engine, REG_RAX, (uint64_t)-ENOSYS);
		engine_set(k->engine, REG_RIP, t->next);
		return false;
	} else {
		as.vector = VEC_GP;
		as.error_code = k->model->kernel->rules.fred ? 0 : t->vector * 8u + 2;
	}
	trap_exception(k, &as);
	return false;
}
