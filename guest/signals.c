/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: signals are sent, blocked, queued, delivered, restarted and died of as the kernel does.  Prints
 * one line a fact, the same on every machine; the stack and time are told only in relation.
 */
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

static volatile int count, order[32], depth, deepest;
static siginfo_t last;
static ucontext_t last_uc;
static char alt[65536] __attribute__((aligned(16)));
static sigjmp_buf back;
static volatile int on_alt;

static void note(int s, siginfo_t *si, void *uc)
{
	char here;

	if (count < 32)
		order[count] = s;
	count++;
	depth++;
	if (depth > deepest)
		deepest = depth;
	last = *si;
	memcpy(&last_uc, uc, sizeof(last_uc));
	on_alt = &here >= alt && &here < alt + sizeof(alt);
	depth--;
}

static void jump(int s, siginfo_t *si, void *uc)
{
	note(s, si, uc);
	siglongjmp(back, 1);
}

static void handle(int s, void (*f)(int, siginfo_t *, void *), int flags, const sigset_t *mask)
{
	struct sigaction sa = { .sa_sigaction = f, .sa_flags = SA_SIGINFO | flags };

	if (mask)
		sa.sa_mask = *mask;
	sigaction(s, &sa, NULL);
	count = 0;
}

/* @result of a call that was just made, and why it failed. */
static void say(const char *what, long result)
{
	int e = errno;

	if (result == -1)
		printf("%s: -1 errno %d\n", what, e);
	else
		printf("%s: %ld\n", what, result);
}

static void set_of(sigset_t *s, int a, int b, int c)
{
	sigemptyset(s);
	if (a)
		sigaddset(s, a);
	if (b)
		sigaddset(s, b);
	if (c)
		sigaddset(s, c);
}

static void queues(void)
{
	const int rt = SIGRTMIN + 2;
	sigset_t set, old, pending;
	struct timespec zero = { 0, 0 };
	siginfo_t si;
	int r;

	set_of(&set, SIGUSR1, rt, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, &old);
	handle(SIGUSR1, note, 0, NULL);
	handle(SIGUSR2, note, 0, NULL);
	handle(rt, note, 0, NULL);
	sigqueue(getpid(), rt, (union sigval){ .sival_int = 1 });
	sigqueue(getpid(), rt, (union sigval){ .sival_int = 2 });
	raise(SIGUSR2);
	raise(SIGUSR2);
	kill(getpid(), SIGUSR1);
	sigpending(&pending);
	printf("pending %d %d %d\n", sigismember(&pending, SIGUSR1), sigismember(&pending, SIGUSR2),
	       sigismember(&pending, rt));
	sigprocmask(SIG_SETMASK, &old, NULL);
	printf("delivered %d:", count);
	for (int i = 0; i < count; i++)
		printf(" %d", order[i]);
	printf("; last code %d\n", last.si_code);
	sigprocmask(SIG_BLOCK, &set, &old);
	sigqueue(getpid(), rt, (union sigval){ .sival_int = 7 });
	sigqueue(getpid(), rt, (union sigval){ .sival_int = 8 });
	for (int i = 0; i < 3; i++) {
		r = sigtimedwait(&set, &si, &zero);
		say("sigtimedwait", r);
		if (r > 0)
			printf("value %d code %d pid %d uid %d\n", si.si_value.sival_int, si.si_code,
			       si.si_pid == getpid(), si.si_uid == getuid());
	}
	sigprocmask(SIG_SETMASK, &old, NULL);
	/* An ignored signal vanishes, also a pending one. */
	sigprocmask(SIG_BLOCK, &set, &old);
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_IGN);
	sigpending(&pending);
	printf("ignored pending %d\n", sigismember(&pending, SIGUSR1));
	raise(SIGUSR1);
	sigpending(&pending);
	printf("ignored and blocked pending %d\n", sigismember(&pending, SIGUSR1));
	signal(SIGUSR1, SIG_DFL);
	signal(SIGUSR1, SIG_IGN);
	sigprocmask(SIG_SETMASK, &old, NULL);
}

static void nested(int s, siginfo_t *si, void *uc)
{
	depth++;
	if (depth > deepest)
		deepest = depth;
	if (count++ < 3)
		raise(s);
	depth--;
	last = *si;
	(void)uc;
}

