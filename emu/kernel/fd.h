/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * File descriptors.  A guest descriptor is the host descriptor of the same number; this file keeps
 * what is special about some of them: the emulator's own, which the guest neither sees nor closes,
 * and those whose content is ours (/proc/self/mem, timerfd).
 */
#ifndef VSYSEMU_KERNEL_FD_H
#define VSYSEMU_KERNEL_FD_H

#include <sys/types.h>

#include "base/types.h"

struct kernel;
struct stat;

enum fd_kind {
	FD_HIDDEN, FD_PROCTEXT, FD_PROCCOMM, FD_PROCMEM, FD_PROCDIR, FD_RANDOM, FD_TIMER, FD_SIGNAL
};

struct fd_timer {
	int clockid;
	uint64_t next_ns, interval_ns; /* virtual V of the next expiry (0: disarmed), period */
};

/* Shared by the descriptors that dup() made of one. */
struct fd_special {
	enum fd_kind kind;
	int refs;
	char *path; /* FD_PROC*: what readlink shows; owned */
	uint64_t pos; /* FD_PROCMEM, FD_PROCDIR */
	bool write; /* FD_PROCMEM, FD_PROCCOMM: opened for writing */
	pid_t pid; /* FD_PROCMEM, FD_PROCDIR: whose; FD_PROCCOMM: the thread's id */
	struct fd_timer timer; /* FD_TIMER */
	uint64_t signals; /* FD_SIGNAL: the set, bit 0 is signal 1 */
};

/* Notes which descriptors the guest inherited: those open now without FD_CLOEXEC.  Descriptors that
 * have it belong to the emulator and are hidden from now on. */
void files_init(struct kernel *k);
void files_free(struct kernel *k);
/* execve: closes what the guest marked FD_CLOEXEC. */
void files_exec(struct kernel *k);

/* For the emulator's own descriptors, opened by any floor: moved to a high number with FD_CLOEXEC,
 * out of the guest's way.  Returns the new number (the old one if that fails). */
int fd_hide(int fd);

/* What is special about @fd; NULL: nothing. */
struct fd_special *fd_special(struct kernel *k, int fd);
bool fd_is_hidden(struct kernel *k, int fd);
/* Attach a new record of @kind to @fd. */
struct fd_special *fd_attach(struct kernel *k, int fd, enum fd_kind kind);
void fd_share(struct kernel *k, int from, int to); /* after dup; @to loses what it had */
void fd_detach(struct kernel *k, int fd); /* after close */

/* Is it what the program was started with, and no plain file? */
bool fd_was_inherited(struct kernel *k, const struct stat *st);
/* Can something outside of the tree make it ready?  @depth: of epoll descriptors around it, 0. */
bool fd_is_outside(struct kernel *k, int fd, unsigned depth);

/* Before a blocking read of timerfd @fd: sleeps until its next expiry. */
void fd_timer_read_wait(struct kernel *k, int fd);
/* Adds the expiries up to now to every timerfd; V of the earliest one to come, UINT64_MAX: none. */
uint64_t fd_timers_update(struct kernel *k);

/* signalfd.c: makes signalfd @fd readable while a signal of its set is pending for the process or one of its threads. */
void fd_signal_update(struct kernel *k, int fd, const struct fd_special *s);
/* In a new child: signalfd @fd tells of the child's signals from now on, not of its parent's. */
void fd_signal_forked(struct kernel *k, int fd, const struct fd_special *s);
void fd_signals_forked(struct kernel *k);
/* The update of every signalfd: after signals came or went. */
void fd_signals_update(struct kernel *k);
/* read(2) of signalfd @fd into guest memory: bytes, or a negative errno (Linux fs/signalfd.c, signalfd_read()). */
int64_t fd_signal_read(struct kernel *k, int fd, gaddr user, uint64_t bytes);

#endif
