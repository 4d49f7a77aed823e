/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verb `reproduce`: rows of published tables, the same from guests that measure themselves in this
 * program, and how far apart they are.  reproduce.c decides, reproduce_run.c asks the guests,
 * reproduce_report.c writes.
 */
#ifndef VSYSEMU_CLI_REPRODUCE_H
#define VSYSEMU_CLI_REPRODUCE_H

#include "cli/options.h"
#include "facts/published.h"

struct reproduce_row {
	const struct published_row *p;
	bool done; /* the guest ran and gave a number */
	bool missing; /* the program that the guest runs is not built */
	double simulated, error; /* in the row's unit; simulated / published - 1 */
};

struct reproduce_table {
	const char *name;
	unsigned rows, done;
	unsigned kind_n[2]; /* rows with a number: [0] not fitted, [1] fitted */
	double mean[2], worst[2]; /* of the absolute errors of each kind */
};

/* What a guest printed under options; owned strings.  NULL text: the program that it runs is not built. */
struct reproduce_output {
	char *options, *guest, *text;
};

struct reproduce {
	VEC(struct reproduce_output) output;
	VEC(struct reproduce_row) row;
	VEC(struct reproduce_table) table;
};

/* Run the guest behind @r, with the user's own --set, unless @all has its output, and fill its result.  False: @e. */
bool reproduce_run(struct reproduce *all, struct reproduce_row *r, const struct options *o, struct err *e);

void reproduce_text(const struct reproduce *r, struct buf *out);
void reproduce_json(const struct reproduce *r, struct buf *out);
void reproduce_html(const struct reproduce *r, struct buf *out);

#endif
