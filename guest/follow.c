/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Calls of the page in a known order from everywhere that a program has: 1 and 2 in a child process, 3 to 5 in a
 * thread, 6 from a library (follow-lib.c; linked in when the program is static), 7 and 8 from main, 9 in a program
 * that replaced it.
 */
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "vsyscall.h"

long library_time(void);

static void *in_thread(void *p)
{
	struct timeval tv;

	for (int i = 0; i < 3; i++)
		vsys_call(VSYS_GETTIMEOFDAY, &tv, 0, 0);
	return p;
}

int main(int argc, char **argv)
{
	pthread_t t;
	pid_t child;

	if (argc > 1)
		return vsys_call(VSYS_TIME, 0, 0, 0) < 0;
	child = fork();
	if (!child) {
		vsys_call(VSYS_TIME, 0, 0, 0);
		vsys_call(VSYS_TIME, 0, 0, 0);
		_exit(0);
	}
	waitpid(child, 0, 0);
	if (pthread_create(&t, 0, in_thread, 0) || pthread_join(t, 0))
		return 1;
	library_time();
	vsys_call(VSYS_TIME, 0, 0, 0);
	vsys_call(VSYS_TIME, 0, 0, 0);
	execl(argv[0], argv[0], "again", (char *)0);
	return 1;
}
