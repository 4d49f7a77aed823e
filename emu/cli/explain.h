/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `vsysemu explain`: an explanation (facts/explain.h), and perhaps a second one beside it, as text, JSON
 * or a page with a timeline. */
#ifndef VSYSEMU_CLI_EXPLAIN_H
#define VSYSEMU_CLI_EXPLAIN_H

#include "base/buf.h"
#include "cli/json.h"
#include "cli/options.h"
#include "facts/explain.h"

/* One policy's explanation and what it is called. */
struct explain_side {
	const struct model *m;
	unsigned policy;
	struct explanation x;
};

/* "emulate on 6.1 (E8, page-fault)" */
void explain_side_name(const struct explain_side *s, struct buf *out);
const char *explain_call_name(int nr);
double explain_cycles(uint32_t cycles16);

/* Run o->follow under @m and make @a its @nth vsyscall; @seen lives as long as @a. */
bool explain_follow(const struct options *o, const struct model *m, unsigned nth, struct explain_ask *a,
		    struct explain_seen *seen, struct err *e);
void explain_follow_free(struct explain_seen *seen);

void explain_text(const struct explain_side *s, int nr, struct buf *out);
/* @beside: the second policy, or NULL; @seen: the call of a run, or NULL. */
void explain_json(const struct explain_side *s, const struct explain_side *beside, int nr,
		  const struct explain_seen *seen, struct buf *out);
void explain_html(const struct explain_side *s, const struct explain_side *beside, int nr,
		  const struct explain_seen *seen, struct buf *out);

#endif
