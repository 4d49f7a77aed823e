/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prices of events: the kernel profile's stage lists times the CPU profile's stage prices.  Which
 * stages count (mitigations, audit, clock source) is decided here; how much, in the profiles.
 */
#include "facts/cost.h"

#include <string.h>

#include "facts/model.h"

static const struct {
	const char *name, *meaning;
} stages[COST_STAGE_COUNT] = {
#define X(key, meaning) { #key, meaning },
	COST_STAGES(X)
#undef X
}, paths[COST_PATH_COUNT] = {
#define X(key, meaning) { #key, meaning },
	COST_PATHS(X)
#undef X
};

const char *cost_stage_name(enum cost_stage s)
{
	return stages[s].name;
}

const char *cost_stage_meaning(enum cost_stage s)
{
	return stages[s].meaning;
}

int cost_stage_find(const char *name, size_t n)
{
	for (int i = 0; i < COST_STAGE_COUNT; i++)
		if (strlen(stages[i].name) == n && !memcmp(stages[i].name, name, n))
			return i;
	return -1;
}

const char *cost_path_name(enum cost_path p)
{
	return paths[p].name;
}

const char *cost_path_meaning(enum cost_path p)
{
	return paths[p].meaning;
}

bool cost_steps_parse(struct cost_steps *out, const char *text, const char **bad)
{
	*out = (struct cost_steps){ 0 };
	for (const char *p = text + strspn(text, " \t"); *p; p += strspn(p, " \t")) {
		size_t len = strcspn(p, " \t"), n = strcspn(p, "* \t");
		unsigned times = 1;
		int token = n == 5 && !memcmp(p, "clock", 5)	    ? COST_TOKEN_CLOCK :
			    n == 10 && !memcmp(p, "clock_user", 10) ? COST_TOKEN_CLOCK_USER :
								      cost_stage_find(p, n);
		if (len > n) {
			times = 0;
			for (size_t i = n + 1; i < len && p[i] >= '0' && p[i] <= '9' && times < 100; i++)
				times = times * 10 + (unsigned)(p[i] - '0');
		}
		*bad = p;
		if (token < 0 || times == 0 || times > 99 || out->n == COST_PATH_STEPS)
			return false;
		out->step[out->n++] = (struct cost_step){ (uint8_t)token, (uint8_t)times };
		p += len;
	}
	return true;
}

/* ---- one path into lines ---- */

struct build {
	const struct model *m;
	const struct kernel_model *k;
	struct cost_profile *out;
};

/* The symbol of @stage on this kernel: "stage=symbol" words of the profile, else the stage. */
static void find_symbol(const char *symbols, const char *stage, char out[40])
{
	size_t n = strlen(stage);

	for (const char *p = symbols + strspn(symbols, " "); *p; p += strspn(p, " ")) {
		size_t len = strcspn(p, " ");
		if (len > n + 1 && len - n - 1 < 40 && !memcmp(p, stage, n) && p[n] == '=') {
			memcpy(out, p + n + 1, len - n - 1);
			out[len - n - 1] = 0;
			return;
		}
		p += len;
	}
	strncpy(out, stage, 39);
	out[39] = 0;
}

static uint32_t to16(double cycles)
{
	double v = cycles * 16 + 0.5;

	return v >= UINT32_MAX ? UINT32_MAX : (uint32_t)v;
}

static void add_line(struct build *b, const char *name, double cycles, unsigned times,
		     enum cost_where where, bool estimated)
{
	struct cost_profile *o = b->out;
	uint32_t c16 = to16(cycles * times);
	bool user = where == WHERE_USER || (where == WHERE_EXIT && !b->m->accounting_precise);

	if (c16 == 0)
		return;
	o->total16 += c16;
	if (user)
		o->cost.user16 += c16;
	else
		o->cost.system16 += c16;
	if (o->n == COST_LINES_MAX)
		return;
	struct cost_line *l = &o->line[o->n++];
	*l = (struct cost_line){ .stage = name, .where = where, .cycles16 = c16, .times = times,
				 .estimated = estimated };
	find_symbol(b->k->symbols ? b->k->symbols : "", name, l->symbol);
}

