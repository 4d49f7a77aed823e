/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that no source of time ever goes backwards or contradicts another, over COUNT random reads, sleeps
 * and children: clocks COUNT [seed=N] [tsc=HZ] [real] [lie=NAME].  tsc: the counter's rate, else it is left
 * out.  real: on hardware, where clocks are steered and others take the processor.  lie: readings of NAME are
 * falsified, which must be found out ("lie=list" prints the names).
 */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "clocks.h"

struct limits limits = { .slack = 400000 };
static uint64_t state = 1, seed = 1, operation, count;
static const char *liar = "";

uint64_t draw(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return (state >> 11) % below;
}

void fail(const char *what, const char *format, ...)
{
	va_list ap;

	printf("operation %lu of seed %lu: %s: ", operation, seed, what);
	va_start(ap, format);
	vprintf(format, ap);
	va_end(ap);
	puts("");
	fflush(stdout);
	_exit(1);
}

int64_t lie(const char *name, long size)
{
	return operation > count / 2 && !strcmp(name, liar) && draw(2) ? size : 0;
}

static void names(void)
{
	static const char *const others[] = {
		"nanosleep", "clock_nanosleep", "clock_nanosleep until", "poll", "ppoll", "select", "pselect6", "epoll_wait",
		"futex", "sigtimedwait", "timerfd read", "setitimer", "alarm", "timerfd periodic", "timer_gettime",
		"timerfd_gettime", "ITIMER_REAL", "ITIMER_PROF", "wait4", "RUSAGE_CHILDREN",
	};

	for (unsigned i = 0; i < source_count; i++)
		puts(sources[i].name);
	for (unsigned i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		puts(others[i]);
}

static void read_one(unsigned *seen)
{
	unsigned i = (unsigned)draw(source_count);
	int64_t v;

	if (!sources[i].read(&sources[i], &v))
		return;
	seen[i] = 1;
	line_reading(&sources[i], v);
}

static void run(void)
{
	unsigned *seen = calloc(source_count, sizeof(*seen)), n = 0;

	for (operation = 0; operation < count; operation++) {
		uint64_t r = draw(1000);

		if (r == 0)
			children_step();
		else if (r < 50)
			waits_step();
		else if (r < 150) /* work: most of it less than a tick */
			for (uint64_t i = draw(1ul << draw(r == 51 ? 22 : 12)); i; i--)
				__asm__ volatile("");
		else
			read_one(seen);
	}
	for (unsigned i = 0; i < source_count; i++)
		n += seen[i];
	printf("%lu operations, %u of %u sources: one story\n", count, n, source_count);
	free(seen);
}

int main(int argc, char **argv)
{
	struct timespec tick;
	uint64_t hz = 0;

	count = argc > 1 ? strtoull(argv[1], NULL, 10) : 100000;
	for (int i = 2; i < argc; i++) {
		if (!strncmp(argv[i], "seed=", 5))
			state = seed = strtoull(argv[i] + 5, NULL, 10) | 1;
		else if (!strncmp(argv[i], "tsc=", 4))
			hz = strtoull(argv[i] + 4, NULL, 10);
		else if (!strcmp(argv[i], "real"))
			limits = (struct limits){ .slack = 10000000000, .late = 20000000, .steer_ppm = 500 };
		else if (!strcmp(argv[i], "lie=list"))
			return names(), 0;
		else if (!strncmp(argv[i], "lie=", 4))
			liar = argv[i] + 4;
		else
			return fprintf(stderr, "clocks COUNT [seed=N] [tsc=HZ] [real] [lie=NAME|list]\n"), 2;
	}
	syscall(SYS_clock_getres, CLOCK_MONOTONIC_COARSE, &tick);
	limits.tick = tick.tv_nsec + 2;
	sources_start(hz);
	waits_start();
	run();
	return 0;
}
