/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One call site, reached in many ways: through frames with and without a frame pointer, from a signal
 * handler, a call-back of the C library, a child and a library that is closed again.  It proves that the
 * report tells them apart by their callers, by how often, and by file and line.
 */
#include <dlfcn.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define FRAME __attribute__((noipa)) /* a function of its own */

#ifdef LIBRARY
#define ENTRY library_calls
#else
#define ENTRY site
#endif

FRAME long ENTRY(int n)
{
	long (*call)(long *) = (long (*)(long *))0xffffffffff600400;
	long last = 0;

	while (n--)
		last += call(NULL);
	return last;
}

#ifndef LIBRARY
FRAME long plain(int n)
{
	return site(n) + 1;
}

/* The frame pointer is needed: the frame's size is not known to the compiler. */
FRAME long framed(int n)
{
	volatile char room[n + 8];

	room[n] = 1;
	return site(n) + room[n];
}

static volatile long sink;

FRAME static void handler(int signo)
{
	sink = site(1) + signo;
}

FRAME static int compare(const void *a, const void *b)
{
	sink = site(1);
	return *(const int *)a - *(const int *)b + (sink == 0);
}

FRAME static void child(void)
{
	if (!fork()) {
		sink = site(5) + 1;
		_exit(sink == 0);
	}
	wait(NULL);
}

FRAME static void library(const char *path)
{
	void *l = dlopen(path, RTLD_NOW);
	long (*f)(int) = l ? (long (*)(int))dlsym(l, "library_calls") : NULL;

	if (!f) {
		fprintf(stderr, "%s: %s\n", path, dlerror());
		exit(1);
	}
	sink = f(3) + 1;
	dlclose(l);
}

int main(int argc, char **argv)
{
	int two[2] = { 2, 1 };

	sink = plain(40) + 1;
	sink = framed(20) + 1;
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	qsort(two, 2, sizeof(two[0]), compare);
	child();
	if (argc > 1)
		library(argv[1]);
	return 0;
}
#endif
