/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The verb run: one program under one policy, its status, and the report. */
#include "cli/run.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/report.h"
#include "cli/verbs.h"
#include "kernel/exec.h"
#include "run/loop.h"

extern char **environ;

#define LAID_OUT "VSYSEMU_LAYOUT_DONE"

void run_layout(void)
{
	struct rlimit old, r;
	char link[PATH_MAX];
	const char *was = getenv(LAID_OUT);
	ssize_t n;

	if (was) {
		/* The guest keeps the limit that the user gave. */
		if (!getrlimit(RLIMIT_STACK, &r)) {
			r.rlim_cur = RLIM_INFINITY;
			setrlimit(RLIMIT_STACK, &r);
		}
		unsetenv(LAID_OUT);
		return;
	}
	if (getrlimit(RLIMIT_STACK, &old) || old.rlim_cur != RLIM_INFINITY)
		return;
	r = old;
	r.rlim_cur = 8u << 20;
	n = readlink("/proc/self/exe", link, sizeof(link) - 1);
	if (n > 0 && !setrlimit(RLIMIT_STACK, &r) && !setenv(LAID_OUT, "1", 1)) {
		FILE *f = fopen("/proc/self/cmdline", "re");
		struct buf b = { 0 };
		VEC(char *) argv = { 0 };
		int c;

		link[n] = 0;
		while (f && (c = getc(f)) != EOF) {
			char ch = (char)c;

			buf_add(&b, &ch, 1);
		}
		for (size_t i = 0; i < b.len; i += strlen(b.data + i) + 1)
			VEC_PUSH(&argv, b.data + i);
		VEC_PUSH(&argv, NULL);
		if (f)
			fclose(f);
		execv(link, argv.at);
		VEC_FREE(&argv);
		buf_free(&b);
		unsetenv(LAID_OUT);
	}
	setrlimit(RLIMIT_STACK, &old);
}

/* PROGRAM without a slash is looked up in PATH, as execvp() does.  Owned; NULL: @e is filled. */
static char *find_program(const char *name, struct err *e)
{
	const char *path = getenv("PATH");
	bool denied = false;

	if (strchr(name, '/') || !*name)
		return xstrdup(name);
	if (!path)
		path = "/bin:/usr/bin";
	for (const char *p = path;; p++) {
		size_t n = strcspn(p, ":");
		struct buf b = { 0 };
		struct stat st;

		buf_printf(&b, "%.*s%s%s", (int)n, p, n ? "/" : "", name);
		if (!stat(b.data, &st) && S_ISREG(st.st_mode)) {
			if (!access(b.data, X_OK))
				return b.data;
			denied = true;
		}
		buf_free(&b);
		p += n;
		if (!*p)
			break;
	}
	err_set_status(e, denied ? 126 : 127, denied ? "%s: found in PATH, but not executable" :
						       "%s: not found in PATH", name);
	return NULL;
}

static bool env_is(const char *entry, const char *name)
{
	size_t n = strcspn(name, "=");

	return !strncmp(entry, name, n) && entry[n] == '=';
}

/* The guest's environment: ours without the twins, then -E and -U in order.  Array owned. */
static char **environment(const struct options *o)
{
	VEC(char *) v = { 0 };

	for (char **p = environ; *p; p++)
		if (!options_hides(*p))
			VEC_PUSH(&v, *p);
	for (size_t i = 0; i < o->env_edits.n; i++) {
		const struct env_edit *edit = &o->env_edits.at[i];
		size_t n = 0;

		for (size_t j = 0; j < v.n; j++)
			if (!env_is(v.at[j], edit->text))
				v.at[n++] = v.at[j];
		v.n = n;
		if (!edit->unset)
			VEC_PUSH(&v, (char *)(uintptr_t)edit->text);
	}
	VEC_PUSH(&v, NULL);
	return v.at;
}

bool run_model(const struct options *o, struct model *m, struct err *e)
{
	struct model_choice c = { .mode = o->mode, .kernel = o->kernel, .trap = o->trap, .cpu = o->cpu,
				  .clocksource = o->clocksource, .baseline = o->baseline,
				  .mitigations = o->mitigations, .accounting = o->accounting,
				  .set = o->set.at, .set_n = o->set.n, .audit = o->audit_on, .timens = o->timens != NULL };

	return model_resolve(m, &c, e);
}

