/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * For guests: calls into the vsyscall page as programs of its time made them, and a catch for the
 * signal that may come instead.
 */
#ifndef GUEST_VSYSCALL_H
#define GUEST_VSYSCALL_H

#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/time.h>
#include <ucontext.h>

#define VSYS 0xffffffffff600000ull
#define VSYS_GETTIMEOFDAY (VSYS + 0)
#define VSYS_TIME (VSYS + 0x400)
#define VSYS_GETCPU (VSYS + 0x800)

/* Call @entry with two arguments and @rax before.  The call writes below rsp: built without a red zone. */
static inline long vsys_call(uint64_t entry, const volatile void *a, const volatile void *b, long rax)
{
	register const volatile void *rdi __asm__("rdi") = a;
	register const volatile void *rsi __asm__("rsi") = b;
	long rdx = 0;

	__asm__ volatile("call *%[entry]"
			 : "+a"(rax), "+r"(rdi), "+r"(rsi), "+d"(rdx)
			 : [entry] "b"(entry)
			 : "rcx", "r8", "r9", "r10", "r11", "memory", "cc");
	return rax;
}

/* What a handler saw. */
struct caught {
	sigjmp_buf back;
	volatile int signo, code;
	volatile uint64_t addr, err, trap, rip, cr2;
};

extern struct caught caught;

static inline void caught_handler(int signo, siginfo_t *si, void *ctx)
{
	const greg_t *r = ((ucontext_t *)ctx)->uc_mcontext.gregs;

	caught.signo = signo;
	caught.code = si->si_code;
	caught.addr = (uint64_t)si->si_addr;
	caught.err = (uint64_t)r[REG_ERR];
	caught.trap = (uint64_t)r[REG_TRAPNO];
	caught.rip = (uint64_t)r[REG_RIP];
	caught.cr2 = (uint64_t)r[REG_CR2];
	siglongjmp(caught.back, 1);
}

static inline void caught_install(int signo)
{
	struct sigaction a;

	memset(&a, 0, sizeof(a));
	a.sa_sigaction = caught_handler;
	a.sa_flags = SA_SIGINFO | SA_NODEFER;
	sigaction(signo, &a, NULL);
}

/* "vsys+0x400", "call" (@call is the call's own place), or "elsewhere". */
static inline const char *rip_name(uint64_t rip, char *buf, size_t cap)
{
	if (rip >= VSYS && rip < VSYS + 4096)
		snprintf(buf, cap, "vsys+0x%llx", (unsigned long long)(rip - VSYS));
	else
		snprintf(buf, cap, "elsewhere");
	return buf;
}

static inline void caught_print(const char *what)
{
	char where[32];

	printf("%s: signal %d code %d addr 0x%llx err 0x%llx trap %llu rip %s\n", what, caught.signo,
	       caught.code, (unsigned long long)caught.addr, (unsigned long long)caught.err,
	       (unsigned long long)caught.trap, rip_name(caught.rip, where, sizeof(where)));
}

#endif
