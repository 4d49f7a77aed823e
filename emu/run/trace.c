/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace: see trace.h.  A line is written with one call, so that those of several processes stay whole. */
#include "run/trace.h"

#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kernel/pids.h"
#include "kernel/syscall.h"
#include "kernel/sysformat.h"
#include "run/filter.h"

enum { COUNT_PATHS = 3 };

/* From rsp at rt_sigreturn, which points to the ucontext (asm/ucontext.h, asm/sigcontext.h). */
#define SIGFRAME_RAX 144u
#define SIGFRAME_MASK 296u

/* Shared by the tree of processes. */
struct counts {
	struct count {
		_Atomic uint64_t calls, errors, cycles16;
	} at[COUNT_PATHS][SYSCALL_COUNT];
};

struct trace {
	struct filter *filter;
	struct counts *counts; /* NULL: lines */
	/* An execve that is under way: what it was given is gone when it has succeeded. */
	struct buf exec;
	unsigned exec_nr;
	uint32_t exec_cycles16;
	bool exec_wanted;
};

bool trace_new(struct trace **t, const char *spec, bool summary, struct err *e)
{
	struct filter *f;
	void *p = NULL;

	*t = NULL;
	if (!spec)
		return true;
	f = filter_new(spec, e);
	if (!f)
		return false;
	if (summary)
		p = mmap(NULL, sizeof(struct counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p == MAP_FAILED) {
		filter_free(f);
		return err_set(e, "-c: no memory for the counts");
	}
	*t = xcalloc(1, sizeof(**t));
	(*t)->filter = f;
	(*t)->counts = p;
	return true;
}

void trace_free(struct trace *t)
{
	if (!t)
		return;
	filter_free(t->filter);
	buf_free(&t->exec);
	if (t->counts)
		munmap(t->counts, sizeof(*t->counts));
	free(t);
}

static bool wanted(const struct kernel *k, enum trace_what what)
{
	return k->trace && !k->trace->counts && filter_wants(k->trace->filter, what);
}

static void count(struct trace *t, enum trace_what what, int nr, bool error, uint32_t cycles16)
{
	struct count *c;

	if (nr < 0 || nr >= (int)SYSCALL_COUNT)
		return;
	c = &t->counts->at[what == TRACE_VSYSCALL ? 0 : what == TRACE_VDSO ? 1 : 2][nr];
	c->calls++;
	c->errors += error;
	c->cycles16 += cycles16;
}

/* Is a line due for this call?  If calls are counted it is counted instead.  @nr -1: a wrong address. */
static bool call_wanted(struct kernel *k, enum trace_what what, int nr, gaddr caller, gaddr entry, bool error,
			uint32_t cycles16)
{
	const char *name = nr < 0 ? NULL : syscall_name((unsigned)nr);

	if (!k->trace || !filter_call(k->trace->filter, k, what, name, caller, entry))
		return false;
	if (!k->trace->counts)
		return true;
	count(k->trace, what, nr, error, cycles16);
	return false;
}

static void begin(struct kernel *k, struct buf *b, const char *mark)
{
	if (k->proc.current->tid != PID_FIRST)
		buf_printf(b, "[pid %5d] ", k->proc.current->tid);
	buf_printf(b, "%-6s ", mark);
}

static void end(const struct kernel *k, struct buf *b)
{
	buf_add(b, "\n", 1);
	if (write(k->log_fd, b->data, b->len) < 0)
		b->len = 0; /* nobody listens */
	buf_free(b);
}

static void cycles(struct buf *b, uint32_t cycles16)
{
	if (cycles16)
		buf_printf(b, " <%.2f cycles>", (double)cycles16 / 16);
}

static const uint16_t entry_nr[] = { 96, 201, 309 };

void trace_vsyscall_text(struct kernel *k, const struct page_event *ev, gaddr entry, uint32_t cycles16, struct buf *b)
{
	uint64_t args[6] = { ev->args[0], ev->args[1], ev->args[2] };

	if (ev->nr < 0)
		buf_printf(b, "%#lx() = ?", (unsigned long)entry);
	else if (ev->refused)
		buf_printf(b, "%s(%#lx, %#lx) = ?", syscall_name(entry_nr[ev->nr]), (unsigned long)args[0],
			   (unsigned long)args[1]);
	else
		syscall_format(k, entry_nr[ev->nr], args, ev->result, b);
	buf_printf(b, " @%#lx", (unsigned long)ev->caller);
	cycles(b, cycles16);
}

void trace_vsyscall(struct kernel *k, const struct page_event *ev, gaddr entry, uint32_t cycles16)
{
	struct buf b = { 0 };

	if (!call_wanted(k, TRACE_VSYSCALL, ev->nr < 0 ? -1 : entry_nr[ev->nr], ev->caller, entry,
			 ev->refused || ev->error, cycles16))
		return;
	begin(k, &b, "[vsys]");
	trace_vsyscall_text(k, ev, entry, cycles16, &b);
	end(k, &b);
}

void trace_vdso(struct kernel *k, enum vdso_function f, gaddr caller, uint32_t cycles16)
{
	static const uint16_t nr[] = { 96, 201, 309, 228, 229, 318 };
	struct buf b = { 0 };
	uint64_t args[6] = { engine_get(k->engine, REG_RDI), engine_get(k->engine, REG_RSI),
			     engine_get(k->engine, REG_RDX), engine_get(k->engine, REG_R10) };

	if (!call_wanted(k, TRACE_VDSO, nr[f], caller, engine_get(k->engine, REG_RIP), false, cycles16))
		return;
	begin(k, &b, "[vdso]");
	/* The arguments are the system call's, but for the caller's state (by the C convention). */
	syscall_format_entry(k, nr[f], args, &b);
	if (f == VDSO_GETRANDOM)
		buf_printf(&b, ", %#lx, %lu", (unsigned long)engine_get(k->engine, REG_RCX),
			   (unsigned long)engine_get(k->engine, REG_R8));
	buf_printf(&b, ") @%#lx", (unsigned long)caller);
	cycles(&b, cycles16);
	end(k, &b);
}

void trace_syscall(struct kernel *k, unsigned nr, const uint64_t args[6], int64_t ret, uint32_t cycles16)
{
	struct buf b = { 0 };

	if (!call_wanted(k, TRACE_SYSCALL, nr < SYSCALL_COUNT ? (int)nr : -1, engine_get(k->engine, REG_RIP), 0,
			 ret < 0 && ret >= -4095, cycles16))
		return;
	begin(k, &b, "[sys]");
	syscall_format(k, nr, args, ret, &b);
	cycles(&b, cycles16);
	end(k, &b);
}

void trace_signal(struct kernel *k, const uint8_t *info)
{
	struct buf b = { 0 };
	int32_t signo;

	if (!wanted(k, TRACE_SIGNAL))
		return;
	memcpy(&signo, info, sizeof(signo));
	begin(k, &b, "[sig]");
	buf_printf(&b, "--- ");
	format_signal(&b, signo);
	buf_printf(&b, " ");
	format_siginfo(&b, info);
	buf_printf(&b, " ---");
	end(k, &b);
}

void trace_fault(struct kernel *k, const struct trap *t)
{
	struct buf b = { 0 };

	if (!wanted(k, TRACE_FAULT))
		return;
	begin(k, &b, "[flt]");
	buf_printf(&b, "vector %u error %#x addr %#lx rip %#lx", t->vector, t->error_code, (unsigned long)t->addr,
		   (unsigned long)t->rip);
	end(k, &b);
}

void trace_exit(struct kernel *k)
{
	struct buf b = { 0 };

	if (!k->trace || k->trace->counts)
		return;
	begin(k, &b, "");
	if (k->outcome.kind == OUTCOME_SIGNAL) {
		buf_printf(&b, "+++ killed by ");
		format_signal(&b, k->outcome.status);
		buf_printf(&b, " +++");
	} else if (k->outcome.kind == OUTCOME_LIMIT) {
		buf_printf(&b, "+++ stopped by a limit +++");
	} else {
		buf_printf(&b, "+++ exited with %d +++", k->outcome.status);
	}
	end(k, &b);
}

void trace_enter(struct kernel *k, unsigned nr, const uint64_t args[6], uint32_t cycles16)
{
	struct trace *t = k->trace;
	gaddr rip = engine_get(k->engine, REG_RIP);
	int64_t rax = 0;
	struct buf b = { 0 };

	if (nr != SYS_execve && nr != SYS_execveat) {
		if (nr != SYS_rt_sigreturn) {
			trace_syscall(k, nr, args, SYSCALL_NORETURN, 0);
			return;
		}
		/* The frame is gone afterwards, and no result is stored. */
		if (!call_wanted(k, TRACE_SYSCALL, (int)nr, rip, 0, false, cycles16))
			return;
		begin(k, &b, "[sys]");
		buf_printf(&b, "rt_sigreturn({mask=");
		format_sigset(k, &b, engine_get(k->engine, REG_RSP) + SIGFRAME_MASK);
		buf_printf(&b, "})");
		if (!memory_read(k->mem, &rax, engine_get(k->engine, REG_RSP) + SIGFRAME_RAX, sizeof(rax)))
			syscall_format_result(k, nr, args, rax, &b);
		cycles(&b, cycles16);
		end(k, &b);
		return;
	}
	if (!t)
		return;
	buf_free(&t->exec);
	t->exec_nr = nr;
	t->exec_cycles16 = cycles16;
	t->exec_wanted = filter_call(t->filter, k, TRACE_SYSCALL, syscall_name(nr), rip, 0);
	if (t->exec_wanted && !t->counts)
		syscall_format_entry(k, nr, args, &t->exec);
}

void trace_exec(struct kernel *k, int64_t ret)
{
	struct trace *t = k->trace;
	struct buf b = { 0 };

	if (!t)
		return;
	if (!ret)
		filter_moved(t->filter);
	if (t->exec_wanted && t->counts) {
		count(t, TRACE_SYSCALL, (int)t->exec_nr, ret < 0, t->exec_cycles16);
	} else if (t->exec_wanted) {
		begin(k, &b, "[sys]");
		buf_printf(&b, "%s)", t->exec.data);
		syscall_format_result(k, t->exec_nr, NULL, ret, &b);
		cycles(&b, t->exec_cycles16);
		end(k, &b);
	}
	buf_free(&t->exec);
}

void trace_start(struct kernel *k, const char *path, char *const *argv, char *const *envp)
{
	struct buf b = { 0 };
	unsigned n = 0;

	while (envp && envp[n])
		n++;
	if (!call_wanted(k, TRACE_SYSCALL, SYS_execve, 0, 0, false, 0))
		return;
	begin(k, &b, "[sys]");
	buf_printf(&b, "execve(");
	format_text(&b, path, strlen(path));
	buf_printf(&b, ", [");
	for (unsigned i = 0; argv[i]; i++) {
		buf_printf(&b, i ? ", " : "");
		format_text(&b, argv[i], strlen(argv[i]));
	}
	buf_printf(&b, "], %u vars) = 0", n);
	end(k, &b);
}

struct line {
	const char *name, *mark;
	uint64_t calls, errors, cycles16;
};

static int by_cycles(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->cycles16 != y->cycles16)
		return x->cycles16 < y->cycles16 ? 1 : -1;
	return x->calls < y->calls ? 1 : x->calls > y->calls ? -1 : strcmp(x->name, y->name);
}

