/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frame of a signal handler as x86-64 Linux lays it out: return address, ucontext, siginfo, and above
 * them the FXSAVE image (the modelled processor has no XSAVE).  Truth: arch/x86/kernel/signal.c,
 * signal_64.c, fpu/signal.c; include/uapi/asm/sigcontext.h and ucontext.h.
 */
#include <stddef.h>
#include <string.h>

#include "kernel/klog.h"
#include "kernel/signal.h"
#include "kernel/sys.h"

#define RED_ZONE_BYTES 128u
#define FX_BYTES 512u
#define FLAG_SIGINFO 4u
#define FLAG_RESTORER 0x04000000u
#define FLAG_ONSTACK 0x08000000u
#define UC_SIGCONTEXT_SS 2u
#define UC_STRICT_RESTORE_SS 4u
#define SS_ONSTACK_FLAG 1u
#define SS_DISABLE_FLAG 2u
#define SS_AUTODISARM_FLAG (1u << 31)
/* FIX_EFLAGS: what sigreturn takes from the frame: CF PF AF ZF SF TF DF OF RF AC. */
#define RFLAGS_RESTORED 0x50dd5u

struct sigcontext64 {
	uint64_t r8, r9, r10, r11, r12, r13, r14, r15, di, si, bp, bx, dx, ax, cx, sp, ip, flags;
	uint16_t cs, gs, fs, ss;
	uint64_t err, trapno, oldmask, cr2, fpstate, reserved[8];
};

struct stack64 {
	uint64_t sp;
	uint32_t flags, pad;
	uint64_t size;
};

struct frame64 {
	uint64_t pretcode;
	struct {
		uint64_t flags, link;
		struct stack64 stack;
		struct sigcontext64 mc;
		uint64_t sigmask;
	} uc;
	uint8_t info[SIGINFO_BYTES];
};
_Static_assert(sizeof(struct sigcontext64) == 256, "struct sigcontext");
_Static_assert(sizeof(struct frame64) == 440, "struct rt_sigframe");

/* Fields of struct sigcontext in the order of enum reg. */
static const uint16_t field[] = {
#define AT(f) offsetof(struct sigcontext64, f)
	AT(ax), AT(cx), AT(dx), AT(bx), AT(sp), AT(bp), AT(si), AT(di), AT(r8), AT(r9), AT(r10), AT(r11),
	AT(r12), AT(r13), AT(r14), AT(r15), AT(ip), AT(flags),
#undef AT
};

bool sigframe_on_altstack(const struct task *t, gaddr sp)
{
	if ((uint32_t)t->altstack_flags & SS_AUTODISARM_FLAG)
		return false;
	return sp > t->altstack_sp && sp - t->altstack_sp <= t->altstack_size;
}

static uint32_t stack_flags(const struct task *t, gaddr sp)
{
	if (!t->altstack_size)
		return SS_DISABLE_FLAG;
	return sigframe_on_altstack(t, sp) ? SS_ONSTACK_FLAG : 0;
}

/* get_sigframe(): where the frame goes; 0: nowhere. */
static gaddr place(const struct task *t, const struct sigact *a, gaddr sp, gaddr *fx)
{
	bool on = sigframe_on_altstack(t, sp), entering = false;
	gaddr at = sp - RED_ZONE_BYTES;

	if (a->flags & FLAG_ONSTACK && !stack_flags(t, sp)) {
		at = t->altstack_sp + t->altstack_size;
		entering = true;
	}
	*fx = (at - FX_BYTES) & ~(gaddr)63;
	at = ((*fx - sizeof(struct frame64)) & ~(gaddr)15) - 8;
	if ((on || entering) && t->altstack_size &&
	    !(at > t->altstack_sp && at - t->altstack_sp <= t->altstack_size))
		return 0;
	return at;
}

static void fill(struct kernel *k, struct frame64 *f, const struct cpu_state *s, gaddr fx)
{
	const struct task *t = k->proc.current;
	struct sigcontext64 *mc = &f->uc.mc;
	bool strict = k->model->kernel->release_nr >= KVER(4, 6);

	for (unsigned r = 0; r < ARRAY_SIZE(field); r++)
		memcpy((char *)mc + field[r], &s->reg[r], 8);
	mc->cs = (uint16_t)s->reg[REG_CS];
	mc->ss = strict ? (uint16_t)s->reg[REG_SS] : 0;
	mc->err = t->trap.err;
	mc->trapno = t->trap.trapno;
	mc->cr2 = t->trap.cr2;
	mc->fpstate = fx;
	f->uc.flags = strict ? UC_SIGCONTEXT_SS | UC_STRICT_RESTORE_SS : 0;
	f->uc.stack.sp = t->altstack_sp;
	f->uc.stack.flags = stack_flags(t, s->reg[REG_RSP]) | ((uint32_t)t->altstack_flags & SS_AUTODISARM_FLAG);
	f->uc.stack.size = t->altstack_size;
}

