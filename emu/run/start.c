/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Making a kernel, its first process and the engine; the end of each process; the shared accounts. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/stdfd.h"
#include "facts/vdsogen.h"
#include "kernel/exec.h"
#include "kernel/fd.h"
#include "kernel/hostsig.h"
#include "kernel/klog.h"
#include "kernel/page.h"
#include "kernel/pids.h"
#include "kernel/process.h"
#include "kernel/random.h"
#include "kernel/seccomp.h"
#include "kernel/signal.h"
#include "kernel/timer.h"
#include "kernel/vdso.h"
#include "run/account.h"
#include "run/cpuid.h"
#include "run/branches.h"
#include "run/loop.h"
#include "run/loop_private.h"
#include "run/sites.h"
#include "run/timeline.h"
#include "run/trace.h"

#define TIMENS_SINCE 0x0506 /* Linux 5.6 */

#define PROCESSES_MAX 4096u
#define UPTIME_AT_START_NS (1000 * NS_PER_S)

/* Shared by the tree: one account a process, in order of creation. */
struct accounts {
	_Atomic unsigned n;
	struct {
		pid_t pid;
		struct account a;
	} at[PROCESSES_MAX];
};

/* The loop of this process, reached from the engine's and the kernel's call-backs. */
static struct {
	struct loop loop;
	struct accounts *accounts;
	struct account *child; /* of the fork under way */
	struct account spare; /* more processes than accounts */
	struct account sum;
	const struct run_request *request;
} run;

static struct account *account_take(pid_t pid)
{
	unsigned i = run.accounts ? atomic_fetch_add(&run.accounts->n, 1) : PROCESSES_MAX;
	struct account *a = i < PROCESSES_MAX ? &run.accounts->at[i].a : &run.spare;

	account_init(a);
	if (i < PROCESSES_MAX)
		run.accounts->at[i].pid = pid;
	return a;
}

const struct account *run_process(struct kernel *k, size_t i, pid_t *pid)
{
	(void)k;
	if (!run.accounts || i >= run.accounts->n || i >= PROCESSES_MAX)
		return NULL;
	*pid = run.accounts->at[i].pid;
	return &run.accounts->at[i].a;
}

const struct account *run_total(struct kernel *k)
{
	const struct account *a;
	pid_t pid;

	memset(&run.sum, 0, sizeof(run.sum));
	for (size_t i = 0; (a = run_process(k, i, &pid)); i++)
		account_merge(&run.sum, a);
	return &run.sum;
}

struct timeline *run_timeline(struct kernel *k)
{
	(void)k;
	return run.loop.timeline;
}

struct sites *run_sites(struct kernel *k)
{
	(void)k;
	return run.loop.sites;
}

static void warn(struct kernel *k, const char *text)
{
	account_warn(k->account, "%s", text);
}

static void page_told(struct kernel *k)
{
	account_flag(k->account, ACCOUNT_READ_PAGE);
}

static void threaded(struct kernel *k)
{
	k->account->counts.threads++;
}

/* The child's account is there before it, in the order of creation; a child that is killed at once has one too. */
static void forking(struct kernel *k, pid_t pid)
{
	unsigned n = run.accounts ? run.accounts->n : 0;

	(void)k;
	if (pid)
		run.child = n < PROCESSES_MAX ? account_take(pid) : NULL;
	else if (n && n <= PROCESSES_MAX && &run.accounts->at[n - 1].a == run.child)
		atomic_compare_exchange_strong(&run.accounts->n, &n, n - 1);
}

static void forked(struct kernel *k, bool child)
{
	if (!child)
		return;
	hostsig_forget();
	timers_forget(k);
	k->account = run.child ? run.child : account_take(k->proc.pid);
	run.loop.insns = engine_insns(k->engine);
	run.loop.cost = engine_cost(k->engine);
}

/* --timeout: a timer of the host, told apart from all else by its si_code (see signal_collect()). */
static void arm_timeout(uint64_t ns)
{
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGXCPU };
	struct itimerspec it = { .it_value = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) } };
	timer_t t;

	if (!timer_create(CLOCK_MONOTONIC, &ev, &t))
		timer_settime(t, 0, &it, NULL);
}

