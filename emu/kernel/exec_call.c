/* SPDX-License-Identifier: GPL-2.0-or-later */
/* execve and execveat: the vectors of the guest copied in, fs/exec.c count() and copy_strings(). */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/exec.h"
#include "kernel/kernel.h"
#include "kernel/sys.h"

#define STRING_BYTES_MAX (32 * PAGE_BYTES) /* MAX_ARG_STRLEN */
#define ALL_BYTES_MAX ((uint64_t)6 << 20) /* more never fits, see exec_stack.c */

struct strings {
	VEC(char *) v; /* owned; NULL-terminated once complete */
};

static void strings_free(struct strings *s)
{
	for (size_t i = 0; i < s->v.n; i++)
		free(s->v.at[i]);
	VEC_FREE(&s->v);
}

/* Copy the vector at @user; *bytes counts strings and pointers of all vectors of the call. */
static int64_t strings_read(struct kernel *k, gaddr user, struct strings *s, uint64_t *bytes)
{
	char *one = xcalloc(1, STRING_BYTES_MAX + 1);
	gaddr at = 0;
	int64_t r = 0;

	for (; user && !r; user += 8) {
		if (memory_read(k->mem, &at, user, sizeof(at))) {
			r = -EFAULT;
			break;
		}
		if (!at)
			break;
		r = memory_read_string(k->mem, one, at, STRING_BYTES_MAX);
		*bytes += (r > 0 ? (uint64_t)r : 0) + 1 + sizeof(at);
		if (r == -ENAMETOOLONG || *bytes > ALL_BYTES_MAX)
			r = -E2BIG;
		if (r < 0)
			break;
		r = 0;
		VEC_PUSH(&s->v, xstrdup(one));
	}
	free(one);
	VEC_PUSH(&s->v, NULL);
	return r;
}

static int64_t exec_from_guest(struct kernel *k, int dirfd, gaddr path, gaddr argv, gaddr envp,
			       int flags)
{
	struct strings args = { 0 }, env = { 0 };
	char name[PATH_MAX];
	uint64_t bytes = 0;
	int64_t r;

	if (flags & ~(AT_EMPTY_PATH | AT_SYMLINK_NOFOLLOW))
		return -EINVAL;
	r = memory_read_string(k->mem, name, path, sizeof(name));
	if (r >= 0)
		r = *name || flags & AT_EMPTY_PATH ? 0 : -ENOENT;
	if (!r)
		r = strings_read(k, argv, &args, &bytes);
	if (!r)
		r = strings_read(k, envp, &env, &bytes);
	if (!r)
		r = exec_replace(k, dirfd, name, args.v.at, env.v.at, flags);
	strings_free(&args);
	strings_free(&env);
	return r;
}

int64_t sys_execve(struct kernel *k, const uint64_t a[6])
{
	return exec_from_guest(k, AT_FDCWD, a[0], a[1], a[2], 0);
}

int64_t sys_execveat(struct kernel *k, const uint64_t a[6])
{
	return exec_from_guest(k, (int)a[0], a[1], a[2], a[3], (int)a[4]);
}
