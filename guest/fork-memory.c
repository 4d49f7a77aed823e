/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that after fork each process has its own memory, whoever writes: the program, a system call, a signal
 * frame, a debugger's way past the protections, the data pages of the vDSO.  Both sides do the same things at the
 * same addresses; what they share on purpose is seen by both.
 */
#include <elf.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static struct memory {
	char read[64], vec[2][16], random[16];
	int status, caught, value;
	struct timeval tv;
	struct rusage usage;
	int pipe[2];
	char through[16];
} m, *shared;
static char *locked; /* a page that may only be read */
static char *code; /* a page that may be read and executed */

static void say(const char *who, const char *what, long v)
{
	printf("%s %s %ld\n", who, what, v);
	fflush(stdout);
}

static void on_signal(int signo, siginfo_t *si, void *ctx)
{
	(void)ctx;
	m.caught = signo;
	m.value = si->si_value.sival_int;
	shared->caught++;
}

static int call(void)
{
	int (*f)(void);

	*(void **)&f = code;
	return f();
}

static int zeros(const char *p, size_t n)
{
	while (n && !*p)
		p++, n--;
	return !n;
}

/* System calls that write, with contents that tell the sides apart. */
static void calls(const char *who, int v)
{
	struct iovec iov[2] = { { m.vec[0], 4 }, { m.vec[1], 4 } };
	union sigval sv = { .sival_int = v };
	struct timespec ts = { 0, 1000000 };
	char text[64];
	pid_t pid;

	say(who, "pipe", pipe(m.pipe));
	snprintf(text, sizeof(text), "%s says %d", who, v);
	say(who, "write", write(m.pipe[1], text, strlen(text) + 1));
	say(who, "read", read(m.pipe[0], m.read, sizeof(m.read)));
	say(who, "write", write(m.pipe[1], who, 4) + write(m.pipe[1], text, 4));
	say(who, "readv", readv(m.pipe[0], iov, 2));
	pid = fork();
	if (!pid)
		_exit(v);
	memset(&m.usage, 0xff, sizeof(m.usage));
	say(who, "wait", wait4(pid, &m.status, 0, &m.usage) == pid);
	say(who, "status", WEXITSTATUS(m.status));
	say(who, "usage", m.usage.ru_utime.tv_usec >= 0);
	sigqueue(getpid(), SIGUSR1, sv);
	nanosleep(&ts, NULL);
	say(who, "getrandom", getrandom(m.random, sizeof(m.random), 0));
	gettimeofday(&m.tv, NULL);
}

/* What a debugger does: past the protections, but not into the other's copy. */
static void force(const char *who, int v)
{
	unsigned char ret[6] = { 0xb8, (unsigned char)v, 0, 0, 0, 0xc3 };
	int fd = open("/proc/self/mem", O_RDWR);

	say(who, "locked", pwrite(fd, who, 7, (long)locked));
	say(who, "code", pwrite(fd, ret, 6, (long)code));
	say(who, "self", pread(fd, m.through, 7, (long)locked));
	close(fd);
}

/* The clock that the vDSO reads must be the one that the kernel tells. */
static void clocks(const char *who)
{
	struct timespec a, b, pause = { 0, 400000000 };

	nanosleep(&pause, NULL);
	syscall(SYS_clock_gettime, CLOCK_MONOTONIC_COARSE, &a);
	clock_gettime(CLOCK_MONOTONIC_COARSE, &b);
	say(who, "coarse", labs((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000) < 100);
	syscall(SYS_clock_gettime, CLOCK_REALTIME, &a);
	clock_gettime(CLOCK_REALTIME, &b);
	say(who, "real", labs((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / 1000000) < 500);
}

static void check(const char *who, int v)
{
	char text[64];

	snprintf(text, sizeof(text), "%s says %d", who, v);
	say(who, "read mine", !strcmp(m.read, text));
	say(who, "vec mine", !memcmp(m.vec[0], who, 4) && !memcmp(m.vec[1], text, 4));
	say(who, "status mine", WEXITSTATUS(m.status) == v);
	say(who, "signal mine", m.caught == SIGUSR1 && m.value == v);
	say(who, "random mine", !zeros(m.random, sizeof(m.random)));
	say(who, "locked mine", !strcmp(locked, who));
	say(who, "through mine", !strcmp(m.through, who));
	say(who, "code mine", call() == v);
}

/* After execve: is the vDSO's image here? */
static int vdso_here(void)
{
	const char *v = (const char *)getauxval(AT_SYSINFO_EHDR);

	return v && !memcmp(v, ELFMAG, 4);
}

static void child(char *self, int go, int done)
{
	char c;

	say("child ", "vdso", vdso_here());
	calls("child ", 7);
	force("child ", 7);
	clocks("child ");
	shared->value += 40;
	if (write(done, "c", 1) != 1 || read(go, &c, 1) != 1)
		_exit(1);
	check("child ", 7);
	execl(self, self, "exec", NULL);
	_exit(127);
}

int main(int argc, char **argv)
{
	struct sigaction sa = { .sa_sigaction = on_signal, .sa_flags = SA_SIGINFO };
	int go[2], done[2], status = 0;
	char before[4096], *v = (char *)getauxval(AT_SYSINFO_EHDR), c;
	pid_t pid;

	if (argc > 1) {
		say(argv[1], "vdso", vdso_here());
		clocks(argv[1]);
		return 0;
	}
	shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	locked = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	code = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	memcpy(code, "\xb8\x63\0\0\0\xc3", 6);
	mprotect(code, 4096, PROT_READ | PROT_EXEC);
	sigaction(SIGUSR1, &sa, NULL);
	if (pipe(go) || pipe(done))
		return 1;
	say("both", "call", call());
	memcpy(before, v, sizeof(before));
	pid = fork();
	if (!pid)
		child(argv[0], go[0], done[1]);
	if (read(done[0], &c, 1) != 1)
		return 1;
	/* The child has written everywhere; nothing of it is seen here. */
	say("parent", "untouched", zeros((char *)&m, sizeof(m)) && zeros(locked, 64) && call() == 99);
	say("parent", "shared", shared->value + shared->caught);
	calls("parent", 3);
	force("parent", 3);
	if (write(go[1], "g", 1) != 1)
		return 1;
	waitpid(pid, &status, 0);
	say("parent", "child", status);
	check("parent", 3);
	say("parent", "vdso", !memcmp(before, v, sizeof(before)));
	clocks("parent");
	say("parent", "shared", shared->value + shared->caught);
	return 0;
}
