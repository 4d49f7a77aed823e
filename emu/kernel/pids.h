/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual process ids: what the guest sees is the same in every run.  One table, shared by all
 * emulator processes of the tree, maps them to the host's and carries what a parent learns of a
 * child: its wait status and times.
 */
#ifndef VSYSEMU_KERNEL_PIDS_H
#define VSYSEMU_KERNEL_PIDS_H

#include <sys/types.h>

#include "base/types.h"

struct kernel;

enum { PID_FIRST = 1000 };

enum pid_state { PID_FREE, PID_RUNNING, PID_ENDED };

struct pid_slot {
	_Atomic int state; /* enum pid_state */
	pid_t pid, host, ppid, pgid, sid; /* virtual but @host */
	pid_t maker; /* the thread that forked it */
	char comm[16];
	int stop_signal; /* it stands because of that one; 0: the host stopped it, or it runs */
	int exit_signal; /* that its parent gets at its end; 0: none */
	/* See kernel/idle.h. */
	_Atomic bool waiting;
	_Atomic uint64_t wake_ns;
	bool vforked, execed; /* by vfork and still in its parent's memory; has called execve */
	int status; /* wait status, PID_ENDED */
	uint64_t user_ns, system_ns; /* own and waited-for children's, PID_ENDED */
	uint64_t start_ns; /* V at its begin; 0: the first process */
	uint64_t now_ns; /* V at its end */
};

/* Makes the table with the first process in it and fills pid, ppid, pgid, sid of k->proc. */
void pids_init(struct kernel *k);
void pids_free(struct kernel *k);

/* Virtual to host and back; 0: no such process of this tree.  The parent of the first process, its
 * initial group and session have ids of their own. */
pid_t pids_host(struct kernel *k, pid_t pid);
pid_t pids_virtual(struct kernel *k, pid_t host);
/* A process group or session of the tree: host id, 0: none such. */
pid_t pids_host_group(struct kernel *k, pid_t pgid);
pid_t pids_virtual_group(struct kernel *k, pid_t host);

struct pid_slot *pids_find(struct kernel *k, pid_t pid); /* by virtual id, NULL: none */
struct pid_slot *pids_self(struct kernel *k);
/* Slot number @i of the table, NULL past its end; free ones included. */
struct pid_slot *pids_at(struct kernel *k, size_t i);

/* Before fork: a slot with a new virtual id, child of the current process; NULL: table full. */
struct pid_slot *pids_new(struct kernel *k);
/* A virtual id that nobody has, for a thread. */
pid_t pids_next(struct kernel *k);

/* What others may know of a thread; the first one of a process is its pid_slot. */
struct thread_slot {
	_Atomic pid_t tid; /* 0: free; -1: being written */
	pid_t pid; /* its process */
	char comm[16];
};
/* Thread @tid of this process began, changed its name, or ended (its slot goes). */
void pids_thread(struct kernel *k, pid_t tid, const char comm[16]);
void pids_thread_end(struct kernel *k, pid_t tid);
/* The thread of process @pid with the smallest id from @from on, the first thread apart; NULL: none. */
const struct thread_slot *pids_thread_next(struct kernel *k, pid_t pid, pid_t from);
/* The process of thread @tid, first threads among them; 0: none such. */
pid_t pids_of_thread(struct kernel *k, pid_t tid);
void pids_release(struct pid_slot *s);
/* Number of processes of the tree that have not ended. */
unsigned pids_running(struct kernel *k);
/* True in the process that the user started, false in what it forked. */
bool pids_is_first(struct kernel *k);
/* The process ends with wait status @status: told to whoever waits. */
void pids_end(struct kernel *k, int status);

#endif
