/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Limits of the process.  Those that would hit the emulator instead of the guest (address space,
 * data, stack, CPU time) are kept here; the rest are the host's.
 */
#ifndef VSYSEMU_KERNEL_IDENT_H
#define VSYSEMU_KERNEL_IDENT_H

#include "base/types.h"

struct kernel;

void rlimit_init(struct kernel *k); /* takes over what the user's shell set */
/* Soft and hard limit of RLIMIT_* @which. */
void rlimit_get(struct kernel *k, unsigned which, uint64_t lim[2]);

#endif
