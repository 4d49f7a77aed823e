/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * fs_mark as its published run had it, with smaller counts: fs_mark-run static|dynamic [FILES].  Empty files in
 * eight directories at once on a tmpfs, under the clock of who runs this; prints user, system and
 * elapsed time of FILES_PUBLISHED files.  What does not grow with the files (start, forks) falls out: two runs of
 * different length, their difference.  Status 77: fs_mark is not built (make fsmark).
 */
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { DIRS = 8, SHORT = 250, NOT_BUILT = 77 };
#define FILES_PUBLISHED (63 * 8 * 100000.0)

struct spent {
	double user, system, elapsed;
};

static int remove_one(const char *path, const struct stat *s, int type, struct FTW *f)
{
	(void)s;
	(void)type;
	(void)f;
	return remove(path);
}

static double seconds(struct timeval t)
{
	return (double)t.tv_sec + (double)t.tv_usec / 1e6;
}

static double now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

static void child(const char *program, const char *dir, unsigned files)
{
	static char name[DIRS][160], count[16];
	char *words[12 + 2 * DIRS] = { "fs_mark", "-D", "100", "-S0", "-s", "0", "-L", "1", "-n", count };
	int n = 10, null = open("/dev/null", O_WRONLY);

	snprintf(count, sizeof(count), "%u", files);
	for (int i = 0; i < DIRS; i++) {
		snprintf(name[i], sizeof(name[i]), "%s/%d", dir, i);
		mkdir(name[i], 0700);
		words[n++] = "-d";
		words[n++] = name[i];
	}
	dup2(null, 1);
	if (!chdir(dir)) /* for fs_log.txt */
		execv(program, words);
	_exit(126);
}

/* One run of @files a directory; false: it failed. */
static int run(const char *program, const char *tmp, unsigned files, struct spent *s)
{
	char dir[128];
	struct rusage u;
	double start;
	int status;
	pid_t pid;

	snprintf(dir, sizeof(dir), "%s/fs_mark.XXXXXX", tmp);
	if (!mkdtemp(dir))
		return 0;
	start = now();
	pid = fork();
	if (pid == 0)
		child(program, dir, files);
	if (pid < 0 || wait4(pid, &status, 0, &u) != pid)
		status = -1;
	s->elapsed = now() - start;
	s->user = seconds(u.ru_utime);
	s->system = seconds(u.ru_stime);
	nftw(dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
	return status == 0;
}

int main(int argc, char **argv)
{
	unsigned files = argc > 2 ? (unsigned)atoi(argv[2]) : 500;
	const char *tmp = access("/dev/shm", W_OK) ? "/tmp" : "/dev/shm";
	struct spent small, large;
	char program[4096], *slash;
	double scale = FILES_PUBLISHED / DIRS / files;
	ssize_t n = readlink("/proc/self/exe", program, sizeof(program) - 32);

	if (argc < 2 || n <= 0 || !files)
		return fprintf(stderr, "usage: fs_mark-run static|dynamic [FILES]\n"), 2;
	program[n] = 0;
	slash = strrchr(program, '/');
	strcpy(slash + 1, strcmp(argv[1], "dynamic") ? "fs_mark" : "fs_mark-dynamic");
	if (access(program, X_OK))
		return printf("fs_mark is not built\n"), NOT_BUILT;
	if (!run(program, tmp, SHORT, &small) || !run(program, tmp, SHORT + files, &large))
		return fprintf(stderr, "fs_mark-run: %s failed\n", program), 1;
	printf("%u files in each of %d directories, as %.0f files: elapsed = %.2f s, system = %.2f s, user = %.2f s\n",
	       files, DIRS, FILES_PUBLISHED, (large.elapsed - small.elapsed) * scale,
	       (large.system - small.system) * scale, (large.user - small.user) * scale);
	return 0;
}
