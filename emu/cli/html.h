/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What all pages share: a self-contained HTML document, its colours in light, in the dark and on paper,
 * tables that a narrow window can scroll.  Every colour of text has a contrast of 4.5 or more.
 */
#ifndef VSYSEMU_CLI_HTML_H
#define VSYSEMU_CLI_HTML_H

#include "base/buf.h"

/* Colours for parts of a drawing: classes c0 to c15 (background), f0 to f15 (fill). */
#define HTML_COLOURS 16u

/* The document up to its first heading.  @title: text; @style: rules of this page alone, or NULL. */
void html_begin(struct buf *out, const char *title, const char *style);
void html_end(struct buf *out);

/* A table in a box of its own; the page closes it with html_table_end().  @head: markup of the header's cells. */
void html_table(struct buf *out, const char *head);
void html_table_end(struct buf *out);

/* A real as the JSON of the same report has it: six significant digits, with a point. */
void html_real(struct buf *out, double v);

#endif
