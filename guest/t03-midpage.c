/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: what a call into the middle of the page does.  +7 is the stub's bare SYSCALL (rax says
 * getpid), +9 its plain RET, +0x401 the load without its prefix (201 all the same), +0xc00 filling.
 * Native stubs give four different results; emulation refuses all four without moving RIP.
 */
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "vsyscall.h"

struct caught caught;

static void try(unsigned offset)
{
	char what[32];
	long r;

	snprintf(what, sizeof(what), "+0x%x", offset);
	if (sigsetjmp(caught.back, 1)) {
		caught_print(what);
		return;
	}
	r = vsys_call(VSYS + offset, NULL, NULL, SYS_getpid);
	if (r == getpid())
		printf("%s: returned the process id\n", what);
	else if (r == SYS_getpid)
		printf("%s: returned, rax untouched\n", what);
	else if (labs(r - time(NULL)) < 5)
		printf("%s: returned the time\n", what);
	else
		printf("%s: returned %ld\n", what, r);
}

int main(void)
{
	caught_install(SIGSEGV);
	caught_install(SIGTRAP);
	try(7);
	try(9);
	try(0x401);
	try(0xc00);
	return 0;
}
