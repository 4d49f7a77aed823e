/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: the world at a program's first instruction: registers, stack, order of the auxiliary vector,
 * strings, bss, break.  No C library; prints relations and constants only, so that one kernel's
 * answer is the same under any layout.  The last words are an exit status: 100 + number of
 * arguments.
 */
#include <elf.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>

/* rax..r15 as they were, then rflags; filled by _start. */
uint64_t start_reg[17];
unsigned char start_bss[3 * 4096 + 123];
unsigned char start_data[4097] = { 1 };

__asm__(".globl _start\n"
	".type _start, @function\n"
	"_start:\n"
	"	movq %rax, start_reg(%rip)\n"
	"	movq %rcx, start_reg+8(%rip)\n"
	"	movq %rdx, start_reg+16(%rip)\n"
	"	movq %rbx, start_reg+24(%rip)\n"
	"	movq %rsp, start_reg+32(%rip)\n"
	"	movq %rbp, start_reg+40(%rip)\n"
	"	movq %rsi, start_reg+48(%rip)\n"
	"	movq %rdi, start_reg+56(%rip)\n"
	"	movq %r8, start_reg+64(%rip)\n"
	"	movq %r9, start_reg+72(%rip)\n"
	"	movq %r10, start_reg+80(%rip)\n"
	"	movq %r11, start_reg+88(%rip)\n"
	"	movq %r12, start_reg+96(%rip)\n"
	"	movq %r13, start_reg+104(%rip)\n"
	"	movq %r14, start_reg+112(%rip)\n"
	"	movq %r15, start_reg+120(%rip)\n"
	"	pushfq\n"
	"	popq start_reg+128(%rip)\n"
	"	movq %rsp, %rdi\n"
	"	andq $-16, %rsp\n"
	"	call start_main\n"
	"	hlt\n"
	".size _start, . - _start\n");

static long call3(long nr, long a, long b, long c)
{
	long r;

	__asm__ volatile("syscall" : "=a"(r) : "a"(nr), "D"(a), "S"(b), "d"(c) : "rcx", "r11", "memory");
	return r;
}

static size_t length(const char *s)
{
	size_t n = 0;

	while (s[n])
		n++;
	return n;
}

static void put(const char *s)
{
	call3(SYS_write, 1, (long)s, (long)length(s));
}

static void put_number(uint64_t v, unsigned base)
{
	char b[32];
	char *p = b + sizeof(b) - 1;

	*p = 0;
	do
		*--p = "0123456789abcdef"[v % base];
	while (v /= base);
	put(p);
}

static void line(const char *name, uint64_t v)
{
	put(name);
	put(" ");
	put_number(v, 16);
	put("\n");
}

static void registers(void)
{
	uint64_t any = 0;
	uint16_t s[6];

	for (int i = 0; i < 16; i++)
		if (i != 4)
			any |= start_reg[i];
	line("registers", any);
	line("rflags", start_reg[16]);
	line("rsp modulo 16", start_reg[4] & 15);
	__asm__("mov %%cs, %0" : "=r"(s[0]));
	__asm__("mov %%ss, %0" : "=r"(s[1]));
	__asm__("mov %%ds, %0" : "=r"(s[2]));
	__asm__("mov %%es, %0" : "=r"(s[3]));
	__asm__("mov %%fs, %0" : "=r"(s[4]));
	__asm__("mov %%gs, %0" : "=r"(s[5]));
	for (int i = 0; i < 6; i++)
		line("selector", s[i]);
}

static void floating_point(void)
{
	uint32_t mxcsr;
	uint16_t fcw;

	__asm__("stmxcsr %0" : "=m"(mxcsr));
	__asm__("fnstcw %0" : "=m"(fcw));
	line("mxcsr", mxcsr);
	line("fcw", fcw);
}

static void auxv(const Elf64_auxv_t *a, const char *after_env)
{
	extern const Elf64_Ehdr __ehdr_start;
	extern void _start(void) __attribute__((visibility("hidden")));
	const char *name = NULL;

	for (; a->a_type; a++) {
		uint64_t v = a->a_un.a_val;

		put("auxv ");
		put_number(a->a_type, 10);
		switch (a->a_type) {
		case AT_PAGESZ: case AT_CLKTCK: case AT_PHENT: case AT_PHNUM: case AT_FLAGS:
		case AT_UID: case AT_EUID: case AT_GID: case AT_EGID: case AT_SECURE: case AT_BASE:
			line("", v);
			break;
		case AT_PHDR:
			line(" header +", v - (uint64_t)&__ehdr_start);
			break;
		case AT_ENTRY:
			line(" entry +", v - (uint64_t)_start);
			break;
		case AT_PLATFORM:
			put(" ");
			put((const char *)v);
			put("\n");
			break;
		case AT_EXECFN:
			name = (const char *)v;
			line(" after the environment +", v - (uint64_t)after_env);
			break;
		default:
			put("\n");
		}
	}
	if (name) {
		put("name ");
		put(name);
		line(" then", *(const uint64_t *)(const void *)(name + length(name) + 1));
	}
}

static void memory(void)
{
	uint64_t any = 0, brk = (uint64_t)call3(SYS_brk, 0, 0, 0);

	for (size_t i = 0; i < sizeof(start_bss); i++)
		any |= start_bss[i];
	for (size_t i = 1; i < sizeof(start_data); i++)
		any |= start_data[i];
	line("bss", any);
	line("break modulo page", brk & 4095);
	line("break grows", (uint64_t)call3(SYS_brk, (long)brk + 5000, 0, 0) - brk);
	line("new memory", *(volatile unsigned char *)(brk + 4999));
}

__attribute__((used)) void start_main(uint64_t *sp)
{
	long argc = (long)*sp++;
	const char *next = (const char *)*sp;

	line("argc", (uint64_t)argc);
	for (; *sp; sp++) {
		put("arg '");
		put((const char *)*sp);
		line("' +", *sp - (uint64_t)next);
		next = (const char *)*sp + length((const char *)*sp) + 1;
	}
	sp++;
	if (*sp)
		line("environment +", *sp - (uint64_t)next);
	for (; *sp; sp++) {
		put("env ");
		put((const char *)*sp);
		put("\n");
		next = (const char *)*sp + length((const char *)*sp) + 1;
	}
	sp++;
	registers();
	floating_point();
	auxv((const Elf64_auxv_t *)(const void *)sp, next);
	memory();
	call3(SYS_exit_group, 100 + argc, 0, 0);
}
