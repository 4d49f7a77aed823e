/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where things of an image go.  The layout is fixed, so that runs are alike: that of Linux without
 * randomisation, scaled to the window.  Private to the exec_*.c files.
 */
#ifndef VSYSEMU_KERNEL_EXEC_LAYOUT_H
#define VSYSEMU_KERNEL_EXEC_LAYOUT_H

#include "base/types.h"

/* ELF_ET_DYN_BASE: programs with an interpreter, and the heap of those without that are ET_DYN. */
#define EXEC_DYN_BASE page_down(WINDOW_END / 3 * 2)
/* First address above the stack; kernels before 6.13 put the vDSO between here and the end. */
#define EXEC_STACK_TOP (WINDOW_END - ((gaddr)1 << 24))
#define EXEC_STACK_MIN_BYTES ((uint64_t)8 << 20)
#define EXEC_STACK_MAX_BYTES ((uint64_t)1 << 30)
/* Nothing of an image may lie above. */
#define EXEC_IMAGE_END (EXEC_STACK_TOP - EXEC_STACK_MAX_BYTES)

#endif
