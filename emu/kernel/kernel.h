/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the guest takes for Linux: the structs that the files of emu/kernel/ share.  One process of
 * ours runs one guest process (fork is a host fork); its threads are tasks on the one engine, of
 * which exactly one is current and lives in the engine's registers.
 * Owned by run/loop.c through struct kernel; nothing here is global.
 */
#ifndef VSYSEMU_KERNEL_KERNEL_H
#define VSYSEMU_KERNEL_KERNEL_H

#include <signal.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/types.h"
#include "engine/engine.h"
#include "engine/memory.h"
#include "facts/clock.h"
#include "facts/model.h"
#include "facts/policy.h"

struct account; /* run/account.h */
struct trace; /* run/trace.h */
struct futex_many;
struct files;
struct pids;

#define SIG_MAX 64
typedef uint64_t sigset64; /* bit n-1 = signal n, as rt_sigprocmask has it */
#define SIGBIT(n) (1ull << ((n) - 1))

/* The kernel's struct sigaction (x86-64). */
struct sigact {
	gaddr handler; /* 0 SIG_DFL, 1 SIG_IGN */
	uint64_t flags;
	gaddr restorer;
	sigset64 mask;
};

/* One pending signal.  siginfo as the guest will see it: 128 bytes, kernel layout. */
struct sigpend {
	int signo;
	uint8_t info[128];
};
struct sigqueue {
	sigset64 set;
	VEC(struct sigpend) q; /* in order of arrival; standard signals at most once */
};

/* thread.cr2/trap_nr/error_code of Linux: what sigcontext shows; stale by design. */
struct trap_record {
	uint64_t trapno, err, cr2;
};

/* TASK_ZOMBIE: the first thread, ended before others. */
enum task_state { TASK_RUNNING, TASK_BLOCKED, TASK_ZOMBIE, TASK_DEAD };

#define CPUS_MAX 256u

struct seccomp_filter; /* kernel/seccomp.h: classic BPF chain, shared by reference count */

struct coroutine; /* kernel/coroutine.h */
struct sched; /* kernel/sched.h */

struct task {
	pid_t tid; /* virtual, as the guest sees it */
	char comm[16];
	uint64_t start_ns; /* V; of the first thread the process's (clock.start_ns) */
	enum task_state state;
	struct cpu_state cpu; /* valid while not current */
	sigset64 waited; /* by rt_sigtimedwait: kept although their default is to be ignored */
	sigset64 mask, saved_mask; /* saved_mask: sigsuspend, ppoll... restored after the handler */
	bool restore_mask;
	struct sigqueue pending;
	gaddr altstack_sp;
	uint64_t altstack_size;
	int altstack_flags;
	struct trap_record trap;
	gaddr clear_child_tid, robust_list;
	uint64_t robust_len;
	int seccomp_mode; /* SECCOMP_MODE_* */
	struct seccomp_filter *seccomp;
	bool no_new_privs, tsc_sigsegv;
	int pdeath_signal;
	/* PR_SET_SYSCALL_USER_DISPATCH */
	gaddr sud_start, sud_len, sud_selector;
	bool sud_on;
	/* System call in progress (for restart and blocking): number, arguments, orig_rax. */
	int64_t orig_rax; /* -1: not in a system call */
	uint64_t args[6];
	int restart; /* 0 or ERESTART* of the interrupted call */
	unsigned restart_nr; /* of ERESTART_RESTARTBLOCK: the call that goes on, and until what V */
	uint64_t restart_until_ns, resumed_until_ns; /* resumed: going on now; 0: not */
	uint64_t wake_ns; /* virtual time at which a blocked task wakes; UINT64_MAX never */
	/* Scheduling: see kernel/task.h and futex.c. */
	struct coroutine *co;
	bool polling, outside;
	gaddr futex; /* waits there; 0: not, or woken */
	uint32_t futex_bits;
	uint64_t futex_turn; /* order of arrival */
	gaddr futex_lock; /* to be requeued to that lock; 0: not */
	pid_t futex_owner; /* waits for a lock that this thread has; 0: no lock */
	struct futex_many *futex_many; /* waits at these, not at @futex alone; NULL */
	uint64_t user_cycles16, system_cycles16; /* run time up to its last turn: task_times() */
	uint32_t cpu_nr; /* virtual CPU */
	uint64_t affinity[CPUS_MAX / 64]; /* where it may run */
	uint64_t ready_ns; /* V since when it could run */
	uint64_t weight_ns; /* run time as the scheduler compares it: who has least runs next */
	bool visit; /* only asked whether it still waits */
	/* What the page has to do with the signal that was forced last: for the outcome, if it kills. */
	bool ends; /* killed alone, others live: the loop ends it where it may */
	const char *reason; /* CONTRACT's word; NULL: nothing */
	gaddr caller;
};

