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
struct task;

enum proc_file {
	PROC_NONE,
	PROC_EXE, /* the link */
	PROC_MEM, /* /proc/self/mem, by system calls on a special descriptor */
	PROC_FD, PROC_FD_ENTRY, /* the directory; an entry of a hidden descriptor */
	PROC_TASK, /* the directory of threads */
	PROC_GONE, /* a thread that there is not */
	PROC_RANDOM, /* /dev/urandom, /dev/random */
	PROC_DENIED, /* what would show the emulator */
	PROC_TEXT, /* the first of those with a text */
	PROC_MAPS = PROC_TEXT, PROC_SMAPS, PROC_STAT, PROC_STATUS, PROC_STATM, PROC_CMDLINE,
	PROC_ENVIRON, PROC_AUXV, PROC_COMM, PROC_PAGEMAP, PROC_LIMITS, PROC_CHILDREN,
	/* of another process of the tree */
	PROC_OTHER_STAT, PROC_OTHER_STATUS, PROC_OTHER_COMM, PROC_OTHER_CMDLINE, PROC_OTHER_CHILDREN,
	PROC_CPUINFO, PROC_UPTIME, PROC_SYS_STAT, PROC_VERSION, PROC_OSRELEASE, PROC_OSVERSION,
	PROC_VSYSCALL64, PROC_LOADAVG, PROC_UUID, PROC_BOOT_ID
};

#define PROC_HZ 100 /* USER_HZ */

/* Whose file: a process and a thread of it.  @alone: of the thread alone, as below task/. */
struct proc_who {
	pid_t pid, tid;
	bool alone;
};

/*
 * Which of our files @path (absolute, as the guest wrote it) is; *who: whose, for per-process files.
 * For per-process files that are the host's matter, PROC_NONE and @out is rewritten to the host's
 * ids ("/proc/HOST/cgroup"); else @out is left alone.
 */
enum proc_file proc_find(struct kernel *k, const char *path, char *out, size_t cap, struct proc_who *who);

/* Open one with a text, or a directory that is ours: a descriptor on it, or negative errno.  @flags as of open. */
int64_t proc_open(struct kernel *k, enum proc_file f, const char *path, struct proc_who who, int flags);

/* The text alone. */
int64_t proc_text(struct kernel *k, enum proc_file f, struct proc_who who, struct buf *b);

/* A host descriptor was opened on something in procfs or /dev that the lexical check did not see:
 * which of our files it is. */
enum proc_file proc_identify(struct kernel *k, int fd, char *path, size_t cap, struct proc_who *who);

/* proctask.c: texts of processes and threads, as proc_text(). */
int64_t proc_task_text(struct kernel *k, enum proc_file f, struct proc_who who, struct buf *b);
/* Run time of @t, NULL: of the whole process, in PROC_HZ. */
void proc_cpu_ticks(struct kernel *k, const struct task *t, uint64_t *user, uint64_t *system);
uint64_t proc_mapped_bytes(struct kernel *k);
/* A thread's new name, as prctl() and its comm file set it; @n bytes, 15 are taken. */
void proc_set_comm(struct kernel *k, struct task *t, const char *name, size_t n);
/* write(2) to the comm file @fd: bytes taken, or a negative errno. */
int64_t proc_comm_write(struct kernel *k, int fd, gaddr user, uint64_t bytes);
/*
 * getdents of directory @fd (FD_PROCDIR) into @bytes at @user; @wide: struct linux_dirent64.  Bytes written,
 * 0 at its end, or a negative errno.
 */
int64_t proc_dir_read(struct kernel *k, int fd, gaddr user, uint32_t bytes, bool wide);

/* Of /proc/cpuinfo: the text comes from CPUID, which the processor model answers. */
void proc_cpuinfo(struct kernel *k, struct buf *b);

#endif
