/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From a path to an opened program: permission, #! lines, the interpreter.  Every read is a pread of
 * a bounded length; what a short file lacks is never looked at.
 */
#include "kernel/exec_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "kernel/exec_elf.h"
#include "kernel/exec_layout.h"
#include "kernel/fd.h"
#include "kernel/kernel.h"
#include "kernel/path.h"

#define HEAD_BYTES 256 /* BINPRM_BUF_SIZE */
#define SCRIPT_DEPTH_MAX 5 /* rewrites, fs/exec.c exec_binprm() */

/* A line for @err of a file that could not be opened. */
static int64_t open_error(struct err *e, const char *name, int err)
{
	switch (err) {
	case ENOENT:
		err_set_status(e, 127, "%s: no such file", name);
		break;
	case ENOTDIR:
		err_set_status(e, 127, "%s: a part of the path is not a directory", name);
		break;
	default:
		err_set_status(e, 126, "%s: %s", name, strerror(err));
	}
	return -err;
}

static int64_t judge(int dirfd, const char *host, const char *name, int flags, struct err *e)
{
	int nofollow = flags & AT_SYMLINK_NOFOLLOW;
	struct stat st;

	if (fstatat(dirfd, host, &st, nofollow | (flags & AT_EMPTY_PATH)))
		return open_error(e, name, errno);
	if (S_ISLNK(st.st_mode))
		return open_error(e, name, ELOOP);
	if (!S_ISREG(st.st_mode)) {
		err_set_status(e, 126, "%s: %s", name,
			       S_ISDIR(st.st_mode) ? "a directory, not a program" : "not a regular file");
		return -EACCES;
	}
	if (*host && faccessat(dirfd, host, X_OK, AT_EACCESS | nofollow)) {
		err_set_status(e, 126, "%s: no permission to execute it", name);
		return -errno;
	}
	return 0;
}

