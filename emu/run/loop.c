/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The loop: see loop.h. */
#include "run/loop.h"

#include <stdio.h>
#include <string.h>

#include "facts/price.h"
#include "kernel/klog.h"
#include "kernel/page.h"
#include "kernel/pids.h"
#include "kernel/procfs.h"
#include "kernel/signal.h"
#include "kernel/sched.h"
#include "kernel/task.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/timer.h"
#include "kernel/trap.h"
#include "kernel/vdso.h"
#include "run/account.h"
#include "run/branches.h"
#include "run/cpuid.h"
#include "run/loop_private.h"
#include "run/sites.h"
#include "run/timeline.h"
#include "run/trace.h"
#include "run/watch.h"

#define NR_EXECVE 59u
#define NR_EXECVEAT 322u
#define NR_EXIT 60u
#define NR_EXIT_GROUP 231u
#define NR_SIGRETURN 15u
#define MAX_STRETCH_NS (100 * 1000000ull) /* a run is interrupted at least that often */

static bool in_page(gaddr a)
{
	return a >= VSYSCALL_PAGE && a < VSYSCALL_PAGE_END;
}

/* Book what the engine ran since the last time. */
void loop_sync(struct loop *l)
{
	uint64_t insns = engine_insns(l->k->engine), cost = engine_cost(l->k->engine), missed;

	if (insns == l->insns && cost == l->cost)
		return;
	missed = l->branches ? branches_take(l->branches, insns) : 0;
	account_blocks(l->k->account, insns - l->insns, cost - l->cost, missed);
	clock_work(&l->k->clock, cost - l->cost + missed, 0);
	l->insns = insns;
	l->cost = cost;
}

static void charge(struct loop *l, struct cost c)
{
	clock_work(&l->k->clock, c.user16, c.system16);
}

static void charge_filters(struct loop *l)
{
	for (; l->filters < l->k->filters_run; l->filters++)
		charge(l, account_event(l->k->account, l->k->model, COST_SECCOMP));
}

/* The kernel's own work between two instructions of the guest: ticks. */
static void tick(struct loop *l)
{
	struct kernel *k = l->k;

	if (!clock_update(&k->clock))
		return;
	vdso_tick(k);
	page_tick(k);
}

static uint32_t total(struct cost c)
{
	return c.user16 + c.system16;
}

static const uint16_t entry_nr[] = { 96, 201, 309 }; /* system calls of the page's entries */
static const uint16_t vdso_nr[VDSO_NO_FUNCTION] = { 96, 201, 309, 228, 229, 318 };

static void note(struct loop *l, enum call_path p, uint64_t nr, uint64_t start_ns, gaddr caller, uint32_t cycles16,
		 bool refused)
{
	struct timeline_call c = { .start_ns = start_ns, .caller = caller, .cycles16 = cycles16, .path = (uint8_t)p,
				   .nr = nr < SYSCALL_COUNT ? (uint16_t)nr : TIMELINE_UNKNOWN, .refused = refused };

	timeline_note(l->timeline, l->k, c);
}

static gaddr return_address(struct kernel *k)
{
	gaddr ret = 0;

	if (memory_read(k->mem, &ret, engine_get(k->engine, REG_RSP), 8))
		return 0;
	return ret;
}

/* ---- what the engine asks ---- */

static void native_arrival(struct loop *l, gaddr pc)
{
	struct kernel *k = l->k;
	struct page_event ev = { .nr = vsysemu_entry_nr(pc), .caller = return_address(k),
				 .args = { engine_get(k->engine, REG_RDI), engine_get(k->engine, REG_RSI) } };
	uint64_t start = k->clock.now_ns;
	struct cost c;

	if (ev.nr < 0 || ev.nr > 2)
		return;
	k->proc.current->caller = ev.caller;
	c = account_vsyscall(k->account, k->model, (unsigned)ev.nr, ARRIVAL_DONE, false);
	charge(l, c);
	sites_note(l->sites, k, (unsigned)ev.nr, ev.caller, engine_get(k->engine, REG_RSP) + 8, total(c),
		   ARRIVAL_DONE);
	note(l, PATH_VSYSCALL, entry_nr[ev.nr], start, ev.caller, total(c), false);
	trace_vsyscall(k, &ev, pc, total(c));
	watch_arrival(l->watch, k, &ev, pc, engine_get(k->engine, REG_RSP), false, total(c));
}

