/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `check --truth`: reads the given answers, has the conformance guest perform the same probes in a
 * child vsysemu under the profile in question, and compares line by line.
 */
#include "cli/check_truth.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/truth_compare.h"
#include "facts/model.h"

struct row {
	char *id, *answer; /* owned */
};
typedef VEC(struct row) row_list;

static void rows_free(row_list *rows)
{
	size_t i;

	for (i = 0; i < rows->n; i++) {
		free(rows->at[i].id);
		free(rows->at[i].answer);
	}
	VEC_FREE(rows);
}

/* Cell number @n of a line of tabs; NULL: there is none. */
static char *cell(char *line, int n)
{
	char *end;

	while (n-- > 0) {
		line = strchr(line, '\t');
		if (!line)
			return NULL;
		line++;
	}
	end = line + strcspn(line, "\t\r\n");
	return xstrndup(line, (size_t)(end - line));
}

/* Which cell the header line names for @column (NULL: the only one). */
static int header_column(const char *file, char *line, const char *column, struct err *e)
{
	char *name;
	int n, found = -1;

	for (n = 1; (name = cell(line, n)) != NULL; n++) {
		if (column && !strcmp(name, column))
			found = n;
		free(name);
	}
	if (!column && n == 2)
		found = 1;
	if (found < 0 && column)
		err_set(e, "%s: no column '%s'", file, column);
	else if (found < 0)
		err_set(e, "%s: has %d columns: --column=NAME says which", file, n - 1);
	return found;
}

static bool row_add(row_list *rows, const char *file, unsigned number, char *line, int column,
		    struct err *e)
{
	struct row r;

	r.answer = cell(line, column);
	if (!r.answer)
		return err_set(e, "%s:%u: not a line of the form id<TAB>answer", file, number);
	r.id = cell(line, 0);
	VEC_PUSH(rows, r);
	return true;
}

static bool rows_read(row_list *rows, const char *file, const char *column, struct err *e)
{
	FILE *f = strcmp(file, "-") ? fopen(file, "r") : stdin;
	char *line = NULL;
	size_t size = 0;
	unsigned number = 0;
	int at = 1;
	bool ok = true, header = false;

	if (!f)
		return err_set(e, "%s: %s", file, strerror(errno));
	while (ok && getline(&line, &size, f) > 0) {
		number++;
		if (!line[strspn(line, " \t\r\n")] || line[0] == '#')
			continue;
		if (!header && !rows->n && !strncmp(line, "id\t", 3)) {
			header = true;
			at = header_column(file, line, column, e);
			ok = at > 0;
			continue;
		}
		ok = row_add(rows, file, number, line, at, e);
	}
	if (ok && ferror(f))
		ok = err_set(e, "%s: cannot be read", file);
	free(line);
	if (f != stdin)
		fclose(f);
	if (ok && column && !header)
		ok = err_set(e, "--column: %s has no header line", file);
	if (ok && !rows->n)
		ok = err_set(e, "%s: no line of the form id<TAB>answer", file);
	return ok;
}

/* The conformance guest: as given, else beside the program or where it is installed. */
static char *guest_find(const char *given, struct err *e)
{
	static const char *const places[] = { "guest/conformance", "build/guest/conformance",
					      "../share/vsysemu/guest/conformance" };
	char self[4096], *slash;
	struct buf b = { 0 };
	ssize_t n;
	size_t i;

	if (given) {
		if (access(given, X_OK))
			return err_set(e, "--guest: %s: %s", given, strerror(errno)), NULL;
		return xstrdup(given);
	}
	n = readlink("/proc/self/exe", self, sizeof(self) - 1);
	self[n > 0 ? n : 0] = 0;
	slash = strrchr(self, '/');
	for (i = 0; slash && i < sizeof(places) / sizeof(places[0]); i++) {
		b.len = 0;
		buf_printf(&b, "%.*s/%s", (int)(slash - self), self, places[i]);
		if (!access(b.data, X_OK))
			return b.data;
	}
	buf_free(&b);
	err_set(e, "the conformance guest was not found: --guest=FILE says where it is");
	return NULL;
}

typedef VEC(char *) words;

static void words_add(words *w, const char *option, const char *value)
{
	struct buf b = { 0 };

	if (option && !value)
		return;
	buf_printf(&b, "%s%s%s", option ? option : "", option ? "=" : "", value ? value : "");
	VEC_PUSH(w, b.data);
}

static void words_free(words *w)
{
	size_t i;

	for (i = 0; i < w->n; i++)
		free(w->at[i]);
	VEC_FREE(w);
}

static void command_line(words *w, const struct options *o, const char *guest)
{
	size_t i;

	words_add(w, NULL, "vsysemu");
	words_add(w, NULL, "run");
	words_add(w, NULL, "-q");
	words_add(w, "--kernel", o->kernel);
	words_add(w, "--mode", o->mode);
	words_add(w, "--trap", o->trap);
	words_add(w, "--cpu", o->cpu);
	words_add(w, "--clocksource", o->clocksource);
	words_add(w, "--mitigations", o->mitigations);
	for (i = 0; i < o->set.n; i++)
		words_add(w, "--set", o->set.at[i]);
	words_add(w, NULL, "--");
	words_add(w, NULL, guest);
	words_add(w, NULL, "-f");
	words_add(w, NULL, "-");
	VEC_PUSH(w, NULL);
}

