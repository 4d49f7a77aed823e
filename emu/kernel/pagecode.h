/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The real code of the page before 3.1 (2.6.x to 3.0), which runs as guest code. */
#ifndef VSYSEMU_KERNEL_PAGECODE_H
#define VSYSEMU_KERNEL_PAGECODE_H

#include "kernel/kernel.h"

/* Fill @page (PAGE_BYTES, all 0xcc) with code and data. */
void pagecode_build(struct kernel *k, uint8_t *page);
/* Refresh what the code reads, in @page and the engine's copy. */
void pagecode_tick(struct kernel *k, uint8_t *page);

#endif
