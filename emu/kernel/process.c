/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Processes.  fork is a host fork of the emulator; the child carries on with its own engine and
 * memory.  vfork and posix_spawn share memory with the parent, which waits: here the child is a copy
 * too, and when it ends without execve the parent takes over what it wrote.
 */
#include "kernel/process.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

#include "kernel/fd.h"
#include "kernel/futex.h"
#include "kernel/ident.h"
#include "kernel/idle.h"
#include "kernel/pids.h"
#include "kernel/random.h"
#include "kernel/sched.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/task.h"
#include "kernel/uaccess.h"

void process_init(struct kernel *k)
{
	struct pid_slot *s;

	files_init(k);
	pids_init(k);
	rlimit_init(k);
	k->proc.vfork_fd = -1;
	s = pids_self(k);
	if (s && k->proc.current)
		memcpy(s->comm, k->proc.current->comm, sizeof(s->comm));
}

void process_free(struct kernel *k)
{
	files_free(k);
	pids_free(k);
}

/* vfork's end: 'x' in place of execve, then the parent may read our memory until it says so. */
static void vfork_done(struct kernel *k, char how)
{
	int fd = k->proc.vfork_fd;
	char c;

	if (fd < 0)
		return;
	if (write(fd, &how, 1) == 1 && how == 'x' && read(fd, &c, 1) < 0)
		c = 0;
	close(fd);
	fd_detach(k, fd);
	k->proc.vfork_fd = -1;
}

void process_vfork_exec(struct kernel *k)
{
	vfork_done(k, 'e');
}

void process_end(struct kernel *k)
{
	struct pid_slot *s = pids_self(k);
	uint64_t user = 0, sys = 0;

	if (s && s->state == PID_ENDED)
		return;
	for (size_t i = 0; i < k->proc.tasks.n; i++)
		if (k->proc.tasks.at[i]->state == TASK_RUNNING || k->proc.tasks.at[i]->state == TASK_BLOCKED)
			futex_let_go(k, k->proc.tasks.at[i]);
	vfork_done(k, 'x');
	if (!s)
		return;
	clock_cpu_ns(&k->clock, k->clock.user_cycles16, k->clock.system_cycles16, &user, &sys);
	s->user_ns += user;
	s->system_ns += sys;
	pids_end(k, k->outcome.kind == OUTCOME_EXIT ? (k->outcome.status & 0xff) << 8 :
		    k->outcome.kind == OUTCOME_SIGNAL ? k->outcome.status & 0x7f :
							124 << 8);
}

/* The parent of a vfork: what the child wrote before it ended is ours as well. */
static void take_over(struct kernel *k, pid_t child)
{
	const struct vma *v = NULL;
	enum { CHUNK = 1 << 16 };
	char *theirs = xcalloc(1, CHUNK), *ours = xcalloc(1, CHUNK);

	while ((v = memory_next(k->mem, v))) {
		if (!(v->prot & PROT_WRITE) || (v->flags & MAP_SHARED))
			continue;
		for (gaddr a = v->start; a < v->end; a += CHUNK) {
			size_t n = v->end - a < CHUNK ? (size_t)(v->end - a) : CHUNK;
			struct iovec local = { theirs, n };
			struct iovec remote = { memory_host(a), n };

			if (process_vm_readv(child, &local, 1, &remote, 1, 0) != (ssize_t)n ||
			    memory_read(k->mem, ours, a, n))
				continue;
			if (memcmp(ours, theirs, n) != 0)
				memory_write(k->mem, a, theirs, n);
		}
	}
	free(theirs);
	free(ours);
}

static void vfork_wait(struct kernel *k, int fd, pid_t child)
{
	ssize_t n;
	char c;

	idle_begin(k, UINT64_MAX);
	do
		n = read(fd, &c, 1);
	while (n < 0 && errno == EINTR);
	idle_end(k);
	if (n == 1 && c == 'x') {
		take_over(k, child);
		if (write(fd, &c, 1) < 0)
			c = 0; /* the child is gone already */
	}
	close(fd);
}

/* In the child: what fork does not hand on (fork(2)). */
static void become_child(struct kernel *k, struct pid_slot *s, int vfork_fd)
{
	struct process *p = &k->proc;
	struct task *t = p->current;

	s->host = getpid();
	memory_forked(k->mem);
	p->ppid = p->pid;
	p->pid = s->pid;
	t->tid = s->pid;
	t->start_ns = s->start_ns;
	for (size_t i = 0; i < p->tasks.n; i++)
		if (p->tasks.at[i] != t)
			p->tasks.at[i]->state = TASK_DEAD;
	task_reap(k);
	t->pending.set = p->pending.set = 0;
	t->pending.q.n = p->pending.q.n = 0;
	t->robust_list = 0;
	t->clear_child_tid = 0;
	t->pdeath_signal = 0;
	k->clock.user_cycles16 = k->clock.system_cycles16 = 0;
	sched_forked(k);
	if (p->vfork_fd >= 0) {
		close(p->vfork_fd);
		fd_detach(k, p->vfork_fd);
	}
	p->vfork_fd = vfork_fd;
	if (vfork_fd >= 0)
		fd_attach(k, vfork_fd, FD_HIDDEN);
	fd_signals_forked(k);
	random_fork(k);
	if (k->forked)
		k->forked(k, true);
}

