/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The report of a run (schema vsysemu.report/1). */
#ifndef VSYSEMU_CLI_REPORT_H
#define VSYSEMU_CLI_REPORT_H

#include "cli/options.h"
#include "kernel/kernel.h"

/* Write the report of the run in @k as @o asks for it: form, file, or none.  False: @e. */
bool report_write(struct kernel *k, const struct options *o, struct err *e);

#endif
