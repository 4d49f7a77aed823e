/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What /proc says of processes and threads: stat, status, comm, children, and the list of threads.  Of another
 * process of the tree it says what the shared table knows.  Linux fs/proc/array.c, fs/proc/base.c.
 */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/fd.h"
#include "kernel/idle.h"
#include "kernel/kernel.h"
#include "kernel/pids.h"
#include "kernel/procfs.h"
#include "kernel/sys.h"
#include "kernel/task.h"
#include "kernel/uaccess.h"

#define COMM_BYTES 16u
#define SHOWN_SIGNALS 0x7fffffffu /* stat has the first 31 */

uint64_t proc_mapped_bytes(struct kernel *k)
{
	const struct vma *v = NULL;
	uint64_t n = 0;

	while ((v = memory_next(k->mem, v)))
		n += v->end - v->start;
	return n;
}

void proc_cpu_ticks(struct kernel *k, const struct task *t, uint64_t *user, uint64_t *system)
{
	uint64_t u = k->clock.user_cycles16, s = k->clock.system_cycles16;

	if (t)
		task_times(k, t, &u, &s);
	clock_cpu_ns(&k->clock, u, s, user, system);
	*user /= NS_PER_S / PROC_HZ;
	*system /= NS_PER_S / PROC_HZ;
}

static uint64_t signals_with(struct kernel *k, gaddr handler, bool equal)
{
	uint64_t set = 0;

	for (int n = 1; n <= SIG_MAX; n++)
		if ((k->proc.act[n].handler == handler) == equal && k->proc.act[n].handler)
			if (equal || k->proc.act[n].handler > 1)
				set |= SIGBIT(n);
	return set;
}

static uint64_t start_ticks(struct kernel *k, uint64_t start_ns)
{
	if (!start_ns)
		start_ns = k->clock.start_ns;
	return (start_ns + (uint64_t)k->clock.boot_offset_ns) / (NS_PER_S / PROC_HZ);
}

static const char *state_text(struct kernel *k, const struct task *t)
{
	if (t->state == TASK_ZOMBIE || t->state == TASK_DEAD)
		return "Z (zombie)";
	return t->state == TASK_BLOCKED && t != k->proc.current ? "S (sleeping)" : "R (running)";
}

static void stat_text(struct kernel *k, struct proc_who who, const struct task *t, struct buf *b)
{
	const struct process *p = &k->proc;
	const struct pid_slot *s = pids_self(k);
	uint64_t user, sys, mapped = proc_mapped_bytes(k), tick = NS_PER_S / PROC_HZ;

	proc_cpu_ticks(k, who.alone ? t : NULL, &user, &sys);
	buf_printf(b, "%d (%s) %c %d %d %d 0 -1 4194304 0 0 0 0 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64
		   " 20 0 %zu 0 %" PRIu64 " ", t->tid, t->comm, *state_text(k, t), p->ppid, s ? s->pgid : p->pgid,
		   s ? s->sid : p->sid, user, sys, s ? s->user_ns / tick : 0, s ? s->system_ns / tick : 0,
		   task_count(k), start_ticks(k, t->start_ns));
	buf_printf(b, "%" PRIu64 " %" PRIu64 " 18446744073709551615 0 0 %" PRIu64 " 0 0 %" PRIu64 " %" PRIu64 " %" PRIu64
		   " %" PRIu64 " 0 0 0 %d %u 0 0 0 0 0 0 0 0 %" PRIu64 " %" PRIu64 " %" PRIu64 " %" PRIu64 " 0\n",
		   mapped, mapped / PAGE_BYTES, p->stack_top, t->pending.set & SHOWN_SIGNALS, t->mask & SHOWN_SIGNALS,
		   signals_with(k, 1, true) & SHOWN_SIGNALS, signals_with(k, 1, false) & SHOWN_SIGNALS,
		   t->tid == p->pid ? s && s->exit_signal ? s->exit_signal : 17 : -1, t->cpu_nr,
		   p->arg_start, p->arg_end, p->env_start, p->env_end);
}

