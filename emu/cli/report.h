/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run (schema vsysemu.report/1). */
#ifndef VSYSEMU_CLI_REPORT_H
#define VSYSEMU_CLI_REPORT_H

#include "cli/options.h"
#include "kernel/kernel.h"

/* Before the program runs: has a run the form that is asked for, and can its file be written (it is made,
 * an old one is left as it is)?  False: @e, status 125. */
bool report_check(const struct options *o, struct err *e);

/* Write the report of the run in @k as @o asks for it: form, file, or none; report_check() was true.  False: @e. */
bool report_write(struct kernel *k, const struct options *o, struct err *e);

#endif
