/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The scheduler: see sched.h.  It runs on the host's main stack, the tasks on theirs.  Fairness on one
 * CPU is by run time, as in Linux's kernel/sched/fair.c: who has run least goes next, who slept comes
 * with a small lead.
 */
#include "kernel/sched.h"

#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>

#include "kernel/coroutine.h"
#include "kernel/hostsig.h"
#include "kernel/idle.h"
#include "kernel/signal.h"
#include "kernel/task.h"
#include "kernel/timer.h"

#define NEVER UINT64_MAX
#define NAP_MIN_NS 50000u
#define NAP_MAX_NS 3200000u
#define POLL_NS 200000u /* V between two looks at the host while others run */
#define TURN_MIN_NS 20000u /* shorter turns are all switching */
#define SEED_CHANCE 8u /* with a seed one choice in so many is arbitrary */

struct vcpu {
	struct clock_place at;
	struct task *last; /* who ran there last; NULL */
	uint64_t weight_ns; /* what its tasks have run, the least of them: who wakes is brought near it */
	size_t load; /* tasks that could run, during a choice */
};

struct sched {
	struct kernel *k;
	void (*body)(void *ctx);
	void *ctx;
	struct coroutine *main;
	struct vcpu cpu[CPUS_MAX];
	unsigned cpus;
	struct clock_place latest; /* of all that happened */
	uint64_t slice_ns, ahead_ns; /* of this turn */
	uint64_t until_ns, at_least_ns;
	bool stale; /* until_ns */
	bool done; /* a body returned */
	uint64_t ran; /* grows when a task executes something */
	size_t idle_turns; /* without that */
	uint64_t turn_user, turn_system; /* cycles16 of the process at its begin */
	uint64_t poll_ns;
	uint64_t random; /* 0: no choice is arbitrary */
	/* While nobody can run. */
	uint64_t idle_since_host_ns, nap_ns;
	bool quiet; /* so was every other process at the last look */
};

/* What could happen next. */
struct choice {
	struct task *t; /* NULL: nothing */
	unsigned cpu;
	uint64_t start_ns;
};

static uint64_t host_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* splitmix64: a stream of its own, so that the guest's random numbers do not depend on schedules. */
static uint64_t draw(struct sched *s)
{
	uint64_t z = s->random += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static bool arbitrary(struct sched *s)
{
	return s->random && draw(s) % SEED_CHANCE == 0;
}

/* Slices of a seed are between the whole and a 64th of the usual, short ones as likely as long ones. */
static uint64_t vary(struct sched *s, uint64_t ns)
{
	uint64_t r;

	if (!s->random)
		return ns;
	r = draw(s);
	return (ns >> r % 6) - (ns >> (r % 6 + 1)) * (r >> 8 & 255) / 256;
}

static void seed(struct sched *s)
{
	uint64_t n = s->k->opt ? s->k->opt->seed : 0;

	s->random = n ? n * 0x2545f4914f6cdd1d + (uint64_t)s->k->proc.pid : 0;
}

static void enter(void *ctx)
{
	struct sched *s = ctx;

	s->body(s->ctx);
	s->done = true;
	sched_leave(s->k);
}

struct coroutine *sched_coroutine(struct kernel *k)
{
	return coroutine_new(enter, k->sched);
}

void sched_leave(struct kernel *k)
{
	coroutine_switch(k->proc.current->co, k->sched->main);
}

void sched_ran(struct kernel *k)
{
	struct sched *s = k->sched;
	struct task *t = k->proc.current;

	s->ran++;
	/* Asked whether it still waits, it does not: it runs in its turn. */
	if (t->visit)
		sched_leave(k);
}

void sched_changed(struct kernel *k)
{
	k->sched->stale = true;
}

static bool allowed(const struct task *t, unsigned cpu)
{
	return t->affinity[cpu / 64] >> (cpu % 64) & 1;
}

static bool queued(const struct task *t)
{
	return t->state == TASK_RUNNING;
}

/* Could @t go on by itself, and since or from when?  Signals come at the latest that has happened. */
static bool candidate(const struct sched *s, const struct task *t, uint64_t *ready_ns)
{
	const struct kernel *k = s->k;

	*ready_ns = t->ready_ns;
	if (t->state == TASK_RUNNING)
		return true;
	if (t->state != TASK_BLOCKED)
		return false;
	*ready_ns = t->wake_ns;
	if ((t->pending.set | k->proc.pending.set) & ~t->mask && s->latest.now_ns < *ready_ns)
		*ready_ns = s->latest.now_ns;
	return *ready_ns != NEVER;
}

static uint64_t later(uint64_t a, uint64_t b)
{
	return a > b ? a : b;
}

/* CFS's rule for a task that changes queues: its distance to the others stays. */
static void move(struct sched *s, struct task *t, unsigned cpu)
{
	uint64_t from = s->cpu[t->cpu_nr].weight_ns;

	if (cpu == t->cpu_nr)
		return;
	t->weight_ns = s->cpu[cpu].weight_ns + (t->weight_ns > from ? t->weight_ns - from : 0);
	t->cpu_nr = cpu;
}

/* An idle CPU for @t; its own if there is none better. */
static unsigned find_cpu(struct sched *s, const struct task *t)
{
	unsigned first = arbitrary(s) ? (unsigned)(draw(s) % s->cpus) : 0, best = t->cpu_nr;
	bool own = allowed(t, t->cpu_nr);

	for (unsigned i = 0; i < s->cpus; i++) {
		unsigned c = (first + i) % s->cpus;

		if (!allowed(t, c))
			continue;
		if (!own || s->cpu[c].load < s->cpu[best].load) {
			best = c;
			own = true;
		}
	}
	return best;
}

/* Each that could run has a CPU of its own as long as there are any. */
static void place_all(struct sched *s)
{
	struct kernel *k = s->k;
	uint64_t ready;

	if (s->cpus == 1)
		return;
	for (unsigned c = 0; c < s->cpus; c++)
		s->cpu[c].load = 0;
	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		struct task *t = k->proc.tasks.at[i];

		if (queued(t) || (candidate(s, t, &ready) && ready <= s->latest.now_ns))
			s->cpu[t->cpu_nr].load++;
	}
	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		struct task *t = k->proc.tasks.at[i];
		struct vcpu *own = &s->cpu[t->cpu_nr];

		if (!candidate(s, t, &ready) || (!queued(t) && ready > s->latest.now_ns))
			continue;
		if (allowed(t, t->cpu_nr) && (own->load < 2 || own->last == t))
			continue;
		own->load--;
		move(s, t, find_cpu(s, t));
		s->cpu[t->cpu_nr].load++;
	}
}

