/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's SIGSEGV and SIGBUS: see fault.h.  A copy is one REP MOVSB whose address the handler
 * knows: after a fault RCX holds what is left (SDM vol. 2, REP), so going on behind it is exact.
 */
#include "engine/fault.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <ucontext.h>

#define STACK_BYTES 65536u

static struct {
	fault_fn *fn;
	bool installed;
} fault_state;

size_t fault_copy(void *dst, const void *src, size_t n);
__asm__(".text\n"
	".globl fault_copy\n"
	".type fault_copy, @function\n"
	"fault_copy:\n"
	"	mov %rdx, %rcx\n"
	"fault_copy_insn:\n"
	"	rep movsb\n"
	"fault_copy_done:\n"
	"	mov %rcx, %rax\n"
	"	ret\n"
	".size fault_copy, . - fault_copy\n");
extern const char fault_copy_insn[], fault_copy_done[];

static void handler(int signo, siginfo_t *si, void *ctx)
{
	ucontext_t *uc = ctx;
	greg_t *rip = &uc->uc_mcontext.gregs[REG_RIP];

	if (*rip == (greg_t)(uintptr_t)fault_copy_insn) {
		*rip = (greg_t)(uintptr_t)fault_copy_done;
		return;
	}
	if (si->si_code > 0 && fault_state.fn && fault_state.fn(signo, si, ctx))
		return;
	/* A bug of ours: die by it, with the default action. */
	signal(signo, SIG_DFL);
}

bool fault_install(struct err *e)
{
	struct sigaction sa = { .sa_sigaction = handler, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER };
	stack_t ss = { .ss_size = STACK_BYTES };

	/* Again: somebody (a test harness) may have put its own handler in between. */
	if (fault_state.installed)
		return !sigaction(SIGSEGV, &sa, NULL) && !sigaction(SIGBUS, &sa, NULL);
	ss.ss_sp = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (ss.ss_sp == MAP_FAILED || sigaltstack(&ss, NULL) || sigaction(SIGSEGV, &sa, NULL) ||
	    sigaction(SIGBUS, &sa, NULL))
		return err_set(e, "cannot install the fault handler: %s", strerror(errno));
	fault_state.installed = true;
	return true;
}

void fault_set(fault_fn *fn)
{
	fault_state.fn = fn;
}
