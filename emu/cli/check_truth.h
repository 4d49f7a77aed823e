/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `check --truth`: lines `id<TAB>answer`, from a real kernel or from another emulator, against what
 * the profile predicts.  The prediction is the conformance guest's own line under that profile.
 */
#ifndef VSYSEMU_CLI_CHECK_TRUTH_H
#define VSYSEMU_CLI_CHECK_TRUTH_H

#include "base/err.h"
#include "cli/options.h"

/* Reads o->truth (of a table with a header line: the column o->column), runs o->guest (NULL: the
 * one beside the program) under o->kernel, o->mode and what else chooses the model, prints TAP 13
 * to stdout.  0: all hold, 1: some do not; -1: @e is filled. */
int check_truth(const struct options *o, struct err *e);

#endif
