/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Growable bytes and allocation that cannot fail: see buf.h. */
#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *p)
{
	if (!p) {
		fputs("vsysemu: out of memory\n", stderr);
		exit(125);
	}
	return p;
}

void *xcalloc(size_t n, size_t size)
{
	return checked(calloc(n ? n : 1, size ? size : 1));
}

void *xrealloc(void *p, size_t bytes)
{
	return checked(realloc(p, bytes ? bytes : 1));
}

char *xstrdup(const char *s)
{
	return checked(strdup(s));
}

char *xstrndup(const char *s, size_t n)
{
	return checked(strndup(s, n));
}

static void reserve(struct buf *b, size_t n)
{
	if (b->len + n + 1 <= b->cap)
		return;
	while (b->cap < b->len + n + 1)
		b->cap = b->cap ? 2 * b->cap : 64;
	b->data = xrealloc(b->data, b->cap);
}

void *buf_add(struct buf *b, const void *p, size_t n)
{
	char *start;

	reserve(b, n);
	start = b->data + b->len;
	if (p)
		memcpy(start, p, n);
	else
		memset(start, 0, n);
	b->len += n;
	b->data[b->len] = 0;
	return start;
}

void buf_printf(struct buf *b, const char *fmt, ...)
{
	va_list ap;
	char none[1];
	int n;

	va_start(ap, fmt);
	n = vsnprintf(none, 0, fmt, ap);
	va_end(ap);
	if (n < 0)
		return;
	reserve(b, (size_t)n);
	va_start(ap, fmt);
	vsnprintf(b->data + b->len, (size_t)n + 1, fmt, ap);
	va_end(ap);
	b->len += (size_t)n;
}

void buf_free(struct buf *b)
{
	free(b->data);
	memset(b, 0, sizeof(*b));
}
