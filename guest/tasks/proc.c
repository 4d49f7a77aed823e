/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves what /proc says of threads: the list below task, their stat, status and names, from within and from a
 * child; what is refused.  With an argument: the children of each thread, which not every kernel tells.
 */
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "task.h"

#define THREADS 3

static pid_t main_id, id[THREADS];
static pthread_barrier_t ready, end;

/* Who @tid is: 0 the first thread. */
static int who(long tid)
{
	for (int i = 0; i < THREADS; i++)
		if (tid == id[i])
			return i + 1;
	return tid == main_id ? 0 : -1;
}

static void *thread(void *p)
{
	int i = (int)(intptr_t)p;
	char name[16];

	id[i] = gettid();
	snprintf(name, sizeof(name), "thread %d", i);
	prctl(PR_SET_NAME, name);
	pthread_barrier_wait(&ready);
	pthread_barrier_wait(&end);
	return NULL;
}

static char *slurp(const char *path)
{
	static char text[8192];
	int fd = open(path, O_RDONLY);
	ssize_t n;

	if (fd < 0) {
		snprintf(text, sizeof(text), "%s\n", strerrorname_np(errno));
		return text;
	}
	n = read(fd, text, sizeof(text) - 1);
	text[n < 0 ? 0 : n] = 0;
	close(fd);
	return text;
}

/* One line of status, its ids by their number here. */
static void status_line(const char *status, const char *name)
{
	const char *p = strstr(status, name), *end = p ? strchr(p, '\n') : NULL;
	long v;
	char c;

	if (!end)
		printf("  no %s\n", name);
	else if (sscanf(p + strlen(name), "%ld%c", &v, &c) == 2 && c == '\n' && who(v) >= 0)
		printf("  %s thread %d\n", name, who(v));
	else
		printf("  %.*s\n", (int)(end - p), p);
}

static void show(const char *base, long tid, bool own)
{
	char path[96], state;
	long v[20];
	const char *text, *after;

	snprintf(path, sizeof(path), "%s/%ld/comm", base, tid);
	printf(" comm %s", slurp(path));
	snprintf(path, sizeof(path), "%s/%ld/stat", base, tid);
	text = slurp(path);
	after = strrchr(text, ')');
	if (after && sscanf(after + 1, " %c %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld %ld", &state, &v[0],
			    &v[1], &v[2], &v[3], &v[4], &v[5], &v[6], &v[7], &v[8], &v[9], &v[10], &v[11], &v[12],
			    &v[13], &v[14], &v[15], &v[16]) == 18)
		printf(" stat %d %.*s %c, parent %d, priority %ld, %ld threads\n", who(atol(text)), (int)(after + 1 - strchr(text, '(')),
		       strchr(text, '('), own ? state : 'S', v[0] == getppid() || v[0] != main_id, v[14], v[16]);
	snprintf(path, sizeof(path), "%s/%ld/status", base, tid);
	text = slurp(path);
	status_line(text, "Name:");
	if (own)
		status_line(text, "State:");
	status_line(text, "Tgid:");
	status_line(text, "Pid:");
	status_line(text, "Threads:");
}

static void list(const char *base, bool own)
{
	DIR *d = opendir(base);
	const struct dirent *e;
	int n = 0;

	if (!d) {
		printf("%s\n", strerrorname_np(errno));
		return;
	}
	while ((e = readdir(d)))
		if (e->d_name[0] == '.') {
			printf("%s\n", e->d_name);
		} else {
			struct stat st;

			printf("thread %d, type %d, below it %d\n", who(atol(e->d_name)), e->d_type,
			       fstatat(dirfd(d), e->d_name, &st, 0) ? -1 : S_ISDIR(st.st_mode));
			show(base, atol(e->d_name), own);
		}
	rewinddir(d);
	while ((e = readdir(d)))
		n += e->d_name[0] != '.';
	printf("once more: %d\n", n);
	n = openat(dirfd(d), "1/comm", O_RDONLY);
	say("of a stranger", n);
	closedir(d);
	fflush(stdout);
}

