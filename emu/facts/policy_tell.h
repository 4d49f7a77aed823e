/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The decision core watched from outside: each check in the order of the era, and whether it ended
 * the decision.  Not part of the installed library.
 */
#ifndef VSYSEMU_FACTS_POLICY_TELL_H
#define VSYSEMU_FACTS_POLICY_TELL_H

#include "facts/policy.h"

enum policy_check {
	CHECK_ORDINARY, /* nothing of the page: the ordinary signal */
	CHECK_ROUTE, /* does the trap reach the emulator at all? */
	CHECK_USER_MODE, CHECK_CS, CHECK_CS_XEN, /* of int 0xcc */
	CHECK_DECODE_FIRST, CHECK_DECODE_INT, CHECK_BUG,
	CHECK_FETCH, /* page fault: is it a fetch? */
	CHECK_ACCESS, /* the same from 5.3 on, with a message for reads */
	CHECK_64BIT, CHECK_NONE, CHECK_DECODE, CHECK_STACK,
	CHECK_SECCOMP_ANY, /* any mode kills (before filters) */
	CHECK_RANGE, CHECK_SECCOMP_FIRST, CHECK_SECCOMP, CHECK_CALL,
	CHECK_COUNT
};

/* Called after @check: the verdict as it stands, and whether it is the last word. */
typedef void policy_tell_fn(void *ctx, enum policy_check check, const struct vsysemu_verdict *v,
			    bool answered);

/* vsysemu_policy_decide(), telling (@tell NULL: nobody). */
void policy_decide_told(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			const struct vsysemu_frame *f, const struct vsysemu_guest *g,
			struct vsysemu_verdict *v, policy_tell_fn *tell, void *ctx);

#endif
