/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Coroutines: see coroutine.h.  The switch is the System V ABI's callee-saved registers and the two
 * control words; swapcontext() would make two system calls for the signal mask, which is the same for all.
 */
#include "kernel/coroutine.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "base/buf.h"

#define STACK_BYTES ((size_t)2 << 20)
#define GUARD_BYTES ((size_t)64 << 10)

struct coroutine {
	void *sp;
	void *stack; /* NULL: the host's */
};

/* void coroutine_asm_switch(void **save_sp, void *sp); and where a new stack begins */
void coroutine_asm_switch(void **save_sp, void *sp);
extern const char coroutine_asm_begin[];
__asm__(".text\n"
	".globl coroutine_asm_switch\n"
	".type coroutine_asm_switch, @function\n"
	"coroutine_asm_switch:\n"
	"	push %rbp\n"
	"	push %rbx\n"
	"	push %r12\n"
	"	push %r13\n"
	"	push %r14\n"
	"	push %r15\n"
	"	sub $8, %rsp\n"
	"	stmxcsr (%rsp)\n"
	"	fnstcw 4(%rsp)\n"
	"	mov %rsp, (%rdi)\n"
	"	mov %rsi, %rsp\n"
	"	ldmxcsr (%rsp)\n"
	"	fldcw 4(%rsp)\n"
	"	add $8, %rsp\n"
	"	pop %r15\n"
	"	pop %r14\n"
	"	pop %r13\n"
	"	pop %r12\n"
	"	pop %rbx\n"
	"	pop %rbp\n"
	"	ret\n"
	".size coroutine_asm_switch, . - coroutine_asm_switch\n"
	".globl coroutine_asm_begin\n"
	".type coroutine_asm_begin, @function\n"
	"coroutine_asm_begin:\n"
	"	.cfi_startproc\n"
	"	.cfi_undefined rip\n"
	"	mov %r13, %rdi\n"
	"	call *%r12\n"
	"	ud2\n"
	"	.cfi_endproc\n"
	".size coroutine_asm_begin, . - coroutine_asm_begin\n");

struct coroutine *coroutine_new(void (*body)(void *ctx), void *ctx)
{
	struct coroutine *co = xcalloc(1, sizeof(*co));
	uint64_t *sp;

	co->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (co->stack == MAP_FAILED) {
		free(co);
		return NULL;
	}
	mprotect(co->stack, GUARD_BYTES, PROT_NONE);
	/* What coroutine_asm_switch() pops; then RSP is a multiple of 16, as a call wants it. */
	sp = (uint64_t *)((char *)co->stack + STACK_BYTES) - 10;
	sp[0] = 0x1f80 | (uint64_t)0x37f << 32; /* MXCSR, FCW: the ABI's initial values */
	sp[3] = (uint64_t)(uintptr_t)ctx; /* r13 */
	sp[4] = (uint64_t)(uintptr_t)body; /* r12 */
	sp[7] = (uint64_t)(uintptr_t)coroutine_asm_begin;
	co->sp = sp;
	return co;
}

struct coroutine *coroutine_main(void)
{
	return xcalloc(1, sizeof(struct coroutine));
}

void coroutine_free(struct coroutine *co)
{
	if (co && co->stack)
		munmap(co->stack, STACK_BYTES);
	free(co);
}

void coroutine_switch(struct coroutine *from, struct coroutine *to)
{
	coroutine_asm_switch(&from->sp, to->sp);
}
