/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace: one line an event on stderr, in strace's manner. */
#ifndef VSYSEMU_RUN_TRACE_H
#define VSYSEMU_RUN_TRACE_H

#include "base/err.h"
#include "kernel/kernel.h"
#include "kernel/page.h"
#include "kernel/vdso.h"

enum trace_what { TRACE_VSYSCALL = 1, TRACE_VDSO = 2, TRACE_SYSCALL = 4, TRACE_SIGNAL = 8, TRACE_FAULT = 16 };

/* Words of --trace ("": all) to bits; 0: @e names the word that is none. */
unsigned trace_parse(const char *words, struct err *e);

/* NULL if @what is 0. */
struct trace *trace_new(unsigned what);
void trace_free(struct trace *t);

/* @cycles16: what was charged.  All do nothing with a NULL trace. */
void trace_vsyscall(struct kernel *k, const struct page_event *ev, gaddr entry, uint32_t cycles16);
void trace_vdso(struct kernel *k, enum vdso_function f, gaddr caller, uint32_t cycles16);
/* @ret: SYSCALL_NORETURN before a call that may not come back. */
void trace_syscall(struct kernel *k, unsigned nr, const uint64_t args[6], int64_t ret, uint32_t cycles16);
void trace_signal(struct kernel *k, const uint8_t *info);
void trace_fault(struct kernel *k, const struct trap *t);
void trace_exit(struct kernel *k);

#endif
