/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The words that every floor uses: guest addresses and the constants of the x86-64 Linux
 * address space.  Nothing here allocates or does I/O.
 */
#ifndef VSYSEMU_BASE_TYPES_H
#define VSYSEMU_BASE_TYPES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An address in the guest's address space.  Host code never dereferences one; it goes through
 * engine/memory.h, although inside the window the two happen to be equal. */
typedef uint64_t gaddr;

#define PAGE_BYTES 4096u
#define PAGE_MASK (~(gaddr)(PAGE_BYTES - 1))

/* The guest window: all guest memory but the vsyscall page.  The emulator itself (a PIE at 0x55...,
 * libraries and stack at 0x7f...) lies above it. */
#define WINDOW_START ((gaddr)0x10000)
#define WINDOW_END ((gaddr)1 << 46)

/* The legacy vsyscall page: Linux arch/x86/include/uapi/asm/vsyscall.h. */
#define VSYSCALL_PAGE ((gaddr)0xffffffffff600000)
#define VSYSCALL_PAGE_END (VSYSCALL_PAGE + PAGE_BYTES)

/* First address that is not canonical with 4-level page tables, and Linux's TASK_SIZE_MAX. */
#define CANONICAL_END ((gaddr)1 << 47)
#define TASK_SIZE_MAX (CANONICAL_END - PAGE_BYTES)

static inline gaddr page_down(gaddr a)
{
	return a & PAGE_MASK;
}

static inline gaddr page_up(gaddr a)
{
	return (a + PAGE_BYTES - 1) & PAGE_MASK;
}

static inline bool gaddr_is_canonical(gaddr a)
{
	return a < CANONICAL_END || a >= ~(CANONICAL_END - 1);
}

#define ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

#endif