/* Its run time for comparison: who runs keeps the CPU for a slice, who slept has no more lead than that. */
static uint64_t weight(const struct sched *s, const struct task *t)
{
	const struct vcpu *c = &s->cpu[t->cpu_nr];
	uint64_t floor = c->weight_ns > 2 * (uint64_t)SCHED_SLICE_NS ? c->weight_ns - 2 * (uint64_t)SCHED_SLICE_NS : 0;
	uint64_t w = t->state == TASK_BLOCKED ? later(t->weight_ns, floor) : t->weight_ns;

	if (t != c->last)
		return w + s->slice_ns;
	return w;
}

static bool better(const struct sched *s, const struct choice *a, const struct choice *b)
{
	if (!b->t)
		return true;
	if (a->start_ns != b->start_ns)
		return a->start_ns < b->start_ns;
	if (a->cpu != b->cpu)
		return a->cpu < b->cpu;
	return weight(s, a->t) < weight(s, b->t);
}

static struct choice choose(struct sched *s)
{
	struct kernel *k = s->k;
	struct choice best = { 0 };
	size_t n = k->proc.tasks.n, first = arbitrary(s) ? draw(s) % n : 0;
	bool any = first != 0; /* of those that could start at once */
	uint64_t ready;

	place_all(s);
	for (size_t i = 0; i < n; i++) {
		struct task *t = k->proc.tasks.at[(first + i) % n];
		struct choice c = { t, t->cpu_nr, 0 };

		if (!candidate(s, t, &ready))
			continue;
		c.start_ns = later(s->cpu[c.cpu].at.now_ns, ready);
		if (any && best.t && best.start_ns == c.start_ns && best.cpu == c.cpu)
			continue;
		if (better(s, &c, &best))
			best = c;
	}
	return best;
}

/* How long @t, which runs, may go on: no further than its slice and a step ahead of the others. */
static uint64_t compute_until(struct sched *s)
{
	struct kernel *k = s->k;
	const struct task *cur = k->proc.current;
	uint64_t now = k->clock.now_ns, until = NEVER, ready, user = 0, sys = 0, ran, at;

	sched_turn_times(k, &user, &sys);
	ran = cur->weight_ns + clock_cycles16_to_ns(&k->clock, user + sys);
	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		const struct task *t = k->proc.tasks.at[i];

		if (t == cur)
			continue;
		if (t->state == TASK_BLOCKED && t->polling)
			until = s->poll_ns < until ? s->poll_ns : until;
		if (!candidate(s, t, &ready))
			continue;
		if (t->cpu_nr == cur->cpu_nr && ready > now) {
			at = ready;
		} else if (t->cpu_nr == cur->cpu_nr) {
			uint64_t w = weight(s, t);

			at = w > ran ? now + (w - ran) : now;
			/* It may find an idle CPU elsewhere. */
			if (s->cpus > 1)
				at = at < now + s->ahead_ns ? at : now + s->ahead_ns;
		} else {
			at = later(s->cpu[t->cpu_nr].at.now_ns, ready) + s->ahead_ns;
		}
		until = at < until ? at : until;
	}
	return until;
}

