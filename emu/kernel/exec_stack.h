/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The first stack of a program: strings, auxiliary vector, argv, envp.  Private to exec_*.c. */
#ifndef VSYSEMU_KERNEL_EXEC_STACK_H
#define VSYSEMU_KERNEL_EXEC_STACK_H

#include "kernel/exec_file.h"
#include "kernel/exec_map.h"

/* Do @p's arguments and @envp fit, as fs/exec.c bprm_stack_limits() and copy_strings() ask?  0 or
 * -E2BIG. */
int64_t exec_stack_check(struct kernel *k, const struct exec_plan *p, char *const envp[]);

/* Map the stack and set k->proc.stack_top.  0 or negative errno. */
int64_t exec_stack_map(struct kernel *k, const struct exec_plan *p);

/* Write it (the vDSO is mapped); fills arg_start... and auxv of k->proc.  The first RSP, or negative
 * errno. */
int64_t exec_stack_write(struct kernel *k, const struct exec_plan *p, char *const envp[],
			 const struct exec_placed *prog, const struct exec_placed *interp);

/* The auxiliary vector with AT_NULL, as pairs of uint64_t.  The three addresses are those of strings
 * and bytes on the stack. */
void exec_auxv_build(struct kernel *k, const struct exec_plan *p, const struct exec_placed *prog,
		     const struct exec_placed *interp, gaddr execfn, gaddr platform, gaddr random,
		     struct buf *out);

#endif
