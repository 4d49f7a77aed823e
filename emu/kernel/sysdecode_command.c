/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments whose meaning a command or flags decide (ioctl, fcntl, prctl, clone): see sysformat.h. */
#include <fcntl.h>
#include <sched.h>
#include <stddef.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <termios.h>

#include "kernel/sysformat.h"

static void put_ioctl(struct kernel *k, struct buf *b, const uint64_t a[6], int64_t ret)
{
	struct winsize w;
	struct termios t;
	int32_t n;

	switch ((uint32_t)a[1]) {
	case FIONREAD:
	case TIOCGPGRP:
	case TIOCGSID:
		FORMAT_TAKE(k, b, a[2], ret >= 0, n);
		buf_printf(b, "[%d]", n);
		break;
	case FIONBIO:
	case TIOCSPGRP:
		FORMAT_TAKE(k, b, a[2], true, n);
		buf_printf(b, "[%d]", n);
		break;
	case TIOCGWINSZ:
	case TIOCSWINSZ:
		FORMAT_TAKE(k, b, a[2], ret >= 0, w);
		buf_printf(b, "{ws_row=%u, ws_col=%u, ws_xpixel=%u, ws_ypixel=%u}", w.ws_row, w.ws_col, w.ws_xpixel, w.ws_ypixel);
		break;
	case TCGETS:
	case TCSETS:
	case TCSETSW:
	case TCSETSF:
		/* The kernel's structure begins as the C library's. */
		if (ret < 0 || memory_read(k->mem, &t, a[2], offsetof(struct termios, c_line))) {
			format_pointer(b, a[2]);
			break;
		}
		buf_printf(b, "{c_iflag=%#x, c_oflag=%#x, c_cflag=%#x, c_lflag=%#x, ...}", t.c_iflag, t.c_oflag, t.c_cflag, t.c_lflag);
		break;
	default:
		format_pointer(b, a[2]);
	}
}

static void put_lock(struct kernel *k, struct buf *b, gaddr p)
{
	static const char *const types[] = { "F_RDLCK", "F_WRLCK", "F_UNLCK" };
	struct flock f;

	FORMAT_TAKE(k, b, p, true, f);
	buf_printf(b, "{l_type=%s, l_whence=", f.l_type >= 0 && f.l_type < 3 ? types[f.l_type] : "?");
	xlat_value(b, xlat_whence, (uint64_t)f.l_whence);
	buf_printf(b, ", l_start=%ld, l_len=%ld}", (long)f.l_start, (long)f.l_len);
}

static void put_fcntl(struct kernel *k, struct buf *b, const uint64_t a[6])
{
	switch ((int)a[1]) {
	case F_SETFL:
		xlat_flags(b, xlat_open, a[2]);
		break;
	case F_SETFD:
		buf_printf(b, a[2] == FD_CLOEXEC ? "FD_CLOEXEC" : "%#lx", (unsigned long)a[2]);
		break;
	case F_GETLK:
	case F_SETLK:
	case F_SETLKW:
	case F_OFD_GETLK:
	case F_OFD_SETLK:
	case F_OFD_SETLKW:
		put_lock(k, b, a[2]);
		break;
	default:
		buf_printf(b, "%ld", (long)a[2]);
	}
}

