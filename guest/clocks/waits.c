/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sleeps, timers and children against the clocks: see clocks.h. */
#include <errno.h>
#include <linux/futex.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "clocks.h"

#define PERIOD 7300000l /* of the timers that go on all the time */

static int epoll_fd, periodic_fd, oneshot_fd;
static timer_t periodic;
static int64_t periodic_lo, periodic_hi, fd_lo, fd_hi; /* when they were started */
static int64_t fd_count;
static volatile sig_atomic_t alarms;
static struct timeval children_time;

static struct timespec spec(int64_t t)
{
	return (struct timespec){ t / S, t % S };
}

static int64_t clock_now(int id)
{
	struct timespec t;

	syscall(SYS_clock_gettime, id, &t);
	return t.tv_sec * S + t.tv_nsec;
}

static void on_alarm(int signo)
{
	(void)signo;
	alarms++;
}

/* ---- sleeps: each returns what was asked for, in ns ---- */

static int64_t by_nanosleep(int64_t d)
{
	struct timespec t = spec(d);

	return syscall(SYS_nanosleep, &t, NULL) ? -1 : d;
}

static int64_t by_clock_nanosleep(int64_t d)
{
	static const int ids[] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI };
	struct timespec t = spec(d);

	return syscall(SYS_clock_nanosleep, ids[draw(4)], 0, &t, NULL) ? -1 : d;
}

static int64_t by_absolute_sleep(int64_t d)
{
	static const int ids[] = { CLOCK_MONOTONIC, CLOCK_REALTIME, CLOCK_BOOTTIME, CLOCK_TAI };
	int id = ids[draw(4)];
	int64_t to = clock_now(id) + d;
	struct timespec t = spec(to);

	if (syscall(SYS_clock_nanosleep, id, TIMER_ABSTIME, &t, NULL))
		return -1;
	if (clock_now(id) < to)
		fail("clock_nanosleep", "clock %d: woke %ld before its time", id, to - clock_now(id));
	return d;
}

static int64_t by_poll(int64_t d)
{
	d = d / 1000000 * 1000000;
	return poll(NULL, 0, (int)(d / 1000000)) ? -1 : d;
}

static int64_t by_ppoll(int64_t d)
{
	struct timespec t = spec(d);

	return syscall(SYS_ppoll, NULL, 0, &t, NULL, 8) ? -1 : d;
}

static int64_t by_select(int64_t d)
{
	struct timeval t = { d / S, d % S / 1000 };

	d = d / 1000 * 1000;
	return syscall(SYS_select, 0, NULL, NULL, NULL, &t) ? -1 : d;
}

static int64_t by_pselect(int64_t d)
{
	struct timespec t = spec(d);

	return syscall(SYS_pselect6, 0, NULL, NULL, NULL, &t, NULL) ? -1 : d;
}

static int64_t by_epoll(int64_t d)
{
	struct epoll_event e;

	d = d / 1000000 * 1000000;
	return epoll_wait(epoll_fd, &e, 1, (int)(d / 1000000)) ? -1 : d;
}

static int64_t by_futex(int64_t d)
{
	static int word;
	bool wall = draw(2), absolute = draw(2);
	int64_t to = absolute ? clock_now(wall ? CLOCK_REALTIME : CLOCK_MONOTONIC) + d : d;
	struct timespec t = spec(to);

	syscall(SYS_futex, &word,
		(absolute ? FUTEX_WAIT_BITSET | (wall ? FUTEX_CLOCK_REALTIME : 0) : FUTEX_WAIT) | FUTEX_PRIVATE_FLAG, 0, &t,
		NULL, FUTEX_BITSET_MATCH_ANY);
	return errno == ETIMEDOUT ? d : -1;
}

static int64_t by_sigtimedwait(int64_t d)
{
	struct timespec t = spec(d);
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	return sigtimedwait(&set, NULL, &t) < 0 && errno == EAGAIN ? d : -1;
}

static int64_t by_timerfd(int64_t d)
{
	struct itimerspec t = { .it_value = spec(d ? d : 1) };
	bool absolute = draw(2);
	uint64_t n = 0;

	if (absolute)
		t.it_value = spec(clock_now(CLOCK_MONOTONIC) + d);
	timerfd_settime(oneshot_fd, absolute ? TFD_TIMER_ABSTIME : 0, &t, NULL);
	if (read(oneshot_fd, &n, sizeof(n)) != sizeof(n) || n != 1)
		fail("timerfd", "a timer that runs once ran %lu times", n);
	return d;
}

