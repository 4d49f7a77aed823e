/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Runs the program on inputs made wrong by chance and looks at how it ends.  It must exit: a signal,
 * a hang, a sanitizer's message or its own "internal error" is a failure, and the input is kept.
 *
 *	fuzz elf PROGRAM SCRATCH FIRST COUNT FILE...	files with mutated headers
 *	fuzz args PROGRAM SCRATCH FIRST COUNT GUEST	random argument lists
 *
 * Case number N is the same in every run.  Prints failures, then "N cases, M failed".
 */
#define _GNU_SOURCE
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define LIMIT_S 20
#define ARGS_MAX 24

static uint64_t state;

static uint64_t rnd(void)
{
	/* xorshift64*, Vigna 2014. */
	state ^= state >> 12;
	state ^= state << 25;
	state ^= state >> 27;
	return state * 2685821657736338717ull;
}

static uint64_t below(uint64_t n)
{
	return rnd() % n;
}

static void die(const char *what)
{
	perror(what);
	exit(2);
}

struct bytes {
	uint8_t *at;
	size_t n;
};

static struct bytes read_file(const char *name)
{
	struct bytes b = { NULL, 0 };
	FILE *f = fopen(name, "r");
	struct stat st;

	if (!f || fstat(fileno(f), &st))
		die(name);
	b.n = (size_t)st.st_size;
	b.at = malloc(b.n + 1);
	if (!b.at || fread(b.at, 1, b.n, f) != b.n)
		die(name);
	fclose(f);
	return b;
}

static void write_file(const char *name, const uint8_t *at, size_t n)
{
	FILE *f = fopen(name, "w");

	if (!f || fwrite(at, 1, n, f) != n || fclose(f))
		die(name);
	chmod(name, 0755);
}

/* Numbers at which rules change. */
static uint64_t interesting(const struct bytes *b)
{
	static const uint64_t v[] = {
		0, 1, 2, 3, 55, 56, 57, 63, 64, 73, 74, 4095, 4096, 4097, 0x10000, 0xffff, 0x7fffffff,
		0x80000000, 0xffffffff, 0x100000000, 0x3fffffffffff, 0x400000000000, 0x7fffffffefff,
		0x7ffffffff000, 0x800000000000, 0xffffffffff600000, 0xfffffffffffff000,
		0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff
	};

	switch (below(4)) {
	case 0:
		return b->n + below(17) - 8;
	case 1:
		return rnd() >> below(64);
	default:
		return v[below(sizeof(v) / sizeof(v[0]))];
	}
}

static void set(struct bytes *b, size_t off, size_t size, uint64_t v)
{
	if (off + size <= b->n)
		memcpy(b->at + off, &v, size);
}

/* One change somewhere in the ELF header, a program header, a section header, or PT_INTERP. */
static void mutate(struct bytes *b)
{
	Elf64_Ehdr eh;
	size_t ph, sh;

	if (b->n < sizeof(eh))
		return;
	memcpy(&eh, b->at, sizeof(eh));
	ph = eh.e_phoff + 56 * below((uint64_t)eh.e_phnum + 1);
	sh = eh.e_shoff + 64 * below((uint64_t)eh.e_shnum + 1);
	switch (below(10)) {
	case 0:
		set(b, below(64), 1, rnd());
		break;
	case 1:
		set(b, 16 + 2 * below(24), 2, interesting(b));
		break;
	case 2:
		set(b, 24 + 8 * below(3), 8, interesting(b));
		break;
	case 3:
		set(b, ph, 4, below(9));
		break;
	case 4:
		set(b, ph + 4, 4, rnd());
		break;
	case 5:
	case 6:
	case 7:
		set(b, ph + 8 * (1 + below(6)), 8, interesting(b));
		break;
	case 8:
		set(b, sh + 8 * below(8), 8, interesting(b));
		break;
	default:
		set(b, below(b->n < 1024 ? b->n : 1024), 1, rnd());
	}
}

static size_t make_elf(const struct bytes *seed, unsigned seeds, const char *name)
{
	const struct bytes *from = &seed[below(seeds)];
	struct bytes b = { malloc(from->n + 1), from->n };

	if (!b.at)
		die("malloc");
	memcpy(b.at, from->at, b.n);
	for (uint64_t n = 1 + below(4); n; n--)
		mutate(&b);
	if (!below(8))
		b.n = below(2) ? below(b.n) : below(b.n < 1200 ? b.n : 1200);
	write_file(name, b.at, b.n);
	free(b.at);
	return b.n;
}