static void names(void)
{
	char path[64], name[64] = "";
	int fd;

	pthread_t self = pthread_self();

	say("short", pthread_setname_np(self, "short"));
	say("too long", pthread_setname_np(self, "sixteen letters!"));
	snprintf(path, sizeof(path), "/proc/self/task/%d/comm", id[1]);
	fd = open(path, O_RDWR);
	say("write another's", write(fd, "a long name of another", 22));
	say("read it", pread(fd, name, sizeof(name) - 1, 0));
	printf("%s", name);
	say("with a line end", write(fd, "x\ny\\", 4));
	snprintf(path, sizeof(path), "/proc/self/task/%d/status", id[1]);
	status_line(slurp(path), "Name:");
	say("nothing", write(fd, "", 0));
	say("read it", pread(fd, memset(name, 0, sizeof(name)), sizeof(name) - 1, 0));
	close(fd);
	fd = open("/proc/thread-self/comm", O_RDONLY);
	say("read only", write(fd, "x", 1));
	close(fd);
	say("make one", open("/proc/self/task/x", O_CREAT | O_RDWR, 0600));
	say("write the list", open("/proc/self/task", O_RDWR));
	say("nobody's", open("/proc/self/task/99999999/stat", O_RDONLY));
	say("not a number", open("/proc/self/task/1x/stat", O_RDONLY));
	snprintf(path, sizeof(path), "/proc/%d/comm", id[2]);
	printf("a thread among processes: %s", slurp(path));
	fflush(stdout);
}

static pid_t child[3];

static void *forks(void *p)
{
	pid_t *to = p;

	*to = fork();
	if (!*to) {
		pause();
		_exit(0);
	}
	return NULL;
}

static void show_children(pid_t tid)
{
	char path[64], *end;
	const char *p;
	long v;

	snprintf(path, sizeof(path), "/proc/self/task/%d/children", tid);
	printf("children:");
	for (p = slurp(path); (v = strtol(p, &end, 10)) && end != p; p = end)
		for (int i = 0; i < 3; i++)
			if (v == child[i])
				printf(" %d", i);
	printf("%s|\n", p);
	fflush(stdout);
}

static void *forks_and_waits(void *p)
{
	forks(p);
	show_children(gettid());
	show_children(main_id);
	return NULL;
}

/* Two children of the first thread, one of another, which ends. */
static void children(void)
{
	pthread_t t;

	forks(&child[0]);
	forks(&child[1]);
	pthread_create(&t, NULL, forks_and_waits, &child[2]);
	pthread_join(t, NULL);
	show_children(main_id);
	for (int i = 0; i < 3; i++)
		kill(child[i], SIGTERM);
	while (wait(NULL) > 0)
		;
	show_children(main_id);
}

int main(int argc, char **argv)
{
	pthread_t t[THREADS];
	char base[64];

	(void)argv;
	main_id = getpid();
	if (argc > 1) {
		children();
		return 0;
	}
	pthread_barrier_init(&ready, NULL, THREADS + 1);
	pthread_barrier_init(&end, NULL, THREADS + 1);
	for (int i = 0; i < THREADS; i++)
		pthread_create(&t[i], NULL, thread, (void *)(intptr_t)i);
	pthread_barrier_wait(&ready);
	nap(20 * MS);
	list("/proc/self/task", true);
	names();
	snprintf(base, sizeof(base), "/proc/%d/task", main_id);
	printf("from a child\n");
	fflush(stdout);
	if (!fork()) {
		main_id = getppid();
		list(base, false);
		say("another process's name", write(open("/proc/self/../self/comm", O_WRONLY), "y", 1));
		snprintf(base, sizeof(base), "/proc/%d/comm", main_id);
		say("another process's name", write(open(base, O_WRONLY), "y", 1));
		main_id = getpid();
		list("/proc/self/task", true);
		_exit(0);
	}
	wait(NULL);
	pthread_barrier_wait(&end);
	for (int i = 0; i < THREADS; i++)
		pthread_join(t[i], NULL);
	list("/proc/self/task", true);
	return 0;
}
