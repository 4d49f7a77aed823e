/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process image: an ELF file, its interpreter, the stack and the first registers.  Files are
 * opened, read and judged before anything of the old image is touched; whatever their bytes are,
 * nothing beyond the file is read.  Truth: Linux 6.1 fs/exec.c, fs/binfmt_elf.c, fs/binfmt_script.c.
 * Knows no options: the caller applies -E, -U, -0 to @argv and @envp; k->opt->auxv is honoured.
 */
#ifndef VSYSEMU_KERNEL_EXEC_H
#define VSYSEMU_KERNEL_EXEC_H

#include "base/err.h"
#include "base/types.h"

struct kernel;

/*
 * Can @path (a guest path; nothing is looked up in PATH) be run?  Nothing is mapped or changed.
 * False: @e names the rule that is broken, with status 127 if there is no such file, else 126.
 */
bool exec_check(struct kernel *k, const char *path, struct err *e);

/*
 * Make @path the image of the one task that k->proc.current is: memory, vDSO, stack, registers,
 * k->proc.exe, comm, auxv.  Errors as exec_check(); a bad k->opt->vdso file has status 125.
 */
bool exec_load(struct kernel *k, const char *path, char *const argv[], char *const envp[],
	       struct err *e);

/* Free what exec_load() and exec_replace() keep in k->proc. */
void exec_free(struct kernel *k);

/*
 * execveat(@dirfd, @path, @argv, @envp, @flags) of the current task; @path is a guest path.  A
 * negative errno leaves everything as it was.  SYSCALL_REGS: the new image stands, other threads
 * are gone, descriptors with FD_CLOEXEC closed, signal handlers reset.  SYSCALL_EXITED: failed past
 * the point of no return, as Linux with SIGSEGV (k->outcome is filled).
 * sys_execve and sys_execveat (exec_call.c) call it.
 */
int64_t exec_replace(struct kernel *k, int dirfd, const char *path, char *const argv[],
		     char *const envp[], int flags);

/* Is @text, of --auxv, "KEY=NUMBER" or "KEY=" (leave the entry out)?  KEY is a number or a name as
 * AT_HWCAP2 or HWCAP2.  *key and *value get what it says (*drop: left out). */
bool exec_auxv_parse(const char *text, uint64_t *key, uint64_t *value, bool *drop, struct err *e);

#endif
