/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The one error type: see err.h. */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

static void fill(struct err *e, int status, const char *fmt, va_list ap)
{
	if (e->text[0])
		return;
	vsnprintf(e->text, sizeof(e->text), fmt, ap);
	for (char *c = e->text; *c; c++)
		if ((unsigned char)*c < 0x20 || *c == 0x7f)
			*c = '?';
	e->status = status;
}

bool err_set(struct err *e, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, 0, fmt, ap);
	va_end(ap);
	return false;
}

bool err_set_status(struct err *e, int status, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	fill(e, status, fmt, ap);
	va_end(ap);
	return false;
}
