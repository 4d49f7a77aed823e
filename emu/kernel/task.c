/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The scheduler: see task.h.  It runs on the host's main stack, the tasks on theirs. */
#include "kernel/task.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <ucontext.h>

#include "kernel/hostsig.h"
#include "kernel/idle.h"
#include "kernel/signal.h"
#include "kernel/timer.h"

#define STACK_BYTES ((size_t)2 << 20)
#define GUARD_BYTES ((size_t)64 << 10)
#define NEVER UINT64_MAX
#define NAP_MIN_NS 50000u
#define NAP_MAX_NS 3200000u

struct coroutine {
	ucontext_t uc;
	void *stack;
	struct sched *sched;
};

struct sched {
	struct kernel *k;
	void (*body)(void *ctx);
	void *ctx;
	ucontext_t main;
	uint64_t ran; /* grows when a task executes something */
	bool done; /* a body returned */
	/* While nobody can run. */
	uint64_t idle_since_host_ns, nap_ns;
};

static uint64_t host_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* makecontext() hands over ints. */
static void enter(unsigned high, unsigned low)
{
	struct sched *s = (struct sched *)(uintptr_t)((uint64_t)high << 32 | low);

	s->body(s->ctx);
	s->done = true;
	setcontext(&s->main);
}

static struct coroutine *coroutine_new(struct sched *s)
{
	struct coroutine *co = xcalloc(1, sizeof(*co));
	uint64_t arg = (uint64_t)(uintptr_t)s;

	co->sched = s;
	co->stack = mmap(NULL, STACK_BYTES, PROT_READ | PROT_WRITE,
			 MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
	if (co->stack == MAP_FAILED) {
		free(co);
		return NULL;
	}
	mprotect(co->stack, GUARD_BYTES, PROT_NONE);
	getcontext(&co->uc);
	co->uc.uc_stack.ss_sp = co->stack;
	co->uc.uc_stack.ss_size = STACK_BYTES;
	co->uc.uc_link = NULL;
	makecontext(&co->uc, (void (*)(void))enter, 2, (unsigned)(arg >> 32), (unsigned)arg);
	return co;
}

static void coroutine_free(struct coroutine *co)
{
	if (!co)
		return;
	munmap(co->stack, STACK_BYTES);
	free(co);
}

bool task_alone(const struct kernel *k)
{
	return k->proc.tasks.n == 1;
}

struct task *task_new(struct kernel *k, pid_t tid)
{
	const struct task *from = k->proc.current;
	struct coroutine *co = coroutine_new(from->co->sched);
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
	t->co = co;
	VEC_PUSH(&k->proc.tasks, t);
	return t;
}

static void leave(struct kernel *k)
{
	struct coroutine *co = k->proc.current->co;

	swapcontext(&co->uc, &co->sched->main);
}

void task_yield(struct kernel *k)
{
	if (!task_alone(k))
		leave(k);
}

void task_wait(struct kernel *k, uint64_t wake_ns, bool polling, bool outside)
{
	struct task *t = k->proc.current;

	t->state = TASK_BLOCKED;
	t->wake_ns = wake_ns;
	t->polling = polling;
	t->outside = outside;
	leave(k);
	t->state = TASK_RUNNING;
	t->polling = t->outside = false;
	t->wake_ns = NEVER;
}

void task_wake(struct task *t)
{
	t->wake_ns = 0;
}

void task_ran(struct kernel *k)
{
	k->proc.current->co->sched->ran++;
}

void task_end(struct kernel *k)
{
	struct sched *s = k->proc.current->co->sched;

	k->proc.current->state = TASK_DEAD;
	setcontext(&s->main);
	abort(); /* setcontext does not return with a context of ours */
}

void task_reap(struct kernel *k)
{
	size_t n = 0;

	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		struct task *t = k->proc.tasks.at[i];

		if (t->state == TASK_DEAD && t != k->proc.current) {
			coroutine_free(t->co);
			free(t->pending.q.at);
			free(t);
		} else {
			k->proc.tasks.at[n++] = t;
		}
	}
	k->proc.tasks.n = n;
}

