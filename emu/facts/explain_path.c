/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways in and out: the caller, translation, gate, edits, return, signal. */
#include "facts/explain.h"

#include <stdio.h>
#include <string.h>

#include "facts/insn.h"

#define MANUAL_PAGING "Intel SDM vol. 3A, 4.7: page-fault exceptions"
#define MANUAL_GATE "Intel SDM vol. 3A, 6.14: exception handling in 64-bit mode"
#define MANUAL_LASS "Intel SDM vol. 3A, 4.6.4: linear-address space separation"

const char *explain_source_file(const struct explain_walk *w)
{
	if (w->rules->era <= VSYSEMU_E4 || w->rules->none_mapped)
		return "Linux arch/x86/kernel/vsyscall_64.c";
	return "Linux arch/x86/entry/vsyscall/vsyscall_64.c";
}

static const char *const names[] = { "gettimeofday", "time", "getcpu" };

size_t explain_show(struct explain_step *s, uint64_t at, const uint8_t *code, size_t n)
{
	struct insn_decoder *d = insn_decoder_new();
	char hex[64] = "";
	struct insn i = { .bytes = 1 };

	if (d && insn_decode(d, code, n, at, &i)) {
		for (unsigned k = 0; k < i.bytes && k < 15; k++)
			snprintf(hex + 3 * k, sizeof(hex) - 3 * k, "%02x ", code[k]);
		explain_say(s, "%16llx:  %-24s%s %s", (unsigned long long)at, hex, i.name, i.text);
	}
	insn_decoder_free(d);
	return i.bytes ? i.bytes : 1;
}

/* The stub of an old static C library. */
static void made_up_code(struct explain_walk *w, struct explain_step *s)
{
	uint8_t code[9] = { 0x48, 0xc7, 0xc0, 0, 0, 0, 0, 0xff, w->a->bad_stack ? 0xe0 : 0xd0 };
	uint32_t low = (uint32_t)w->target;
	uint64_t at = EXPLAIN_CALLER - sizeof(code);
	size_t n;

	memcpy(code + 3, &low, 4);
	if ((uint64_t)(int64_t)(int32_t)low != w->target)
		return;
	n = explain_show(s, at, code, sizeof(code));
	explain_show(s, at + n, code + n, sizeof(code) - n);
}

void explain_caller(struct explain_walk *w)
{
	const struct explain_seen *seen = w->a->seen;
	struct explain_step *s = explain_step(w, PART_CALLER,
					      seen ? "a run" : "the stub of an old static C library",
					      "The program goes to 0x%llx", (unsigned long long)w->target);

	if (seen) {
		explain_say(s, "Call %u of the run, process %d, thread %d: %s", seen->nth, seen->pid, seen->tid, seen->line);
		if (*seen->where)
			explain_say(s, "It returns to %s.", seen->where);
		for (const char *p = seen->code; *p; p += *p == '\n') {
			explain_say(s, "%.*s", (int)strcspn(p, "\n"), p);
			p += strcspn(p, "\n");
		}
	} else {
		made_up_code(w, s);
	}
	w->rip = w->target;
	if (w->a->bad_stack) {
		explain_say(s, "rsp is 0x%llx, where nothing is mapped: it came by a jump, not by a call.",
			    (unsigned long long)w->rsp);
	} else {
		w->rsp -= 8;
		explain_say(s, "The call pushes 0x%llx, its return address, to [0x%llx].",
			    (unsigned long long)explain_caller_of(w->a), (unsigned long long)w->rsp);
	}
	if (w->target - VSYSEMU_PAGE < VSYSEMU_PAGE_BYTES) {
		int nr = vsysemu_entry_nr(w->target);

		if (nr >= 0)
			explain_say(s, "That is the entry of %s in the vsyscall page (0x%llx, 4 KiB).",
				    names[nr], (unsigned long long)VSYSEMU_PAGE);
		else
			explain_say(s, "That is in the vsyscall page, but at none of its three entries.");
	}
	explain_charge(w, WHERE_USER, w->p->mode == VSYSEMU_NATIVE ? "call" : "");
}

