/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting: see wait.h.  A lone process jumps to the next event; with others about it looks at them between
 * short naps of host time (kernel/idle.h).
 */
#include "kernel/wait.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>

#include "kernel/hostsig.h"
#include "kernel/idle.h"
#include "kernel/output.h"
#include "kernel/signal.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/task.h"
#include "kernel/timer.h"

#define NEVER UINT64_MAX
/* Host time between two looks at what the others do. */
#define NAP_MIN_NS 100000u
#define NAP_MAX_NS 3200000u

static uint64_t host_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static void host_sleep(uint64_t ns)
{
	struct timespec ts = { (time_t)(ns / NS_PER_S), (long)(ns % NS_PER_S) };
	uint64_t a[6] = { (uint64_t)(uintptr_t)&ts };

	hostsig_syscall(SYS_nanosleep, a);
}

/* May time jump to @to, now or after as much host time?  False: a signal came first. */
static bool wait_jump(struct kernel *k, uint64_t to)
{
	uint64_t began = host_ns(), length = to - k->clock.now_ns, nap = NAP_MIN_NS;
	bool jump = false;

	idle_begin(k, to);
	while (!(jump = host_ns() - began >= length)) {
		if (idle_others(k, to)) {
			/* What they did before is here by now: they would not rest else. */
			jump = !signal_collect(k);
			break;
		}
		host_sleep(nap < length ? nap : length);
		nap = nap < NAP_MAX_NS ? 2 * nap : nap;
		if (signal_collect(k))
			break;
	}
	idle_end(k);
	return jump;
}

bool wait_until(struct kernel *k, uint64_t ns)
{
	for (;;) {
		uint64_t next = timers_next(k), to = next < ns ? next : ns;

		timers_expire(k);
		signal_collect(k);
		if (signal_is_due(k) || k->timed_out)
			return false;
		if (k->clock.now_ns >= ns)
			return true;
		if (!task_alone(k)) {
			task_wait(k, ns, false, false);
			continue;
		}
		if (to == NEVER) {
			uint64_t none[6] = { 0 };

			idle_begin(k, NEVER);
			hostsig_syscall(SYS_pause, none);
			idle_end(k);
			continue;
		}
		if (to > k->clock.now_ns && !wait_jump(k, to)) {
			signal_collect(k);
			continue;
		}
		clock_sleep_until(&k->clock, to);
	}
}

/* Interrupt the host call that follows after @ns; 0: not any more. */
static void host_alarm(uint64_t ns)
{
	struct itimerval it = { .it_value.tv_sec = (time_t)(ns / NS_PER_S),
				.it_value.tv_usec = (suseconds_t)(ns % NS_PER_S / 1000) };

	/* Should the first come before the call has begun, another follows. */
	if (ns)
		it.it_interval.tv_usec = 1000;
	setitimer(ITIMER_REAL, &it, NULL);
}

/* One host call of at most until V = @to; -EINTR: it is later now, or a signal came. */
static int64_t wait_once(struct kernel *k, unsigned nr, const uint64_t a[6], uint64_t to, bool outside)
{
	uint64_t began = host_ns(), length = to - k->clock.now_ns, nap = NAP_MIN_NS;
	bool quiet = false, was_quiet;
	int64_t r;

	if (!outside)
		idle_begin(k, to);
	for (;;) {
		if (to != NEVER)
			host_alarm(outside || length < nap ? length + 1000 : nap);
		r = hostsig_syscall(nr, a);
		if (to != NEVER)
			host_alarm(0);
		if (r != -EINTR || to == NEVER)
			break;
		/* What the others did while this process looked away, the call finds when it is made once more. */
		was_quiet = quiet;
		quiet = !outside && hostsig_begun() && idle_others(k, to);
		if (host_ns() - began >= length || (quiet && was_quiet)) {
			clock_sleep_until(&k->clock, to);
			break;
		}
		if (signal_collect(k) && signal_is_due(k))
			break;
		nap = quiet ? NAP_MIN_NS : nap < NAP_MAX_NS ? 2 * nap : nap;
	}
	if (!outside)
		idle_end(k);
	return r;
}

static int64_t wait_call(struct kernel *k, unsigned nr, const uint64_t a[6], uint64_t until)
{
	bool looked = false, outside = false;

	for (;;) {
		uint64_t next = timers_next(k), to = next < until ? next : until;
		int64_t r;

		timers_expire(k);
		signal_collect(k);
		if (signal_is_due(k) || k->timed_out)
			return -ERESTARTSYS;
		/* With nobody about and nothing due, what the call waits for does not matter. */
		if (to == NEVER && !k->proc.family && task_alone(k)) {
			r = hostsig_syscall(nr, a);
			if (r != -EINTR)
				return r;
			timers_expire(k);
			signal_collect(k);
			if (signal_is_due(k))
				return -ERESTARTSYS;
			continue;
		}
		if (!looked)
			outside = idle_outside(k, nr, a);
		looked = true;
		if (!task_alone(k)) {
			r = wait_among_tasks(k, nr, a, until, outside);
			if (r != WAIT_LOOK_AGAIN)
				return r;
			continue;
		}
		if (to <= k->clock.now_ns)
			to = k->clock.now_ns + 1;
		r = wait_once(k, nr, a, to, outside);
		if (r != -EINTR)
			return r;
		/* A wake-up of our own, a signal for the guest, or one that it blocks. */
		timers_expire(k);
		signal_collect(k);
		if (signal_is_due(k))
			return -ERESTARTSYS;
		if (k->clock.now_ns >= until)
			return -ETIMEDOUT;
	}
}

int64_t wait_host(struct kernel *k, unsigned nr, const uint64_t a[6], uint64_t until)
{
	int64_t r = wait_call(k, nr, a, until), total = r;
	struct output_rest rest = { .v = NULL }, next;

	while (r > 0 && output_is(nr) && output_left(nr, a, (uint64_t)r, &next)) {
		output_free(&rest);
		rest = next;
		if (nr == SYS_sendmsg)
			rest.a[1] = (uint64_t)(uintptr_t)&rest.msg;
		a = rest.a;
		r = wait_call(k, nr, a, until);
		if (r > 0)
			total += r;
	}
	output_free(&rest);
	return total;
}
