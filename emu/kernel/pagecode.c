/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The real code of the page before 3.1: our own code with the behaviour of 2.6.38's C functions
 * (arch/x86/kernel/vsyscall_64.c there): gettimeofday and time read a copy of the clock that lies in the
 * same page and is guarded by a sequence count, getcpu reads RDTSCP's or a segment's limit and knows the
 * cache argument.  What other offsets hold was compiler output; at 0xc00 the measured build faults (#GP).
 */
#include "kernel/pagecode.h"

#include <string.h>
#include <time.h>

#include "engine/engine.h"

/* The template: offsets inside are those of the page, all references are relative to RIP. */
extern const uint8_t pagecode_e0[];
extern const uint8_t pagecode_e0_data[]; /* struct page_data */
__asm__(".section .rodata\n"
	".balign 64\n"
	".globl pagecode_e0, pagecode_e0_data\n"
	"pagecode_e0:\n"
	/* gettimeofday(tv, tz); compilers began these functions with a push */
	"	push %rbp\n"
	"	mov %rsp, %rbp\n"
	"	test %rdi, %rdi\n"
	"	jz 5f\n"
	"1:	mov pagecode_e0_seq(%rip), %ecx\n"
	"	test $1, %cl\n"
	"	jnz 1b\n"
	"	cmpl $0, pagecode_e0_enabled(%rip)\n"
	"	je 4f\n"
	"	cmpl $0, pagecode_e0_readable(%rip)\n"
	"	je 4f\n"
	"	lfence\n"
	"	rdtsc\n"
	"	lfence\n"
	"	shl $32, %rdx\n"
	"	or %rdx, %rax\n"
	"	sub pagecode_e0_last(%rip), %rax\n"
	"	jae 2f\n"
	"	xor %eax, %eax\n"
	"2:	mov pagecode_e0_mult(%rip), %edx\n"
	"	imul %rdx, %rax\n"
	"	mov pagecode_e0_seq(%rip), %r8d\n"
	"	mov pagecode_e0_sec(%rip), %r9\n"
	"	add pagecode_e0_snsec(%rip), %rax\n"
	"	cmp %ecx, %r8d\n"
	"	jne 1b\n"
	"	mov pagecode_e0_shift(%rip), %ecx\n"
	"	shr %cl, %rax\n"
	"3:	cmp $1000000000, %rax\n"
	"	jb 6f\n"
	"	sub $1000000000, %rax\n"
	"	inc %r9\n"
	"	jmp 3b\n"
	"6:	mov %r9, (%rdi)\n"
	"	xor %edx, %edx\n"
	"	mov $1000, %ecx\n"
	"	div %rcx\n"
	"	mov %rax, 8(%rdi)\n"
	"	jmp 5f\n"
	"4:	push %rsi\n"
	"	xor %esi, %esi\n"
	"	mov $96, %eax\n"
	"	syscall\n"
	"	pop %rsi\n"
	"5:	test %rsi, %rsi\n"
	"	jz 7f\n"
	"	mov pagecode_e0_tz(%rip), %rax\n"
	"	mov %rax, (%rsi)\n"
	"7:	xor %eax, %eax\n"
	"	pop %rbp\n"
	"	ret\n"
	"	.balign 1024, 0xcc\n"
	/* time(t) */
	"1:	cmpl $0, pagecode_e0_enabled(%rip)\n"
	"	je 3f\n"
	"	mov pagecode_e0_sec(%rip), %rax\n"
	"	test %rdi, %rdi\n"
	"	jz 2f\n"
	"	mov %rax, (%rdi)\n"
	"2:	ret\n"
	"3:	mov $201, %eax\n"
	"	syscall\n"
	"	ret\n"
	"	.org pagecode_e0 + 2048, 0xcc\n"
	/* getcpu(cpu, node, cache) */
	"	test %rdx, %rdx\n"
	"	mov pagecode_e0_jiffies(%rip), %r8\n"
	"	mov %rdx, %r9\n"
	"	jz 1f\n"
	"	cmp (%rdx), %r8\n"
	"	jne 1f\n"
	"	mov 8(%rdx), %rcx\n"
	"	jmp 2f\n"
	"1:	mov $0x7b, %ecx\n"
	"	lsl %ecx, %ecx\n"
	"2:	test %r9, %r9\n"
	"	jz 3f\n"
	"	mov %r8, (%r9)\n"
	"	mov %rcx, 8(%r9)\n"
	"3:	test %rdi, %rdi\n"
	"	jz 4f\n"
	"	mov %ecx, %eax\n"
	"	and $0xfff, %eax\n"
	"	mov %eax, (%rdi)\n"
	"4:	test %rsi, %rsi\n"
	"	jz 5f\n"
	"	shr $12, %ecx\n"
	"	mov %ecx, (%rsi)\n"
	"5:	xor %eax, %eax\n"
	"	ret\n"
	"	.org pagecode_e0 + 3072, 0xcc\n"
	"	.byte 0x0f, 0x1f, 0x44, 0x00, 0x00\n"
	"	hlt\n"
	"	.org pagecode_e0 + 3584, 0xcc\n"
	"pagecode_e0_data:\n"
	"pagecode_e0_seq: .long 0\n"
	"pagecode_e0_enabled: .long 0\n"
	"pagecode_e0_readable: .long 0\n"
	"pagecode_e0_mult: .long 0\n"
	"pagecode_e0_shift: .long 0\n"
	"	.long 0\n"
	"pagecode_e0_last: .quad 0\n"
	"pagecode_e0_sec: .quad 0\n"
	"pagecode_e0_snsec: .quad 0\n"
	"pagecode_e0_jiffies: .quad 0\n"
	"pagecode_e0_tz: .quad 0\n"
	"	.org pagecode_e0 + 4096, 0xcc\n"
	".previous\n");

struct page_data {
	uint32_t seq, enabled, readable, mult, shift, pad;
	uint64_t last, sec, snsec, jiffies, tz;
};

static void fill(struct kernel *k, uint8_t *page)
{
	const struct clock *c = &k->clock;
	int64_t coarse = 0;
	uint64_t sub;
	struct page_data d;

	memcpy(&d, page + (pagecode_e0_data - pagecode_e0), sizeof(d));
	clock_read(c, CLOCK_REALTIME_COARSE, &coarse);
	d.seq += 2;
	d.enabled = k->model->kernel->vsyscall64;
	d.readable = k->model->clocksource == CS_TSC;
	d.mult = c->mult;
	d.shift = c->shift;
	d.last = c->last_tsc;
	d.sec = (uint64_t)coarse / NS_PER_S;
	/* What the record has below a nanosecond stays. */
	sub = (uint64_t)c->last_sns & ((1ull << c->shift) - 1);
	d.snsec = (((uint64_t)coarse % NS_PER_S) << c->shift) + sub;
	d.jiffies = c->tick + 0xfffff000u;
	memcpy(page + (pagecode_e0_data - pagecode_e0), &d, sizeof(d));
}

void pagecode_build(struct kernel *k, uint8_t *page)
{
	memcpy(page, pagecode_e0, PAGE_BYTES);
	fill(k, page);
}

void pagecode_tick(struct kernel *k, uint8_t *page)
{
	fill(k, page);
	engine_poke_page(k->engine, page, (unsigned)(pagecode_e0_data - pagecode_e0), sizeof(struct page_data));
}
