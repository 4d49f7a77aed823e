/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Processor exceptions of the guest: what Linux makes of them (arch/x86/kernel/traps.c, mm/fault.c). */
#ifndef VSYSEMU_KERNEL_TRAP_H
#define VSYSEMU_KERNEL_TRAP_H

#include "kernel/kernel.h"
#include "kernel/page.h"

/* The current task ran into @t (TRAP_EXCEPTION).  A signal is forced, or memory was made. */
void trap_exception(struct kernel *k, const struct trap *t);

/* `int n` (TRAP_INT).  True if it was an arrival at the page (@ev is filled). */
bool trap_int(struct kernel *k, const struct trap *t, struct page_event *ev);

#endif
