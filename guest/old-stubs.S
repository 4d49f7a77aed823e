/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * time, gettimeofday and sched_getcpu as a static C library of 2010 had them: a fixed address in a
 * register, a call, the check for an error number.  Linked before the C library they replace its own.
 */
	.text
	.globl	time
	.type	time, @function
time:
	subq	$8, %rsp
	movq	$-0x9ffc00, %rax	/* 0xffffffffff600400 */
	call	*%rax
	addq	$8, %rsp
	ret
	.size	time, . - time

	.globl	gettimeofday
	.type	gettimeofday, @function
gettimeofday:
	subq	$8, %rsp
	movq	$-0xa00000, %rax	/* 0xffffffffff600000 */
	call	*%rax
	cmpl	$-4095, %eax
	jae	1f
	addq	$8, %rsp
	ret
1:	negl	%eax
	movl	%eax, old_errno(%rip)
	movl	$-1, %eax
	addq	$8, %rsp
	ret
	.size	gettimeofday, . - gettimeofday

	.globl	sched_getcpu
	.type	sched_getcpu, @function
sched_getcpu:
	subq	$24, %rsp
	xorl	%edx, %edx
	xorl	%esi, %esi
	leaq	12(%rsp), %rdi
	movq	$-0x9ff800, %rax	/* 0xffffffffff600800 */
	call	*%rax
	movl	12(%rsp), %eax
	addq	$24, %rsp
	ret
	.size	sched_getcpu, . - sched_getcpu

	.bss
	.globl	old_errno
	.type	old_errno, @object
	.size	old_errno, 4
old_errno:
	.zero	4
	.section .note.GNU-stack, "", @progbits
