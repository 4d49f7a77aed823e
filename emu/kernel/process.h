/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The life of a process: what other files of the kernel side and the loop must tell this one.
 */
#ifndef VSYSEMU_KERNEL_PROCESS_H
#define VSYSEMU_KERNEL_PROCESS_H

#include "base/types.h"

struct kernel;

#define PROCESS_CLEAR_SIGHAND 0x100000000ull /* CLONE_CLEAR_SIGHAND */

/* What clone(2) asks for, its flags (CLONE_*) checked; stack: where it begins, 0: the caller's. */
struct clone_request {
	uint64_t flags;
	gaddr stack, parent_tid, child_tid, tls, pidfd;
	int exit_signal;
};

/* A new process or thread: its virtual id in the caller, 0 in a new process, or negative errno. */
int64_t process_clone(struct kernel *k, const struct clone_request *c);

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
