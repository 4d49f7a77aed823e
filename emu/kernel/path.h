/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a guest path means on the host: the sysroot of -L first, and the files of /proc that must
 * speak of the guest, not of the emulator.
 */
#ifndef VSYSEMU_KERNEL_PATH_H
#define VSYSEMU_KERNEL_PATH_H

#include <limits.h>

#include "base/types.h"
#include "kernel/procfs.h"

struct kernel;

enum {
	PATH_FOLLOW = 1, /* the last component is followed if it is a link */
	PATH_SYSROOT = 2 /* try the sysroot first (paths that must exist) */
};

struct path {
	char host[PATH_MAX + 32]; /* what to hand to the host */
	enum proc_file proc; /* PROC_NONE: an ordinary path */
};

/* Reads the string at @user, relative to @dirfd (AT_FDCWD: the current folder), and translates it.  0, -EFAULT,
 * -ENAMETOOLONG or -ENOENT. */
int64_t path_read(struct kernel *k, int dirfd, gaddr user, unsigned flags, struct path *p);
/* A relative @name below a directory whose entries are ours (FD_PROCDIR) becomes an absolute one, in place. */
int64_t path_at(struct kernel *k, int dirfd, char *name, size_t cap);
/* The same for a string of ours. */
int64_t path_translate(struct kernel *k, const char *name, unsigned flags, struct path *p);
/* @name below the sysroot if it exists there, else @name; absolute links in it stay in it.  @follow: the last
 * component, too.  @out has PATH_MAX + 32 bytes. */
void path_sysroot(const struct kernel *k, const char *name, bool follow, char *out);

#endif
