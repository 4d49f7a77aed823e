/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Text for HTML and CSV. */
#ifndef VSYSEMU_CLI_ESCAPE_H
#define VSYSEMU_CLI_ESCAPE_H

#include "base/buf.h"

/* Append @s (NULL: nothing) as text or attribute value of HTML. */
void escape_html(struct buf *out, const char *s);
/* Append @s (NULL: an empty field) as a field of a CSV line, quoted where needed (RFC 4180). */
void escape_csv(struct buf *out, const char *s);

/* Append @s (NULL: nothing) as part of a line for people: control characters as \n, \t, \033. */
void escape_line(struct buf *out, const char *s);
/* Append path @s as a URI reference (RFC 3986): every byte that is not unreserved, "/" or "!" as %XX. */
void escape_uri(struct buf *out, const char *s);

#endif