/* @rsp: as it was. */
static void record_arrival(struct loop *l, const struct page_event *ev, gaddr pc, gaddr rsp)
{
	struct kernel *k = l->k;
	uint64_t start = k->clock.now_ns;
	enum account_arrival how = ev->refused ? ARRIVAL_REFUSED : ev->skipped ? ARRIVAL_SKIPPED : ARRIVAL_DONE;
	struct cost c;

	charge_filters(l);
	if (ev->nr >= 0) {
		c = account_vsyscall(k->account, k->model, (unsigned)ev->nr, how, ev->error);
		charge(l, c);
		sites_note(l->sites, k, (unsigned)ev->nr, ev->caller, rsp + 8, total(c), how);
		note(l, PATH_VSYSCALL, entry_nr[ev->nr], start, ev->caller, total(c), ev->refused);
	} else {
		c = account_stray(k->account, k->model);
		charge(l, c);
		account_flag(k->account, ACCOUNT_WRONG_OFFSET);
	}
	if (ev->refused && k->proc.current->reason && strstr(k->proc.current->reason, "-fault"))
		account_flag(k->account, ACCOUNT_BODY_FAULT);
	trace_vsyscall(k, ev, pc, total(c));
	watch_arrival(l->watch, k, ev, pc, rsp, true, total(c));
}

static enum zone_action page_zone(struct loop *l, gaddr pc)
{
	struct kernel *k = l->k;
	gaddr rsp = engine_get(k->engine, REG_RSP);
	struct page_event ev;

	loop_sync(l);
	tick(l);
	clock_told(&k->clock);
	if (k->model->mode == VSYSEMU_NATIVE || k->model->trap == TRAP_GEN_INT0XCC) {
		if (k->model->mode == VSYSEMU_NATIVE)
			native_arrival(l, pc);
		if (vsysemu_entry_nr(pc) < 0 && !l->in_page)
			account_flag(k->account, ACCOUNT_WRONG_OFFSET);
	}
	l->in_page = true;
	if (page_arrive(k, pc, &ev))
		return ZONE_RUN;
	l->in_page = false;
	record_arrival(l, &ev, pc, rsp);
	if (k->outcome.kind != OUTCOME_RUNNING || k->proc.current->ends || signal_is_due(k))
		return ZONE_STOP;
	return ZONE_MOVED;
}

static enum zone_action zone(void *ctx, gaddr pc, uint32_t insns, uint32_t cost)
{
	struct loop *l = ctx;
	struct kernel *k = l->k;
	enum vdso_function f;

	(void)insns;
	(void)cost;
	if (in_page(pc))
		return page_zone(l, pc);
	f = vdso_function_at(k, pc);
	if (f != VDSO_NO_FUNCTION) {
		uint64_t start;
		struct cost c;

		loop_sync(l);
		tick(l);
		clock_told(&k->clock);
		start = k->clock.now_ns;
		vdso_enter(k);
		c = account_vdso(k->account, k->model, (enum time_call)f, (int64_t)(int32_t)engine_get(k->engine, REG_RDI));
		charge(l, c);
		note(l, PATH_VDSO, vdso_nr[f], start, return_address(k), total(c), false);
		trace_vdso(k, f, return_address(k), total(c));
	}
	return ZONE_RUN;
}

static uint32_t price(void *ctx, gaddr pc, const uint8_t *code, uint32_t bytes, uint32_t insns)
{
	struct loop *l = ctx;

	/* Their calls are events with a price of their own. */
	if (in_page(pc) || vdso_contains(l->k, pc))
		return 0;
	return price_block(l->k->model->cpu, code, bytes, insns);
}

static uint64_t branch(void *ctx, const struct engine_watch *w)
{
	struct loop *l = ctx;
	struct branches_at at = { .pc = w->pc, .bytes = w->bytes, .follows = w->follows,
				  .priced = in_page(w->pc) || vdso_contains(l->k, w->pc),
				  .insns = w->insns, .cost = w->cost };

	return branches_block(l->branches, &at);
}

static uint64_t tsc(void *ctx, uint32_t *aux)
{
	struct loop *l = ctx;

	*aux = l->k->proc.current ? l->k->proc.current->cpu_nr : 0;
	loop_sync(l);
	clock_told(&l->k->clock);
	return clock_tsc(&l->k->clock);
}

static void cpuid(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
	struct loop *l = ctx;

	cpuid_leaf(l->k->model, l->k->proc.current->cpu_nr, leaf, subleaf, out);
}

/* ---- what the engine stopped for ---- */

static void exception(struct loop *l, const struct trap *t);

/*
 * Up to 4.15 a system call without extra work ends with SYSRET, which steps at once when it brings TF
 * back; later kernels use IRET for that, whose next step is due after one instruction more.
 */
static void step_after_syscall(struct loop *l)
{
	struct kernel *k = l->k;
	struct trap t = { .kind = TRAP_EXCEPTION, .vector = VEC_DB };

	if (k->model->kernel->rules.era > VSYSEMU_E5 || k->proc.current->seccomp_mode ||
	    !(engine_get(k->engine, REG_RFLAGS) & RFLAGS_TF))
		return;
	t.rip = engine_get(k->engine, REG_RIP);
	exception(l, &t);
}

