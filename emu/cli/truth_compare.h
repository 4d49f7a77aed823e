/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Two answers of one probe, compared: what is noise, what belongs to the build behind a table, what
 * an emulated processor got wrong.  The rules are those of tests/truth/README.md.  Pure.
 */
#ifndef VSYSEMU_CLI_TRUTH_COMPARE_H
#define VSYSEMU_CLI_TRUTH_COMPARE_H

#include "base/types.h"

/* What is known about the kernel that gave the answers. */
struct truth_rules {
	/* E0: the page holds compiled code, of which only outcome, signal, code, trapno, err and
	 * written memory carry over to another build. */
	bool compiled_page;
	/* The table's 4.10 was built without seccomp, process_vm_readv and madvise. */
	bool reduced_build;
};

enum truth_verdict { TRUTH_SAME, TRUTH_DIFFERS, TRUTH_SKIP };

/* Compare @want with @got for probe @id.  @why: NULL, or what differs, or the reason of a skip
 * (static text). */
enum truth_verdict truth_compare(const struct truth_rules *r, const char *id, const char *want,
				 const char *got, const char **why);

#endif
