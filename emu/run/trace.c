/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The trace: see trace.h.  A line is written with one call, so that those of several processes stay whole. */
#include "run/trace.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/pids.h"
#include "kernel/syscall.h"

struct trace {
	unsigned what;
};

static const struct {
	const char *word;
	unsigned bit;
} words[] = {
	{ "vsyscall", TRACE_VSYSCALL }, { "vdso", TRACE_VDSO }, { "syscall", TRACE_SYSCALL },
	{ "signal", TRACE_SIGNAL }, { "fault", TRACE_FAULT },
};

unsigned trace_parse(const char *text, struct err *e)
{
	unsigned all = 0;

	if (!*text)
		return TRACE_VSYSCALL | TRACE_VDSO | TRACE_SYSCALL | TRACE_SIGNAL | TRACE_FAULT;
	while (*text) {
		size_t n = strcspn(text, ",");
		unsigned bit = 0;

		for (size_t i = 0; i < ARRAY_SIZE(words); i++)
			if (strlen(words[i].word) == n && !strncmp(words[i].word, text, n))
				bit = words[i].bit;
		if (!bit) {
			err_set(e, "--trace: '%.*s' is none of vsyscall, vdso, syscall, signal, fault", (int)n, text);
			return 0;
		}
		all |= bit;
		text += n + (text[n] == ',');
	}
	return all;
}

struct trace *trace_new(unsigned what)
{
	struct trace *t;

	if (!what)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->what = what;
	return t;
}

void trace_free(struct trace *t)
{
	free(t);
}

static bool wanted(const struct kernel *k, unsigned bit)
{
	return k->trace && k->trace->what & bit;
}

static void begin(struct kernel *k, struct buf *b, const char *mark)
{
	if (!pids_is_first(k))
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
		buf_printf(b, " <%u.%02u cycles>", cycles16 / 16, cycles16 % 16 * 100 / 16);
}

void trace_vsyscall(struct kernel *k, const struct page_event *ev, gaddr entry, uint32_t cycles16)
{
	static const unsigned nr[] = { 96, 201, 309 };
	struct buf b = { 0 };

	if (!wanted(k, TRACE_VSYSCALL))
		return;
	begin(k, &b, "[vsys]");
	if (ev->nr >= 0) {
		uint64_t args[6] = { ev->args[0], ev->args[1], ev->args[2] };

		if (ev->refused)
			buf_printf(&b, "%s(%#lx, %#lx) = ?", syscall_name(nr[ev->nr]), (unsigned long)args[0],
				   (unsigned long)args[1]);
		else
			syscall_format(k, nr[ev->nr], args, ev->result, &b);
	} else {
		buf_printf(&b, "%#lx() = ?", (unsigned long)entry);
	}
	buf_printf(&b, " @%#lx", (unsigned long)ev->caller);
	cycles(&b, cycles16);
	end(k, &b);
}

void trace_vdso(struct kernel *k, enum vdso_function f, gaddr caller, uint32_t cycles16)
{
	struct buf b = { 0 };
	uint64_t rdi = engine_get(k->engine, REG_RDI), rsi = engine_get(k->engine, REG_RSI);

	if (!wanted(k, TRACE_VDSO))
		return;
	begin(k, &b, "[vdso]");
	buf_printf(&b, "%s(%#lx, %#lx) @%#lx", f == VDSO_GETRANDOM ? "getrandom" : time_call_name((enum time_call)f),
		   (unsigned long)rdi, (unsigned long)rsi, (unsigned long)caller);
	cycles(&b, cycles16);
	end(k, &b);
}

void trace_syscall(struct kernel *k, unsigned nr, const uint64_t args[6], int64_t ret, uint32_t cycles16)
{
	struct buf b = { 0 };

	if (!wanted(k, TRACE_SYSCALL))
		return;
	begin(k, &b, "[sys]");
	syscall_format(k, nr, args, ret, &b);
	cycles(&b, cycles16);
	end(k, &b);
}

void trace_signal(struct kernel *k, const uint8_t *info)
{
	struct buf b = { 0 };
	int32_t signo, code;
	gaddr addr;

	if (!wanted(k, TRACE_SIGNAL))
		return;
	memcpy(&signo, info, 4);
	memcpy(&code, info + 8, 4);
	memcpy(&addr, info + 16, 8);
	begin(k, &b, "[sig]");
	buf_printf(&b, "--- SIG%s {si_code=%d", sigabbrev_np(signo) ? sigabbrev_np(signo) : "RT", code);
	if (code > 0 && (signo == SIGSEGV || signo == SIGBUS || signo == SIGILL || signo == SIGFPE || signo == SIGTRAP))
		buf_printf(&b, ", si_addr=%#lx", (unsigned long)addr);
	buf_printf(&b, "} ---");
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

	if (!k->trace)
		return;
	begin(k, &b, "");
	if (k->outcome.kind == OUTCOME_SIGNAL)
		buf_printf(&b, "+++ killed by SIG%s +++",
			   sigabbrev_np(k->outcome.status) ? sigabbrev_np(k->outcome.status) : "RT");
	else
		buf_printf(&b, "+++ exited with %d +++", k->outcome.status);
	end(k, &b);
}