static int64_t child_side(struct kernel *k, const struct clone_request *c)
{
	struct task *t = k->proc.current;
	pid_t tid = t->tid;

	if (c->stack)
		engine_set(k->engine, REG_RSP, c->stack);
	if (c->flags & CLONE_SETTLS)
		engine_set(k->engine, REG_FS_BASE, c->tls);
	if (c->flags & CLONE_CHILD_SETTID)
		user_put(k, c->child_tid, &tid, sizeof(tid));
	if (c->flags & CLONE_CHILD_CLEARTID)
		t->clear_child_tid = c->child_tid;
	/* flush_signal_handlers() that keeps what is ignored: the default is as good for the rest. */
	for (int s = 1; c->flags & PROCESS_CLEAR_SIGHAND && s <= SIG_MAX; s++)
		if (k->proc.act[s].handler > 1)
			k->proc.act[s] = (struct sigact){ 0 };
	/* The alternate stack goes only where memory is shared (copy_process). */
	if ((c->flags & (CLONE_VM | CLONE_VFORK)) == CLONE_VM)
		t->altstack_sp = t->altstack_size = 0;
	return 0;
}

/* The descriptor of a child that cannot have been waited for. */
static void put_pidfd(struct kernel *k, gaddr user, pid_t host)
{
	uint64_t h[6] = { (uint64_t)host };
	int fd = (int)sys_host(SYS_pidfd_open, h);

	if (fd >= 0)
		user_put(k, user, &fd, sizeof(fd));
}

static int64_t make_process(struct kernel *k, const struct clone_request *c)
{
	int pair[2] = { -1, -1 };
	struct pid_slot *s = pids_new(k);
	pid_t host, pid;

	if (!s)
		return -EAGAIN;
	memcpy(s->comm, k->proc.current->comm, sizeof(s->comm));
	s->exit_signal = c->exit_signal;
	if ((c->flags & CLONE_VFORK) && socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair)) {
		pids_release(s);
		return -EAGAIN;
	}
	if (pair[0] >= 0) {
		pair[0] = fd_hide(pair[0]);
		pair[1] = fd_hide(pair[1]);
		s->vforked = true;
	}
	pid = s->pid;
	k->proc.family = true;
	fflush(NULL);
	if (k->forking)
		k->forking(k, pid);
	host = fork();
	if (host < 0) {
		if (k->forking)
			k->forking(k, 0);
		pids_release(s);
		close(pair[0]);
		close(pair[1]);
		return -EAGAIN;
	}
	if (!host) {
		close(pair[0]);
		become_child(k, s, pair[1]);
		return child_side(k, c);
	}
	s->host = host;
	if (k->forked)
		k->forked(k, false);
	if (c->flags & CLONE_PARENT_SETTID)
		user_put(k, c->parent_tid, &pid, sizeof(pid));
	if (c->flags & CLONE_PIDFD)
		put_pidfd(k, c->pidfd, host);
	if (pair[0] >= 0) {
		close(pair[1]);
		vfork_wait(k, pair[0], host);
	}
	return pid;
}

static int64_t make_thread(struct kernel *k, const struct clone_request *c)
{
	struct task *t = task_new(k, pids_next(k));
	pid_t tid;

	if (!t)
		return -EAGAIN;
	tid = t->tid;
	t->cpu.reg[REG_RAX] = 0;
	if (c->stack)
		t->cpu.reg[REG_RSP] = c->stack;
	if (c->flags & CLONE_SETTLS)
		t->cpu.reg[REG_FS_BASE] = c->tls;
	if (c->flags & CLONE_PARENT_SETTID)
		user_put(k, c->parent_tid, &tid, sizeof(tid));
	if (c->flags & CLONE_CHILD_SETTID)
		user_put(k, c->child_tid, &tid, sizeof(tid));
	if (c->flags & CLONE_CHILD_CLEARTID)
		t->clear_child_tid = c->child_tid;
	if (k->threaded)
		k->threaded(k);
	return tid;
}

int64_t process_clone(struct kernel *k, const struct clone_request *c)
{
	if (c->flags & CLONE_THREAD)
		return make_thread(k, c);
	/* Shared memory without vfork: another scheduler's process; copies are the nearest thing. */
	if ((c->flags & CLONE_VM) && !(c->flags & CLONE_VFORK) && k->warn)
		k->warn(k, "clone with shared memory: the child got a copy");
	return make_process(k, c);
}

static int64_t end_process(struct kernel *k, uint64_t status)
{
	k->outcome.kind = OUTCOME_EXIT;
	k->outcome.status = (int)(status & 0xff);
	return SYSCALL_EXITED;
}

int64_t sys_exit(struct kernel *k, const uint64_t a[6])
{
	if (!task_alone(k)) {
		futex_let_go(k, k->proc.current);
		task_end(k, (int)(a[0] & 0xff) << 8);
	}
	return end_process(k, a[0]);
}

int64_t sys_exit_group(struct kernel *k, const uint64_t a[6])
{
	return end_process(k, a[0]);
}