static void say_code(struct explain_step *s, uint32_t code)
{
	explain_say(s, "Error code 0x%x: P=%u (%s), W=%u (%s), U=%u (%s mode), RSVD=%u, I=%u (%s).", code,
		    code & 1, code & 1 ? "the entry is present, its rights refuse" : "no entry is present",
		    code >> 1 & 1, code & 2 ? "a store" : "no store", code >> 2 & 1,
		    code & 4 ? "user" : "kernel", code >> 3 & 1, code >> 4 & 1,
		    code & 16 ? "an instruction fetch" : "a data access");
}

static void page_walk(struct explain_walk *w)
{
	const struct vsysemu_frame *f = &w->x->frame;
	struct vsysemu_page page = vsysemu_page_of(w->rules, w->p->mode);
	uint64_t a = f->addr;
	bool inside = a - VSYSEMU_PAGE < VSYSEMU_PAGE_BYTES;
	struct explain_step *s = explain_step(w, PART_TRAP, MANUAL_PAGING,
					      "The translation of 0x%llx fails: #PF", (unsigned long long)a);

	explain_say(s, "Page walk: level 4 index %u, level 3 index %u, level 2 index %u, level 1 index %u.",
		    (unsigned)(a >> 39 & 511), (unsigned)(a >> 30 & 511), (unsigned)(a >> 21 & 511),
		    (unsigned)(a >> 12 & 511));
	if (inside && page.present)
		explain_say(s, "The last entry is present, user, read-only%s%s.",
			    page.executable ? "" : ", not executable",
			    page.readable ? "" : ", not reachable from user mode");
	else
		explain_say(s, "There is no last entry%s.",
			    inside ? ": this policy does not map the page" : "");
	say_code(s, f->error_code);
	explain_say(s, "CR2 is set to 0x%llx.", (unsigned long long)a);
	w->kernel = true;
	explain_charge(w, WHERE_ENTRY, "*_gate");
}

static void int_gate(struct explain_walk *w)
{
	static const uint8_t code[] = { 0xcd, 0xcc };
	struct explain_step *s;

	if (w->target - VSYSEMU_PAGE < VSYSEMU_PAGE_BYTES)
		s = explain_step(w, PART_PAGE, "Linux arch/x86/kernel/vsyscall_emu_64.S (3.1-rc1)",
				 "The page is executable and holds a trap");
	else
		s = explain_step(w, PART_PAGE, MANUAL_GATE, "The program executes int 0xcc itself");
	explain_show(s, w->target, code, sizeof(code));
	w->rip += 2;
	s = explain_step(w, PART_TRAP, MANUAL_GATE, "Software interrupt through gate 0xcc");
	explain_say(s, "Vector 0xcc (204) has a gate that user mode may use; there is no error code.");
	w->kernel = true;
	explain_charge(w, WHERE_ENTRY, "*_gate");
}

static void breakpoint(struct explain_walk *w)
{
	static const uint8_t code[] = { 0xcc };
	struct explain_step *s = explain_step(w, PART_PAGE, explain_source_file(w),
					      "The page is executable and holds a fill byte");

	explain_show(s, w->rip, code, sizeof(code));
	w->rip++;
	s = explain_step(w, PART_TRAP, MANUAL_GATE, "Breakpoint: #BP");
	explain_say(s, "Vector 3; there is no error code; rip is behind the byte.");
	w->kernel = true;
	explain_charge(w, WHERE_ENTRY, "*_gate");
}

