/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Signals: queues, forced ones, delivery: see signal.h. */
#include "kernel/signal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kernel/fd.h"
#include "kernel/pids.h"
#include "kernel/syscall.h"

#define SIG_KERNEL_ONLY (SIGBIT(SIGKILL) | SIGBIT(SIGSTOP))
/* kernel/signal.h sig_kernel_ignore(), sig_kernel_stop(), SYNCHRONOUS_MASK. */
#define SIG_IGNORED (SIGBIT(SIGCONT) | SIGBIT(SIGCHLD) | SIGBIT(SIGWINCH) | SIGBIT(SIGURG))
#define SIG_STOPS (SIGBIT(SIGSTOP) | SIGBIT(SIGTSTP) | SIGBIT(SIGTTIN) | SIGBIT(SIGTTOU))
#define SIG_SYNCHRONOUS (SIGBIT(SIGSEGV) | SIGBIT(SIGBUS) | SIGBIT(SIGILL) | SIGBIT(SIGTRAP) | \
			 SIGBIT(SIGFPE) | SIGBIT(SIGSYS))
#define SIGRTMIN_KERNEL 32
#define NR_RESTART_SYSCALL 219u
#define HANDLER_DFL 0u
#define HANDLER_IGN 1u
#define FLAG_RESTART 0x10000000u
#define FLAG_NODEFER 0x40000000u
#define FLAG_RESETHAND 0x80000000u

void siginfo_put32(uint8_t info[SIGINFO_BYTES], unsigned offset, uint32_t v)
{
	memcpy(info + offset, &v, 4);
}

void siginfo_put64(uint8_t info[SIGINFO_BYTES], unsigned offset, uint64_t v)
{
	memcpy(info + offset, &v, 8);
}

void siginfo_init(uint8_t info[SIGINFO_BYTES], int signo, int code)
{
	memset(info, 0, SIGINFO_BYTES);
	siginfo_put32(info, 0, (uint32_t)signo);
	siginfo_put32(info, 8, (uint32_t)code);
}

static int info_signo(const uint8_t *info)
{
	int32_t v;

	memcpy(&v, info, 4);
	return v;
}

static int info_code(const uint8_t *info)
{
	int32_t v;

	memcpy(&v, info + 8, 4);
	return v;
}

static gaddr info_addr(const uint8_t *info)
{
	gaddr v;

	memcpy(&v, info + 16, 8);
	return v;
}

bool signal_default_ignored(int signo)
{
	return SIG_IGNORED & SIGBIT(signo);
}

/* sig_ignored(): blocked signals stay, their action may change. */
static bool ignored(const struct kernel *k, const struct task *t, int signo)
{
	const struct sigact *a = &k->proc.act[signo];

	if ((t->mask | t->waited) & SIGBIT(signo))
		return false;
	return a->handler == HANDLER_IGN || (a->handler == HANDLER_DFL && signal_default_ignored(signo));
}

static void queue_remove(struct sigqueue *q, sigset64 set)
{
	size_t n = 0;

	for (size_t i = 0; i < q->q.n; i++)
		if (!(set & SIGBIT(q->q.at[i].signo)))
			q->q.at[n++] = q->q.at[i];
	q->q.n = n;
	q->set &= ~set;
}

static void queue_add(struct sigqueue *q, const uint8_t *info)
{
	struct sigpend p = { .signo = info_signo(info) };

	if (p.signo < SIGRTMIN_KERNEL && q->set & SIGBIT(p.signo))
		return;
	memcpy(p.info, info, SIGINFO_BYTES);
	VEC_PUSH(&q->q, p);
	q->set |= SIGBIT(p.signo);
}

void signal_send(struct kernel *k, struct task *t, const uint8_t info[SIGINFO_BYTES])
{
	int signo = info_signo(info);
	struct process *p = &k->proc;

	/* prepare_signal(): stopping and continuing cancel each other. */
	if (signo == SIGCONT || SIG_STOPS & SIGBIT(signo)) {
		sigset64 gone = signo == SIGCONT ? SIG_STOPS : SIGBIT(SIGCONT);

		queue_remove(&p->pending, gone);
		for (size_t i = 0; i < p->tasks.n; i++)
			queue_remove(&p->tasks.at[i]->pending, gone);
	}
	/* As Linux, ask the one it is for; for the process, its first thread. */
	if (!ignored(k, t ? t : p->tasks.at[0], signo)) {
		queue_add(t ? &t->pending : &p->pending, info);
		fd_signals_update(k);
	}
}

void signal_force(struct kernel *k, const struct vsysemu_signal *s)
{
	struct task *t = k->proc.current;
	struct sigact *a = &k->proc.act[s->signo];
	uint8_t info[SIGINFO_BYTES];

	if (s->trap_set) {
		t->trap.trapno = s->trapno;
		t->trap.err = s->error;
	}
	if (s->cr2_set)
		t->trap.cr2 = s->cr2;
	siginfo_init(info, s->signo, s->code);
	siginfo_put32(info, 4, (uint32_t)s->err_no);
	siginfo_put64(info, 16, s->addr);
	if (s->signo == SIGSYS) {
		siginfo_put32(info, 24, (uint32_t)s->nr);
		siginfo_put32(info, 28, s->arch);
	}
	if (a->handler == HANDLER_IGN || t->mask & SIGBIT(s->signo)) {
		a->handler = HANDLER_DFL;
		t->mask &= ~SIGBIT(s->signo);
	}
	/* It comes before what waits already. */
	queue_remove(&t->pending, SIGBIT(s->signo));
	queue_add(&t->pending, info);
}

