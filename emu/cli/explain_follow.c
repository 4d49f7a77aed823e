/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `explain --follow`: the N-th vsyscall of a real run.  A child runs the program under the same model with
 * a trace; the line of the call says what came in and what came of it.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/explain.h"

enum { FILE_BYTES_MAX = 256 << 20 };

typedef VEC(char *) words;

static void add(words *w, const char *option, const char *value)
{
	struct buf b = { 0 };

	if (!value)
		return;
	buf_printf(&b, "%s%s", option, value);
	VEC_PUSH(w, b.data);
}

static void command_line(words *w, const struct options *o)
{
	add(w, "", "vsysemu");
	add(w, "", "run");
	add(w, "", "-q");
	add(w, "", "--trace=vsyscall");
	add(w, "--kernel=", o->kernel);
	add(w, "--mode=", o->mode);
	add(w, "--trap=", o->trap);
	add(w, "--cpu=", o->cpu);
	add(w, "--clocksource=", o->clocksource);
	add(w, "--mitigations=", o->mitigations);
	add(w, "--accounting=", o->accounting);
	add(w, "--seccomp=", o->seccomp);
	add(w, "--vdso=", o->vdso);
	add(w, "--cwd=", o->cwd);
	add(w, "-L", o->sysroot);
	add(w, "--epoch=", o->epoch);
	add(w, "--seed=", o->seed);
	add(w, "--timeout=", o->timeout ? o->timeout : "60");
	for (size_t i = 0; i < o->set.n; i++)
		add(w, "--set=", o->set.at[i]);
	for (size_t i = 0; i < o->env_edits.n; i++)
		add(w, o->env_edits.at[i].unset ? "-U" : "-E", o->env_edits.at[i].text);
	add(w, "", "--");
	add(w, "", o->follow);
	for (int i = 0; i < o->argc; i++)
		add(w, "", o->argv[i]);
	VEC_PUSH(w, NULL);
}

/* Starts the run; what it says on stderr is read from *@in. */
static bool start(const struct options *o, FILE **in, pid_t *pid, struct err *e)
{
	posix_spawn_file_actions_t fa;
	words argv = { 0 };
	int fd[2], r;

	if (pipe2(fd, O_CLOEXEC))
		return err_set(e, "pipe: %s", strerror(errno));
	command_line(&argv, o);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_addopen(&fa, 1, "/dev/null", O_WRONLY, 0);
	posix_spawn_file_actions_adddup2(&fa, fd[1], 2);
	r = posix_spawn(pid, "/proc/self/exe", &fa, NULL, argv.at, environ);
	posix_spawn_file_actions_destroy(&fa);
	for (size_t i = 0; i < argv.n; i++)
		free(argv.at[i]);
	VEC_FREE(&argv);
	close(fd[1]);
	*in = r ? NULL : fdopen(fd[0], "r");
	if (*in)
		return true;
	close(fd[0]);
	return err_set(e, "--follow: cannot start the run: %s", strerror(r ? r : errno));
}

/* "NAME(A, B...) = R @CALLER <N cycles>", or "ADDRESS() = ? @CALLER". */
static bool read_line(const char *line, struct explain_ask *a, struct explain_seen *seen)
{
	const char *open = strchr(line, '('), *at = strrchr(line, '@'), *eq;
	char *end;

	if (!open || !at)
		return false;
	for (eq = at; eq > open && *eq != '='; eq--)
		;
	seen->caller = strtoull(at + 1, NULL, 16);
	if (line[0] == '0') {
		a->rip = strtoull(line, NULL, 16);
		a->rip_set = true;
	} else {
		for (a->nr = 0; a->nr < 3; a->nr++)
			if (strlen(explain_call_name(a->nr)) == (size_t)(open - line) &&
			    !memcmp(explain_call_name(a->nr), line, (size_t)(open - line)))
				break;
		if (a->nr == 3)
			return false;
	}
	seen->refused = !strncmp(eq, "= ?", 3);
	seen->result = strtoll(eq + 1, &end, 0);
	/* What was stored is shown in place of the pointer: then some pointer will do. */
	seen->args[0] = open[1] == '{' || open[1] == '[' ? EXPLAIN_BUFFER : strtoull(open + 1, &end, 0);
	if (open[1] != '{' && open[1] != '[') {
		end += strspn(end, "NUL, ");
		seen->args[1] = strtoull(end, NULL, 0);
	}
	return true;
}

static char *code_of(const char *path, uint64_t caller)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct buf b = { 0 };
	char chunk[65536], *code;
	ssize_t n;

	while (fd >= 0 && b.len < FILE_BYTES_MAX && (n = read(fd, chunk, sizeof(chunk))) > 0)
		buf_add(&b, chunk, (size_t)n);
	if (fd >= 0)
		close(fd);
	code = b.len && caller ? explain_code_before((const uint8_t *)b.data, b.len, caller) : xstrdup("");
	buf_free(&b);
	return code;
}

/* The text of call @nth, or NULL; *@last: the last thing the run said for itself. */
static char *find_line(FILE *in, unsigned nth, unsigned *calls, struct buf *last)
{
	char *line = NULL, *found = NULL;
	size_t size = 0;

	while (!found && getline(&line, &size, in) > 0) {
		char *mark = strstr(line, "[vsys] ");

		line[strcspn(line, "\n")] = 0;
		if (mark && ++*calls == nth) {
			found = xstrdup(mark + strlen("[vsys] "));
		} else if (!strncmp(line, "vsysemu: ", 9)) {
			last->len = 0;
			buf_printf(last, "%s", line + 9);
		}
	}
	free(line);
	return found;
}

bool explain_follow(const struct options *o, unsigned nth, struct explain_ask *a,
		    struct explain_seen *seen, struct err *e)
{
	struct buf last = { 0 };
	unsigned calls = 0;
	char *line;
	bool good;
	FILE *in;
	pid_t pid;

	if (!start(o, &in, &pid, e))
		return false;
	line = find_line(in, nth, &calls, &last);
	if (line)
		kill(pid, SIGKILL);
	fclose(in);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
		;
	*seen = (struct explain_seen){ .nth = nth, .line = line };
	good = line && read_line(line, a, seen);
	if (line && !good)
		err_set(e, "--follow: the run's line is not understood: %s", line);
	else if (!line)
		err_set(e, "--follow: %s made %u vsyscalls%s%s", o->follow, calls, last.len ? "; it said: " : "",
			last.len ? last.data : "");
	if (good)
		seen->code = code_of(o->follow, seen->caller);
	a->seen = good ? seen : NULL;
	buf_free(&last);
	return good;
}

void explain_follow_free(struct explain_seen *seen)
{
	free((char *)(uintptr_t)seen->line);
	free((char *)(uintptr_t)seen->code);
}
