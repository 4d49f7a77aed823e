/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What happened and what it cost.  A flat struct without pointers, so that it can lie in memory that a
 * tree of processes shares, each with one of its own, summed at the end.  It counts events; what an
 * event costs under another policy is computed from the counts, so one run prices every policy.
 */
#ifndef VSYSEMU_RUN_ACCOUNT_H
#define VSYSEMU_RUN_ACCOUNT_H

#include "base/types.h"
#include "facts/cost.h"
#include "facts/model.h"

struct account_counts {
	uint64_t instructions, syscalls, vsyscalls, vdso, signals, page_faults, processes, threads;
};

struct account_call {
	uint64_t count, cycles16, errors;
};

enum account_flag {
	ACCOUNT_READ_CLOCK = 1, /* the program read a clock: other policies are projections */
	ACCOUNT_READ_PAGE = 2, /* it read (or tried to read) the page, or its maps line */
	ACCOUNT_WRONG_OFFSET = 4, /* it jumped into the page beside the entries */
	ACCOUNT_REFUSED = 16, /* an arrival ended in a signal under the policy that ran */
	ACCOUNT_PAGE_WRITE = 32, /* it tried to write the page */
	ACCOUNT_BODY_FAULT = 64 /* a body met a bad pointer or stack */
};

/* How the process ended; kept apart from those of the others by account_merge(). */
enum account_end { ACCOUNT_END_NONE, ACCOUNT_END_EXIT, ACCOUNT_END_SIGNAL, ACCOUNT_END_LIMIT };
struct account_outcome {
	enum account_end kind; /* NONE: it still runs */
	int status; /* exit status or signal number */
	char reason[32]; /* as struct outcome has it; "": none */
	gaddr rip, caller; /* caller 0: no vsyscall killed it */
};

/* Time calls over virtual time: bucket i holds those that began in [i, i + 1) << shift ns since the
 * start; the buckets widen as the run grows. */
#define ACCOUNT_BUCKETS 128u
struct account_history {
	uint32_t shift;
	uint64_t count[PATH_COUNT][ACCOUNT_BUCKETS];
};
#define ACCOUNT_SHIFT_FIRST 10u

#define ACCOUNT_SYSCALLS 512
#define ACCOUNT_WARNINGS 16

struct account {
	struct account_counts counts;
	uint64_t event[COST_EVENT_COUNT];
	uint64_t block_cycles16; /* instructions of the program: user, the same under every policy */
	uint64_t branch_cycles16; /* of them, mispredicted branches */
	/* Prices that belong to no event: system work in proportion (bytes copied ...). */
	uint64_t extra_user16, extra_system16;
	/* Charged so far under the policy that runs, all of the above. */
	uint64_t user_cycles16, system_cycles16;
	struct account_call call[CALL_COUNT][PATH_COUNT];
	uint32_t flags; /* enum account_flag */
	uint64_t unknown_syscall[ACCOUNT_SYSCALLS / 64]; /* bit n: number n was asked for, not known */
	char warning[ACCOUNT_WARNINGS][160]; /* said once each */
	struct account_outcome outcome;
	struct account_history history;
};

void account_init(struct account *a);

/* Count @ev and charge its price under the active policy of @m; what was charged, so that the
 * caller can move the clock. */
struct cost account_event(struct account *a, const struct model *m, enum cost_event ev);
/* @user16, @system16 belong to no event. */
void account_extra(struct account *a, uint64_t user16, uint64_t system16);
/* Instructions run: @insns of them priced at @cycles16, and @missed16 for their mispredicted branches
 * (differences, not totals). */
void account_blocks(struct account *a, uint64_t insns, uint64_t cycles16, uint64_t missed16);

/* What became of an arrival: the call was carried out, seccomp answered in its place, it ends in a signal. */
enum account_arrival { ARRIVAL_DONE, ARRIVAL_SKIPPED, ARRIVAL_REFUSED };
/* An arrival at entry @entry (0..2) of the page.  @error: the call failed. */
struct cost account_vsyscall(struct account *a, const struct model *m, unsigned entry, enum account_arrival how,
			     bool error);
/* A fetch from the page beside the entries. */
struct cost account_stray(struct account *a, const struct model *m);
/* A refused access of the page's bytes: LASS makes it the trap of a call, else it is an exception. */
struct cost account_access(struct account *a, const struct model *m);
/* A call of the vDSO function for @c (CALL_COUNT: one that is no time call, getrandom). */
struct cost account_vdso(struct account *a, const struct model *m, enum time_call c,
			 int64_t clock_id);
/* SYSCALL number @nr was executed.  @from_page: by native code or a stub of the page, whose arrival
 * paid for it: counted, not charged. */
struct cost account_syscall(struct account *a, const struct model *m, unsigned nr, uint64_t arg0,
			    bool from_page);
/* Its result, known later: errors are counted by call and path (@p: how the program called it). */
void account_result(struct account *a, enum call_path p, enum time_call c, int64_t result);

/* @n calls by @p began at @ns since the start of the run. */
void account_history(struct account *a, enum call_path p, uint64_t ns, uint64_t n);

void account_flag(struct account *a, enum account_flag f);
void account_unknown_syscall(struct account *a, unsigned nr);
/* Keep @fmt once; more than ACCOUNT_WARNINGS different ones are dropped. */
void account_warn(struct account *a, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Add @from (a finished process) to @to. */
void account_merge(struct account *to, const struct account *from);

/* What the arrivals at the page cost of that, in 1/16 core cycles; without filters and signals. */
uint64_t account_price_page(const struct account *a, const struct model *m, unsigned policy);
/* Totals under policy @policy of @m, in 1/16 core cycles. */
void account_price(const struct account *a, const struct model *m, unsigned policy,
		   uint64_t *user16, uint64_t *system16);

#endif
