/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The host's SIGSEGV and SIGBUS: the one handler.  It serves guarded copies (as the kernel's exception
 * table does) and accesses of translated code, which it hands to whoever registered.
 */
#ifndef VSYSEMU_ENGINE_FAULT_H
#define VSYSEMU_ENGINE_FAULT_H

#include <signal.h>

#include "base/err.h"
#include "base/types.h"

/* Install the handler on an alternate stack of its own; again is harmless. */
bool fault_install(struct err *e);

/* Asked for faults that are not guarded copies, on the alternate stack: true if @uc was changed so
 * that returning goes on sensibly.  At most one; NULL: none. */
typedef bool fault_fn(int signo, siginfo_t *si, void *uc);
void fault_set(fault_fn *fn);

/* Copy @n bytes; either side may be a bad address.  The number of bytes not copied. */
size_t fault_copy(void *dst, const void *src, size_t n);

#endif