static void lass(struct explain_walk *w)
{
	struct explain_step *s = explain_step(w, PART_TRAP, MANUAL_LASS,
					      "User code may not touch the upper half: #GP");

	explain_say(s, "Bit 63 of the address is set and the processor is in user mode: with LASS that is "
		       "refused before any page walk.");
	explain_say(s, "Error code 0; CR2 is not written, so the handler has only rip to go by.");
	w->kernel = true;
	explain_charge(w, WHERE_ENTRY, "*_gate");
}

static void saved_frame(struct explain_walk *w)
{
	const struct vsysemu_frame *f = &w->x->frame;
	struct explain_step *s = explain_step(w, PART_TRAP, MANUAL_GATE,
					      "The processor saves a frame, the entry code the rest");

	explain_say(s, "On the kernel stack: SS 0x2b, RSP 0x%llx, RFLAGS 0x%llx, CS 0x%x, RIP 0x%llx",
		    (unsigned long long)f->gpr[VSYSEMU_RSP], (unsigned long long)f->rflags, f->cs,
		    (unsigned long long)f->rip);
	if (f->vector == VSYSEMU_VEC_PF || f->vector == VSYSEMU_VEC_GP)
		explain_say(s, "and error code 0x%x; vector %u.", f->error_code, f->vector);
	else
		explain_say(s, "and no error code; vector %u.", f->vector);
	explain_say(s, "The entry code swaps GS and pushes the general registers; orig_rax is -1.");
	explain_charge(w, WHERE_ENTRY, "pti_entry ibrs_entry trap_save");
}

static void handler(struct explain_walk *w)
{
	uint32_t vector = w->x->frame.vector;
	struct explain_step *s;

	if (vector == VSYSEMU_VEC_INT0XCC && w->rules->era <= VSYSEMU_E1C && w->rules->era >= VSYSEMU_E1A)
		s = explain_step(w, PART_TRAP, explain_source_file(w),
				 "The handler of vector 0xcc: do_emulate_vsyscall()");
	else if (vector == VSYSEMU_VEC_GP || vector == VSYSEMU_VEC_INT0XCC)
		s = explain_step(w, PART_TRAP, "Linux arch/x86/kernel/traps.c",
				 "The handler of #GP asks its fix-ups");
	else if (vector == VSYSEMU_VEC_BP)
		s = explain_step(w, PART_TRAP, "Linux arch/x86/kernel/traps.c", "The handler of #BP");
	else
		s = explain_step(w, PART_TRAP, "Linux arch/x86/mm/fault.c",
				 "The page fault handler: a user access to the kernel's half");
	if (vector == VSYSEMU_VEC_PF)
		explain_say(s, "No mapping of the process can be there; before it signals it asks whether the "
			       "address is in the vsyscall page.");
	explain_charge(w, WHERE_ENTRY, NULL);
}

void explain_translation(struct explain_walk *w)
{
	switch (w->x->frame.vector) {
	case VSYSEMU_VEC_INT0XCC:
		int_gate(w);
		break;
	case VSYSEMU_VEC_BP:
		breakpoint(w);
		break;
	case VSYSEMU_VEC_GP:
		lass(w);
		break;
	default:
		w->rip = w->x->frame.rip;
		page_walk(w);
	}
	saved_frame(w);
	handler(w);
}

/* ---- the way back ---- */

static const char *signal_name(int signo)
{
	return signo == 5 ? "SIGTRAP" : signo == 7 ? "SIGBUS" : signo == 9 ? "SIGKILL" :
	       signo == 31 ? "SIGSYS" : "SIGSEGV";
}

static void say_log(struct explain_walk *w, struct explain_step *s)
{
	char text[512];

	if (w->x->verdict.log.tag == VSYSEMU_TAG_NO_LOG)
		return;
	vsysemu_log_format(w->rules, &w->x->verdict.log, "prog", 1, text, sizeof(text));
	explain_say(s, "kernel log: <%d>%s", w->x->verdict.log.level, text);
}

static void take_registers(struct explain_walk *w)
{
	w->rax = w->x->verdict.rax;
	w->rip = w->x->verdict.rip;
	w->rsp = w->x->verdict.rsp;
}