/* What of the host's status of process @pid is the guest's as well: lines that begin with one of @names. */
static void host_lines(pid_t pid, const char *const *names, struct buf *b)
{
	char path[40], line[512];
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/status", pid);
	f = fopen(path, "re");
	while (f && fgets(line, sizeof(line), f))
		for (const char *const *n = names; *n; n++)
			if (!strncmp(line, *n, strlen(*n)))
				buf_printf(b, "%s", line);
	if (f)
		fclose(f);
}

/* The name, with what would end the line escaped. */
static void name_line(struct buf *b, const char *comm)
{
	buf_printf(b, "Name:\t");
	for (size_t i = 0; i < COMM_BYTES && comm[i]; i++)
		if (comm[i] == '\n' || comm[i] == '\\')
			buf_printf(b, "\\%c", comm[i] == '\n' ? 'n' : '\\');
		else
			buf_add(b, &comm[i], 1);
	buf_add(b, "\n", 1);
}

/* "Cpus_allowed:" as a mask in groups of 32, and as a list of ranges. */
static void cpus_lines(struct kernel *k, const struct task *t, struct buf *b)
{
	unsigned cpus = k->cpus ? k->cpus : 1, groups = (cpus + 31) / 32;
	const char *comma = "";

	buf_printf(b, "Cpus_allowed:\t");
	for (unsigned g = groups; g-- > 0;) {
		unsigned width = g == groups - 1 ? (cpus - 32 * g + 3) / 4 : 8;
		uint32_t bits = (uint32_t)(t->affinity[g / 2] >> (g % 2 * 32));

		if (g == groups - 1 && cpus % 32)
			bits &= (1u << cpus % 32) - 1;
		buf_printf(b, "%0*" PRIx32 "%s", (int)width, bits, g ? "," : "\nCpus_allowed_list:\t");
	}
	for (unsigned i = 0; i < cpus; i++) {
		unsigned first = i;

		if (!(t->affinity[i / 64] >> (i % 64) & 1))
			continue;
		while (i + 1 < cpus && t->affinity[(i + 1) / 64] >> ((i + 1) % 64) & 1)
			i++;
		buf_printf(b, i > first ? "%s%u-%u" : "%s%u", comma, first, i);
		comma = ",";
	}
	buf_add(b, "\n", 1);
}

static void status_text(struct kernel *k, const struct task *t, struct buf *b)
{
	static const char *const ids[] = { "Uid:", "Gid:", NULL }, *const groups[] = { "Groups:", NULL };
	static const char *const caps[] = { "Cap", NULL };
	const struct process *p = &k->proc;
	unsigned long kb = (unsigned long)(proc_mapped_bytes(k) / 1024);

	name_line(b, t->comm);
	buf_printf(b, "Umask:\t%04o\nState:\t%s\nTgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t0\n",
		   (unsigned)p->umask, state_text(k, t), p->pid, t->tid, p->ppid);
	host_lines(getpid(), ids, b);
	buf_printf(b, "FDSize:\t64\n");
	host_lines(getpid(), groups, b);
	buf_printf(b, "VmPeak:\t%8lu kB\nVmSize:\t%8lu kB\nVmLck:\t       0 kB\nVmHWM:\t%8lu kB\n"
		   "VmRSS:\t%8lu kB\nThreads:\t%zu\nSigQ:\t0/0\nSigPnd:\t%016" PRIx64 "\nShdPnd:\t%016" PRIx64 "\n"
		   "SigBlk:\t%016" PRIx64 "\nSigIgn:\t%016" PRIx64 "\nSigCgt:\t%016" PRIx64 "\n",
		   kb, kb, kb, kb, task_count(k), t->pending.set, p->pending.set, t->mask, signals_with(k, 1, true),
		   signals_with(k, 1, false));
	host_lines(getpid(), caps, b);
	buf_printf(b, "NoNewPrivs:\t%d\nSeccomp:\t%d\nSpeculation_Store_Bypass:\tvulnerable\n", t->no_new_privs,
		   t->seccomp_mode);
	cpus_lines(k, t, b);
	buf_printf(b, "Mems_allowed:\t1\nMems_allowed_list:\t0\nvoluntary_ctxt_switches:\t0\n"
		   "nonvoluntary_ctxt_switches:\t0\n");
}