/* Those that the flags make use of, by name: stack, flags, then parent_tid, tls, child_tidptr. */
static unsigned clone_args(uint64_t flags, uint8_t which[3])
{
	unsigned n = 0;

	if (flags & (CLONE_PARENT_SETTID | CLONE_PIDFD))
		which[n++] = 2;
	if (flags & CLONE_SETTLS)
		which[n++] = 4;
	if (flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		which[n++] = 3;
	return n;
}

int sysdecode_count(unsigned nr, const uint64_t a[6])
{
	uint8_t which[3];

	if (nr == SYS_rt_sigreturn)
		return 0;
	if (nr == SYS_clone)
		return 2 + (int)clone_args(a[0], which);
	if (nr == SYS_fcntl)
		return (int)a[1] == F_GETFL || (int)a[1] == F_GETFD || (int)a[1] == F_GETOWN || (int)a[1] == F_GETSIG ||
				       (int)a[1] == F_GETLEASE || (int)a[1] == F_GETPIPE_SZ || (int)a[1] == F_GET_SEALS ?
			       2 :
			       3;
	if (nr != SYS_prctl)
		return -1;
	switch ((int)a[0]) {
	case PR_GET_DUMPABLE:
	case PR_GET_KEEPCAPS:
	case PR_GET_SECCOMP:
	case PR_GET_TIMERSLACK:
	case PR_GET_TIMING:
		return 1;
	case PR_SET_NAME:
	case PR_GET_NAME:
	case PR_SET_DUMPABLE:
	case PR_SET_PDEATHSIG:
	case PR_GET_PDEATHSIG:
	case PR_SET_TIMERSLACK:
	case PR_SET_CHILD_SUBREAPER:
	case PR_SET_TSC:
	case PR_GET_TSC:
	case PR_CAPBSET_READ:
		return 2;
	default:
		return -1;
	}
}

static bool put_prctl(struct kernel *k, struct buf *b, const uint64_t a[6], unsigned i, int64_t ret)
{
	if (i != 1)
		return false;
	if ((int)a[0] == PR_SET_NAME || ((int)a[0] == PR_GET_NAME && ret >= 0))
		format_path(k, b, a[1]);
	else if ((int)a[0] == PR_SET_PDEATHSIG)
		format_signal(b, (int)a[1]);
	else
		return false;
	return true;
}

static void put_clone(struct kernel *k, struct buf *b, const uint64_t a[6], unsigned i, int64_t ret)
{
	static const char *const name[] = { "", "", "parent_tid=", "child_tidptr=", "tls=" };
	uint8_t which[3];
	int32_t tid;

	if (i == 0) {
		buf_printf(b, "child_stack=");
		format_pointer(b, a[1]);
	} else if (i == 1) {
		buf_printf(b, "flags=");
		/* The signal at the child's end is in the lowest byte. */
		if (a[0] & ~0xffull)
			xlat_flags(b, xlat_clone, a[0] & ~0xffull);
		if (a[0] & 0xff || !a[0]) {
			buf_printf(b, a[0] & ~0xffull ? "|" : "");
			format_signal(b, (int)(a[0] & 0xff));
		}
	} else {
		clone_args(a[0], which);
		buf_printf(b, "%s", name[which[i - 2]]);
		if (which[i - 2] == 2 && ret > 0 && !memory_read(k->mem, &tid, a[2], sizeof(tid)))
			buf_printf(b, "[%d]", tid);
		else
			format_pointer(b, a[which[i - 2]]);
	}
}

/* The first version of struct clone_args (uapi/linux/sched.h), whose fields all sizes have. */
static void put_clone3(struct kernel *k, struct buf *b, const uint64_t a[6], int64_t ret)
{
	struct {
		uint64_t flags, pidfd, child_tid, parent_tid, exit_signal, stack, stack_size, tls;
	} c;
	int32_t pidfd = 0, tid = 0;
	bool has_pidfd, has_tid;

	FORMAT_TAKE(k, b, a[0], a[1] >= sizeof(c), c);
	buf_printf(b, "{flags=");
	xlat_flags(b, xlat_clone, c.flags);
	has_pidfd = c.flags & CLONE_PIDFD;
	has_tid = c.flags & CLONE_PARENT_SETTID;
	if (has_pidfd)
		buf_printf(b, ", pidfd=%#lx", (unsigned long)c.pidfd);
	if (c.flags & (CLONE_CHILD_SETTID | CLONE_CHILD_CLEARTID))
		buf_printf(b, ", child_tid=%#lx", (unsigned long)c.child_tid);
	if (has_tid)
		buf_printf(b, ", parent_tid=%#lx", (unsigned long)c.parent_tid);
	buf_printf(b, ", exit_signal=");
	if (c.exit_signal && c.exit_signal < 65)
		format_signal(b, (int)c.exit_signal);
	else
		buf_printf(b, "%lu", (unsigned long)c.exit_signal);
	buf_printf(b, ", stack=");
	format_pointer(b, c.stack);
	buf_printf(b, ", stack_size=%#lx", (unsigned long)c.stack_size);
	if (c.flags & CLONE_SETTLS)
		buf_printf(b, ", tls=%#lx", (unsigned long)c.tls);
	buf_printf(b, "}");
	has_pidfd = has_pidfd && ret > 0 && !memory_read(k->mem, &pidfd, c.pidfd, sizeof(pidfd));
	has_tid = has_tid && ret > 0 && !memory_read(k->mem, &tid, c.parent_tid, sizeof(tid));
	if (has_pidfd || has_tid)
		buf_printf(b, " => {");
	if (has_pidfd)
		buf_printf(b, "pidfd=[%d]%s", pidfd, has_tid ? ", " : "");
	if (has_tid)
		buf_printf(b, "parent_tid=[%d]", tid);
	if (has_pidfd || has_tid)
		buf_printf(b, "}");
}

bool sysdecode_command(struct kernel *k, unsigned nr, const uint64_t a[6], unsigned i, int64_t ret, struct buf *b)
{
	if (nr == SYS_ioctl && i == 2)
		put_ioctl(k, b, a, ret);
	else if (nr == SYS_fcntl && i == 2)
		put_fcntl(k, b, a);
	else if (nr == SYS_clone)
		put_clone(k, b, a, i, ret);
	else if (nr == SYS_clone3 && i == 0)
		put_clone3(k, b, a, ret);
	else
		return nr == SYS_prctl && put_prctl(k, b, a, i, ret);
	return true;
}
