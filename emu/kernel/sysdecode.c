/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Structures and commands in arguments of system calls as strace shows them: see sysformat.h. */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <sys/utsname.h>
#include <sys/wait.h>

#include "kernel/signal.h"
#include "kernel/sysformat.h"

#define SHOWN 32u /* elements of an array */

static void mode(struct buf *b, uint32_t m)
{
	xlat_value(b, xlat_filetype, m & S_IFMT);
	buf_printf(b, "|%s%s%s%#03o", m & S_ISUID ? "S_ISUID|" : "", m & S_ISGID ? "S_ISGID|" : "", m & S_ISVTX ? "S_ISVTX|" : "",
		   m & 0777);
}

static void file(struct buf *b, uint32_t m, dev_t device, uint64_t size)
{
	buf_printf(b, "{st_mode=");
	mode(b, m);
	if (S_ISCHR(m) || S_ISBLK(m))
		buf_printf(b, ", st_rdev=makedev(%#x, %#x), ...}", major(device), minor(device));
	else
		buf_printf(b, ", st_size=%lu, ...}", (unsigned long)size);
}

static void put_stat(struct kernel *k, struct buf *b, gaddr p, bool there)
{
	struct stat s;

	FORMAT_TAKE(k, b, p, there, s);
	file(b, s.st_mode, s.st_rdev, (uint64_t)s.st_size);
}

static void put_statx(struct kernel *k, struct buf *b, gaddr p, bool there)
{
	struct statx s;

	FORMAT_TAKE(k, b, p, there, s);
	buf_printf(b, "{stx_mask=%#x, stx_attributes=%#llx, stx_mode=", s.stx_mask, (unsigned long long)s.stx_attributes);
	mode(b, s.stx_mode);
	buf_printf(b, ", stx_size=%llu, ...}", (unsigned long long)s.stx_size);
}

static void put_action(struct kernel *k, struct buf *b, gaddr p, bool there)
{
	struct {
		uint64_t handler, flags, restorer, mask;
	} s;

	FORMAT_TAKE(k, b, p, there, s);
	buf_printf(b, "{sa_handler=");
	if (s.handler < 2)
		buf_printf(b, "%s", s.handler ? "SIG_IGN" : "SIG_DFL");
	else
		format_pointer(b, s.handler);
	buf_printf(b, ", sa_mask=");
	format_sigset(k, b, p + 24);
	buf_printf(b, ", sa_flags=");
	xlat_flags(b, xlat_sigaction, s.flags);
	if (s.flags & 0x04000000) {
		buf_printf(b, ", sa_restorer=");
		format_pointer(b, s.restorer);
	}
	buf_printf(b, "}");
}

/* Two pairs: interval and value. */
static void put_interval(struct kernel *k, struct buf *b, gaddr p, const char *part, bool there)
{
	uint64_t v[4];

	FORMAT_TAKE(k, b, p, there, v);
	buf_printf(b, "{it_interval=");
	format_pair(k, b, p, "tv_sec", part);
	buf_printf(b, ", it_value=");
	format_pair(k, b, p + 16, "tv_sec", part);
	buf_printf(b, "}");
}

static void limit(struct buf *b, const char *name, uint64_t v)
{
	if (v == UINT64_MAX)
		buf_printf(b, "%s=RLIM64_INFINITY", name);
	else if (v && v % 1024 == 0)
		buf_printf(b, "%s=%lu*1024", name, (unsigned long)(v / 1024));
	else
		buf_printf(b, "%s=%lu", name, (unsigned long)v);
}

static void put_rlimit(struct kernel *k, struct buf *b, gaddr p, bool there)
{
	uint64_t v[2];

	FORMAT_TAKE(k, b, p, there, v);
	buf_printf(b, "{");
	limit(b, "rlim_cur", v[0]);
	buf_printf(b, ", ");
	limit(b, "rlim_max", v[1]);
	buf_printf(b, "}");
}

static void put_rusage(struct kernel *k, struct buf *b, gaddr p, bool there)
{
	uint64_t v[4];

	FORMAT_TAKE(k, b, p, there, v);
	buf_printf(b, "{ru_utime=");
	format_pair(k, b, p, "tv_sec", "tv_usec");
	buf_printf(b, ", ru_stime=");
	format_pair(k, b, p + 16, "tv_sec", "tv_usec");
	buf_printf(b, ", ...}");
}

static void put_status(struct kernel *k, struct buf *b, gaddr p, bool there)
{
	int32_t s;

	FORMAT_TAKE(k, b, p, there, s);
	if (WIFEXITED(s)) {
		buf_printf(b, "[{WIFEXITED(s) && WEXITSTATUS(s) == %d}]", WEXITSTATUS(s));
	} else if (WIFSTOPPED(s)) {
		buf_printf(b, "[{WIFSTOPPED(s) && WSTOPSIG(s) == ");
		format_signal(b, WSTOPSIG(s));
		buf_printf(b, "}]");
	} else if (WIFSIGNALED(s)) {
		buf_printf(b, "[{WIFSIGNALED(s) && WTERMSIG(s) == ");
		format_signal(b, WTERMSIG(s));
		buf_printf(b, "%s}]", WCOREDUMP(s) ? " && WCOREDUMP(s)" : "");
	} else {
		buf_printf(b, "[%#x]", (unsigned)s);
	}
}

