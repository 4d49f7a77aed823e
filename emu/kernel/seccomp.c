/* SPDX-License-Identifier: GPL-2.0-or-later */
/* seccomp: see seccomp.h.  Rules: Linux kernel/seccomp.c; classic BPF: net/core/filter.c. */
#include "kernel/seccomp.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "kernel/klog.h"
#include "kernel/signal.h"
#include "kernel/sys.h"
#include "kernel/task.h"
#include "kernel/syscall.h"
#include "kernel/uaccess.h"

#define INSNS_MAX 4096u
#define PATH_MAX_INSNS 32768u
#define PATH_PENALTY 4u
#define DATA_BYTES 64u
#define SIGSYS_SECCOMP 1 /* si_code SYS_SECCOMP */

struct seccomp_filter {
	struct seccomp_filter *prev; /* older; owned (never freed before the process ends: fork copies all) */
	bool log;
	uint32_t n;
	struct sock_filter insn[];
};

/* seccomp_check_filter() after bpf_check_classic(): what may be in a filter. */
static bool code_allowed(uint16_t code)
{
	switch (code) {
	case BPF_LD | BPF_W | BPF_ABS: case BPF_LD | BPF_W | BPF_LEN: case BPF_LDX | BPF_W | BPF_LEN:
	case BPF_RET | BPF_K: case BPF_RET | BPF_A:
	case BPF_ALU | BPF_ADD | BPF_K: case BPF_ALU | BPF_ADD | BPF_X:
	case BPF_ALU | BPF_SUB | BPF_K: case BPF_ALU | BPF_SUB | BPF_X:
	case BPF_ALU | BPF_MUL | BPF_K: case BPF_ALU | BPF_MUL | BPF_X:
	case BPF_ALU | BPF_DIV | BPF_K: case BPF_ALU | BPF_DIV | BPF_X:
	case BPF_ALU | BPF_AND | BPF_K: case BPF_ALU | BPF_AND | BPF_X:
	case BPF_ALU | BPF_OR | BPF_K: case BPF_ALU | BPF_OR | BPF_X:
	case BPF_ALU | BPF_XOR | BPF_K: case BPF_ALU | BPF_XOR | BPF_X:
	case BPF_ALU | BPF_LSH | BPF_K: case BPF_ALU | BPF_LSH | BPF_X:
	case BPF_ALU | BPF_RSH | BPF_K: case BPF_ALU | BPF_RSH | BPF_X:
	case BPF_ALU | BPF_NEG:
	case BPF_LD | BPF_IMM: case BPF_LDX | BPF_IMM:
	case BPF_MISC | BPF_TAX: case BPF_MISC | BPF_TXA:
	case BPF_LD | BPF_MEM: case BPF_LDX | BPF_MEM: case BPF_ST: case BPF_STX:
	case BPF_JMP | BPF_JA:
	case BPF_JMP | BPF_JEQ | BPF_K: case BPF_JMP | BPF_JEQ | BPF_X:
	case BPF_JMP | BPF_JGE | BPF_K: case BPF_JMP | BPF_JGE | BPF_X:
	case BPF_JMP | BPF_JGT | BPF_K: case BPF_JMP | BPF_JGT | BPF_X:
	case BPF_JMP | BPF_JSET | BPF_K: case BPF_JMP | BPF_JSET | BPF_X:
		return true;
	default:
		return false;
	}
}

static bool insn_ok(const struct sock_filter *p, uint32_t i, uint32_t n)
{
	const struct sock_filter *f = &p[i];

	if (!code_allowed(f->code))
		return false;
	switch (f->code) {
	case BPF_ALU | BPF_DIV | BPF_K:
		return f->k;
	case BPF_ALU | BPF_LSH | BPF_K:
	case BPF_ALU | BPF_RSH | BPF_K:
		return f->k < 32;
	case BPF_LD | BPF_MEM:
	case BPF_LDX | BPF_MEM:
	case BPF_ST:
	case BPF_STX:
		return f->k < BPF_MEMWORDS;
	case BPF_JMP | BPF_JA:
		return f->k < n - i - 1;
	case BPF_LD | BPF_W | BPF_ABS:
		return f->k < DATA_BYTES && !(f->k & 3);
	default:
		if (BPF_CLASS(f->code) == BPF_JMP)
			return i + f->jt + 1 < n && i + f->jf + 1 < n;
		return true;
	}
}