static void signalled(struct explain_walk *w, const struct vsysemu_signal *g)
{
	struct explain_step *s = explain_step(w, PART_SIGNAL, "Linux kernel/signal.c", "%s is queued",
					      signal_name(g->signo));

	take_registers(w);
	say_log(w, s);
	explain_say(s, "si_code 0x%x%s, si_addr 0x%llx; a handler finds rip 0x%llx, rsp 0x%llx, rax 0x%llx.",
		    (unsigned)g->code, g->code == 0x80 ? " (SI_KERNEL)" : "", (unsigned long long)g->addr,
		    (unsigned long long)w->rip, (unsigned long long)w->rsp, (unsigned long long)w->rax);
	if (g->trap_set)
		explain_say(s, "The context's trapno is %llu, err 0x%llx.", (unsigned long long)g->trapno,
			    (unsigned long long)g->error);
	else
		explain_say(s, "The context's trapno and err are what the last recorded trap left.");
	if (g->forced)
		explain_say(s, "It is forced: blocked or ignored, it kills.");
	explain_charge(w, WHERE_BODY, NULL);
	explain_charge(w, WHERE_EXIT, NULL);
	w->kernel = false;
	snprintf(w->x->outcome, sizeof(w->x->outcome), "%s at 0x%llx", signal_name(g->signo),
		 (unsigned long long)w->rip);
}

static void killed(struct explain_walk *w)
{
	const struct vsysemu_verdict *v = &w->x->verdict;
	struct explain_step *s = explain_step(w, PART_SIGNAL, "Linux kernel/seccomp.c",
					      "The %s dies of %s, without a handler",
					      v->kill_group ? "process" : "thread",
					      signal_name(v->kill_signo));

	take_registers(w);
	say_log(w, s);
	explain_charge(w, WHERE_BODY, NULL);
	snprintf(w->x->outcome, sizeof(w->x->outcome), "killed by %s", signal_name(v->kill_signo));
}

static void returned(struct explain_walk *w)
{
	const struct vsysemu_verdict *v = &w->x->verdict;
	struct explain_step *s;

	s = explain_step(w, PART_EDIT, explain_source_file(w), "The ret is done by hand");
	explain_say(s, "rax = %lld, rip = 0x%llx, rsp = 0x%llx; rcx, r11 and the flags stay.",
		    (long long)v->rax, (unsigned long long)v->rip, (unsigned long long)v->rsp);
	if (v->skipped) {
		explain_say(s, "The body did not run.");
	}
	take_registers(w);
	w->kernel = false;
	s = explain_step(w, PART_RETURN, "Intel SDM vol. 2A, IRET", "Back in the program at 0x%llx",
			 (unsigned long long)v->rip);
	explain_say(s, "The way back from a trap restores everything; it is the dear part of the path.");
	explain_charge(w, WHERE_EXIT, NULL);
	explain_charge(w, WHERE_USER, NULL);
	snprintf(w->x->outcome, sizeof(w->x->outcome), "%s; the program goes on at 0x%llx",
		 v->skipped ? "seccomp took the call's place" : "emulated", (unsigned long long)v->rip);
	if (v->landing_faults)
		signalled(w, &v->landing);
}

void explain_back(struct explain_walk *w)
{
	const struct vsysemu_verdict *v = &w->x->verdict;

	if (v->kind == VSYSEMU_RETURN) {
		returned(w);
	} else if (v->kind == VSYSEMU_KILL) {
		killed(w);
	} else if (v->kind != VSYSEMU_BUG && v->signal.signo) {
		signalled(w, &v->signal);
	} else {
		explain_step(w, PART_SIGNAL, explain_source_file(w), "The kernel reports a bug of its own");
		snprintf(w->x->outcome, sizeof(w->x->outcome), "a kernel bug");
	}
}