/* The child's end: -1 time limit, else a wait status. */
static int run(const char *const argv[], const char *log)
{
	struct timespec nap = { 0, 2000000 };
	time_t end = time(NULL) + LIMIT_S;
	int status, fd;
	pid_t pid = fork();

	if (pid < 0)
		die("fork");
	if (!pid) {
		fd = open("/dev/null", O_RDWR);
		dup2(fd, 0);
		dup2(fd, 1);
		fd = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0644);
		dup2(fd, 2);
		setpgid(0, 0);
		execv(argv[0], (char *const *)(uintptr_t)argv);
		_exit(126);
	}
	while (!waitpid(pid, &status, WNOHANG)) {
		if (time(NULL) > end) {
			kill(-pid, SIGKILL);
			kill(pid, SIGKILL);
			waitpid(pid, &status, 0);
			return -1;
		}
		nanosleep(&nap, NULL);
	}
	return status;
}

static const char *wrong(int status, const char *log)
{
	static const char *const words[] = { "AddressSanitizer", "runtime error:", "internal error", NULL };
	static char text[64];
	struct bytes b = read_file(log);
	const char *why = NULL;

	b.at[b.n] = 0;
	for (int i = 0; words[i]; i++)
		if (memmem(b.at, b.n, words[i], strlen(words[i])))
			why = words[i];
	free(b.at);
	if (status == -1)
		return "does not end";
	if (WIFSIGNALED(status)) {
		snprintf(text, sizeof(text), "killed by signal %d", WTERMSIG(status));
		return text;
	}
	return why;
}

/* Words of the command line, good and bad ones. */
static const char *make_word(const char *guest, char *buf, size_t cap)
{
	static const char *const opts[] = {
		"--mode", "--kernel", "--trap", "--cpu", "--clocksource", "--baseline", "--set",
		"--mitigations", "--audit", "--seccomp", "--timens", "--accounting", "--vdso", "-E", "-U",
		"-0", "-L", "--cwd", "--auxv", "--trace", "--strace", "--report", "-o", "-q", "--epoch",
		"--seed", "--max-insns", "--timeout", "--color", "--progress", "--help", "--version",
		"--cpus", "--engine-level", "--", "-", "--no-such", "run", "compare", "scan", "check",
		"explain", "models", "reproduce"
	};
	static const char *const values[] = {
		"", "native", "emulate", "xonly", "none", "2.6.32", "3.1-rc1", "3.1", "3.16", "4.10",
		"6.1", "6.18", "7.1", "gp", "page-fault", "int0xcc", "tsc", "hpet", "text", "json", "csv",
		"html", "0", "1", "-1", "99999999999999999999", "0x10", "now", "auto", "off", "A=1", "A",
		"=", "/dev/null", "/dev", "/nonexistent", "strict", "time:errno=1", "*:allow", "native@3.0",
		"cpu.iret_cycles=1", "vsyscall,signal", "HWCAP=0", "%s%n", "\xff\xfe", "\n", "always"
	};
	const char *o = opts[below(sizeof(opts) / sizeof(opts[0]))];
	const char *v = values[below(sizeof(values) / sizeof(values[0]))];

	switch (below(6)) {
	case 0:
		return guest;
	case 1:
		return o;
	case 2:
	case 3:
		snprintf(buf, cap, "%s=%s", o, v);
		return buf;
	case 4:
		snprintf(buf, cap, "%s%s", o, v);
		return buf;
	default:
		return v;
	}
}

int main(int argc, char **argv)
{
	char file[4096], log[4096], words[ARGS_MAX][128];
	const char *av[ARGS_MAX + 8];
	struct bytes seed[8];
	unsigned seeds = 0, failed = 0;
	long first, count;
	int elf;

	if (argc < 7)
		return 2;
	elf = !strcmp(argv[1], "elf");
	first = atol(argv[4]);
	count = atol(argv[5]);
	snprintf(file, sizeof(file), "%s/input", argv[3]);
	snprintf(log, sizeof(log), "%s/log", argv[3]);
	for (int i = 6; i < argc && seeds < 8; i++)
		seed[seeds++] = read_file(argv[i]);
	for (long n = first; n < first + count; n++) {
		const char *why;
		int a = 0, status;

		state = (uint64_t)n * 0x9e3779b97f4a7c15ull + 1;
		av[a++] = argv[2];
		if (elf) {
			make_elf(seed, seeds, file);
			av[a++] = "--report=json";
			av[a++] = "-o/dev/null";
			av[a++] = "--max-insns=300000";
			av[a++] = "--timeout=10";
			av[a++] = file;
		} else {
			/* The case before may have named it behind -o. */
			write_file(argv[6], seed[0].at, seed[0].n);
			for (uint64_t w = below(ARGS_MAX); w; w--, a++)
				av[a] = make_word(argv[6], words[a], sizeof(words[0]));
			/* Half of them can run something. */
			if (below(2))
				av[a++] = argv[6];
		}
		av[a] = NULL;
		status = run(av, log);
		why = wrong(status, log);
		if (!why)
			continue;
		failed++;
		printf("case %ld: %s:", n, why);
		for (int i = 1; i < a; i++)
			printf(" '%s'", av[i]);
		puts("");
	}
	printf("%ld cases, %u failed\n", count, failed);
	return failed != 0;
}
