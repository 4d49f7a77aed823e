/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verbs.  Each takes the parsed options (operands in o->argc, o->argv) and returns the exit
 * status, or fills @e (then main() prints it and exits with e->status or the verb's trouble status).
 */
#ifndef VSYSEMU_CLI_VERBS_H
#define VSYSEMU_CLI_VERBS_H

#include "base/err.h"
#include "cli/options.h"

int cli_run(const struct options *o, struct err *e);
int cli_compare(const struct options *o, struct err *e);
int cli_scan(const struct options *o, struct err *e);
int cli_check(const struct options *o, struct err *e);
int cli_explain(const struct options *o, struct err *e);
int cli_models(const struct options *o, struct err *e);
int cli_reproduce(const struct options *o, struct err *e);
int cli_calibrate(const struct options *o, struct err *e);

#endif