uint64_t sched_until(struct kernel *k)
{
	struct sched *s = k->sched;

	if (!s || k->proc.tasks.n == 1)
		return NEVER;
	if (s->stale) {
		s->until_ns = later(compute_until(s), s->at_least_ns);
		s->stale = false;
	}
	return s->until_ns;
}

void sched_woken(struct kernel *k, struct task *t)
{
	struct sched *s = k->sched;

	s->at_least_ns = 0;
	s->stale = true;
	if (arbitrary(s)) {
		/* The seed has the woken one run at once. */
		t->weight_ns = k->proc.current->weight_ns > 4 * (uint64_t)SCHED_SLICE_NS ?
				       k->proc.current->weight_ns - 4 * (uint64_t)SCHED_SLICE_NS : 0;
	}
}

void sched_behind(struct kernel *k)
{
	struct task *cur = k->proc.current;
	struct vcpu *c = &k->sched->cpu[cur->cpu_nr];

	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		const struct task *t = k->proc.tasks.at[i];

		if (queued(t) && t->cpu_nr == cur->cpu_nr && t->weight_ns >= cur->weight_ns)
			cur->weight_ns = t->weight_ns + 1;
	}
	c->last = NULL;
}

void sched_forget(struct kernel *k, const struct task *t)
{
	struct sched *s = k->sched;

	for (unsigned c = 0; s && c < s->cpus; c++)
		if (s->cpu[c].last == t)
			s->cpu[c].last = NULL;
}

static void begin_turn(struct sched *s)
{
	s->turn_user = s->k->clock.user_cycles16;
	s->turn_system = s->k->clock.system_cycles16;
}

void sched_forked(struct kernel *k)
{
	struct sched *s = k->sched;

	if (!s)
		return;
	for (unsigned c = 0; c < s->cpus; c++) {
		s->cpu[c].at = clock_place(&k->clock);
		s->cpu[c].last = NULL;
	}
	s->latest = clock_place(&k->clock);
	s->until_ns = NEVER;
	s->stale = false;
	k->proc.current->user_cycles16 = k->proc.current->system_cycles16 = 0;
	k->proc.current->visit = false;
	begin_turn(s);
	seed(s);
}

void sched_turn_times(const struct kernel *k, uint64_t *user_cycles16, uint64_t *system_cycles16)
{
	const struct sched *s = k->sched;

	if (!s)
		return;
	*user_cycles16 += k->clock.user_cycles16 - s->turn_user;
	*system_cycles16 += k->clock.system_cycles16 - s->turn_system;
}

void sched_place(struct kernel *k)
{
	const struct task *t = k->proc.current;

	sched_changed(k);
	if (k->sched && !allowed(t, t->cpu_nr))
		sched_leave(k);
}

static void load(struct kernel *k, struct task *t)
{
	struct task *from = k->proc.current;

	if (t != from) {
		if (from->state != TASK_DEAD && from->state != TASK_ZOMBIE)
			engine_save(k->engine, &from->cpu);
		k->proc.current = t;
		engine_load(k->engine, &t->cpu);
		if (from->tsc_sigsegv != t->tsc_sigsegv)
			engine_forbid_tsc(k->engine, t->tsc_sigsegv);
		task_reap(k);
	}
	engine_set_cpunode(k->engine, t->cpu_nr);
}

/* One turn of @t from V = @start_ns on: until it waits or gives way.  True: it executed something. */
static bool turn(struct sched *s, struct task *t, struct clock_place at, uint64_t start_ns)
{
	struct kernel *k = s->k;
	uint64_t before = s->ran, user = 0, sys = 0;
	struct clock_place left;

	load(k, t);
	clock_enter(&k->clock, at);
	clock_sleep_until(&k->clock, start_ns);
	begin_turn(s);
	coroutine_switch(s->main, t->co);
	t = k->proc.current;
	sched_turn_times(k, &user, &sys);
	t->user_cycles16 += user;
	t->system_cycles16 += sys;
	t->weight_ns += clock_cycles16_to_ns(&k->clock, user + sys);
	begin_turn(s);
	left = clock_place(&k->clock);
	t->ready_ns = left.now_ns;
	if (clock_place_later(left, s->latest))
		s->latest = left;
	return s->ran != before;
}

