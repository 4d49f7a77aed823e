/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves what is between processes and threads besides memory: stopped and continued children, groups,
 * a leader that ends first, execve from another thread, queued signals to a thread, alternate
 * stacks, the settings of prctl.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>

#include "task.h"

static void status(const char *text, pid_t pid, int flags)
{
	int st = 0;
	pid_t r = waitpid(pid, &st, flags);

	printf("%s: %s ", text, r == pid ? "it" : r ? "error" : "none");
	if (r <= 0)
		puts("");
	else if (WIFEXITED(st))
		printf("exit %d\n", WEXITSTATUS(st));
	else if (WIFSIGNALED(st))
		printf("killed %d\n", WTERMSIG(st));
	else if (WIFSTOPPED(st))
		printf("stopped %d\n", WSTOPSIG(st));
	else if (WIFCONTINUED(st))
		puts("continued");
	fflush(stdout);
}

static void stops(void)
{
	siginfo_t si;
	pid_t pid;
	int go[2];
	char c = 0;

	/* A child that stops again takes back that it continued: it may not before it was waited for. */
	say("pipe", pipe(go));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		say("own group", setpgid(0, 0));
		say("is mine", getpgrp() == getpid());
		raise(SIGSTOP);
		say("may stop again", read(go[0], &c, 1));
		raise(SIGTSTP);
		_exit(4);
	}
	status("stopped", pid, WUNTRACED);
	say("group of the child", getpgid(pid) == pid);
	status("nothing new", pid, WUNTRACED | WNOHANG);
	kill(pid, SIGCONT);
	status("goes on", pid, WCONTINUED);
	if (write(go[1], &c, 1) != 1)
		exit(1);
	status("stopped again", pid, WUNTRACED);
	kill(-pid, SIGCONT);
	memset(&si, 0, sizeof(si));
	say("waitid", waitid(P_PGID, (id_t)pid, &si, WEXITED | WNOWAIT));
	say("code", si.si_code);
	status("ended", pid, 0);
	status("no child", pid, 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		raise(SIGSTOP);
		_exit(5);
	}
	status("stopped", pid, WUNTRACED);
	kill(pid, SIGKILL);
	status("killed while it stood", pid, 0);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		say("session", setsid() == getpid());
		say("its group", getpgrp() == getpid());
		say("again", setsid());
		_exit(0);
	}
	status("session", pid, 0);
	say("group of nobody", setpgid(0, 99999));
	say("nobody's group", setpgid(99999, 0));
	say("kill nobody", kill(99999, 0));
	say("kill nobody's group", kill(-99999, 0));
}

static void *last_one(void *p)
{
	nap(20 * MS);
	_exit((int)(long)p);
}

static volatile pid_t leader;
static void *replaces(void *p)
{
	char *const argv[] = { "jobs", "replaced", NULL };

	say("not the leader", gettid() != getpid());
	leader = getpid();
	execv("/proc/self/exe", argv);
	return p;
}

static void ends(void)
{
	pthread_t t;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		pthread_create(&t, NULL, last_one, (void *)6);
		syscall(SYS_exit, 3);
	}
	status("the leader ends, another exits", pid, 0);
	pid = fork();
	if (!pid) {
		pthread_create(&t, NULL, replaces, NULL);
		for (;;)
			pause();
	}
	status("execve from a thread", pid, 0);
}

static volatile int struck, value, code, on_stack;
static char stack2[32768];
static void on_signal(int signo, siginfo_t *si, void *c)
{
	char here;

	(void)c;
	struck = gettid();
	value = si->si_value.sival_int;
	code = si->si_code;
	on_stack = &here >= stack2 && &here < stack2 + sizeof(stack2);
	(void)signo;
}

static volatile pid_t tid;
static volatile int stop;
static void *waits(void *p)
{
	stack_t ss = { .ss_sp = stack2, .ss_size = sizeof(stack2) }, old;

	sigaltstack(NULL, &old);
	say("a thread begins without", old.ss_flags == SS_DISABLE);
	say("sigaltstack", sigaltstack(&ss, NULL));
	say("name", prctl(PR_SET_NAME, "a thread with a long name"));
	tid = gettid();
	while (!stop)
		nap(10 * MS);
	return p;
}

static void threads(void)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO | SA_ONSTACK };
	siginfo_t si;
	pthread_t t;

	sigaction(SIGRTMIN, &sa, NULL);
	pthread_create(&t, NULL, waits, NULL);
	while (!tid)
		nap(5 * MS);
	memset(&si, 0, sizeof(si));
	si.si_signo = SIGRTMIN;
	si.si_code = SI_QUEUE;
	si.si_value.sival_int = 77;
	say("to a thread", syscall(SYS_rt_tgsigqueueinfo, getpid(), tid, SIGRTMIN, &si));
	while (!struck)
		nap(5 * MS);
	say("the right one", struck == tid);
	say("value", value);
	say("code", code == SI_QUEUE);
	say("on its stack", on_stack);
	say("tgkill, wrong group", syscall(SYS_tgkill, 1, tid, SIGRTMIN));
	say("tgkill, 0", syscall(SYS_tgkill, getpid(), 0, SIGRTMIN));
	say("tgkill, nobody", syscall(SYS_tgkill, getpid(), 999999, 0));
	say("tgkill, asks", syscall(SYS_tgkill, getpid(), tid, 0));
	say("tkill, bad signal", syscall(SYS_tkill, tid, 65));
	stop = 1;
	pthread_join(t, NULL);
	say("tgkill, gone", syscall(SYS_tgkill, getpid(), tid, 0));
}

static void settings(void)
{
	char name[16];
	int v = -1, st;
	pid_t pid;

	prctl(PR_GET_NAME, name);
	printf("name %s\n", name);
	say("no new privileges", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	say("set", prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0));
	say("unset", prctl(PR_SET_NO_NEW_PRIVS, 0, 0, 0, 0));
	say("is", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
	say("subreaper", prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0));
	prctl(PR_GET_CHILD_SUBREAPER, &v);
	say("is", v);
	say("death signal", prctl(PR_SET_PDEATHSIG, SIGUSR1));
	prctl(PR_GET_PDEATHSIG, &v);
	say("is", v);
	say("bad", prctl(PR_SET_PDEATHSIG, 65));
	say("unknown", prctl(9999, 0, 0, 0, 0));
	fflush(stdout);
	pid = fork();
	if (!pid) {
		prctl(PR_GET_PDEATHSIG, &v);
		say("not inherited", v);
		fflush(stdout);
		if (!fork()) {
			nap(40 * MS);
			_exit(11);
		}
		_exit(10);
	}
	say("child", waitpid(pid, &st, 0) == pid && WEXITSTATUS(st) == 10);
	say("the orphan is mine", wait(&st) > 0 && WEXITSTATUS(st) == 11);
}

int main(int argc, char **argv)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && !strcmp(argv[1], "replaced")) {
		say("the thread is the leader", gettid() == getpid());
		return 8;
	}
	stops();
	ends();
	threads();
	settings();
	return 0;
}
