/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From measured loops to a CPU profile.  What a loop shows only as a sum (a system call, a trap) is
 * split as the nearest known core's profile splits it; whatever no loop shows is taken over from that
 * profile by `base`.  See calibrate.h.
 */
#include "cli/calibrate.h"

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/output.h"
#include "cli/verbs.h"
#include "facts/model.h"

#define SPREAD_MAX 0.25 /* beyond it a profile would say more of the neighbours than of the machine */

struct host {
	char brand[49], vendor[13];
	uint32_t family, model, stepping;
	bool meltdown;
};

static void host_read(struct host *h)
{
	uint32_t a, b, c, d;
	char line[64] = "";
	FILE *f;

	memset(h, 0, sizeof(*h));
	__cpuid(0, a, b, c, d);
	memcpy(h->vendor, &b, 4);
	memcpy(h->vendor + 4, &d, 4);
	memcpy(h->vendor + 8, &c, 4);
	__cpuid(1, a, b, c, d);
	h->stepping = a & 15;
	h->family = (a >> 8 & 15) + ((a >> 8 & 15) == 15 ? a >> 20 & 255 : 0);
	h->model = (a >> 4 & 15) | (a >> 12 & 0xf0);
	for (uint32_t i = 0; i < 3; i++) {
		__cpuid(0x80000002 + i, a, b, c, d);
		memcpy(h->brand + 16 * i, &a, 4);
		memcpy(h->brand + 16 * i + 4, &b, 4);
		memcpy(h->brand + 16 * i + 8, &c, 4);
		memcpy(h->brand + 16 * i + 12, &d, 4);
	}
	for (char *p = h->brand; *p; p++)
		if (strchr("|;=", *p))
			*p = ' ';
	f = fopen("/sys/devices/system/cpu/vulnerabilities/meltdown", "re");
	if (f && fgets(line, sizeof(line), f))
		h->meltdown = !strncmp(line, "Mitigation: PTI", 15);
	if (f)
		fclose(f);
}

/* The profile of the same core, else the newest of the same vendor.  NULL: @e. */
static struct cpu_model *nearest(const struct host *h, struct err *e)
{
	const char *name = strcmp(h->vendor, "AuthenticAMD") ? "goldencove" : "zen3";
	model_names names = { 0 };
	struct cpu_model *found = NULL;

	if (!model_list(false, &names, e))
		return NULL;
	for (size_t i = 0; i < names.n && !found; i++) {
		struct cpu_model *c = cpu_model_load(names.at[i], e);

		if (c && !strcmp(c->vendor, h->vendor) && c->family == h->family && c->model == h->model)
			found = c;
		else if (c)
			cpu_model_free(c);
	}
	model_names_free(&names);
	return found ? found : e->text[0] ? NULL : cpu_model_load(name, e);
}

/* Of a probe, what its loop adds to an empty one; never below 0. */
static double net(const struct calibrate *c, enum calibrate_probe p)
{
	double v = c->probe[p].cycles - c->probe[PROBE_empty].cycles;

	return v > 0 ? v : 0;
}

static double above(double v, double floor)
{
	return v > floor ? v : floor;
}

static void stage(struct buf *b, enum cost_stage s, double cycles, const char *how)
{
	buf_printf(b, "%s_cycles = %.5g | measured | %s\n", cost_stage_name(s), cycles, how);
}

static double stages_sum(const struct cpu_model *c, const enum cost_stage *s, size_t n)
{
	double sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += c->stage_cycles[s[i]];
	return sum;
}

/* A sum over stages that all keep their shares of @base. */
static void split(struct buf *b, const struct cpu_model *base, const enum cost_stage *s, size_t n, double sum,
		  const char *how)
{
	double old = stages_sum(base, s, n);

	for (size_t i = 0; i < n && old > 0; i++)
		stage(b, s[i], base->stage_cycles[s[i]] * sum / old, how);
}

