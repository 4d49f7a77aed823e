/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that no wake-up is lost and no lock is held twice, whatever the schedule: mutexes of each kind,
 * condition variables, barriers, read-write locks, semaphores, once, cancellation with its clean-up, and
 * variables of a thread.  Prints the same in every schedule.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>

#include "task.h"

#define THREADS 6
#define TURNS 300
#define SLOTS 3

static struct {
	pthread_mutex_t lock, recursive, checked;
	pthread_cond_t full, empty;
	pthread_barrier_t barrier;
	pthread_rwlock_t rw;
	pthread_once_t once;
	pthread_key_t key;
	sem_t sem;
	int queue[SLOTS], head, n, inside, worst, onces, ended_keys, cleaned;
	long sum, taken, a, b, torn, serial;
} s;
static __thread long mine;

static void first(void)
{
	s.onces++;
}

static void key_ends(void *p)
{
	(void)p;
	__sync_fetch_and_add(&s.ended_keys, 1);
}

static void *locks(void *p)
{
	pthread_once(&s.once, first);
	pthread_setspecific(s.key, p);
	for (int i = 0; i < TURNS; i++) {
		pthread_mutex_lock(&s.lock);
		if (++s.inside > s.worst)
			s.worst = s.inside;
		s.sum += ++mine > 0;
		if (i % 16 == 0)
			sched_yield();
		s.inside--;
		pthread_mutex_unlock(&s.lock);
		pthread_mutex_lock(&s.recursive);
		pthread_mutex_lock(&s.recursive);
		s.a++;
		pthread_mutex_unlock(&s.recursive);
		pthread_mutex_unlock(&s.recursive);
		if (!pthread_mutex_trylock(&s.checked)) {
			if (pthread_mutex_lock(&s.checked) != EDEADLK)
				puts("locked twice");
			pthread_mutex_unlock(&s.checked);
		}
	}
	return (void *)mine;
}

static void *produces(void *p)
{
	for (int i = 1; i <= TURNS; i++) {
		pthread_mutex_lock(&s.lock);
		while (s.n == SLOTS)
			pthread_cond_wait(&s.empty, &s.lock);
		s.queue[(s.head + s.n++) % SLOTS] = i;
		pthread_cond_signal(&s.full);
		pthread_mutex_unlock(&s.lock);
	}
	return p;
}

static void *consumes(void *p)
{
	for (int i = 0; i < TURNS; i++) {
		struct timespec t = in(CLOCK_REALTIME, 100000 * MS);

		pthread_mutex_lock(&s.lock);
		while (!s.n)
			if (pthread_cond_timedwait(&s.full, &s.lock, &t) == ETIMEDOUT)
				puts("a wake-up was lost");
		s.taken += s.queue[s.head];
		s.head = (s.head + 1) % SLOTS;
		s.n--;
		pthread_cond_signal(&s.empty);
		pthread_mutex_unlock(&s.lock);
	}
	return p;
}

static void *meets(void *p)
{
	for (int i = 0; i < TURNS / 4; i++)
		if (pthread_barrier_wait(&s.barrier) == PTHREAD_BARRIER_SERIAL_THREAD)
			s.serial++;
	return p;
}

static void *reads_writes(void *p)
{
	for (int i = 0; i < TURNS; i++) {
		if ((i + (int)(long)p) % 4) {
			pthread_rwlock_rdlock(&s.rw);
			if (s.a != s.b)
				__sync_fetch_and_add(&s.torn, 1);
		} else {
			pthread_rwlock_wrlock(&s.rw);
			s.a++;
			if (i % 8 == 0)
				sched_yield();
			s.b++;
		}
		pthread_rwlock_unlock(&s.rw);
		sem_wait(&s.sem);
		__sync_fetch_and_add(&s.taken, 1);
		sem_post(&s.sem);
	}
	return p;
}

static void clean(void *p)
{
	pthread_mutex_unlock(p);
	__sync_fetch_and_add(&s.cleaned, 1);
}

static void *is_cancelled(void *p)
{
	pthread_mutex_lock(&s.lock);
	pthread_cleanup_push(clean, &s.lock);
	for (;;)
		pthread_cond_wait(&s.full, &s.lock);
	pthread_cleanup_pop(1);
	return p;
}

static void *spins(void *p)
{
	pthread_setcanceltype(PTHREAD_CANCEL_ASYNCHRONOUS, NULL);
	for (volatile long i = 0;; i++)
		;
	return p;
}

static long all(void *(*f)(void *), void *(*g)(void *))
{
	pthread_t t[THREADS];
	long sum = 0;
	void *r;

	for (long i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, i & 1 && g ? g : f, (void *)(i + 1));
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], &r);
		sum += (long)r;
	}
	return sum;
}

static void cancel(void *(*f)(void *), const char *text)
{
	pthread_t t[THREADS];
	int n = 0;
	void *r;

	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, f, NULL);
	nap(MS);
	for (int i = 0; i < THREADS; i++)
		pthread_cancel(t[i]);
	for (int i = 0; i < THREADS; i++) {
		pthread_join(t[i], &r);
		n += r == PTHREAD_CANCELED;
	}
	say(text, n);
}

int main(void)
{
	pthread_mutexattr_t at;

	pthread_mutexattr_init(&at);
	pthread_mutexattr_settype(&at, PTHREAD_MUTEX_RECURSIVE);
	pthread_mutex_init(&s.recursive, &at);
	pthread_mutexattr_settype(&at, PTHREAD_MUTEX_ERRORCHECK);
	pthread_mutex_init(&s.checked, &at);
	pthread_barrier_init(&s.barrier, NULL, THREADS);
	pthread_key_create(&s.key, key_ends);
	sem_init(&s.sem, 0, 2);
	say("own counts", all(locks, NULL));
	say("sum", s.sum);
	say("recursive", s.a);
	say("at most inside", s.worst);
	say("once", s.onces);
	say("keys ended", s.ended_keys);
	all(produces, consumes);
	say("taken", s.taken);
	all(meets, NULL);
	say("serial", s.serial);
	s.a = s.b = s.taken = 0;
	all(reads_writes, NULL);
	say("written", s.b);
	say("torn", s.torn);
	say("through the semaphore", s.taken);
	cancel(is_cancelled, "cancelled in a wait");
	say("cleaned", s.cleaned);
	cancel(spins, "cancelled at once");
	return 0;
}
