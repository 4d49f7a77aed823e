/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What things cost.  A kernel profile lists the stages that a path goes through, a CPU profile
 * prices each stage; their product is a table of prices by event, user and system apart.  The
 * decomposition is that of facts measured by others (docs/models.md); no number is in the code.
 */
#ifndef VSYSEMU_FACTS_COST_H
#define VSYSEMU_FACTS_COST_H

#include "base/types.h"

struct model;
struct cpu_model;
struct kernel_model;

/* The time calls, in the order in which the report lists them. */
enum time_call {
	CALL_GETTIMEOFDAY, CALL_TIME, CALL_GETCPU, CALL_CLOCK_GETTIME, CALL_CLOCK_GETRES, CALL_COUNT
};
enum call_path { PATH_VSYSCALL, PATH_VDSO, PATH_SYSCALL, PATH_COUNT };
const char *time_call_name(enum time_call c); /* "gettimeofday" */
const char *call_path_name(enum call_path p); /* "vsyscall" */
/* The time call behind system call @nr, CALL_COUNT if it is none. */
enum time_call time_call_of_syscall(unsigned nr);

/* Everything that is priced as one event.  Instructions of the program are not: they are priced a
 * block at a time (facts/price.h); code of the vDSO and native code of the page cost nothing there
 * because their call is an event. */
enum cost_event {
	/* An arrival at an entry of the page that was carried out, by whatever the policy does:
	 * native code or stub (its SYSCALL included), trap and emulation. */
	COST_VSYSCALL_GETTIMEOFDAY, COST_VSYSCALL_TIME, COST_VSYSCALL_GETCPU,
	/* An arrival that ended in a signal (refused; body's fault), without the signal's delivery. */
	COST_VSYSCALL_REFUSED,
	/* A call of a vDSO function that it can answer itself... */
	COST_VDSO_GETTIMEOFDAY, COST_VDSO_TIME, COST_VDSO_GETCPU, COST_VDSO_CLOCK_GETTIME,
	COST_VDSO_CLOCK_COARSE, COST_VDSO_CLOCK_GETRES,
	/* ... and one that falls back: the system call comes as an event of its own. */
	COST_VDSO_FALLBACK,
	/* System calls, entry to exit. */
	COST_SYSCALL_GETTIMEOFDAY, COST_SYSCALL_TIME, COST_SYSCALL_GETCPU,
	COST_SYSCALL_CLOCK_GETTIME, COST_SYSCALL_CLOCK_COARSE, COST_SYSCALL_CLOCK_GETRES,
	COST_SYSCALL_NULL, /* returns a number: getpid, and unknown calls */
	COST_SYSCALL_FD, /* works on an open file or a small object */
	COST_SYSCALL_PATH, /* walks a path */
	COST_SYSCALL_MM, /* changes the address space */
	COST_SYSCALL_WAIT, /* sleeps or wakes: futex, poll, nanosleep, wait4 */
	COST_SYSCALL_FORK, COST_SYSCALL_THREAD, COST_SYSCALL_EXEC, COST_SYSCALL_EXIT,
	COST_SYSCALL_SIGRETURN,
	/* What else the kernel does. */
	COST_SIGNAL, /* building a frame and entering the handler, or killing */
	COST_EXCEPTION, /* a trap of the program's own that leads to a signal */
	COST_PAGE_FAULT, /* first touch of a page */
	COST_SWITCH, /* another task */
	COST_TICK,
	COST_EVENT_COUNT
};
const char *cost_event_name(enum cost_event ev); /* "vsyscall.gettimeofday" */

/* The event of a time call by path.  @clock_id counts for clock_gettime alone (coarse or not). */
enum cost_event cost_event_of_call(enum call_path p, enum time_call c, int64_t clock_id);
/* The event of system call @nr (first argument @a0: a clock id where it is one). */
enum cost_event cost_event_of_syscall(unsigned nr, uint64_t a0);
/* Can the vDSO of @m answer @c for @clock_id without the kernel?  If not: COST_VDSO_FALLBACK. */
enum cost_event cost_event_of_vdso(const struct model *m, enum time_call c, int64_t clock_id);

/* 1/16 core cycles.  @system16 includes what interrupts-off exit code a tick sampler books as user
 * when accounting is precise; with tick accounting that part is in @user16. */
struct cost {
	uint32_t user16, system16;
};

struct cost_table {
	struct cost ev[COST_EVENT_COUNT];
};

/* One line of a profile: a stage of a path. */
enum cost_where { WHERE_USER, WHERE_ENTRY, WHERE_BODY, WHERE_EXIT };
struct cost_line {
	const char *stage; /* key of the CPU profile without _cycles: "iret" */
	const char *symbol; /* what perf would show on that kernel: "system_call"; never NULL */
	enum cost_where where;
	uint32_t cycles16; /* of all repetitions */
	unsigned times;
	bool estimated; /* the price has no source */
};
#define COST_LINES_MAX 40
struct cost_profile {
	struct cost_line line[COST_LINES_MAX];
	unsigned n;
	uint32_t total16;
	struct cost cost; /* the same, split by who pays */
};

/* The stages of @ev under policy @policy of @m (an index of m->policy), in order of time. */
void cost_profile(const struct model *m, unsigned policy, enum cost_event ev,
		  struct cost_profile *out);

/* Fill the table of @policy; model_resolve() calls it. */
void cost_table_fill(struct model *m, unsigned policy);

#endif