struct process {
	pid_t pid, ppid, pgid, sid; /* virtual */
	char *exe; /* absolute guest path of the image; owned */
	char *cwd_shown; /* NULL: as the host */
	struct sigact act[SIG_MAX + 1];
	struct sigqueue pending; /* process-wide */
	VEC(struct task *) tasks;
	struct task *current;
	/* What /proc/self shows of the image. */
	gaddr arg_start, arg_end, env_start, env_end, stack_top;
	struct buf auxv; /* as on the stack */
	gaddr vdso; /* 0: none */
	mode_t umask;
	uint64_t rlimit[16][2]; /* soft, hard: those that are virtual, see kernel/ident.h */
	uint64_t personality;
	bool family; /* has a parent in the tree, or had children */
	int vfork_fd; /* to the parent that waits; -1: none */
	bool undumpable; /* PR_SET_DUMPABLE, 0 */
	int leader_status; /* of the first thread, if it ended before others */
};

/* The kernel log: lines leave for stderr as they happen and stay for the report and syslog(2). */
struct klog {
	struct klog_ring *ring; /* kernel/klog.c: shared by the tree */
	bool to_stderr;
};

/* How the program ended. */
enum outcome_kind { OUTCOME_RUNNING, OUTCOME_EXIT, OUTCOME_SIGNAL, OUTCOME_LIMIT };
struct outcome {
	enum outcome_kind kind;
	int status; /* exit status, or signal number */
	const char *reason; /* CONTRACT's words: "vsyscall-none"...; NULL */
	gaddr rip, caller; /* where it died; return address of the vsyscall that killed it (0: none) */
	int si_code;
	gaddr fault_addr; /* si_addr (which is a macro of <signal.h>) */
};

/* What the user asked of the guest's world; strings borrowed for the whole run, NULL: not given. */
struct guest_options {
	const char *vdso; /* NULL or "auto", "off", or a file */
	const char *seccomp; /* SPEC of --seccomp */
	const char *trace; /* words and filters (run/filter.h); "": all */
	bool trace_summary; /* a table at the end instead of lines */
	bool timeline; /* keep calls one by one */
	const char *cwd;
	const char *const *auxv; /* --auxv, each taken by exec_auxv_parse(); NULL-terminated */
	bool timens; /* in a time namespace with these offsets */
	int64_t timens_mono_ns, timens_boot_ns;
	int64_t epoch_ns; /* time of day at start, ns since 1970 */
	uint64_t seed;
	uint64_t max_insns; /* 0: none */
	uint64_t timeout_ns; /* of host time; 0: none */
	unsigned cpus;
	int engine_level; /* -1: best */
	bool log_to_stderr; /* kernel log lines appear as they happen */
};

struct kernel {
	const struct model *model; /* profile, mode, cpu, clock source: resolved and const */
	const struct guest_options *opt;
	struct memory *mem;
	struct engine *engine;
	struct clock clock;
	struct account *account; /* counts, calls, call sites, charges */
	struct trace *trace; /* NULL: off */
	struct klog log;
	struct process proc;
	struct outcome outcome;
	uint64_t random_state[4]; /* of --seed: AT_RANDOM, getrandom, /dev/urandom */
	unsigned cpus; /* virtual processors; 0 means 1 */
	char *sysroot; /* -L, absolute, no trailing slash; NULL */
	/* Of the processor that the guest sees, for AT_HWCAP (CPUID.1:EDX) and AT_HWCAP2; 0: basic. */
	uint32_t hwcap, hwcap2;
	struct sched *sched;
	struct files *files; /* kernel/fd.h: descriptors that are not plain host ones */
	struct timers *timers; /* kernel/timer.h */
	/* Our own copies of standard output and error: the guest may close or move its own. */
	int out_fd, log_fd;
	uint64_t filters_run; /* seccomp filters, so far */
	bool timed_out; /* the host's --timeout rang */
	uint8_t page[PAGE_BYTES]; /* what the vsyscall page holds (kernel/page.c) */
	struct vdso_state *vdso; /* kernel/vdso.c */
	struct pids *pids; /* kernel/pids.h: virtual process ids, shared by the whole tree */
	/* Upstairs (run/), set by the loop; NULL: nobody.  @warn: a line for the report's warnings,
	 * told once a text.  @forking: before a fork, with the child's process id; 0: it failed.  @forked: after
	 * it, in both processes. */
	void (*warn)(struct kernel *k, const char *text);
	void (*forking)(struct kernel *k, pid_t pid);
	void (*forked)(struct kernel *k, bool child);
	/* A handler is entered (@info as the guest sees it). */
	void (*signalled)(struct kernel *k, const uint8_t *info);
	/* A signal is about to end the process. */
	void (*killed)(struct kernel *k, const uint8_t *info);
	void (*threaded)(struct kernel *k); /* a thread was made */
	void (*page_told)(struct kernel *k); /* the program read its maps: it may know of the page */
};

#endif