/* check_load_and_stores(): memory is read only where it was written on every way. */
static bool memory_ok(const struct sock_filter *p, uint32_t n)
{
	uint16_t *at = xcalloc(n, sizeof(*at)), valid = 0;
	bool ok = true;

	memset(at, 0xff, n * sizeof(*at));
	for (uint32_t i = 0; i < n && ok; i++) {
		valid &= at[i];
		switch (p[i].code) {
		case BPF_ST:
		case BPF_STX:
			valid |= (uint16_t)(1u << p[i].k);
			break;
		case BPF_LD | BPF_MEM:
		case BPF_LDX | BPF_MEM:
			ok = valid >> p[i].k & 1;
			break;
		case BPF_JMP | BPF_JA:
			at[i + 1 + p[i].k] &= valid;
			valid = 0xffff;
			break;
		default:
			if (BPF_CLASS(p[i].code) == BPF_JMP) {
				at[i + 1 + p[i].jt] &= valid;
				at[i + 1 + p[i].jf] &= valid;
				valid = 0xffff;
			}
			break;
		}
	}
	free(at);
	return ok;
}

static bool program_ok(const struct sock_filter *p, uint32_t n)
{
	for (uint32_t i = 0; i < n; i++)
		if (!insn_ok(p, i, n))
			return false;
	return BPF_CLASS(p[n - 1].code) == BPF_RET && memory_ok(p, n);
}

static uint32_t alu(uint16_t op, uint32_t a, uint32_t b)
{
	switch (op) {
	case BPF_ADD: return a + b;
	case BPF_SUB: return a - b;
	case BPF_MUL: return a * b;
	case BPF_DIV: return b ? a / b : 0;
	case BPF_AND: return a & b;
	case BPF_OR: return a | b;
	case BPF_XOR: return a ^ b;
	case BPF_LSH: return a << (b & 31);
	case BPF_RSH: return a >> (b & 31);
	default: return -a;
	}
}

static bool jump(uint16_t op, uint32_t a, uint32_t b)
{
	return op == BPF_JEQ ? a == b : op == BPF_JGT ? a > b : op == BPF_JGE ? a >= b : (a & b) != 0;
}

static uint32_t run(const struct seccomp_filter *f, const uint8_t *data)
{
	uint32_t a = 0, x = 0, mem[BPF_MEMWORDS] = { 0 };

	for (uint32_t pc = 0; pc < f->n; pc++) {
		const struct sock_filter *i = &f->insn[pc];
		uint32_t b = BPF_SRC(i->code) == BPF_X ? x : i->k;

		switch (BPF_CLASS(i->code)) {
		case BPF_LD:
			if (BPF_MODE(i->code) == BPF_ABS)
				memcpy(&a, data + i->k, 4);
			else
				a = BPF_MODE(i->code) == BPF_IMM ? i->k : BPF_MODE(i->code) == BPF_LEN ? DATA_BYTES : mem[i->k];
			break;
		case BPF_LDX:
			x = BPF_MODE(i->code) == BPF_IMM ? i->k : BPF_MODE(i->code) == BPF_LEN ? DATA_BYTES : mem[i->k];
			break;
		case BPF_ST:
			mem[i->k] = a;
			break;
		case BPF_STX:
			mem[i->k] = x;
			break;
		case BPF_ALU:
			if (i->code == (BPF_ALU | BPF_DIV | BPF_X) && !x)
				return 0;
			a = alu(BPF_OP(i->code), a, b);
			break;
		case BPF_JMP:
			pc += BPF_OP(i->code) == BPF_JA ? i->k : jump(BPF_OP(i->code), a, b) ? i->jt : i->jf;
			break;
		case BPF_RET:
			return BPF_RVAL(i->code) == BPF_A ? a : i->k;
		default:
			if (BPF_MISCOP(i->code) == BPF_TAX)
				x = a;
			else
				a = x;
			break;
		}
	}
	return SECCOMP_RET_KILL_THREAD;
}

