/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a report says, computed once; the writers only print it. */
#ifndef VSYSEMU_CLI_REPORT_FACTS_H
#define VSYSEMU_CLI_REPORT_FACTS_H

#include <sys/types.h>

#include "facts/image.h"
#include "kernel/kernel.h"
#include "run/account.h"
#include "run/sites.h"

struct report_policy {
	const char *mode, *kernel, *outcome, *why; /* outcome: runs, breaks, unknown */
	const char *where; /* the call that breaks it: "main+0x1c (./prog)"; NULL: none, or not known */
	uint64_t user_ns, system_ns;
	uint64_t vsyscall_ns; /* of both: spent by calls of the page */
	double slowdown, slowdown_user; /* against the baseline; 0: cannot be told */
	double slowdown_rest; /* of all but the calls of the page: what is not their fault */
	bool active, baseline;
	int status; /* exit status of a run of its own; -1: projected from another */
};

struct report_frame {
	gaddr address;
	bool interrupted; /* by a signal: no return address */
	struct image_place place;
};

/* Calls through one chain of callers; frame[0] is the site. */
struct report_stack {
	uint64_t count, cycles16, refused, skipped;
	unsigned depth;
	struct report_frame frame[CALLERS_MAX];
};

struct report_site {
	gaddr address;
	const char *symbol, *object, *file, *entry;
	int line;
	unsigned entry_nr;
	uint64_t count, cycles;
	VEC(struct report_stack) stack; /* most calls first */
};

/* "time+0x12"; "?" without a symbol. */
void report_frame_name(const struct report_frame *f, struct buf *out);

struct report_process {
	const struct account *account;
	pid_t pid;
	const char *kind, *signal, *reason; /* kind: exit, signal, limit, running; NULL: none */
	int status; /* as a shell has it: 128 + signal */
	char signal_text[32];
};

struct report {
	struct kernel *k;
	const struct account *total;
	char *const *argv; /* of the command line */
	const char *kind, *libc;
	struct image_place caller; /* of a vsyscall that killed the program */
	struct report_frame death[CALLERS_MAX]; /* where a signal ended the program, its callers behind */
	unsigned deaths;
	uint64_t user_ns, system_ns, elapsed_ns;
	struct report_policy policy[MODEL_POLICIES_MAX];
	unsigned policies;
	VEC(struct report_site) site; /* most calls first */
	VEC(struct report_process) process; /* in order of creation, the first is the program */
	VEC(char *) warning; /* owned */
	/* Private: what the strings live in. */
	struct images *images;
	VEC(struct image_map) map;
	char libc_text[64];
	char *first_call, *last_call; /* places; owned */
};

void report_facts(struct report *r, struct kernel *k);
void report_facts_free(struct report *r);
/* Fills ->death; report_facts() calls it. */
void report_find_death(struct report *r);

/* What an outcome's reason means, and what helps; NULL: nothing to say. */
const char *report_meaning(const char *reason);
const char *report_advice(const char *reason);

/* "SIGSEGV"; "SIGRTMIN+n" for real-time signals. */
const char *report_signal_name(int signo, char buf[32]);

#endif