/* The environment without our own twins: what they chose is in @o already. */
static void environment(words *w)
{
	char **p;

	for (p = environ; *p; p++)
		if (strncmp(*p, "VSYSEMU_", 8) != 0 || !strncmp(*p, "VSYSEMU_MODELS=", 15))
			words_add(w, NULL, *p);
	VEC_PUSH(w, NULL);
}

/* Starts the guest over the ids on @in; what it prints is read from *@out. */
static bool guest_start(const struct options *o, const char *guest, int in, int *out, pid_t *pid,
			struct err *e)
{
	posix_spawn_file_actions_t fa;
	words argv = { 0 }, env = { 0 };
	int fd[2], r;

	if (pipe2(fd, O_CLOEXEC))
		return err_set(e, "pipe: %s", strerror(errno));
	command_line(&argv, o, guest);
	environment(&env);
	posix_spawn_file_actions_init(&fa);
	posix_spawn_file_actions_adddup2(&fa, in, 0);
	posix_spawn_file_actions_adddup2(&fa, fd[1], 1);
	r = posix_spawn(pid, "/proc/self/exe", &fa, NULL, argv.at, env.at);
	posix_spawn_file_actions_destroy(&fa);
	words_free(&argv);
	words_free(&env);
	close(fd[1]);
	*out = fd[0];
	if (!r)
		return true;
	close(fd[0]);
	return err_set(e, "cannot start the prediction: %s", strerror(r));
}

static FILE *ids_write(const row_list *rows, struct err *e)
{
	FILE *f = tmpfile();
	size_t i;

	if (!f)
		return err_set(e, "no temporary file: %s", strerror(errno)), NULL;
	for (i = 0; i < rows->n; i++)
		fprintf(f, "%s\n", rows->at[i].id);
	if (!fflush(f) && !fseek(f, 0, SEEK_SET))
		return f;
	err_set(e, "temporary file: %s", strerror(errno));
	fclose(f);
	return NULL;
}

static bool predict(const struct options *o, const row_list *rows, row_list *out, struct err *e)
{
	char *guest = guest_find(o->guest, e), *line = NULL;
	FILE *ids = guest ? ids_write(rows, e) : NULL, *f;
	size_t size = 0;
	int fd = -1, status;
	unsigned number = 0;
	pid_t pid;
	bool ok;

	ok = ids && guest_start(o, guest, fileno(ids), &fd, &pid, e);
	if (ok) {
		f = fdopen(fd, "r");
		while (ok && f && getline(&line, &size, f) > 0)
			ok = row_add(out, "prediction", ++number, line, 1, e);
		if (f)
			fclose(f);
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
			;
		if (ok && !out->n)
			ok = err_set(e, "the prediction printed nothing (status %d)",
				     WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
	}
	free(line);
	if (ids)
		fclose(ids);
	free(guest);
	return ok;
}

static bool rules_find(const struct options *o, struct truth_rules *r, struct err *e)
{
	struct model_choice c = { .mode = o->mode, .kernel = o->kernel, .trap = o->trap,
				  .cpu = o->cpu, .clocksource = o->clocksource,
				  .mitigations = o->mitigations,
				  .set = (const char *const *)o->set.at, .set_n = o->set.n };
	struct model m;
	bool ok;

	memset(&m, 0, sizeof(m));
	ok = model_resolve(&m, &c, e);
	if (ok) {
		r->compiled_page = m.kernel->rules.era == VSYSEMU_E0;
		r->reduced_build = !strcmp(m.kernel->name, "4.10");
	}
	model_free(&m);
	return ok;
}

/* Prints one line of TAP; false: it does not hold. */
static bool tell(size_t n, const struct truth_rules *rules, const struct row *want,
		 const struct row *got)
{
	const char *why;
	enum truth_verdict v;

	if (!got || strcmp(got->id, want->id) != 0) {
		printf("not ok %zu - %s\n# the prediction ended before\n", n, want->id);
		return false;
	}
	v = truth_compare(rules, want->id, want->answer, got->answer, &why);
	if (v == TRUTH_SKIP)
		printf("ok %zu - %s # SKIP %s\n", n, want->id, why);
	else if (v == TRUTH_SAME)
		printf("ok %zu - %s\n", n, want->id);
	else
		printf("not ok %zu - %s\n# differs: %s\n# given:     %s\n# predicted: %s\n", n, want->id,
		       why, want->answer, got->answer);
	return v != TRUTH_DIFFERS;
}

int check_truth(const struct options *o, struct err *e)
{
	row_list want = { 0 }, got = { 0 };
	struct truth_rules rules = { 0 };
	bool all = true;
	int status = -1;
	size_t i;

	if (rules_find(o, &rules, e) && rows_read(&want, o->truth, o->column, e) &&
	    predict(o, &want, &got, e)) {
		printf("TAP version 13\n1..%zu\n", want.n);
		for (i = 0; i < want.n; i++)
			all &= tell(i + 1, &rules, &want.at[i], i < got.n ? &got.at[i] : NULL);
		status = all ? 0 : 1;
	}
	rows_free(&want);
	rows_free(&got);
	return status;
}
