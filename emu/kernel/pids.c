/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The shared table of virtual process ids.  Slots are claimed and freed with one atomic word; all
 * else in a slot is written by one process at a time: the parent before fork, then the owner.
 */
#include "kernel/pids.h"

#include <stdatomic.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "kernel/kernel.h"

enum { SLOTS = 4096, THREADS = 16384, PID_LAST = 32767, BUSY = -1 };

struct pids {
	_Atomic pid_t last; /* the id given last */
	/* Ids of the world outside: the virtual ones are PID_FIRST - 1 and PID_FIRST. */
	pid_t host_parent, host_group, host_session;
	struct pid_slot slot[SLOTS];
	_Atomic unsigned threads; /* slots of @thread that were ever used */
	struct thread_slot thread[THREADS];
};

void pids_init(struct kernel *k)
{
	struct pids *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE,
			      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	struct pid_slot *s;

	if (p == MAP_FAILED)
		p = xcalloc(1, sizeof(*p)); /* one process still works */
	k->pids = p;
	p->host_parent = getppid();
	p->host_group = getpgrp();
	p->host_session = getsid(0);
	p->last = PID_FIRST;
	s = &p->slot[0];
	s->state = PID_RUNNING;
	s->pid = PID_FIRST;
	s->host = getpid();
	s->ppid = PID_FIRST - 1;
	/* A group or session leader stays one; else the group is the shell's job. */
	s->pgid = p->host_group == s->host ? PID_FIRST : PID_FIRST - 1;
	s->sid = p->host_session == s->host ? PID_FIRST : PID_FIRST - 2;
	k->proc.pid = s->pid;
	k->proc.ppid = s->ppid;
	k->proc.pgid = s->pgid;
	k->proc.sid = s->sid;
}

void pids_free(struct kernel *k)
{
	if (k->pids)
		munmap(k->pids, sizeof(*k->pids));
	k->pids = NULL;
}

struct pid_slot *pids_at(struct kernel *k, size_t i)
{
	return k->pids && i < SLOTS ? &k->pids->slot[i] : NULL;
}

struct pid_slot *pids_find(struct kernel *k, pid_t pid)
{
	struct pid_slot *s;

	for (size_t i = 0; (s = pids_at(k, i)); i++)
		if (s->state != PID_FREE && s->pid == pid)
			return s;
	return NULL;
}

struct pid_slot *pids_self(struct kernel *k)
{
	return pids_find(k, k->proc.pid);
}

pid_t pids_host(struct kernel *k, pid_t pid)
{
	const struct pid_slot *s;

	if (pid == k->proc.pid)
		return getpid();
	if (!k->pids)
		return 0;
	if (pid == PID_FIRST - 1)
		return k->pids->host_parent;
	s = pids_find(k, pid);
	return s ? s->host : 0;
}

pid_t pids_virtual(struct kernel *k, pid_t host)
{
	const struct pid_slot *s;

	if (!k->pids || host <= 0)
		return 0;
	for (size_t i = 0; (s = pids_at(k, i)); i++)
		if (s->state != PID_FREE && s->host == host)
			return s->pid;
	return host == k->pids->host_parent ? PID_FIRST - 1 : 0;
}

pid_t pids_host_group(struct kernel *k, pid_t pgid)
{
	const struct pid_slot *s;

	if (!k->pids)
		return 0;
	if (pgid == PID_FIRST - 1)
		return k->pids->host_group;
	if (pgid == PID_FIRST - 2)
		return k->pids->host_session;
	if (pgid == PID_FIRST && k->pids->host_group == k->pids->slot[0].host)
		return k->pids->host_group;
	for (size_t i = 0; (s = pids_at(k, i)); i++)
		if (s->state != PID_FREE && s->pgid == pgid) {
			/* The leader may be gone: ask a member, which has its group until it is waited for. */
			pid_t g = s->host > 0 ? getpgid(s->host) : -1;

			if (g > 0)
				return g;
		}
	return 0;
}

pid_t pids_virtual_group(struct kernel *k, pid_t host)
{
	pid_t pid;

	if (!k->pids || host <= 0)
		return 0;
	pid = pids_virtual(k, host);
	if (pid && pid != PID_FIRST - 1)
		return pid;
	if (host == k->pids->host_group)
		return PID_FIRST - 1;
	return host == k->pids->host_session ? PID_FIRST - 2 : 0;
}

static pid_t next_id(struct kernel *k)
{
	pid_t last = atomic_fetch_add(&k->pids->last, 1);

	if (last >= PID_LAST)
		atomic_store(&k->pids->last, 300);
	return last + 1;
}

pid_t pids_next(struct kernel *k)
{
	pid_t id;

	do
		id = next_id(k);
	while (pids_of_thread(k, id));
	return id;
}

/* Slots of @thread that may be in use. */
static unsigned threads_used(struct kernel *k)
{
	return k->pids ? atomic_load(&k->pids->threads) : 0;
}