/* seccomp_run_filters(): the lowest action wins, compared as signed; of equal ones the newest. */
uint32_t seccomp_run(struct kernel *k, const struct vsysemu_seccomp_data *data)
{
	uint32_t mask = k->model->kernel->rules.seccomp_actions & VSYSEMU_SECCOMP_KILL_PROCESS ?
				SECCOMP_RET_ACTION_FULL : SECCOMP_RET_ACTION;
	uint32_t best = SECCOMP_RET_ALLOW;
	uint8_t bytes[DATA_BYTES];

	memcpy(bytes, data, DATA_BYTES);
	for (const struct seccomp_filter *f = k->proc.current->seccomp; f; f = f->prev) {
		uint32_t r = run(f, bytes);

		k->filters_run++;
		if ((int32_t)(r & mask) < (int32_t)(best & mask))
			best = r;
	}
	return best;
}

/* do_exit(@signo) of the thread, or, with @group, of the process. */
static enum seccomp_verdict ended(struct kernel *k, int signo, bool group)
{
	if (!group && !task_alone(k)) {
		k->proc.current->ends = true;
		return SECCOMP_ENDED;
	}
	k->outcome.kind = OUTCOME_SIGNAL;
	k->outcome.status = signo;
	k->outcome.rip = engine_get(k->engine, REG_RIP);
	return SECCOMP_ENDED;
}

static enum seccomp_verdict strict(struct kernel *k, unsigned nr)
{
	/* mode1_syscalls: read, write, exit, rt_sigreturn */
	return nr == 0 || nr == 1 || nr == 60 || nr == 15 ? SECCOMP_GO_ON : ended(k, SIGKILL, false);
}

static enum seccomp_verdict trap(struct kernel *k, unsigned nr, uint32_t ret)
{
	struct vsysemu_signal s = { .signo = SIGSYS, .code = SIGSYS_SECCOMP, .err_no = (int)(ret & SECCOMP_RET_DATA),
				    .addr = engine_get(k->engine, REG_RIP), .nr = (int)nr, .arch = AUDIT_ARCH_X86_64 };

	/* syscall_rollback(): RAX is as it was. */
	k->proc.current->orig_rax = -1;
	signal_force(k, &s);
	return SECCOMP_SIGNAL;
}

enum seccomp_verdict seccomp_enter(struct kernel *k, unsigned nr, const uint64_t args[6], int64_t *result)
{
	const struct vsysemu_profile *p = &k->model->kernel->rules;
	const struct task *t = k->proc.current;
	struct vsysemu_seccomp_data d = { .nr = (int32_t)nr, .arch = AUDIT_ARCH_X86_64,
					  .ip = engine_get(k->engine, REG_RIP) };
	uint32_t ret, data;

	if (t->seccomp_mode == SECCOMP_MODE_STRICT)
		return strict(k, nr);
	if (t->seccomp_mode != SECCOMP_MODE_FILTER)
		return SECCOMP_GO_ON;
	memcpy(d.args, args, sizeof(d.args));
	ret = seccomp_run(k, &d);
	data = ret & SECCOMP_RET_DATA;
	ret &= p->seccomp_actions & VSYSEMU_SECCOMP_KILL_PROCESS ? SECCOMP_RET_ACTION_FULL : SECCOMP_RET_ACTION;
	switch (ret) {
	case SECCOMP_RET_ALLOW:
		return SECCOMP_GO_ON;
	case SECCOMP_RET_LOG:
		if (p->seccomp_actions & VSYSEMU_SECCOMP_LOG)
			return SECCOMP_GO_ON;
		break;
	case SECCOMP_RET_ERRNO:
		*result = -(int64_t)(data < p->errno_max ? data : p->errno_max);
		return SECCOMP_RESULT;
	case SECCOMP_RET_TRAP:
		return trap(k, nr, ret | data);
	case SECCOMP_RET_TRACE: /* nobody traces */
		*result = -ENOSYS;
		return SECCOMP_RESULT;
	case SECCOMP_RET_USER_NOTIF:
		if (p->seccomp_actions & VSYSEMU_SECCOMP_USER_NOTIF) {
			*result = -ENOSYS;
			return SECCOMP_RESULT;
		}
		break;
	default:
		break;
	}
	return ended(k, SIGSYS, ret == SECCOMP_RET_KILL_PROCESS ||
				(ret != SECCOMP_RET_KILL_THREAD &&
				 p->seccomp_actions & VSYSEMU_SECCOMP_UNKNOWN_GROUP));
}

