/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Time calls: all answer from virtual time.  The bodies of gettimeofday, time and getcpu are shared
 * with the vsyscall page, which wants to know the first bad address.  Rules: Linux kernel/time/.
 */
#include <errno.h>
#include <linux/sysinfo.h>
#include <sys/timex.h>
#include <string.h>
#include <sys/resource.h>
#include <time.h>

#include "kernel/fd.h"
#include "kernel/pids.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/task.h"
#include "kernel/timer.h"
#include "kernel/wait.h"
#include "kernel/uaccess.h"

#define USER_HZ 100

/* Store and, if that fails, note the first bad address. */
static int64_t put(struct kernel *k, gaddr dst, const void *src, size_t n, struct body_fault *f)
{
	size_t left = memory_write(k->mem, dst, src, n);

	if (!left)
		return 0;
	if (f && !f->code) {
		f->addr = dst + (n - left);
		f->code = memory_fault_code(k->mem, f->addr, true, &f->bus);
	}
	return -EFAULT;
}

/* put_user(): one store of at most 8 bytes, all of it or nothing. */
static int64_t put_scalar(struct kernel *k, gaddr dst, const void *src, size_t n, struct body_fault *f)
{
	uint8_t old[8];
	size_t first = (size_t)(PAGE_BYTES - (dst & (PAGE_BYTES - 1)));
	/* Only what straddles can be stored in part; else a read would make the page present, which
	 * error codes tell. */
	size_t had = first < n ? first - memory_read(k->mem, old, dst, first) : 0;
	int64_t r = put(k, dst, src, n, f);

	if (r && had)
		memory_write(k->mem, dst, old, had);
	return r;
}

static int64_t realtime_ns(struct kernel *k)
{
	int64_t ns = 0;

	/* The call has been charged since it began: what it shows is later than what was told then. */
	clock_told(&k->clock);
	clock_read(&k->clock, CLOCK_REALTIME, &ns);
	return ns;
}

int64_t body_gettimeofday(struct kernel *k, const uint64_t a[6], struct body_fault *f)
{
	static const int32_t zone[2];
	int64_t ns = realtime_ns(k);
	int64_t tv[2] = { ns / (int64_t)NS_PER_S, ns % (int64_t)NS_PER_S / 1000 };

	/* One copy until 4.17, two put_user() afterwards: a tv that ends in a bad page tells. */
	if (a[0] && k->model->kernel->rules.era < VSYSEMU_E7) {
		if (put(k, a[0], tv, sizeof(tv), f))
			return -EFAULT;
	} else if (a[0]) {
		if (put_scalar(k, a[0], &tv[0], 8, f) || put_scalar(k, a[0] + 8, &tv[1], 8, f))
			return -EFAULT;
	}
	if (a[1] && put(k, a[1], zone, sizeof(zone), f))
		return -EFAULT;
	return 0;
}

int64_t body_time(struct kernel *k, const uint64_t a[6], struct body_fault *f)
{
	int64_t s = clock_time(&k->clock);

	if (a[0] && put_scalar(k, a[0], &s, sizeof(s), f))
		return -EFAULT;
	return s;
}

int64_t body_getcpu(struct kernel *k, const uint64_t a[6], struct body_fault *f)
{
	uint32_t cpu = k->proc.current->cpu_nr, node = 0;
	int64_t err = 0;

	if (a[0])
		err |= put_scalar(k, a[0], &cpu, sizeof(cpu), f);
	if (a[1])
		err |= put_scalar(k, a[1], &node, sizeof(node), f);
	return err ? -EFAULT : 0;
}

int64_t sys_gettimeofday(struct kernel *k, const uint64_t a[6])
{
	return body_gettimeofday(k, a, NULL);
}

int64_t sys_time(struct kernel *k, const uint64_t a[6])
{
	return body_time(k, a, NULL);
}

int64_t sys_getcpu(struct kernel *k, const uint64_t a[6])
{
	return body_getcpu(k, a, NULL);
}

/* CPU-time clocks of pids and tids: ~id << 3 | which (posix-timers.h); id 0 is the caller's. */
#define VIRTUAL_CLOCK 1 /* user time alone */
#define DYNAMIC_CLOCK 3 /* of the low three bits: a device's, by descriptor */
#define THREAD_CLOCK_BIT 4
#define THREAD_CLOCK ((int)(~0u << 3 | THREAD_CLOCK_BIT | 2))

bool time_is_cpu_clock(int id)
{
	return id == CLOCK_PROCESS_CPUTIME_ID || id == CLOCK_THREAD_CPUTIME_ID || id < 0;
}

