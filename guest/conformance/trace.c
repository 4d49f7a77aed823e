/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows that need a tracer: the steps and stops it sees, its reads and writes of the page, and what
 * it may change at a seccomp stop. */
#define _GNU_SOURCE
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/user.h>
#include <sys/wait.h>
#include <unistd.h>

#include "conformance.h"

extern void t_call(void);

enum { TRACE_STEP = 9, TRACE_SYSCALL = 24, TRACE_OPTIONS = 0x4200, TRACE_INFO = 0x4202 };
enum { OPTION_GOOD = 1, OPTION_SECCOMP = 0x80 };

struct trace {
	bool steps; /* single steps, else system call stops */
	char text[400];
	bool failed;
};

static void add(struct trace *t, const char *what)
{
	size_t n = strlen(t->text);

	/* The tables keep 150 characters. */
	snprintf(t->text + n, n < 151 ? 151 - n : 0, "%s%s", n ? "," : "", what);
}

static long trace(long request, pid_t pid, unsigned long addr, void *data)
{
	return syscall(SYS_ptrace, request, (long)pid, addr, data);
}

/* Waits for the next stop; false: the child is gone. */
static bool next_stop(pid_t pid, int *status)
{
	while (waitpid(pid, status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFSTOPPED(*status);
}

static void kill_child(pid_t pid, int *status)
{
	kill(pid, SIGKILL);
	while (next_stop(pid, status))
		trace(PTRACE_CONT, pid, 0, (void *)SIGKILL);
}

static int trace_steps(pid_t pid, struct trace *t, int status)
{
	struct user_regs_struct u;
	bool begun = false, done = false;
	siginfo_t si;
	char sym[48], line[96];
	long budget = 200000;

	while (!done && budget--) {
		if (trace(TRACE_STEP, pid, 0, 0) || !next_stop(pid, &status))
			break;
		if (trace(PTRACE_GETREGS, pid, 0, &u))
			break;
		begun = begun || u.rip == (uint64_t)l_call;
		if (!begun)
			continue;
		memset(&si, 0, sizeof(si));
		trace(TRACE_INFO, pid, 0, &si);
		probe_symbol(u.rip, false, sym, sizeof(sym));
		snprintf(line, sizeof(line), "%s/s%d/c%d", sym, WSTOPSIG(status), si.si_code);
		add(t, line);
		done = WSTOPSIG(status) != SIGTRAP || u.rip == (uint64_t)l_after + 7;
	}
	kill_child(pid, &status);
	return status;
}

static int trace_calls(pid_t pid, struct trace *t, int status)
{
	struct user_regs_struct u;
	char sym[48], line[96];
	int n;

	trace(TRACE_OPTIONS, pid, 0, (void *)OPTION_GOOD);
	for (n = 0; n < 40; n++) {
		if (trace(TRACE_SYSCALL, pid, 0, 0) || !next_stop(pid, &status))
			break;
		if (trace(PTRACE_GETREGS, pid, 0, &u))
			break;
		/* The child's own reports through the pipe are not part of the probe. */
		if ((long)u.orig_rax == SYS_write)
			continue;
		probe_symbol(u.rip, false, sym, sizeof(sym));
		snprintf(line, sizeof(line), "%ld@%s/s0x%x", (long)u.orig_rax,
			 strncmp(sym, "vsys", 4) ? "user" : sym, WSTOPSIG(status));
		add(t, line);
		if (!(WSTOPSIG(status) & 0x80))
			break;
	}
	kill_child(pid, &status);
	return status;
}

static int trace_stops(pid_t pid, void *ctx)
{
	struct trace *t = ctx;
	int status;

	if (!next_stop(pid, &status)) {
		t->failed = true;
		return status;
	}
	return t->steps ? trace_steps(pid, t, status) : trace_calls(pid, t, status);
}

static int trace_word(pid_t pid, void *ctx)
{
	struct trace *t = ctx;
	unsigned long v = 0;
	int status;
	long r;

	if (!next_stop(pid, &status)) {
		t->failed = true;
		return status;
	}
	errno = 0;
	r = trace(t->steps ? PTRACE_POKETEXT : PTRACE_PEEKTEXT, pid, PAGE_VSYS, &v);
	if (t->steps)
		snprintf(t->text, sizeof(t->text), "%s rax=%ld errno=%d", r ? "err" : "ok", r, errno);
	else
		snprintf(t->text, sizeof(t->text), "%s rax=0x%lx errno=%d", r ? "err" : "ok",
			 r ? -1ul : v, errno);
	kill_child(pid, &status);
	return status;
}

/* getppid, the entry, getppid, exit: system calls around the vsyscall, as few as can be. */
static void calls_body(const char *arg, char *text, size_t size)
{
	void (*entry)(uint64_t, uint64_t, uint64_t) =
		(void (*)(uint64_t, uint64_t, uint64_t))(PAGE_VSYS + strtoull(arg, NULL, 0));

	(void)text, (void)size;
	entry(MEM_RW + 0x100, 0, 0);
	syscall(SYS_getppid);
	syscall(SYS_exit, 0);
}

bool trace_row(const char *name, char *out, size_t size)
{
	struct probe p = { .stub = t_call, .rax = PATTERN_RAX, .flags = 0x283, .traced = true };
	struct trace t = { .text = "" };
	const char *entry = strchr(name, ':');
	struct result r;
	bool word = !strcmp(name, "peek") || !strcmp(name, "poke");

	t.steps = !strncmp(name, "singlestep:", 11) || !strcmp(name, "poke");
	if (!word && !t.steps && strncmp(name, "syscall-stops:", 14))
		return false;
	if (entry) {
		p.target = PAGE_VSYS + strtoull(entry + 1, NULL, 0);
		p.arg = entry + 1;
		p.rdi = MEM_RW + 0x100;
		if (!t.steps)
			p.body = calls_body;
	}
	if (!probe_run(&p, word ? trace_word : trace_stops, &t, false, &r) || t.failed || !t.text[0])
		snprintf(out, size, "-");
	else
		snprintf(out, size, "%s%s", word ? "" : "trace steps=", t.text);
	return true;
}

/* What the tracer does at the seccomp stop. */
const char *const trace_seccomp_names[] = {
	"continue", "skip(orig=-1)", "skip(orig=-1,rax=0x1234)", "change-nr(getpid)", "change-rip",
	"skip+change-rip", NULL
};

bool trace_seccomp_known(const char *what)
{
	int i;

	for (i = 0; trace_seccomp_names[i]; i++)
		if (!strcmp(what, trace_seccomp_names[i]))
			return true;
	return false;
}

static void change(pid_t pid, const char *what)
{
	struct user_regs_struct u;

	if (trace(PTRACE_GETREGS, pid, 0, &u))
		return;
	if (!strncmp(what, "skip", 4))
		u.orig_rax = (unsigned long)-1;
	if (!strcmp(what, "skip(orig=-1,rax=0x1234)") || !strcmp(what, "skip+change-rip"))
		u.rax = 0x1234;
	if (!strcmp(what, "change-nr(getpid)"))
		u.orig_rax = SYS_getpid;
	if (strstr(what, "change-rip"))
		u.rip = (uint64_t)l_after;
	trace(PTRACE_SETREGS, pid, 0, &u);
}

int trace_seccomp(pid_t pid, void *ctx)
{
	const char *what = ctx;
	int status;
	long pass;

	if (!next_stop(pid, &status))
		return status;
	if (trace(TRACE_OPTIONS, pid, 0, (void *)OPTION_SECCOMP)) {
		kill_child(pid, &status);
		return status;
	}
	trace(PTRACE_CONT, pid, 0, 0);
	while (next_stop(pid, &status)) {
		pass = WSTOPSIG(status);
		if (status >> 8 == (SIGTRAP | 7 << 8)) { /* PTRACE_EVENT_SECCOMP */
			pass = 0;
			change(pid, what);
		}
		if (trace(PTRACE_CONT, pid, 0, (void *)pass))
			break;
	}
	return status;
}