static void put_names(struct kernel *k, struct buf *b, gaddr p, bool there)
{
	struct utsname u;

	FORMAT_TAKE(k, b, p, there, u);
	buf_printf(b, "{sysname=\"%.64s\", nodename=\"%.64s\", release=\"%.64s\", ...}", u.sysname, u.nodename, u.release);
}

/* @revents: those with an answer, and it; else all with their question. */
static void put_poll(struct kernel *k, struct buf *b, gaddr p, uint64_t n, bool revents)
{
	struct pollfd f;
	const char *sep = "";

	if (!p) {
		format_pointer(b, p);
		return;
	}
	buf_printf(b, "[");
	for (uint64_t i = 0; i < n && i < SHOWN && !memory_read(k->mem, &f, p + i * sizeof(f), sizeof(f)); i++) {
		if (revents && !f.revents)
			continue;
		buf_printf(b, "%s{fd=%d, %s=", sep, f.fd, revents ? "revents" : "events");
		xlat_flags(b, xlat_poll, (uint16_t)(revents ? f.revents : f.events));
		buf_printf(b, "}");
		sep = ", ";
	}
	buf_printf(b, "%s]", n > SHOWN ? ", ..." : "");
}

static void put_epoll(struct kernel *k, struct buf *b, gaddr p, uint64_t n)
{
	struct epoll_event e;

	for (uint64_t i = 0; i < n && i < SHOWN && !memory_read(k->mem, &e, p + i * sizeof(e), sizeof(e)); i++) {
		buf_printf(b, "%s{events=", i ? ", " : "");
		xlat_flags(b, xlat_epoll, e.events);
		buf_printf(b, ", data={u32=%u, u64=%lu}}", e.data.u32, (unsigned long)e.data.u64);
	}
}

/* Bits of the set of descriptors or processors at @p. */
static void put_bits(struct kernel *k, struct buf *b, gaddr p, uint64_t bits)
{
	const char *sep = "";
	uint8_t c;

	if (!p) {
		format_pointer(b, p);
		return;
	}
	buf_printf(b, "[");
	for (uint64_t i = 0; i < bits && i < 1024; i++) {
		if (memory_read(k->mem, &c, p + i / 8, 1))
			break;
		if (c >> (i % 8) & 1) {
			buf_printf(b, "%s%lu", sep, (unsigned long)i);
			sep = " ";
		}
	}
	buf_printf(b, "]");
}

