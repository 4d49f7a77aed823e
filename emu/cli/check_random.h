/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `check --random`: our decision core and another one on random trap frames. */
#ifndef VSYSEMU_CLI_CHECK_RANDOM_H
#define VSYSEMU_CLI_CHECK_RANDOM_H

#include <stdio.h>

#include "cli/check_impl.h"
#include "facts/vectors.h"

struct check_random {
	FILE *out;
	const struct vector_target *target;
	size_t targets;
	int mode; /* only this one; -1: all */
	uint64_t frames, seed;
	struct vector_impl impl;
	struct check_place *at;
};

/* Prints TAP: one `not ok` with a minimal frame for each kind of difference, or one `ok`.  0 or 1. */
int check_random(const struct check_random *r);

#endif