static void flags(void)
{
	struct sigaction sa;
	sigset_t m;

	deepest = 0;
	handle(SIGUSR1, nested, 0, NULL);
	raise(SIGUSR1);
	printf("deferred: %d times, depth %d\n", count, deepest);
	deepest = 0;
	handle(SIGUSR1, nested, SA_NODEFER, NULL);
	raise(SIGUSR1);
	printf("SA_NODEFER: %d times, depth %d\n", count, deepest);
	handle(SIGUSR1, note, SA_RESETHAND, NULL);
	raise(SIGUSR1);
	sigaction(SIGUSR1, NULL, &sa);
	printf("SA_RESETHAND: %d, then default %d\n", count, sa.sa_handler == SIG_DFL);
	set_of(&m, SIGUSR2, SIGKILL, 0);
	handle(SIGUSR1, note, 0, &m);
	sigaction(SIGUSR1, NULL, &sa);
	printf("mask has USR2 %d KILL %d, flags %#x\n", sigismember(&sa.sa_mask, SIGUSR2),
	       sigismember(&sa.sa_mask, SIGKILL), sa.sa_flags & 0xfbffffff);
	say("sigaction KILL", sigaction(SIGKILL, &sa, NULL));
	say("sigaction 65", sigaction(65, &sa, NULL));
	raise(SIGUSR1);
	printf("uc flags %#lx cs %#llx ss %#llx fpstate %d link %d\n", last_uc.uc_flags & ~1ul,
	       (long long)last_uc.uc_mcontext.gregs[REG_CSGSFS] & 0xffff,
	       (long long)last_uc.uc_mcontext.gregs[REG_CSGSFS] >> 48 & 0xffff,
	       last_uc.uc_mcontext.fpregs != NULL, last_uc.uc_link != NULL);
	say("kill 0", kill(getpid(), 0));
	say("kill 65", kill(getpid(), 65));
	say("tgkill nobody", syscall(SYS_tgkill, getpid(), 0x7ffffff, 0));
	say("tgkill other group", syscall(SYS_tgkill, getpid() + 1000000, getpid(), 0));
	say("sigprocmask how", syscall(SYS_rt_sigprocmask, 9, &m, NULL, 8));
	say("sigprocmask size", syscall(SYS_rt_sigprocmask, 0, &m, NULL, 4));
	say("sigprocmask pointer", syscall(SYS_rt_sigprocmask, 0, 8, NULL, 8));
	say("sigaction pointer", syscall(SYS_rt_sigaction, SIGUSR1, 8, NULL, 8));
	say("sigqueueinfo", syscall(SYS_rt_sigqueueinfo, getpid(), SIGUSR1, 8));
}

static void altstack(void)
{
	stack_t ss = { .ss_sp = alt, .ss_size = sizeof(alt) }, old;

	say("no altstack", sigaltstack(NULL, &old));
	printf("flags %d\n", old.ss_flags);
	say("set", sigaltstack(&ss, NULL));
	sigaltstack(NULL, &old);
	printf("flags %d, size %d\n", old.ss_flags, (int)old.ss_size);
	handle(SIGUSR1, note, SA_ONSTACK, NULL);
	raise(SIGUSR1);
	printf("SA_ONSTACK: on it %d, uc flags %d size %d\n", on_alt, last_uc.uc_stack.ss_flags,
	       (int)last_uc.uc_stack.ss_size);
	handle(SIGUSR1, note, 0, NULL);
	raise(SIGUSR1);
	printf("without: on it %d\n", on_alt);
	ss.ss_size = 100;
	say("small", sigaltstack(&ss, NULL));
	ss.ss_flags = 0x40;
	say("bad flags", sigaltstack(&ss, NULL));
	ss.ss_flags = SS_DISABLE;
	say("disable", sigaltstack(&ss, NULL));
	sigaltstack(NULL, &old);
	printf("flags %d\n", old.ss_flags);
}

static void told(const char *what)
{
	printf("%s: sig %d code %d trapno %lld err %#llx rip-addr %d\n", what, last.si_signo, last.si_code,
	       (long long)last_uc.uc_mcontext.gregs[REG_TRAPNO], (long long)last_uc.uc_mcontext.gregs[REG_ERR],
	       last.si_addr == (void *)last_uc.uc_mcontext.gregs[REG_RIP]);
}

