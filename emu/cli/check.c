/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `check`: rows of vectors tried on the decision core, or on somebody else's; TAP 13 out.  Rows come
 * from the files named, else from models/vectors/builtin.tsv.  What a row says is facts/vectors.h's
 * business; answers of real kernels are check_truth.c's.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/check_emit.h"
#include "cli/check_impl.h"
#include "cli/check_random.h"
#include "cli/check_truth.h"
#include "cli/verbs.h"
#include "facts/model.h"
#include "facts/vectors.h"

enum { VECTORS_BYTES_MAX = 16 << 20 };

/* One run of the verb. */
struct check {
	const struct options *o;
	FILE *out;
	struct vector_table table;
	struct vector_target target[VECTOR_TARGETS_MAX];
	size_t targets;
	int mode; /* only this one; -1: all */
	uint64_t frames; /* --random */
	struct vector_impl impl;
};

static bool read_file(struct check *c, const char *file, struct err *e)
{
	FILE *f = strcmp(file, "-") ? fopen(file, "r") : stdin;
	struct buf b = { 0 };
	char chunk[4096];
	size_t n;
	bool good = true;

	if (!f)
		return err_set(e, "%s: %s", file, strerror(errno));
	while (b.len < VECTORS_BYTES_MAX && (n = fread(chunk, 1, sizeof(chunk), f)) > 0)
		buf_add(&b, chunk, n);
	if (ferror(f))
		good = err_set(e, "%s: %s", file, strerror(errno));
	else if (b.len >= VECTORS_BYTES_MAX)
		good = err_set(e, "%s: too large for a file of vectors (16 MiB)", file);
	if (f != stdin)
		fclose(f);
	good = good && vector_table_read(&c->table, file, b.data ? b.data : "", b.len, e);
	buf_free(&b);
	return good;
}

static bool read_tables(struct check *c, struct err *e)
{
	struct buf path = { 0 };
	char *dir;
	bool good = true;

	for (int i = 0; good && i < c->o->argc; i++)
		good = read_file(c, c->o->argv[i], e);
	if (c->o->argc)
		return good;
	dir = model_dir();
	buf_printf(&path, "%s/vectors/builtin.tsv", dir);
	good = read_file(c, path.data, e);
	free(dir);
	buf_free(&path);
	return good;
}

/* --kernel, --trap, --cpu, --set name one kernel; without them every known one is tried. */
static bool find_targets(struct check *c, struct err *e)
{
	const struct options *o = c->o;
	struct model_choice choice = {
		.mode = o->mode, .kernel = o->kernel, .trap = o->trap, .cpu = o->cpu,
		.set = (const char *const *)o->set.at, .set_n = o->set.n,
	};
	struct vector_target *t = &c->target[0];
	struct model m;
	bool good;

	c->mode = o->mode ? vsysemu_mode_find(o->mode) : -1;
	if (!o->kernel && !o->trap && !o->cpu && !o->set.n) {
		c->targets = vector_targets(c->target);
		return true;
	}
	memset(&m, 0, sizeof(m));
	good = model_resolve(&m, &choice, e);
	if (good) {
		*t = (struct vector_target){ .name = o->kernel ? o->kernel : "the kernel chosen",
					     .rules = m.kernel->rules };
		sscanf(m.kernel->release, "%u.%u", &t->major, &t->minor);
		c->targets = 1;
	}
	model_free(&m);
	return good;
}

static void print_name(struct check *c, const struct vector_row *r)
{
	static const enum vector_column shown[] = { COL_ERA, COL_MODE, COL_ENTRY, COL_RIP };

	fprintf(c->out, "%s", r->cell[COL_ID]);
	/* A # would start a directive. */
	for (size_t i = 0; i < ARRAY_SIZE(shown); i++) {
		const char *s = r->cell[shown[i]];

		fputc(' ', c->out);
		for (; *s; s++)
			if (*s != '#')
				fputc(*s, c->out);
	}
}

/* Try @r on one kernel and mode; what is wrong is added to @why, what cannot be said to @skip. */
static void try_pair(struct check *c, const struct vector_row *r, const struct vector_pair *pair,
		     struct buf *why, struct buf *skip)
{
	struct vector_case vc;
	struct vector_outcome o;
	struct buf text = { 0 };
	enum vector_match m = MATCH_CANNOT;

	if (vector_row_case(r, pair, &vc, &text)) {
		vector_case_run(&vc, &c->impl, &o);
		m = vector_row_match(r, &vc, &o, &text);
	}
	if (m == MATCH_NOT_OK)
		buf_printf(why, "# %s, %s: %s\n", pair->target->name, vsysemu_mode_name(pair->mode),
			   text.data);
	else if (m == MATCH_CANNOT && !skip->len)
		buf_printf(skip, "%s", text.data);
	buf_free(&text);
}

