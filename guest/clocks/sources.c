/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Every way to ask for the time: see clocks.h. */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

#include "clocks.h"
#include "vdso-find.h"
#include "vsyscall.h"


static int (*vdso_gettime)(int, struct timespec *);
static int (*vdso_tod)(struct timeval *, void *);
static long (*vdso_time)(long *);
struct caught caught;
static volatile bool has_page;
static uint64_t hz, tsc_start;

static int64_t ns(const struct timespec *t)
{
	return t->tv_sec * S + t->tv_nsec;
}

static int64_t us(const struct timeval *t)
{
	return t->tv_sec * S + t->tv_usec * 1000;
}

static int clock_id(int id)
{
	/* -1, -2: this process and this thread by number. */
	return id == -1 ? (int)(~(unsigned)getpid() << 3 | 2) : id == -2 ? (int)(~(unsigned)getpid() << 3 | 6) : id;
}

static bool by_vdso(const struct source *s, int64_t *v)
{
	struct timespec t;

	if (!vdso_gettime || vdso_gettime(clock_id(s->id), &t))
		return false;
	*v = ns(&t);
	return t.tv_nsec >= 0 && t.tv_nsec < S;
}

static bool by_syscall(const struct source *s, int64_t *v)
{
	struct timespec t;

	if (syscall(SYS_clock_gettime, clock_id(s->id), &t))
		return false;
	*v = ns(&t);
	return true;
}

static bool tod_vdso(const struct source *s, int64_t *v)
{
	struct timeval t;

	(void)s;
	if (!vdso_tod || vdso_tod(&t, NULL))
		return false;
	*v = us(&t);
	return true;
}

static bool tod_syscall(const struct source *s, int64_t *v)
{
	struct timeval t;

	(void)s;
	if (syscall(SYS_gettimeofday, &t, NULL))
		return false;
	*v = us(&t);
	return true;
}

static bool tod_page(const struct source *s, int64_t *v)
{
	struct timeval t;

	(void)s;
	if (!has_page || vsys_call(VSYS_GETTIMEOFDAY, &t, NULL, 0))
		return false;
	*v = us(&t);
	return true;
}

static bool time_vdso(const struct source *s, int64_t *v)
{
	(void)s;
	if (!vdso_time)
		return false;
	*v = vdso_time(NULL) * S;
	return true;
}

static bool time_syscall(const struct source *s, int64_t *v)
{
	(void)s;
	*v = syscall(SYS_time, NULL) * S;
	return true;
}

static bool time_page(const struct source *s, int64_t *v)
{
	(void)s;
	if (has_page)
		*v = vsys_call(VSYS_TIME, NULL, NULL, 0) * S;
	return has_page;
}

static bool by_tsc(const struct source *s, int64_t *v)
{
	uint32_t lo, hi, aux;

	if (!hz)
		return false;
	if (s->id)
		__asm__ volatile("rdtscp" : "=a"(lo), "=d"(hi), "=c"(aux));
	else
		__asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	*v = (int64_t)((unsigned __int128)(((uint64_t)hi << 32 | lo) - tsc_start) * S / hz);
	return true;
}

static bool by_times(const struct source *s, int64_t *v)
{
	struct tms t;

	*v = syscall(SYS_times, &t) * USER_HZ_NS;
	if (s->class == ON_USER)
		*v = t.tms_utime * USER_HZ_NS;
	if (s->class == ON_SYSTEM)
		*v = t.tms_stime * USER_HZ_NS;
	if (s->class == ON_CPU)
		*v = (t.tms_utime + t.tms_stime) * USER_HZ_NS;
	return true;
}

static bool by_rusage(const struct source *s, int64_t *v)
{
	struct rusage r;

	if (syscall(SYS_getrusage, s->id, &r))
		return false;
	*v = (s->class == ON_SYSTEM ? 0 : us(&r.ru_utime)) + (s->class == ON_USER ? 0 : us(&r.ru_stime));
	return true;
}

static size_t file_text(const char *path, char *text, size_t n)
{
	int fd = open(path, O_RDONLY);
	ssize_t r = fd < 0 ? -1 : read(fd, text, n - 1);

	if (fd >= 0)
		close(fd);
	text[r < 0 ? 0 : r] = 0;
	return r < 0 ? 0 : (size_t)r;
}

static bool by_uptime(const struct source *s, int64_t *v)
{
	char text[80];
	unsigned long sec, hundredths;

	(void)s;
	if (!file_text("/proc/uptime", text, sizeof(text)) || sscanf(text, "%lu.%2lu", &sec, &hundredths) != 2)
		return false;
	*v = (int64_t)sec * S + (int64_t)hundredths * USER_HZ_NS;
	return true;
}

/* Whole seconds, rounded up. */
static bool by_sysinfo(const struct source *s, int64_t *v)
{
	struct sysinfo i;

	(void)s;
	if (sysinfo(&i))
		return false;
	*v = i.uptime * S - S + 1;
	return true;
}

