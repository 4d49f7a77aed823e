/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `explain --follow`: the N-th vsyscall of a real run.  A child of ours runs the program under the same options and
 * stands still at that call (run/watch.h); then the run is ended with all its processes.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "cli/explain.h"
#include "cli/run.h"
#include "run/loop.h"
#include "run/watch.h"

#define LIMIT_NS 60000000000ull /* of host time, if --timeout does not say */

/* How the child fared. */
struct trouble {
	char text[1024]; /* what it could not do */
	int status; /* the program's, if it ended */
};

/* In the child: run, silently. */
static void run_child(const struct options *o, const struct model *m, struct watch *w, struct trouble *t)
{
	struct kernel *k = xcalloc(1, sizeof(*k));
	struct run_files f = { .watch = w };
	struct options one = *o;
	struct err e = { .text = "" };
	VEC(char *) argv = { 0 };
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	if (null >= 0) {
		dup2(null, STDOUT_FILENO);
		dup2(null, STDERR_FILENO);
	}
	VEC_PUSH(&argv, (char *)(uintptr_t)o->follow);
	for (int i = 0; i < o->argc; i++)
		VEC_PUSH(&argv, o->argv[i]);
	one.argv = argv.at;
	one.argc = (int)argv.n;
	one.report = NULL;
	one.output = NULL;
	one.trace = NULL;
	one.summary = NULL;
	one.strace_on = false;
	if (!one.timeout_ns)
		one.timeout_ns = LIMIT_NS;
	if (!run_guest(&one, m, k, &f, &e))
		snprintf(t->text, sizeof(t->text), "%s", e.text);
	else
		t->status = run_status(k);
	_exit(0);
}

/* One round of SIGKILL to our children; orphans of theirs become ours. */
static void kill_children(void)
{
	FILE *f = fopen("/proc/thread-self/children", "re");
	int pid;

	while (f && fscanf(f, "%d", &pid) == 1)
		kill(pid, SIGKILL);
	if (f)
		fclose(f);
}

static uint64_t host_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

/* Until the call is there, or all processes have ended, or time is up. */
static void wait_for(const struct watch *w, pid_t first, uint64_t limit_ns)
{
	const struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t end = host_ns() + limit_ns;
	pid_t p;

	for (;;) {
		p = waitpid(-1, NULL, WNOHANG);
		if (w->done || (p < 0 && errno == ECHILD) || host_ns() > end)
			break;
		if (!p)
			nanosleep(&pause, NULL);
	}
	kill(first, SIGKILL);
	do {
		kill_children();
		p = waitpid(-1, NULL, WNOHANG);
		if (!p)
			nanosleep(&pause, NULL);
	} while (p >= 0 || errno == EINTR);
}

static char *where(const struct watch *w)
{
	struct buf b = { 0 };

	if (w->symbol[0])
		buf_printf(&b, "%s+0x%llx", w->symbol, (unsigned long long)w->offset);
	if (w->object[0])
		buf_printf(&b, "%s%s", b.len ? " in " : "", w->object);
	return b.data ? b.data : xstrdup("");
}

/* What @w holds as a question. */
static void take(const struct watch *w, struct explain_ask *a, struct explain_seen *seen)
{
	const struct page_event *ev = &w->event;

	*seen = (struct explain_seen){
		.nth = (unsigned)w->nth, .pid = w->pid, .tid = w->tid, .line = xstrdup(w->line), .where = where(w),
		.code = explain_code_lines(w->code, w->code_bytes, w->code_at), .caller = ev->caller, .rsp = w->rsp,
		.args = { ev->args[0], ev->args[1] }, .refused = ev->refused, .result_known = w->result_known,
		.result = ev->result, .cycles16 = w->cycles16,
	};
	a->seen = seen;
	a->nr = ev->nr < 0 ? 0 : ev->nr;
	a->bad_stack = !w->stack_readable;
	a->seccomp = (enum vsysemu_seccomp_mode)ev->seccomp;
	a->seccomp_ret = ev->seccomp_ret;
	a->rip_set = ev->nr < 0;
	a->rip = w->rip;
}

bool explain_follow(const struct options *o, const struct model *m, unsigned nth, struct explain_ask *a,
		    struct explain_seen *seen, struct err *e)
{
	struct trouble *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct watch *w = watch_new(nth);
	bool good = false;
	pid_t pid;

	if (t == MAP_FAILED || !w)
		return err_set(e, "--follow: no memory");
	prctl(PR_SET_CHILD_SUBREAPER, 1);
	fflush(NULL);
	pid = fork();
	if (!pid)
		run_child(o, m, w, t);
	if (pid > 0)
		wait_for(w, pid, (o->timeout_ns ? o->timeout_ns : LIMIT_NS) + 1000000000u);
	if (pid < 0)
		err_set(e, "--follow: cannot fork: %s", strerror(errno));
	else if (w->done)
		good = true;
	else if (t->text[0])
		err_set(e, "--follow: %s", t->text);
	else
		err_set(e, "--follow: %s made %llu vsyscalls (exit status %d), --nth=%u is not among them", o->follow,
			(unsigned long long)w->calls, t->status, nth);
	if (good)
		take(w, a, seen);
	watch_free(w);
	munmap(t, sizeof(*t));
	return good;
}

void explain_follow_free(struct explain_seen *seen)
{
	free((char *)(uintptr_t)seen->line);
	free((char *)(uintptr_t)seen->code);
	free((char *)(uintptr_t)seen->where);
}