/* Is a stage of a mitigation or of auditing in force? */
static bool stage_counts(const struct build *b, enum cost_stage s)
{
	const struct model *m = b->m;

	switch (s) {
	case STAGE_pti_entry:
	case STAGE_pti_exit:
		return m->mitigations && b->k->pti && m->cpu->meltdown;
	case STAGE_ibrs_entry:
	case STAGE_ibrs_exit:
		return m->mitigations && b->k->ibrs;
	case STAGE_audit_entry:
	case STAGE_audit_exit:
	case STAGE_slow_entry:
	case STAGE_slow_exit:
		return m->audit;
	default:
		return true;
	}
}

static void add_stage(struct build *b, enum cost_stage s, unsigned times, enum cost_where where)
{
	const struct cpu_model *c = b->m->cpu;

	if (stage_counts(b, s))
		add_line(b, stages[s].name, c->stage_cycles[s], times, where,
			 c->origin[cpu_key_of_stage(s)].provenance == PROV_ESTIMATED);
}

static void add_board(struct build *b, const char *name, double ns, unsigned times,
		      enum cost_where where)
{
	const struct cpu_model *c = b->m->cpu;

	add_line(b, name, ns * (double)c->core_hz / 1e9, times, where, false);
}

/* The clock source's counter, read once. */
static void add_source(struct build *b, unsigned times, enum cost_where where)
{
	switch (b->m->clocksource) {
	case CS_TSC:
		add_stage(b, STAGE_rdtsc, times, where);
		break;
	case CS_HPET:
		add_board(b, "hpet", b->m->cpu->hpet_ns, times, where);
		break;
	case CS_ACPI_PM:
		add_board(b, "acpi_pm", b->m->cpu->acpi_pm_ns, times, where);
		break;
	case CS_KVM_CLOCK:
		add_stage(b, STAGE_rdtsc, times, where);
		add_stage(b, STAGE_pvclock, times, where);
		break;
	case CS_XEN:
		add_stage(b, STAGE_rdtsc, times, where);
		add_stage(b, STAGE_xen_clock, times, where);
		break;
	default: /* none: the last tick, nothing is read */
		break;
	}
}

static void add_path(struct build *b, enum cost_path p, enum cost_where where)
{
	const struct cost_steps *s = &b->k->path[p];
	enum clocksource cs = b->m->clocksource;

	for (unsigned i = 0; i < s->n; i++) {
		unsigned t = s->step[i].token, times = s->step[i].times;
		if (t == COST_TOKEN_CLOCK_USER && (cs == CS_TSC || cs == CS_KVM_CLOCK))
			add_stage(b, STAGE_fence, times, where);
		if (t == COST_TOKEN_CLOCK_USER || t == COST_TOKEN_CLOCK)
			add_source(b, times, where);
		/* Stages that belong to one kind of counter only. */
		else if (t == STAGE_fence_second && cs != CS_TSC && cs != CS_KVM_CLOCK)
			continue;
		else if (t == STAGE_pvclock_getcpu && cs != CS_KVM_CLOCK)
			continue;
		else
			add_stage(b, (enum cost_stage)t, times, where);
	}
}

static bool path_reads_clock(const struct kernel_model *k, enum cost_path p)
{
	for (unsigned i = 0; i < k->path[p].n; i++)
		if (k->path[p].step[i].token == COST_TOKEN_CLOCK_USER)
			return true;
	return false;
}

static void add_syscall(struct build *b, int body_path, int body_stage)
{
	add_path(b, CPATH_syscall_entry, WHERE_ENTRY);
	if (body_path >= 0)
		add_path(b, (enum cost_path)body_path, WHERE_BODY);
	if (body_stage >= 0)
		add_stage(b, (enum cost_stage)body_stage, 1, WHERE_BODY);
	add_path(b, CPATH_syscall_exit, WHERE_EXIT);
}

static void add_trap_exit(struct build *b, enum cost_path p)
{
	const struct cost_steps *s = &b->k->path[p];

	for (unsigned i = 0; i < s->n; i++) {
		enum cost_stage t = (enum cost_stage)s->step[i].token;
		if (t == STAGE_iret && b->k->trap_return != TRAP_RETURN_IRET) {
			add_stage(b, STAGE_sysret, 1, WHERE_EXIT);
			if (b->k->trap_return == TRAP_RETURN_TRAMPOLINE)
				add_stage(b, STAGE_trampoline, 1, WHERE_USER);
		} else {
			add_stage(b, t, s->step[i].times, WHERE_EXIT);
		}
	}
}

