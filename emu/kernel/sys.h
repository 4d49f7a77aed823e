/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of the one system call table and the handlers behind them.  A row says what each argument
 * is; from that come the pointer checks of a pass-through, the path translation and the trace line.
 */
#ifndef VSYSEMU_KERNEL_SYS_H
#define VSYSEMU_KERNEL_SYS_H

#include "base/types.h"

struct kernel;

enum arg_kind {
	ARG_NONE, /* no such argument */
	/* Values: how they are printed. */
	ARG_INT, ARG_UINT, ARG_LONG, ARG_SIZE, ARG_HEX, ARG_MODE, ARG_FD, ARG_DIRFD, ARG_PID,
	ARG_SIGNO, ARG_FLAGS, ARG_ENUM, ARG_DEV, ARG_CLOCKID,
	ARG_PTR, /* an address that the generic code does not follow */
	/* Pointers that a pass-through checks. */
	ARG_PATH, /* string, translated through the sysroot; with the ARG_DIRFD before it */
	ARG_STR, /* string, passed as it is */
	ARG_IN, ARG_OUT, ARG_INOUT, /* memory of len(@len_arg) * max(@size, 1) bytes, or @size */
	/* Pointers of known shape, printed decoded; checked as ARG_IN / ARG_OUT of @size. */
	ARG_TIMESPEC_IN, ARG_TIMESPEC_OUT, ARG_TIMEVAL_OUT, ARG_STAT_OUT, ARG_SIGSET_IN, ARG_ARGV,
	ARG_IOVEC_IN, ARG_IOVEC_OUT, ARG_INT_OUT, ARG_FDPAIR_OUT, ARG_SOCKADDR_IN,
	ARG_KIND_COUNT
};

struct xlat; /* kernel/xlat.h: names of flags */

struct arg {
	uint8_t kind; /* enum arg_kind */
	uint8_t len_arg; /* 1-based number of the argument that holds the length; 0: @size alone */
	uint16_t size; /* bytes, or bytes per unit of the length */
	const struct xlat *names; /* ARG_FLAGS, ARG_ENUM */
};

typedef int64_t sys_handler(struct kernel *k, const uint64_t a[6]);

struct sysrow {
	const char *name;
	/* NULL: a pass-through described by the arguments, or, with SYS_ABSENT, -ENOSYS. */
	sys_handler *handler;
	uint16_t flags;
	struct arg arg[6];
};

enum {
	SYS_ABSENT = 1, /* as a kernel that lacks it: -ENOSYS, no warning */
	SYS_REFUSED = 2, /* -EPERM, as for a process without privileges */
	SYS_MAY_BLOCK = 4, /* the host call may sleep: interrupted by guest signals */
	SYS_RET_PTR = 8, /* result printed as an address */
	SYS_NOFOLLOW = 16, /* the path's last component is not followed */
	SYS_NO_RESTART = 32 /* -EINTR is not restarted (signal(7)) */
};

/* The row of call @nr, NULL if the number is unknown. */
const struct sysrow *sys_row(unsigned nr);

/*
 * The generic pass-through of @row: checks every pointer argument against the window (-EFAULT),
 * translates paths, tells the engine what is about to be written, performs host call @nr.
 */
int64_t sys_pass(struct kernel *k, unsigned nr, const struct sysrow *row, const uint64_t a[6]);

/* The host call alone, without libc: result or negative errno.  @a is already checked. */
int64_t sys_host(unsigned nr, const uint64_t a[6]);
/* The same for calls that may sleep: -ERESTARTSYS when a guest signal became due meanwhile. */
int64_t sys_host_blocking(struct kernel *k, unsigned nr, const uint64_t a[6]);

/* Handlers: every one is int64_t sys_NAME(struct kernel *k, const uint64_t a[6]). */
#define SYS(name) int64_t sys_##name(struct kernel *k, const uint64_t a[6])
/* signal.c, timer.c, seccomp.c, wait.c */
SYS(rt_sigaction);
SYS(rt_sigprocmask);
SYS(rt_sigreturn);
SYS(rt_sigpending);
SYS(rt_sigtimedwait);
SYS(rt_sigqueueinfo);
SYS(rt_tgsigqueueinfo);
SYS(rt_sigsuspend);
SYS(sigaltstack);
SYS(kill);
SYS(tkill);
SYS(tgkill);
SYS(pause);
SYS(restart_syscall);
SYS(alarm);
SYS(getitimer);
SYS(setitimer);
SYS(timer_create);
SYS(timer_settime);
SYS(timer_gettime);
SYS(timer_getoverrun);
SYS(timer_delete);
SYS(signalfd);
SYS(signalfd4);
SYS(seccomp);
#undef SYS

#endif
