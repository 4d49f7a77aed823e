/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A system call as strace would print it, from its row of the table. */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "kernel/kernel.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/sysformat.h"
#include "kernel/xlat.h"

#define STRING_SHOWN 32u
#define VECTOR_SHOWN 8u
#define ERRNO_MAX_KERNEL 4095

void format_text(struct buf *b, const char *s, size_t n)
{
	buf_add(b, "\"", 1);
	for (size_t i = 0; i < n; i++) {
		unsigned char c = (unsigned char)s[i];

		switch (c) {
		case '\n': buf_printf(b, "\\n"); break;
		case '\t': buf_printf(b, "\\t"); break;
		case '\r': buf_printf(b, "\\r"); break;
		case '"': buf_printf(b, "\\\""); break;
		case '\\': buf_printf(b, "\\\\"); break;
		default:
			if (isprint(c))
				buf_add(b, &s[i], 1);
			else if (i + 1 < n && isdigit((unsigned char)s[i + 1]))
				buf_printf(b, "\\%03o", c);
			else
				buf_printf(b, "\\%o", c);
			break;
		}
	}
	buf_add(b, "\"", 1);
}

void format_pointer(struct buf *b, uint64_t v)
{
	if (v)
		buf_printf(b, "%#lx", (unsigned long)v);
	else
		buf_printf(b, "NULL");
}

void format_path(struct kernel *k, struct buf *b, gaddr p)
{
	char s[4096];
	int64_t n = p ? memory_read_string(k->mem, s, p, sizeof(s)) : -EFAULT;

	if (n < 0)
		format_pointer(b, p);
	else
		format_text(b, s, (size_t)n);
}

void format_bytes(struct kernel *k, struct buf *b, gaddr p, uint64_t n)
{
	char s[STRING_SHOWN];
	size_t shown = n < STRING_SHOWN ? (size_t)n : STRING_SHOWN;

	if (!p || memory_read(k->mem, s, p, shown)) {
		format_pointer(b, p);
		return;
	}
	format_text(b, s, shown);
	if (shown < n)
		buf_printf(b, "...");
}

static void add_argv(struct kernel *k, struct buf *b, gaddr p)
{
	gaddr s;

	buf_add(b, "[", 1);
	for (unsigned i = 0; p && !memory_read(k->mem, &s, p, 8) && s; i++, p += 8) {
		if (i)
			buf_printf(b, ", ");
		if (i == VECTOR_SHOWN) {
			buf_printf(b, "...");
			break;
		}
		format_path(k, b, s);
	}
	buf_add(b, "]", 1);
}

void format_pair(struct kernel *k, struct buf *b, gaddr p, const char *first, const char *second)
{
	int64_t v[2];

	if (!p || memory_read(k->mem, v, p, sizeof(v)))
		format_pointer(b, p);
	else
		buf_printf(b, "{%s=%lld, %s=%lld}", first, (long long)v[0], second, (long long)v[1]);
}

void format_signal(struct buf *b, int signo)
{
	if (signo > 0 && signo <= SIG_MAX && sigabbrev_np(signo))
		buf_printf(b, "SIG%s", sigabbrev_np(signo));
	else if (signo > 31 && signo <= SIG_MAX)
		buf_printf(b, signo == 32 ? "SIGRTMIN" : "SIGRT_%d", signo - 32);
	else
		buf_printf(b, "%d", signo);
}

void format_sigset(struct kernel *k, struct buf *b, gaddr p)
{
	uint64_t set;
	const char *sep = "";

	if (!p || memory_read(k->mem, &set, p, 8)) {
		format_pointer(b, p);
		return;
	}
	/* Of a set with most signals in it, those that are not. */
	if (__builtin_popcountll(set) > SIG_MAX / 2) {
		buf_printf(b, "~");
		set = ~set;
	}
	buf_printf(b, "[");
	for (int s = 1; s <= SIG_MAX; s++)
		if (set & SIGBIT(s)) {
			if (sigabbrev_np(s))
				buf_printf(b, "%s%s", sep, sigabbrev_np(s));
			else
				buf_printf(b, s == 32 ? "%sRTMIN" : "%sRT_%d", sep, s - 32);
			sep = " ";
		}
	buf_printf(b, "]");
}

void format_iovec(struct kernel *k, struct buf *b, gaddr p, uint64_t n)
{
	uint64_t v[2];

	buf_printf(b, "[");
	for (uint64_t i = 0; i < n && !memory_read(k->mem, v, p + 16 * i, 16); i++) {
		if (i == VECTOR_SHOWN) {
			buf_printf(b, ", ...");
			break;
		}
		buf_printf(b, "%s{iov_base=", i ? ", " : "");
		format_bytes(k, b, v[0], v[1]);
		buf_printf(b, ", iov_len=%lu}", (unsigned long)v[1]);
	}
	buf_printf(b, "]");
}

static uint64_t length_of(const struct sysrow *row, const uint64_t a[6], unsigned i, int64_t ret)
{
	const struct arg *g = &row->arg[i];
	uint64_t n = g->len_arg ? a[g->len_arg - 1] * (g->size ? g->size : 1) : g->size;

	/* What the kernel filled is as long as the result says, where bytes are counted. */
	if (g->kind == ARG_OUT && g->len_arg && g->size <= 1 && ret >= 0 && (uint64_t)ret < n)
		n = (uint64_t)ret;
	return n;
}