static void do_syscall(struct loop *l)
{
	struct kernel *k = l->k;
	struct task *t = k->proc.current;
	uint64_t nr = syscall_asked(k), arg0 = engine_get(k->engine, REG_RDI);
	bool from_page = in_page(engine_get(k->engine, REG_RIP) - 2);
	enum time_call call = time_call_of_syscall((unsigned)nr);
	struct cost c;
	uint64_t start;
	pid_t pid = k->proc.pid;
	enum sysret r;

	t->reason = NULL;
	t->caller = 0;
	tick(l);
	start = k->clock.now_ns;
	if (call != CALL_COUNT)
		clock_told(&k->clock);
	c = account_syscall(k->account, k->model, nr < UINT32_MAX ? (unsigned)nr : UINT32_MAX, arg0, from_page);
	charge(l, c);
	if (nr >= SYSCALL_COUNT || !syscall_name((unsigned)nr))
		account_unknown_syscall(k->account, (unsigned)nr);
	if (nr == NR_EXECVE || nr == NR_EXECVEAT || nr == NR_EXIT || nr == NR_EXIT_GROUP || nr == NR_SIGRETURN) {
		uint64_t args[6] = { arg0, engine_get(k->engine, REG_RSI), engine_get(k->engine, REG_RDX),
				     engine_get(k->engine, REG_R10), engine_get(k->engine, REG_R8),
				     engine_get(k->engine, REG_R9) };

		trace_enter(k, (unsigned)nr, args, total(c));
	}
	r = syscall_enter(k);
	charge_filters(l);
	if (!from_page && k->proc.pid == pid)
		note(l, PATH_SYSCALL, nr, start, 0, total(c), false);
	if (r == SYSRET_DONE) {
		int64_t v = (int64_t)engine_get(k->engine, REG_RAX);

		account_result(k->account, from_page ? PATH_VSYSCALL : PATH_SYSCALL, call, v);
		if (nr == NR_EXECVE || nr == NR_EXECVEAT)
			trace_exec(k, v);
		else if (v || k->proc.pid == pid)
			trace_syscall(k, (unsigned)nr, t->args, v, total(c));
		step_after_syscall(l);
	} else if (r == SYSRET_REGS && nr != NR_SIGRETURN) {
		sites_moved(l->sites);
		if (l->branches)
			branches_moved(l->branches);
		trace_exec(k, 0);
		page_init(k);
	}
}

static void exception(struct loop *l, const struct trap *t)
{
	struct kernel *k = l->k;

	if (t->vector == VEC_PF) {
		k->account->counts.page_faults++;
		if (in_page(t->addr))
			account_flag(k->account, t->error_code & PF_W ? ACCOUNT_PAGE_WRITE : ACCOUNT_READ_PAGE);
	}
	if (t->vector == VEC_PF && in_page(t->addr))
		charge(l, account_access(k->account, k->model));
	else
		charge(l, account_event(k->account, k->model, COST_EXCEPTION));
	trace_fault(k, t);
	trap_exception(k, t);
}

static void interrupt(struct loop *l, const struct trap *t)
{
	gaddr rsp = engine_get(l->k->engine, REG_RSP);
	struct page_event ev = { .nr = -1 };

	if (trap_int(l->k, t, &ev))
		record_arrival(l, &ev, t->rip, rsp);
}

static bool limits(struct loop *l)
{
	struct kernel *k = l->k;

	if ((k->opt->max_insns && engine_insns(k->engine) >= k->opt->max_insns) || k->timed_out) {
		k->outcome.kind = OUTCOME_LIMIT;
		k->outcome.status = 124;
		k->outcome.rip = engine_get(k->engine, REG_RIP);
		return true;
	}
	return false;
}

/* Run until the next thing that is due by itself. */
static void set_deadline(struct loop *l)
{
	struct kernel *k = l->k;
	uint64_t next = timers_next(k), until = sched_until(k), now = k->clock.now_ns, ns = MAX_STRETCH_NS, cycles16;

	if (until != UINT64_MAX)
		ns = until <= now ? 0 : until - now < ns ? until - now : ns;
	if (next != UINT64_MAX)
		ns = next <= now ? 0 : next - now < ns ? next - now : ns;
	if (!l->stretch_cycles16)
		l->stretch_cycles16 = clock_ns_to_cycles16(&k->clock, MAX_STRETCH_NS);
	cycles16 = ns == MAX_STRETCH_NS ? l->stretch_cycles16 : clock_ns_to_cycles16(&k->clock, ns);
	if (l->branches)
		cycles16 = branches_blocks_alone(l->branches, cycles16);
	engine_set_deadline(k->engine, engine_cost(k->engine) + cycles16 + 16,
			    k->opt->max_insns ? k->opt->max_insns : UINT64_MAX);
}