static bool ready(const struct kernel *k, const struct task *t)
{
	switch (t->state) {
	case TASK_RUNNING:
		return true;
	case TASK_BLOCKED:
		return t->polling || t->wake_ns <= k->clock.now_ns ||
		       (t->pending.set | k->proc.pending.set) & ~t->mask;
	default:
		return false;
	}
}

/* The next task in turn that could do something; NULL: none. */
static struct task *next_task(const struct kernel *k)
{
	size_t n = k->proc.tasks.n, at = 0;

	for (size_t i = 0; i < n; i++)
		if (k->proc.tasks.at[i] == k->proc.current)
			at = i;
	for (size_t i = 1; i <= n; i++)
		if (ready(k, k->proc.tasks.at[(at + i) % n]))
			return k->proc.tasks.at[(at + i) % n];
	return NULL;
}

static void switch_to(struct kernel *k, struct sched *s, struct task *t)
{
	struct task *from = k->proc.current;

	if (t != from) {
		if (from->state != TASK_DEAD)
			engine_save(k->engine, &from->cpu);
		k->proc.current = t;
		engine_load(k->engine, &t->cpu);
		if (from->tsc_sigsegv != t->tsc_sigsegv)
			engine_forbid_tsc(k->engine, t->tsc_sigsegv);
		task_reap(k);
	}
	swapcontext(&s->main, &t->co->uc);
}

/* Nobody can go on: let time pass, virtual time if the world allows it. */
static void idle(struct kernel *k, struct sched *s)
{
	uint64_t wake = timers_next(k), now = host_ns(), length;
	bool outside = false, jump;

	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		const struct task *t = k->proc.tasks.at[i];

		if (t->state == TASK_BLOCKED && t->wake_ns < wake)
			wake = t->wake_ns;
		outside |= t->polling && t->outside;
	}
	if (!s->idle_since_host_ns) {
		s->idle_since_host_ns = now;
		s->nap_ns = NAP_MIN_NS;
	}
	length = wake > k->clock.now_ns ? wake - k->clock.now_ns : 0;
	if (!outside)
		idle_begin(k, wake);
	jump = wake != NEVER && (now - s->idle_since_host_ns >= length || (!outside && idle_others(k, wake)));
	if (!jump) {
		struct timespec ts = { 0, (long)s->nap_ns };
		uint64_t a[6] = { (uint64_t)(uintptr_t)&ts };

		hostsig_syscall(SYS_nanosleep, a);
		s->nap_ns = s->nap_ns < NAP_MAX_NS ? 2 * s->nap_ns : s->nap_ns;
	}
	if (!outside)
		idle_end(k);
	if (jump) {
		clock_sleep_until(&k->clock, wake);
		s->idle_since_host_ns = 0;
	}
}

void task_run_all(struct kernel *k, void (*body)(void *ctx), void *ctx)
{
	struct sched s = { .k = k, .body = body, .ctx = ctx };
	size_t idle_turns = 0;

	k->proc.current->co = coroutine_new(&s);
	if (!k->proc.current->co) {
		body(ctx); /* one task still works */
		return;
	}
	while (!s.done) {
		struct task *t = next_task(k);
		uint64_t before = s.ran;

		if (t && idle_turns <= k->proc.tasks.n) {
			switch_to(k, &s, t);
			idle_turns = s.ran != before ? 0 : idle_turns + 1;
			if (s.ran != before)
				s.idle_since_host_ns = 0;
			continue;
		}
		idle_turns = 0;
		idle(k, &s);
		timers_expire(k);
		signal_collect(k);
	}
	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		coroutine_free(k->proc.tasks.at[i]->co);
		k->proc.tasks.at[i]->co = NULL;
	}
}