static void add_arg(struct kernel *k, struct buf *b, const struct sysrow *row, const uint64_t a[6], unsigned i,
		    int64_t ret)
{
	const struct arg *g = &row->arg[i];
	bool failed = ret < 0;
	uint64_t v = a[i];
	int32_t pair[2];

	switch (g->kind) {
	case ARG_INT:
	case ARG_FD:
	case ARG_PID:
		buf_printf(b, "%d", (int)v);
		break;
	case ARG_DIRFD:
		if ((int)v == -100)
			buf_printf(b, "AT_FDCWD");
		else
			buf_printf(b, "%d", (int)v);
		break;
	case ARG_UINT:
		buf_printf(b, "%u", (unsigned)v);
		break;
	case ARG_LONG:
		buf_printf(b, "%ld", (long)v);
		break;
	case ARG_SIZE:
		buf_printf(b, "%lu", (unsigned long)v);
		break;
	case ARG_MODE:
		buf_printf(b, "%#o", (unsigned)v);
		break;
	case ARG_SIGNO:
		format_signal(b, (int)v);
		break;
	case ARG_FLAGS:
		xlat_flags(b, g->names, v);
		break;
	case ARG_ENUM:
		xlat_value(b, g->names, v);
		break;
	case ARG_CLOCKID:
		xlat_value(b, xlat_clockid, (uint64_t)(int64_t)(int32_t)v);
		break;
	case ARG_PATH:
	case ARG_NAME:
	case ARG_STR:
		format_path(k, b, v);
		break;
	case ARG_IN:
		format_bytes(k, b, v, length_of(row, a, i, ret));
		break;
	case ARG_OUT:
		if (failed || !g->len_arg || g->size > 1)
			format_pointer(b, v);
		else
			format_bytes(k, b, v, length_of(row, a, i, ret));
		break;
	case ARG_TIMESPEC_IN:
		format_pair(k, b, v, "tv_sec", "tv_nsec");
		break;
	case ARG_TIMESPEC_OUT:
		failed ? format_pointer(b, v) : format_pair(k, b, v, "tv_sec", "tv_nsec");
		break;
	case ARG_TIMEVAL_OUT:
		failed ? format_pointer(b, v) : format_pair(k, b, v, "tv_sec", "tv_usec");
		break;
	case ARG_SIGSET_IN:
		format_sigset(k, b, v);
		break;
	case ARG_ARGV:
		add_argv(k, b, v);
		break;
	case ARG_IOVEC_IN:
	case ARG_IOVEC_OUT:
		format_iovec(k, b, v, i + 1 < 6 ? a[i + 1] : 0);
		break;
	case ARG_INT_OUT:
		if (failed || !v || memory_read(k->mem, pair, v, 4))
			format_pointer(b, v);
		else
			buf_printf(b, "[%d]", pair[0]);
		break;
	case ARG_FDPAIR_OUT:
		if (failed || memory_read(k->mem, pair, v, 8))
			format_pointer(b, v);
		else
			buf_printf(b, "[%d, %d]", pair[0], pair[1]);
		break;
	case ARG_PTR:
		format_pointer(b, v);
		break;
	default:
		buf_printf(b, "%#lx", (unsigned long)v);
		break;
	}
}

/* open() without O_CREAT and O_TMPFILE does not look at its mode. */
static bool mode_unused(const struct sysrow *row, const uint64_t a[6], unsigned i)
{
	return i && row->arg[i - 1].names == xlat_open && !(a[i - 1] & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY)));
}

/* What stands before the result.  @ret negative: what the kernel would fill is told by its address. */
static void add_call(struct kernel *k, unsigned nr, const uint64_t args[6], int64_t ret, struct buf *b)
{
	const struct sysrow *row = sys_row(nr);
	int count = sysdecode_count(nr, args);

	buf_printf(b, "%s(", row->name);
	for (unsigned i = 0; i < 6 && (count < 0 ? row->arg[i].kind != ARG_NONE : i < (unsigned)count); i++) {
		if (row->arg[i].kind == ARG_MODE && mode_unused(row, args, i))
			break;
		if (i)
			buf_printf(b, ", ");
		if (!sysdecode_arg(k, nr, args, i, ret, b))
			add_arg(k, b, row, args, i, ret);
	}
}

void syscall_format_entry(struct kernel *k, unsigned nr, const uint64_t args[6], struct buf *b)
{
	add_call(k, nr, args, -1, b);
}

void syscall_format(struct kernel *k, unsigned nr, const uint64_t args[6], int64_t ret, struct buf *b)
{
	const struct sysrow *row = nr < SYSCALL_COUNT ? sys_row(nr) : NULL;

	if (!row) {
		buf_printf(b, "syscall_%#x(%#lx, %#lx, %#lx, %#lx, %#lx, %#lx)", nr, (unsigned long)args[0],
			   (unsigned long)args[1], (unsigned long)args[2], (unsigned long)args[3],
			   (unsigned long)args[4], (unsigned long)args[5]);
	} else {
		add_call(k, nr, args, ret, b);
		buf_add(b, ")", 1);
	}
	syscall_format_result(k, nr, args, ret, b);
}

void syscall_format_result(struct kernel *k, unsigned nr, const uint64_t args[6], int64_t ret, struct buf *b)
{
	const struct sysrow *row = nr < SYSCALL_COUNT ? sys_row(nr) : NULL;

	if (ret == SYSCALL_NORETURN)
		buf_printf(b, " = ?");
	else if (ret < 0 && ret >= -ERRNO_MAX_KERNEL)
		buf_printf(b, " = -1 %s (%s)", strerrorname_np((int)-ret) ? strerrorname_np((int)-ret) : "E?",
			   strerror((int)-ret));
	else if (row && args && sysdecode_result(k, nr, args, ret, b))
		;
	else if (row && row->flags & SYS_RET_PTR)
		buf_printf(b, " = %#lx", (unsigned long)ret);
	else
		buf_printf(b, " = %ld", (long)ret);
}
