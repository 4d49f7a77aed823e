/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The command line: one table of options (options_table.c) that is parsed, checked, printed as help,
 * and turned into the man page's list and the completions.  Values come from the environment twins
 * VSYSEMU_<OPTION> first, then from the command line, which wins.
 */
#ifndef VSYSEMU_CLI_OPTIONS_H
#define VSYSEMU_CLI_OPTIONS_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/types.h"

enum verb {
	VERB_RUN, VERB_COMPARE, VERB_SCAN, VERB_CHECK, VERB_EXPLAIN, VERB_MODELS, VERB_REPRODUCE,
	VERB_CALIBRATE, VERB_COUNT
};

typedef VEC(const char *) string_list;

/* One -E or -U, in the order given: "VAR=VALUE" sets, "VAR" alone unsets. */
struct env_edit {
	const char *text;
	bool unset;
};

/* What was asked for.  Strings are borrowed from argv or the environment; NULL: not given.
 * Flags hold "1" or "0". */
struct options {
	enum verb verb;
	/* model */
	const char *mode, *kernel, *trap, *cpu, *clocksource, *baseline, *mitigations, *audit;
	const char *seccomp, *timens, *accounting, *vdso;
	string_list set;
	/* process */
	string_list setenv, unsetenv, auxv;
	VEC(struct env_edit) env_edits;
	const char *argv0, *sysroot, *cwd;
	/* what is told */
	const char *trace, *strace, *summary, *report, *output, *quiet, *color, *progress;
	/* bounds and determinism */
	const char *epoch, *seed, *max_insns, *timeout, *cpus, *engine_level;
	/* other verbs */
	const char *impl, *random, *emit, *truth, *guest, *column; /* check */
	const char *jobs, *files0_from; /* scan */
	const char *kernels, *each; /* compare */
	const char *rip, *cs, *error_code, *stack, *follow, *nth; /* explain */
	const char *help, *version;

	int argc; /* what is left: PROGRAM and its arguments, or the verb's operands */
	char **argv; /* argv[argc] = NULL; borrowed */

	uint64_t from_twin; /* bit i: row i of the table has its value from the environment */

	/* Converted and checked. */
	bool quiet_on, strace_on, audit_on, progress_on;
	int64_t epoch_ns; /* ns since 1970 */
	uint64_t seed_n, max_insns_n; /* max_insns_n 0: none */
	uint64_t timeout_ns; /* host time; 0: none */
	int64_t timens_mono_ns, timens_boot_ns;
	unsigned cpus_n;
	int engine_level_n; /* -1: best */
};

/* Name of a verb on the command line ("run"), and the inverse (VERB_COUNT: none). */
const char *verb_name(enum verb v);
enum verb verb_find(const char *word);

/* Parse @argv (argv[0] = program) for @verb; fills @o.  False: @e says which option (or variable)
 * and what it takes. */
bool options_parse(struct options *o, enum verb verb, int argc, char **argv, struct err *e);
void options_free(struct options *o);

/* Errors begin with the option that is wrong: where its value came from the environment, name the
 * variable instead. */
void options_blame(const struct options *o, struct err *e);

/* True if environment entry "VAR=VALUE" is one of ours, which the guest does not see. */
/* Is there an operand that is the name of an option, and no file?  Then @e says so.  Not where a program's words
 * follow. */
bool options_misplaced(const struct options *o, struct err *e);
bool options_hides(const char *entry);

/* The help of all verbs (VERB_COUNT) or of one. */
void options_help(FILE *f, enum verb v);
/* For the documentation: the option list in mdoc, or as completion words of @shell. */
void options_mdoc(FILE *f);
bool options_completion(FILE *f, const char *shell);

#endif