int64_t seccomp_prctl_get(struct kernel *k)
{
	const struct task *t = k->proc.current;

	/* In strict mode the question is not an allowed call. */
	return t->seccomp_mode;
}

static int64_t add_filter(struct kernel *k, const struct sock_filter *insn, uint32_t n, bool log)
{
	struct task *t = k->proc.current;
	struct seccomp_filter *f;
	uint64_t total = n;

	if (!n || n > INSNS_MAX || !program_ok(insn, n))
		return -EINVAL;
	for (f = t->seccomp; f; f = f->prev)
		total += f->n + PATH_PENALTY;
	if (total > PATH_MAX_INSNS)
		return -ENOMEM;
	f = xcalloc(1, sizeof(*f) + n * sizeof(*insn));
	f->n = n;
	f->log = log;
	memcpy(f->insn, insn, n * sizeof(*insn));
	f->prev = t->seccomp;
	t->seccomp = f;
	t->seccomp_mode = SECCOMP_MODE_FILTER;
	return 0;
}

static int64_t user_filter(struct kernel *k, gaddr user, uint64_t flags)
{
	struct { uint16_t n, pad[3]; gaddr insn; } prog;
	struct task *t = k->proc.current;
	struct sock_filter *insn;
	int64_t r;

	if (t->seccomp_mode == SECCOMP_MODE_STRICT)
		return -EINVAL;
	if (user_get(k, &prog, user, sizeof(prog)))
		return -EFAULT;
	if (!prog.n || prog.n > INSNS_MAX)
		return -EINVAL;
	/* The modelled user is not privileged in any name space of its own. */
	if (!t->no_new_privs && k->proc.undumpable)
		return -EACCES;
	insn = xcalloc(prog.n, sizeof(*insn));
	r = user_get(k, insn, prog.insn, prog.n * sizeof(*insn));
	if (!r)
		r = add_filter(k, insn, prog.n, flags & SECCOMP_FILTER_FLAG_LOG);
	free(insn);
	return r;
}

static int64_t set_strict(struct kernel *k)
{
	struct task *t = k->proc.current;

	if (t->seccomp_mode && t->seccomp_mode != SECCOMP_MODE_STRICT)
		return -EINVAL;
	t->seccomp_mode = SECCOMP_MODE_STRICT;
	/* disable_TSC() came with it. */
	t->tsc_sigsegv = true;
	engine_forbid_tsc(k->engine, true);
	return 0;
}

int64_t seccomp_prctl_set(struct kernel *k, uint64_t mode, gaddr filter)
{
	switch (mode) {
	case SECCOMP_MODE_STRICT:
		return set_strict(k);
	case SECCOMP_MODE_FILTER:
		return k->model->kernel->release_nr >= KVER(3, 5) ? user_filter(k, filter, 0) : -EINVAL;
	default:
		return -EINVAL;
	}
}

static int64_t action_known(struct kernel *k, gaddr user)
{
	uint32_t actions = k->model->kernel->rules.seccomp_actions, a;

	if (user_get(k, &a, user, sizeof(a)))
		return -EFAULT;
	switch (a) {
	case SECCOMP_RET_KILL_THREAD: case SECCOMP_RET_TRAP: case SECCOMP_RET_ERRNO:
	case SECCOMP_RET_TRACE: case SECCOMP_RET_ALLOW:
		return 0;
	case SECCOMP_RET_KILL_PROCESS:
		return actions & VSYSEMU_SECCOMP_KILL_PROCESS ? 0 : -EOPNOTSUPP;
	case SECCOMP_RET_LOG:
		return actions & VSYSEMU_SECCOMP_LOG ? 0 : -EOPNOTSUPP;
	case SECCOMP_RET_USER_NOTIF:
		return actions & VSYSEMU_SECCOMP_USER_NOTIF ? 0 : -EOPNOTSUPP;
	default:
		return -EOPNOTSUPP;
	}
}