static int64_t by_setitimer(int64_t d)
{
	struct itimerval t = { .it_value = { d / S, d % S / 1000 + 1 } };
	int before = alarms;
	sigset_t set, old;

	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, &old);
	setitimer(ITIMER_REAL, &t, NULL);
	while (alarms == before)
		sigsuspend(&old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return d / 1000 * 1000 + 1000;
}

static int64_t by_alarm(int64_t d)
{
	int before = alarms;
	sigset_t set, old;

	(void)d;
	if (limits.late) /* real time is too dear */
		return -2;
	sigemptyset(&set);
	sigaddset(&set, SIGALRM);
	sigprocmask(SIG_BLOCK, &set, &old);
	alarm(1);
	while (alarms == before)
		sigsuspend(&old);
	sigprocmask(SIG_SETMASK, &old, NULL);
	return S;
}

static const struct {
	const char *name;
	int64_t (*sleep)(int64_t d);
} sleeps[] = {
	{ "nanosleep", by_nanosleep }, { "clock_nanosleep", by_clock_nanosleep },
	{ "clock_nanosleep until", by_absolute_sleep }, { "poll", by_poll }, { "ppoll", by_ppoll },
	{ "select", by_select }, { "pselect6", by_pselect }, { "epoll_wait", by_epoll }, { "futex", by_futex },
	{ "sigtimedwait", by_sigtimedwait }, { "timerfd read", by_timerfd }, { "setitimer", by_setitimer },
	{ "alarm", by_alarm },
};

static void one_sleep(void)
{
	unsigned i = (unsigned)draw(sizeof(sleeps) / sizeof(sleeps[0]));
	int64_t d = (int64_t)draw(limits.late ? 2000000 : 1ul << draw(32)), before = mono(), after, took;
	int64_t cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID);

	d = sleeps[i].sleep(d);
	if (d == -2)
		return;
	if (d == -1)
		fail(sleeps[i].name, "did not sleep: %d", errno);
	after = mono();
	cpu = clock_now(CLOCK_PROCESS_CPUTIME_ID) - cpu;
	took = after - before - lie(sleeps[i].name, d + 2000000);
	if (took < d || took > d + d / 1000 + limits.slack)
		fail(sleeps[i].name, "%ld instead of %ld", took, d);
	if (cpu > limits.slack)
		fail(sleeps[i].name, "slept for %ld, and used the processor for %ld", d, cpu);
}

/* ---- timers that run all the time ---- */

/* How often a timer of PERIOD first due PERIOD after @start has expired by @at. */
static int64_t expiries(int64_t start, int64_t at)
{
	return at < start ? 0 : (at - start) / PERIOD;
}

static void periodic_timerfd(void)
{
	int64_t before = mono(), after;
	uint64_t n = 0;

	if (read(periodic_fd, &n, sizeof(n)) < 0 && errno != EAGAIN)
		fail("timerfd", "read: %d", errno);
	after = mono();
	fd_count += (int64_t)n - lie("timerfd periodic", 1);
	if (fd_count < expiries(fd_hi, before - limits.late) || fd_count > expiries(fd_lo, after))
		fail("timerfd periodic", "%ld expiries, not %ld..%ld", fd_count, expiries(fd_hi, before),
		     expiries(fd_lo, after));
}

static void periodic_left(const char *name, const struct itimerspec *t, int64_t lo, int64_t hi, int64_t before,
			  int64_t after)
{
	int64_t left = t->it_value.tv_sec * S + t->it_value.tv_nsec - lie(name, PERIOD / 2), next_lo = before + left - hi,
		next_hi = after + left - lo;

	/* Some multiple of the period lies in [next_lo, next_hi], unless it is due just now. */
	if (left <= 1 && limits.late)
		return;
	if (left > PERIOD || next_hi / PERIOD * PERIOD < next_lo)
		fail(name, "%ld are left of a period of %ld at %ld..%ld after its start", left, PERIOD, before - hi, after - lo);
}

static void look_at_timers(void)
{
	struct itimerspec t;
	int64_t before = mono(), after;

	timer_gettime(periodic, &t);
	after = mono();
	periodic_left("timer_gettime", &t, periodic_lo, periodic_hi, before, after);
	before = mono();
	timerfd_gettime(periodic_fd, &t);
	after = mono();
	periodic_left("timerfd_gettime", &t, fd_lo, fd_hi, before, after);
}

