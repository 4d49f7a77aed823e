/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The order of things when a program is loaded: fs/exec.c begin_new_exec() and fs/binfmt_elf.c
 * load_elf_binary().  Up to commit() nothing of the old image is touched.
 */
#include "kernel/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/exec_elf.h"
#include "kernel/exec_file.h"
#include "kernel/exec_layout.h"
#include "kernel/exec_map.h"
#include "kernel/exec_stack.h"
#include "kernel/fd.h"
#include "kernel/futex.h"
#include "kernel/kernel.h"
#include "kernel/pids.h"
#include "kernel/process.h"
#include "kernel/syscall.h"
#include "kernel/timer.h"
#include "kernel/vdso.h"
#include "kernel/task.h"

int64_t exec_plan_check(const struct exec_plan *p, struct err *e)
{
	gaddr bias = p->prog.eh.e_type == ET_DYN ? EXEC_DYN_BASE - p->prog.low : 0;
	int64_t r = exec_elf_check(&p->prog, bias, EXEC_IMAGE_END, e);

	if (r || !p->prog.interp)
		return r;
	bias = p->interp.eh.e_type == ET_DYN ? EXEC_DYN_BASE - p->interp.low : 0;
	return exec_elf_check(&p->interp, bias, EXEC_IMAGE_END, e);
}

static void set_comm(struct kernel *k, const char comm[16])
{
	struct pid_slot *s = pids_self(k);

	if (k->proc.current)
		memcpy(k->proc.current->comm, comm, 16);
	if (s)
		memcpy(s->comm, comm, 16);
}

/* Empty memory, then stack, segments, vDSO, tables, registers.  0 or negative errno. */
static int64_t commit(struct kernel *k, const struct exec_plan *p, char *const envp[],
		      struct err *e)
{
	struct exec_placed prog, interp;
	struct cpu_state cpu;
	int64_t r;

	memory_clear(k->mem);
	engine_clear_zones(k->engine);
	r = exec_stack_map(k, p);
	if (r)
		return r;
	r = exec_map(k, p, &prog, &interp, e);
	if (r)
		return r;
	if (!vdso_map(k, e))
		return -ENOEXEC;
	r = exec_stack_write(k, p, envp, &prog, &interp);
	if (r < 0)
		return r;
	cpu_state_init(&cpu);
	cpu.reg[REG_RIP] = p->prog.interp ? interp.entry : prog.entry;
	cpu.reg[REG_RSP] = (uint64_t)r;
	engine_load(k->engine, &cpu);
	free(k->proc.exe);
	k->proc.exe = xstrdup(p->prog.path);
	set_comm(k, p->comm);
	k->proc.undumpable = false;
	return 0;
}

static int64_t open_all(struct kernel *k, struct exec_plan *p, const char *path,
			char *const argv[], char *const envp[], struct err *e)
{
	int64_t r = exec_plan_open(k, p, AT_FDCWD, path, argv, 0, e);

	if (!r)
		r = exec_plan_check(p, e);
	if (!r)
		r = exec_stack_check(k, p, envp);
	return r;
}

bool exec_check(struct kernel *k, const char *path, struct err *e)
{
	struct exec_plan p;
	int64_t r = open_all(k, &p, path, NULL, NULL, e);

	exec_plan_free(k, &p);
	return r ? err_set_status(e, 126, "%s: %s", path, strerror((int)-r)) : true;
}

bool exec_load(struct kernel *k, const char *path, char *const argv[], char *const envp[],
	       struct err *e)
{
	struct exec_plan p;
	int64_t r = open_all(k, &p, path, argv, envp, e);

	if (!r)
		r = commit(k, &p, envp, e);
	exec_plan_free(k, &p);
	return r ? err_set_status(e, 126, "%s: %s", path, strerror((int)-r)) : true;
}

void exec_free(struct kernel *k)
{
	free(k->proc.exe);
	k->proc.exe = NULL;
	buf_free(&k->proc.auxv);
}

/* kernel/signal.c flush_signal_handlers(); blocked and pending signals stay. */
static void reset_signals(struct kernel *k)
{
	for (unsigned s = 1; s <= SIG_MAX; s++) {
		struct sigact *a = &k->proc.act[s];
		gaddr kept = a->handler == (gaddr)(uintptr_t)SIG_IGN ? a->handler : 0;

		memset(a, 0, sizeof(*a));
		a->handler = kept;
	}
}

/* What a task forgets, begin_new_exec() and mm_release(). */
static void reset_task(struct kernel *k, struct task *t)
{
	t->tid = k->proc.pid;
	t->altstack_sp = t->altstack_size = 0;
	t->altstack_flags = SS_DISABLE;
	t->restore_mask = false;
	t->clear_child_tid = t->robust_list = 0;
	t->robust_len = 0;
	t->sud_on = false;
	t->restart = 0;
	t->orig_rax = -1;
}

/* The calling thread is the only one left, and becomes the leader. */
static void end_other_threads(struct kernel *k)
{
	struct task *self = k->proc.current;

	for (size_t i = 0; i < k->proc.tasks.n; i++) {
		if (k->proc.tasks.at[i]->state != TASK_ZOMBIE)
			futex_let_go(k, k->proc.tasks.at[i]);
		if (k->proc.tasks.at[i] != self)
			k->proc.tasks.at[i]->state = TASK_DEAD;
	}
	task_reap(k);
	if (self->tid != k->proc.pid)
		pids_thread_end(k, self->tid);
	self->tid = k->proc.pid;
}

static int64_t die(struct kernel *k, const struct err *e)
{
	struct buf b = { 0 };

	if (e->text[0] && k->warn) {
		buf_printf(&b, "execve failed when the old image was gone: %s", e->text);
		k->warn(k, b.data);
		buf_free(&b);
	}
	k->outcome.kind = OUTCOME_SIGNAL;
	k->outcome.status = SIGSEGV;
	k->outcome.si_code = SI_KERNEL;
	return SYSCALL_EXITED;
}

int64_t exec_replace(struct kernel *k, int dirfd, const char *path, char *const argv[],
		     char *const envp[], int flags)
{
	struct err e = { .text = "" };
	struct pid_slot *slot;
	struct exec_plan p;
	int64_t r = exec_plan_open(k, &p, dirfd, path, argv, flags, &e);

	if (!r)
		r = exec_stack_check(k, &p, envp);
	if (r) {
		exec_plan_free(k, &p);
		return r;
	}
	end_other_threads(k);
	timers_exec(k);
	files_exec(k);
	process_vfork_exec(k);
	slot = pids_self(k);
	if (slot)
		slot->execed = true;
	reset_signals(k);
	reset_task(k, k->proc.current);
	r = exec_plan_check(&p, &e);
	if (!r)
		r = commit(k, &p, envp, &e);
	exec_plan_free(k, &p);
	return r ? die(k, &e) : SYSCALL_REGS;
}
