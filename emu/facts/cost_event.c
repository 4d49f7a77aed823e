/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which event a call is: time calls by path, system calls by the kind of work behind them. */
#include <asm/unistd_64.h>
#include <stdint.h>

#include "facts/cost.h"
#include "facts/model.h"

const char *time_call_name(enum time_call c)
{
	static const char *const name[CALL_COUNT] = { "gettimeofday", "time", "getcpu",
						      "clock_gettime", "clock_getres" };

	return name[c];
}

const char *call_path_name(enum call_path p)
{
	static const char *const name[PATH_COUNT] = { "vsyscall", "vdso", "syscall" };

	return name[p];
}

enum time_call time_call_of_syscall(unsigned nr)
{
	switch (nr) {
	case __NR_gettimeofday:
		return CALL_GETTIMEOFDAY;
	case __NR_time:
		return CALL_TIME;
	case __NR_getcpu:
		return CALL_GETCPU;
	case __NR_clock_gettime:
		return CALL_CLOCK_GETTIME;
	case __NR_clock_getres:
		return CALL_CLOCK_GETRES;
	default:
		return CALL_COUNT;
	}
}

static bool is_coarse(int64_t clock_id)
{
	return clock_id == 5 || clock_id == 6; /* CLOCK_REALTIME_COARSE, CLOCK_MONOTONIC_COARSE */
}

enum cost_event cost_event_of_call(enum call_path p, enum time_call c, int64_t clock_id)
{
	static const enum cost_event vdso[CALL_COUNT] = {
		COST_VDSO_GETTIMEOFDAY, COST_VDSO_TIME, COST_VDSO_GETCPU, COST_VDSO_CLOCK_GETTIME,
		COST_VDSO_CLOCK_GETRES
	}, syscall[CALL_COUNT] = { COST_SYSCALL_GETTIMEOFDAY, COST_SYSCALL_TIME,
				   COST_SYSCALL_GETCPU, COST_SYSCALL_CLOCK_GETTIME,
				   COST_SYSCALL_CLOCK_GETRES };

	if (p == PATH_VSYSCALL)
		return c <= CALL_GETCPU ? COST_VSYSCALL_GETTIMEOFDAY + c : COST_VSYSCALL_REFUSED;
	if (c == CALL_CLOCK_GETTIME && is_coarse(clock_id))
		return p == PATH_VDSO ? COST_VDSO_CLOCK_COARSE : COST_SYSCALL_CLOCK_COARSE;
	return p == PATH_VDSO ? vdso[c] : syscall[c];
}

enum cost_event cost_event_of_vdso(const struct model *m, enum time_call c, int64_t clock_id)
{
	const struct kernel_model *k = m->kernel;
	bool readable = k->vdso_sources >> m->clocksource & 1, fine = false;

	switch (c) {
	case CALL_GETTIMEOFDAY:
		fine = readable;
		break;
	case CALL_TIME:
	case CALL_GETCPU:
		fine = true;
		break;
	case CALL_CLOCK_GETTIME:
		fine = clock_id >= 0 && clock_id < 64 && (k->vdso_clocks >> clock_id & 1) &&
		       (readable || is_coarse(clock_id));
		break;
	case CALL_CLOCK_GETRES:
		fine = k->vdso_getres && clock_id >= 0 && clock_id < 64 &&
		       (k->vdso_clocks >> clock_id & 1);
		break;
	case CALL_COUNT:
		break;
	}
	return fine ? cost_event_of_call(PATH_VDSO, c, clock_id) : COST_VDSO_FALLBACK;
}

enum cost_event cost_event_of_syscall(unsigned nr, uint64_t a0)
{
	enum time_call c = time_call_of_syscall(nr);

	if (c != CALL_COUNT)
		return cost_event_of_call(PATH_SYSCALL, c, (int64_t)(int32_t)a0);
	switch (nr) {
	case __NR_open: case __NR_openat: case __NR_stat: case __NR_lstat: case __NR_newfstatat:
	case __NR_access: case __NR_faccessat: case __NR_readlink: case __NR_readlinkat:
	case __NR_rename: case __NR_renameat: case __NR_mkdir: case __NR_mkdirat: case __NR_rmdir:
	case __NR_unlink: case __NR_unlinkat: case __NR_link: case __NR_symlink: case __NR_chmod:
	case __NR_chown: case __NR_chdir: case __NR_creat: case __NR_statfs: case __NR_utimensat:
	case __NR_statx: case __NR_faccessat2: case __NR_renameat2: case __NR_truncate:
		return COST_SYSCALL_PATH;
	case __NR_mmap: case __NR_munmap: case __NR_mprotect: case __NR_brk: case __NR_mremap:
	case __NR_madvise: case __NR_msync: case __NR_mlock:
		return COST_SYSCALL_MM;
	case __NR_futex: case __NR_nanosleep: case __NR_clock_nanosleep: case __NR_poll:
	case __NR_ppoll: case __NR_select: case __NR_pselect6: case __NR_epoll_wait:
	case __NR_epoll_pwait: case __NR_wait4: case __NR_waitid: case __NR_pause:
	case __NR_rt_sigsuspend: case __NR_rt_sigtimedwait: case __NR_sched_yield:
		return COST_SYSCALL_WAIT;
	case __NR_fork: case __NR_vfork:
		return COST_SYSCALL_FORK;
	case __NR_clone:
		return a0 & 0x10000 /* CLONE_THREAD */ ? COST_SYSCALL_THREAD : COST_SYSCALL_FORK;
	case __NR_clone3:
		return COST_SYSCALL_THREAD;
	case __NR_execve: case __NR_execveat:
		return COST_SYSCALL_EXEC;
	case __NR_exit: case __NR_exit_group:
		return COST_SYSCALL_EXIT;
	case __NR_rt_sigreturn:
		return COST_SYSCALL_SIGRETURN;
	case __NR_read: case __NR_write: case __NR_readv: case __NR_writev: case __NR_pread64:
	case __NR_pwrite64: case __NR_lseek: case __NR_fstat: case __NR_close: case __NR_dup:
	case __NR_dup2: case __NR_dup3: case __NR_fcntl: case __NR_ioctl: case __NR_pipe:
	case __NR_pipe2: case __NR_getdents: case __NR_getdents64: case __NR_sendto:
	case __NR_recvfrom: case __NR_sendmsg: case __NR_recvmsg: case __NR_socket:
	case __NR_getrusage: case __NR_times: case __NR_rt_sigaction: case __NR_rt_sigprocmask:
	case __NR_ftruncate: case __NR_fsync: case __NR_getcwd: case __NR_uname:
	case __NR_timerfd_create: case __NR_timerfd_settime: case __NR_kill: case __NR_tgkill:
	case __NR_preadv: case __NR_pwritev: case __NR_sendfile: case __NR_fchmod:
	case __NR_getrandom: case __NR_prlimit64:
		return COST_SYSCALL_FD;
	default:
		return COST_SYSCALL_NULL;
	}
}
