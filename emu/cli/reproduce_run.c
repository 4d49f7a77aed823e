/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One row asked of its guest: this very program runs it under the row's options in a process of its own
 * and the guest's last line says what it measured ("... = NUMBER unit").  See reproduce.h.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/reproduce.h"

#define WORDS_MAX 64
#define NOT_BUILT 77 /* status of a guest whose program is not there */
#define SECONDS_MAX "60" /* of host time for one guest; each needs about a tenth of one */

struct words {
	char *at[WORDS_MAX + 1]; /* at[n] = NULL */
	int n;
};

/* execv() wants words it may write to and never does. */
static void words_add(struct words *w, const char *s)
{
	if (w->n < WORDS_MAX)
		w->at[w->n++] = (char *)(uintptr_t)s;
}

static void words_split(struct words *w, char *text)
{
	char *save = NULL;

	for (char *s = strtok_r(text, " ", &save); s; s = strtok_r(NULL, " ", &save))
		words_add(w, s);
}

/* The benchmarks: beside the program as built, or where they are installed. */
static char *guest_path(const char *name, struct err *e)
{
	static const char *const places[] = { "guest/bench", "build/guest/bench",
					      "../build/guest/bench", "../share/vsysemu/guest/bench" };
	char self[4096], *slash;
	struct buf b = { 0 };
	ssize_t n = readlink("/proc/self/exe", self, sizeof(self) - 1);

	self[n > 0 ? n : 0] = 0;
	slash = strrchr(self, '/');
	for (size_t i = 0; slash && i < ARRAY_SIZE(places); i++) {
		b.len = 0;
		buf_printf(&b, "%.*s/%s/%s", (int)(slash - self), self, places[i], name);
		if (!access(b.data, X_OK))
			return b.data;
	}
	buf_free(&b);
	err_set(e, "the guest bench/%s was not found beside the program", name);
	return NULL;
}

/* Environment twins would change the row's run; where the models are may stay. */
static void clear_environment(void)
{
	extern char **environ;

	for (char **p = environ; *p;) {
		size_t n = strcspn(*p, "=");
		char name[64];

		if (strncmp(*p, "VSYSEMU_", 8) || !strncmp(*p, "VSYSEMU_MODELS=", 15) || n >= sizeof(name)) {
			p++;
			continue;
		}
		memcpy(name, *p, n);
		name[n] = 0;
		unsetenv(name);
	}
}

static void run_child(struct words *w, int out)
{
	clear_environment();
	dup2(out, STDOUT_FILENO);
	execv("/proc/self/exe", w->at);
	_exit(127);
}

/* The number behind "@name =" of what the guest printed; @name NULL: behind the last "=". */
static bool read_result(const char *text, const char *name, double *result)
{
	const char *eq = text ? strrchr(text, '=') : NULL;
	char *end;

	for (const char *s = text; name && eq && (s = strstr(s, name)); s++)
		if (!strncmp(s + strlen(name), " =", 2)) {
			eq = s + strlen(name) + 1;
			break;
		}
	if (!eq)
		return false;
	*result = strtod(eq + 1, &end);
	return end != eq + 1 && *result > 0;
}

/* What the guest prints, in @got.  @missing: it says that the program which it runs is not there. */
static bool run_guest(struct words *w, struct buf *got, bool *missing, struct err *e)
{
	char piece[4096];
	int fd[2], status = 0;
	bool good;
	ssize_t n;
	pid_t pid;

	if (pipe(fd))
		return err_set(e, "pipe: %s", strerror(errno));
	fflush(NULL);
	pid = fork();
	if (pid == 0)
		run_child(w, fd[1]);
	close(fd[1]);
	while (pid > 0 && ((n = read(fd[0], piece, sizeof(piece))) > 0 || (n < 0 && errno == EINTR)))
		if (n > 0 && got->len < 65536)
			buf_add(got, piece, (size_t)n);
	close(fd[0]);
	if (pid < 0 || waitpid(pid, &status, 0) != pid)
		good = err_set(e, "fork: %s", strerror(errno));
	else if ((*missing = WIFEXITED(status) && WEXITSTATUS(status) == NOT_BUILT))
		good = true;
	else if (!WIFEXITED(status) || WEXITSTATUS(status) || !got->len)
		good = err_set(e, "the guest of a row ended with status %d and no result",
			       WIFEXITED(status) ? WEXITSTATUS(status) : 125);
	else
		good = true;
	return good;
}

