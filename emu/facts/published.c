/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of published measurements: see published.h. */
#include "facts/published.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 10, FILE_BYTES_MAX = 1 << 20 };

/* Read a file whole; NULL: cannot be read, or is too large to be one of ours. */
static char *slurp(const char *path)
{
	FILE *f = fopen(path, "re");
	struct buf b = { 0 };
	char piece[4096];
	size_t n;

	if (!f)
		return NULL;
	while ((n = fread(piece, 1, sizeof(piece), f)) > 0 && b.len < FILE_BYTES_MAX)
		buf_add(&b, piece, n);
	if (ferror(f) || b.len >= FILE_BYTES_MAX)
		buf_free(&b);
	fclose(f);
	return b.data;
}

static bool add_line(struct published *p, char *line, const char *path, unsigned number, struct err *e)
{
	const char *c[COLUMNS];
	unsigned n = 0;
	char *end;

	for (char *next = line, *field; n < COLUMNS && (field = strsep(&next, "\t")); n++) {
		c[n] = strcmp(field, "-") ? field : "";
		if (n == COLUMNS - 1 && next)
			n = COLUMNS;
	}
	if (n != COLUMNS)
		return err_set(e, "%s:%u: a row has %d columns", path, number, COLUMNS);
	struct published_row r = { .table = c[0], .row = c[1], .options = c[2], .guest = c[3],
				   .published_text = c[4], .unit = c[5], .take = c[6],
				   .fitted = !strcmp(c[7], "1"), .source = c[8], .note = c[9] };
	r.published = strtod(c[4], &end);
	if (end == c[4] || *end || !(r.published > 0))
		return err_set(e, "%s:%u: '%s' is not a number above 0", path, number, c[4]);
	VEC_PUSH(&p->row, r);
	return true;
}

static bool load_file(struct published *p, const char *path, struct err *e)
{
	char *text = slurp(path), *next = text;
	unsigned number = 0;
	bool header = false;

	if (!text)
		return err_set(e, "%s: cannot be read", path);
	VEC_PUSH(&p->text, text);
	for (char *line; (line = strsep(&next, "\n"));) {
		number++;
		if (!*line || *line == '#')
			continue;
		if (header && !add_line(p, line, path, number, e))
			return false;
		header = true;
	}
	return true;
}

bool published_load(struct published *p, const char *dir, struct err *e)
{
	struct buf pattern = { 0 };
	glob_t g = { 0 };
	bool good = true;

	*p = (struct published){ 0 };
	buf_printf(&pattern, "%s/published/seed*.tsv", dir);
	if (glob(pattern.data, 0, NULL, &g))
		good = err_set(e, "%s: no such files", pattern.data);
	for (size_t i = 0; good && i < g.gl_pathc; i++)
		good = load_file(p, g.gl_pathv[i], e);
	globfree(&g);
	buf_free(&pattern);
	return good;
}

void published_free(struct published *p)
{
	for (size_t i = 0; i < p->text.n; i++)
		free(p->text.at[i]);
	VEC_FREE(&p->text);
	VEC_FREE(&p->row);
}

/* How often @stage stands in @stages, parts ("NAME*0.9") counted as such. */
static double part(const char *stages, const char *stage)
{
	size_t n = strlen(stage);
	double sum = 0;

	for (const char *s = stages; *s; s += strcspn(s, "+"), s += *s == '+')
		if (strcspn(s, "+*") == n && !memcmp(s, stage, n))
			sum += s[n] == '*' ? strtod(s + n + 1, NULL) : 1;
	return sum;
}

double published_share(const struct cost_profile *x, double total_cycles, const char *stages)
{
	double sum = part(stages, "user") * (total_cycles - x->total16 / 16.0);

	for (unsigned i = 0; i < x->n; i++)
		sum += part(stages, x->line[i].stage) * x->line[i].cycles16 / 16.0;
	return 100 * sum / total_cycles;
}