/* Calls that programs make most and that change neither tasks nor mappings nor any register but their own. */
static bool is_plain(uint64_t nr)
{
	switch (nr) {
	case 0: case 1: case 3: case 4: case 5: case 6: case 8: /* read, write, close, stat, fstat, lstat, lseek */
	case 17: case 18: case 19: case 20: case 21: /* pread64, pwrite64, readv, writev, access */
	case 39: case 96: case 102: case 104: case 107: case 108: case 110: case 111: /* getpid, gettimeofday, ids */
	case 186: case 201: case 228: case 257: case 262: /* gettid, time, clock_gettime, openat, newfstatat */
		return true;
	default:
		return false;
	}
}

/* A plain call of a lone task is done on the spot: leaving the engine costs as much as the call. */
static enum zone_action plain_syscall(void *ctx)
{
	struct loop *l = ctx;
	struct kernel *k = l->k;
	struct task *t = k->proc.current;

	if (!is_plain(syscall_asked(k)) || in_page(engine_get(k->engine, REG_RIP)) || !task_alone(k))
		return ZONE_RUN;
	loop_sync(l);
	do_syscall(l);
	if (k->outcome.kind != OUTCOME_RUNNING || l->failed || t->ends || k->clock.now_ns >= sched_until(k))
		return ZONE_STOP;
	l->in_page = false;
	tick(l);
	timers_expire(k);
	signal_collect(k);
	if (signal_is_due(k) || t->restart || t->restore_mask || k->timed_out || k->opt->max_insns)
		return ZONE_STOP;
	set_deadline(l);
	sched_ran(k);
	return ZONE_MOVED;
}

struct engine_ops loop_ops(struct loop *l)
{
	return (struct engine_ops){ .ctx = l, .zone = zone, .syscall = plain_syscall, .price = price, .tsc = tsc,
				    .cpuid = cpuid, .watch = l->branches ? branch : NULL };
}

/* Others may run. */
static void turn(struct loop *l)
{
	bool in_page_before = l->in_page;

	task_yield(l->k, false);
	l->in_page = in_page_before;
}

void loop_signalled(struct kernel *k, const uint8_t *info)
{
	k->account->counts.signals++;
	trace_signal(k, info);
}

/* At each way back to user mode. */
static void return_to_user(struct loop *l)
{
	struct kernel *k = l->k;
	uint64_t before = k->account->counts.signals;

	tick(l);
	timers_expire(k);
	signal_collect(k);
	if (limits(l))
		return;
	if (signal_is_due(k) || k->proc.current->restart || k->proc.current->restore_mask)
		signal_deliver(k);
	for (; before < k->account->counts.signals; before++)
		charge(l, account_event(k->account, k->model, COST_SIGNAL));
}

/* One task: until the process ends. */
static void run_task(void *ctx)
{
	struct loop *l = ctx;
	struct kernel *k = l->k;
	struct trap t;

	return_to_user(l);
	while (k->outcome.kind == OUTCOME_RUNNING && !l->failed) {
		set_deadline(l);
		sched_ran(k);
		engine_run(k->engine, &t);
		loop_sync(l);
		switch (t.kind) {
		case TRAP_SYSCALL:
			do_syscall(l);
			break;
		case TRAP_INT:
			interrupt(l, &t);
			break;
		case TRAP_EXCEPTION:
			exception(l, &t);
			break;
		case TRAP_DEADLINE:
		case TRAP_ZONE:
		case TRAP_INTERRUPT:
			break;
		case TRAP_ENGINE:
		default:
			l->failed = true;
			err_set_status(l->err, 125, "the engine stopped: %s", engine_strerror(k->engine));
			return;
		}
		if (k->proc.current->ends)
			sys_exit(k, (uint64_t[6]){ 0 }); /* not alone: does not come back */
		if (k->outcome.kind == OUTCOME_RUNNING && k->clock.now_ns >= sched_until(k))
			turn(l);
		if (!in_page(engine_get(k->engine, REG_RIP)))
			l->in_page = false;
		if (k->outcome.kind == OUTCOME_RUNNING)
			return_to_user(l);
	}
}

bool loop_run(struct loop *l, struct err *e)
{
	l->err = e;
	sched_run(l->k, run_task, l);
	if (l->k->outcome.kind == OUTCOME_SIGNAL)
		charge(l, account_event(l->k->account, l->k->model, COST_SIGNAL));
	return !l->failed;
}