static void add_trap(struct build *b, enum trap_gen trap, int body_path)
{
	enum cost_path in = CPATH_page_fault_entry, out = CPATH_page_fault_exit;

	if (trap == TRAP_GEN_INT0XCC) {
		in = CPATH_int0xcc_entry;
		out = CPATH_int0xcc_exit;
	} else if (trap == TRAP_GEN_GP) {
		in = CPATH_gp_entry;
		out = CPATH_gp_exit;
	}
	add_path(b, in, WHERE_ENTRY);
	if (body_path >= 0)
		add_path(b, (enum cost_path)body_path, WHERE_BODY);
	add_trap_exit(b, out);
}

/* An arrival at entry @nr that is carried out. */
static void add_vsyscall(struct build *b, const struct model_policy *p, int nr)
{
	static const enum cost_path native[] = { CPATH_native_gettimeofday, CPATH_native_time,
						 CPATH_native_getcpu },
				    body[] = { CPATH_body_gettimeofday, CPATH_body_time,
					       CPATH_body_getcpu };
	const struct kernel_model *k = b->k;
	bool readable = k->vdso_sources >> b->m->clocksource & 1;

	if (p->mode != VSYSEMU_NATIVE) {
		add_trap(b, p->trap, (int)body[nr]);
	} else if (k->native_stubs) {
		add_path(b, CPATH_native_stub, WHERE_USER);
		add_syscall(b, (int)body[nr], -1);
	} else if (path_reads_clock(k, native[nr]) && (!readable || !k->vsyscall64)) {
		add_stage(b, STAGE_vdso_fallback, 1, WHERE_USER);
		add_syscall(b, (int)body[nr], -1);
	} else {
		add_path(b, native[nr], WHERE_USER);
	}
}

/* The same without the body. */
static void add_skipped(struct build *b, const struct model_policy *p)
{
	if (p->mode != VSYSEMU_NATIVE) {
		add_trap(b, p->trap, -1);
	} else if (b->k->native_stubs) {
		add_path(b, CPATH_native_stub, WHERE_USER);
		add_syscall(b, -1, -1);
	} else {
		add_vsyscall(b, p, CALL_TIME);
	}
}

static const struct {
	const char *name;
	int path, stage; /* of the body; -1: none */
} syscall_bodies[COST_EVENT_COUNT] = {
	[COST_SYSCALL_GETTIMEOFDAY] = { "syscall.gettimeofday", CPATH_body_gettimeofday, -1 },
	[COST_SYSCALL_TIME] = { "syscall.time", CPATH_body_time, -1 },
	[COST_SYSCALL_GETCPU] = { "syscall.getcpu", CPATH_body_getcpu, -1 },
	[COST_SYSCALL_CLOCK_GETTIME] = { "syscall.clock_gettime", CPATH_body_clock_gettime, -1 },
	[COST_SYSCALL_CLOCK_COARSE] = { "syscall.clock_coarse", CPATH_body_clock_coarse, -1 },
	[COST_SYSCALL_CLOCK_GETRES] = { "syscall.clock_getres", CPATH_body_clock_getres, -1 },
	[COST_SYSCALL_NULL] = { "syscall.null", -1, -1 },
	[COST_SYSCALL_FD] = { "syscall.fd", -1, STAGE_work_fd },
	[COST_SYSCALL_PATH] = { "syscall.path", -1, STAGE_work_path },
	[COST_SYSCALL_MM] = { "syscall.mm", -1, STAGE_work_mm },
	[COST_SYSCALL_WAIT] = { "syscall.wait", -1, STAGE_work_wait },
	[COST_SYSCALL_FORK] = { "syscall.fork", -1, STAGE_work_fork },
	[COST_SYSCALL_THREAD] = { "syscall.thread", -1, STAGE_work_thread },
	[COST_SYSCALL_EXEC] = { "syscall.exec", -1, STAGE_work_exec },
	[COST_SYSCALL_EXIT] = { "syscall.exit", -1, STAGE_work_exit },
	[COST_SYSCALL_SIGRETURN] = { "syscall.sigreturn", -1, STAGE_work_sigreturn },
	[COST_VSYSCALL_GETTIMEOFDAY] = { "vsyscall.gettimeofday", 0, 0 },
	[COST_VSYSCALL_TIME] = { "vsyscall.time", 0, 0 },
	[COST_VSYSCALL_GETCPU] = { "vsyscall.getcpu", 0, 0 },
	[COST_VSYSCALL_REFUSED] = { "vsyscall.refused", 0, 0 },
	[COST_VSYSCALL_SKIPPED] = { "vsyscall.skipped", 0, 0 },
	[COST_VDSO_GETTIMEOFDAY] = { "vdso.gettimeofday", CPATH_vdso_gettimeofday, 0 },
	[COST_VDSO_TIME] = { "vdso.time", CPATH_vdso_time, 0 },
	[COST_VDSO_GETCPU] = { "vdso.getcpu", CPATH_vdso_getcpu, 0 },
	[COST_VDSO_CLOCK_GETTIME] = { "vdso.clock_gettime", CPATH_vdso_clock_gettime, 0 },
	[COST_VDSO_CLOCK_COARSE] = { "vdso.clock_coarse", CPATH_vdso_clock_coarse, 0 },
	[COST_VDSO_CLOCK_GETRES] = { "vdso.clock_getres", CPATH_vdso_clock_getres, 0 },
	[COST_VDSO_FALLBACK] = { "vdso.fallback", 0, 0 },
	[COST_SIGNAL] = { "signal", 0, STAGE_work_signal },
	[COST_EXCEPTION] = { "exception", 0, 0 },
	[COST_PAGE_FAULT] = { "page_fault", 0, STAGE_work_fault },
	[COST_SWITCH] = { "switch", 0, STAGE_work_switch },
	[COST_TICK] = { "tick", 0, STAGE_work_tick },
	[COST_SECCOMP] = { "seccomp", 0, STAGE_seccomp },
};

