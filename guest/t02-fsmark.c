/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: counts and prices of a benchmark's inner loop.  Two gettimeofday calls around one cheap
 * system call, N times (argument, default 100000); by the fixed address, or, with -DBY_LIBC, the way
 * today's C library does it (vDSO).  Time never goes backwards.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "vsyscall.h"

#ifdef BY_LIBC
static int now(struct timeval *tv)
{
	return gettimeofday(tv, NULL);
}
#else
static int now(struct timeval *tv)
{
	return (int)vsys_call(VSYS_GETTIMEOFDAY, tv, NULL, 0);
}
#endif

int main(int argc, char **argv)
{
	long n = argc > 1 ? strtol(argv[1], NULL, 10) : 100000, back = 0, failed = 0;
	struct timeval a, b, last = { 0, 0 };

	for (long i = 0; i < n; i++) {
		failed += now(&a) != 0;
		syscall(SYS_getppid);
		failed += now(&b) != 0;
		back += timercmp(&a, &last, <) || timercmp(&b, &a, <);
		last = b;
	}
	printf("%ld iterations, %ld failed, %ld backwards\n", n, failed, back);
	return failed || back;
}
