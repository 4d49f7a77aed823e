/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: gettimeofday writes through its first pointer before it looks at the second, so that a bad second one ends
 * in a signal although the time is there already; and which address the handler is told.
 */
#include "vsyscall.h"

struct caught caught;

int main(void)
{
	static struct timeval tv;
	volatile char *bad = (volatile char *)16;

	caught_install(SIGSEGV);
	if (sigsetjmp(caught.back, 1))
		printf("signal %d, code %d, si_addr 0x%llx\n", caught.signo, caught.code, (unsigned long long)caught.addr);
	else
		printf("returned %ld\n", vsys_call(VSYS_GETTIMEOFDAY, &tv, bad, 0));
	printf("the time is %s\n", tv.tv_sec ? "written" : "not written");
	return 0;
}
