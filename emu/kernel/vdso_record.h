/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The numbers in the vDSO's data pages: struct clock in the units of the clock source that the vDSO
 * reads.  Truth: kernel/time/vsyscall.c update_vsyscall(), arch/x86/kernel/pvclock.c.
 */
#ifndef VSYSEMU_KERNEL_VDSO_RECORD_H
#define VSYSEMU_KERNEL_VDSO_RECORD_H

#include "facts/clock.h"
#include "facts/vdsogen.h"

struct kernel;

/* What the pages say from the clock's last update on; the readers are guest code that the oldest
 * record points at (0: none). */
void vdso_record_now(const struct kernel *k, gaddr tsc_reader, gaddr hpet_reader, struct vdso_record *r);

/* The HPET's main counter.  It goes at the rate of the TSC, so that the vDSO and the system calls agree to
 * the last tick. */
uint64_t vdso_record_hpet(const struct clock *c);

#endif
