/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What runs where the page may be executed: the stubs' system calls, or the C code of old kernels. */
#include "facts/explain.h"

#include <stdio.h>

static const char *const names[] = { "gettimeofday", "time", "getcpu" };

/* How an ordinary system call under a filter ends.  True: its body runs. */
static bool native_seccomp(struct explain_walk *w)
{
	struct vsysemu_verdict *v = &w->x->verdict;
	uint32_t ret = w->a->seccomp_ret;
	struct explain_step *s;

	if (w->a->seccomp == VSYSEMU_SECCOMP_OFF)
		return true;
	s = explain_step(w, PART_SECCOMP, "Linux kernel/seccomp.c", "seccomp sees a system call");
	explain_say(s, "instruction_pointer is 0x%llx, behind the SYSCALL of the stub.",
		    (unsigned long long)(w->target & ~0x3ffull) + 9);
	*v = (struct vsysemu_verdict){ .kind = VSYSEMU_RETURN, .rax = w->rax, .rsp = w->rsp, .nr = v->nr,
				       .rip = (w->target & ~0x3ffull) + 9, .orig_rax = -1 };
	if (w->a->seccomp == VSYSEMU_SECCOMP_STRICT || ret >> 16 == 0x8000 || ret >> 16 == 0) {
		v->kind = VSYSEMU_KILL;
		v->kill_signo = w->a->seccomp == VSYSEMU_SECCOMP_STRICT ? 9 : 31;
		v->kill_group = ret >> 16 == 0x8000;
	} else if (ret >> 16 == 3) {
		v->kind = VSYSEMU_SIGNAL;
		v->signal = (struct vsysemu_signal){ .signo = 31, .code = 1, .addr = v->rip, .forced = true };
	} else if (ret >> 16 == 5) {
		w->rax = v->rax = -(uint64_t)(ret & 0xffff);
	} else if (ret >> 16 == 0x7ff0) {
		w->rax = v->rax = (uint64_t)-38;
	} else {
		return true;
	}
	s->last_word = true;
	return false;
}

/* True: a system call is made. */
static bool native_stub(struct explain_walk *w, const uint8_t *bytes)
{
	uint64_t at = w->target;
	struct explain_step *s = explain_step(w, PART_PAGE, explain_source_file(w),
					      "The page is executable: its stub runs");
	bool called = false;

	while (at - VSYSEMU_PAGE < VSYSEMU_PAGE_BYTES - 8) {
		const uint8_t *b = bytes + (at - VSYSEMU_PAGE);
		size_t n = explain_show(s, at, b, 8);

		if (b[0] == 0x48)
			w->rax = b[3] | (uint64_t)b[4] << 8;
		called |= b[0] == 0x0f && b[1] == 0x05;
		at += n;
		if (b[0] == 0xc3 || b[0] == 0xcc)
			break;
	}
	explain_charge(w, WHERE_USER, NULL);
	if (!called)
		return false;
	w->kernel = true;
	s = explain_step(w, PART_TRAP, "Linux arch/x86/kernel/entry_64.S", "SYSCALL: an ordinary system call");
	explain_say(s, "Number %llu as from anywhere else; rcx and r11 are lost; a tracer sees it.",
		    (unsigned long long)w->rax);
	explain_charge(w, WHERE_ENTRY, NULL);
	return true;
}

/* Real code of the page; where the clock cannot be read there, a system call by it. */
static void native_code(struct explain_walk *w)
{
	static const char file[] = "Linux arch/x86/kernel/vsyscall_64.c (3.0 and before)";
	struct explain_step *s = explain_step(w, PART_PAGE, file,
					      "The page is executable and holds C code: it runs in user mode");

	if (vsysemu_entry_nr(w->target) < 0)
		explain_say(s, "In the middle of it: what happens depends on how that kernel was compiled.");
	else
		explain_say(s, "The clock's data lie beside it in the same page; no trap, no system call.");
	explain_charge(w, WHERE_USER, NULL);
	if (w->costs && w->cost[0].total16 != w->x->total16) {
		w->kernel = true;
		explain_step(w, PART_TRAP, file, "The clock cannot be read in user mode: a system call after all");
		explain_charge(w, WHERE_ENTRY, NULL);
	}
}

static void native_back(struct explain_walk *w, bool real)
{
	struct explain_step *s;

	w->rip = explain_caller_of(w->a);
	w->rsp += 8;
	w->kernel = false;
	s = explain_step(w, PART_RETURN, real ? "x86-64 psABI" : "Linux arch/x86/kernel/entry_64.S",
			 "Back in the program at 0x%llx", (unsigned long long)w->rip);
	if (!w->a->seen || w->a->seen->result_known)
		explain_say(s, "rax = %lld.", (long long)w->rax);
	explain_charge(w, WHERE_EXIT, NULL);
	snprintf(w->x->outcome, sizeof(w->x->outcome), "the page's own code runs; the program goes on at 0x%llx",
		 (unsigned long long)w->rip);
}

static void native_body(struct explain_walk *w, int nr)
{
	if (w->kernel && nr >= 0)
		explain_step(w, PART_BODY, "Linux kernel/time.c", "The system call %s", names[nr]);
	else if (w->kernel)
		explain_step(w, PART_BODY, "Linux arch/x86/kernel/entry_64.S",
			     "No system call has the number that the program left in rax");
	if (w->kernel)
		explain_charge(w, WHERE_BODY, NULL);
	w->rax = nr >= 0 ? (uint64_t)explain_result(w->a, nr) : (uint64_t)-38;
}

void explain_native(struct explain_walk *w)
{
	uint8_t bytes[VSYSEMU_PAGE_BYTES];
	struct vsysemu_verdict *v = &w->x->verdict;
	int nr = vsysemu_entry_nr(w->target);
	bool real = !vsysemu_page_bytes(w->rules, w->p->mode, bytes);

	*v = (struct vsysemu_verdict){ .kind = VSYSEMU_ALLOWED, .nr = nr, .orig_rax = -1 };
	if (nr >= 0) {
		w->costs = 1;
		cost_profile(w->a->m, w->a->policy,
			     cost_event_of_call(PATH_VSYSCALL, (enum time_call)nr, 0), &w->cost[0]);
		w->x->cost = w->cost[0].cost;
	}
	if (real) {
		native_code(w);
	} else if (!native_stub(w, bytes) && !w->a->bad_stack) {
		native_back(w, real);
		return;
	}
	if (w->a->bad_stack || (real && nr < 0)) {
		snprintf(w->x->outcome, sizeof(w->x->outcome), "%s",
			 w->a->bad_stack ? "the page's code runs, but its ret finds no return address: SIGSEGV"
					 : "code of the page runs from an unknown place");
		return;
	}
	if (!real && !native_seccomp(w) && v->kind != VSYSEMU_RETURN) {
		explain_back(w);
		return;
	}
	if (v->kind != VSYSEMU_RETURN)
		native_body(w, nr);
	native_back(w, real);
}