/* The state of another process: what the host cannot hide. */
static const char *other_state(const struct pid_slot *s)
{
	if (s->state == PID_ENDED)
		return "Z (zombie)";
	return s->host && idle_host_state(s->host) == 'T' ? "T (stopped)" : "S (sleeping)";
}

static size_t other_threads(struct kernel *k, const struct pid_slot *s)
{
	const struct thread_slot *t = NULL;
	size_t n = 1;

	while (s->state == PID_RUNNING && (t = pids_thread_next(k, s->pid, t ? t->tid + 1 : 1)))
		n++;
	return n;
}

static void other_status(struct kernel *k, const struct pid_slot *s, pid_t tid, const char *comm, struct buf *b)
{
	static const char *const ids[] = { "Uid:", "Gid:", "FDSize:", "Groups:", NULL }, *const caps[] = { "Cap", NULL };

	name_line(b, comm);
	buf_printf(b, "State:\t%s\nTgid:\t%d\nNgid:\t0\nPid:\t%d\nPPid:\t%d\nTracerPid:\t0\n", other_state(s), s->pid, tid,
		   s->ppid);
	host_lines(s->host, ids, b);
	buf_printf(b, "Threads:\t%zu\n", other_threads(k, s));
	host_lines(s->host, caps, b);
}

static int64_t other_text(struct kernel *k, enum proc_file f, struct proc_who who, struct buf *b)
{
	const struct pid_slot *s = pids_find(k, who.pid);
	const struct thread_slot *t = who.tid == who.pid ? NULL : pids_thread_next(k, who.pid, who.tid);
	const char *comm = s ? s->comm : NULL;

	if (!s || (who.tid != who.pid && (!t || t->tid != who.tid)))
		return -ENOENT;
	if (t)
		comm = t->comm;
	if (f == PROC_OTHER_COMM)
		buf_printf(b, "%.16s\n", comm);
	else if (f == PROC_OTHER_CMDLINE)
		buf_add(b, s->comm, strnlen(s->comm, COMM_BYTES) + 1);
	else if (f == PROC_OTHER_STATUS)
		other_status(k, s, who.tid, comm, b);
	else
		buf_printf(b, "%d (%.16s) %c %d %d %d 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 %zu 0 %" PRIu64 " 0 0 "
			   "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 %d 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
			   who.tid, comm, *other_state(s), s->ppid, s->pgid, s->sid, other_threads(k, s),
			   start_ticks(k, s->start_ns), t ? -1 : s->exit_signal);
	return 0;
}

/* Children of thread who.tid; those of threads that ended are the first one's. */
static void children_text(struct kernel *k, struct proc_who who, struct buf *b)
{
	const struct pid_slot *s;

	for (size_t i = 0; (s = pids_at(k, i)); i++) {
		pid_t maker = s->maker;

		if (s->state == PID_FREE || s->ppid != who.pid)
			continue;
		if (maker != who.pid && pids_of_thread(k, maker) != who.pid)
			maker = who.pid;
		if (maker == who.tid)
			buf_printf(b, "%d ", s->pid);
	}
}

int64_t proc_task_text(struct kernel *k, enum proc_file f, struct proc_who who, struct buf *b)
{
	const struct task *t = who.pid == k->proc.pid ? task_find(k, who.tid) : NULL;

	switch (f) {
	case PROC_CHILDREN:
	case PROC_OTHER_CHILDREN:
		children_text(k, who, b);
		return 0;
	case PROC_STAT:
	case PROC_STATUS:
	case PROC_COMM:
		if (!t)
			return -ESRCH;
		if (f == PROC_STAT)
			stat_text(k, who, t, b);
		else if (f == PROC_STATUS)
			status_text(k, t, b);
		else
			buf_printf(b, "%s\n", t->comm);
		return 0;
	default:
		return other_text(k, f, who, b);
	}
}

