/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One arrival at the vsyscall page as a list of steps: what the program did, how the processor went
 * into the kernel, each check with what it looked at, the body, and the way back; each step with the
 * priced stages that belong to it.  Pure: the decision core and the prices are asked, nothing is run.
 */
#ifndef VSYSEMU_FACTS_EXPLAIN_H
#define VSYSEMU_FACTS_EXPLAIN_H

#include "base/buf.h"
#include "base/types.h"
#include "facts/cost.h"
#include "facts/model.h"
#include "facts/policy.h"

enum explain_part {
	PART_CALLER, /* the program's instructions */
	PART_PAGE, /* code in the page */
	PART_TRAP, /* translation, gate, saved frame, handler */
	PART_CHECK, PART_SECCOMP, PART_BODY, PART_EDIT, PART_RETURN, PART_SIGNAL,
	PART_COUNT
};
const char *explain_part_name(enum explain_part p);

/* A priced stage. */
struct explain_stage {
	const char *stage, *meaning; /* static */
	char symbol[40]; /* what a profiler shows on that kernel */
	enum cost_where where;
	unsigned times;
	uint32_t cycles16; /* of all repetitions */
	enum provenance provenance;
	const char *source; /* of the number; borrowed from the model; "" if none is given */
};

struct explain_step {
	enum explain_part part;
	char *title; /* one line; owned */
	char *text; /* lines; owned */
	const char *truth; /* where Linux or the processor's manual says so; static */
	bool kernel; /* the processor is in kernel mode at its end */
	bool last_word; /* a check that ended the decision */
	uint64_t rip, rsp, rax; /* of the program, at its end */
	VEC(struct explain_stage) stages;
	uint32_t cycles16, total16; /* of the stages; up to and with this step */
};

/* What is to be explained. */
struct explain_ask {
	const struct model *m;
	unsigned policy; /* index of m->policy */
	int nr; /* 0 gettimeofday, 1 time, 2 getcpu */
	bool rip_set, code_set;
	uint64_t rip; /* where control goes; else the entry of nr */
	uint32_t error_code; /* hardware's; else what the page tables give */
	uint16_t cs;
	bool bad_stack;
	enum vsysemu_seccomp_mode seccomp;
	uint32_t seccomp_ret; /* the filter's answer */
	/* Of a call that was seen in a run; NULL: a made-up one. */
	const struct explain_seen *seen;
};

/* A call as a run showed it; strings borrowed. */
struct explain_seen {
	unsigned nth;
	int pid, tid; /* as the program knows them */
	const char *line; /* of the trace */
	const char *code; /* the instructions before the return address, or "" */
	const char *where; /* function, offset and file of the return address, or "" */
	uint64_t caller, rsp; /* return address; the stack pointer when the page was entered */
	uint64_t args[2];
	bool refused; /* it ended in a signal */
	bool result_known;
	int64_t result;
	uint32_t cycles16; /* what the run charged for the arrival; a filter and a signal cost extra */
};
/* The last instructions of the @n bytes of code at @at, as lines.  Where decoding from @at does not end with them,
 * the longest call that does; "" if there is none.  Owned by the caller. */
char *explain_code_lines(const uint8_t *code, size_t n, uint64_t at);

struct explanation {
	VEC(struct explain_step) steps;
	uint32_t total16;
	struct cost cost; /* the same, split by who pays */
	struct vsysemu_frame frame; /* the trap; vector 0: there was none */
	struct vsysemu_verdict verdict;
	char outcome[160]; /* one line */
};

/* Explain @a; free with explain_free(). */
void explain(const struct explain_ask *a, struct explanation *x);
void explain_free(struct explanation *x);

/* ---- between the files of explain ---- */

struct explain_walk {
	const struct explain_ask *a;
	const struct model_policy *p;
	const struct vsysemu_profile *rules;
	struct explanation *x;
	struct cost_profile cost[4]; /* what is still to be given to steps */
	unsigned costs;
	bool filtered; /* the filter was asked */
	bool fetch; /* no access of the page's bytes */
	uint64_t target; /* where control goes */
	uint64_t rip, rsp, rax; /* of the program as they stand */
	bool kernel;
};

#define EXPLAIN_CALLER 0x401232ull /* the return address of a made-up call */
#define EXPLAIN_STACK 0x7ffd5a0ff0d8ull /* rsp when the page is entered */
#define EXPLAIN_BUFFER 0x7ffd5a0ff0f0ull
#define EXPLAIN_BAD_STACK 0x10000ull

/* The return address; the stack pointer at the entry; result of the body. */
uint64_t explain_caller_of(const struct explain_ask *a);
uint64_t explain_rsp_of(const struct explain_ask *a);
int64_t explain_result(const struct explain_ask *a, int nr);

/* Begin a step; the caller adds to ->text with explain_say(). */
struct explain_step *explain_step(struct explain_walk *w, enum explain_part part, const char *truth,
				  const char *title, ...) __attribute__((format(printf, 4, 5)));
void explain_say(struct explain_step *s, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Give the step the stages of @where that are still to be given and whose names are in @names (words
 * between blanks; a leading * matches any beginning; !NAME: all but that; NULL: all). */
void explain_charge(struct explain_walk *w, enum cost_where where, const char *names);

void explain_caller(struct explain_walk *w);
void explain_translation(struct explain_walk *w); /* up to the handler */
void explain_native(struct explain_walk *w);
/* The run charges event @ev as well; its stages are to be given to steps. */
void explain_cost(struct explain_walk *w, enum cost_event ev);
void explain_checks(struct explain_walk *w, struct vsysemu_verdict *v, const struct vsysemu_guest *g);
void explain_back(struct explain_walk *w); /* edits and return, or signal */
/* One instruction as a debugger shows it.  Returns its length. */
size_t explain_show(struct explain_step *s, uint64_t at, const uint8_t *code, size_t n);
const char *explain_source_file(const struct explain_walk *w);

#endif