static struct task *first_task(struct kernel *k)
{
	struct task *t = xcalloc(1, sizeof(*t));

	t->tid = k->proc.pid;
	t->orig_rax = -1;
	t->altstack_flags = SS_DISABLE;
	t->wake_ns = UINT64_MAX;
	VEC_PUSH(&k->proc.tasks, t);
	k->proc.current = t;
	return t;
}

/* AT_HWCAP and AT_HWCAP2: what CPUID answers. */
static void set_hwcap(struct kernel *k)
{
	uint32_t out[4] = { 0 };

	cpuid_leaf(k->model, 0, 1, 0, out);
	k->hwcap = out[3];
	cpuid_leaf(k->model, 0, 7, 0, out);
	k->hwcap2 = out[1] & 1 ? 2 : 0; /* FSGSBASE */
}

static bool start(const struct run_request *r, struct kernel *k, struct err *e)
{
	struct engine_ops ops;

	if (r->opt->timens && r->model->kernel->release_nr < TIMENS_SINCE)
		return err_set_status(e, 125, "--timens: Linux %s has no time namespaces (5.6 brought them)",
				      r->model->kernel->release);
	k->model = r->model;
	set_hwcap(k);
	k->opt = r->opt;
	k->sysroot = r->sysroot ? xstrdup(r->sysroot) : NULL;
	k->cpus = r->opt->cpus;
	k->log.to_stderr = r->opt->log_to_stderr;
	k->warn = warn;
	k->forking = forking;
	k->forked = forked;
	k->page_told = page_told;
	k->threaded = threaded;
	k->signalled = loop_signalled;
	k->killed = trace_signal;
	klog_init(k);
	random_seed(k, r->opt->seed);
	clock_init(&k->clock, r->model->cpu->core_hz, r->model->cpu->tsc_hz, r->model->kernel->hz, r->opt->epoch_ns,
		   UPTIME_AT_START_NS);
	k->clock.pv = r->model->clocksource == CS_KVM_CLOCK;
	k->clock.mono_offset_ns = r->opt->timens ? r->opt->timens_mono_ns : 0;
	k->clock.boot_offset_ns = r->opt->timens ? r->opt->timens_boot_ns : 0;
	run.accounts = mmap(NULL, sizeof(*run.accounts), PROT_READ | PROT_WRITE,
			    MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (run.accounts == MAP_FAILED)
		run.accounts = NULL;
	run.loop = (struct loop){ .k = k, .timeline = r->opt->timeline ? timeline_new() : NULL,
				  .sites = sites_new(), .watch = r->watch };
	k->account = account_take(PID_FIRST);
	k->mem = memory_new(e);
	if (!k->mem)
		return false;
	run.loop.branches = branches_new(r->model->cpu, k->mem);
	ops = loop_ops(&run.loop);
	k->engine = engine_new(k->mem, &ops, r->opt->engine_level, e);
	if (!k->engine)
		return false;
	memory_set_engine(k->mem, k->engine);
	if (engine_notes(k->engine) && r->warn_fd >= 0)
		dprintf(r->warn_fd, "vsysemu: %s\n", engine_notes(k->engine));
	process_init(k);
	first_task(k);
	signal_init(k);
	if (!exec_load(k, r->path, r->argv, r->envp, e))
		return false;
	if (r->opt->seccomp && !seccomp_spec(k, r->opt->seccomp, e))
		return false;
	page_init(k);
	run.loop.insns = engine_insns(k->engine);
	run.loop.cost = engine_cost(k->engine);
	stdfd_release();
	return true;
}

/* Told to whoever writes the report, in the account that lives on after this process. */
static void outcome_keep(struct kernel *k)
{
	struct account_outcome *to = &k->account->outcome;
	const struct outcome *o = &k->outcome;

	to->status = o->status;
	to->rip = o->rip;
	to->caller = o->caller;
	snprintf(to->reason, sizeof(to->reason), "%s", o->kind == OUTCOME_SIGNAL && o->reason ? o->reason : "");
	to->kind = o->kind == OUTCOME_SIGNAL ? ACCOUNT_END_SIGNAL :
		   o->kind == OUTCOME_LIMIT  ? ACCOUNT_END_LIMIT :
					       ACCOUNT_END_EXIT;
}

/* SIGKILL from another process is the one end that a process cannot tell of itself. */
static void outcomes_settle(struct kernel *k)
{
	unsigned n = run.accounts ? run.accounts->n : 0;

	for (unsigned i = 0; i < n && i < PROCESSES_MAX; i++) {
		struct account_outcome *o = &run.accounts->at[i].a.outcome;
		struct pid_slot *s = pids_find(k, run.accounts->at[i].pid);
		siginfo_t info = { 0 };

		if (o->kind != ACCOUNT_END_NONE)
			continue;
		if (s && s->state == PID_RUNNING && !kill(s->host, 0) &&
		    (waitid(P_PID, (id_t)s->host, &info, WEXITED | WNOHANG | WNOWAIT) || !info.si_pid))
			continue; /* alive, or not ours to know */
		o->kind = ACCOUNT_END_SIGNAL;
		o->status = SIGKILL;
	}
}

/* A child of the guest ends here, as Linux would have ended it for its parent. */
static void end_child(struct kernel *k)
{
	process_end(k);
	fflush(NULL);
	_exit(k->outcome.kind == OUTCOME_SIGNAL ? 128 + k->outcome.status : k->outcome.status);
}

/* Our own copy of @fd, -1 if it was closed. */
static int keep(int fd)
{
	int own = stdfd_is_held(fd) ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, 3);

	return own < 0 ? own : fd_hide(own);
}

