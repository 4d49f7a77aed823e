/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: which of the three ways to the time a seccomp filter on time sees, and what each action
 * does to them: the page's entry, the vDSO, the system call.  One child a cell.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "vsyscall.h"

#ifndef SECCOMP_RET_LOG
#define SECCOMP_RET_LOG 0x7ffc0000u
#endif
#ifndef SECCOMP_RET_KILL_PROCESS
#define SECCOMP_RET_KILL_PROCESS 0x80000000u
#endif

static int install(unsigned action)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_time, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, action),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { sizeof(code) / sizeof(code[0]), code };

	return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
	       prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog);
}

static void trapped(int signo, siginfo_t *si, void *ctx)
{
	const greg_t *r = ((ucontext_t *)ctx)->uc_mcontext.gregs;
	char where[32];

	/* The place of a system call that was trapped is the program's own text. */
	printf("SIGSYS code %d nr %d arch 0x%x errno %d rip %s call_addr %s rax %lld", si->si_code,
	       si->si_syscall, si->si_arch, si->si_errno,
	       rip_name((uint64_t)r[REG_RIP], where, sizeof(where)),
	       (uint64_t)si->si_call_addr >= VSYS ? "in the page" : "elsewhere",
	       (long long)r[REG_RAX]);
	(void)signo;
	fputs("\n", stdout);
	fflush(stdout);
	_exit(0);
}

enum way { ENTRY, VDSO, CALL, WAYS };

static void child(unsigned action, enum way w)
{
	struct sigaction a;
	long t;

	memset(&a, 0, sizeof(a));
	a.sa_sigaction = trapped;
	a.sa_flags = SA_SIGINFO;
	sigaction(SIGSYS, &a, NULL);
	if (install(action)) {
		puts("no filter");
		fflush(stdout);
		_exit(1);
	}
	if (w == ENTRY)
		t = vsys_call(VSYS_TIME, NULL, NULL, 0);
	else if (w == VDSO)
		t = time(NULL);
	else
		t = syscall(SYS_time, NULL);
	if (w == CALL && t == -1)
		t = -errno;
	if (t > 1000000)
		puts("a time");
	else
		printf("%ld\n", t);
	fflush(stdout);
	_exit(0);
}

int main(void)
{
	static const struct {
		const char *name;
		unsigned action;
	} actions[] = {
		{ "allow", SECCOMP_RET_ALLOW },
		{ "log", SECCOMP_RET_LOG },
		{ "errno", SECCOMP_RET_ERRNO | EPERM },
		{ "trap", SECCOMP_RET_TRAP | 77 },
		{ "trace", SECCOMP_RET_TRACE | 1 },
		{ "kill", SECCOMP_RET_KILL },
		{ "kill-process", SECCOMP_RET_KILL_PROCESS },
	};
	static const char *const ways[WAYS] = { "entry", "vdso", "syscall" };

	for (unsigned i = 0; i < sizeof(actions) / sizeof(actions[0]); i++)
		for (int w = 0; w < WAYS; w++) {
			int status = 0;
			pid_t pid;

			printf("%s, %s: ", actions[i].name, ways[w]);
			fflush(stdout);
			pid = fork();
			if (!pid)
				child(actions[i].action, (enum way)w);
			waitpid(pid, &status, 0);
			if (WIFSIGNALED(status))
				printf("killed by signal %d\n", WTERMSIG(status));
		}
	return 0;
}
