/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A branch predictor as processors of the last fifteen years have one: tagged tables of growing history for
 * conditional jumps, a stack for returns, a table by path for indirect jumps.  It says what would have
 * been mispredicted; what that costs is the profile's matter.  Knows no guest and no engine.
 */
#ifndef VSYSEMU_FACTS_PREDICT_H
#define VSYSEMU_FACTS_PREDICT_H

#include "base/types.h"

enum branch_kind {
	BRANCH_NONE, /* the block ends without one */
	BRANCH_JCC, /* conditional */
	BRANCH_JMP, /* direct: always predicted here */
	BRANCH_CALL, /* direct, leaves a return address */
	BRANCH_RET,
	BRANCH_JMP_INDIRECT,
	BRANCH_CALL_INDIRECT
};

struct predictor; /* about 100 KiB */

struct predictor *predictor_new(void);
void predictor_free(struct predictor *p);

/*
 * The branch that ends at address @end went to @target; @end itself is where a conditional jump falls through
 * to, and what a call leaves as return address.  True: it was mispredicted.  Learns from it.
 */
bool predictor_branch(struct predictor *p, enum branch_kind kind, gaddr end, gaddr target);

/* Only calls and returns are followed: code whose branches are in a price of its own. */
void predictor_follow(struct predictor *p, enum branch_kind kind, gaddr end);

/* The branch that instruction @code (of @bytes bytes) is. */
enum branch_kind branch_of(const uint8_t *code, size_t bytes);

#endif
