/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for HTML and CSV: see escape.h. */
#include "cli/escape.h"

#include <string.h>

void escape_html(struct buf *out, const char *s)
{
	for (; s && *s; s++) {
		const char *e = *s == '<' ? "&lt;" : *s == '>' ? "&gt;" : *s == '&' ? "&amp;" : *s == '"' ? "&quot;" : NULL;

		if (e)
			buf_add(out, e, strlen(e));
		else
			buf_add(out, s, 1);
	}
}

void escape_csv(struct buf *out, const char *s)
{
	if (!s)
		return;
	if (!strpbrk(s, ",\"\r\n")) {
		buf_add(out, s, strlen(s));
		return;
	}
	buf_add(out, "\"", 1);
	for (; *s; s++) {
		if (*s == '"')
			buf_add(out, "\"", 1);
		buf_add(out, s, 1);
	}
	buf_add(out, "\"", 1);
}

void escape_line(struct buf *out, const char *s)
{
	for (; s && *s; s++) {
		unsigned char c = (unsigned char)*s;

		if (c >= 0x20 && c != 0x7f)
			buf_add(out, s, 1);
		else if (c == '\n' || c == '\t')
			buf_printf(out, "\\%c", c == '\n' ? 'n' : 't');
		else
			buf_printf(out, "\\%03o", c);
	}
}

void escape_uri(struct buf *out, const char *s)
{
	for (; s && *s; s++) {
		unsigned char c = (unsigned char)*s;

		if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || strchr("-._~/!", c))
			buf_add(out, s, 1);
		else
			buf_printf(out, "%%%02X", c);
	}
}
