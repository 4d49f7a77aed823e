/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One segment, program headers in the kernel's order, data pages as hidden symbols at whole pages from
 * the image's first byte.  BASE: address it is linked at; *_PAGE: page numbers relative to it.
 */
OUTPUT_FORMAT("elf64-x86-64")
OUTPUT_ARCH(i386:x86-64)

SECTIONS
{
	. = BASE;
	vdso_start = .;
	HIDDEN(vdso_data = BASE + (DATA_PAGE) * 4096 + RECORD);
#ifdef TIMENS_PAGE
	HIDDEN(timens_data = BASE + (TIMENS_PAGE) * 4096 + RECORD);
#endif
#ifdef HPET_PAGE
	HIDDEN(hpet_data = BASE + (HPET_PAGE) * 4096);
#endif
#ifdef PVCLOCK_PAGE
	HIDDEN(pvclock_data = BASE + (PVCLOCK_PAGE) * 4096);
#endif
#ifdef RNG_PAGE
	HIDDEN(rng_data = BASE + (RNG_PAGE) * 4096 + RNG_RECORD);
#endif

	. = BASE + SIZEOF_HEADERS;
	.hash : { *(.hash) } :text
	.gnu.hash : { *(.gnu.hash) }
	.dynsym : { *(.dynsym) }
	.dynstr : { *(.dynstr) }
	.gnu.version : { *(.gnu.version) }
	.gnu.version_d : { *(.gnu.version_d) }
	.gnu.version_r : { *(.gnu.version_r) }
	.dynamic : { *(.dynamic) } :text :dynamic
	.rodata : { *(.rodata*) *(.data.rel.ro*) *(.got*) } :text
	.note : { *(.note.version) *(.note.gnu.build-id) } :text :note
	.eh_frame_hdr : { *(.eh_frame_hdr) } :text :eh_frame_hdr
	.eh_frame : { KEEP(*(.eh_frame)) } :text
	. = ALIGN(TEXT_ALIGN);
	.text : { *(.text*) } :text =0x90909090
	/DISCARD/ : {
		*(.comment) *(.note.GNU-stack) *(.note.gnu.property) *(.data*) *(.bss*)
		*(.rela*)
	}
	ASSERT(SIZEOF(.gnu.version_r) == 0, "the image must need nothing")
}

PHDRS
{
	text PT_LOAD FLAGS(5) FILEHDR PHDRS;
	dynamic PT_DYNAMIC FLAGS(4);
	note PT_NOTE FLAGS(4);
	eh_frame_hdr PT_GNU_EH_FRAME;
}

VERSION
{
	LINUX_2.6 {
	global:
		gettimeofday; __vdso_gettimeofday;
		clock_gettime; __vdso_clock_gettime;
		getcpu; __vdso_getcpu;
#ifdef HAS_TIME
		time; __vdso_time;
#endif
#ifdef HAS_GETRES
		clock_getres; __vdso_clock_getres;
#endif
#ifdef HAS_GETRANDOM
		getrandom; __vdso_getrandom;
#endif
	local: *;
	};
}
