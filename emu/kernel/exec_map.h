/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Segments of an image into the guest's memory.  Private to the exec_*.c files. */
#ifndef VSYSEMU_KERNEL_EXEC_MAP_H
#define VSYSEMU_KERNEL_EXEC_MAP_H

#include "kernel/exec_file.h"

/* Where one image of a plan was put. */
struct exec_placed {
	gaddr bias; /* added to its own addresses; may be "negative" */
	gaddr entry, phdr; /* absolute; @phdr 0: not in memory */
};

/*
 * Map the program of @p and its interpreter into empty memory that holds only the stack, zero what
 * the file does not fill, set the break.  0 or negative errno, with a line in @e.
 */
int64_t exec_map(struct kernel *k, const struct exec_plan *p, struct exec_placed *prog,
		 struct exec_placed *interp, struct err *e);

#endif