/* What is left of a running timer of the process goes down as its clock goes up. */
static void look_at_itimers(void)
{
	static const struct {
		const char *name;
		int which, clock;
	} timers[] = { { "ITIMER_REAL", ITIMER_REAL, CLOCK_MONOTONIC },
		       { "ITIMER_PROF", ITIMER_PROF, CLOCK_PROCESS_CPUTIME_ID } };
	unsigned i = (unsigned)draw(2);
	struct itimerval t = { .it_value = { 1000, 0 } }, zero = { .it_value = { 0, 0 } };
	int64_t from_lo = clock_now(timers[i].clock), from_hi, left, before, after;
	long loose = timers[i].which == ITIMER_REAL ? 1000 : limits.tick + limits.late + 1000;

	setitimer(timers[i].which, &t, NULL);
	from_hi = clock_now(timers[i].clock);
	for (uint64_t n = draw(20000); n; n--)
		__asm__ volatile("");
	before = clock_now(timers[i].clock);
	getitimer(timers[i].which, &t);
	after = clock_now(timers[i].clock);
	left = t.it_value.tv_sec * S + t.it_value.tv_usec * 1000 - lie(timers[i].name, 10 * loose);
	if (left > 1000 * S - (before - from_hi) + loose || left < 1000 * S - (after - from_lo) - loose)
		fail(timers[i].name, "%ld are left after %ld", left, before - from_hi);
	setitimer(timers[i].which, &zero, NULL);
}

void waits_step(void)
{
	switch (draw(8)) {
	case 0:
		periodic_timerfd();
		break;
	case 1:
		look_at_timers();
		break;
	case 2:
		look_at_itimers();
		break;
	default:
		one_sleep();
	}
}

static int64_t micro(struct timeval t)
{
	return t.tv_sec * 1000000 + t.tv_usec;
}

/* A child's CPU time as it saw it itself, and as its parent is told. */
void children_step(void)
{
	int64_t before = mono(), after, own = 0, told;
	struct rusage r, all;
	int fd[2], status;
	pid_t pid;

	if (pipe(fd))
		fail("pipe", "%d", errno);
	pid = fork();
	if (pid == 0) {
		for (uint64_t n = draw(1000000); n; n--)
			__asm__ volatile("");
		own = clock_now(CLOCK_PROCESS_CPUTIME_ID);
		_exit(write(fd[1], &own, sizeof(own)) != sizeof(own));
	}
	if (wait4(pid, &status, 0, &r) != pid || status || read(fd[0], &own, sizeof(own)) != sizeof(own))
		fail("wait4", "%d: %d", errno, status);
	after = mono();
	close(fd[0]);
	close(fd[1]);
	told = micro(r.ru_utime) + micro(r.ru_stime) - lie("wait4", 1000000);
	if (told < own / 1000 - 2 || told > (after - before) / 1000 + 2)
		fail("wait4", "%ld us told of a child that saw %ld ns in %ld ns", told, own, after - before);
	getrusage(RUSAGE_CHILDREN, &all);
	timeradd(&children_time, &r.ru_utime, &children_time);
	timeradd(&children_time, &r.ru_stime, &children_time);
	status = (int)(micro(all.ru_utime) + micro(all.ru_stime) - micro(children_time) - lie("RUSAGE_CHILDREN", 1000000));
	if (status < -2 || status > 2 + 2 * 100)
		fail("RUSAGE_CHILDREN", "%d us beyond the sum of all wait4", status);
}

void waits_start(void)
{
	struct sigaction act = { .sa_handler = on_alarm };
	struct sigevent none = { .sigev_notify = SIGEV_NONE };
	struct itimerspec t = { .it_value = { 0, PERIOD }, .it_interval = { 0, PERIOD } };
	sigset_t set;

	sigaction(SIGALRM, &act, NULL);
	sigaction(SIGPROF, &act, NULL);
	sigemptyset(&set);
	sigaddset(&set, SIGUSR2);
	sigprocmask(SIG_BLOCK, &set, NULL);
	epoll_fd = epoll_create1(0);
	oneshot_fd = timerfd_create(CLOCK_MONOTONIC, 0);
	periodic_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK);
	if (epoll_fd < 0 || oneshot_fd < 0 || periodic_fd < 0 || timer_create(CLOCK_MONOTONIC, &none, &periodic))
		fail("timers", "cannot be made: %d", errno);
	fd_lo = mono();
	timerfd_settime(periodic_fd, 0, &t, NULL);
	fd_hi = periodic_lo = mono();
	timer_settime(periodic, 0, &t, NULL);
	periodic_hi = mono();
}
