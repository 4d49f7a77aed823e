/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The entries of the conformance guest's probes: each fills the registers from probe_in and
 * probe_flags, does one thing (calls, jumps, returns to or reads probe_target) and stores what it
 * finds afterwards in probe_out and probe_out_rsp.  A signal handler leaves by probe_recover.
 * The things under test stand at fixed distances from the stubs' names, because answers name some
 * of them so (t_hlt+136).  Nothing between the flags' POPFQ and the thing itself touches flags.
 */
	.section .probe, "ax", @progbits

	.macro ENTER
	push	%rbp
	push	%rbx
	push	%r12
	push	%r13
	push	%r14
	push	%r15
	pushfq
	mov	%rsp, probe_saved_rsp(%rip)
	mov	probe_in+0(%rip), %rax
	mov	probe_in+8(%rip), %rcx
	mov	probe_in+16(%rip), %rdx
	mov	probe_in+24(%rip), %rbx
	mov	probe_in+40(%rip), %rbp
	mov	probe_in+48(%rip), %rsi
	mov	probe_in+56(%rip), %rdi
	mov	probe_in+64(%rip), %r8
	mov	probe_in+72(%rip), %r9
	mov	probe_in+80(%rip), %r10
	mov	probe_in+88(%rip), %r11
	mov	probe_in+96(%rip), %r12
	mov	probe_in+104(%rip), %r13
	mov	probe_in+112(%rip), %r14
	mov	probe_in+120(%rip), %r15
	.endm

	.macro FLAGS
	push	probe_flags(%rip)
	popfq
	.endm

	/* A stub whose thing under test stands at \offset. */
	.macro STUB name, offset
	.p2align 4
	.globl	\name
	.type	\name, @function
\name:
	.skip	\offset - 130, 0x90
	ENTER
	FLAGS
	.endm

	/* After the thing: the common end.  With TF set it makes five traps. */
	.macro LEAVE
	mov	%rsp, probe_out_rsp(%rip)
	mov	probe_saved_rsp(%rip), %rsp
	pushfq
	andl	$~0x100, (%rsp)
	popfq
	jmp	probe_store
	.endm

	/* The build that the tables come from had its SYSCALL end at 0x4019ff and its blocked one at
	 * 0x402cfa; with the section at 0x401900 (guest.mk) so have we. */
STUB t_syscall, 253
	.org	0xfd
	syscall
	.globl	l_syscall_after
l_syscall_after:
	LEAVE

STUB t_call, 136
	.globl	l_call
l_call:
	call	*probe_target(%rip)
	.globl	l_after
l_after:
	LEAVE

	.p2align 4
	.globl	probe_store
probe_store:
	mov	%rax, probe_out+0(%rip)
	mov	%rcx, probe_out+8(%rip)
	mov	%rdx, probe_out+16(%rip)
	mov	%rbx, probe_out+24(%rip)
	mov	%rbp, probe_out+40(%rip)
	mov	%rsi, probe_out+48(%rip)
	mov	%rdi, probe_out+56(%rip)
	mov	%r8, probe_out+64(%rip)
	mov	%r9, probe_out+72(%rip)
	mov	%r10, probe_out+80(%rip)
	mov	%r11, probe_out+88(%rip)
	mov	%r12, probe_out+96(%rip)
	mov	%r13, probe_out+104(%rip)
	mov	%r14, probe_out+112(%rip)
	mov	%r15, probe_out+120(%rip)
	mov	-8(%rsp), %rax
	mov	%rax, probe_out_flags(%rip)
	movl	$1, probe_returned(%rip)
	.globl	probe_recover
probe_recover:
	cld
	popfq
	pop	%r15
	pop	%r14
	pop	%r13
	pop	%r12
	pop	%rbx
	pop	%rbp
	ret

/* The entry is reached by a near return, a far return and an interrupt return. */
	.globl	t_ret, t_lretq, t_iretq, t_retaddr, t_stack