static void write_head(const struct calibrate *c, const struct host *h, const struct cpu_model *base,
		       struct buf *b)
{
	buf_printf(b, "; CPU profile, written by `vsysemu calibrate`.  What was not measured is taken over by base.\n"
		      "base = %s\n[cpu]\ndescription = this machine, measured: %s\nbrand = %s\nvendor = %s\n"
		      "family = %u\nmodel = %u\nstepping = %u\n", base->name, h->brand, h->brand, h->vendor, h->family,
		   h->model, h->stepping);
	buf_printf(b, "core_hz = %.0f | measured | chain of additions, spread %.1f %%\n"
		      "tsc_hz = %.0f | measured | against CLOCK_MONOTONIC_RAW\nmeltdown = %d | measured | sysfs\n",
		   c->core_hz, 100 * c->clock_spread, c->tsc_hz, h->meltdown);
	buf_printf(b, "[memory]\nl1_cycles = %.4g | measured | chained loads, 16 KiB\n"
		      "l2_cycles = %.4g | measured | chained loads, 256 KiB\n"
		      "l3_cycles = %.4g | measured | chained loads, 4 MiB\n"
		      "memory_cycles = %.5g | measured | chained loads, 256 MiB, small pages\n",
		   c->load_cycles[0], c->load_cycles[1], c->load_cycles[2], c->load_cycles[3]);
}

static const enum cost_stage syscall_stages[] = { STAGE_syscall, STAGE_syscall_save, STAGE_syscall_dispatch,
						  STAGE_syscall_work, STAGE_sysret };
/* All that a call by the page has beside its body (path_page_fault_entry and _exit of a kernel profile). */
static const enum cost_stage trap_stages[] = { STAGE_page_fault_gate, STAGE_trap_save, STAGE_fault_path,
					       STAGE_emulate_checks, STAGE_trap_restore, STAGE_iret };

/* Prices that several loops lead to. */
struct prices {
	double call, rdtsc, fence, timekeeping, convert, null, copy, body;
};

static struct prices price(const struct calibrate *c)
{
	struct prices p = { .call = net(c, PROBE_vdso_time), .rdtsc = net(c, PROBE_rdtsc),
			    .null = net(c, PROBE_syscall_null) };

	p.fence = above(net(c, PROBE_fence) - p.rdtsc, 0);
	p.timekeeping = above(net(c, PROBE_vdso_gettime) - p.call - p.rdtsc - p.fence, 1);
	p.convert = above(net(c, PROBE_vdso_gettimeofday) - net(c, PROBE_vdso_gettime), 0);
	p.copy = above(net(c, PROBE_syscall_gettimeofday) - p.null - p.rdtsc - p.timekeeping - p.convert, 0) / 2;
	p.body = above(net(c, PROBE_syscall_gettime) - p.null - p.rdtsc - p.timekeeping - p.copy, 0);
	return p;
}

/* What calls without a trap show. */
static void write_calls(const struct calibrate *c, const struct cpu_model *base, double pti, struct buf *b)
{
	struct prices p = price(c);

	buf_printf(b, "[stages]\n");
	stage(b, STAGE_call, p.call, "time() of the vDSO");
	stage(b, STAGE_rdtsc, p.rdtsc, "loop");
	stage(b, STAGE_fence, p.fence, "LFENCE and RDTSC less RDTSC");
	stage(b, STAGE_timekeeping, p.timekeeping, "clock_gettime of the vDSO less call, fence, RDTSC");
	stage(b, STAGE_convert_us, p.convert, "gettimeofday less clock_gettime of the vDSO");
	stage(b, STAGE_coarse, above(net(c, PROBE_vdso_coarse) - p.call, 0), "coarse clock of the vDSO less call");
	stage(b, STAGE_segment_limit, above(net(c, PROBE_vdso_getcpu) - p.call, 0), "getcpu of the vDSO less call");
	split(b, base, syscall_stages, ARRAY_SIZE(syscall_stages), above(p.null - pti, 1),
	      "a call that does not exist; split as the base profile");
	stage(b, STAGE_uaccess_struct, p.copy,
	      "half of gettimeofday less an empty call, RDTSC, timekeeping");
	stage(b, STAGE_syscall_body, p.body, "clock_gettime less an empty call, RDTSC, timekeeping, copy");
	stage(b, STAGE_uaccess_scalar, above(net(c, PROBE_syscall_time) - p.null, 0), "time less an empty call");
}

