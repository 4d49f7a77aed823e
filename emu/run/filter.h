/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events a trace shows: the words and filters of --trace. */
#ifndef VSYSEMU_RUN_FILTER_H
#define VSYSEMU_RUN_FILTER_H

#include "base/err.h"
#include "kernel/kernel.h"

enum trace_what { TRACE_VSYSCALL = 1, TRACE_VDSO = 2, TRACE_SYSCALL = 4, TRACE_SIGNAL = 8, TRACE_FAULT = 16 };

struct filter;

/*
 * @text: words vsyscall, vdso, syscall, signal, fault (none: all kinds), and filters of calls: path=vsyscall|
 * vdso|syscall, call=NAME, addr=A or A-B (the entry or the return address), sym=FUNCTION (of the caller).
 * Filters of one key are alternatives, those of several must all hold; they alone leave signals and faults
 * out.  "": everything.  NULL: @e names the word.
 */
struct filter *filter_new(const char *text, struct err *e);
void filter_free(struct filter *f);

bool filter_wants(const struct filter *f, enum trace_what what);
/* A call of kind @what named @name from return address @caller; @entry: where it went, 0: a system call. */
bool filter_call(struct filter *f, struct kernel *k, enum trace_what what, const char *name, gaddr caller, gaddr entry);
/* The program was replaced: functions lie elsewhere. */
void filter_moved(struct filter *f);

#endif
