/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Timers: see timer.h.  Rules: Linux kernel/time/itimer.c, posix-timers.c. */
#include "kernel/timer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "kernel/signal.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/task.h"
#include "kernel/uaccess.h"

#define POSIX_TIMERS 64u
#define NEVER UINT64_MAX
#define SI_TIMER_CODE (-2)

struct ktimer {
	bool used, cpu_time; /* cpu_time: counts run time, not V */
	uint64_t next_ns, interval_ns; /* on its own scale; next NEVER: disarmed */
	/* posix timers */
	int clockid, notify, signo;
	pid_t tid;
	uint64_t value;
	uint32_t overrun;
};

struct timers {
	struct ktimer itimer[3]; /* ITIMER_REAL, VIRTUAL, PROF */
	struct ktimer posix[POSIX_TIMERS];
};

static struct timers *timers(struct kernel *k)
{
	if (!k->timers) {
		k->timers = xcalloc(1, sizeof(*k->timers));
		for (unsigned i = 0; i < 3; i++) {
			k->timers->itimer[i].used = true;
			k->timers->itimer[i].cpu_time = i;
			k->timers->itimer[i].next_ns = NEVER;
			k->timers->itimer[i].signo = i == 0 ? SIGALRM : i == 1 ? SIGVTALRM : SIGPROF;
		}
	}
	return k->timers;
}

void timers_forget(struct kernel *k)
{
	free(k->timers);
	k->timers = NULL;
}

void timers_exec(struct kernel *k)
{
	if (k->timers)
		memset(k->timers->posix, 0, sizeof(k->timers->posix));
}

void timers_free(struct kernel *k)
{
	timers_forget(k);
}

static uint64_t cpu_ns(struct kernel *k)
{
	uint64_t user, sys;

	return clock_cpu_ns(&k->clock, k->clock.user_cycles16, k->clock.system_cycles16, &user, &sys);
}

static uint64_t scale_now(struct kernel *k, const struct ktimer *t)
{
	int64_t ns = 0;

	if (!t->cpu_time)
		return k->clock.now_ns;
	/* Of a thread that has ended it stands still. */
	return !t->clockid ? cpu_ns(k) : time_cpu_clock(k, t->clockid, &ns) ? 0 : (uint64_t)ns;
}

/* V at which @t expires if nothing sleeps until then. */
static uint64_t expiry(struct kernel *k, const struct ktimer *t)
{
	uint64_t now = scale_now(k, t);

	if (!t->used || t->next_ns == NEVER)
		return NEVER;
	return t->next_ns <= now ? k->clock.now_ns : k->clock.now_ns + (t->next_ns - now);
}

uint64_t timers_next(struct kernel *k)
{
	uint64_t next = NEVER;

	if (!k->timers)
		return next;
	for (unsigned i = 0; i < 3 + POSIX_TIMERS; i++) {
		const struct ktimer *t = i < 3 ? &k->timers->itimer[i] : &k->timers->posix[i - 3];
		uint64_t e = expiry(k, t);

		next = e < next ? e : next;
	}
	return next;
}

static void fire(struct kernel *k, struct ktimer *t, int id)
{
	uint8_t info[SIGINFO_BYTES];
	uint64_t now = scale_now(k, t), times = 1;
	struct task *to;

	if (t->interval_ns) {
		times = (now - t->next_ns) / t->interval_ns + 1;
		t->next_ns += times * t->interval_ns;
	} else {
		t->next_ns = NEVER;
	}
	t->overrun = (uint32_t)(times - 1);
	if (id < 0) {
		siginfo_init(info, t->signo, SI_KERNEL);
		signal_send(k, NULL, info);
		return;
	}
	if (t->notify == SIGEV_NONE)
		return;
	siginfo_init(info, t->signo, SI_TIMER_CODE);
	siginfo_put32(info, 16, (uint32_t)id);
	siginfo_put32(info, 20, t->overrun);
	siginfo_put64(info, 24, t->value);
	to = t->notify == SIGEV_THREAD_ID ? task_find(k, t->tid) : NULL;
	if (to || t->notify != SIGEV_THREAD_ID) /* a thread that has ended takes its signal with it */
		signal_send(k, to, info);
}

