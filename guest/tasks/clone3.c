/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Proves clone3: its structure, its refusals, the descriptor of a process, handlers that are cleared. */
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>

#include "task.h"

#define NR_CLONE3 435
static long clone3(struct clone_args *c, size_t size)
{
	return syscall(NR_CLONE3, c, size);
}

int main(void)
{
	struct clone_args c = { .exit_signal = SIGCHLD };
	uint8_t big[128] = { 0 };
	int status, pidfd = -1;
	pid_t tid = 0, pid;
	siginfo_t si;

	say("too small", clone3(&c, 63));
	say("too big", clone3((void *)big, 8192));
	say("no memory", clone3((void *)16, sizeof(c)));
	big[120] = 1;
	say("unknown and not 0", clone3((void *)big, sizeof(big)));
	c.exit_signal = 65;
	say("bad signal", clone3(&c, sizeof(c)));
	c.exit_signal = SIGCHLD;
	c.flags = CLONE_THREAD;
	say("half a thread", clone3(&c, sizeof(c)));
	c.flags = CLONE_DETACHED;
	say("detached", clone3(&c, sizeof(c)));
	c.flags = 0;
	c.stack = 4096;
	say("stack without size", clone3(&c, sizeof(c)));
	c.stack = 0;
	c.stack_size = 4096;
	say("size without stack", clone3(&c, sizeof(c)));
	c.stack_size = 0;
	c.flags = CLONE_PARENT_SETTID | CLONE_CHILD_SETTID | CLONE_PIDFD;
	c.parent_tid = c.child_tid = (uintptr_t)&tid;
	c.pidfd = (uintptr_t)&pidfd;
	fflush(stdout);
	pid = (pid_t)clone3(&c, sizeof(c));
	if (!pid)
		_exit(tid == getpid() ? 7 : 8);
	say("tid", tid == pid);
	say("pidfd", pidfd >= 0);
	memset(&si, 0, sizeof(si));
	say("waitid by it", waitid(P_PIDFD, (id_t)pidfd, &si, WEXITED | WNOWAIT));
	say("its status", si.si_status);
	say("the same child", si.si_pid == pid);
	say("send to the dead", syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0));
	say("wait", wait(&status) == pid && WEXITSTATUS(status) == 7);
	say("send to the gone", syscall(SYS_pidfd_send_signal, pidfd, 0, NULL, 0));
	say("waitid again", waitid(P_PIDFD, (id_t)pidfd, &si, WEXITED));
	close(pidfd);
	say("waitid without", waitid(P_PIDFD, (id_t)pidfd, &si, WEXITED));
	signal(SIGUSR1, SIG_IGN);
	c.flags = CLONE_CLEAR_SIGHAND;
	fflush(stdout);
	if (!(pid = (pid_t)clone3(&c, sizeof(c)))) {
		struct sigaction sa;

		sigaction(SIGUSR1, NULL, &sa);
		_exit(sa.sa_handler == SIG_IGN ? 1 : 0);
	}
	waitpid(pid, &status, 0);
	say("ignored stays ignored", WEXITSTATUS(status));
	return 0;
}