bool sigframe_enter(struct kernel *k, const struct sigact *a, const uint8_t info[SIGINFO_BYTES],
		    sigset64 saved_mask)
{
	struct task *t = k->proc.current;
	struct frame64 f = { .pretcode = a->restorer };
	struct cpu_state s, fresh;
	gaddr fx, at;
	int32_t signo;

	if (!(a->flags & FLAG_RESTORER))
		return false;
	engine_save(k->engine, &s);
	at = place(t, a, s.reg[REG_RSP], &fx);
	if (!at)
		return false;
	fill(k, &f, &s, fx);
	f.uc.mc.oldmask = f.uc.sigmask = saved_mask;
	if (a->flags & FLAG_SIGINFO)
		memcpy(f.info, info, SIGINFO_BYTES);
	if (memory_write(k->mem, fx, s.fxsave, FX_BYTES) || memory_write(k->mem, at, &f, sizeof(f)))
		return false;
	if ((uint32_t)t->altstack_flags & SS_AUTODISARM_FLAG) {
		t->altstack_sp = t->altstack_size = 0;
		t->altstack_flags = SS_DISABLE_FLAG;
	}
	memcpy(&signo, info, 4);
	cpu_state_init(&fresh);
	memcpy(s.fxsave, fresh.fxsave, sizeof(s.fxsave));
	s.reg[REG_RDI] = (uint64_t)signo;
	s.reg[REG_RAX] = 0;
	s.reg[REG_RSI] = at + offsetof(struct frame64, info);
	s.reg[REG_RDX] = at + offsetof(struct frame64, uc);
	s.reg[REG_RIP] = a->handler;
	s.reg[REG_RSP] = at;
	s.reg[REG_CS] = 0x33;
	s.reg[REG_SS] = 0x2b;
	s.reg[REG_RFLAGS] &= ~(uint64_t)(RFLAGS_DF | RFLAGS_RF | RFLAGS_TF);
	engine_load(k->engine, &s);
	return true;
}

static void restore_altstack(struct task *t, const struct stack64 *ss, gaddr sp)
{
	uint32_t flags = ss->flags & ~SS_AUTODISARM_FLAG;

	/* do_sigaltstack(): errors are not looked at. */
	if (sigframe_on_altstack(t, sp) || flags & ~3u)
		return;
	if (flags & SS_DISABLE_FLAG) {
		t->altstack_sp = t->altstack_size = 0;
		t->altstack_flags = SS_DISABLE_FLAG;
		return;
	}
	if (ss->size < 2048)
		return;
	t->altstack_sp = ss->sp;
	t->altstack_size = ss->size;
	t->altstack_flags = (int)(ss->flags & SS_AUTODISARM_FLAG);
}

static bool bad_frame(struct kernel *k, gaddr at)
{
	struct vsysemu_signal sig = { .signo = SIGSEGV, .code = SI_KERNEL };
	struct buf b = { 0 };

	if (k->proc.act[SIGSEGV].handler <= 1) {
		buf_printf(&b, "%s[%d] bad frame in rt_sigreturn frame:%016lx ip:%lx sp:%lx orax:%lx",
			   k->proc.current->comm, k->proc.current->tid, (unsigned long)at,
			   (unsigned long)engine_get(k->engine, REG_RIP),
			   (unsigned long)engine_get(k->engine, REG_RSP), ~0ul);
		klog_print(k, b.data);
		buf_free(&b);
	}
	signal_force(k, &sig);
	return false;
}

bool sigframe_leave(struct kernel *k)
{
	struct task *t = k->proc.current;
	gaddr at = engine_get(k->engine, REG_RSP) - 8;
	struct cpu_state s, fresh;
	struct frame64 f;

	t->orig_rax = -1;
	if (memory_read(k->mem, &f, at, sizeof(f)))
		return bad_frame(k, at);
	signal_set_mask(k, f.uc.sigmask);
	engine_save(k->engine, &s);
	cpu_state_init(&fresh);
	memcpy(s.fxsave, fresh.fxsave, sizeof(s.fxsave));
	if (f.uc.mc.fpstate && memory_read(k->mem, s.fxsave, f.uc.mc.fpstate, FX_BYTES))
		return bad_frame(k, at);
	for (unsigned r = 0; r < ARRAY_SIZE(field); r++) {
		uint64_t v;

		memcpy(&v, (const char *)&f.uc.mc + field[r], 8);
		if (r == REG_RFLAGS)
			v = (s.reg[r] & ~(uint64_t)RFLAGS_RESTORED) | (v & RFLAGS_RESTORED);
		s.reg[r] = v;
	}
	s.reg[REG_CS] = f.uc.mc.cs | 3u;
	s.reg[REG_SS] = f.uc.flags & UC_STRICT_RESTORE_SS ? f.uc.mc.ss | 3u : 0x2b;
	engine_load(k->engine, &s);
	restore_altstack(t, &f.uc.stack, s.reg[REG_RSP]);
	/* IRET finds selectors that are none: #GP in the kernel, SIGSEGV for the program. */
	if (s.reg[REG_CS] != 0x33 || s.reg[REG_SS] != 0x2b) {
		struct vsysemu_signal sig = { .signo = SIGSEGV, .code = SI_KERNEL, .trap_set = true,
					      .trapno = VEC_GP };

		sig.error = s.reg[REG_CS] != 0x33 ? s.reg[REG_CS] & ~3u : s.reg[REG_SS] & ~3u;
		signal_force(k, &sig);
	}
	return true;
}
