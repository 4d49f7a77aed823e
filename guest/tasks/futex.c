/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves what each operation of futex(2) answers and whom it wakes: wait, wake, bit sets, absolute times,
 * requeue, wake with an operation, locks with priority inheritance, waiting for several; and each misuse.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>

#include "task.h"

#define P FUTEX_PRIVATE_FLAG
#ifndef FUTEX_LOCK_PI2
#define FUTEX_LOCK_PI2 13
#endif
#define NR_FUTEX_WAITV 449

struct many { /* struct futex_waitv */
	uint64_t val, uaddr;
	uint32_t flags, reserved;
};

static volatile uint32_t a, b, lock;
static volatile int awake;

struct waiter {
	volatile uint32_t *word;
	uint32_t bits;
	long r;
	pthread_t t;
};

static void *waits(void *p)
{
	struct waiter *w = p;

	w->r = futex(w->word, FUTEX_WAIT_BITSET | P, 0, NULL, NULL, w->bits);
	__sync_fetch_and_add(&awake, 1);
	return NULL;
}

static void begin(struct waiter *w, int n, volatile uint32_t *word, const uint32_t *bits)
{
	awake = 0;
	for (int i = 0; i < n; i++) {
		w[i] = (struct waiter){ .word = word, .bits = bits ? bits[i] : ~0u };
		pthread_create(&w[i].t, NULL, waits, &w[i]);
		nap(20 * MS);
	}
}

static int seen(void)
{
	nap(20 * MS);
	return awake;
}

static void join(struct waiter *w, int n)
{
	for (int i = 0; i < n; i++) {
		pthread_join(w[i].t, NULL);
		if (w[i].r)
			say("waiter", w[i].r);
	}
}

static void misuse(void)
{
	struct timespec bad = { 0, 1000000000 }, minus = { -1, 0 }, past = { 1, 0 }, zero = { 0, 0 };
	volatile uint32_t *odd = (volatile uint32_t *)((char *)&a + 1), *none = (volatile uint32_t *)16,
			  *kernel = (volatile uint32_t *)0xffff800000000000;

	a = 1;
	say("wait, another value", futex(&a, FUTEX_WAIT, 0, NULL, NULL, 0));
	say("wait, odd", futex(odd, FUTEX_WAIT, 0, NULL, NULL, 0));
	say("wait, unmapped", futex(none, FUTEX_WAIT, 0, NULL, NULL, 0));
	say("wait, the kernel's", futex(kernel, FUTEX_WAIT | P, 0, NULL, NULL, 0));
	say("wake, unmapped, private", futex(none, FUTEX_WAKE | P, 1, NULL, NULL, 0));
	say("wake, unmapped, shared", futex(none, FUTEX_WAKE, 1, NULL, NULL, 0));
	say("wait, bad time", futex(&a, FUTEX_WAIT, 1, &bad, NULL, 0));
	say("wait, time below 0", futex(&a, FUTEX_WAIT, 1, &minus, NULL, 0));
	say("wait, no time", futex(&a, FUTEX_WAIT, 1, &zero, NULL, 0));
	say("wait, time unmapped", futex(&a, FUTEX_WAIT, 1, (void *)16, NULL, 0));
	say("wait bits 0", futex(&a, FUTEX_WAIT_BITSET, 1, NULL, NULL, 0));
	say("wake bits 0", futex(&a, FUTEX_WAKE_BITSET, 1, NULL, NULL, 0));
	say("wait bits, past", futex(&a, FUTEX_WAIT_BITSET, 1, &past, NULL, 1));
	say("wait bits, past, realtime", futex(&a, FUTEX_WAIT_BITSET | FUTEX_CLOCK_REALTIME, 1, &past, NULL, 1));
	say("wake with a clock", futex(&a, FUTEX_WAKE | FUTEX_CLOCK_REALTIME, 1, NULL, NULL, 0));
	say("wait with a clock", futex(&a, FUTEX_WAIT | FUTEX_CLOCK_REALTIME, 1, &zero, NULL, 0));
	say("wake 0", futex(&a, FUTEX_WAKE, 0, NULL, NULL, 0));
	say("wake -1", futex(&a, FUTEX_WAKE, -1, NULL, NULL, 0));
	say("fd", futex(&a, FUTEX_FD, 0, NULL, NULL, 0));
	say("operation 99", futex(&a, 99, 0, NULL, NULL, 0));
	say("requeue, another value", futex(&a, FUTEX_CMP_REQUEUE, 1, (void *)1, &b, 7));
	say("requeue, below 0", futex(&a, FUTEX_CMP_REQUEUE, -1, (void *)1, &b, 1));
	say("requeue, move below 0", futex(&a, FUTEX_CMP_REQUEUE, 1, (void *)-1, &b, 1));
	say("requeue, odd", futex(&a, FUTEX_CMP_REQUEUE, 1, (void *)1, odd, 1));
	say("requeue, unmapped", futex(&a, FUTEX_CMP_REQUEUE, 1, (void *)1, none, 1));
	say("wake op, unknown", futex(&a, FUTEX_WAKE_OP, 1, (void *)1, &b, 7u << 28));
	say("wake op, unknown comparison", futex(&a, FUTEX_WAKE_OP, 1, (void *)1, &b, 9u << 24));
	say("wake op, odd", futex(&a, FUTEX_WAKE_OP, 1, (void *)1, odd, 0));
	say("wake op, unmapped", futex(&a, FUTEX_WAKE_OP, 1, (void *)1, none, 0));
	say("null", futex(NULL, FUTEX_WAKE | P, 1, NULL, NULL, 0));
	a = 0;
}