static bool auxv_ok(const struct options *o, struct err *e)
{
	for (size_t i = 0; i < o->auxv.n; i++) {
		uint64_t key, value;
		bool drop;

		if (!exec_auxv_parse(o->auxv.at[i], &key, &value, &drop, e))
			return false;
	}
	return true;
}

/* Is there a form of report on stderr in which log lines may stand beside? */
static bool log_shown(const struct options *o)
{
	bool text = !o->report || !strcmp(o->report, "text") || !strcmp(o->report, "none");

	return !o->quiet_on && (text || o->output);
}

static const char *trace_words(const struct options *o)
{
	if (o->trace)
		return o->trace[0] == 1 ? "" : o->trace; /* --trace alone: everything */
	if (o->summary && !o->strace_on)
		return "";
	return o->strace_on ? "vsyscall,vdso,syscall,signal" : NULL;
}

bool run_guest(const struct options *o, const struct model *m, struct kernel *k, struct run_files *f, struct err *e)
{
	struct run_request r = { .model = m, .opt = &f->opt, .warn_fd = o->quiet_on ? -1 : 2, .watch = f->watch };
	bool ok = false;

	memset(k, 0, sizeof(*k));
	if (!auxv_ok(o, e))
		return false;
	for (size_t i = 0; i < o->auxv.n; i++)
		VEC_PUSH(&f->auxv, o->auxv.at[i]);
	VEC_PUSH(&f->auxv, NULL);
	f->opt = (struct guest_options){ .vdso = o->vdso, .seccomp = o->seccomp, .trace = trace_words(o),
		.trace_summary = o->summary,
		.timeline = o->report && !strcmp(o->report, "trace"),
		.cwd = o->cwd, .auxv = f->auxv.at, .timens = o->timens, .timens_mono_ns = o->timens_mono_ns,
		.timens_boot_ns = o->timens_boot_ns, .epoch_ns = o->epoch_ns, .seed = o->seed_n,
		.max_insns = o->max_insns_n, .timeout_ns = o->timeout_ns, .cpus = o->cpus_n,
		.engine_level = o->engine_level_n, .log_to_stderr = log_shown(o) };
	if (o->cwd && chdir(o->cwd))
		return err_set_status(e, 125, "--cwd: %s: %s", o->cwd, strerror(errno));
	f->path = find_program(o->argv[0], e);
	if (!f->path)
		return false;
	if (o->sysroot) {
		f->sysroot = realpath(o->sysroot, NULL);
		if (!f->sysroot)
			return err_set_status(e, 125, "-L: %s: %s", o->sysroot, strerror(errno));
		if (!strcmp(f->sysroot, "/")) {
			free(f->sysroot);
			f->sysroot = NULL;
		}
	}
	for (int i = 0; i < o->argc; i++)
		VEC_PUSH(&f->argv, i == 0 && o->argv0 ? (char *)(uintptr_t)o->argv0 : o->argv[i]);
	VEC_PUSH(&f->argv, NULL);
	f->envp = environment(o);
	r.path = f->path;
	r.argv = f->argv.at;
	r.envp = f->envp;
	r.sysroot = f->sysroot;
	ok = run_program(&r, k, e);
	return ok;
}

void run_files_free(struct run_files *f)
{
	free(f->path);
	free(f->sysroot);
	free(f->envp);
	VEC_FREE(&f->argv);
	VEC_FREE(&f->auxv);
}

int run_status(const struct kernel *k)
{
	return k->outcome.kind == OUTCOME_SIGNAL ? 128 + k->outcome.status : k->outcome.status;
}

int cli_run(const struct options *o, struct err *e)
{
	struct run_files f = { 0 };
	struct kernel *k;
	struct model m;
	int status = 125;

	if (!o->argc) {
		err_set_status(e, 125, "no PROGRAM given (see vsysemu --help)");
		return 125;
	}
	if (!report_check(o, e))
		return 125;
	k = xcalloc(1, sizeof(*k));
	if (run_model(o, &m, e) && run_guest(o, &m, k, &f, e)) {
		status = run_status(k);
		report_write(k, o, e);
	}
	run_free(k);
	model_free(&m);
	run_files_free(&f);
	free(k);
	return status;
}
