/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files of the decision core share and its users do not see.
 */
#ifndef VSYSEMU_FACTS_POLICY_IMPL_H
#define VSYSEMU_FACTS_POLICY_IMPL_H

#include "facts/policy.h"

enum { SIGNO_TRAP = 5, SIGNO_BUS = 7, SIGNO_KILL = 9, SIGNO_SEGV = 11, SIGNO_SYS = 31 };
enum {
	CODE_MAPERR = 1, CODE_ACCERR = 2, CODE_BUS_ADRERR = 2, CODE_SYS_SECCOMP = 1,
	CODE_KERNEL = 0x80
};
enum { ERR_NOSYS = 38 };

#define INT_BYTES 2 /* length of `int 0xcc` */

/* How a filter's answer ends. */
enum seccomp_end {
	SECCOMP_GO, /* run the call */
	SECCOMP_SKIP, /* rax (and, for TRAP, kind and signal) are set */
	SECCOMP_TRACED_SKIP, /* a tracer had the registers; orig_rax may ask for a skip */
	SECCOMP_KILLED /* kind is KILL */
};

/* Ask the filter about the call v->nr and act on the answer; the registers of @v are what a tracer
 * sees. */
enum seccomp_end policy_seccomp(const struct vsysemu_profile *p, const struct vsysemu_guest *g,
				struct vsysemu_verdict *v);

/* The emulated ret: rip, rsp, and what the first fetch at rip gives.  A SIGNAL stays one. */
void policy_return(const struct vsysemu_profile *p, enum vsysemu_mode mode,
		   struct vsysemu_verdict *v);

/* LASS is in force (asking for emulate turns it off). */
bool policy_lass_on(const struct vsysemu_profile *p, enum vsysemu_mode mode);

/* Era of int 0xcc. */
bool policy_int_era(enum vsysemu_era era);
/* The line of @tag with the registers as they stand in @v. */
void policy_log_line(const struct vsysemu_profile *p, const struct vsysemu_frame *f,
		     struct vsysemu_verdict *v, enum vsysemu_tag tag);
/* force_sig(SIGSEGV): no address, and the trap record stays as it was. */
void policy_plain_segv(struct vsysemu_verdict *v);
/* A fault signal with its record: page fault at @addr, error code @error. */
void policy_fault_signal(struct vsysemu_verdict *v, int signo, int code, uint64_t addr, uint64_t error);

/* The level at which the line of @tag is printed. */
int policy_log_level(const struct vsysemu_profile *p, enum vsysemu_tag tag);

#endif
