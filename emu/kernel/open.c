/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Opening, links and directories: where paths of the guest become descriptors.  What lies in /proc
 * and names the guest itself is answered by procfs.c, however it was spelled: the lexical check is
 * for speed and names, the check after the open is for safety.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernel/fd.h"
#include "kernel/path.h"
#include "kernel/sys.h"
#include "kernel/uaccess.h"

static int64_t open_ours(struct kernel *k, enum proc_file f, const char *name, struct proc_who who, int flags)
{
	if (f == PROC_DENIED)
		return -EACCES;
	if (f == PROC_FD_ENTRY || f == PROC_GONE)
		return -ENOENT;
	return proc_open(k, f, name, who, flags);
}

/* The host opened @fd: is it something that must not be, or is ours?  Returns what the guest gets. */
static int64_t opened(struct kernel *k, int fd, int flags)
{
	char name[PATH_MAX];
	struct proc_who who;
	enum proc_file f;

	if (flags & O_PATH)
		return fd;
	f = proc_identify(k, fd, name, sizeof(name), &who);
	if (f == PROC_NONE || f == PROC_FD)
		return fd;
	if (f == PROC_EXE) /* opened through the link: the image, not the emulator */
		return fd;
	close(fd);
	return open_ours(k, f, name, who, flags);
}

static int64_t open_path(struct kernel *k, uint64_t dirfd, gaddr user, uint64_t flags, uint64_t mode)
{
	char name[PATH_MAX];
	struct proc_who who;
	struct path p;
	int64_t r = memory_read_string(k->mem, name, user, sizeof(name));
	uint64_t h[6] = { dirfd, 0, flags, mode };

	if (r >= 0)
		r = path_at(k, (int)dirfd, name, sizeof(name));
	if (r >= 0)
		r = path_translate(k, name, PATH_SYSROOT | (flags & O_NOFOLLOW ? 0 : PATH_FOLLOW), &p);
	if (r < 0)
		return r;
	if (p.proc >= PROC_TEXT || p.proc == PROC_MEM || p.proc == PROC_DENIED || p.proc == PROC_GONE ||
	    p.proc == PROC_RANDOM || (p.proc == PROC_TASK && !(flags & O_PATH))) {
		char host[PATH_MAX];

		proc_find(k, name, host, sizeof(host), &who);
		return open_ours(k, p.proc, name, who, (int)flags);
	}
	h[1] = (uint64_t)(uintptr_t)p.host;
	r = sys_host_blocking(k, SYS_openat, h);
	return r < 0 ? r : opened(k, (int)r, (int)flags);
}

int64_t sys_open(struct kernel *k, const uint64_t a[6])
{
	return open_path(k, (uint64_t)AT_FDCWD, a[0], (uint32_t)a[1], a[2]);
}

int64_t sys_creat(struct kernel *k, const uint64_t a[6])
{
	return open_path(k, (uint64_t)AT_FDCWD, a[0], O_CREAT | O_WRONLY | O_TRUNC, a[1]);
}

int64_t sys_openat(struct kernel *k, const uint64_t a[6])
{
	return open_path(k, a[0], a[1], (uint32_t)a[2], a[3]);
}

int64_t sys_openat2(struct kernel *k, const uint64_t a[6])
{
	struct open_how how = { 0 };
	struct path p;
	uint64_t h[6] = { a[0], 0, (uint64_t)(uintptr_t)&how, sizeof(how) };
	int64_t r;

	if (a[3] < sizeof(how))
		return -EINVAL;
	if (a[3] > sizeof(how))
		return -E2BIG; /* later kernels' fields: not known here */
	if (user_get(k, &how, a[2], sizeof(how)))
		return -EFAULT;
	if (!how.resolve && !(how.flags >> 32))
		return open_path(k, a[0], a[1], how.flags, how.mode);
	r = path_read(k, (int)a[0], a[1], 0, &p);
	if (r < 0)
		return r;
	h[1] = (uint64_t)(uintptr_t)p.host;
	r = sys_host_blocking(k, SYS_openat2, h);
	return r < 0 ? r : opened(k, (int)r, (int)how.flags);
}

int64_t sys_memfd_create(struct kernel *k, const uint64_t a[6])
{
	char name[256];
	int64_t r = memory_read_string(k->mem, name, a[0], sizeof(name));
	uint64_t h[6] = { (uint64_t)(uintptr_t)name, a[1] };

	if (r == -ENAMETOOLONG)
		return -EINVAL;
	return r < 0 ? r : sys_host(SYS_memfd_create, h);
}

