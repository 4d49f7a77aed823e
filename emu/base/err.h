/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The one type of host-side errors: filled once where the trouble is seen, carried up, printed
 * by the cli alone as "vsysemu: TEXT".  The text says what, where and which rule, in one line.
 * Guest errors are negative errno values or signals and never travel in here.
 */
#ifndef VSYSEMU_BASE_ERR_H
#define VSYSEMU_BASE_ERR_H

#include <stdbool.h>

struct err {
	char text[1024]; /* one line without newline; empty: no error */
	int status; /* exit status asked for (125, 126, 127, 2); 0: the verb's default */
};

/* Fill @e (printf style; control characters in the result become '?').  Always false, so that a
 * function can `return err_set(e, ...)`.  A second call on a filled @e keeps the first text. */
bool err_set(struct err *e, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same, and asks for exit status @status. */
bool err_set_status(struct err *e, int status, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

#endif