int64_t time_cpu_clock(struct kernel *k, int id, int64_t *ns)
{
	uint64_t user = k->clock.user_cycles16, sys = k->clock.system_cycles16, all;
	const struct task *t;
	pid_t pid;

	if (id == CLOCK_THREAD_CPUTIME_ID)
		id = THREAD_CLOCK;
	if (id < 0) {
		pid = ~(id >> 3);
		if ((id & 3) == 3)
			return -EINVAL; /* a device's, of which there are none here, or none at all */
		t = task_find(k, pid);
		if (!t || (!(id & THREAD_CLOCK_BIT) && pid && pid != k->proc.pid))
			return -EINVAL;
		if (id & THREAD_CLOCK_BIT)
			task_times(k, t, &user, &sys);
	}
	all = clock_cpu_ns(&k->clock, user, sys, &user, &sys);
	*ns = (int64_t)(id < 0 && (id & 3) == VIRTUAL_CLOCK ? user : all);
	return 0;
}

int time_named_clock(struct kernel *k, int id)
{
	unsigned tid = (unsigned)k->proc.current->tid;

	if (id == CLOCK_THREAD_CPUTIME_ID)
		id = THREAD_CLOCK;
	/* Number 0 is the caller. */
	return id < 0 && id & THREAD_CLOCK_BIT && ~(id >> 3) == 0 ? (int)(~tid << 3 | ((unsigned)id & 7)) : id;
}

static int64_t clock_value(struct kernel *k, int id, int64_t *ns)
{
	if (time_is_cpu_clock(id))
		return time_cpu_clock(k, id, ns);
	clock_told(&k->clock);
	return clock_read(&k->clock, id, ns) ? 0 : -EINVAL;
}

static int64_t put_timespec(struct kernel *k, gaddr dst, int64_t ns)
{
	int64_t ts[2] = { ns / (int64_t)NS_PER_S, ns % (int64_t)NS_PER_S };

	return user_put(k, dst, ts, sizeof(ts));
}

int64_t sys_clock_gettime(struct kernel *k, const uint64_t a[6])
{
	int64_t ns, r = clock_value(k, (int)a[0], &ns);

	return r ? r : put_timespec(k, a[1], ns);
}

int64_t sys_clock_getres(struct kernel *k, const uint64_t a[6])
{
	int id = (int)a[0];
	int64_t ns, r = clock_value(k, id, &ns);

	if (r)
		return r;
	if (time_is_cpu_clock(id))
		ns = 1;
	else
		clock_resolution(&k->clock, id, &ns);
	return a[1] ? put_timespec(k, a[1], ns) : 0;
}

static int64_t get_timespec(struct kernel *k, gaddr src, uint64_t *ns)
{
	int64_t ts[2];

	if (user_get(k, ts, src, sizeof(ts)))
		return -EFAULT;
	if (ts[0] < 0 || ts[1] < 0 || ts[1] >= (int64_t)NS_PER_S)
		return -EINVAL;
	*ns = ts[0] >= INT64_MAX / (int64_t)NS_PER_S ?
		      INT64_MAX :
		      (uint64_t)ts[0] * NS_PER_S + (uint64_t)ts[1];
	return 0;
}

static uint64_t add_ns(uint64_t a, uint64_t b)
{
	return a > (uint64_t)INT64_MAX - b ? (uint64_t)INT64_MAX : a + b;
}

/* Sleep until V = @until.  Linux restarts an interrupted sleep with the time that is left. */
static int64_t sleep_until(struct kernel *k, uint64_t until, gaddr rem, bool relative)
{
	if (relative)
		until = syscall_until(k, until);
	if (wait_until(k, until))
		return 0;
	if (!relative)
		return -ERESTARTNOHAND;
	if (rem) {
		uint64_t now = k->clock.now_ns;

		if (put_timespec(k, rem, until > now ? (int64_t)(until - now) : 0))
			return -EFAULT;
	}
	return syscall_restart_later(k, until);
}

int64_t sys_nanosleep(struct kernel *k, const uint64_t a[6])
{
	uint64_t ns;
	int64_t r = get_timespec(k, a[0], &ns);

	return r ? r : sleep_until(k, add_ns(k->clock.now_ns, ns), a[1], true);
}

/* Until CPU time has come to @ns; without another thread that takes some, for ever. */
static int64_t sleep_cpu(struct kernel *k, int id, uint64_t ns, bool absolute)
{
	int64_t now = 0, r = time_cpu_clock(k, id, &now);
	uint64_t until = absolute ? ns : add_ns((uint64_t)now, ns);

	while (!r && (uint64_t)now < until) {
		uint64_t left = task_alone(k) ? (uint64_t)INT64_MAX : until - (uint64_t)now;

		if (!wait_until(k, add_ns(k->clock.now_ns, left)))
			return -ERESTARTNOHAND;
		r = time_cpu_clock(k, id, &now);
	}
	return r;
}

