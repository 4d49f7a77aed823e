/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Loading and guarding an implementation under test: see check_impl.h. */
#include "cli/check_impl.h"

#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { PATIENCE_SECONDS = 20 }; /* for one vector, or a few hundred random frames */

/* Its own definitions before those of the program, which exports the same names. */
#if defined(__SANITIZE_ADDRESS__)
#define BIND 0 /* the sanitizer does not work with it */
#else
#define BIND RTLD_DEEPBIND
#endif

bool check_impl_load(struct vector_impl *impl, const char *file, struct err *e)
{
	char *path = realpath(file, NULL);
	void *so;

	if (!path)
		return err_set(e, "--impl: %s: %s", file, strerror(errno));
	so = dlopen(path, RTLD_NOW | RTLD_LOCAL | BIND);
	free(path);
	if (!so)
		return err_set(e, "--impl: %s", dlerror());
	/* A function pointer from an object pointer: POSIX allows it, ISO C has no cast for it. */
	*(void **)&impl->decide = dlsym(so, "vsysemu_policy_decide");
	*(void **)&impl->finish = dlsym(so, "vsysemu_policy_finish");
	if (!impl->decide)
		return err_set(e, "--impl: %s exports no vsysemu_policy_decide (see vsysemu/policy.h)", file);
	return true;
}

void check_place_set(struct check_place *at, const char *id, unsigned long frame)
{
	at->frame = frame;
	if (id)
		snprintf(at->id, sizeof(at->id), "%s", id);
	if (frame % 256 == 0 || id)
		alarm(PATIENCE_SECONDS);
}

static void how_it_died(const char *file, const struct check_place *at, int status, struct err *e)
{
	const char *how = "ended the process";

	if (WIFSIGNALED(status))
		how = WTERMSIG(status) == SIGALRM ? "does not come back" : strsignal(WTERMSIG(status));
	if (at->id[0])
		err_set(e, "--impl: %s: %s, at vector %s", file, how, at->id);
	else
		err_set(e, "--impl: %s: %s, at random frame %lu", file, how, at->frame);
}

int check_impl_guard(const char *file, FILE *out, int (*body)(void *ctx, struct check_place *at),
		     void *ctx, struct err *e)
{
	struct check_place *at = mmap(NULL, sizeof(*at), PROT_READ | PROT_WRITE,
				      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	int status = -1;
	pid_t pid;

	if (at == MAP_FAILED) {
		err_set(e, "memory: %s", strerror(errno));
		return -1;
	}
	fflush(NULL);
	pid = fork();
	if (pid == 0) {
		/* An alarm that the caller ignores would let a hang go on. */
		signal(SIGALRM, SIG_DFL);
		status = body(ctx, at);
		at->done = true;
		_exit(fflush(out) ? 3 : status);
	}
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (pid < 0) {
		err_set(e, "fork: %s", strerror(errno));
	} else if (at->done && WIFEXITED(status) && WEXITSTATUS(status) <= 2) {
		status = WEXITSTATUS(status);
	} else {
		if (at->done && WIFEXITED(status))
			err_set(e, "cannot write to standard output");
		how_it_died(file, at, status, e);
		fprintf(out, "Bail out! %s\n", e->text);
		status = -1;
	}
	munmap(at, sizeof(*at));
	return status;
}
