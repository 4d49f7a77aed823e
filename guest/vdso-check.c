/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that the vDSO is found by its own tables and agrees with the system calls: every function is looked
 * up through AT_SYSINFO_EHDR, and each clock read lies between two system calls around it.
 */
#include <elf.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static void *find(const char *name)
{
	unsigned long base = getauxval(AT_SYSINFO_EHDR), bias = 0;
	const ElfW(Ehdr) *e = (void *)base;
	const ElfW(Phdr) *p;
	const ElfW(Dyn) *d = NULL;
	const ElfW(Sym) *s = NULL;
	const char *strings = NULL;
	const unsigned *hash = NULL;

	if (!base)
		return NULL;
	p = (void *)(base + e->e_phoff);
	for (int i = 0; i < e->e_phnum; i++) {
		if (p[i].p_type == PT_LOAD)
			bias = base - p[i].p_vaddr + p[i].p_offset;
		if (p[i].p_type == PT_DYNAMIC)
			d = (void *)(base + p[i].p_offset);
	}
	for (; d && d->d_tag; d++) {
		void *q = (void *)(d->d_un.d_ptr + bias);

		if (d->d_tag == DT_SYMTAB)
			s = q;
		if (d->d_tag == DT_STRTAB)
			strings = q;
		if (d->d_tag == DT_HASH)
			hash = q;
	}
	for (unsigned i = 0; hash && s && strings && i < hash[1]; i++)
		if (!strcmp(strings + s[i].st_name, name) && s[i].st_shndx)
			return (void *)(s[i].st_value + bias);
	return NULL;
}

static long ns(const struct timespec *t)
{
	return t->tv_sec * 1000000000l + t->tv_nsec;
}

static int check_clocks(void)
{
	static const int ids[] = { CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_MONOTONIC_RAW, CLOCK_REALTIME_COARSE,
				   CLOCK_MONOTONIC_COARSE, CLOCK_BOOTTIME, CLOCK_TAI };
	int (*gettime)(int, struct timespec *) = (int (*)(int, struct timespec *))find("__vdso_clock_gettime");
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
	int (*tod)(struct timeval *, void *) = (int (*)(struct timeval *, void *))find("__vdso_gettimeofday");
	long (*seconds)(long *) = (long (*)(long *))find("__vdso_time");
	int (*cpu)(unsigned *, unsigned *, void *) = (int (*)(unsigned *, unsigned *, void *))find("__vdso_getcpu");
	int (*res)(int, struct timespec *) = (int (*)(int, struct timespec *))find("__vdso_clock_getres");
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

int main(void)
{
	int bad = check_clocks() + check_rest();

	printf("time %d, getres %d, getrandom %d: %d wrong\n", !!find("__vdso_time"), !!find("__vdso_clock_getres"),
	       !!find("__vdso_getrandom"), bad);
	return bad != 0;
}
