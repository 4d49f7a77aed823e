/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of the one system call table and the handlers behind them.  A row says what each argument
 * is; from that come the pointer checks of a pass-through, the path translation and the trace line.
 */
#ifndef VSYSEMU_KERNEL_SYS_H
#define VSYSEMU_KERNEL_SYS_H

#include "base/types.h"
#include "facts/model.h"

struct kernel;

enum arg_kind {
	ARG_NONE, /* no such argument */
	/* Values: how they are printed. */
	ARG_INT, ARG_UINT, ARG_LONG, ARG_SIZE, ARG_HEX, ARG_MODE, ARG_FD, ARG_DIRFD, ARG_PID,
	ARG_SIGNO, ARG_FLAGS, ARG_ENUM, ARG_DEV, ARG_CLOCKID,
	ARG_PTR, /* an address that the generic code does not follow */
	/* Pointers that a pass-through checks. */
	ARG_PATH, /* path that must exist: sysroot and /proc translated; relative to an ARG_DIRFD before it */
	ARG_NAME, /* path that is made or removed: no sysroot */
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
	uint16_t since; /* KVER() of the first kernel that has it; 0: older than any profile */
	struct arg arg[6];
};

enum {
	SYS_ABSENT = 1, /* as a kernel that lacks it: -ENOSYS, no warning */
	SYS_REFUSED = 2, /* -EPERM, as for a process without privileges */
	SYS_MAY_BLOCK = 4, /* the host call may sleep: interrupted by guest signals */
	SYS_RET_PTR = 8, /* result printed as an address */
	SYS_NOFOLLOW = 16, /* the path's last component is not followed */
	SYS_NO_RESTART = 32, /* -EINTR is not restarted (signal(7)) */
	SYS_NEW_FD = 64, /* the result is a file descriptor */
	SYS_HANDLED = 256, /* the row has a handler; internal to the table */
	SYS_FLAG_NOFOLLOW = 128 /* AT_SYMLINK_NOFOLLOW in the argument of kind ARG_FLAGS decides */
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

/* Bodies that the vsyscall page shares; time.c. */
struct body_fault;
int64_t body_gettimeofday(struct kernel *k, const uint64_t a[6], struct body_fault *f);
int64_t body_time(struct kernel *k, const uint64_t a[6], struct body_fault *f);
int64_t body_getcpu(struct kernel *k, const uint64_t a[6], struct body_fault *f);

/* Handlers: every one is int64_t sys_NAME(struct kernel *k, const uint64_t a[6]). */
#define SYS(name) int64_t sys_##name(struct kernel *k, const uint64_t a[6]) __attribute__((weak))
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
/* file.c, rw.c, open.c, fd.c */
SYS(read);
SYS(write);
SYS(pread64);
SYS(pwrite64);
SYS(readv);
SYS(writev);
SYS(preadv);
SYS(pwritev);
SYS(preadv2);
SYS(pwritev2);
SYS(lseek);
SYS(open);
SYS(creat);
SYS(openat);
SYS(openat2);
SYS(close);
SYS(close_range);
SYS(dup);
SYS(dup2);
SYS(dup3);
SYS(fcntl);
SYS(readlink);
SYS(readlinkat);
SYS(getdents);
SYS(getdents64);
SYS(memfd_create);
SYS(vmsplice);
/* ioctl.c */
SYS(ioctl);
/* poll.c, timerfd.c */
SYS(poll);
SYS(ppoll);
SYS(select);
SYS(pselect6);
SYS(epoll_wait);
SYS(epoll_pwait);
SYS(epoll_pwait2);
SYS(timerfd_create);
SYS(timerfd_settime);
SYS(timerfd_gettime);
/* socket.c */
SYS(accept);
SYS(accept4);
SYS(recvfrom);
SYS(sendmsg);
SYS(recvmsg);
SYS(sendmmsg);
SYS(recvmmsg);
SYS(getsockname);
SYS(getpeername);
SYS(setsockopt);
SYS(getsockopt);
/* ipc.c */
SYS(shmat);
SYS(shmdt);
SYS(shmctl);
SYS(semctl);
SYS(msgctl);
SYS(msgsnd);
SYS(msgrcv);
SYS(semtimedop);
/* mem.c */
SYS(brk);
SYS(mmap);
SYS(munmap);
SYS(mprotect);
SYS(mremap);
SYS(madvise);
SYS(mincore);
SYS(mlock);
SYS(mlock2);
SYS(munlock);
SYS(mlockall);
SYS(munlockall);
SYS(msync);
SYS(pkey_mprotect);
SYS(pkey_alloc);
SYS(pkey_free);
SYS(process_vm_readv);
SYS(process_vm_writev);
/* time.c */
SYS(gettimeofday);
SYS(time);
SYS(clock_gettime);
SYS(clock_getres);
SYS(nanosleep);
SYS(clock_nanosleep);
SYS(times);
SYS(getrusage);
SYS(sysinfo);
SYS(getcpu);
SYS(adjtimex);
SYS(clock_adjtime);
/* process.c, exec */
SYS(getpid);
SYS(getppid);
SYS(gettid);
SYS(getpgrp);
SYS(getpgid);
SYS(setpgid);
SYS(getsid);
SYS(setsid);
SYS(fork);
SYS(vfork);
SYS(clone);
SYS(execve);
SYS(execveat);
SYS(exit);
SYS(exit_group);
SYS(wait4);
SYS(waitid);
SYS(set_tid_address);
SYS(set_robust_list);
SYS(get_robust_list);
SYS(pidfd_open);
SYS(pidfd_send_signal);
SYS(clone3);
/* ident.c */
SYS(arch_prctl);
SYS(prctl);
SYS(syslog);
SYS(uname);
SYS(getrlimit);
SYS(setrlimit);
SYS(prlimit64);
SYS(sched_yield);
SYS(sched_setaffinity);
SYS(sched_getaffinity);
SYS(sched_setscheduler);
SYS(sched_getscheduler);
SYS(sched_setparam);
SYS(sched_getparam);
SYS(sched_rr_get_interval);
SYS(sched_setattr);
SYS(sched_getattr);
SYS(getpriority);
SYS(setpriority);
SYS(ioprio_set);
SYS(ioprio_get);
SYS(membarrier);
SYS(personality);
SYS(capget);
SYS(capset);
SYS(umask);
SYS(getrandom);
SYS(futex);
SYS(futex_waitv);
SYS(ptrace);
SYS(kcmp);
SYS(modify_ldt);
#undef SYS

#endif
