/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Each check of the emulator: what it asks, what it looked at, how it answered. */
#include "facts/explain.h"

#include <stdio.h>
#include <string.h>

#include "facts/policy_tell.h"

static const char *const calls[] = { "gettimeofday", "time", "getcpu" };

static const struct {
	const char *question;
	enum explain_part part;
} checks[CHECK_COUNT] = {
	[CHECK_ORDINARY] = { "Has this kernel an emulator?", PART_CHECK },
	[CHECK_ROUTE] = { "Is it the vsyscall emulator's?", PART_CHECK },
	[CHECK_USER_MODE] = { "Does the trap come from user mode?", PART_CHECK },
	[CHECK_CS] = { "Is CS the 64-bit user selector 0x33?", PART_CHECK },
	[CHECK_CS_XEN] = { "Is the task in 64-bit mode?", PART_CHECK },
	[CHECK_DECODE_FIRST] = { "Is rip - 2 an entry (slot bits masked)?", PART_CHECK },
	[CHECK_DECODE_INT] = { "Is rip - 2 an entry?", PART_CHECK },
	[CHECK_BUG] = { "Is there a call of this number?", PART_CHECK },
	[CHECK_FETCH] = { "Is it an instruction fetch?", PART_CHECK },
	[CHECK_ACCESS] = { "Is it a fetch, a read or a write?", PART_CHECK },
	[CHECK_64BIT] = { "Is the task in 64-bit mode?", PART_CHECK },
	[CHECK_NONE] = { "Is the policy vsyscall=none?", PART_CHECK },
	[CHECK_DECODE] = { "Is the address an entry?", PART_CHECK },
	[CHECK_STACK] = { "Can the return address be read?", PART_CHECK },
	[CHECK_SECCOMP_ANY] = { "Is seccomp on?", PART_SECCOMP },
	[CHECK_RANGE] = { "Are the pointers in the user range?", PART_CHECK },
	[CHECK_SECCOMP_FIRST] = { "What does seccomp say? (its first form)", PART_SECCOMP },
	[CHECK_SECCOMP] = { "What does seccomp say?", PART_SECCOMP },
	[CHECK_CALL] = { "The call itself", PART_BODY },
};

static void route(struct explain_walk *w, struct explain_step *s, bool answered)
{
	const struct vsysemu_frame *f = &w->x->frame;

	if (f->vector == VSYSEMU_VEC_INT0XCC)
		explain_say(s, "Vector 0xcc %s.", answered ? "has no gate in this kernel: the processor raises "
							     "#GP, and nobody claims it"
							   : "belongs to it alone");
	else if (f->vector == VSYSEMU_VEC_GP)
		explain_say(s, "LASS is on and rip is 0x%llx: %s.", (unsigned long long)f->rip,
			    answered ? "not in the page" : "in the page");
	else
		explain_say(s, "The fault address 0x%llx is %s, the access came from %s mode.",
			    (unsigned long long)f->addr,
			    f->addr - VSYSEMU_PAGE < VSYSEMU_PAGE_BYTES ? "in the page" : "not in the page",
			    f->error_code & VSYSEMU_PF_U ? "user" : "kernel");
	explain_say(s, answered ? "No: the ordinary signal follows." : "Yes.");
}

static void pointers(struct explain_walk *w, struct explain_step *s, const struct vsysemu_verdict *v)
{
	static const unsigned sizes[3][2] = { { 16, 8 }, { 8, 0 }, { 4, 4 } };

	for (int i = 0; i < 2 && v->nr >= 0 && v->nr < 3; i++)
		if (sizes[v->nr][i])
			explain_say(s, "%s 0x%llx, %u bytes, limit 0x%llx%s.", i ? "rsi" : "rdi",
				    (unsigned long long)v->args[i], sizes[v->nr][i],
				    (unsigned long long)w->rules->user_limit,
				    w->rules->user_limit_start ? " (only the start is compared)" : "");
}

static void decode(struct explain_step *s, uint64_t entry, const struct vsysemu_verdict *v, bool answered)
{
	explain_say(s, "0x%llx with bits 10 and 11 cleared is 0x%llx; they are %u.",
		    (unsigned long long)entry, (unsigned long long)(entry & ~0xc00ull),
		    (unsigned)(entry >> 10 & 3));
	if (answered)
		explain_say(s, "No.");
	else
		explain_say(s, "Yes: number %d, %s, the system call %d.", v->nr,
			    v->nr >= 0 && v->nr < 3 ? calls[v->nr] : "none", vsysemu_entry_call(v->nr));
}

