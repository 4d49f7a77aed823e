/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Arrives COUNT times at OFFSET of the vsyscall page in one way, and survives the signals: it proves that a
 * run charges for each arrival what `explain` says.  arrivals COUNT OFFSET call|stack|load|store.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static sigjmp_buf again;

static void caught(int signo)
{
	siglongjmp(again, signo);
}

static void with_bad_stack(uint64_t entry)
{
	/* The handler runs on a stack of its own. */
	__asm__ volatile("mov %0, %%rax; mov $0x10000, %%esp; jmp *%%rax" : : "r"(entry) : "rax", "memory");
}

static void arrive(uint64_t at, const char *how)
{
	struct timeval tv;

	if (!strcmp(how, "stack"))
		with_bad_stack(at);
	else if (!strcmp(how, "load"))
		(void)*(volatile char *)at;
	else if (!strcmp(how, "store"))
		*(volatile char *)at = 1;
	else
		((long (*)(void *, void *))at)((at & 0xc00) == 0x400 ? NULL : &tv, NULL);
}

int main(int argc, char **argv)
{
	static char room[16384];
	stack_t stack = { .ss_sp = room, .ss_size = sizeof(room) };
	struct sigaction sa = { .sa_handler = caught, .sa_flags = SA_ONSTACK };
	static const int signals[] = { SIGSEGV, SIGSYS, SIGTRAP, SIGBUS };

	if (argc != 4)
		return 2;
	sigaltstack(&stack, NULL);
	for (unsigned i = 0; i < sizeof(signals) / sizeof(signals[0]); i++)
		sigaction(signals[i], &sa, NULL);
	for (volatile int i = 0; i < atoi(argv[1]); i++)
		if (!sigsetjmp(again, 1))
			arrive(0xffffffffff600000 + strtoul(argv[2], NULL, 0), argv[3]);
	return 0;
}
