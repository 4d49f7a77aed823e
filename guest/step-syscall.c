/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: where single steps (TF) are told around system calls.  Kernels that return by IRET then tell
 * the first one an instruction later than those that return by SYSRET.
 */
#include <stdio.h>
#include <string.h>
#include <signal.h>
#include <ucontext.h>

extern const char step_start[];

static volatile long at[32];
static volatile unsigned traps;

static void trap(int signo, siginfo_t *si, void *ctx)
{
	(void)signo;
	(void)si;
	if (traps < 32)
		at[traps++] = (long)((ucontext_t *)ctx)->uc_mcontext.gregs[REG_RIP] - (long)step_start;
}

int main(void)
{
	struct sigaction a;
	long pid = 39; /* getpid */

	memset(&a, 0, sizeof(a));
	a.sa_sigaction = trap;
	a.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &a, NULL);
	__asm__ volatile("subq $128, %%rsp\n\t"
			 "pushfq\n\t"
			 "orl $0x100, (%%rsp)\n\t"
			 "popfq\n"
			 ".globl step_start\n"
			 "step_start:\n\t"
			 "nop\n\t"
			 "syscall\n\t"
			 "nop\n\t"
			 "nop\n\t"
			 "movq $39, %%rax\n\t"
			 "syscall\n\t"
			 "pushfq\n\t"
			 "andl $~0x100, (%%rsp)\n\t"
			 "popfq\n\t"
			 "addq $128, %%rsp\n\t"
			 : "+a"(pid)
			 :
			 : "rcx", "r11", "memory", "cc");
	printf("steps at");
	for (unsigned i = 0; i < traps; i++)
		printf(" +%ld", at[i]);
	printf(", getpid %s\n", pid > 0 ? "worked" : "failed");
	return 0;
}
