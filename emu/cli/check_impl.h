/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Somebody else's decision core, loaded and kept at arm's length: it runs in a child, so that one that
 * crashes or hangs costs a line and not the program.
 */
#ifndef VSYSEMU_CLI_CHECK_IMPL_H
#define VSYSEMU_CLI_CHECK_IMPL_H

#include <stdio.h>

#include "base/err.h"
#include "facts/vectors.h"

/* The implementation in @file, for the rest of the program's life.  False: @e says what it lacks. */
bool check_impl_load(struct vector_impl *impl, const char *file, struct err *e);

/* Where the child stands; written by the child, read when it died. */
struct check_place {
	unsigned long frame;
	char id[64];
	bool done; /* the body came to its end: an implementation may exit(0) */
};
/* Tell which vector comes next, and that the child is alive. */
void check_place_set(struct check_place *at, const char *id, unsigned long frame);

/* Run @body in a child.  Returns what it returned (0..2); -1: @e says how the implementation in
 * @file died and where. */
int check_impl_guard(const char *file, FILE *out, int (*body)(void *ctx, struct check_place *at),
		     void *ctx, struct err *e);

#endif
