/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Proves how much of RAX is a system call's number: the low half alone from 5.14 on, all of it before. */
#include <stdio.h>

static long call(unsigned long rax)
{
	long ret;

	__asm__ volatile("syscall" : "=a"(ret) : "0"(rax) : "rcx", "r11", "memory");
	return ret;
}

int main(void)
{
	/* 39 is getpid; 0xffffffff is no number anywhere. */
	static const unsigned long asked[] = { 39, 1ul << 32 | 39, 1ul << 63 | 39, 0xfffffffful, ~0ul };

	for (unsigned i = 0; i < sizeof(asked) / sizeof(asked[0]); i++) {
		long r = call(asked[i]);

		printf("%#lx: %s\n", asked[i], r > 0 ? "answered" : r == -38 ? "ENOSYS" : "something else");
	}
	return 0;
}