void proc_set_comm(struct kernel *k, struct task *t, const char *name, size_t n)
{
	memset(t->comm, 0, sizeof(t->comm));
	memcpy(t->comm, name, strnlen(name, n < COMM_BYTES ? n : COMM_BYTES - 1));
	pids_thread(k, t->tid, t->comm);
}

int64_t proc_comm_write(struct kernel *k, int fd, gaddr user, uint64_t bytes)
{
	const struct fd_special *s = fd_special(k, fd);
	struct task *t = task_find(k, s->pid);
	size_t n = bytes < COMM_BYTES ? (size_t)bytes : COMM_BYTES - 1;
	char name[COMM_BYTES] = { 0 }, text[COMM_BYTES + 1];
	int len;

	if (!s->write)
		return -EBADF;
	if (user_get(k, name, user, n))
		return -EFAULT;
	if (!t)
		return -EINVAL; /* only threads of its own process name it */
	proc_set_comm(k, t, name, n);
	/* What this descriptor reads from now on. */
	len = snprintf(text, sizeof(text), "%s\n", t->comm);
	if (pwrite(fd, text, (size_t)len, 0) != len || ftruncate(fd, len))
		return -EIO;
	return (int64_t)bytes;
}

/* One record of getdents at @at of @room bytes; its length, 0: no room.  Linux fs/readdir.c. */
static size_t put_entry(char *at, size_t room, bool wide, pid_t id, const char *name, uint64_t next)
{
	size_t head = wide ? 19 : 18, n = strlen(name), len = (head + n + (wide ? 1 : 2) + 7) / 8 * 8;
	uint64_t ino = 0x10000u + (uint64_t)id;
	uint16_t reclen = (uint16_t)len;

	if (len > room)
		return 0;
	memset(at, 0, len);
	memcpy(at, &ino, 8);
	memcpy(at + 8, &next, 8);
	memcpy(at + 16, &reclen, 2);
	memcpy(at + head, name, n);
	at[wide ? 18 : len - 1] = DT_DIR;
	return len;
}

/* The next thread from @from on: the smallest id that is not less; 0: none. */
static pid_t next_thread(struct kernel *k, pid_t pid, pid_t from)
{
	const struct thread_slot *t;

	if (!pids_find(k, pid))
		return 0;
	if (pids_find(k, pid)->state == PID_ENDED)
		return from <= pid ? pid : 0;
	t = pids_thread_next(k, pid, from);
	return from <= pid && (!t || pid < t->tid) ? pid : t ? t->tid : 0;
}

int64_t proc_dir_read(struct kernel *k, int fd, gaddr user, uint32_t bytes, bool wide)
{
	struct fd_special *s = fd_special(k, fd);
	size_t room = bytes < 65536 ? bytes : 65536, n = 0;
	char *out = xcalloc(1, room + 1);
	uint64_t pos = s->pos;
	bool full = false;
	int64_t r;

	while (!full) {
		pid_t tid = pos < 2 ? (pid_t)pos : next_thread(k, s->pid, pos < INT32_MAX ? (pid_t)pos : INT32_MAX);
		char name[16];
		size_t len;

		if (pos >= 2 && !tid)
			break;
		snprintf(name, sizeof(name), "%d", tid);
		len = put_entry(out + n, room - n, wide, tid, pos == 0 ? "." : pos == 1 ? ".." : name, (uint64_t)tid + 1);
		full = !len;
		n += len;
		pos = full ? pos : (uint64_t)tid + 1;
	}
	r = full && !n ? -EINVAL : user_put(k, user, out, n) ? -EFAULT : (int64_t)n;
	if (r >= 0)
		s->pos = pos;
	free(out);
	return r;
}
