/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Work of one kind, for comparing the emulator's speed with the processor's and with qemu-x86_64's:
 * speed KIND [ROUNDS [COMMAND...]].  Prints a checksum that must be the same everywhere.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

static char **command; /* what spawn starts */

static unsigned long integer(unsigned n)
{
	unsigned long a = 1, b = 7;

	for (unsigned long i = 0; i < n * 2000000ul; i++) {
		a = a * 6364136223846793005ul + b;
		b ^= a >> 13;
		b += i;
	}
	return a ^ b;
}

static unsigned long memory(unsigned n)
{
	enum { WORDS = 1 << 19 };
	unsigned long *p = malloc(WORDS * sizeof(*p)), sum = 0;

	for (unsigned r = 0; r < n * 4; r++) {
		for (unsigned i = 0; i < WORDS; i++)
			p[i] = i * 3 + r;
		for (unsigned i = 0; i < WORDS; i++)
			sum += p[(i * 7919) & (WORDS - 1)];
	}
	free(p);
	return sum;
}

static unsigned long __attribute__((noinline)) fib(unsigned n)
{
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static unsigned long calls(unsigned n)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += fib(27);
	return sum;
}

static unsigned long sse(unsigned n)
{
	static double a[1024], b[1024];
	double s = 0;

	for (unsigned i = 0; i < 1024; i++) {
		a[i] = i * .5;
		b[i] = 1.0 / (i + 1);
	}
	for (unsigned r = 0; r < n * 1000; r++)
		for (unsigned i = 0; i < 1024; i++) {
			a[i] = a[i] * .999 + b[i];
			s += a[i] * b[i];
		}
	return (unsigned long)s;
}

static unsigned long lists(unsigned n)
{
	struct node { struct node *next; unsigned long v; } *head;
	unsigned long sum = 0;

	for (unsigned r = 0; r < n * 8; r++) {
		head = NULL;
		for (unsigned i = 0; i < 20000; i++) {
			struct node *x = malloc(sizeof(*x));

			x->next = head;
			x->v = i;
			head = x;
		}
		while (head) {
			struct node *x = head->next;

			sum += head->v;
			free(head);
			head = x;
		}
	}
	return sum;
}

static unsigned long strings(unsigned n)
{
	enum { BYTES = 1 << 16 };
	char *a = malloc(BYTES + 1), *b = malloc(BYTES + 1);
	unsigned long sum = 0;

	memset(a, 'x', BYTES);
	a[BYTES] = 0;
	for (unsigned r = 0; r < n * 200; r++) {
		memcpy(b, a, BYTES + 1);
		sum += strlen(b);
		sum += (unsigned long)(strchr(b, 0) - b);
		sum += (unsigned long)!memcmp(a, b, BYTES);
	}
	return sum;
}

/* The string instructions themselves. */
static unsigned long repeats(unsigned n)
{
	enum { BYTES = 1 << 16 };
	static char from[BYTES], to[BYTES];
	unsigned long sum = 0;

	for (unsigned long r = 0; r < n * 100; r++) {
		void *d = from;
		const void *s = from;
		unsigned long c = BYTES / 8;

		__asm__ volatile("rep stosq" : "+D"(d), "+c"(c) : "a"(r * 0x0101010101010101ul) : "memory");
		d = to;
		c = BYTES;
		__asm__ volatile("rep movsb" : "+D"(d), "+S"(s), "+c"(c) : : "memory");
		sum += (unsigned char)to[r % BYTES];
	}
	return sum;
}

static unsigned long syscalls(unsigned n)
{
	unsigned long sum = 0;

	for (unsigned i = 0; i < n * 40000; i++)
		sum += syscall(SYS_getuid) >= 0;
	return sum;
}

/* Single bytes through a pipe, there and back. */
static unsigned long pipes(unsigned n)
{
	unsigned long sum = 0;
	int p[2];
	char c = 1;

	if (pipe(p))
		return 0;
	for (unsigned i = 0; i < n * 20000; i++)
		if (write(p[1], &c, 1) == 1 && read(p[0], &c, 1) == 1)
			sum += (unsigned long)c;
	close(p[0]);
	close(p[1]);
	return sum;
}

/* Many small mappings, no two neighbours alike, each touched, changed and taken away. */
static unsigned long mappings(unsigned n)
{
	enum { PAGE = 4096 };
	char **at = malloc(n * sizeof(*at));
	unsigned long sum = 0;

	for (unsigned i = 0; i < n; i++) {
		at[i] = mmap(NULL, PAGE * (1 + i % 3), PROT_READ | PROT_WRITE | (i & 1 ? PROT_EXEC : 0),
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		*at[i] = (char)i;
	}
	for (unsigned i = 0; i < n; i += 2)
		mprotect(at[i], PAGE, PROT_READ);
	for (unsigned i = 0; i < n; i++) {
		sum += (unsigned char)*at[i];
		munmap(at[i], PAGE * (1 + i % 3));
	}
	free(at);
	return sum;
}

/* fork and execve of COMMAND, waited for. */
static unsigned long spawn(unsigned n)
{
	unsigned long ended = 0;

	for (unsigned i = 0; i < n; i++) {
		int status = 1;
		pid_t pid = fork();

		if (!pid) {
			if (!freopen("/dev/null", "w", stdout))
				_exit(126);
			execv(command[0], command);
			_exit(127);
		}
		waitpid(pid, &status, 0);
		ended += !status;
	}
	return ended;
}

/* The page's time(): xonly on this kernel. */
static unsigned long vsyscalls(unsigned n)
{
	long (*when)(long *) = (long (*)(long *))0xffffffffff600400;
	unsigned long sum = 0;

	for (unsigned i = 0; i < n * 40000; i++)
		sum += when(NULL) > 0;
	return sum;
}

static unsigned long start(unsigned n)
{
	return n;
}

static const struct {
	const char *name;
	unsigned long (*run)(unsigned);
} kinds[] = { { "integer", integer }, { "memory", memory },	  { "calls", calls },	  { "sse", sse },
	      { "malloc", lists },    { "strings", strings }, { "syscalls", syscalls }, { "vsyscalls", vsyscalls },
	      { "repeats", repeats }, { "pipes", pipes },     { "mappings", mappings }, { "spawn", spawn },	{ "start", start } };

int main(int argc, char **argv)
{
	unsigned rounds = argc > 2 ? (unsigned)atoi(argv[2]) : 10;

	command = argv + 3;
	if (argc > 1 && !strcmp(argv[1], "spawn") && argc < 4)
		argc = 0;
	for (unsigned i = 0; argc > 1 && i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (!strcmp(argv[1], kinds[i].name)) {
			printf("%s %lu\n", argv[1], kinds[i].run(rounds));
			return 0;
		}
	fprintf(stderr, "usage: speed KIND [ROUNDS [COMMAND...]]\n");
	return 2;
}
