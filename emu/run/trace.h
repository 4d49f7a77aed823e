/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace: one line an event on stderr, in strace's manner. */
#ifndef VSYSEMU_RUN_TRACE_H
#define VSYSEMU_RUN_TRACE_H

#include "base/err.h"
#include "kernel/kernel.h"
#include "kernel/page.h"
#include "kernel/vdso.h"

/* @spec: words of --trace (run/filter.h), NULL: no trace.  @summary: no lines, but a table at the end.
 * False: @e says what is wrong; *@t NULL: no trace. */
bool trace_new(struct trace **t, const char *spec, bool summary, struct err *e);
void trace_free(struct trace *t);

/* @cycles16: what was charged.  All do nothing with a NULL trace. */
void trace_vsyscall(struct kernel *k, const struct page_event *ev, gaddr entry, uint32_t cycles16);
/* Its line without what stands before the call. */
void trace_vsyscall_text(struct kernel *k, const struct page_event *ev, gaddr entry, uint32_t cycles16, struct buf *b);
void trace_vdso(struct kernel *k, enum vdso_function f, gaddr caller, uint32_t cycles16);
/* @ret: SYSCALL_NORETURN before a call that may not come back. */
void trace_syscall(struct kernel *k, unsigned nr, const uint64_t args[6], int64_t ret, uint32_t cycles16);
void trace_signal(struct kernel *k, const uint8_t *info);
void trace_fault(struct kernel *k, const struct trap *t);
void trace_exit(struct kernel *k);
/* A call that may not come back, or whose arguments will be gone: exit, execve (its line comes with trace_exec()),
 * rt_sigreturn. */
void trace_enter(struct kernel *k, unsigned nr, const uint64_t args[6], uint32_t cycles16);
/* execve has its result; 0: the program was replaced. */
void trace_exec(struct kernel *k, int64_t ret);
/* The first program was started, as if by execve. */
void trace_start(struct kernel *k, const char *path, char *const *argv, char *const *envp);
/* The table of calls of all processes, in strace's manner, if it was asked for. */
void trace_summary(struct kernel *k);

#endif
