/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The table as text: a header line with the names of the columns in any order, then one row a line,
 * cells between tabs.  Empty lines and lines that start with # are passed over.
 */
#include <stdlib.h>
#include <string.h>

#include "facts/vectors.h"

static const char *const column_names[COL_COUNT] = {
	"id", "era", "mode", "entry", "cs", "pf_err_hw", "rip", "stack", "args", "seccomp",
	"outcome", "nr", "rax", "rip_after", "rsp_delta", "signal", "si_code", "si_addr",
	"sc_trapno", "sc_err", "sc_cr2", "log", "confidence", "evidence", "note",
};

const char *vector_column_name(enum vector_column c)
{
	return (unsigned)c < COL_COUNT ? column_names[c] : NULL;
}

/* Where the reader stands. */
struct reader {
	struct vector_table *t;
	const char *file;
	unsigned line;
	bool header; /* seen */
	enum vector_column order[COL_COUNT];
};

/* The evidence of a row may be missing in tables of others. */
static bool is_optional(enum vector_column c)
{
	return c >= COL_CONFIDENCE;
}

static int find_column(const char *name)
{
	for (int c = 0; c < COL_COUNT; c++)
		if (!strcmp(column_names[c], name))
			return c;
	return -1;
}

static size_t split(char *line, char *cells[COL_COUNT + 1])
{
	size_t n = 0;

	for (char *p = line; p && n <= COL_COUNT;) {
		char *tab = strchr(p, '\t');

		cells[n++] = p;
		if (tab)
			*tab++ = 0;
		p = tab;
	}
	return n;
}

static bool read_header(struct reader *r, char *line, size_t *columns, struct err *e)
{
	char *cells[COL_COUNT + 1];
	size_t n = split(line, cells);
	bool seen[COL_COUNT] = { false };

	for (size_t i = 0; i < n; i++) {
		int c = find_column(cells[i]);

		if (c < 0 || seen[c])
			return err_set(e, "%s:%u: column %zu: \"%.40s\" %s", r->file, r->line, i + 1,
				       cells[i], c < 0 ? "is no column of vectors" : "comes twice");
		seen[c] = true;
		r->order[i] = (enum vector_column)c;
	}
	for (int c = 0; c < COL_COUNT; c++)
		if (!seen[c] && !is_optional((enum vector_column)c))
			return err_set(e, "%s:%u: column %s: missing in the header line", r->file, r->line,
				       column_names[c]);
	r->header = true;
	*columns = n;
	return true;
}

static bool read_row(struct reader *r, char *line, size_t columns, struct err *e)
{
	static const char none[] = "-";
	char *cells[COL_COUNT + 1];
	size_t n = split(line, cells);
	struct vector_row row = { .line = r->line };
	struct err inner = { .text = "" };

	if (n != columns)
		return err_set(e, "%s:%u: column %zu: a row has %zu cells between tabs, this one has %s%zu",
			       r->file, r->line, n < columns ? n : columns, columns,
			       n > COL_COUNT ? "at least " : "", n);
	for (int c = 0; c < COL_COUNT; c++)
		row.cell[c] = (char *)(uintptr_t)none;
	for (size_t i = 0; i < n; i++) {
		if (!cells[i][0])
			return err_set(e, "%s:%u: column %s: a cell may not be empty (write -)", r->file,
				       r->line, column_names[r->order[i]]);
		row.cell[r->order[i]] = cells[i];
	}
	if (!vector_row_check(&row, &inner))
		return err_set(e, "%s:%u: %s", r->file, r->line, inner.text);
	VEC_PUSH(&r->t->rows, row);
	return true;
}

bool vector_table_read(struct vector_table *t, const char *file, const char *text, size_t n,
		       struct err *e)
{
	struct reader r = { .t = t, .file = file };
	char *copy = xstrndup(text, n), *next;
	size_t columns = 0;

	VEC_PUSH(&t->texts, copy);
	if (memchr(text, 0, n)) {
		unsigned line = 1;

		for (const char *p = text; *p; p++)
			line += *p == '\n';
		return err_set(e, "%s:%u: column %s: a NUL byte is not text", file, line, column_names[0]);
	}
	for (char *line = copy; line && *line; line = next) {
		size_t len = strcspn(line, "\n");

		next = line[len] ? line + len + 1 : NULL;
		line[len] = 0;
		if (len && line[len - 1] == '\r')
			line[len - 1] = 0;
		r.line++;
		if (!line[0] || line[0] == '#')
			continue;
		if (!(r.header ? read_row(&r, line, columns, e) : read_header(&r, line, &columns, e)))
			return false;
	}
	if (!r.header)
		return err_set(e, "%s:%u: column %s: no header line", file, r.line ? r.line : 1,
			       column_names[0]);
	return true;
}

void vector_table_free(struct vector_table *t)
{
	for (size_t i = 0; i < t->texts.n; i++)
		free(t->texts.at[i]);
	VEC_FREE(&t->texts);
	VEC_FREE(&t->rows);
}

void vector_header_tsv(struct buf *out)
{
	for (int c = 0; c < COL_COUNT; c++)
		buf_printf(out, "%s%s", c ? "\t" : "", column_names[c]);
}

void vector_row_tsv(const struct vector_row *r, struct buf *out)
{
	for (int c = 0; c < COL_COUNT; c++)
		buf_printf(out, "%s%s", c ? "\t" : "", r->cell[c]);
}