/* Open for reading: a descriptor out of the guest's way, or negative errno. */
static int64_t open_program(struct kernel *k, int dirfd, const char *name, int flags, struct err *e)
{
	struct path p;
	int64_t r = path_translate(k, name, PATH_FOLLOW | PATH_SYSROOT, &p);
	char self[32];
	int fd;

	if (!r && !*name && !(flags & AT_EMPTY_PATH))
		r = -ENOENT;
	if (!r && strlen(name) >= PATH_MAX)
		r = -ENAMETOOLONG;
	if (r)
		return open_error(e, name, (int)-r);
	r = judge(dirfd, p.host, name, flags, e);
	if (r)
		return r;
	if (*p.host) {
		fd = openat(dirfd, p.host, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	} else {
		snprintf(self, sizeof(self), "/proc/self/fd/%d", dirfd);
		fd = open(self, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	}
	if (fd < 0)
		return open_error(e, name, errno);
	fd = fd_hide(fd);
	fd_attach(k, fd, FD_HIDDEN);
	return fd;
}

static void close_program(struct kernel *k, int fd)
{
	close(fd);
	fd_detach(k, fd);
}

static ssize_t read_head(int fd, char *buf)
{
	ssize_t n;

	memset(buf, 0, HEAD_BYTES);
	do
		n = pread(fd, buf, HEAD_BYTES, 0);
	while (n < 0 && errno == EINTR);
	return n;
}

static char *trim(char *s, char *end)
{
	while (s < end && (*s == ' ' || *s == '\t'))
		s++;
	return s;
}

/*
 * Cut "#! INTERP [ARG]" in @buf.  False: no interpreter name that is known to be whole.  As in
 * binfmt_script.c a line longer than the buffer is fine as long as the name ends inside it.
 */
static bool script_parse(char *buf, char **interp, char **arg)
{
	char *end = memchr(buf, '\n', HEAD_BYTES), *last = buf + HEAD_BYTES - 1, *s;

	if (!end) {
		s = trim(buf + 2, last);
		while (s < last && *s && *s != ' ' && *s != '\t')
			s++;
		if (s >= last)
			return false;
		end = last;
	}
	while (end > buf + 2 && (end[-1] == ' ' || end[-1] == '\t'))
		end--;
	*end = 0;
	*interp = s = trim(buf + 2, end);
	while (*s && *s != ' ' && *s != '\t')
		s++;
	*arg = NULL;
	if (*s) {
		*s++ = 0;
		s = trim(s, end);
		*arg = *s ? s : NULL;
	}
	return **interp;
}

/* The interpreter takes the place of argv[0], the script's name that of its operand. */
static void script_splice(struct exec_plan *p, const char *script, const char *interp,
			  const char *arg)
{
	size_t rest = p->argv.n ? 1 : 0;
	VEC(char *) v = { 0 };

	VEC_PUSH(&v, xstrdup(interp));
	if (arg)
		VEC_PUSH(&v, xstrdup(arg));
	VEC_PUSH(&v, xstrdup(script));
	for (size_t i = rest; i < p->argv.n; i++)
		VEC_PUSH(&v, p->argv.at[i]);
	if (rest)
		free(p->argv.at[0]);
	free(p->argv.at);
	p->argv.at = v.at;
	p->argv.n = v.n;
	p->argv.cap = v.cap;
}

/* Follow #! lines.  A descriptor of something that is no script, its name in *name (owned). */
static int64_t follow_scripts(struct kernel *k, struct exec_plan *p, int64_t fd, bool lost,
			      char **name, struct err *e)
{
	char buf[HEAD_BYTES], *interp, *arg;

	for (unsigned depth = 0;; depth++) {
		ssize_t n = read_head((int)fd, buf);

		if (n < 0) {
			int err = errno;

			close_program(k, (int)fd);
			return open_error(e, *name, err);
		}
		if (n < 2 || buf[0] != '#' || buf[1] != '!')
			return fd;
		close_program(k, (int)fd);
		if (!script_parse(buf, &interp, &arg)) {
			err_set_status(e, 126, "%s: its #! line names no interpreter", *name);
			return -ENOEXEC;
		}
		if (lost)
			return open_error(e, *name, ENOENT);
		if (depth >= SCRIPT_DEPTH_MAX) {
			err_set_status(e, 126, "%s: too many interpreters of interpreters", *name);
			return -ELOOP;
		}
		script_splice(p, *name, interp, arg);
		fd = open_program(k, AT_FDCWD, interp, 0, e);
		if (fd < 0) {
			struct err why = *e;

			e->text[0] = 0;
			err_set_status(e, 126, "%s: its interpreter %s", *name, why.text);
			return fd;
		}
		free(*name);
		*name = xstrdup(interp);
	}
}

/* What the guest may call the file behind @fd: the sysroot is its root. */
static char *guest_path(const struct kernel *k, int fd)
{
	char link[32], real[PATH_MAX], root[PATH_MAX];
	ssize_t n;
	size_t r;

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, real, sizeof(real) - 1);
	real[n > 0 ? n : 0] = 0;
	if (k->sysroot && realpath(k->sysroot, root)) {
		r = strlen(root);
		if (r > 1 && !strncmp(real, root, r) && real[r] == '/')
			return xstrdup(real + r);
	}
	return xstrdup(real);
}

static void set_names(struct exec_plan *p, int dirfd, const char *path, char **shown)
{
	struct buf b = { 0 };
	const char *base;

	if (dirfd == AT_FDCWD || path[0] == '/')
		buf_printf(&b, "%s", path);
	else if (!*path)
		buf_printf(&b, "/dev/fd/%d", dirfd);
	else
		buf_printf(&b, "/dev/fd/%d/%s", dirfd, path);
	p->execfn = b.data;
	*shown = xstrdup(b.data);
	base = strrchr(p->execfn, '/');
	snprintf(p->comm, sizeof(p->comm), "%.15s", base ? base + 1 : p->execfn);
}

static int64_t open_interp(struct kernel *k, struct exec_plan *p, struct err *e)
{
	int64_t fd = open_program(k, AT_FDCWD, p->prog.interp, 0, e);

	if (fd < 0) {
		struct err why = *e;

		e->text[0] = 0;
		err_set_status(e, 126, "%s: its program interpreter %s%s", p->prog.name, why.text,
			       fd == -ENOENT ? " (-L DIR names a system root)" : "");
		return fd;
	}
	p->interp.fd = (int)fd;
	p->interp.name = xstrdup(p->prog.interp);
	p->interp.path = guest_path(k, p->interp.fd);
	return exec_elf_read(&p->interp, true, e);
}

int64_t exec_plan_open(struct kernel *k, struct exec_plan *p, int dirfd, const char *path,
		       char *const argv[], int flags, struct err *e)
{
	char *name = NULL;
	int64_t fd;
	bool lost;

	memset(p, 0, sizeof(*p));
	p->prog.fd = p->interp.fd = -1;
	set_names(p, dirfd, path, &name);
	for (size_t i = 0; argv && argv[i]; i++)
		VEC_PUSH(&p->argv, xstrdup(argv[i]));
	/* Since 5.18 nobody starts with argc 0. */
	if (!p->argv.n && k->model->kernel->release_nr >= KVER(5, 18))
		VEC_PUSH(&p->argv, xstrdup(""));
	lost = dirfd != AT_FDCWD && path[0] != '/' && (fcntl(dirfd, F_GETFD) & FD_CLOEXEC);
	fd = open_program(k, dirfd, path, flags, e);
	if (fd >= 0)
		fd = follow_scripts(k, p, fd, lost, &name, e);
	p->prog.name = name;
	if (fd < 0)
		return fd;
	p->prog.fd = (int)fd;
	p->prog.path = guest_path(k, p->prog.fd);
	fd = exec_elf_read(&p->prog, false, e);
	if (!fd && p->prog.interp)
		fd = open_interp(k, p, e);
	return fd;
}

static void image_free(struct kernel *k, struct exec_image *i)
{
	if (i->fd >= 0)
		close_program(k, i->fd);
	free(i->name);
	free(i->path);
	free(i->ph);
	free(i->interp);
}

void exec_plan_free(struct kernel *k, struct exec_plan *p)
{
	image_free(k, &p->prog);
	image_free(k, &p->interp);
	for (size_t i = 0; i < p->argv.n; i++)
		free(p->argv.at[i]);
	VEC_FREE(&p->argv);
	free(p->execfn);
}