static void faults(void)
{
	static const int all[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP };
	volatile int one = 1;
	volatile int *volatile low = (volatile int *)16;
	char *p = mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char *volatile q;
	char name[] = "/tmp/vsysemu-signals-XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	for (unsigned i = 0; i < 5; i++)
		handle(all[i], jump, 0, NULL);
	p[0] = p[4096] = 1;
	if (!sigsetjmp(back, 1))
		*low = 1;
	told("store low");
	if (!sigsetjmp(back, 1))
		one += *low;
	told("load low");
	mprotect(p, 4096, PROT_READ);
	if (!sigsetjmp(back, 1))
		*(volatile char *)p = 1;
	told("store read-only");
	mprotect(p, 4096, PROT_NONE);
	if (!sigsetjmp(back, 1))
		one += *(volatile char *)p;
	told("load none");
	if (!sigsetjmp(back, 1))
		((void (*)(void))(uintptr_t)(p + 4096))();
	told("run data");
	for (volatile int i = 0; i < 3; i++) {
		if (!sigsetjmp(back, 1))
			__asm__ volatile("xor %%edx, %%edx\n xor %%ecx, %%ecx\n div %%ecx" ::: "rax", "rdx", "rcx");
		told("divide");
	}
	if (!sigsetjmp(back, 1))
		__asm__ volatile("ud2");
	told("ud2");
	if (!sigsetjmp(back, 1))
		__asm__ volatile("int3");
	told("int3");
	if (!sigsetjmp(back, 1))
		__asm__ volatile("hlt");
	told("hlt");
	if (!sigsetjmp(back, 1))
		__asm__ volatile("int $0x33");
	told("int 0x33");
	if (!sigsetjmp(back, 1))
		one += *(volatile int *)0x8000000000000000;
	told("non-canonical");
	if (!sigsetjmp(back, 1))
		one += *(volatile int *)0xffff888000000000;
	told("kernel half");
	if (!sigsetjmp(back, 1))
		__asm__ volatile("pushf\n orl $0x100, (%%rsp)\n popf\n nop" ::: "cc");
	told("single step");
	q = fd < 0 || ftruncate(fd, 100) ? MAP_FAILED : mmap(NULL, 8192, PROT_READ, MAP_SHARED, fd, 0);
	if (!sigsetjmp(back, 1))
		one += *(volatile char *)(q + 4096);
	told("past end of file");
	/* A stack grows to the access, not over a neighbour. */
	q = mmap(NULL, 4096 * 600, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	munmap(q, 4096 * 599);
	mmap(q + 4096 * 599, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN | MAP_FIXED, -1, 0);
	last.si_signo = 0;
	if (!sigsetjmp(back, 1))
		q[4096 * 596] = 1;
	printf("grown: sig %d\n", last.si_signo);
	printf("mask after jumps %d\n", sigismember(&last_uc.uc_sigmask, SIGSEGV));
	for (unsigned i = 0; i < 5; i++)
		signal(all[i], SIG_DFL);
}

static void waits(void)
{
	struct itimerval it = { .it_value = { 0, 20000 } }, left;
	struct timespec ts = { 5, 0 }, rem = { 0, 0 };
	int p[2];
	char c;
	sigset_t none;
	struct sigevent ev = { .sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGUSR2,
			       .sigev_value = { .sival_int = 42 } };
	struct itimerspec its = { { 0, 1000000 }, { 0, 1000000 } };
	timer_t t;
	pid_t child;

	if (pipe(p))
		return;
	handle(SIGALRM, note, 0, NULL);
	setitimer(ITIMER_REAL, &it, NULL);
	say("read", read(p[0], &c, 1));
	setitimer(ITIMER_REAL, &it, NULL);
	say("nanosleep", nanosleep(&ts, &rem));
	printf("left %d\n", (int)rem.tv_sec);
	setitimer(ITIMER_REAL, &it, NULL);
	say("pause", pause());
	printf("count %d\n", count);
	sigemptyset(&none);
	setitimer(ITIMER_REAL, &it, NULL);
	say("sigsuspend", sigsuspend(&none));
	handle(SIGALRM, note, SA_RESTART, NULL);
	child = fork();
	if (!child) {
		usleep(60000);
		_exit(write(p[1], "x", 1) != 1);
	}
	setitimer(ITIMER_REAL, &it, NULL);
	say("read restarted", read(p[0], &c, 1));
	printf("count %d\n", count);
	waitpid(child, NULL, 0);
	say("alarm 10", alarm(10));
	say("alarm 3", alarm(3));
	say("alarm 0", alarm(0));
	it.it_value.tv_sec = 7;
	setitimer(ITIMER_REAL, &it, NULL);
	getitimer(ITIMER_REAL, &left);
	printf("itimer left %d\n", left.it_value.tv_sec == 7 || left.it_value.tv_sec == 6);
	memset(&it, 0, sizeof(it));
	setitimer(ITIMER_REAL, &it, &left);
	say("itimer 5", syscall(SYS_setitimer, 5, &it, NULL));
	handle(SIGUSR2, note, 0, NULL);
	say("timer_create", timer_create(CLOCK_MONOTONIC, &ev, &t));
	say("timer_settime", timer_settime(t, 0, &its, NULL));
	while (count < 3)
		pause();
	timer_delete(t);
	printf("timer: code %d value %d\n", last.si_code, last.si_value.sival_int);
	ev.sigev_signo = 99;
	say("timer with signal 99", timer_create(CLOCK_MONOTONIC, &ev, &t));
	say("timer of clock 99", timer_create(99, NULL, &t));
}

static void child_ends(const char *name, int how)
{
	int st = 0;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		stack_t none = { .ss_flags = SS_DISABLE };

		sigaltstack(&none, NULL);
		switch (how) {
		case 0:
			_exit(7);
		case 1:
			abort();
		case 2:
			raise(SIGTERM);
			_exit(1);
		case 3:
			raise(SIGCHLD);
			raise(SIGURG);
			raise(SIGWINCH);
			raise(SIGCONT);
			_exit(3);
		case 4: {
			sigset_t s;

			set_of(&s, SIGSEGV, 0, 0);
			sigprocmask(SIG_BLOCK, &s, NULL);
			handle(SIGSEGV, note, 0, NULL);
			__asm__ volatile("mov %0, (%0)" : : "r"(8l) : "memory");
			_exit(1);
		}
		case 5:
			handle(SIGSEGV, note, 0, NULL);
			__asm__ volatile("mov $0x1000, %%rsp\n push %%rax" ::: "memory");
			_exit(1);
		case 6:
			raise(SIGSTOP);
			_exit(4);
		case 7:
			signal(SIGFPE, SIG_IGN);
			__asm__ volatile("xor %%edx, %%edx\n xor %%ecx, %%ecx\n div %%ecx" ::: "rax", "rdx", "rcx");
			_exit(1);
		case 8:
			kill(getpid(), SIGRTMIN);
			_exit(1);
		default:
			for (;;)
				pause();
		}
	}
	if (how == 6) {
		waitpid(pid, &st, WUNTRACED);
		printf("stopped %d by %d; ", WIFSTOPPED(st), WIFSTOPPED(st) ? WSTOPSIG(st) : 0);
		kill(pid, SIGCONT);
		waitpid(pid, &st, WCONTINUED);
		printf("continued %d; ", WIFCONTINUED(st));
	}
	if (how == 9)
		kill(pid, SIGKILL);
	waitpid(pid, &st, 0);
	if (WIFSIGNALED(st))
		printf("%s: signal %d\n", name, WTERMSIG(st));
	else
		printf("%s: exit %d\n", name, WEXITSTATUS(st));
}

static void ends(void)
{
	static const char *const name[] = { "exit", "abort", "SIGTERM", "harmless", "blocked SIGSEGV", "no stack",
					    "stop", "ignored SIGFPE", "real time", "killed" };
	sigset_t m, o;
	struct timespec ts = { 2, 0 };
	siginfo_t si;
	pid_t pid;

	for (int i = 0; i < 10; i++)
		child_ends(name[i], i);
	set_of(&m, SIGCHLD, 0, 0);
	sigprocmask(SIG_BLOCK, &m, &o);
	pid = fork();
	if (!pid)
		_exit(5);
	say("SIGCHLD", sigtimedwait(&m, &si, &ts));
	printf("code %d status %d pid %d\n", si.si_code, si.si_status, si.si_pid == pid);
	waitpid(pid, NULL, 0);
	sigprocmask(SIG_SETMASK, &o, NULL);
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	queues();
	flags();
	altstack();
	faults();
	waits();
	ends();
	return 0;
}
