/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The call sites of t10-sites.c: each a function of its own name that reaches the time entry its way
 * with rdi = 0 and returns rax. */
	.macro	site name
	.text
	.globl	\name
	.type	\name, @function
\name:
	.endm
	.macro	end name
	.size	\name, . - \name
	.endm

	site	site_call_reg
	xorl	%edi, %edi
	subq	$8, %rsp
	movq	$-0x9ffc00, %rax
	call	*%rax
	addq	$8, %rsp
	ret
	end	site_call_reg

	site	site_call_mem
	xorl	%edi, %edi
	subq	$8, %rsp
	call	*entry(%rip)
	addq	$8, %rsp
	ret
	end	site_call_mem

	/* As through a PLT: the return address is the caller's. */
	.type	stub, @function
stub:
	jmp	*entry(%rip)
	.size	stub, . - stub

	site	site_plt
	xorl	%edi, %edi
	subq	$8, %rsp
	call	stub
	addq	$8, %rsp
	ret
	end	site_plt

	.type	tail, @function
tail:
	xorl	%edi, %edi
	movq	$-0x9ffc00, %rax
	jmp	*%rax
	.size	tail, . - tail

	site	site_tail
	subq	$8, %rsp
	call	tail
	addq	$8, %rsp
	ret
	end	site_tail

	site	site_push_ret
	xorl	%edi, %edi
	subq	$8, %rsp
	leaq	1f(%rip), %rax
	pushq	%rax
	pushq	$-0x9ffc00
	ret
1:	addq	$8, %rsp
	ret
	end	site_push_ret

	site	site_tls
	xorl	%edi, %edi
	subq	$8, %rsp
	movq	%fs:tls_entry@tpoff, %rax
	call	*%rax
	addq	$8, %rsp
	ret
	end	site_tls

	/* Stepped: TF is set before the call and cleared after it.  Both pushfs are stepped, too. */
	site	site_stepped
	xorl	%edi, %edi
	subq	$8, %rsp
	movq	$-0x9ffc00, %rax
	pushfq
	orl	$0x100, (%rsp)
	popfq
	call	*%rax
	pushfq
	andl	$~0x100, (%rsp)
	popfq
	addq	$8, %rsp
	ret
	end	site_stepped

	site	site_misaligned
	xorl	%edi, %edi
	movq	%rsp, %rdx
	subq	$5, %rsp
	movq	$-0x9ffc00, %rax
	movq	%rdx, %r9
	call	*%rax
	movq	%r9, %rsp
	ret
	end	site_misaligned

	/* Jumps there with rsp = rdi, which is no memory. */
	site	site_no_stack
	movq	%rdi, %rsp
	xorl	%edi, %edi
	movq	$-0x9ffc00, %rax
	jmp	*%rax
	end	site_no_stack

	.data
	.balign	8
	.type	entry, @object
	.size	entry, 8
entry:
	.quad	0xffffffffff600400

	.section .tdata, "awT", @progbits
	.balign	8
	.globl	tls_entry
	.type	tls_entry, @object
	.size	tls_entry, 8
tls_entry:
	.quad	0xffffffffff600400

	.section .note.GNU-stack, "", @progbits
