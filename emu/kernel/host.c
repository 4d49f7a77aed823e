/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The raw host call.  No libc in between: no errno, no cancellation, no caching of ids, and the
 * numbers and structures are the guest's own.
 */
#include <errno.h>

#include "kernel/kernel.h"
#include "kernel/sys.h"
#include "kernel/wait.h"

int64_t sys_host(unsigned nr, const uint64_t a[6])
{
	register uint64_t r10 __asm__("r10") = a[3];
	register uint64_t r8 __asm__("r8") = a[4];
	register uint64_t r9 __asm__("r9") = a[5];
	int64_t ret;

	__asm__ volatile("syscall"
			 : "=a"(ret)
			 : "a"((uint64_t)nr), "D"(a[0]), "S"(a[1]), "d"(a[2]), "r"(r10), "r"(r8),
			   "r"(r9)
			 : "rcx", "r11", "memory");
	return ret;
}

int64_t sys_host_blocking(struct kernel *k, unsigned nr, const uint64_t a[6])
{
	return wait_host(k, nr, a, UINT64_MAX);
}