const char *cost_event_name(enum cost_event ev)
{
	return syscall_bodies[ev].name;
}

/* Time namespaces came with generation g of the vDSO (5.6). */
static bool has_timens(const struct kernel_model *k)
{
	return k->vdso[0] >= 'g';
}

void cost_profile(const struct model *m, unsigned policy, enum cost_event ev,
		  struct cost_profile *out)
{
	const struct model_policy *p = &m->policy[policy];
	struct build b = { m, p->kernel, out };
	/* Faults of the program's own come as page faults even where the page is left by int 0xcc. */
	enum trap_gen fault = TRAP_GEN_PAGE_FAULT;

	out->n = 0;
	out->total16 = 0;
	out->cost = (struct cost){ 0, 0 };
	if (ev <= COST_VSYSCALL_GETCPU) {
		add_vsyscall(&b, p, (int)(ev - COST_VSYSCALL_GETTIMEOFDAY));
	} else if (ev == COST_VSYSCALL_REFUSED) {
		add_trap(&b, p->trap == TRAP_GEN_NONE ? fault : p->trap, -1);
	} else if (ev == COST_VSYSCALL_SKIPPED) {
		add_skipped(&b, p);
	} else if (ev < COST_VDSO_FALLBACK) {
		add_path(&b, (enum cost_path)syscall_bodies[ev].path, WHERE_USER);
		if (m->timens && has_timens(p->kernel) && ev != COST_VDSO_GETCPU && ev != COST_VDSO_CLOCK_GETRES)
			add_stage(&b, STAGE_timens, 1, WHERE_USER);
	} else if (ev == COST_VDSO_FALLBACK) {
		add_stage(&b, STAGE_vdso_fallback, 1, WHERE_USER);
	} else if (ev <= COST_SYSCALL_SIGRETURN) {
		add_syscall(&b, syscall_bodies[ev].path, syscall_bodies[ev].stage);
	} else if (ev == COST_EXCEPTION) {
		add_trap(&b, fault, -1);
	} else if (ev == COST_PAGE_FAULT) {
		add_path(&b, CPATH_page_fault_entry, WHERE_ENTRY);
		add_stage(&b, STAGE_work_fault, 1, WHERE_BODY);
		add_path(&b, CPATH_page_fault_exit, WHERE_EXIT);
	} else {
		add_stage(&b, (enum cost_stage)syscall_bodies[ev].stage, 1, WHERE_BODY);
	}
}

void cost_table_fill(struct model *m, unsigned policy)
{
	struct cost_profile prof;

	for (int ev = 0; ev < COST_EVENT_COUNT; ev++) {
		cost_profile(m, policy, (enum cost_event)ev, &prof);
		m->policy[policy].price.ev[ev] = prof.cost;
	}
}