void timers_expire(struct kernel *k)
{
	if (!k->timers)
		return;
	for (unsigned i = 0; i < 3 + POSIX_TIMERS; i++) {
		struct ktimer *t = i < 3 ? &k->timers->itimer[i] : &k->timers->posix[i - 3];

		if (t->used && t->next_ns <= scale_now(k, t))
			fire(k, t, i < 3 ? -1 : (int)i - 3);
	}
}

/* ---- system calls ---- */

static uint64_t from_timeval(const int64_t tv[2])
{
	return (uint64_t)tv[0] * NS_PER_S + (uint64_t)tv[1] * 1000;
}

static void to_timeval(uint64_t ns, int64_t tv[2])
{
	tv[0] = (int64_t)(ns / NS_PER_S);
	tv[1] = (int64_t)(ns % NS_PER_S / 1000);
}

static uint64_t left(struct kernel *k, const struct ktimer *t)
{
	uint64_t now = scale_now(k, t);

	if (t->next_ns == NEVER)
		return 0;
	return t->next_ns > now ? t->next_ns - now : 1000;
}

int64_t sys_alarm(struct kernel *k, const uint64_t a[6])
{
	struct ktimer *t = &timers(k)->itimer[0];
	uint64_t was = left(k, t), s = (uint32_t)a[0];

	t->interval_ns = 0;
	t->next_ns = s ? k->clock.now_ns + s * NS_PER_S : NEVER;
	/* it_real: at least one second is told while it runs. */
	return (int64_t)((was + NS_PER_S / 2) / NS_PER_S + (was && was < NS_PER_S / 2));
}

int64_t sys_getitimer(struct kernel *k, const uint64_t a[6])
{
	struct ktimer *t;
	int64_t v[4];

	if (a[0] > 2)
		return -EINVAL;
	t = &timers(k)->itimer[a[0]];
	to_timeval(t->interval_ns, v);
	to_timeval(left(k, t), v + 2);
	return user_put(k, a[1], v, sizeof(v));
}

int64_t sys_setitimer(struct kernel *k, const uint64_t a[6])
{
	int64_t v[4] = { 0 }, old[4];
	struct ktimer *t;
	uint64_t first;

	if (a[1] && user_get(k, v, a[1], sizeof(v)))
		return -EFAULT;
	if (a[0] > 2 || v[0] < 0 || v[1] < 0 || v[1] > 999999 || v[2] < 0 || v[3] < 0 || v[3] > 999999)
		return -EINVAL;
	t = &timers(k)->itimer[a[0]];
	to_timeval(t->interval_ns, old);
	to_timeval(left(k, t), old + 2);
	first = from_timeval(v + 2);
	t->interval_ns = from_timeval(v);
	t->next_ns = first ? scale_now(k, t) + first : NEVER;
	return a[2] ? user_put(k, a[2], old, sizeof(old)) : 0;
}

static struct ktimer *find(struct kernel *k, uint64_t id)
{
	return id < POSIX_TIMERS && timers(k)->posix[id].used ? &timers(k)->posix[id] : NULL;
}

/* Can a timer run on clock @id?  0, or the error that says why not. */
static int64_t timer_clock(struct kernel *k, int id)
{
	int64_t ns;

	if (id < 0 && (id & 7) == 3) /* a device's clock, by descriptor */
		return -EOPNOTSUPP;
	if (time_is_cpu_clock(id))
		return time_cpu_clock(k, id, &ns);
	if (!clock_read(&k->clock, id, &ns))
		return -EINVAL;
	switch (id) {
	case CLOCK_MONOTONIC_RAW:
	case CLOCK_REALTIME_COARSE:
	case CLOCK_MONOTONIC_COARSE:
		return -EOPNOTSUPP;
	default:
		return 0;
	}
}

