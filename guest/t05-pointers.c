/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: bad pointers handed to the three entries, and what a SIGSEGV handler sees: code, address,
 * error code, trap number, rip.  The return is not emulated when a pointer is bad.
 */
#include <sys/mman.h>
#include <unistd.h>

#include "vsyscall.h"

struct caught caught;

static void try(const char *what, uint64_t entry, const volatile void *a, const volatile void *b)
{
	long r;

	caught.signo = 0;
	if (sigsetjmp(caught.back, 1)) {
		caught_print(what);
		return;
	}
	r = vsys_call(entry, a, b, 0);
	if (entry == VSYS_TIME && r > 1000000)
		printf("%s: returned the time\n", what);
	else
		printf("%s: returned %ld\n", what, r);
}

static void try_all(const char *name, volatile void *p)
{
	char what[64];

	snprintf(what, sizeof(what), "gettimeofday(%s, 0)", name);
	try(what, VSYS_GETTIMEOFDAY, p, NULL);
	snprintf(what, sizeof(what), "gettimeofday(0, %s)", name);
	try(what, VSYS_GETTIMEOFDAY, NULL, p);
	snprintf(what, sizeof(what), "time(%s)", name);
	try(what, VSYS_TIME, p, NULL);
	snprintf(what, sizeof(what), "getcpu(%s, 0)", name);
	try(what, VSYS_GETCPU, p, NULL);
	snprintf(what, sizeof(what), "getcpu(0, %s)", name);
	try(what, VSYS_GETCPU, NULL, p);
}

int main(void)
{
	int rw = PROT_READ | PROT_WRITE, flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED;
	char *p = mmap((void *)0x10000000, 4096, rw, flags, -1, 0);
	char *ro = mmap((void *)0x10010000, 4096, PROT_READ, flags, -1, 0);

	if (p == MAP_FAILED || ro == MAP_FAILED)
		return 2;
	caught_install(SIGSEGV);
	try_all("null", NULL);
	try_all("valid", p);
	try_all("low", (void *)0x10);
	try_all("unmapped", (void *)0x10030000);
	try_all("read-only", ro);
	try_all("page end - 8", p + 4088);
	try_all("page end - 4", p + 4092);
	try_all("page end - 2", p + 4094);
	try_all("kernel half", (void *)0xffff888000000000);
	try_all("not canonical", (void *)0x800000000000);
	try_all("the page", (void *)VSYS);
	try_all("all ones", (void *)-1ull);
	return 0;
}
