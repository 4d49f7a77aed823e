/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rules for ELF and program headers of an image.  Private to the exec_*.c files. */
#ifndef VSYSEMU_KERNEL_EXEC_ELF_H
#define VSYSEMU_KERNEL_EXEC_ELF_H

#include "kernel/exec_file.h"

/* Read the headers of @i->fd (as interpreter: @interp) and fill @i from them.  0, or negative errno
 * with the rule that is broken in @e, status 126. */
int64_t exec_elf_read(struct exec_image *i, bool interp, struct err *e);

/* Segment rules for @i placed at @bias, where @limit is the first address that is taken. */
int64_t exec_elf_check(const struct exec_image *i, gaddr bias, gaddr limit, struct err *e);

/* Protection of a segment. */
int exec_elf_prot(const Elf64_Phdr *ph);

#endif
