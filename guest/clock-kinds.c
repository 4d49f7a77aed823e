/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves which clocks there are and what each can do: read and its resolution, by the C library and by the system
 * call; sleeps, timers and timer descriptors; and that a timer on a thread's clock signals that thread.  The alarm
 * clocks are left out: they need a real-time clock, which not every machine has.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

static long answer(long r)
{
	return r < 0 ? -errno : 0;
}

static void kinds(int id)
{
	struct timespec t, zero = { 0, 0 };
	struct sigevent none = { .sigev_notify = SIGEV_NONE };
	timer_t timer;

	printf("%d: read %ld %ld,", id, answer(clock_gettime(id, &t)), answer(syscall(SYS_clock_gettime, id, &t)));
	printf(" resolution %ld %ld,", answer(clock_getres(id, &t)), answer(syscall(SYS_clock_getres, id, &t)));
	printf(" sleep %ld,", answer(syscall(SYS_clock_nanosleep, id, 0, &zero, NULL)));
	printf(" timer %ld, descriptor %ld\n", answer(syscall(SYS_timer_create, id, &none, &timer)),
	       answer(timerfd_create(id, 0)));
}

static volatile sig_atomic_t told;

static void on_signal(int signo)
{
	(void)signo;
	told = (int)syscall(SYS_gettid);
}

static void *spin(void *arg)
{
	struct sigevent ev = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1 };
	struct itimerspec t = { .it_value = { 0, 30000000 } };
	timer_t timer;

	(void)arg;
	ev._sigev_un._tid = (int)syscall(SYS_gettid);
	if (timer_create(CLOCK_THREAD_CPUTIME_ID, &ev, &timer) || timer_settime(timer, 0, &t, NULL))
		return (void *)1;
	while (!told)
		;
	return (void *)(long)(told != ev._sigev_un._tid);
}

int main(void)
{
	struct sigaction act = { .sa_handler = on_signal };
	struct sigevent gone = { .sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGUSR1, ._sigev_un._tid = 4000000 };
	timer_t timer;
	pthread_t thread;
	void *bad = (void *)2;

	for (int id = -7; id < 26; id++)
		if (id != CLOCK_REALTIME_ALARM && id != CLOCK_BOOTTIME_ALARM)
			kinds(id);
	printf("a timer for a thread that is not ours: %d\n", timer_create(CLOCK_MONOTONIC, &gone, &timer) ? errno : 0);
	sigaction(SIGUSR1, &act, NULL);
	pthread_create(&thread, NULL, spin, NULL);
	pthread_join(thread, &bad);
	printf("a timer on a thread's clock: %s\n", bad ? "told another thread" : "told it");
	return 0;
}