int64_t sys_clock_nanosleep(struct kernel *k, const uint64_t a[6])
{
	int id = (int)a[0];
	bool absolute = a[1] & TIMER_ABSTIME;
	int64_t now, r;
	uint64_t ns;

	switch (id) {
	case CLOCK_REALTIME:
	case CLOCK_MONOTONIC:
	case CLOCK_BOOTTIME:
	case CLOCK_TAI:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_BOOTTIME_ALARM:
	case CLOCK_PROCESS_CPUTIME_ID:
		break;
	default:
		r = clock_value(k, id, &now);
		if (id < 0 && (id & 7) == DYNAMIC_CLOCK)
			return -EOPNOTSUPP;
		if (r || id >= 0)
			return r ? -EINVAL : -EOPNOTSUPP;
		if (id & THREAD_CLOCK_BIT && (~(id >> 3) == 0 || ~(id >> 3) == k->proc.current->tid))
			return -EINVAL; /* it would not go on while its thread sleeps */
	}
	r = get_timespec(k, a[2], &ns);
	if (r)
		return r;
	if (time_is_cpu_clock(id))
		return sleep_cpu(k, id, ns, absolute);
	if (!absolute)
		return sleep_until(k, add_ns(k->clock.now_ns, ns), a[3], true);
	return sleep_until(k, clock_when(&k->clock, id, (int64_t)ns), 0, false);
}

/* User and system time as the accounting of the profile shows them, own and children's. */
static void cpu_times(struct kernel *k, uint64_t ns[4])
{
	const struct pid_slot *s = pids_self(k);

	clock_cpu_ns(&k->clock, k->clock.user_cycles16, k->clock.system_cycles16, &ns[0], &ns[1]);
	ns[2] = s ? s->user_ns : 0;
	ns[3] = s ? s->system_ns : 0;
}

int64_t sys_times(struct kernel *k, const uint64_t a[6])
{
	uint64_t ns[4];
	int64_t tick[4];

	cpu_times(k, ns);
	for (unsigned i = 0; i < 4; i++)
		tick[i] = (int64_t)(ns[i] / (NS_PER_S / USER_HZ));
	if (a[0] && user_put(k, a[0], tick, sizeof(tick)))
		return -EFAULT;
	return (int64_t)(k->clock.now_ns / (NS_PER_S / USER_HZ));
}

static void set_timeval(struct timeval *tv, uint64_t ns)
{
	tv->tv_sec = (time_t)(ns / NS_PER_S);
	tv->tv_usec = (suseconds_t)(ns % NS_PER_S / 1000);
}

int64_t sys_getrusage(struct kernel *k, const uint64_t a[6])
{
	struct rusage ru;
	uint64_t ns[4], user, sys;

	memset(&ru, 0, sizeof(ru));
	cpu_times(k, ns);
	switch ((int)a[0]) {
	case RUSAGE_THREAD:
		task_times(k, k->proc.current, &user, &sys);
		clock_cpu_ns(&k->clock, user, sys, &ns[0], &ns[1]);
		/* fall through */
	case RUSAGE_SELF:
		set_timeval(&ru.ru_utime, ns[0]);
		set_timeval(&ru.ru_stime, ns[1]);
		break;
	case RUSAGE_CHILDREN:
		set_timeval(&ru.ru_utime, ns[2]);
		set_timeval(&ru.ru_stime, ns[3]);
		break;
	default:
		return -EINVAL;
	}
	return user_put(k, a[1], &ru, sizeof(ru));
}

/* One GiB of memory, the same everywhere: nothing of the host. */
int64_t sys_sysinfo(struct kernel *k, const uint64_t a[6])
{
	struct sysinfo si;
	int64_t boot = 0;

	memset(&si, 0, sizeof(si));
	clock_read(&k->clock, CLOCK_BOOTTIME, &boot);
	si.uptime = (boot + (int64_t)NS_PER_S - 1) / (int64_t)NS_PER_S;
	si.totalram = 1ul << 30;
	si.freeram = 3ul << 28;
	si.procs = (unsigned short)pids_running(k);
	si.mem_unit = 1;
	return user_put(k, a[0], &si, sizeof(si));
}

static int64_t timex_read(struct kernel *k, gaddr p)
{
	struct timex tx;
	int64_t ns = realtime_ns(k);

	if (user_get(k, &tx, p, sizeof(tx)))
		return -EFAULT;
	if (tx.modes)
		return -EPERM;
	memset(&tx, 0, sizeof(tx));
	tx.maxerror = tx.esterror = 16000000;
	tx.status = STA_UNSYNC;
	tx.constant = 2;
	tx.precision = 1;
	tx.tolerance = 32768000;
	tx.tick = 10000;
	tx.time.tv_sec = ns / (int64_t)NS_PER_S;
	tx.time.tv_usec = ns % (int64_t)NS_PER_S / 1000;
	return user_put(k, p, &tx, sizeof(tx)) ? -EFAULT : TIME_ERROR;
}

int64_t sys_adjtimex(struct kernel *k, const uint64_t a[6])
{
	return timex_read(k, a[0]);
}

int64_t sys_clock_adjtime(struct kernel *k, const uint64_t a[6])
{
	int64_t ns;

	if ((int)a[0] == CLOCK_REALTIME)
		return timex_read(k, a[1]);
	return clock_value(k, (int)a[0], &ns) ? -EINVAL : -EOPNOTSUPP;
}