static int64_t put_link(struct kernel *k, gaddr buf, int64_t cap, const char *text)
{
	size_t n = strlen(text);

	if (cap <= 0)
		return -EINVAL;
	if (n > (uint64_t)cap)
		n = (size_t)cap;
	return user_put(k, buf, text, n) ? -EFAULT : (int64_t)n;
}

/* A link of /proc that speaks of a process: what it says of the guest.  False: not ours. */
static bool own_link(struct kernel *k, const char *name, enum proc_file f, char *text, size_t cap)
{
	int fd;

	if (f == PROC_EXE && k->proc.exe) {
		snprintf(text, cap, "%s", k->proc.exe);
		return true;
	}
	if (!strcmp(name, "/proc/self")) {
		snprintf(text, cap, "%d", k->proc.pid);
		return true;
	}
	if (!strcmp(name, "/proc/thread-self")) {
		snprintf(text, cap, "%d/task/%d", k->proc.pid, k->proc.current->tid);
		return true;
	}
	if (sscanf(name, "/proc/self/fd/%d", &fd) == 1 || sscanf(name, "/dev/fd/%d", &fd) == 1) {
		const struct fd_special *s = fd_special(k, fd);

		if (s && s->path) {
			snprintf(text, cap, "%s", s->path);
			return true;
		}
	}
	return false;
}

static int64_t read_link(struct kernel *k, uint64_t dirfd, gaddr user, gaddr buf, int64_t cap)
{
	char name[PATH_MAX], text[PATH_MAX];
	struct path p;
	int64_t r = memory_read_string(k->mem, name, user, sizeof(name));
	uint64_t h[6] = { dirfd, (uint64_t)(uintptr_t)p.host, (uint64_t)(uintptr_t)text,
			  sizeof(text) - 1 };

	if (r >= 0)
		r = path_at(k, (int)dirfd, name, sizeof(name));
	if (r >= 0)
		r = path_translate(k, name, PATH_SYSROOT, &p);
	if (r < 0)
		return r;
	if (own_link(k, name, p.proc, text, sizeof(text)))
		return put_link(k, buf, cap, text);
	if (cap <= 0)
		return -EINVAL;
	r = sys_host(SYS_readlinkat, h);
	if (r < 0)
		return r;
	text[r] = 0;
	return put_link(k, buf, cap, text);
}

int64_t sys_readlink(struct kernel *k, const uint64_t a[6])
{
	return read_link(k, (uint64_t)AT_FDCWD, a[0], a[1], (int32_t)a[2]);
}

int64_t sys_readlinkat(struct kernel *k, const uint64_t a[6])
{
	return read_link(k, a[0], a[1], a[2], (int32_t)a[3]);
}

/* Drop the entries of hidden descriptors from the listing of /proc/self/fd.  @name_at: where the
 * name starts in a record; its length is the 16 bits at 16. */
static int64_t drop_hidden(struct kernel *k, char *buf, int64_t n, size_t name_at)
{
	int64_t in = 0, out = 0;

	while (in < n) {
		uint16_t len;
		const char *name = buf + in + name_at;

		memcpy(&len, buf + in + 16, sizeof(len));
		if (!(name[0] >= '0' && name[0] <= '9' && fd_is_hidden(k, atoi(name)))) {
			memmove(buf + out, buf + in, len);
			out += len;
		}
		in += len;
	}
	return out;
}

static int64_t list(struct kernel *k, unsigned nr, const uint64_t a[6], size_t name_at)
{
	const struct fd_special *s = fd_special(k, (int)a[0]);
	char name[PATH_MAX];
	struct proc_who who;
	char *copy;
	int64_t r, n;

	if (!memory_in_window(a[1], (uint32_t)a[2]))
		return -EFAULT;
	memory_written(k->mem, a[1], (uint32_t)a[2]);
	if (s && s->kind == FD_PROCDIR)
		return proc_dir_read(k, (int)a[0], a[1], (uint32_t)a[2], nr == SYS_getdents64);
	do {
		r = sys_host(nr, a);
		if (r <= 0 || proc_identify(k, (int)a[0], name, sizeof(name), &who) != PROC_FD)
			return r;
		copy = xcalloc(1, (size_t)r);
		if (user_get(k, copy, a[1], (size_t)r)) {
			free(copy);
			return -EFAULT;
		}
		n = drop_hidden(k, copy, r, name_at);
		r = user_put(k, a[1], copy, (size_t)n) ? -EFAULT : n;
		free(copy);
	} while (!r); /* a whole buffer of hidden ones: not the end yet */
	return r;
}

int64_t sys_getdents(struct kernel *k, const uint64_t a[6])
{
	return list(k, SYS_getdents, a, 18);
}

int64_t sys_getdents64(struct kernel *k, const uint64_t a[6])
{
	return list(k, SYS_getdents64, a, 19);
}
