/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Entry and exit of a system call, and the dispatch by the one table.  What a call does is in the
 * files of its family; what it costs and how it is told is the loop's matter.
 */
#include "kernel/syscall.h"

#include <errno.h>
#include <stdio.h>

#include "kernel/fd.h"
#include "kernel/kernel.h"
#include "kernel/seccomp.h"
#include "kernel/signal.h"
#include "kernel/sys.h"

#define SIGSYS_USER_DISPATCH 2 /* si_code SYS_USER_DISPATCH */
#define ARCH_X86_64 0xc000003eu

static bool hidden_fd(struct kernel *k, const struct sysrow *row, const uint64_t a[6])
{
	for (unsigned i = 0; i < 6; i++)
		if ((row->arg[i].kind == ARG_FD || row->arg[i].kind == ARG_DIRFD) &&
		    fd_is_hidden(k, (int)a[i]))
			return true;
	return false;
}

static int64_t dispatch(struct kernel *k, uint64_t nr, const uint64_t a[6])
{
	const struct sysrow *row = nr < SYSCALL_COUNT ? sys_row((unsigned)nr) : NULL;
	int64_t r;

	if (!row)
		return -ENOSYS; /* the loop tells the account */
	if (row->flags & SYS_ABSENT)
		return -ENOSYS;
	if (row->since && row->since > k->model->kernel->release_nr)
		return -ENOSYS;
	if (row->flags & SYS_REFUSED)
		return -EPERM;
	if (hidden_fd(k, row, a))
		return -EBADF;
	if (!row->handler && row->flags & SYS_HANDLED)
		return -ENOSYS;
	r = row->handler ? row->handler(k, a) : sys_pass(k, (unsigned)nr, row, a);
	return r == -ERESTARTSYS && (row->flags & SYS_NO_RESTART) ? -EINTR : r;
}

/* kernel/entry/syscall_user_dispatch.c: a SIGSYS instead of the call, RAX as it was. */
static bool user_dispatch(struct kernel *k, uint64_t nr)
{
	struct task *t = k->proc.current;
	gaddr rip = engine_get(k->engine, REG_RIP);
	struct vsysemu_signal s = { .signo = SIGSYS, .code = SIGSYS_USER_DISPATCH, .addr = rip, .nr = (int)nr,
				    .arch = ARCH_X86_64 };
	uint8_t state;

	if (!t->sud_on || rip - t->sud_start < t->sud_len)
		return false;
	if (t->sud_selector) {
		if (memory_read(k->mem, &state, t->sud_selector, 1)) {
			s = (struct vsysemu_signal){ .signo = SIGSEGV, .code = SI_KERNEL };
			signal_force(k, &s);
			return true;
		}
		if (state == 0)
			return false;
		if (state != 1) {
			s = (struct vsysemu_signal){ .signo = SIGSYS, .code = SI_KERNEL };
			signal_force(k, &s);
			return true;
		}
	}
	t->orig_rax = -1;
	signal_force(k, &s);
	return true;
}

uint64_t syscall_asked(struct kernel *k)
{
	uint64_t rax = engine_get(k->engine, REG_RAX);

	return k->model->kernel->release_nr >= KVER(5, 14) ? (uint64_t)(int64_t)(int32_t)rax : rax;
}

int64_t syscall_restart_later(struct kernel *k, uint64_t until_ns)
{
	struct task *t = k->proc.current;

	t->restart_nr = t->resumed_until_ns ? t->restart_nr : (unsigned)t->orig_rax;
	t->restart_until_ns = until_ns;
	return -ERESTART_RESTARTBLOCK;
}

uint64_t syscall_until(const struct kernel *k, uint64_t until_ns)
{
	return k->proc.current->resumed_until_ns ? k->proc.current->resumed_until_ns : until_ns;
}

/* The arguments are still where they were. */
int64_t sys_restart_syscall(struct kernel *k, const uint64_t a[6])
{
	struct task *t = k->proc.current;
	int64_t r;

	if (!t->restart_until_ns)
		return -EINTR;
	t->resumed_until_ns = t->restart_until_ns;
	t->restart_until_ns = 0;
	r = dispatch(k, t->restart_nr, a);
	t->resumed_until_ns = 0;
	return r;
}

enum sysret syscall_enter(struct kernel *k)
{
	struct task *t = k->proc.current;
	struct engine *e = k->engine;
	uint64_t nr = syscall_asked(k);
	int64_t r;

	engine_set(e, REG_RCX, engine_get(e, REG_RIP));
	engine_set(e, REG_R11, engine_get(e, REG_RFLAGS));
	t->orig_rax = (int64_t)engine_get(e, REG_RAX);
	t->args[0] = engine_get(e, REG_RDI);
	t->args[1] = engine_get(e, REG_RSI);
	t->args[2] = engine_get(e, REG_RDX);
	t->args[3] = engine_get(e, REG_R10);
	t->args[4] = engine_get(e, REG_R8);
	t->args[5] = engine_get(e, REG_R9);
	t->restart = 0;
	if (user_dispatch(k, nr))
		return SYSRET_SIGNAL;
	/* Before 4.0 a call with work at its exit goes the slow way, which spoils RCX (entry_64.S). */
	if (t->seccomp_mode && k->model->kernel->release_nr < KVER(4, 0))
		engine_set(e, REG_RCX, UINT64_MAX);
	switch (t->seccomp_mode ? seccomp_enter(k, (unsigned)nr, t->args, &r) : SECCOMP_GO_ON) {
	case SECCOMP_SIGNAL:
		return SYSRET_SIGNAL;
	case SECCOMP_ENDED:
		return SYSRET_EXITED;
	case SECCOMP_RESULT:
		engine_set(e, REG_RAX, (uint64_t)r);
		return SYSRET_DONE;
	case SECCOMP_GO_ON:
	default:
		break;
	}
	r = dispatch(k, nr, t->args);
	switch (r) {
	case SYSCALL_REGS:
		return SYSRET_REGS;
	case SYSCALL_BLOCKED:
		return SYSRET_BLOCKED;
	case SYSCALL_EXITED:
		return SYSRET_EXITED;
	case -ERESTARTSYS:
	case -ERESTARTNOINTR:
	case -ERESTARTNOHAND:
	case -ERESTART_RESTARTBLOCK:
		t->restart = (int)-r;
		r = -EINTR;
		break;
	default:
		break;
	}
	engine_set(e, REG_RAX, (uint64_t)r);
	return SYSRET_DONE;
}

int64_t syscall_body(struct kernel *k, unsigned nr, const uint64_t args[6], struct body_fault *f)
{
	struct body_fault none;

	if (!f)
		f = &none;
	*f = (struct body_fault){ 0 };
	switch (nr) {
	case 96:
		return body_gettimeofday(k, args, f);
	case 201:
		return body_time(k, args, f);
	case 309:
		return body_getcpu(k, args, f);
	default:
		return dispatch(k, nr, args);
	}
}
