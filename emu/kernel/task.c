/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Threads: see task.h.  Their birth, waiting and end; who runs is in sched.c. */
#include "kernel/task.h"

#include <stdlib.h>
#include <string.h>

#include "kernel/coroutine.h"
#include "kernel/pids.h"
#include "kernel/sched.h"

#define NEVER UINT64_MAX

static bool lives(const struct task *t)
{
	return t->state == TASK_RUNNING || t->state == TASK_BLOCKED;
}

bool task_alone(const struct kernel *k)
{
	size_t n = 0;

	if (k->proc.tasks.n == 1)
		return true;
	for (size_t i = 0; i < k->proc.tasks.n; i++)
		n += lives(k->proc.tasks.at[i]);
	return n == 1;
}

size_t task_count(const struct kernel *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->proc.tasks.n; i++)
		n += k->proc.tasks.at[i]->state != TASK_DEAD;
	return n;
}

struct task *task_find(struct kernel *k, pid_t tid)
{
	if (!tid)
		return k->proc.current;
	for (size_t i = 0; i < k->proc.tasks.n; i++)
		if (k->proc.tasks.at[i]->tid == tid && k->proc.tasks.at[i]->state != TASK_DEAD)
			return k->proc.tasks.at[i];
	return NULL;
}

struct task *task_new(struct kernel *k, pid_t tid)
{
	const struct task *from = k->proc.current;
	struct coroutine *co = sched_coroutine(k);
	struct task *t;

	if (!co)
		return NULL;
	t = xcalloc(1, sizeof(*t));
	t->tid = tid;
	memcpy(t->comm, from->comm, sizeof(t->comm));
	engine_save(k->engine, &t->cpu);
	t->mask = from->mask;
	t->altstack_flags = 2; /* SS_DISABLE */
	t->seccomp_mode = from->seccomp_mode;
	t->seccomp = from->seccomp;
	t->no_new_privs = from->no_new_privs;
	t->tsc_sigsegv = from->tsc_sigsegv;
	t->orig_rax = -1;
	t->wake_ns = NEVER;
	t->cpu_nr = from->cpu_nr;
	memcpy(t->affinity, from->affinity, sizeof(t->affinity));
	t->weight_ns = from->weight_ns;
	t->ready_ns = k->clock.now_ns;
	t->co = co;
	VEC_PUSH(&k->proc.tasks, t);
	t->start_ns = k->clock.now_ns;
	pids_thread(k, tid, t->comm);
	sched_changed(k);
	return t;
}

void task_yield(struct kernel *k, bool behind)
{
	if (behind)
		sched_behind(k);
	sched_leave(k);
}

void task_wait(struct kernel *k, uint64_t wake_ns, bool polling, bool outside)
{
	struct task *t = k->proc.current;

	t->state = TASK_BLOCKED;
	t->wake_ns = wake_ns;
	t->polling = polling;
	t->outside = outside;
	sched_leave(k);
	if (t->state == TASK_BLOCKED)
		t->state = TASK_RUNNING;
	t->polling = t->outside = false;
	t->wake_ns = NEVER;
}

void task_wake(struct kernel *k, struct task *t)
{
	if (k->clock.now_ns < t->wake_ns)
		t->wake_ns = k->clock.now_ns;
	sched_woken(k, t);
}

void task_times(const struct kernel *k, const struct task *t, uint64_t *user_cycles16, uint64_t *system_cycles16)
{
	*user_cycles16 = t->user_cycles16;
	*system_cycles16 = t->system_cycles16;
	if (t == k->proc.current)
		sched_turn_times(k, user_cycles16, system_cycles16);
}

void task_end(struct kernel *k, int status)
{
	struct task *t = k->proc.current;

	t->state = TASK_DEAD;
	if (t->tid == k->proc.pid) {
		t->state = TASK_ZOMBIE;
		k->proc.leader_status = status;
	}
	sched_leave(k);
	abort(); /* nobody switches to it again */
}

void task_reap(struct kernel *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		struct task *t = k->proc.tasks.at[i];

		if (t->state == TASK_DEAD && t != k->proc.current) {
			sched_forget(k, t);
			pids_thread_end(k, t->tid);
			coroutine_free(t->co);
			free(t->pending.q.at);
			free(t);
		} else {
			k->proc.tasks.at[n++] = t;
		}
	}
	k->proc.tasks.n = n;
}
