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
#include <unistd.h>

#include "kernel/kernel.h"

void path_sysroot(const struct kernel *k, const char *name, char *out)
{
	size_t n;

	if (k->sysroot && name[0] == '/') {
		n = (size_t)snprintf(out, PATH_MAX + 32, "%s%s", k->sysroot, name);
		if (n < PATH_MAX && !faccessat(-1, out, F_OK, AT_SYMLINK_NOFOLLOW))
			return;
	}
	snprintf(out, PATH_MAX + 32, "%s", name);
}

int64_t path_translate(struct kernel *k, const char *name, unsigned flags, struct path *p)
{
	pid_t pid;

	p->proc = PROC_NONE;
	if (name[0] != '/') {
		snprintf(p->host, sizeof(p->host), "%s", name);
		return 0;
	}
	if (!strncmp(name, "/proc", 5) || !strncmp(name, "/dev/", 5)) {
		snprintf(p->host, sizeof(p->host), "%s", name);
		p->proc = proc_find(k, name, p->host, sizeof(p->host), &pid);
		if (p->proc == PROC_FD_ENTRY)
			return -ENOENT;
		if (p->proc == PROC_EXE && (flags & PATH_FOLLOW) && k->proc.exe)
			path_sysroot(k, k->proc.exe, p->host);
		if (p->proc != PROC_NONE || strcmp(name, p->host) != 0)
			return 0;
	}
	if (flags & PATH_SYSROOT)
		path_sysroot(k, name, p->host);
	else
		snprintf(p->host, sizeof(p->host), "%s", name);
	return 0;
}

int64_t path_read(struct kernel *k, gaddr user, unsigned flags, struct path *p)
{
	char name[PATH_MAX];
	int64_t n = memory_read_string(k->mem, name, user, sizeof(name));

	return n < 0 ? n : path_translate(k, name, flags, p);
}