/* What traps show: the page's gettimeofday, if the page can be called here. */
static void write_traps(const struct calibrate *c, const struct cpu_model *base, double pti, struct buf *b)
{
	struct prices p = price(c);
	double body = p.rdtsc + p.timekeeping + p.convert + 2 * p.copy, trap = 0;
	double signal = net(c, PROBE_signal) - 2 * p.null - base->stage_cycles[STAGE_work_sigreturn];

	if (c->probe[PROBE_vsyscall].cycles > 0) {
		trap = above(net(c, PROBE_vsyscall) - body - pti, 1);
		split(b, base, trap_stages, ARRAY_SIZE(trap_stages), trap,
		      "gettimeofday by the page less its body; split as base");
	} else {
		trap = stages_sum(base, trap_stages, ARRAY_SIZE(trap_stages));
	}
	/* A first touch takes the same trap without the checks of the page. */
	trap *= 1 - base->stage_cycles[STAGE_emulate_checks] / stages_sum(base, trap_stages, ARRAY_SIZE(trap_stages));
	if (signal > 0)
		stage(b, STAGE_work_signal, signal, "raise less its calls and sigreturn");
	stage(b, STAGE_work_fault, above(net(c, PROBE_touch) - trap, 0), "first touch less a trap");
	buf_printf(b, "; not in a price: a breakpoint with handler and return, %.5g cycles\n",
		   net(c, PROBE_breakpoint));
}

static void write_spreads(const struct calibrate *c, struct buf *b)
{
	static const char *const name[] = {
#define X(key, loops) #key,
		CALIBRATE_PROBES(X)
#undef X
	};

	buf_printf(b, "; measured loops, core cycles and spread between quartiles:\n");
	for (int p = 0; p < PROBE_COUNT; p++)
		buf_printf(b, "; %-20s %10.2f  %5.1f %%\n", name[p], c->probe[p].cycles, 100 * c->probe[p].spread);
}

/* Was the machine quiet enough?  The clock and the calls that most prices hang on decide. */
static bool is_quiet(const struct calibrate *c, struct err *e)
{
	static const struct {
		enum calibrate_probe probe;
		const char *name;
	} must[] = { { PROBE_rdtsc, "RDTSC" }, { PROBE_vdso_gettime, "clock_gettime of the vDSO" },
		     { PROBE_syscall_null, "a system call" } };

	if (c->clock_spread > SPREAD_MAX)
		return err_set(e, "the machine is too noisy: the core's clock spreads by %.0f %% (allowed: %.0f %%)",
			       100 * c->clock_spread, 100 * SPREAD_MAX);
	for (size_t i = 0; i < ARRAY_SIZE(must); i++) {
		if (c->probe[must[i].probe].cycles <= 0)
			return err_set(e, "%s could not be measured here", must[i].name);
		if (c->probe[must[i].probe].spread > SPREAD_MAX)
			return err_set(e, "the machine is too noisy: %s spreads by %.0f %% (allowed: %.0f %%)",
				       must[i].name, 100 * c->probe[must[i].probe].spread, 100 * SPREAD_MAX);
	}
	return true;
}

int cli_calibrate(const struct options *o, struct err *e)
{
	struct cpu_model *base;
	struct calibrate c;
	struct host h;
	struct buf b = { 0 };
	double pti = 0;
	bool good;

	if (o->argc)
		return err_set(e, "calibrate takes no operand; -o FILE says where the profile goes") - 1;
	if (o->report && strcmp(o->report, "text"))
		return err_set(e, "--report: calibrate writes a profile, in no other form") - 1;
	if (o->output && !output_check(o->output, e))
		return -1;
	host_read(&h);
	base = nearest(&h, e);
	if (!base)
		return -1;
	good = calibrate_measure(&c, e) && is_quiet(&c, e);
	if (good) {
		if (h.meltdown)
			pti = base->stage_cycles[STAGE_pti_entry] + base->stage_cycles[STAGE_pti_exit];
		write_head(&c, &h, base, &b);
		calibrate_write_classes(&c, base, &b);
		write_calls(&c, base, pti, &b);
		write_traps(&c, base, pti, &b);
		write_spreads(&c, &b);
		good = output_write(o->output ? o->output : "-", &b, e);
	}
	buf_free(&b);
	cpu_model_free(base);
	return good ? 0 : -1;
}
