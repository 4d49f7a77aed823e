/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where reports go: a file written whole, standard output or standard error. */
#ifndef VSYSEMU_CLI_OUTPUT_H
#define VSYSEMU_CLI_OUTPUT_H

#include "base/buf.h"
#include "base/err.h"

#include <stdbool.h>

/* Write @b to @path: "-" is standard output, NULL standard error, else a file that is created or
 * replaced.  False: @e names the file and the reason.  A standard error that was closed at start is
 * no error. */
bool output_write(const char *path, const struct buf *b, struct err *e);

/* Can @path, as output_write() takes it, be opened?  The file is made; an old one stays as it is. */
bool output_check(const char *path, struct err *e);

#endif