static void times(void)
{
	struct timespec rel = { 0, 30 * MS }, m = in(CLOCK_MONOTONIC, 30 * MS), r = in(CLOCK_REALTIME, 60 * MS), n;

	say("30 ms", futex(&a, FUTEX_WAIT | P, 0, &rel, NULL, 0));
	clock_gettime(CLOCK_MONOTONIC, &n);
	say("until a time that is over", futex(&a, FUTEX_WAIT_BITSET | P, 0, &m, NULL, ~0u));
	say("until, realtime", futex(&a, FUTEX_WAIT_BITSET | P | FUTEX_CLOCK_REALTIME, 0, &r, NULL, ~0u));
	clock_gettime(CLOCK_REALTIME, &n);
	say("then it is that late", n.tv_sec > r.tv_sec || (n.tv_sec == r.tv_sec && n.tv_nsec >= r.tv_nsec));
}

static void wakes(void)
{
	static const uint32_t bits[4] = { 1, 2, 1, 4 };
	struct waiter w[4];
	uint32_t op;

	begin(w, 4, &a, NULL);
	say("wake 2 of 4", futex(&a, FUTEX_WAKE | P, 2, NULL, NULL, 0));
	say("awake", seen());
	say("wake all", futex(&a, FUTEX_WAKE | P, INT32_MAX, NULL, NULL, 0));
	join(w, 4);
	begin(w, 4, &a, bits);
	say("wake bit 1", futex(&a, FUTEX_WAKE_BITSET | P, 9, NULL, NULL, 1));
	say("awake", seen());
	say("wake bit 8", futex(&a, FUTEX_WAKE_BITSET | P, 9, NULL, NULL, 8));
	say("wake bits 6", futex(&a, FUTEX_WAKE_BITSET | P, 9, NULL, NULL, 6));
	join(w, 4);
	begin(w, 4, &a, NULL);
	say("requeue: 1 wakes, 2 move", futex(&a, FUTEX_CMP_REQUEUE | P, 1, (void *)2, &b, 0));
	say("awake", seen());
	say("at b", futex(&b, FUTEX_WAKE | P, 9, NULL, NULL, 0));
	say("at a", futex(&a, FUTEX_WAKE | P, 9, NULL, NULL, 0));
	join(w, 4);
	begin(w, 2, &a, NULL);
	say("requeue without comparison", futex(&a, FUTEX_REQUEUE | P, 0, (void *)9, &b, 5));
	say("at b", futex(&b, FUTEX_WAKE | P, 9, NULL, NULL, 0));
	join(w, 2);
	begin(w, 2, &a, NULL);
	begin(w + 2, 2, &b, NULL);
	op = FUTEX_OP(FUTEX_OP_ADD, 5, FUTEX_OP_CMP_EQ, 0);
	say("wake op: add 5, was 0", futex(&a, FUTEX_WAKE_OP | P, 1, (void *)1, &b, op));
	say("b", b);
	op = FUTEX_OP((FUTEX_OP_SET | FUTEX_OP_OPARG_SHIFT), 4, FUTEX_OP_CMP_GT, 9);
	say("wake op: 1 << 4, was above 9", futex(&a, FUTEX_WAKE_OP | P, 9, (void *)9, &b, op));
	say("b", b);
	op = FUTEX_OP(FUTEX_OP_ANDN, 16, FUTEX_OP_CMP_NE, -1);
	say("wake op: and not 16, was not -1", futex(&a, FUTEX_WAKE_OP | P, 9, (void *)9, &b, op));
	say("b", b);
	join(w, 4);
	b = 0;
}

