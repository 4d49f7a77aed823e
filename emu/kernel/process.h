/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of a process: what other files of the kernel side and the loop must tell this one.
 */
#ifndef VSYSEMU_KERNEL_PROCESS_H
#define VSYSEMU_KERNEL_PROCESS_H

#include "base/types.h"

struct kernel;

/* Everything that system calls keep: descriptors, process ids, limits.  Call it before the first
 * image is loaded, when all of the emulator's own files are open. */
void process_init(struct kernel *k);
void process_free(struct kernel *k);

/* execve succeeded: a parent that waits in vfork goes on. */
void process_vfork_exec(struct kernel *k);

/* The process ended, however it did (k->outcome is filled): tells parent and vfork.  The loop calls
 * it once, before the report. */
void process_end(struct kernel *k);

#endif
