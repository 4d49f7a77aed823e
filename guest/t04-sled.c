/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: a return sled of three time entries ends at a label with rsp 24 bytes further, in every
 * mode that knows the entries; xonly does not stop it.  In mode none the first entry kills.
 */
#include <stdio.h>
#include <time.h>

int main(void)
{
	unsigned long before, after, rax;

	__asm__ volatile("xorl %%edi, %%edi\n\t"
			 "leaq 1f(%%rip), %%rax\n\t"
			 "subq $128, %%rsp\n\t" /* past the red zone */
			 "pushq %%rax\n\t"
			 "pushq $-0x9ffc00\n\t"
			 "pushq $-0x9ffc00\n\t"
			 "pushq $-0x9ffc00\n\t"
			 "leaq 8(%%rsp), %[before]\n\t" /* rsp at the first entry */
			 "ret\n"
			 "1:\n\t"
			 "movq %%rsp, %[after]\n\t"
			 "addq $128, %%rsp\n\t"
			 : [before] "=&b"(before), [after] "=&d"(after), "=&a"(rax)
			 :
			 : "rdi", "rsi", "rcx", "r8", "r9", "r10", "r11", "memory", "cc");
	printf("label reached, rsp +%lu, rax is %s\n", after - before,
	       rax - (unsigned long)time(NULL) + 5 < 10 ? "the time" : "something else");
	return 0;
}