static volatile int holds, release_it;
static long unlocked, unlocked_twice, woke_b; /* told after the join: two threads that print race */

static void *holder(void *p)
{
	(void)p;
	say("lock", futex(&lock, FUTEX_LOCK_PI | P, 0, NULL, NULL, 0));
	holds = 1;
	while (!release_it)
		nap(5 * MS);
	release_it = 0;
	say("word has me", (lock & FUTEX_TID_MASK) == (uint32_t)gettid());
	say("word has waiters", !!(lock & FUTEX_WAITERS));
	unlocked = futex(&lock, FUTEX_UNLOCK_PI | P, 0, NULL, NULL, 0);
	nap(20 * MS);
	unlocked_twice = futex(&lock, FUTEX_UNLOCK_PI | P, 0, NULL, NULL, 0) == -1 && errno == EPERM;
	return NULL;
}

static void *hands_over(void *p)
{
	nap(30 * MS);
	release_it = 1;
	return p;
}

static void pi(void)
{
	struct timespec soon;
	pthread_t t, u;

	say("try", futex(&lock, FUTEX_TRYLOCK_PI | P, 0, NULL, NULL, 0));
	say("mine", lock == (uint32_t)gettid());
	say("again", futex(&lock, FUTEX_LOCK_PI | P, 0, NULL, NULL, 0));
	say("try again", futex(&lock, FUTEX_TRYLOCK_PI | P, 0, NULL, NULL, 0));
	say("unlock", futex(&lock, FUTEX_UNLOCK_PI | P, 0, NULL, NULL, 0));
	say("word", lock);
	say("unlock what is free", futex(&lock, FUTEX_UNLOCK_PI | P, 0, NULL, NULL, 0));
	lock = 0x3ffffff0 & 0x1ffffff;
	say("nobody's", futex(&lock, FUTEX_LOCK_PI | P, 0, NULL, NULL, 0));
	lock = 0;
	pthread_create(&t, NULL, holder, NULL);
	while (!holds)
		nap(5 * MS);
	soon = in(CLOCK_REALTIME, 20 * MS);
	say("lock in time", futex(&lock, FUTEX_LOCK_PI | P, 0, &soon, NULL, 0));
	soon = in(CLOCK_MONOTONIC, 20 * MS);
	say("lock in time, monotonic", futex(&lock, FUTEX_LOCK_PI2 | P, 0, &soon, NULL, 0));
	say("try another's", futex(&lock, FUTEX_TRYLOCK_PI | P, 0, NULL, NULL, 0));
	say("unlock another's", futex(&lock, FUTEX_UNLOCK_PI | P, 0, NULL, NULL, 0));
	pthread_create(&u, NULL, hands_over, NULL);
	say("lock", futex(&lock, FUTEX_LOCK_PI | P, 0, NULL, NULL, 0));
	say("word has me", (lock & FUTEX_TID_MASK) == (uint32_t)gettid());
	pthread_join(u, NULL);
	pthread_join(t, NULL);
	say("the holder's unlock", unlocked);
	say("again, refused", unlocked_twice);
	if (lock == (uint32_t)gettid())
		lock = 0;
	else
		say("unlock", futex(&lock, FUTEX_UNLOCK_PI | P, 0, NULL, NULL, 0));
	say("word", lock);
}

