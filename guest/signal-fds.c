/* SPDX-License-Identifier: GPL-2.0-or-later */
/* signalfd: what it reads, refuses, waits for and wakes; the same lines natively and emulated. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

static sigset_t set_of(int a, int b)
{
	sigset_t s;

	sigemptyset(&s);
	sigaddset(&s, a);
	sigaddset(&s, b);
	return s;
}

static void show(const char *what, int fd)
{
	struct signalfd_siginfo si[3];
	ssize_t n = read(fd, si, sizeof(si));

	printf("%s: %zd", what, n < 0 ? -(ssize_t)errno : n);
	for (ssize_t i = 0; i < n / (ssize_t)sizeof(*si); i++)
		printf(" {signo %u code %d int %d status %d self %d}", si[i].ssi_signo, si[i].ssi_code, si[i].ssi_int,
		       si[i].ssi_status, si[i].ssi_pid == (unsigned)getpid());
	printf("\n");
}

static int ready(int fd, int ms)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, ms);
}

static void refused(const char *what, int fd, const void *set, size_t size, int flags)
{
	long r = syscall(SYS_signalfd4, fd, set, size, flags);

	printf("%s %ld %d\n", what, r, errno);
}

static void *later(void *arg)
{
	usleep(2000);
	kill(getpid(), *(int *)arg);
	return NULL;
}

static void handler(int signo)
{
	(void)signo;
}

int main(void)
{
	sigset_t s = set_of(SIGUSR1, SIGCHLD), rt = set_of(SIGRTMIN, SIGUSR2), none;
	union sigval value = { .sival_int = 77 };
	int fd, child, ep, one = SIGUSR1, other = SIGUSR2;
	struct epoll_event ev = { .events = EPOLLIN };
	struct signalfd_siginfo si;
	struct itimerval it = { .it_value.tv_usec = 3000 };
	pthread_t t;

	struct signalfd_siginfo parts[2] = { 0 };
	struct iovec v[2] = { { &parts[0], sizeof(parts[0]) }, { &parts[1], sizeof(parts[1]) } };
	struct itimerspec ts = { .it_value.tv_nsec = 2000000 };
	uint64_t n = 0;

	setvbuf(stdout, NULL, _IONBF, 0);
	sigprocmask(SIG_BLOCK, &s, NULL);
	sigprocmask(SIG_BLOCK, &rt, NULL);
	fd = signalfd(-1, &s, SFD_NONBLOCK | SFD_CLOEXEC);
	printf("made %d, flags %d %d\n", fd >= 0, !!(fcntl(fd, F_GETFL) & O_NONBLOCK), fcntl(fd, F_GETFD));
	show("nothing yet", fd);
	child = (int)read(fd, &si, 127);
	printf("short: %d %d\n", child, errno);
	printf("ready %d\n", ready(fd, 0));
	kill(getpid(), SIGUSR1);
	kill(getpid(), SIGUSR1);
	printf("ready %d\n", ready(fd, 0));
	show("sent twice", fd);
	printf("ready %d\n", ready(fd, 0));
	sigqueue(getpid(), SIGRTMIN, value);
	value.sival_int = 78;
	sigqueue(getpid(), SIGRTMIN, value);
	printf("not of the set %d\n", ready(fd, 0));
	printf("another set %d\n", signalfd(fd, &rt, 0) == fd);
	printf("ready %d\n", ready(fd, 0));
	show("queued", fd);
	signalfd(fd, &s, 0);
	child = fork();
	if (!child)
		_exit(7);
	printf("poll for a child %d\n", ready(fd, -1));
	show("a child's end", fd);
	waitpid(child, NULL, 0);
	ep = epoll_create1(0);
	epoll_ctl(ep, EPOLL_CTL_ADD, fd, &ev);
	pthread_create(&t, NULL, later, &one);
	printf("epoll %d\n", epoll_wait(ep, &ev, 1, -1));
	pthread_join(t, NULL);
	show("from a thread", fd);
	fcntl(fd, F_SETFL, 0);
	pthread_create(&t, NULL, later, &one);
	show("a read that waits", fd);
	pthread_join(t, NULL);
	sigaction(SIGALRM, &(struct sigaction){ .sa_handler = handler }, NULL); /* no SA_RESTART */
	setitimer(ITIMER_REAL, &it, NULL);
	show("interrupted", fd);
	child = fork();
	if (!child) {
		printf("in the child %d\n", ready(fd, 0));
		kill(getpid(), SIGUSR1);
		show("the child's own", fd);
		_exit(0);
	}
	waitpid(child, NULL, 0);
	show("the parent's", fd);
	pthread_create(&t, NULL, later, &other);
	signalfd(fd, &rt, 0);
	show("after a change", fd);
	pthread_join(t, NULL);
	sigemptyset(&none);
	refused("bad size", -1, &none, 4, 0);
	refused("bad flags", -1, &none, 8, 1);
	refused("bad set", -1, (const void *)8, 8, 0);
	refused("bad fd", 999, &none, 8, 0);
	refused("no signalfd", 1, &none, 8, 0);
	signalfd(fd, &s, 0);
	fcntl(fd, F_SETFL, O_NONBLOCK);
	kill(getpid(), SIGUSR1);
	child = (int)readv(fd, v, 2);
	printf("readv %d %u %u\n", child, parts[0].ssi_signo, parts[1].ssi_signo);
	printf("write %zd\n", write(fd, &n, 8));
	printf("writev %zd\n", writev(fd, v, 1));
	fd = timerfd_create(CLOCK_MONOTONIC, 0);
	timerfd_settime(fd, 0, &ts, NULL);
	printf("write to a timer %zd\n", write(fd, &n, 8));
	printf("readv of a timer %zd", readv(fd, &(struct iovec){ &n, 8 }, 1));
	printf(" %lu\n", (unsigned long)n);
	return 0;
}
