/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ways in which C code forms an address of the vsyscall page, a function each; never run. */
#ifdef WITH_RESOLVER
#include <stddef.h>
#endif
typedef long time_fn(long *);
typedef int gtod_fn(void *, void *);
typedef int getcpu_fn(unsigned *, unsigned *, void *);
#define KEEP __attribute__((noinline, noclone))
KEEP long form_constant(long *t) { return ((time_fn *)0xffffffffff600400)(t); }
KEEP int form_gettimeofday(void *tv, void *tz) { return ((gtod_fn *)0xffffffffff600000)(tv, tz); }
KEEP int form_getcpu(unsigned *c) { return ((getcpu_fn *)0xffffffffff600800)(c, 0, 0); }
KEEP long form_macro(int nr, long *t)
{
	return ((time_fn *)(-10UL * (1UL << 20) + nr * 1024))(t);
}
static time_fn *const table[3] = { (time_fn *)0xffffffffff600000, (time_fn *)0xffffffffff600400, (time_fn *)0xffffffffff600800 };
KEEP long form_table(unsigned nr, long *t) { return table[nr](t); }
time_fn *fallback = (time_fn *)0xffffffffff600400;
KEEP long form_fallback(long *t) { return fallback(t); }
KEEP long form_chosen(time_fn *vdso, long *t)
{
	time_fn *f = vdso ? vdso : (time_fn *)0xffffffffff600400;
	return f(t);
}
static volatile unsigned long base = 0xffffffffff600000;
KEEP long form_volatile(long *t) { time_fn *f = (time_fn *)(base + 0x400); return f(t); }
KEEP int form_read(void) { return *(volatile unsigned char *)0xffffffffff600004; }
KEEP int form_compare(unsigned long a) { return a == 0xffffffffff600000 || a == 0xffffffffff600400; }
#ifdef WITH_RESOLVER
extern int form_choose(void) __attribute__((weak));
static void *form_resolver(void) { return form_choose ? NULL : (void *)0xffffffffff600000; }
int form_ifunc(void *, void *) __attribute__((ifunc("form_resolver")));
#endif
static __thread time_fn *per_thread = (time_fn *)0xffffffffff600400;
KEEP long form_tls(long *t) { return per_thread(t); }
KEEP int form_nothing(void) { return 0x600400; }
int main(int argc, char **argv)
{
	long t = 0; unsigned c = 0;
	if (argc > 100) {
		form_constant(&t); form_gettimeofday(&t, 0); form_getcpu(&c); form_macro(argc, &t);
		form_table(argc % 3, &t); form_fallback(&t); form_chosen((time_fn *)argv, &t); form_volatile(&t); form_tls(&t);
	}
	return form_nothing() + form_read() + form_compare((unsigned long)argv);
}