/* One line of TAP. */
static bool try_row(struct check *c, const struct vector_row *r, size_t n)
{
	vector_pairs pairs = { 0 };
	struct buf why = { 0 }, skip = { 0 };
	struct err ignored = { .text = "" };
	size_t tried = 0;

	/* The words were checked when the row was read. */
	vector_row_pairs(r, c->target, c->targets, &pairs, &skip, &ignored);
	for (size_t i = 0; !skip.len && i < pairs.n; i++) {
		if (c->mode >= 0 && pairs.at[i].mode != (enum vsysemu_mode)c->mode)
			continue;
		tried++;
		try_pair(c, r, &pairs.at[i], &why, &skip);
	}
	fprintf(c->out, "%sok %zu - ", why.len ? "not " : "", n);
	print_name(c, r);
	if (!why.len && !skip.len && !tried)
		buf_printf(&skip, "no kernel and mode that is tried is meant by this row");
	if (!why.len && skip.len)
		fprintf(c->out, " # SKIP %s", skip.data);
	fprintf(c->out, "\n%s", why.len ? why.data : "");
	tried = why.len;
	buf_free(&why);
	buf_free(&skip);
	VEC_FREE(&pairs);
	return !tried;
}

static int try_table(void *ctx, struct check_place *at)
{
	struct check *c = ctx;
	bool all = true;

	fprintf(c->out, "TAP version 13\n1..%zu\n", c->table.rows.n);
	for (size_t i = 0; i < c->table.rows.n; i++) {
		if (at) {
			fflush(c->out);
			check_place_set(at, c->table.rows.at[i].cell[COL_ID], i);
		}
		all &= try_row(c, &c->table.rows.at[i], i + 1);
	}
	return all ? 0 : 1;
}

static int try_random(void *ctx, struct check_place *at)
{
	struct check *c = ctx;
	struct check_random r = {
		.out = c->out, .target = c->target, .targets = c->targets, .mode = c->mode,
		.frames = c->frames, .seed = c->o->seed_n, .impl = c->impl, .at = at,
	};

	return check_random(&r);
}

static int run(struct check *c, struct err *e)
{
	const struct options *o = c->o;
	bool random = o->random != NULL;

	if (!find_targets(c, e) || (!random && !read_tables(c, e)))
		return -1;
	if (o->emit)
		return check_emit(&c->table, o->emit, c->out);
	c->impl = (struct vector_impl){ vsysemu_policy_decide, vsysemu_policy_finish };
	if (!o->impl)
		return try_table(c, NULL);
	if (!check_impl_load(&c->impl, o->impl, e))
		return -1;
	return check_impl_guard(o->impl, c->out, random ? try_random : try_table, c, e);
}

/* Options that exclude or need each other. */
static bool is_sound(const struct options *o, struct err *e)
{
	if (o->truth && (o->impl || o->random || o->emit || o->argc))
		return err_set(e, "--truth goes with neither --impl, --random, --emit nor VECTORS");
	if (o->random && !o->impl)
		return err_set(e, "--random compares with an implementation: give --impl=FILE.so");
	if (o->random && (o->argc || o->emit))
		return err_set(e, "--random makes its own frames: give neither VECTORS nor --emit");
	if (o->emit && o->impl)
		return err_set(e, "--emit prints vectors: it takes no --impl");
	return true;
}

static bool read_frames(struct check *c, struct err *e)
{
	const char *s = c->o->random;
	char *end;

	if (!s)
		return true;
	errno = 0;
	c->frames = strtoull(s, &end, 10);
	if (*s < '0' || *s > '9' || *end || errno || !c->frames)
		return err_set(e, "--random: \"%.40s\" is not a number of frames (1 or more)", s);
	return true;
}

static FILE *open_output(const struct options *o, struct err *e)
{
	const char *path = o->output ? o->output : o->quiet_on ? "/dev/null" : "-";
	FILE *f = strcmp(path, "-") ? fopen(path, "w") : stdout;

	if (!f)
		err_set(e, "-o: %s: %s", path, strerror(errno));
	return f;
}

int cli_check(const struct options *o, struct err *e)
{
	struct check c = { .o = o };
	int status = -1;

	if (!is_sound(o, e) || !read_frames(&c, e))
		return -1;
	if (o->truth)
		return check_truth(o, e);
	c.out = open_output(o, e);
	if (!c.out)
		return -1;
	status = run(&c, e);
	if (c.out != stdout && fclose(c.out) && status >= 0)
		status = err_set(e, "%s: cannot be written", o->output) - 1;
	vector_table_free(&c.table);
	return status;
}
