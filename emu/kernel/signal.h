/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Signals: sending, forcing, and delivery at each return to user mode.  Rules: Linux kernel/signal.c and
 * arch/x86/kernel/signal.c.
 */
#ifndef VSYSEMU_KERNEL_SIGNAL_H
#define VSYSEMU_KERNEL_SIGNAL_H

#include "kernel/kernel.h"

#define SIGINFO_BYTES 128u

/* siginfo as the guest sees it: begun with signo, errno 0 and code; fields behind by offset
 * (x86-64 layout: pid 16, uid 20, value/status 24; addr 16; call_addr 16, syscall 24, arch 28). */
void siginfo_init(uint8_t info[SIGINFO_BYTES], int signo, int code);
void siginfo_put32(uint8_t info[SIGINFO_BYTES], unsigned offset, uint32_t v);
void siginfo_put64(uint8_t info[SIGINFO_BYTES], unsigned offset, uint64_t v);

/* Queue @info for @t (NULL: the process).  Ignored signals vanish, standard ones are queued once. */
void signal_send(struct kernel *k, struct task *t, const uint8_t info[SIGINFO_BYTES]);

/* force_sig_info(): a fault of the current task.  Blocked or ignored: the action becomes the default.
 * The trap record is set as @s says. */
void signal_force(struct kernel *k, const struct vsysemu_signal *s);

/* Is a signal due that delivery would act on? */
bool signal_is_due(struct kernel *k);

/* Before each return to user mode.  Handles restarts; builds frames; carries out default actions.
 * False: the process has ended (k->outcome is filled). */
bool signal_deliver(struct kernel *k);

/* Change the current task's mask; SIGKILL and SIGSTOP stay out of it. */
void signal_set_mask(struct kernel *k, sigset64 mask);

/* Take one pending signal of @set from the current task or the process into @info; 0: none. */
int signal_take(struct kernel *k, sigset64 set, uint8_t info[SIGINFO_BYTES]);

/* Is its default action to do nothing? */
bool signal_default_ignored(int signo);

/* ---- sigframe.c ---- */

/* Build the frame for @signo and enter its handler; false: the stack cannot take it. */
bool sigframe_enter(struct kernel *k, const struct sigact *a, const uint8_t info[SIGINFO_BYTES],
		    sigset64 saved_mask);
/* rt_sigreturn: registers from the frame at RSP - 8; false: it is bad (SIGSEGV is forced). */
bool sigframe_leave(struct kernel *k);
/* Does @sp lie on the current task's alternate stack? */
bool sigframe_on_altstack(const struct task *t, gaddr sp);

/* ---- sigcalls.c ---- */

/* Take over what the user's shell left ignored, and catch what comes from outside. */
void signal_init(struct kernel *k);
/* Move what arrived from the host into the guest's queues; true if something did. */
bool signal_collect(struct kernel *k);
/* Sleep until V = @until ns (UINT64_MAX: for ever) or until a signal is due, those of @set unblocked meanwhile; take
 * them with signal_take().  Linux do_sigtimedwait(). */
void signal_wait(struct kernel *k, sigset64 set, uint64_t until);

#endif