static void dispatch(struct sched *s, struct choice c)
{
	struct vcpu *cpu = &s->cpu[c.cpu];
	struct task *t = c.t;

	if (t->state == TASK_BLOCKED)
		t->weight_ns = weight(s, t) - (t == cpu->last ? 0 : s->slice_ns);
	if (t->weight_ns > cpu->weight_ns)
		cpu->weight_ns = t->weight_ns;
	cpu->last = t;
	s->slice_ns = vary(s, SCHED_SLICE_NS);
	s->ahead_ns = vary(s, SCHED_AHEAD_NS);
	s->at_least_ns = c.start_ns + TURN_MIN_NS;
	s->stale = true;
	if (turn(s, t, cpu->at, c.start_ns)) {
		s->idle_turns = 0;
		s->idle_since_host_ns = 0;
		cpu->at = clock_place(&s->k->clock);
	} else {
		s->idle_turns++;
	}
}

/* Ask those who wait for the host; true: one of them need not wait any more. */
static bool visit_all(struct sched *s)
{
	struct kernel *k = s->k;
	bool any = false;

	for (size_t i = 0; i < k->proc.tasks.n && !s->done; i++) {
		struct task *t = k->proc.tasks.at[i];

		if (t->state != TASK_BLOCKED || !t->polling)
			continue;
		t->visit = true;
		any |= turn(s, t, s->latest, 0);
		t->visit = false;
		/* Tasks may have gone: begin again where it stands. */
		for (i = 0; i < k->proc.tasks.n && k->proc.tasks.at[i] != t; i++)
			;
	}
	s->poll_ns = s->latest.now_ns + POLL_NS;
	return any;
}

/* Nobody can go on: let time pass, virtual time if the world allows it. */
static void idle(struct sched *s)
{
	struct kernel *k = s->k;
	uint64_t wake, now = host_ns(), length;
	bool outside = false, was_quiet = s->quiet, jump;

	clock_enter(&k->clock, s->latest);
	wake = timers_next(k);
	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		const struct task *t = k->proc.tasks.at[i];

		if (t->state == TASK_BLOCKED && t->wake_ns < wake)
			wake = t->wake_ns;
		outside |= t->state == TASK_BLOCKED && t->polling && t->outside;
	}
	if (!s->idle_since_host_ns) {
		s->idle_since_host_ns = now;
		s->nap_ns = NAP_MIN_NS;
		was_quiet = false;
	}
	length = wake > k->clock.now_ns ? wake - k->clock.now_ns : 0;
	if (!outside)
		idle_begin(k, wake);
	/* What the others did before they came to rest, another visit of all who poll finds. */
	s->quiet = wake != NEVER && !outside && idle_others(k, wake);
	jump = wake != NEVER && (now - s->idle_since_host_ns >= length || (s->quiet && (was_quiet || !k->proc.family)));
	if (!jump && !s->quiet) {
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
	timers_expire(k);
	if (signal_collect(k))
		s->quiet = false;
	s->latest = clock_place(&k->clock);
	s->idle_turns = 0;
}

static void next(struct sched *s)
{
	struct kernel *k = s->k;
	struct choice c = choose(s);
	bool now = c.t && s->idle_turns <= k->proc.tasks.n &&
		   (queued(c.t) || c.start_ns <= s->latest.now_ns);
	bool poll = false;

	for (size_t i = 0; i < k->proc.tasks.n; i++)
		poll |= k->proc.tasks.at[i]->state == TASK_BLOCKED && k->proc.tasks.at[i]->polling;
	if (poll && (!now || s->latest.now_ns >= s->poll_ns) && visit_all(s))
		return;
	if (s->done)
		return;
	if (poll)
		c = choose(s);
	if (now && c.t)
		dispatch(s, c);
	else
		idle(s);
}

void sched_run(struct kernel *k, void (*body)(void *ctx), void *ctx)
{
	struct sched *s = xcalloc(1, sizeof(*s));

	*s = (struct sched){ .k = k, .body = body, .ctx = ctx, .cpus = k->cpus ? k->cpus : 1,
			     .slice_ns = SCHED_SLICE_NS, .ahead_ns = SCHED_AHEAD_NS };
	k->sched = s;
	s->main = coroutine_main();
	k->proc.current->co = sched_coroutine(k);
	if (!k->proc.current->co) {
		k->sched = NULL;
		body(ctx); /* one task still works */
	} else {
		seed(s);
		memset(k->proc.current->affinity, 0xff, sizeof(k->proc.current->affinity));
		s->latest = clock_place(&k->clock);
		for (unsigned c = 0; c < s->cpus; c++)
			s->cpu[c].at = s->latest;
		while (!s->done)
			next(s);
	}
	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		coroutine_free(k->proc.tasks.at[i]->co);
		k->proc.tasks.at[i]->co = NULL;
	}
	coroutine_free(s->main);
	free(s);
	k->sched = NULL;
}
