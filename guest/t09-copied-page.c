/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: the trap of 3.1-rc1 and what is left of it.  The page's bytes are copied to low executable
 * memory and called there; int 0xcc is executed directly, and from a 32-bit code segment.
 */
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "vsyscall.h"

struct caught caught;

static char *low;

static void where(const char *what)
{
	printf("%s: signal %d code %d err 0x%llx trap %llu addr 0x%llx rip %s", what, caught.signo,
	       caught.code, (unsigned long long)caught.err, (unsigned long long)caught.trap,
	       (unsigned long long)caught.addr,
	       caught.rip >= (uint64_t)low && caught.rip < (uint64_t)low + 4096 ? "low" : "elsewhere");
	if (caught.rip >= (uint64_t)low && caught.rip < (uint64_t)low + 4096)
		printf("+0x%llx", (unsigned long long)(caught.rip - (uint64_t)low));
	puts("");
}

static int copy(void)
{
	if (sigsetjmp(caught.back, 1)) {
		printf("copy: the page cannot be read, signal %d err 0x%llx\n", caught.signo,
		       (unsigned long long)caught.err);
		return 0;
	}
	memcpy(low, (const void *)VSYS, 4096);
	return 1;
}

static void call_copy(unsigned offset)
{
	char what[32];
	long r;

	snprintf(what, sizeof(what), "copy+0x%x", offset);
	if (sigsetjmp(caught.back, 1)) {
		where(what);
		return;
	}
	r = vsys_call((uint64_t)low + offset, NULL, NULL, 0);
	printf("%s: returned %s\n", what, r > 1000000 ? "the time" : r == 0 ? "0" : "something");
}

static void int_0xcc(void)
{
	memcpy(low, "\xcd\xcc\xc3", 3);
	if (sigsetjmp(caught.back, 1)) {
		where("int 0xcc");
		return;
	}
	vsys_call((uint64_t)low, NULL, NULL, 0);
	puts("int 0xcc: returned");
}

/* Far call to a 32-bit code segment (0x23) below 4 GiB and back. */
static void int_0xcc_32(void)
{
	struct {
		uint32_t offset;
		uint16_t selector;
	} __attribute__((packed)) far = { (uint32_t)(uintptr_t)low, 0x23 };

	memcpy(low, "\xcd\xcc\xcb", 3); /* int $0xcc; lret */
	if (sigsetjmp(caught.back, 1)) {
		where("int 0xcc in 32-bit code");
		return;
	}
	__asm__ volatile("movq %%rsp, %%rbx\n\t"
			 "movl %[stack], %%esp\n\t"
			 "lcall *(%[far])\n\t"
			 "movq %%rbx, %%rsp"
			 :
			 : [far] "S"(&far), [stack] "d"((uint32_t)(uintptr_t)low + 4080)
			 : "rbx", "rax", "rcx", "memory", "cc");
	puts("int 0xcc in 32-bit code: returned");
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	low = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
		   MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	if (low == MAP_FAILED)
		return 2;
	caught_install(SIGSEGV);
	caught_install(SIGTRAP);
	caught_install(SIGILL);
	if (copy()) {
		call_copy(0);
		call_copy(0x400);
		call_copy(0x800);
		call_copy(0x10);
	}
	int_0xcc();
	if (argc > 1 && !strcmp(argv[1], "32"))
		int_0xcc_32();
	return 0;
}
