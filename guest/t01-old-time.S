/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: the smallest old program lives or dies by the policy alone.  No libc: the address of the
 * time entry goes into rax, is called with a null pointer once, and the program exits 0.
 */
	.text
	.globl	_start
	.type	_start, @function
_start:
	xorl	%edi, %edi
	call	old_time
	xorl	%edi, %edi
	movl	$60, %eax
	syscall
	.size	_start, . - _start

	.type	old_time, @function
old_time:
	subq	$8, %rsp
	movq	$-0x9ffc00, %rax	/* 0xffffffffff600400 */
	call	*%rax
	addq	$8, %rsp
	ret
	.size	old_time, . - old_time

	.section .note.GNU-stack, "", @progbits
