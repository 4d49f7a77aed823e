/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: one entry reached in ten ways (t10-sites.S) gives the same result each time, and the report
 * can name each caller.  Single-stepped: one trap stands in the page, in native code one per
 * instruction.
 */
#include <unistd.h>

#include "vsyscall.h"

struct caught caught;

long site_call_reg(void), site_call_mem(void), site_plt(void), site_tail(void), site_push_ret(void),
	site_tls(void), site_stepped(void), site_misaligned(void), site_no_stack(void *rsp);

static volatile unsigned traps, traps_in_page;

static void trap(int signo, siginfo_t *si, void *ctx)
{
	uint64_t rip = (uint64_t)((ucontext_t *)ctx)->uc_mcontext.gregs[REG_RIP];

	(void)signo;
	(void)si;
	traps++;
	traps_in_page += rip >= VSYS && rip < VSYS + 4096;
}

static void try(const char *name, long (*site)(void))
{
	long r;

	if (sigsetjmp(caught.back, 1)) {
		caught_print(name);
		return;
	}
	r = site();
	printf("%s: %s\n", name, r > 1000000 ? "a time" : "no time");
}

static void try_no_stack(const char *name, void *rsp)
{
	if (sigsetjmp(caught.back, 1)) {
		caught_print(name);
		return;
	}
	site_no_stack(rsp);
	printf("%s: returned\n", name);
}

int main(void)
{
	static char alt[65536];
	stack_t ss = { .ss_sp = alt, .ss_size = sizeof(alt) };
	struct sigaction a;

	memset(&a, 0, sizeof(a));
	a.sa_sigaction = trap;
	a.sa_flags = SA_SIGINFO;
	sigaction(SIGTRAP, &a, NULL);
	a.sa_sigaction = caught_handler;
	a.sa_flags = SA_SIGINFO | SA_NODEFER | SA_ONSTACK;
	sigaltstack(&ss, NULL);
	sigaction(SIGSEGV, &a, NULL);
	sigaction(SIGBUS, &a, NULL);

	try("call reg", site_call_reg);
	try("call mem", site_call_mem);
	try("plt", site_plt);
	try("tail", site_tail);
	try("push ret", site_push_ret);
	try("tls", site_tls);
	try("misaligned", site_misaligned);
	try("stepped", site_stepped);
	printf("stepped: %u traps in the page, %s\n", traps_in_page, traps ? "some" : "none");
	try_no_stack("no stack: unmapped", (void *)0x10030000);
	try_no_stack("no stack: not canonical", (void *)0x800000000000);
	return 0;
}
