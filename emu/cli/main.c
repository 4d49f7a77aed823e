/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The program: choose the verb, parse, call it, print the one line of a host error. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/stdfd.h"
#include "cli/options.h"
#include "cli/run.h"
#include "cli/verbs.h"

/* Status of wrong use and trouble: 2 for the verbs that are used like grep, else 125. */
static int trouble_status(enum verb v)
{
	return v == VERB_SCAN || v == VERB_CHECK ? 2 : 125;
}

typedef int verb_main(const struct options *o, struct err *e);

static verb_main *const verb_mains[VERB_COUNT] = {
	[VERB_RUN] = cli_run,
	[VERB_COMPARE] = cli_compare,
	[VERB_SCAN] = cli_scan,
	[VERB_CHECK] = cli_check,
	[VERB_EXPLAIN] = cli_explain,
	[VERB_MODELS] = cli_models,
	[VERB_REPRODUCE] = cli_reproduce,
	[VERB_CALIBRATE] = cli_calibrate,
};

/* Standard output that cannot be written (a full disk) is trouble, not success. */
static int close_stdout(int status, enum verb v)
{
	if (fflush(stdout) || ferror(stdout)) {
		fputs("vsysemu: cannot write to standard output\n", stderr);
		return trouble_status(v);
	}
	return status;
}

int main(int argc, char **argv)
{
	enum verb v = argc > 1 ? verb_find(argv[1]) : VERB_COUNT;
	bool named = v != VERB_COUNT;
	struct options o;
	struct err e = { .text = "" };
	int status = -1;

	run_layout();
	stdfd_hold();
	if (!named)
		v = VERB_RUN;
	if (options_parse(&o, v, argc - named, argv + named, &e)) {
		if (o.version) {
			puts("vsysemu " VSYSEMU_VERSION);
			return close_stdout(0, v);
		}
		if (o.help) {
			options_help(stdout, named ? v : VERB_COUNT);
			return close_stdout(0, v);
		}
		if (!options_misplaced(&o, &e))
			status = verb_mains[v] ? verb_mains[v](&o, &e)
					       : !err_set(&e, "%s is not there yet", verb_name(v));
	}
	if (e.text[0]) {
		options_blame(&o, &e);
		fprintf(stderr, "vsysemu: %s\n", e.text);
		status = e.status ? e.status : trouble_status(v);
	}
	options_free(&o);
	return v == VERB_RUN ? status : close_stdout(status, v);
}