static bool by_stat(const struct source *s, int64_t *v)
{
	static unsigned long long start, btime;
	unsigned long long u, k, started;
	char text[1024], *p;

	if (!file_text("/proc/self/stat", text, sizeof(text)) || !(p = strrchr(text, ')')) ||
	    sscanf(p + 2, "%*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %*d %*d %*d %*d %*d %*d %llu", &u, &k,
		   &started) != 3)
		return false;
	if (start && start != started)
		fail(s->name, "the start of the process moved from %llu to %llu", start, started);
	start = started;
	file_text("/proc/stat", text, sizeof(text));
	p = strstr(text, "btime ");
	if (p && btime && llabs((long long)(strtoull(p + 6, NULL, 10) - btime)) > 1)
		fail(s->name, "btime moved from %llu to %s", btime, p + 6);
	if (p && !btime)
		btime = strtoull(p + 6, NULL, 10);
	*v = (int64_t)((s->class == ON_SYSTEM ? 0 : u) + (s->class == ON_USER ? 0 : k)) * USER_HZ_NS;
	return true;
}

#define BOTH(name, class, id) { "vdso " name, class, 1, by_vdso, id }, { "syscall " name, class, 1, by_syscall, id }

const struct source sources[] = {
	BOTH("CLOCK_MONOTONIC", ON_MONO, CLOCK_MONOTONIC),
	BOTH("CLOCK_REALTIME", ON_REAL, CLOCK_REALTIME),
	BOTH("CLOCK_MONOTONIC_RAW", ON_RAW, CLOCK_MONOTONIC_RAW),
	BOTH("CLOCK_BOOTTIME", ON_BOOT, CLOCK_BOOTTIME),
	BOTH("CLOCK_TAI", ON_TAI, CLOCK_TAI),
	BOTH("CLOCK_REALTIME_COARSE", ON_REAL_COARSE, CLOCK_REALTIME_COARSE),
	BOTH("CLOCK_MONOTONIC_COARSE", ON_MONO_COARSE, CLOCK_MONOTONIC_COARSE),
	BOTH("CLOCK_REALTIME_ALARM", ON_REAL, CLOCK_REALTIME_ALARM),
	BOTH("CLOCK_BOOTTIME_ALARM", ON_BOOT, CLOCK_BOOTTIME_ALARM),
	BOTH("CLOCK_PROCESS_CPUTIME_ID", ON_CPU, CLOCK_PROCESS_CPUTIME_ID),
	BOTH("CLOCK_THREAD_CPUTIME_ID", ON_CPU, CLOCK_THREAD_CPUTIME_ID),
	BOTH("CPU clock of the process", ON_CPU, -1),
	BOTH("CPU clock of the thread", ON_CPU, -2),
	{ "vdso gettimeofday", ON_REAL, 1000, tod_vdso, 0 },
	{ "syscall gettimeofday", ON_REAL, 1000, tod_syscall, 0 },
	{ "vsyscall gettimeofday", ON_REAL, 1000, tod_page, 0 },
	{ "vdso time", ON_TIME, S, time_vdso, 0 },
	{ "syscall time", ON_TIME, S, time_syscall, 0 },
	{ "vsyscall time", ON_TIME, S, time_page, 0 },
	{ "rdtsc", ON_TSC, 1, by_tsc, 0 },
	{ "rdtscp", ON_TSC, 1, by_tsc, 1 },
	{ "times", ON_TIMES, USER_HZ_NS, by_times, 0 },
	{ "times utime", ON_USER, USER_HZ_NS, by_times, 0 },
	{ "times stime", ON_SYSTEM, USER_HZ_NS, by_times, 0 },
	{ "times utime + stime", ON_CPU, 2 * USER_HZ_NS, by_times, 0 },
	{ "getrusage utime", ON_USER, 1000, by_rusage, RUSAGE_SELF },
	{ "getrusage stime", ON_SYSTEM, 1000, by_rusage, RUSAGE_SELF },
	{ "getrusage utime + stime", ON_CPU, 2000, by_rusage, RUSAGE_SELF },
	{ "getrusage of the thread", ON_CPU, 2000, by_rusage, RUSAGE_THREAD },
	{ "/proc/uptime", ON_BOOT, USER_HZ_NS, by_uptime, 0 },
	{ "sysinfo", ON_BOOT, S, by_sysinfo, 0 },
	{ "/proc/self/stat utime", ON_USER, USER_HZ_NS, by_stat, 0 },
	{ "/proc/self/stat stime", ON_SYSTEM, USER_HZ_NS, by_stat, 0 },
	{ "/proc/self/stat utime + stime", ON_CPU, 2 * USER_HZ_NS, by_stat, 0 },
};
const unsigned source_count = sizeof(sources) / sizeof(sources[0]);

void sources_start(uint64_t tsc_hz)
{
	uint32_t lo, hi;

	caught_install(SIGSEGV);
	if (!sigsetjmp(caught.back, 1)) {
		vsys_call(VSYS_TIME, NULL, NULL, 0);
		has_page = true;
	}
	signal(SIGSEGV, SIG_DFL);
	vdso_gettime = (int (*)(int, struct timespec *))vdso_find("__vdso_clock_gettime");
	vdso_tod = (int (*)(struct timeval *, void *))vdso_find("__vdso_gettimeofday");
	vdso_time = (long (*)(long *))vdso_find("__vdso_time");
	hz = tsc_hz;
	__asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi) : : "memory");
	tsc_start = (uint64_t)hi << 32 | lo;
}

int64_t mono(void)
{
	const struct source *s = &sources[draw(2)];
	int64_t v = 0;

	if (!s->read(s, &v)) { /* no vDSO */
		s = &sources[1];
		if (!s->read(s, &v))
			fail(s->name, "cannot be read");
	}
	line_reading(s, v);
	return v;
}
