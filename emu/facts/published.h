/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of published measurements: models/published/seed*.tsv, one row a figure, with the run that
 * answers for it.  Knows the form of the files, not how a run is made.
 */
#ifndef VSYSEMU_FACTS_PUBLISHED_H
#define VSYSEMU_FACTS_PUBLISHED_H

#include "base/buf.h"
#include "base/err.h"
#include "base/types.h"
#include "facts/model.h"

struct published_row {
	const char *table, *row, *options, *guest, *unit, *take, *source, *note; /* "" where the file has - */
	const char *published_text; /* as it stands in the file */
	double published;
	bool fitted; /* served to set a price */
};

struct published {
	VEC(struct published_row) row; /* strings live in @text */
	VEC(char *) text;
};

/* All files of the directory @dir/published whose names end in .tsv and begin with "seed", in order of
 * name.  False: @e names the file and line. */
bool published_load(struct published *p, const char *dir, struct err *e);
void published_free(struct published *p);

/*
 * Percent of a call's time that is spent in @stages ("rdtsc+pvclock+user"; "NAME*0.9": that part of a
 * stage): @x is the event's profile, @total_cycles the whole loop's; `user` is what the stages of @x
 * leave of it.
 */
double published_share(const struct cost_profile *x, double total_cycles, const char *stages);

#endif
