/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vectors for other projects: see check_emit.h. */
#include "cli/check_emit.h"

#include <string.h>

#include "cli/json.h"

static void emit_json(const struct vector_table *t, struct buf *b)
{
	struct json *root = json_new_object(), *rows;

	json_put_string(root, "schema", "vsysemu.vectors/1");
	rows = json_put(root, "vectors", json_new_array());
	for (size_t i = 0; i < t->rows.n; i++) {
		struct json *o = json_add(rows, json_new_object());

		for (int c = 0; c < COL_COUNT; c++) {
			const char *s = t->rows.at[i].cell[c];

			json_put_string(o, vector_column_name((enum vector_column)c),
					strcmp(s, "-") ? s : NULL);
		}
	}
	json_text(root, 1, 17, b);
	buf_printf(b, "\n");
	json_drop(root);
}

int check_emit(const struct vector_table *t, const char *form, FILE *out)
{
	struct buf b = { 0 };

	if (!strcmp(form, "json")) {
		emit_json(t, &b);
	} else {
		vector_header_tsv(&b);
		buf_printf(&b, "\n");
		for (size_t i = 0; i < t->rows.n; i++) {
			vector_row_tsv(&t->rows.at[i], &b);
			buf_printf(&b, "\n");
		}
	}
	fwrite(b.data, 1, b.len, out);
	buf_free(&b);
	return 0;
}
