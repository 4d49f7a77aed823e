/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The note with the kernel's version (the kernel side writes it when it maps the image), and the words
 * of struct patch in vdso.h.
 */
	.section .note.version, "a", @note
	.balign 4
	.long 6, 4, 0
	.asciz "Linux"
	.balign 4
	.long 0

	.section .rodata.patch, "a", @progbits
	.balign 8
	.globl vdso_patch
	.hidden vdso_patch
	.type vdso_patch, @object
	.size vdso_patch, 48
vdso_patch:
	.quad 0x5a56444f73647672
	.quad 0
	.quad 0
1:	.quad tsc_reader - 1b
2:	.quad hpet_reader - 2b
	.long 0
	.long 0
	.weak tsc_reader, hpet_reader
	.hidden tsc_reader, hpet_reader
	.section .note.GNU-stack, "", @progbits