static void filter(struct explain_walk *w, struct explain_step *s, bool answered)
{
	const struct vsysemu_frame *f = &w->x->frame;

	if (f->seccomp == VSYSEMU_SECCOMP_OFF) {
		explain_say(s, "seccomp is off%s.",
			    w->rules->era >= VSYSEMU_E5 ? "; rax becomes -38 (-ENOSYS) all the same" : "");
		return;
	}
	if (f->seccomp == VSYSEMU_SECCOMP_STRICT)
		explain_say(s, "Strict mode allows read, write, exit and sigreturn: none of these.");
	else
		explain_say(s, "The filter sees nr, arch 0xc000003e, instruction_pointer = the entry, the "
			       "arguments; it answers 0x%08x.", w->a->seccomp_ret);
	explain_say(s, answered ? "The call is not made." : "The call goes on.");
}

static void body(struct explain_walk *w, struct explain_step *s, const struct vsysemu_verdict *v)
{
	if (v->nr < 0 || v->nr > 2)
		return;
	explain_say(s, "%s(0x%llx, 0x%llx) as the system call %d would do it, called as a function.",
		    calls[v->nr], (unsigned long long)v->args[0], (unsigned long long)v->args[1], v->call_nr);
	explain_say(s, "%s", v->signal_uaccess ? "A fault on a user address in it signals by itself." :
						 "A bad pointer makes it return -EFAULT (-14).");
	explain_charge(w, WHERE_BODY, "!work_signal");
}

static void answer(struct explain_walk *w, struct explain_step *s, enum policy_check c,
		   const struct vsysemu_verdict *v, bool answered)
{
	const struct vsysemu_frame *f = &w->x->frame;
	uint64_t entry = f->vector == VSYSEMU_VEC_PF ? f->addr :
			 f->vector == VSYSEMU_VEC_INT0XCC ? f->rip - 2 : f->rip;

	switch (c) {
	case CHECK_ROUTE:
		route(w, s, answered);
		break;
	case CHECK_CS:
	case CHECK_CS_XEN:
	case CHECK_64BIT:
	case CHECK_USER_MODE:
		explain_say(s, "CS is 0x%x: %s.", f->cs, answered ? "no" : "yes");
		break;
	case CHECK_FETCH:
	case CHECK_ACCESS:
		if (f->vector == VSYSEMU_VEC_GP) {
			explain_say(s, "A #GP does not tell; that rip is in the page does.");
			break;
		}
		explain_say(s, "Error code 0x%x, address 0x%llx, rip 0x%llx: a %s.", f->error_code,
			    (unsigned long long)f->addr, (unsigned long long)f->rip,
			    f->error_code & VSYSEMU_PF_W ? "write" : answered ? "read" : "fetch");
		break;
	case CHECK_NONE:
		explain_say(s, "The policy is %s.", vsysemu_mode_name(w->p->mode));
		break;
	case CHECK_DECODE:
	case CHECK_DECODE_INT:
	case CHECK_DECODE_FIRST:
		decode(s, entry, v, answered);
		break;
	case CHECK_STACK:
		if (answered)
			explain_say(s, "Eight bytes at rsp 0x%llx: not readable.",
				    (unsigned long long)v->rsp);
		else
			explain_say(s, "Eight bytes at rsp 0x%llx: 0x%llx.", (unsigned long long)v->rsp,
				    (unsigned long long)v->caller);
		break;
	case CHECK_RANGE:
		pointers(w, s, v);
		explain_say(s, answered ? "No." : "Yes (NULL is, too).");
		break;
	case CHECK_SECCOMP_ANY:
		explain_say(s, "%s.", answered ? "Yes, and any mode kills" : "No");
		break;
	case CHECK_SECCOMP:
	case CHECK_SECCOMP_FIRST:
		filter(w, s, answered);
		break;
	case CHECK_CALL:
		body(w, s, v);
		break;
	default:
		explain_say(s, answered ? "No." : "Yes.");
	}
}

static void told(void *ctx, enum policy_check c, const struct vsysemu_verdict *v, bool answered)
{
	struct explain_walk *w = ctx;
	struct explain_step *s = explain_step(w, checks[c].part,
					      c == CHECK_CALL ? "Linux kernel/time.c, kernel/sys.c"
							      : explain_source_file(w),
					      "%s", checks[c].question);

	s->last_word = answered && c != CHECK_CALL;
	answer(w, s, c, v, answered);
	if (c == CHECK_ROUTE && !answered)
		explain_say(s, "(The price of the checks is that of the handler above.)");
	if (checks[c].part == PART_SECCOMP)
		explain_charge(w, WHERE_BODY, "seccomp");
	w->rax = v->rax;
}

void explain_checks(struct explain_walk *w, struct vsysemu_verdict *v, const struct vsysemu_guest *g)
{
	policy_decide_told(w->rules, w->p->mode, &w->x->frame, g, v, told, w);
}
