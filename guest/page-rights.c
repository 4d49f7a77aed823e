/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves that the page's rights hold whatever was done to it before: loads, stores and calls of it and of the
 * addresses around it, each after each other, without a fault in between where the mode has none.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <sys/time.h>

#define PAGE 0xffffffffff600000ul

static sigjmp_buf back;

static void caught(int signo)
{
	siglongjmp(back, signo);
}

static void load(unsigned long a)
{
	if (sigsetjmp(back, 1)) {
		printf("load %lx: fault\n", a);
		return;
	}
	(void)*(volatile long *)a;
	printf("load %lx: done\n", a);
}

static void store(unsigned long a)
{
	if (sigsetjmp(back, 1)) {
		printf("store %lx: fault\n", a);
		return;
	}
	*(volatile long *)a = 0x1122;
	printf("store %lx: done\n", a);
}

static void call(unsigned long a)
{
	struct timeval tv;

	if (sigsetjmp(back, 1)) {
		printf("call %lx: fault\n", a);
		return;
	}
	((int (*)(void *, void *))a)(&tv, NULL);
	printf("call %lx: done\n", a);
}

int main(void)
{
	signal(SIGSEGV, caught);
	signal(SIGTRAP, caught);
	for (int i = 0; i < 2; i++) {
		load(PAGE);
		store(PAGE);
		call(PAGE);
		load(PAGE);
		store(PAGE);
		call(PAGE + 0xfff);
		load(PAGE + 0x1000);
		store(PAGE + 0x1000);
		call(PAGE + 0x1000);
		load(PAGE + 0x1000);
	}
	return 0;
}
