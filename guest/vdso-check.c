/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that the vDSO is found by its own tables and agrees with the system calls: every function is looked
 * up through AT_SYSINFO_EHDR, and each clock read lies between two system calls around it.
 * "dump": write the image to standard output.  "touch N": read the word at N pages from the image and say
 * what comes of it.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "vdso-find.h"

static long ns(const struct timespec *t)
{
	return t->tv_sec * 1000000000l + t->tv_nsec;
}

static int check_clocks(void)
{
	static const int ids[] = { CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE,
				   CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME, CLOCK_TAI };
	int (*gettime)(int, struct timespec *) = (int (*)(int, struct timespec *))vdso_find("__vdso_clock_gettime");
	int bad = 0;

	for (unsigned round = 0; gettime && round < 3; round++) {
		for (unsigned i = 0; i < sizeof(ids) / sizeof(ids[0]); i++) {
			struct timespec a, b, c;

			syscall(SYS_clock_gettime, ids[i], &a);
			if (gettime(ids[i], &b))
				bad++;
			syscall(SYS_clock_gettime, ids[i], &c);
			if (ns(&a) > ns(&b) || ns(&b) > ns(&c)) {
				bad++;
				printf("clock %d: vDSO %+ld, second call %+ld\n", ids[i], ns(&b) - ns(&a), ns(&c) - ns(&a));
			}
		}
		usleep(1500);
	}
	return gettime ? bad : bad + 1;
}

static int check_rest(void)
{
	int (*tod)(struct timeval *, void *) = (int (*)(struct timeval *, void *))vdso_find("__vdso_gettimeofday");
	long (*seconds)(long *) = (long (*)(long *))vdso_find("__vdso_time");
	int (*cpu)(unsigned *, unsigned *, void *) = (int (*)(unsigned *, unsigned *, void *))vdso_find("__vdso_getcpu");
	int (*res)(int, struct timespec *) = (int (*)(int, struct timespec *))vdso_find("__vdso_clock_getres");
	static const int ids[] = { CLOCK_MONOTONIC, CLOCK_REALTIME_COARSE };
	struct timeval tv, before, after;
	unsigned c = 99, n = 99;
	int bad = 0;

	syscall(SYS_gettimeofday, &before, NULL);
	bad += !tod || tod(&tv, NULL);
	syscall(SYS_gettimeofday, &after, NULL);
	bad += timercmp(&tv, &before, <) || timercmp(&tv, &after, >);
	bad += seconds && (seconds(NULL) < before.tv_sec - 1 || seconds(NULL) > after.tv_sec + 1);
	bad += !cpu || cpu(&c, &n, NULL) || c > 4095 || n > 1023;
	for (unsigned i = 0; res && i < 2; i++) {
		struct timespec a, b;

		res(ids[i], &a);
		syscall(SYS_clock_getres, ids[i], &b);
		bad += ns(&a) != ns(&b);
	}
	return bad;
}

static int dump(void)
{
	unsigned long base = getauxval(AT_SYSINFO_EHDR), start, end;
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx", &start, &end) == 2 && start == base)
			return write(1, (void *)start, end - start) != (long)(end - start);
	return 1;
}

static void on_fault(int sig, siginfo_t *si, void *ctx)
{
	(void)ctx;
	printf("%s code %d\n", sig == SIGBUS ? "SIGBUS" : "SIGSEGV", si->si_code);
	fflush(stdout);
	_exit(0);
}

static int touch(long page, int store)
{
	struct sigaction sa = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO };
	volatile int *p = (int *)(getauxval(AT_SYSINFO_EHDR) + (unsigned long)page * 4096);

	sigaction(SIGBUS, &sa, NULL);
	sigaction(SIGSEGV, &sa, NULL);
	if (store)
		*p = 0;
	else
		(void)*p;
	puts("read");
	return 0;
}

int main(int argc, char **argv)
{
	int bad;

	if (argc > 1 && !strcmp(argv[1], "dump"))
		return dump();
	if (argc > 2)
		return touch(atol(argv[2]), !strcmp(argv[1], "store"));
	bad = check_clocks() + check_rest();
	printf("time %d, getres %d, getrandom %d: %d wrong\n", !!vdso_find("__vdso_time"), !!vdso_find("__vdso_clock_getres"),
	       !!vdso_find("__vdso_getrandom"), bad);
	return bad != 0;
}