/* Of a process that had this id and was killed without a word. */
static void forget_threads(struct kernel *k, pid_t pid)
{
	for (unsigned i = 0, n = threads_used(k); i < n; i++)
		if (k->pids->thread[i].pid == pid)
			atomic_store(&k->pids->thread[i].tid, 0);
}

static struct thread_slot *own_thread(struct kernel *k, pid_t tid)
{
	for (unsigned i = 0, n = threads_used(k); i < n; i++)
		if (k->pids->thread[i].tid == tid && k->pids->thread[i].pid == k->proc.pid)
			return &k->pids->thread[i];
	return NULL;
}

/* A slot of nobody, marked BUSY; one whose owner lives no more is free, too.  NULL: there is none. */
static struct thread_slot *claim_thread(struct kernel *k)
{
	unsigned n = threads_used(k);

	for (unsigned i = 0; i < n; i++) {
		pid_t none = 0;

		if (atomic_compare_exchange_strong(&k->pids->thread[i].tid, &none, BUSY))
			return &k->pids->thread[i];
	}
	n = atomic_fetch_add(&k->pids->threads, 1);
	if (n < THREADS) {
		atomic_store(&k->pids->thread[n].tid, BUSY);
		return &k->pids->thread[n];
	}
	atomic_store(&k->pids->threads, THREADS);
	for (unsigned i = 0; i < THREADS; i++) {
		pid_t was = k->pids->thread[i].tid;

		if (was > 0 && !pids_find(k, k->pids->thread[i].pid) &&
		    atomic_compare_exchange_strong(&k->pids->thread[i].tid, &was, BUSY))
			return &k->pids->thread[i];
	}
	return NULL;
}

void pids_thread(struct kernel *k, pid_t tid, const char comm[16])
{
	struct pid_slot *s = pids_self(k);
	struct thread_slot *t;

	if (tid == k->proc.pid) {
		if (s)
			memcpy(s->comm, comm, sizeof(s->comm));
		return;
	}
	t = own_thread(k, tid);
	if (!t && k->pids)
		t = claim_thread(k);
	if (!t)
		return;
	memcpy(t->comm, comm, sizeof(t->comm));
	t->pid = k->proc.pid;
	atomic_store(&t->tid, tid); /* from here on others see it */
}

void pids_thread_end(struct kernel *k, pid_t tid)
{
	struct thread_slot *t = own_thread(k, tid);

	if (t)
		atomic_store(&t->tid, 0);
}

const struct thread_slot *pids_thread_next(struct kernel *k, pid_t pid, pid_t from)
{
	const struct thread_slot *t, *best = NULL;

	for (unsigned i = 0, n = threads_used(k); i < n; i++) {
		t = &k->pids->thread[i];
		if (t->pid == pid && t->tid >= from && t->tid && (!best || t->tid < best->tid))
			best = t;
	}
	return best;
}

pid_t pids_of_thread(struct kernel *k, pid_t tid)
{
	for (unsigned i = 0, n = threads_used(k); i < n; i++)
		if (k->pids->thread[i].tid == tid && pids_find(k, k->pids->thread[i].pid))
			return k->pids->thread[i].pid;
	return pids_find(k, tid) ? tid : 0;
}

struct pid_slot *pids_new(struct kernel *k)
{
	struct pid_slot *s;

	for (size_t i = 0; (s = pids_at(k, i)); i++) {
		int free_state = PID_FREE;

		if (!atomic_compare_exchange_strong(&s->state, &free_state, PID_RUNNING))
			continue;
		s->pid = 0;
		s->host = 0;
		do
			s->pid = next_id(k);
		while (pids_of_thread(k, s->pid) != s->pid || pids_find(k, s->pid) != s);
		s->ppid = k->proc.pid;
		s->start_ns = k->clock.now_ns;
		s->maker = k->proc.current->tid;
		forget_threads(k, s->pid);
		s->pgid = k->proc.pgid;
		s->sid = k->proc.sid;
		s->waiting = false;
		s->vforked = s->execed = false;
		s->status = s->stop_signal = 0;
		s->user_ns = s->system_ns = 0;
		return s;
	}
	return NULL;
}

void pids_release(struct pid_slot *s)
{
	s->pid = s->host = 0;
	atomic_store(&s->state, PID_FREE);
}

unsigned pids_running(struct kernel *k)
{
	const struct pid_slot *s;
	unsigned n = 0;

	for (size_t i = 0; (s = pids_at(k, i)); i++)
		n += s->state == PID_RUNNING;
	return n;
}

bool pids_is_first(struct kernel *k)
{
	return k->proc.pid == PID_FIRST;
}

void pids_end(struct kernel *k, int status)
{
	struct pid_slot *s = pids_self(k);

	if (!s)
		return;
	s->status = status;
	s->now_ns = k->clock.now_ns;
	forget_threads(k, s->pid);
	atomic_store(&s->state, PID_ENDED);
}