static void put_line(const struct kernel *k, const struct line *l, uint64_t all, struct buf *b)
{
	double seconds = (double)l->cycles16 / 16 / (double)k->model->cpu->core_hz;
	char errors[24] = "";

	if (l->errors)
		snprintf(errors, sizeof(errors), "%lu", (unsigned long)l->errors);
	buf_printf(b, "%6.2f %11.9f %11.3f %9lu %9s %s%s\n", all ? 100.0 * (double)l->cycles16 / (double)all : 0.0, seconds,
		   l->calls ? seconds * 1e6 / (double)l->calls : 0.0, (unsigned long)l->calls, errors, l->name,
		   l->mark);
}

void trace_summary(struct kernel *k)
{
	static const char *const marks[COUNT_PATHS] = { " [vsys]", " [vdso]", "" };
	static const char rule[] = "------ ----------- ----------- --------- --------- ----------------\n";
	struct line all = { "total", "", 0, 0, 0 };
	VEC(struct line) list = { 0 };
	struct buf b = { 0 };

	if (!k->trace || !k->trace->counts)
		return;
	for (unsigned p = 0; p < COUNT_PATHS; p++)
		for (unsigned nr = 0; nr < SYSCALL_COUNT; nr++) {
			const struct count *c = &k->trace->counts->at[p][nr];
			const char *name = syscall_name(nr);

			if (!c->calls)
				continue;
			VEC_PUSH(&list, ((struct line){ name ? name : "?", marks[p], c->calls, c->errors, c->cycles16 }));
			all.calls += c->calls;
			all.errors += c->errors;
			all.cycles16 += c->cycles16;
		}
	if (list.n)
		qsort(list.at, list.n, sizeof(*list.at), by_cycles);
	buf_printf(&b, "%% time     seconds  usecs/call     calls    errors syscall\n%s", rule);
	for (size_t i = 0; i < list.n; i++)
		put_line(k, &list.at[i], all.cycles16, &b);
	buf_printf(&b, "%s", rule);
	put_line(k, &all, all.cycles16, &b);
	if (write(k->log_fd, b.data, b.len) < 0)
		b.len = 0; /* nobody listens */
	VEC_FREE(&list);
	buf_free(&b);
}
