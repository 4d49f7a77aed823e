/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `check --emit`: the vectors as a table of tabs or as JSON. */
#ifndef VSYSEMU_CLI_CHECK_EMIT_H
#define VSYSEMU_CLI_CHECK_EMIT_H

#include <stdio.h>

#include "facts/vectors.h"

/* @form: "json", else tabs.  Returns 0. */
int check_emit(const struct vector_table *t, const char *form, FILE *out);

#endif
