/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The rows of the option table, shared by the parser and the documentation. */
#ifndef VSYSEMU_CLI_OPTIONS_TABLE_H
#define VSYSEMU_CLI_OPTIONS_TABLE_H

#include "cli/options.h"

enum opt_kind {
	OPT_FLAG, /* --x; twin 0 or 1 */
	OPT_VALUE, /* --x=V or --x V */
	OPT_MAYBE, /* --x or --x=V */
	OPT_LIST /* --x=V, repeatable; twin one a line */
};

#define VERB_BIT(v) (1u << (v))

struct option_row {
	const char *name; /* without -- */
	char letter; /* 0: none */
	enum opt_kind kind;
	size_t offset; /* of the field in struct options: const char * or string_list */
	unsigned verbs; /* VERB_BIT()s that take it */
	const char *takes; /* "a|b|c" is checked as a choice when @choice */
	bool choice;
	const char *help;
};

extern const struct option_row option_rows[];
extern const size_t option_rows_n;

struct verb_row {
	const char *name, *args, *help;
};
extern const struct verb_row verb_rows[VERB_COUNT];

#endif
