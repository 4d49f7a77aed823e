/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a seccomp filter's answer means for a vsyscall on one kernel: known actions, the cut of
 * ERRNO, what a tracer may change.  Truth: Linux kernel/seccomp.c, __seccomp_filter().
 */
#include "facts/policy_impl.h"

#define ARCH_X86_64 0xc000003eu

enum {
	RET_KILL_THREAD = 0, RET_TRAP = 0x00030000, RET_ERRNO = 0x00050000,
	RET_USER_NOTIF = 0x7fc00000, RET_TRACE = 0x7ff00000, RET_LOG = 0x7ffc0000,
	RET_ALLOW = 0x7fff0000
};
#define RET_KILL_PROCESS 0x80000000u
#define RET_DATA 0xffffu

static enum seccomp_end skip(struct vsysemu_verdict *v, uint64_t rax)
{
	v->rax = rax;
	return SECCOMP_SKIP;
}

static enum seccomp_end killed(struct vsysemu_verdict *v, bool group)
{
	v->kind = VSYSEMU_KILL;
	v->kill_signo = SIGNO_SYS;
	v->kill_group = group;
	return SECCOMP_KILLED;
}

/* The roll-back puts the number where the arguments' owner had it: a positive rax. */
static enum seccomp_end trap(uint32_t data, struct vsysemu_verdict *v)
{
	v->kind = VSYSEMU_SIGNAL;
	v->signal = (struct vsysemu_signal){
		.signo = SIGNO_SYS, .code = CODE_SYS_SECCOMP, .err_no = (int)data,
		.addr = v->rip, .nr = vsysemu_entry_call(v->nr), .arch = ARCH_X86_64,
		.forced = true,
	};
	return skip(v, (uint64_t)v->orig_rax);
}

static enum seccomp_end traced(const struct vsysemu_seccomp_answer *a, struct vsysemu_verdict *v)
{
	if (!a->traced)
		return skip(v, (uint64_t)-ERR_NOSYS);
	v->orig_rax = a->orig_rax;
	v->rax = a->rax;
	v->rip = a->rip;
	v->rsp = a->rsp;
	for (int i = 0; i < 6; i++)
		v->args[i] = a->args[i];
	v->log.di = a->args[0];
	v->log.si = a->args[1];
	return SECCOMP_TRACED_SKIP;
}

static enum seccomp_end notified(const struct vsysemu_seccomp_answer *a, struct vsysemu_verdict *v)
{
	if (!a->listener)
		return skip(v, (uint64_t)-ERR_NOSYS);
	return a->notif_continue ? SECCOMP_GO : skip(v, a->rax);
}

static enum seccomp_end act(const struct vsysemu_profile *p,
			    const struct vsysemu_seccomp_answer *a, struct vsysemu_verdict *v)
{
	uint32_t known = p->seccomp_actions;
	uint32_t action = a->ret & (known & VSYSEMU_SECCOMP_KILL_PROCESS ? 0xffff0000u : 0x7fff0000u);
	uint32_t data = a->ret & RET_DATA;

	switch (action) {
	case RET_ALLOW:
		return SECCOMP_GO;
	case RET_ERRNO:
		return skip(v, -(uint64_t)(data > p->errno_max ? p->errno_max : data));
	case RET_TRAP:
		return trap(data, v);
	case RET_TRACE:
		return traced(a, v);
	case RET_LOG:
		if (known & VSYSEMU_SECCOMP_LOG)
			return SECCOMP_GO;
		break;
	case RET_USER_NOTIF:
		if (known & VSYSEMU_SECCOMP_USER_NOTIF)
			return notified(a, v);
		break;
	case RET_KILL_THREAD:
		return killed(v, false);
	case RET_KILL_PROCESS:
		return killed(v, true);
	}
	return killed(v, known & VSYSEMU_SECCOMP_UNKNOWN_GROUP);
}

enum seccomp_end policy_seccomp(const struct vsysemu_profile *p, const struct vsysemu_guest *g,
				struct vsysemu_verdict *v)
{
	struct vsysemu_seccomp_data data = {
		.nr = vsysemu_entry_call(v->nr), .arch = ARCH_X86_64, .ip = v->rip,
	};
	struct vsysemu_seccomp_answer a = {
		.orig_rax = v->orig_rax, .rax = v->rax, .rip = v->rip, .rsp = v->rsp,
	};

	for (int i = 0; i < 6; i++)
		data.args[i] = a.args[i] = v->args[i];
	g->seccomp(g->ctx, &data, &a);
	return act(p, &a, v);
}
