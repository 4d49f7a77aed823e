/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel log: what dmesg would show because of the guest. */
#ifndef VSYSEMU_KERNEL_KLOG_H
#define VSYSEMU_KERNEL_KLOG_H

#include "facts/policy.h"
#include "kernel/kernel.h"

/* Keep @text, one line, and show it on stderr as `kernel: [%5d.%06d] TEXT` in virtual time. */
void klog_print(struct kernel *k, const char *text);

/* A message of the vsyscall code, under its own rate limit (arch/x86/entry/vsyscall/vsyscall_64.c). */
void klog_vsyscall(struct kernel *k, const struct vsysemu_log *l);

/*
 * The line of an unhandled user fault (arch/x86/mm/fault.c show_signal_msg(), kernel/traps.c
 * show_signal()): printed only if SIGSEGV (or the signal @signo) has no handler.  @what: "segfault" for
 * page faults, else the trap's name ("general protection fault", "trap invalid opcode").
 */
void klog_fault(struct kernel *k, int signo, const char *what, gaddr addr, uint64_t error_code);

/* Lines so far, of all processes of the tree; line number @i (NULL: none). */
size_t klog_count(const struct kernel *k);
const char *klog_line(const struct kernel *k, size_t i);

/* Before anything forks. */
void klog_init(struct kernel *k);
void klog_free(struct kernel *k);

#endif