t_ret:
	ENTER
	push	probe_after(%rip)
	push	probe_target(%rip)
	FLAGS
	ret
t_lretq:
	ENTER
	push	probe_after(%rip)
	push	probe_cs(%rip)
	push	probe_target(%rip)
	FLAGS
	lretq
t_iretq:
	ENTER
	push	probe_after(%rip)
	mov	%rsp, probe_tmp(%rip)
	push	probe_ss(%rip)
	push	probe_tmp(%rip)
	push	probe_flags(%rip)
	push	probe_cs(%rip)
	push	probe_target(%rip)
	iretq

/* The word on top of the stack is probe_retaddr, below it stands the way home. */
t_retaddr:
	ENTER
	push	probe_after(%rip)
	push	probe_retaddr(%rip)
	FLAGS
	jmp	*probe_target(%rip)

/* The entry is jumped to with a given stack. */
t_stack:
	ENTER
	FLAGS
	mov	probe_rsp(%rip), %rsp
	jmp	*probe_target(%rip)

/* A signal handler's return brings control there: it rewrites the whole frame. */
	.globl	t_sigreturn
t_sigreturn:
	ENTER
	push	probe_after(%rip)
	mov	%rsp, probe_tmp(%rip)
	mov	$39, %eax	/* kill(getpid(), SIGUSR1) */
	syscall
	mov	%eax, %edi
	mov	$10, %esi
	mov	$62, %eax
	syscall
	hlt

STUB t_load8, 136
	mov	probe_target(%rip), %rbx
	.globl	l_load8
l_load8:
	mov	(%rbx), %rax
	LEAVE

STUB t_load1, 136
	mov	probe_target(%rip), %rbx
	movzbl	(%rbx), %eax
	LEAVE

STUB t_store, 136
	mov	probe_target(%rip), %rbx
	movb	%al, (%rbx)
	LEAVE

STUB t_cmpxchg, 136
	mov	probe_target(%rip), %rbx
	lock cmpxchgq %rcx, (%rbx)
	LEAVE

STUB t_prefetch, 136
	mov	probe_target(%rip), %rbx
	prefetcht0 (%rbx)
	LEAVE

STUB t_intcc, 136
	.globl	l_intcc
l_intcc:
	int	$0xcc
	LEAVE

STUB t_hlt, 136
	hlt
	LEAVE

STUB t_int3, 136
	int3
	LEAVE

/* 32-bit code: go there with a low stack by a far return, do it, come back. */
	.macro COMPAT name
	.p2align 4
	.globl	\name
\name:
	mov	$0x2b, %eax
	mov	%eax, %ds
	mov	%eax, %es
	ENTER
	FLAGS
	mov	probe_rsp(%rip), %rsp
	push	$0x23
	push	probe_retaddr(%rip)
	lretq
	.org	\name + 166
	.code32
	.endm

	.macro COMPAT_END
	ljmp	$0x33, $l_compat_back
	.code64
	.endm

COMPAT t_compat0
	.globl	l_compat_load
l_compat_load:
	movl	(%ebx), %eax
	COMPAT_END

COMPAT t_compat1
	.globl	l_compat_call
l_compat_call:
	movl	%ebx, %eax
	call	*%eax
	COMPAT_END

COMPAT t_compat2
	.globl	l_compat_store
l_compat_store:
	movl	%eax, (%ebx)
	COMPAT_END

COMPAT t_compat3
	.globl	l_compat_int
l_compat_int:
	int	$0xcc
	COMPAT_END

l_compat_back:
	LEAVE

/* A system call for the blocked-system-call probes: rdi = number. */
	.org	0x13f1
	.globl	t_blocked, l_blocked_after
t_blocked:
	mov	%rdi, %rax
	xor	%edi, %edi
	xor	%esi, %esi
	syscall
l_blocked_after:
	ret

	.globl	t_end
t_end:
	.section .note.GNU-stack, "", @progbits