/* The same, kept: several rows of a table may take different figures of one run. */
static bool run_kept(struct reproduce *all, const char *options, const char *guest, struct words *w,
		     const char **text, struct err *e)
{
	struct reproduce_output made = { 0 };
	struct buf got = { 0 };
	bool missing = false;

	for (size_t i = 0; i < all->output.n; i++)
		if (!strcmp(all->output.at[i].options, options) && !strcmp(all->output.at[i].guest, guest)) {
			*text = all->output.at[i].text;
			return true;
		}
	if (!run_guest(w, &got, &missing, e)) {
		buf_free(&got);
		return false;
	}
	if (missing)
		buf_free(&got);
	made.options = xstrdup(options);
	made.guest = xstrdup(guest);
	made.text = missing ? NULL : xstrdup(got.data);
	buf_free(&got);
	*text = made.text;
	VEC_PUSH(&all->output, made);
	return true;
}

/* The profile of a clock_gettime system call under the row's options. */
static bool profile_of(const struct words *w, struct cost_profile *x, double *core_hz, struct err *e)
{
	struct options o;
	struct model m = { 0 };
	bool good = options_parse(&o, VERB_RUN, w->n, (char **)w->at, e);
	struct model_choice c = { .mode = o.mode, .kernel = o.kernel, .trap = o.trap, .cpu = o.cpu,
				  .clocksource = o.clocksource, .mitigations = o.mitigations,
				  .set = (const char *const *)o.set.at, .set_n = o.set.n,
				  .audit = o.audit_on };

	good = good && model_resolve(&m, &c, e);
	if (good) {
		cost_profile(&m, m.active, COST_SYSCALL_CLOCK_GETTIME, x);
		*core_hz = (double)m.cpu->core_hz;
	}
	model_free(&m);
	options_free(&o);
	return good;
}

static bool take(struct reproduce_row *r, const struct words *w, double result, struct err *e)
{
	struct cost_profile x;
	double core_hz;

	if (!strcmp(r->p->take, "ns") || !strcmp(r->p->take, "tsc")) {
		r->simulated = result;
	} else if (!strncmp(r->p->take, "value:", 6) || !strncmp(r->p->take, "rise:", 5) ||
		   !strncmp(r->p->take, "percent:", 8)) {
		r->simulated = result;
	} else if (!strcmp(r->p->take, "calls3s")) {
		r->simulated = 3e9 / result;
	} else if (!strncmp(r->p->take, "share:", 6)) {
		if (!profile_of(w, &x, &core_hz, e))
			return false;
		r->simulated = published_share(&x, result * core_hz / 1e9, r->p->take + 6);
	} else {
		return err_set(e, "%s, %s: '%s' is not a way to take a result", r->p->table, r->p->row,
			       r->p->take);
	}
	r->done = true;
	return true;
}

/* Run the guest under @given and take what it prints. */
static bool run_once(struct reproduce *all, struct reproduce_row *r, const struct options *o, const char *given,
		     struct err *e)
{
	char *options = xstrdup(given), *guest = xstrdup(r->p->guest), *path = NULL;
	const char *name = strrchr(r->p->take, ':');
	struct words w = { .n = 0 };
	double result = 0;
	const char *text = NULL;
	bool good = true;

	words_add(&w, "vsysemu");
	words_add(&w, "-q");
	words_add(&w, "--timeout=" SECONDS_MAX);
	words_split(&w, options);
	for (size_t i = 0; i < o->set.n; i++) {
		words_add(&w, "--set");
		words_add(&w, o->set.at[i]);
	}
	words_add(&w, "--");
	if (*guest) {
		int first = w.n;

		words_split(&w, guest);
		path = guest_path(w.at[first], e);
		w.at[first] = path;
		name = name && strncmp(r->p->take, "share:", 6) ? name + 1 : NULL;
		good = path && run_kept(all, given, r->p->guest, &w, &text, e);
		r->missing = good && !text;
		if (text && !read_result(text, name, &result))
			good = err_set(e, "%s, %s: the guest printed no result", r->p->table, r->p->row);
		good = good && (!text || take(r, &w, result, e));
	}
	free(path);
	free(options);
	free(guest);
	return good;
}

bool reproduce_run(struct reproduce *all, struct reproduce_row *r, const struct options *o, struct err *e)
{
	char *before = xstrdup(r->p->options), *after = strstr(before, " | ");
	bool good, percent = !strncmp(r->p->take, "percent:", 8);
	double first;

	if (after)
		*after = 0;
	good = run_once(all, r, o, before, e);
	if (good && after && r->done) {
		first = r->simulated;
		good = run_once(all, r, o, after + 3, e);
		r->simulated = percent ? 100 * (r->simulated / first - 1) : r->simulated - first;
	}
	free(before);
	return good;
}
