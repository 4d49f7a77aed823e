/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves what a thread leaves behind that ends with locks held: robust lists (thread, process, execve, a lock
 * that is being taken), heirs of locks with priority inheritance, the cleared thread id.
 */
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include "task.h"

struct lock {
	struct robust_list list;
	volatile uint32_t word;
};

static const char *left(uint32_t v)
{
	static char text[64];

	snprintf(text, sizeof(text), "%s%s%s", v & FUTEX_OWNER_DIED ? "died " : "", v & FUTEX_WAITERS ? "waiters " : "",
		 v & FUTEX_TID_MASK ? "owner" : "");
	return text;
}

static struct lock shared_locks[4];

static void *dies(void *p)
{
	struct lock *l = p ? p : shared_locks;
	struct robust_list_head head = { { &l[0].list }, (long)((char *)&l->word - (char *)l), NULL }, *now;
	size_t len;

	l[0].list.next = &l[1].list;
	l[1].list.next = (struct robust_list *)&head;
	l[0].word = l[1].word = (uint32_t)gettid();
	l[1].word |= FUTEX_WAITERS;
	l[2].word = (uint32_t)gettid(); /* not on the list, but about to be */
	l[3].word = (uint32_t)gettid(); /* not at all */
	head.list_op_pending = &l[2].list;
	say("set", syscall(SYS_set_robust_list, &head, sizeof(head)));
	say("set, bad size", syscall(SYS_set_robust_list, &head, 8));
	say("get", syscall(SYS_get_robust_list, 0, &now, &len));
	say("is it", now == &head && len == sizeof(head));
	say("get of nobody", syscall(SYS_get_robust_list, 99999999, &now, &len));
	if (p)
		syscall(SYS_exit, 3); /* its stack with the list is still there */
	return NULL;
}

static void *watch(void *p)
{
	struct lock *l = p;

	for (uint32_t v; (v = l[1].word) & FUTEX_TID_MASK || !v;)
		futex(&l[1].word, FUTEX_WAIT, v, NULL, NULL, 0);
	return NULL;
}

static void show(const struct lock *l)
{
	for (int i = 0; i < 4; i++)
		printf("lock %d: %s\n", i, left(l[i].word));
}

static void thread_dies(void)
{
	struct lock l[4] = { 0 };
	pthread_t w;
	char *stack = mmap(NULL, 65536, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	volatile int tid = 1;
	int cloned;

	puts("a thread");
	pthread_create(&w, NULL, watch, l);
	nap(20 * MS);
	cloned = (clone((int (*)(void *))(void *)dies, stack + 65536,
			   CLONE_VM | CLONE_THREAD | CLONE_SIGHAND | CLONE_FS | CLONE_FILES | CLONE_SYSVSEM |
				   CLONE_CHILD_CLEARTID, l, NULL, NULL, &tid) > 0);
	for (int t; (t = tid);)
		futex((volatile uint32_t *)&tid, FUTEX_WAIT, (uint32_t)t, NULL, NULL, 0);
	pthread_join(w, NULL);
	say("cloned", cloned);
	show(l);
}

static void process_dies(int how)
{
	struct lock *l = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char *const none[] = { "true", NULL };
	pthread_t w;
	int status;

	puts(how == 0 ? "a process" : how == 1 ? "execve" : "a signal");
	fflush(stdout);
	if (!fork()) {
		dies(NULL);
		memcpy(l, shared_locks, sizeof(shared_locks));
		/* The list again, in the shared memory. */
		struct robust_list_head *head = (void *)(l + 10);
		*head = (struct robust_list_head){ { &l[0].list }, (long)((char *)&l->word - (char *)l), &l[2].list };
		l[0].list.next = &l[1].list;
		l[1].list.next = (struct robust_list *)head;
		syscall(SYS_set_robust_list, head, sizeof(*head));
		if (how == 1)
			execv("/bin/true", none);
		if (how == 2)
			raise(SIGKILL);
		_exit(0);
	}
	pthread_create(&w, NULL, watch, l);
	pthread_join(w, NULL);
	wait(&status);
	say("status", status);
	show(l);
}

static pthread_mutex_t *m;

static void *locks(void *p)
{
	say("lock", pthread_mutex_lock(m));
	*(volatile int *)(m + 1) = 1;
	if (p)
		nap(60 * MS);
	return p;
}

/* The C library's robust mutexes; a process that others share them with. */
static void mutexes(int protocol, int process)
{
	pthread_mutexattr_t at;
	pthread_t t;
	int status;

	printf("robust mutex%s%s\n", protocol ? ", inheriting" : "", process ? ", of a process" : "");
	fflush(stdout);
	m = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	pthread_mutexattr_init(&at);
	pthread_mutexattr_setrobust(&at, PTHREAD_MUTEX_ROBUST);
	pthread_mutexattr_setpshared(&at, process);
	pthread_mutexattr_setprotocol(&at, protocol);
	say("init", pthread_mutex_init(m, &at));
	if (process) {
		if (!fork()) {
			locks(m);
			_exit(0);
		}
	} else {
		pthread_create(&t, NULL, locks, m);
	}
	while (!*(volatile int *)(m + 1))
		nap(5 * MS);
	say("lock after a death", pthread_mutex_lock(m) == EOWNERDEAD);
	say("consistent", pthread_mutex_consistent(m));
	say("unlock", pthread_mutex_unlock(m));
	say("lock", pthread_mutex_lock(m));
	say("unlock", pthread_mutex_unlock(m));
	if (process) {
		wait(&status);
		say("status", status);
	} else {
		pthread_join(t, NULL);
	}
	pthread_create(&t, NULL, locks, NULL);
	pthread_join(t, NULL);
	say("lock after a death", pthread_mutex_lock(m) == EOWNERDEAD);
	say("unlock, not consistent", pthread_mutex_unlock(m));
	say("lock", pthread_mutex_lock(m) == ENOTRECOVERABLE);
}

static void *heir(void *p)
{
	volatile uint32_t *word = p;

	say("inherits", futex(word, FUTEX_LOCK_PI, 0, NULL, NULL, 0));
	printf("word: %s\n", left(*word));
	return NULL;
}

static void *owner(void *p)
{
	futex(p, FUTEX_LOCK_PI, 0, NULL, NULL, 0);
	nap(80 * MS);
	return NULL;
}

int main(void)
{
	volatile uint32_t word = 0;
	pthread_t o, h;

	thread_dies();
	for (int how = 0; how < 3; how++)
		process_dies(how);
	for (int i = 0; i < 4; i++)
		mutexes(i & 1 ? PTHREAD_PRIO_INHERIT : 0, i >> 1);
	puts("an heir without a list");
	pthread_create(&o, NULL, owner, (void *)&word);
	nap(20 * MS);
	pthread_create(&h, NULL, heir, (void *)&word);
	pthread_join(o, NULL);
	pthread_join(h, NULL);
	return 0;
}
