/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * System calls: entry and exit as the processor and Linux do them, one table row a call, and the
 * line that strace would print.  The loop calls syscall_enter(); the vsyscall page calls only the
 * bodies.  Truth: Linux arch/x86/entry, kernel/entry/common.c, asm/unistd_64.h.
 */
#ifndef VSYSEMU_KERNEL_SYSCALL_H
#define VSYSEMU_KERNEL_SYSCALL_H

#include "base/buf.h"
#include "base/types.h"

struct kernel;

#define SYSCALL_COUNT 463 /* numbers 0..462 */

/* What the loop has to do after a system call. */
enum sysret {
	SYSRET_DONE, /* RAX is stored; signals are due to be looked at, as at every kernel exit */
	SYSRET_REGS, /* all registers were replaced (execve, rt_sigreturn): nothing else was stored */
	SYSRET_BLOCKED, /* the task sleeps (task->state): schedule another; the call runs again */
	SYSRET_EXITED, /* the process ended: k->outcome is filled */
	SYSRET_SIGNAL /* refused by seccomp or user dispatch: a signal is pending, RAX as it was left */
};

/*
 * The current task executed SYSCALL (TRAP_SYSCALL; RIP is after it): RCX = RIP, R11 = RFLAGS,
 * orig_rax and args kept in the task; syscall user dispatch and seccomp are asked; the handler runs.
 * A handler's -ERESTART* (512..516) is stored as RAX = -EINTR with task->restart = the code:
 * signal_deliver() makes a restart of it (RAX = orig_rax, RIP -= 2) where Linux does.
 */
enum sysret syscall_enter(struct kernel *k);

/* The number that the current task asks for in RAX: all of it, and from 5.14 on its low half alone
 * (arch/x86/entry/entry_64.S, movslq). */
uint64_t syscall_asked(struct kernel *k);

/* Where a body met its first bad user address; @code 0: none did. */
struct body_fault {
	gaddr addr;
	uint32_t code; /* PF_* as the processor would have pushed it */
	bool bus;
};

/*
 * Only the body of call @nr, without entry, exit, seccomp and trace; for the vsyscall page (96, 201,
 * 309).  Result or negative errno; when it is -EFAULT, @f (may be NULL) has the first bad address.
 * Stores happen in Linux's order: tv_sec, tv_usec, tz; getcpu tries both pointers.
 */
int64_t syscall_body(struct kernel *k, unsigned nr, const uint64_t args[6], struct body_fault *f);

/* Name of a call of the table, or NULL (unknown: answered -ENOSYS, the loop names it in the account); and the inverse, -1 if there is none such. */
const char *syscall_name(unsigned nr);
int syscall_number(const char *name);

/* Results that are no results: no RAX is stored for them.  For handlers and syscall_format(). */
#define SYSCALL_REGS INT64_MIN /* registers were replaced */
#define SYSCALL_BLOCKED (INT64_MIN + 1)
#define SYSCALL_EXITED (INT64_MIN + 2)
#define SYSCALL_NORETURN (INT64_MIN + 3) /* format only: "= ?" */

/* Linux's codes that never reach user space (include/linux/errno.h). */
#define ERESTARTSYS 512
#define ERESTARTNOINTR 513
#define ERESTARTNOHAND 514
#define ERESTART_RESTARTBLOCK 516

/* For a handler that waits until V = @until_ns and was interrupted: -ERESTART_RESTARTBLOCK; without a handler
 * of the guest the call goes on, and syscall_until() then says until when (else @until_ns). */
int64_t syscall_restart_later(struct kernel *k, uint64_t until_ns);
uint64_t syscall_until(const struct kernel *k, uint64_t until_ns);

/*
 * Append `name(args) = result` in strace's manner.  Reads guest memory: call it after the body for
 * buffers that the kernel fills, before it (with SYSCALL_NORETURN) for execve and exit.
 */
void syscall_format(struct kernel *k, unsigned nr, const uint64_t args[6], int64_t ret,
		    struct buf *b);
/* Append `name(args` of a call of the table that is about to be made, without the bracket: buffers that it
 * would fill by their addresses. */
void syscall_format_entry(struct kernel *k, unsigned nr, const uint64_t args[6], struct buf *b);
/* Append ` = result`; @args NULL: they are gone. */
void syscall_format_result(struct kernel *k, unsigned nr, const uint64_t args[6], int64_t ret, struct buf *b);

#endif