/* The guest is gone: what we say now goes where it was meant to, and never into a file that the
 * guest opened there. */
static void take_back(struct kernel *k)
{
	const int own[] = { k->out_fd, k->log_fd };

	for (int i = 0; i < 2; i++) {
		if (own[i] >= 0)
			dup2(own[i], STDOUT_FILENO + i);
		else
			stdfd_hold_one(STDOUT_FILENO + i);
	}
}

bool run_program(const struct run_request *r, struct kernel *k, struct err *e)
{
	struct trace *trace;
	bool ok;

	run.request = r;
	k->out_fd = keep(STDOUT_FILENO);
	k->log_fd = keep(STDERR_FILENO);
	if (!trace_new(&trace, r->opt->trace, r->opt->trace_summary, e))
		return false;
	if (!start(r, k, e)) {
		trace_free(trace);
		return false;
	}
	k->trace = trace;
	trace_start(k, r->path, r->argv, r->envp);
	if (r->opt->timeout_ns)
		arm_timeout(r->opt->timeout_ns);
	ok = loop_run(&run.loop, e);
	loop_sync(&run.loop);
	trace_exit(k);
	if (ok)
		outcome_keep(k);
	if (!pids_is_first(k)) {
		if (!ok)
			dprintf(k->log_fd, "vsysemu: %s\n", e->text);
		end_child(k);
	}
	outcomes_settle(k);
	process_end(k);
	take_back(k);
	trace_summary(k);
	return ok;
}

void run_free(struct kernel *k)
{
	hostsig_stop();
	trace_free(k->trace);
	klog_free(k);
	timers_free(k);
	if (k->mem && k->engine)
		vdso_free(k);
	if (k->pids)
		process_free(k);
	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		VEC_FREE(&k->proc.tasks.at[i]->pending.q);
		free(k->proc.tasks.at[i]);
	}
	VEC_FREE(&k->proc.tasks);
	VEC_FREE(&k->proc.pending.q);
	exec_free(k);
	memory_free(k->mem);
	engine_free(k->engine);
	free(k->sysroot);
	timeline_free(run.loop.timeline);
	run.loop.timeline = NULL;
	branches_free(run.loop.branches);
	run.loop.branches = NULL;
	sites_free(run.loop.sites);
	run.loop.sites = NULL;
	if (run.accounts)
		munmap(run.accounts, sizeof(*run.accounts));
	run.accounts = NULL;
}
