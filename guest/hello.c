/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: a C library starts and ends under every way of linking: constructors, arguments,
 * environment, thread-local and zeroed memory, heap, output buffers flushed by exit(), status.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int zero[50000];
static __thread int local = 41;
static int constructed;

__attribute__((constructor)) static void construct(void)
{
	constructed = 1;
}

static void at_exit(void)
{
	printf("bye\n");
}

int main(int argc, char **argv)
{
	const char *env = getenv("HELLO");
	char *p = malloc(300000);
	long sum = 0;

	for (size_t i = 0; i < sizeof(zero) / sizeof(zero[0]); i++)
		sum += zero[i];
	atexit(at_exit);
	if (!p)
		return 1;
	memset(p, 'x', 300000);
	local++;
	printf("%d arguments, constructed %d, local %d, zero %ld, heap %c, env %s\n", argc, constructed,
	       local, sum, p[299999], env ? env : "none");
	for (int i = 1; i < argc; i++)
		printf("'%s'\n", argv[i]);
	free(p);
	return argc;
}