static int queue_take(struct sigqueue *q, int signo, uint8_t *info)
{
	bool more = false, found = false;
	size_t n = 0;

	for (size_t i = 0; i < q->q.n; i++) {
		if (q->q.at[i].signo == signo && !found) {
			memcpy(info, q->q.at[i].info, SIGINFO_BYTES);
			found = true;
			continue;
		}
		more |= q->q.at[i].signo == signo;
		q->q.at[n++] = q->q.at[i];
	}
	q->q.n = n;
	if (!more)
		q->set &= ~SIGBIT(signo);
	return signo;
}

static int take(struct kernel *k, sigset64 set, uint8_t info[SIGINFO_BYTES])
{
	struct task *t = k->proc.current;
	sigset64 own = t->pending.set & set, all = k->proc.pending.set & set;

	if (own & SIG_SYNCHRONOUS)
		return queue_take(&t->pending, __builtin_ctzll(own & SIG_SYNCHRONOUS) + 1, info);
	if (own)
		return queue_take(&t->pending, __builtin_ctzll(own) + 1, info);
	if (all & SIG_SYNCHRONOUS)
		return queue_take(&k->proc.pending, __builtin_ctzll(all & SIG_SYNCHRONOUS) + 1, info);
	if (all)
		return queue_take(&k->proc.pending, __builtin_ctzll(all) + 1, info);
	return 0;
}

int signal_take(struct kernel *k, sigset64 set, uint8_t info[SIGINFO_BYTES])
{
	int signo = take(k, set, info);

	if (signo)
		fd_signals_update(k);
	return signo;
}

void signal_set_mask(struct kernel *k, sigset64 mask)
{
	k->proc.current->mask = mask & ~SIG_KERNEL_ONLY;
}

bool signal_is_due(struct kernel *k)
{
	const struct task *t = k->proc.current;

	return (t->pending.set | k->proc.pending.set) & ~t->mask;
}

static void die(struct kernel *k, const uint8_t *info)
{
	const struct task *t = k->proc.current;
	struct outcome *o = &k->outcome;

	if (k->killed)
		k->killed(k, info);
	o->kind = OUTCOME_SIGNAL;
	o->status = info_signo(info);
	o->si_code = info_code(info);
	o->fault_addr = info_code(info) > 0 ? info_addr(info) : 0;
	o->rip = engine_get(k->engine, REG_RIP);
	o->reason = t->reason;
	o->caller = t->caller;
}

/* What an interrupted call comes to (arch_do_signal_or_restart(), handle_signal()). */
static void restart(struct kernel *k, const struct sigact *handler)
{
	struct task *t = k->proc.current;
	uint64_t rax = (uint64_t)t->orig_rax;
	int code = t->restart;

	t->restart = 0;
	if (!code || t->orig_rax < 0)
		return;
	if (handler && (code == ERESTARTNOHAND || code == ERESTART_RESTARTBLOCK ||
			(code == ERESTARTSYS && !(handler->flags & FLAG_RESTART))))
		return; /* RAX is -EINTR already */
	if (code == ERESTART_RESTARTBLOCK)
		rax = NR_RESTART_SYSCALL;
	engine_set(k->engine, REG_RAX, rax);
	engine_set(k->engine, REG_RIP, engine_get(k->engine, REG_RIP) - 2);
}

static bool handle(struct kernel *k, struct sigact *a, const uint8_t *info)
{
	struct task *t = k->proc.current;
	sigset64 saved = t->restore_mask ? t->saved_mask : t->mask;
	int signo = info_signo(info);
	struct sigact act = *a;

	restart(k, a);
	if (act.flags & FLAG_RESETHAND)
		a->handler = HANDLER_DFL;
	t->restore_mask = false;
	if (!sigframe_enter(k, &act, info, saved)) {
		/* force_sigsegv(): a SIGSEGV that has no room for its own frame kills. */
		struct vsysemu_signal s = { .signo = SIGSEGV, .code = SI_KERNEL };

		if (signo == SIGSEGV)
			k->proc.act[SIGSEGV].handler = HANDLER_DFL;
		signal_force(k, &s);
		return true;
	}
	signal_set_mask(k, t->mask | act.mask | (act.flags & FLAG_NODEFER ? 0 : SIGBIT(signo)));
	return true;
}

/* The host's process stands still, and whoever waits for it learns of which signal. */
static void stop(struct kernel *k, int signo)
{
	struct pid_slot *s = pids_self(k);

	if (s)
		s->stop_signal = signo;
	kill(getpid(), SIGSTOP);
	if (s)
		s->stop_signal = 0;
}

bool signal_deliver(struct kernel *k)
{
	struct task *t = k->proc.current;
	uint8_t info[SIGINFO_BYTES];
	int signo;

	while ((signo = signal_take(k, ~t->mask, info))) {
		struct sigact *a = &k->proc.act[signo];

		if (a->handler > HANDLER_IGN && !(SIGBIT(signo) & SIG_KERNEL_ONLY)) {
			handle(k, a, info);
			if (k->signalled)
				k->signalled(k, info);
			continue;
		}
		if (a->handler == HANDLER_IGN || signal_default_ignored(signo))
			continue;
		if (SIG_STOPS & SIGBIT(signo)) {
			stop(k, signo);
			continue;
		}
		die(k, info);
		return false;
	}
	restart(k, NULL);
	if (t->restore_mask) {
		t->restore_mask = false;
		signal_set_mask(k, t->saved_mask);
	}
	return true;
}
