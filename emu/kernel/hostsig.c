/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals that come from outside: other processes of the tree, the terminal, a parent that gives up.  The
 * handler only notes them; they become the guest's at its next kernel exit.  A system call of the host is
 * left when one arrives, also in the moment before it begins: the handler knows the window of
 * hostsig_call and moves a call that has not begun behind itself.
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <ucontext.h>
#include <unistd.h>

#include "kernel/hostsig.h"

#define NOT_BEGUN (-513) /* ERESTARTNOINTR, which no call returns to user space */
#define RING 256u /* power of two */

static struct {
	volatile unsigned head, tail;
	volatile int pending; /* read by hostsig_call */
	bool begun; /* the last call */
	siginfo_t at[RING];
	void (*interrupt)(void *ctx);
	void *ctx;
} host_signals;

/* long hostsig_call(volatile int *pending, long nr, const uint64_t a[6]) */
long hostsig_call(volatile int *pending, long nr, const uint64_t a[6]);
__asm__(".text\n"
	".globl hostsig_call\n"
	".type hostsig_call, @function\n"
	"hostsig_call:\n"
	"	.cfi_startproc\n"
	"	mov %rdi, %r11\n"
	"	mov %rsi, %rax\n"
	"	mov 24(%rdx), %r10\n"
	"	mov 32(%rdx), %r8\n"
	"	mov 40(%rdx), %r9\n"
	"	mov (%rdx), %rdi\n"
	"	mov 8(%rdx), %rsi\n"
	"	mov 16(%rdx), %rdx\n"
	"hostsig_call_start:\n"
	"	cmpl $0, (%r11)\n"
	"	jne hostsig_call_left\n"
	"	syscall\n"
	"hostsig_call_end:\n"
	"	ret\n"
	"hostsig_call_left:\n"
	"	mov $-513, %rax\n"
	"	ret\n"
	"	.cfi_endproc\n"
	".size hostsig_call, . - hostsig_call\n");
extern const char hostsig_call_start[], hostsig_call_end[], hostsig_call_left[];

static void note(int signo, siginfo_t *si, void *context)
{
	greg_t *rip = &((ucontext_t *)context)->uc_mcontext.gregs[REG_RIP];
	unsigned h = host_signals.head;

	if (signo == HOSTSIG_WAKES_HELPER && si->si_code == SI_TKILL && si->si_pid == getpid())
		return;
	if (h - host_signals.tail < RING) {
		host_signals.at[h % RING] = *si;
		host_signals.head = h + 1;
	}
	host_signals.pending = 1;
	if (*rip >= (greg_t)(uintptr_t)hostsig_call_start && *rip < (greg_t)(uintptr_t)hostsig_call_end)
		*rip = (greg_t)(uintptr_t)hostsig_call_left;
	if (host_signals.interrupt)
		host_signals.interrupt(host_signals.ctx);
}

void hostsig_catch(void (*interrupt)(void *ctx), void *ctx)
{
	/* Not those that mean a bug of ours, nor those that cannot be caught, nor glibc's own two. */
	static const int not_these[] = { SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGTRAP, SIGSYS, SIGABRT, SIGKILL, SIGSTOP, 32, 33 };
	struct sigaction sa = { .sa_sigaction = note, .sa_flags = SA_SIGINFO }, old;

	host_signals.interrupt = interrupt;
	host_signals.ctx = ctx;
	sigfillset(&sa.sa_mask);
	sigdelset(&sa.sa_mask, SIGSEGV);
	sigdelset(&sa.sa_mask, SIGBUS);
	for (int s = 1; s <= 64; s++) {
		bool skip = false;

		for (size_t i = 0; i < sizeof(not_these) / sizeof(not_these[0]); i++)
			skip |= s == not_these[i];
		if (!skip && !sigaction(s, NULL, &old))
			sigaction(s, &sa, NULL);
	}
}

bool hostsig_inherited_ignored(int signo)
{
	struct sigaction old;

	return !sigaction(signo, NULL, &old) && old.sa_handler == SIG_IGN;
}

bool hostsig_next(siginfo_t *si)
{
	unsigned t = host_signals.tail;

	if (t == host_signals.head) {
		host_signals.pending = 0;
		/* One may have come between the two lines. */
		if (t == host_signals.head)
			return false;
		host_signals.pending = 1;
	}
	*si = host_signals.at[t % RING];
	host_signals.tail = t + 1;
	return true;
}

void hostsig_forget(void)
{
	host_signals.tail = host_signals.head;
	host_signals.pending = 0;
}

int64_t hostsig_syscall(unsigned nr, const uint64_t a[6])
{
	int64_t r = hostsig_call(&host_signals.pending, nr, a);

	host_signals.begun = r != NOT_BEGUN;
	return host_signals.begun ? r : -EINTR;
}

bool hostsig_begun(void)
{
	return host_signals.begun;
}

void hostsig_stop(void)
{
	host_signals.interrupt = NULL;
}