int64_t sys_seccomp(struct kernel *k, const uint64_t a[6])
{
	switch (a[0]) {
	case SECCOMP_SET_MODE_STRICT:
		return a[1] || a[2] ? -EINVAL : set_strict(k);
	case SECCOMP_SET_MODE_FILTER:
		if (a[1] & ~(uint64_t)(SECCOMP_FILTER_FLAG_TSYNC | SECCOMP_FILTER_FLAG_LOG | SECCOMP_FILTER_FLAG_SPEC_ALLOW))
			return -EINVAL; /* no listeners */
		return user_filter(k, a[2], a[1]);
	case SECCOMP_GET_ACTION_AVAIL:
		return a[1] ? -EINVAL : action_known(k, a[2]);
	default:
		return -EINVAL;
	}
}

/* ---- --seccomp ---- */

static bool action_parse(const char *s, size_t n, uint32_t *ret)
{
	static const struct { const char *name; uint32_t ret; } known[] = {
		{ "allow", SECCOMP_RET_ALLOW }, { "trap", SECCOMP_RET_TRAP }, { "kill", SECCOMP_RET_KILL_PROCESS },
		{ "kill-thread", SECCOMP_RET_KILL_THREAD }, { "log", SECCOMP_RET_LOG }, { "trace", SECCOMP_RET_TRACE },
	};
	char *end;
	unsigned long v;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++)
		if (strlen(known[i].name) == n && !strncmp(s, known[i].name, n)) {
			*ret = known[i].ret;
			return true;
		}
	if (n <= 6 || strncmp(s, "errno=", 6) || s[6] < '0' || s[6] > '9')
		return false;
	v = strtoul(s + 6, &end, 10);
	*ret = SECCOMP_RET_ERRNO | (uint32_t)v;
	return end == s + n && v <= 4095;
}

bool seccomp_spec(struct kernel *k, const char *spec, struct err *e)
{
	VEC(struct sock_filter) p = { 0 };
	uint32_t rest = SECCOMP_RET_ALLOW, ret = 0;
	const struct sock_filter load = { BPF_LD | BPF_W | BPF_ABS, 0, 0, 0 };
	int64_t r;

	if (!strcmp(spec, "strict")) {
		set_strict(k);
		return true;
	}
	VEC_PUSH(&p, load);
	for (const char *s = spec; *s;) {
		size_t n = strcspn(s, ","), name = strcspn(s, ":");
		char call[64];
		int nr;

		snprintf(call, sizeof(call), "%.*s", (int)(name < 63 ? name : 63), s);
		nr = strcmp(call, "*") ? syscall_number(call) : -2;
		if (name >= n || nr == -1 || !action_parse(s + name + 1, n - name - 1, &ret)) {
			VEC_FREE(&p);
			return err_set_status(e, 125, "--seccomp: '%.*s' is not NAME:ACTION with a system call or * and allow, "
					      "errno=N, trap, kill, kill-thread, log or trace", (int)n, s);
		}
		if (nr == -2) {
			rest = ret;
		} else {
			const struct sock_filter eq = { BPF_JMP | BPF_JEQ | BPF_K, 0, 1, (uint32_t)nr };
			const struct sock_filter leave = { BPF_RET | BPF_K, 0, 0, ret };

			VEC_PUSH(&p, eq);
			VEC_PUSH(&p, leave);
		}
		s += n + (s[n] == ',');
	}
	VEC_PUSH(&p, ((struct sock_filter){ BPF_RET | BPF_K, 0, 0, rest }));
	r = add_filter(k, p.at, (uint32_t)p.n, false);
	VEC_FREE(&p);
	return !r || err_set_status(e, 125, "--seccomp: too many rules");
}
