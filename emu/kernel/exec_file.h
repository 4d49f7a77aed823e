/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of a new image, opened and judged before anything is mapped: scripts followed to their
 * interpreter, ELF and program headers read, arguments gathered.  Private to the exec_*.c files.
 */
#ifndef VSYSEMU_KERNEL_EXEC_FILE_H
#define VSYSEMU_KERNEL_EXEC_FILE_H

/* Before <elf.h>, whose macros PF_W... would break its enum (the values agree). */
#include "engine/engine.h"

#include <elf.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/types.h"

struct kernel;

enum exec_stack { EXEC_STACK_DEFAULT, EXEC_STACK_NOEXEC, EXEC_STACK_EXEC };

/* One ELF file whose headers are what Linux takes before the point of no return. */
struct exec_image {
	int fd; /* owned, hidden from the guest; -1: none */
	char *name; /* as the guest named it; owned */
	char *path; /* absolute, as /proc/self/exe shows it; owned */
	Elf64_Ehdr eh;
	Elf64_Phdr *ph; /* eh.e_phnum of them; owned */
	enum exec_stack stack;
	char *interp; /* of PT_INTERP; owned; NULL: none */
	gaddr low, high; /* span of all PT_LOAD, @low page aligned; equal: none */
	uint64_t align; /* bytes; greatest valid p_align, at least a page */
};

struct exec_plan {
	struct exec_image prog, interp;
	VEC(char *) argv; /* after scripts were put in front; owned */
	char *execfn; /* what AT_EXECFN points at; owned */
	char comm[16];
};

/*
 * Open what execveat(@dirfd, @path, ..., @flags) names.  0, or negative errno with the reason in @e
 * (whose status is then 127 or 126).  exec_plan_free() in any case.
 */
int64_t exec_plan_open(struct kernel *k, struct exec_plan *p, int dirfd, const char *path,
		       char *const argv[], int flags, struct err *e);
void exec_plan_free(struct kernel *k, struct exec_plan *p);

/* The rules that Linux asks only after the point of no return: segments that wrap, that are longer
 * in the file than in memory, that are unaligned, or that lie outside the window.  As above. */
int64_t exec_plan_check(const struct exec_plan *p, struct err *e);

#endif
