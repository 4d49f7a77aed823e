/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Random comparison: see check_random.h.  A difference is shrunk and told once as a row of vectors. */
#include "cli/check_random.h"

#include <stdlib.h>
#include <string.h>

enum { TOLD_MAX = 10 }; /* kinds of differences; then it stops */

/* What was told already. */
typedef VEC(char *) told_list;

static const struct vector_impl ours = { vsysemu_policy_decide, vsysemu_policy_finish };

/* Does the implementation answer @c in another way? */
static bool differs(void *ctx, const struct vector_case *c)
{
	const struct check_random *r = ctx;
	struct vector_outcome a, b;
	struct buf why = { 0 };
	bool yes;

	vector_case_run(c, &ours, &a);
	vector_case_run(c, &r->impl, &b);
	vector_outcome_diff(&a, &b, &why);
	yes = why.len > 0;
	buf_free(&why);
	return yes;
}

static bool is_told(const told_list *told, const char *row)
{
	for (size_t i = 0; i < told->n; i++)
		if (!strcmp(told->at[i], row))
			return true;
	return false;
}

/* True: this kind of difference is new. */
static bool tell(const struct check_random *r, struct vector_case *c, told_list *told)
{
	struct vector_table t = { 0 };
	struct vector_outcome a, b;
	struct buf why = { 0 }, row = { 0 }, header = { 0 };
	bool new;

	vector_shrink(c, differs, (void *)(uintptr_t)r);
	vector_case_run(c, &ours, &a);
	vector_case_run(c, &r->impl, &b);
	vector_outcome_diff(&a, &b, &why);
	vector_emit(&t, "MIN", c, &a, "expected: ours");
	vector_header_tsv(&header);
	vector_row_tsv(&t.rows.at[0], &row);
	new = !is_told(told, row.data);
	if (new) {
		VEC_PUSH(told, xstrdup(row.data));
		fprintf(r->out, "not ok %zu - %s %s at 0x%llx\n# %s\n# minimal frame:\n# %s\n# %s\n", told->n,
			vsysemu_era_name(c->profile.era), vsysemu_mode_name(c->mode),
			(unsigned long long)c->target, why.data ? why.data : "", header.data, row.data);
		fflush(r->out);
	}
	buf_free(&why);
	buf_free(&row);
	buf_free(&header);
	vector_table_free(&t);
	return new;
}

int check_random(const struct check_random *r)
{
	uint64_t state[2] = { r->seed ^ 0x6a09e667f3bcc908ull, r->seed * 0x9e3779b97f4a7c15ull + 1 };
	unsigned long different = 0;
	told_list told = { 0 };
	uint64_t i, tried = 0;
	struct vector_case c;
	int status;

	fprintf(r->out, "TAP version 13\n");
	for (i = 0; i < r->frames && told.n < TOLD_MAX; i++) {
		vector_random(state, r->target, r->targets, &c);
		check_place_set(r->at, NULL, i);
		if (r->mode >= 0 && c.mode != (enum vsysemu_mode)r->mode)
			continue;
		tried++;
		if (!differs((void *)(uintptr_t)r, &c))
			continue;
		different++;
		tell(r, &c, &told);
	}
	if (told.n)
		fprintf(r->out, "# %lu of %llu frames differ, seed %llu\n1..%zu\n", different,
			(unsigned long long)tried, (unsigned long long)r->seed, told.n);
	else if (!tried)
		fprintf(r->out, "ok 1 # SKIP no frame of this mode\n1..1\n");
	else
		fprintf(r->out, "ok 1 - %llu random frames, seed %llu\n1..1\n", (unsigned long long)tried,
			(unsigned long long)r->seed);
	status = told.n ? 1 : 0;
	for (i = 0; i < told.n; i++)
		free(told.at[i]);
	VEC_FREE(&told);
	return status;
}
