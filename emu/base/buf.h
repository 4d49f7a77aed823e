/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A growable run of bytes, also used as a string builder, and a growable array on top of it.
 * Memory that cannot be had ends the program with one line and status 125: there is nothing
 * sensible left to do, and no caller would test for it.
 */
#ifndef VSYSEMU_BASE_BUF_H
#define VSYSEMU_BASE_BUF_H

#include <stddef.h>

struct buf {
	char *data; /* owned; NUL-terminated beyond @len once anything was added */
	size_t len; /* bytes */
	size_t cap; /* bytes allocated */
};

/* Append @n bytes of @p (zeroes if @p is NULL).  Returns the start of the appended bytes. */
void *buf_add(struct buf *b, const void *p, size_t n);
/* Append formatted text. */
void buf_printf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Free the bytes and make @b empty. */
void buf_free(struct buf *b);

/* calloc and strdup that cannot fail (see above). */
void *xcalloc(size_t n, size_t size);
void *xrealloc(void *p, size_t bytes);
char *xstrdup(const char *s);
char *xstrndup(const char *s, size_t n);

/* A growable array: VEC(struct x) v = {0}; VEC_PUSH(&v, item); v.at[i], v.n. */
#define VEC(type)        \
	struct {         \
		type *at; \
		size_t n; \
		size_t cap; \
	}
#define VEC_PUSH(v, item)                                                               \
	do {                                                                            \
		if ((v)->n == (v)->cap) {                                               \
			(v)->cap = (v)->cap ? 2 * (v)->cap : 8;                         \
			(v)->at = xrealloc((v)->at, (v)->cap * sizeof(*(v)->at));       \
		}                                                                       \
		(v)->at[(v)->n++] = (item);                                             \
	} while (0)
#define VEC_FREE(v)                      \
	do {                             \
		free((v)->at);           \
		(v)->at = NULL;          \
		(v)->n = (v)->cap = 0;   \
	} while (0)

#endif
