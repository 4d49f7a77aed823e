/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The files of /proc and /dev whose content is the guest's: their text is generated when they are
 * opened.  Formats: Linux fs/proc/, proc(5).
 */
#ifndef VSYSEMU_KERNEL_PROCFS_H
#define VSYSEMU_KERNEL_PROCFS_H

#include <sys/types.h>

#include "base/buf.h"
#include "base/types.h"

struct kernel;

enum proc_file {
	PROC_NONE,
	PROC_EXE, /* the link */
	PROC_MEM, /* /proc/self/mem, by system calls on a special descriptor */
	PROC_FD, PROC_FD_ENTRY, /* the directory; an entry of a hidden descriptor */
	PROC_RANDOM, /* /dev/urandom, /dev/random */
	PROC_DENIED, /* what would show the emulator */
	PROC_TEXT, /* the first of those with a text */
	PROC_MAPS = PROC_TEXT, PROC_SMAPS, PROC_STAT, PROC_STATUS, PROC_STATM, PROC_CMDLINE,
	PROC_ENVIRON, PROC_AUXV, PROC_COMM, PROC_PAGEMAP, PROC_LIMITS,
	PROC_OTHER_STAT, PROC_OTHER_COMM, PROC_OTHER_CMDLINE, /* of another process of the tree */
	PROC_CPUINFO, PROC_UPTIME, PROC_SYS_STAT, PROC_VERSION, PROC_OSRELEASE, PROC_OSVERSION,
	PROC_VSYSCALL64, PROC_LOADAVG, PROC_UUID, PROC_BOOT_ID
};

/*
 * Which of our files @path (absolute, as the guest wrote it) is; *pid: whose, for per-process files.
 * For per-process files that are the host's matter, PROC_NONE and @out is rewritten to the host's
 * ids ("/proc/HOST/cgroup"); else @out is left alone.
 */
enum proc_file proc_find(struct kernel *k, const char *path, char *out, size_t cap, pid_t *pid);

/* Open one with a text: a read-only descriptor on it, or negative errno.  @flags as of open. */
int64_t proc_open(struct kernel *k, enum proc_file f, const char *path, pid_t pid, int flags);

/* The text alone. */
int64_t proc_text(struct kernel *k, enum proc_file f, pid_t pid, struct buf *b);

/* A host descriptor was opened on something in procfs or /dev that the lexical check did not see:
 * which of our files it is. */
enum proc_file proc_identify(struct kernel *k, int fd, char *path, size_t cap, pid_t *pid);

/* Of /proc/cpuinfo: the text comes from CPUID, which the processor model answers. */
void proc_cpuinfo(struct kernel *k, struct buf *b);

#endif