bool sysdecode_arg(struct kernel *k, unsigned nr, const uint64_t a[6], unsigned i, int64_t ret, struct buf *b)
{
	bool there = ret >= 0;

	if (sysdecode_socket(k, nr, a, i, ret, b))
		return true;
	switch (nr << 4 | i) {
	case SYS_stat << 4 | 1:
	case SYS_lstat << 4 | 1:
	case SYS_fstat << 4 | 1: put_stat(k, b, a[1], there); return true;
	case SYS_newfstatat << 4 | 2: put_stat(k, b, a[2], there); return true;
	case SYS_statx << 4 | 4: put_statx(k, b, a[4], there); return true;
	case SYS_rt_sigaction << 4 | 1: put_action(k, b, a[1], true); return true;
	case SYS_rt_sigaction << 4 | 2: put_action(k, b, a[2], there); return true;
	case SYS_rt_sigprocmask << 4 | 2:
		if (there)
			format_sigset(k, b, a[2]);
		else
			format_pointer(b, a[2]);
		return true;
	case SYS_poll << 4 | 0:
	case SYS_ppoll << 4 | 0: put_poll(k, b, a[0], a[1], false); return true;
	case SYS_epoll_ctl << 4 | 3:
		if (a[3] && (int)a[1] != EPOLL_CTL_DEL)
			put_epoll(k, b, a[3], 1);
		else
			format_pointer(b, a[3]);
		return true;
	case SYS_epoll_wait << 4 | 1:
	case SYS_epoll_pwait << 4 | 1:
		if (!there) {
			format_pointer(b, a[1]);
			return true;
		}
		buf_printf(b, "[");
		put_epoll(k, b, a[1], (uint64_t)ret);
		buf_printf(b, "]");
		return true;
	/* The sets and the time are the answer's by now: told behind it. */
	case SYS_select << 4 | 1:
	case SYS_select << 4 | 2:
	case SYS_select << 4 | 3:
	case SYS_select << 4 | 4:
	case SYS_pselect6 << 4 | 1:
	case SYS_pselect6 << 4 | 2:
	case SYS_pselect6 << 4 | 3:
	case SYS_pselect6 << 4 | 4: format_pointer(b, a[i]); return true;
	case SYS_ppoll << 4 | 2: format_pair(k, b, a[2], "tv_sec", "tv_nsec"); return true;
	case SYS_setitimer << 4 | 1: put_interval(k, b, a[1], "tv_usec", true); return true;
	case SYS_getitimer << 4 | 1: put_interval(k, b, a[1], "tv_usec", there); return true;
	case SYS_setitimer << 4 | 2: put_interval(k, b, a[2], "tv_usec", there); return true;
	case SYS_timerfd_settime << 4 | 2:
	case SYS_timer_settime << 4 | 2: put_interval(k, b, a[2], "tv_nsec", true); return true;
	case SYS_timerfd_settime << 4 | 3:
	case SYS_timer_settime << 4 | 3: put_interval(k, b, a[3], "tv_nsec", there); return true;
	case SYS_timerfd_gettime << 4 | 1:
	case SYS_timer_gettime << 4 | 1: put_interval(k, b, a[1], "tv_nsec", there); return true;
	case SYS_setrlimit << 4 | 1: put_rlimit(k, b, a[1], true); return true;
	case SYS_getrlimit << 4 | 1: put_rlimit(k, b, a[1], there); return true;
	case SYS_prlimit64 << 4 | 2: put_rlimit(k, b, a[2], true); return true;
	case SYS_prlimit64 << 4 | 3: put_rlimit(k, b, a[3], there); return true;
	case SYS_getrusage << 4 | 1: put_rusage(k, b, a[1], there); return true;
	case SYS_wait4 << 4 | 1: put_status(k, b, a[1], ret > 0); return true;
	case SYS_wait4 << 4 | 3: put_rusage(k, b, a[3], ret > 0); return true;
	case SYS_uname << 4 | 0: put_names(k, b, a[0], there); return true;
	case SYS_sched_getaffinity << 4 | 2:
		if (there)
			put_bits(k, b, a[2], 8 * (uint64_t)ret);
		else
			format_pointer(b, a[2]);
		return true;
	case SYS_sched_setaffinity << 4 | 2: put_bits(k, b, a[2], 8 * (uint64_t)(uint32_t)a[1]); return true;
	case SYS_pipe2 << 4 | 1:
	case SYS_dup3 << 4 | 2: xlat_flags(b, xlat_new_fd, a[i]); return true;
	case SYS_epoll_create1 << 4 | 0: xlat_flags(b, xlat_epoll_create, a[0]); return true;
	case SYS_inotify_init1 << 4 | 0: xlat_flags(b, xlat_inotify, a[0]); return true;
	case SYS_timerfd_create << 4 | 1: xlat_flags(b, xlat_timerfd, a[1]); return true;
	case SYS_signalfd4 << 4 | 3: xlat_flags(b, xlat_signalfd, a[3]); return true;
	case SYS_statx << 4 | 3: xlat_flags(b, xlat_statx, a[3]); return true;
	case SYS_eventfd2 << 4 | 1: xlat_flags(b, xlat_eventfd, a[1]); return true;
	case SYS_accept4 << 4 | 3: xlat_flags(b, xlat_socket_type, a[3]); return true;
	default:
		return sysdecode_command(k, nr, a, i, ret, b);
	}
}

/* "= 2 (in [3], out [4])" */
static void put_ready(struct kernel *k, const uint64_t a[6], int64_t ret, struct buf *b)
{
	static const char *const names[] = { "in", "out", "except" };
	const char *sep = " (";

	buf_printf(b, " = %ld", (long)ret);
	for (unsigned i = 0; i < 3; i++) {
		if (!a[i + 1])
			continue;
		buf_printf(b, "%s%s ", sep, names[i]);
		put_bits(k, b, a[i + 1], (uint32_t)a[0]);
		sep = ", ";
	}
	buf_printf(b, "%s", sep[0] == ',' ? ")" : "");
}

bool sysdecode_result(struct kernel *k, unsigned nr, const uint64_t a[6], int64_t ret, struct buf *b)
{
	bool waits = nr == SYS_poll || nr == SYS_ppoll || nr == SYS_select || nr == SYS_pselect6;

	if (nr == SYS_fcntl && (int)a[1] == F_GETFL && ret >= 0) {
		buf_printf(b, " = %#lx (flags ", (unsigned long)ret);
		xlat_flags(b, xlat_open, (uint64_t)ret);
		buf_printf(b, ")");
	} else if (nr == SYS_fcntl && (int)a[1] == F_GETFD && ret == FD_CLOEXEC) {
		buf_printf(b, " = 0x1 (flags FD_CLOEXEC)");
	} else if (nr == SYS_umask && ret >= 0) {
		buf_printf(b, " = %#lo", (unsigned long)ret);
	} else if (waits && !ret) {
		buf_printf(b, " = 0 (Timeout)");
	} else if ((nr == SYS_poll || nr == SYS_ppoll) && ret > 0) {
		buf_printf(b, " = %ld (", (long)ret);
		put_poll(k, b, a[0], a[1], true);
		buf_printf(b, ")");
	} else if (waits && ret > 0) {
		put_ready(k, a, ret, b);
	} else {
		return false;
	}
	return true;
}
