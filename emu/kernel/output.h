/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls that write to pipes and sockets.  Such a call takes all that it is given unless a signal comes;
 * the host ends it early when we interrupt it for reasons of our own, and then the rest must follow.
 */
#ifndef VSYSEMU_KERNEL_OUTPUT_H
#define VSYSEMU_KERNEL_OUTPUT_H

#include <sys/socket.h>
#include <sys/uio.h>

#include "base/types.h"

/* What is left of a call, as a call of its own. */
struct output_rest {
	uint64_t a[6];
	struct msghdr msg;
	struct iovec *v; /* owned */
};

/* Is @nr write, writev, sendto or sendmsg? */
bool output_is(unsigned nr);

/*
 * After @done bytes, is there more that a blocking pipe or stream socket would have taken?  Fills @rest for the same @nr;
 * output_free() it.  @a may be rest->a of an earlier one.
 */
bool output_left(unsigned nr, const uint64_t a[6], uint64_t done, struct output_rest *rest);
void output_free(struct output_rest *rest);

#endif