/* The locks of the C library that are made of it. */
static pthread_mutex_t heir;
static int turns;

static void *inherits(void *p)
{
	for (int i = 0; i < 500; i++) {
		pthread_mutex_lock(&heir);
		turns++;
		if (!(i % 50))
			sched_yield();
		pthread_mutex_unlock(&heir);
	}
	return p;
}

static void pi_mutex(void)
{
	pthread_mutexattr_t at;
	pthread_t t[4];

	pthread_mutexattr_init(&at);
	say("protocol", pthread_mutexattr_setprotocol(&at, PTHREAD_PRIO_INHERIT));
	say("init", pthread_mutex_init(&heir, &at));
	for (int i = 0; i < 4; i++)
		pthread_create(&t[i], NULL, inherits, NULL);
	for (int i = 0; i < 4; i++)
		pthread_join(t[i], NULL);
	say("turns", turns);
}

static void *wakes_b(void *p)
{
	nap(30 * MS);
	woke_b = futex(&b, FUTEX_WAKE | P, 1, NULL, NULL, 0);
	return p;
}

static void several(void)
{
	struct many w[3] = { { 0, (uintptr_t)&a, 2 | P, 0 }, { 0, (uintptr_t)&b, 2 | P, 0 }, { 0, (uintptr_t)&lock, 2 | P, 0 } };
	struct timespec soon = in(CLOCK_MONOTONIC, 20 * MS);
	pthread_t t;

	say("none", syscall(NR_FUTEX_WAITV, w, 0, 0, NULL, 0));
	say("too many", syscall(NR_FUTEX_WAITV, w, 129, 0, NULL, 0));
	say("flags", syscall(NR_FUTEX_WAITV, w, 1, 1, NULL, 0));
	say("clock", syscall(NR_FUTEX_WAITV, w, 1, 0, &soon, 7));
	say("until", syscall(NR_FUTEX_WAITV, w, 3, 0, &soon, CLOCK_MONOTONIC));
	w[1].val = 1;
	say("another value", syscall(NR_FUTEX_WAITV, w, 3, 0, NULL, 0));
	w[1].val = 0;
	w[2].flags = 0;
	say("no size", syscall(NR_FUTEX_WAITV, w, 3, 0, NULL, 0));
	w[2].flags = 2 | P;
	w[2].reserved = 1;
	say("reserved", syscall(NR_FUTEX_WAITV, w, 3, 0, NULL, 0));
	w[2].reserved = 0;
	pthread_create(&t, NULL, wakes_b, NULL);
	say("which", syscall(NR_FUTEX_WAITV, w, 3, 0, NULL, 0));
	pthread_join(t, NULL);
	say("wake b", woke_b);
}

static void on_alarm(int signo)
{
	(void)signo;
}

static void *strikes(void *p)
{
	nap(30 * MS);
	pthread_kill(*(pthread_t *)p, SIGUSR1);
	nap(30 * MS);
	a = 1;
	futex(&a, FUTEX_WAKE | P, 1, NULL, NULL, 0);
	return NULL;
}

static void interrupted(int flags, const char *text)
{
	struct sigaction sa = { .sa_handler = on_alarm, .sa_flags = flags };
	struct timespec long_one = { 1000, 0 };
	pthread_t t, self = pthread_self();

	sigaction(SIGUSR1, &sa, NULL);
	puts(text);
	for (int i = 0; i < 2; i++) {
		a = 0;
		pthread_create(&t, NULL, strikes, &self);
		say(i ? "with a time" : "for ever", futex(&a, FUTEX_WAIT | P, 0, i ? &long_one : NULL, NULL, 0));
		pthread_join(t, NULL);
	}
	a = 0;
}

int main(void)
{
	misuse();
	times();
	wakes();
	interrupted(0, "a handler");
	interrupted(SA_RESTART, "a handler, restarting");
	pi();
	pi_mutex();
	several();
	return 0;
}
