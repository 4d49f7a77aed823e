/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of the verb compare: what the runs gave, and how it is told. */
#ifndef VSYSEMU_CLI_COMPARE_H
#define VSYSEMU_CLI_COMPARE_H

#include "cli/options.h"
#include "run/account.h"

#define COMPARE_ROWS 128u
#define COMPARE_WARNINGS 16u

/* Results of the runs; each is a process of its own, because a process has one engine. */
struct compare {
	struct compare_row {
		char mode[16], kernel[48], outcome[16], why[64], where[256];
		uint64_t user_ns, system_ns, vsyscall_ns;
		double slowdown, slowdown_user, slowdown_rest;
		bool active, baseline, filled;
		int status;
	} row[COMPARE_ROWS];
	unsigned n, runs;
	off_t input; /* where standard input stood, -1: it cannot go back */
	char warning[COMPARE_WARNINGS][320]; /* of the first run, whose output is seen */
	struct account total;
	char error[1024];
	int error_status;
};

/* The table in the form that @o asks for, to where it goes. */
bool compare_write(const struct options *o, struct compare *s, struct err *e);

#endif
