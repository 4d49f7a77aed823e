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

/* Stages: X(key, meaning).  Key KEY_cycles of a CPU profile prices one. */
#define COST_STAGES(X) \
	X(call, "call, prologue and return of a vDSO function or of code in the page") \
	X(fence, "the fence before a time stamp is read in user mode") \
	X(fence_second, "a second fence, after the read (until 2.6.39)") \
	X(rdtsc, "RDTSC") \
	X(timekeeping, "sequence count, loads, multiply, shift, normalise") \
	X(convert_us, "nanoseconds to microseconds and the second store") \
	X(coarse, "reading the record of the last tick") \
	X(getres, "clock_getres in the vDSO") \
	X(segment_limit, "LSL or RDPID: the processor's number") \
	X(native_check, "real code in the page: sysctl test, read through a pointer") \
	X(native_time, "time() in the page of 3.0, beyond the call") \
	X(timens, "time namespace: the second page and its offsets, when hot") \
	X(vdso_fallback, "a vDSO function that gives up and calls the kernel, without that call") \
	X(pvclock, "version, scaling and loads of a paravirtual clock, beyond RDTSC") \
	X(pvclock_getcpu, "processor number before and after a paravirtual read (3.8 - 4.4)") \
	X(xen_clock, "Xen's clock in the kernel, beyond RDTSC") \
	X(syscall, "SYSCALL, SWAPGS, stack switch") \
	X(syscall_save, "registers saved for a system call") \
	X(syscall_dispatch, "number check and call through the table") \
	X(syscall_work, "generic entry and exit work of 5.8 and later") \
	X(syscall_body, "the indirection of a time call's body (clock table, handlers)") \
	X(sysret, "register restore and SYSRET") \
	X(uaccess_struct, "a two-word struct copied to the program") \
	X(uaccess_scalar, "one word stored to the program") \
	X(int_gate, "INT n through a gate to the kernel") \
	X(page_fault_gate, "page-fault exception: detection, flush, delivery") \
	X(gp_gate, "#GP exception: detection, flush, delivery") \
	X(trap_save, "error_entry: all registers saved, SWAPGS check") \
	X(fault_path, "the page-fault handler up to the test for the page") \
	X(emulate_checks, "address decoding, stack read, pointer checks, seccomp test") \
	X(trap_restore, "return-to-user work with interrupts off, registers restored") \
	X(iret, "IRET to user mode") \
	X(trampoline, "user-mode trampoline: pop, pop, ret") \
	X(pti_entry, "page-table isolation: CR3 written on entry") \
	X(pti_exit, "page-table isolation: CR3 written on exit") \
	X(ibrs_entry, "IBRS written on entry") \
	X(ibrs_exit, "IBRS written on exit") \
	X(audit_entry, "audit: context filled on entry") \
	X(audit_exit, "audit: context emptied on exit") \
	X(slow_entry, "slow entry path (audit, tracing)") \
	X(slow_exit, "slow exit path (audit, tracing)") \
	X(seccomp, "running a seccomp filter of a few instructions") \
	X(work_fd, "work on an open file or small object: read, write, fstat") \
	X(work_path, "a path walk: open, stat") \
	X(work_mm, "mmap, munmap, mprotect, brk") \
	X(work_wait, "sleep, wake, poll without the switch") \
	X(work_fork, "copying a process") \
	X(work_thread, "making a thread") \
	X(work_exec, "replacing the image") \
	X(work_exit, "tearing a process down") \
	X(work_signal, "a signal frame and the way into the handler") \
	X(work_sigreturn, "restoring a signal frame") \
	X(work_fault, "a page found, zeroed and mapped on first touch") \
	X(work_switch, "another task's registers and address space") \
	X(work_tick, "the timer interrupt's work")

enum cost_stage {
#define X(key, meaning) STAGE_##key,
	COST_STAGES(X)
#undef X
	COST_STAGE_COUNT
};
const char *cost_stage_name(enum cost_stage s);
const char *cost_stage_meaning(enum cost_stage s);
int cost_stage_find(const char *name, size_t n); /* -1: none such */

/*
 * Paths of a kernel profile: X(key, meaning).  The value of key path_KEY is a list of stages, `NAME` or
 * `NAME*TIMES`; `clock` and `clock_user` stand for the read of the chosen clock source in the
 * kernel and in user mode.  Mitigation and audit stages count only where they are on.
 */
#define COST_PATHS(X) \
	X(syscall_entry, "a system call up to its body") \
	X(syscall_exit, "from a body back to the program") \
	X(int0xcc_entry, "int 0xcc up to the body") \
	X(int0xcc_exit, "and back") \
	X(page_fault_entry, "a fetch from the page up to the body") \
	X(page_fault_exit, "and back") \
	X(gp_entry, "the same by #GP (LASS)") \
	X(gp_exit, "and back") \
	X(body_gettimeofday, "gettimeofday in the kernel") \
	X(body_time, "time in the kernel") \
	X(body_getcpu, "getcpu in the kernel") \
	X(body_clock_gettime, "clock_gettime in the kernel") \
	X(body_clock_coarse, "the same of a coarse clock") \
	X(body_clock_getres, "clock_getres in the kernel") \
	X(vdso_gettimeofday, "gettimeofday in the vDSO") \
	X(vdso_time, "time in the vDSO") \
	X(vdso_getcpu, "getcpu in the vDSO") \
	X(vdso_clock_gettime, "clock_gettime in the vDSO") \
	X(vdso_clock_coarse, "the same of a coarse clock") \
	X(vdso_clock_getres, "clock_getres in the vDSO") \
	X(native_gettimeofday, "gettimeofday in the page (real code)") \
	X(native_time, "time in the page") \
	X(native_getcpu, "getcpu in the page") \
	X(native_stub, "the page's stub around a system call")

enum cost_path {
#define X(key, meaning) CPATH_##key,
	COST_PATHS(X)
#undef X
	COST_PATH_COUNT
};
const char *cost_path_name(enum cost_path p);
const char *cost_path_meaning(enum cost_path p);

/* A parsed list. */
enum { COST_TOKEN_CLOCK = COST_STAGE_COUNT, COST_TOKEN_CLOCK_USER };
#define COST_PATH_STEPS 20
struct cost_steps {
	struct cost_step {
		uint8_t token, times;
	} step[COST_PATH_STEPS];
	unsigned n;
};
/* False: *@bad is the word that is no stage (static for the caller's line: points into @text). */
bool cost_steps_parse(struct cost_steps *out, const char *text, const char **bad);

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
	/* An arrival whose call seccomp answered itself: carried out without the body.  Real code in the page
	 * does not ask seccomp: there it is priced as time(). */
	COST_VSYSCALL_SKIPPED,
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
	COST_SECCOMP, /* one run of a filter */
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
	char symbol[40]; /* what perf would show on that kernel: "system_call" */
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
