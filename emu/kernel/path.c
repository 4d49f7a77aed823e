/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Path translation.  As qemu-user: an absolute path that exists below the sysroot means that file,
 * any other means the host's.  Relative paths and descriptors need none.
 */
#include "kernel/path.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/fd.h"
#include "kernel/kernel.h"

/* Where a walk through the sysroot stands: links followed so far, and what of the name is left. */
struct walk {
	char done[PATH_MAX], rest[PATH_MAX]; /* as the guest names them */
	unsigned links;
	bool absolute; /* a link led back to the root */
};

enum { LINKS_MAX = 40 }; /* MAXSYMLINKS */

/* The link @host is in the way: what it says comes before what is left.  False: too long, too many. */
static bool walk_link(struct walk *w, const char *host)
{
	char text[PATH_MAX], rest[PATH_MAX];
	ssize_t n = readlink(host, text, sizeof(text) - 1);

	if (n <= 0 || ++w->links > LINKS_MAX)
		return false;
	text[n] = 0;
	if (snprintf(rest, sizeof(rest), "%s%s", text, w->rest) >= (int)sizeof(rest))
		return false;
	memcpy(w->rest, rest, sizeof(rest));
	if (text[0] == '/') {
		w->done[0] = 0;
		w->absolute = true;
	}
	return true;
}

/* One component: false when it is not there (w->rest still begins with it) or cannot be walked. */
static bool walk_step(const struct kernel *k, struct walk *w, bool follow, bool *missing)
{
	const char *name = w->rest + strspn(w->rest, "/");
	size_t n = strcspn(name, "/"), len = strlen(w->done);
	char host[2 * PATH_MAX];
	struct stat st;
	char *slash;

	if (n == 2 && !memcmp(name, "..", 2)) {
		slash = strrchr(w->done, '/');
		if (slash)
			*slash = 0;
	} else if (n && !(n == 1 && name[0] == '.')) {
		snprintf(host, sizeof(host), "%s%s/%.*s", k->sysroot, w->done, (int)n, name);
		if (lstat(host, &st)) {
			*missing = true;
			return false;
		}
		if (S_ISLNK(st.st_mode) && (follow || name[n])) {
			memmove(w->rest, name + n, strlen(name + n) + 1);
			return walk_link(w, host);
		}
		if (len + n + 2 > sizeof(w->done))
			return false;
		snprintf(w->done + len, sizeof(w->done) - len, "/%.*s", (int)n, name);
	}
	memmove(w->rest, name + n, strlen(name + n) + 1);
	return true;
}

/* Links of the sysroot that begin with / mean its own root, as for a program that lives in it; what
 * they name and it lacks is the host's. */
void path_sysroot(const struct kernel *k, const char *name, bool follow, char *out)
{
	struct walk w = { .links = 0 };
	bool missing = false, ok = true;
	size_t n = strlen(name);
	char found[3 * PATH_MAX];
	int len = 0;

	snprintf(out, PATH_MAX + 32, "%s", name);
	if (!k->sysroot || name[0] != '/' || n >= sizeof(w.rest))
		return;
	memcpy(w.rest, name, n + 1);
	while (ok && w.rest[strspn(w.rest, "/")])
		ok = walk_step(k, &w, follow, &missing);
	if (ok)
		len = snprintf(found, sizeof(found), "%s%s%s", k->sysroot, w.done, w.rest[0] || !w.done[0] ? "/" : "");
	else if (missing && w.absolute)
		len = snprintf(found, sizeof(found), "%s%s%s", w.done, w.rest[0] == '/' ? "" : "/", w.rest);
	if (len > 0 && len < PATH_MAX)
		memcpy(out, found, (size_t)len + 1);
}

int64_t path_translate(struct kernel *k, const char *name, unsigned flags, struct path *p)
{
	struct proc_who who;

	p->proc = PROC_NONE;
	if (name[0] != '/') {
		snprintf(p->host, sizeof(p->host), "%s", name);
		return 0;
	}
	if (!strncmp(name, "/proc", 5) || !strncmp(name, "/dev/", 5)) {
		snprintf(p->host, sizeof(p->host), "%s", name);
		p->proc = proc_find(k, name, p->host, sizeof(p->host), &who);
		if (p->proc == PROC_FD_ENTRY || p->proc == PROC_GONE)
			return -ENOENT;
		if (p->proc == PROC_EXE && (flags & PATH_FOLLOW) && k->proc.exe)
			path_sysroot(k, k->proc.exe, true, p->host);
		if (p->proc != PROC_NONE || strcmp(name, p->host) != 0)
			return 0;
	}
	if (flags & PATH_SYSROOT)
		path_sysroot(k, name, flags & PATH_FOLLOW, p->host);
	else
		snprintf(p->host, sizeof(p->host), "%s", name);
	return 0;
}

int64_t path_at(struct kernel *k, int dirfd, char *name, size_t cap)
{
	const struct fd_special *s = name[0] && name[0] != '/' && dirfd >= 0 ? fd_special(k, dirfd) : NULL;
	char whole[2 * PATH_MAX];

	if (!s || s->kind != FD_PROCDIR)
		return 0;
	if ((size_t)snprintf(whole, sizeof(whole), "%s/%s", s->path, name) >= cap)
		return -ENAMETOOLONG;
	strcpy(name, whole);
	return 0;
}

int64_t path_read(struct kernel *k, int dirfd, gaddr user, unsigned flags, struct path *p)
{
	char name[PATH_MAX];
	int64_t n = memory_read_string(k->mem, name, user, sizeof(name));

	if (n >= 0)
		n = path_at(k, dirfd, name, sizeof(name));
	return n < 0 ? n : path_translate(k, name, flags, p);
}
