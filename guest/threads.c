/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that threads share memory and descriptors, wait for each other by futex and by pipe, take
 * signals sent to one of them, and that a process ends with its last thread.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

static struct {
	pthread_mutex_t lock;
	pthread_cond_t start;
	int go, pipe[2];
	long sum;
	pthread_t struck;
} s = { PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, { 0 }, 0, 0 };
static __thread int mine;

static void *add(void *p)
{
	pthread_mutex_lock(&s.lock);
	while (!s.go)
		pthread_cond_wait(&s.start, &s.lock);
	pthread_mutex_unlock(&s.lock);
	for (int i = 0; i < 20000; i++) {
		pthread_mutex_lock(&s.lock);
		s.sum += (long)p;
		mine++;
		pthread_mutex_unlock(&s.lock);
	}
	return (void *)(long)mine;
}

static void *late(void *p)
{
	usleep(20000);
	return write(s.pipe[1], "late", 4) == 4 ? p : NULL;
}

static void on_usr1(int signo)
{
	(void)signo;
	s.struck = pthread_self();
}

static void *sleeper(void *p)
{
	struct timespec ts = { 1000000, 0 };

	return nanosleep(&ts, NULL) && errno == EINTR ? p : NULL;
}

static void *last(void *p)
{
	usleep(10000);
	printf("the last one\n");
	fflush(stdout);
	return p;
}

int main(void)
{
	pthread_t t[8], x;
	struct timespec ts;
	char text[8];
	long n = 0;
	void *r;

	for (long i = 0; i < 8; i++)
		pthread_create(&t[i], NULL, add, (void *)i);
	pthread_mutex_lock(&s.lock);
	s.go = 1;
	pthread_cond_broadcast(&s.start);
	pthread_mutex_unlock(&s.lock);
	for (int i = 0; i < 8; i++) {
		pthread_join(t[i], &r);
		n += (long)r;
	}
	printf("sum %ld of %ld, mine %d\n", s.sum, n, mine);
	if (pipe(s.pipe))
		return 1;
	pthread_create(&x, NULL, late, NULL);
	printf("pipe %zd\n", read(s.pipe[0], text, sizeof(text)));
	pthread_join(x, NULL);
	clock_gettime(CLOCK_REALTIME, &ts);
	ts.tv_sec++;
	pthread_mutex_lock(&s.lock);
	printf("timed out %d\n", pthread_cond_timedwait(&s.start, &s.lock, &ts) == ETIMEDOUT);
	pthread_mutex_unlock(&s.lock);
	signal(SIGUSR1, on_usr1);
	pthread_create(&x, NULL, sleeper, &s);
	usleep(20000);
	pthread_kill(x, SIGUSR1);
	pthread_join(x, &r);
	printf("signal to the right one %d, it woke %d\n", pthread_equal(s.struck, x), r == &s);
	pthread_create(&x, NULL, last, NULL);
	fflush(stdout);
	pthread_exit(NULL);
}