int64_t sys_timer_create(struct kernel *k, const uint64_t a[6])
{
	struct { uint64_t value; int32_t signo, notify, tid, pad[11]; } ev = { 0 };
	struct timers *all = timers(k);
	int32_t id = 0;
	int clock = (int)a[0];
	bool cpu = time_is_cpu_clock(clock);
	int64_t err = timer_clock(k, clock);

	if (err)
		return err;
	ev.signo = SIGALRM;
	if (a[1] && user_get(k, &ev, a[1], sizeof(ev)))
		return -EFAULT;
	if (a[1] && ((ev.notify & ~SIGEV_THREAD_ID) > 2 ||
		     ((ev.notify & ~SIGEV_THREAD_ID) != SIGEV_NONE && (ev.signo < 1 || ev.signo > SIG_MAX))))
		return -EINVAL;
	if (a[1] && ev.notify & SIGEV_THREAD_ID && !task_find(k, ev.tid))
		return -EINVAL;
	while (id < (int32_t)POSIX_TIMERS && all->posix[id].used)
		id++;
	if (id == (int32_t)POSIX_TIMERS)
		return -EAGAIN;
	if (user_put(k, a[2], &id, sizeof(id)))
		return -EFAULT;
	all->posix[id] = (struct ktimer){ .used = true, .cpu_time = cpu, .next_ns = NEVER, .clockid = time_named_clock(k, clock),
					  .notify = a[1] ? ev.notify : SIGEV_SIGNAL, .signo = ev.signo, .tid = ev.tid,
					  .value = a[1] ? ev.value : (uint64_t)id };
	return 0;
}

static void put_spec(struct kernel *k, const struct ktimer *t, int64_t v[4])
{
	uint64_t l = t->next_ns == NEVER ? 0 : left(k, t);

	v[0] = (int64_t)(t->interval_ns / NS_PER_S);
	v[1] = (int64_t)(t->interval_ns % NS_PER_S);
	v[2] = (int64_t)(l / NS_PER_S);
	v[3] = (int64_t)(l % NS_PER_S);
}

int64_t sys_timer_settime(struct kernel *k, const uint64_t a[6])
{
	struct ktimer *t = find(k, a[0]);
	int64_t v[4], old[4];
	uint64_t first;

	if (!a[2] || user_get(k, v, a[2], sizeof(v)))
		return a[2] ? -EFAULT : -EINVAL;
	if (v[0] < 0 || v[1] < 0 || v[1] >= (int64_t)NS_PER_S || v[2] < 0 || v[3] < 0 || v[3] >= (int64_t)NS_PER_S || !t)
		return -EINVAL;
	put_spec(k, t, old);
	first = (uint64_t)v[2] * NS_PER_S + (uint64_t)v[3];
	t->interval_ns = (uint64_t)v[0] * NS_PER_S + (uint64_t)v[1];
	if (!first)
		t->next_ns = NEVER;
	else if (!(a[1] & TIMER_ABSTIME))
		t->next_ns = scale_now(k, t) + first;
	else
		t->next_ns = t->cpu_time ? first : clock_when(&k->clock, t->clockid, (int64_t)first);
	return a[3] ? user_put(k, a[3], old, sizeof(old)) : 0;
}

int64_t sys_timer_gettime(struct kernel *k, const uint64_t a[6])
{
	struct ktimer *t = find(k, a[0]);
	int64_t v[4];

	if (!t)
		return -EINVAL;
	put_spec(k, t, v);
	return user_put(k, a[1], v, sizeof(v));
}

int64_t sys_timer_getoverrun(struct kernel *k, const uint64_t a[6])
{
	struct ktimer *t = find(k, a[0]);

	return t ? (int64_t)t->overrun : -EINVAL;
}

int64_t sys_timer_delete(struct kernel *k, const uint64_t a[6])
{
	struct ktimer *t = find(k, a[0]);

	if (!t)
		return -EINVAL;
	memset(t, 0, sizeof(*t));
	return 0;
}
