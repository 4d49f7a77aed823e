/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * From what the command line chose to one resolved model: which kernel a mode or a trap stands for,
 * which mixes no kernel has, and the list of policies that a run is priced under.
 */
#include "facts/model.h"

#include <stdlib.h>
#include <string.h>

#define DEFAULT_CPU "sandybridge"
#define DEFAULT_BASELINE "native@3.0"

static const char *const clocksources[CS_COUNT] = {
	[CS_TSC] = "tsc",	    [CS_HPET] = "hpet", [CS_ACPI_PM] = "acpi_pm",
	[CS_KVM_CLOCK] = "kvm-clock", [CS_XEN] = "xen",   [CS_NONE] = "none",
};

const char *clocksource_name(enum clocksource c)
{
	return clocksources[c];
}

const char *trap_gen_name(enum trap_gen t)
{
	static const char *const name[] = { "auto", "none", "int0xcc", "page-fault", "gp" };

	return name[t];
}

const char *provenance_name(enum provenance p)
{
	static const char *const name[] = { "estimated", "fitted", "published", "measured", "given" };

	return name[p];
}

const char *kernel_model_era(const struct kernel_model *k)
{
	return vsysemu_era_name(k->rules.era);
}

/* The kernel that a mode stands for when none is named. */
static const char *kernel_of_mode(const char *mode)
{
	return mode && !strcmp(mode, "native") ? "3.0" : "6.1";
}

static bool has_mode(const struct kernel_model *k, enum vsysemu_mode mode)
{
	for (unsigned i = 0; i < k->modes; i++)
		if (k->mode[i] == mode)
			return true;
	return false;
}

static bool check_mode(const struct kernel_model *k, const char *option, const char *text,
		       enum vsysemu_mode *out, struct err *e)
{
	int m = vsysemu_mode_find(text);
	struct buf b = { 0 };

	if (m < 0)
		return err_set(e, "%s: '%s' is not one of native, emulate, xonly, none", option, text);
	*out = (enum vsysemu_mode)m;
	if (has_mode(k, *out))
		return true;
	for (unsigned i = 0; i < k->modes; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", vsysemu_mode_name(k->mode[i]));
	err_set(e, "%s: kernel %s has no mode %s; it has %s", option, k->name, text, b.data);
	buf_free(&b);
	return false;
}

/* --trap: which kernel and mode it asks for; checks the mixes that no kernel has. */
static bool choose_trap(const struct model_choice *c, enum trap_gen *trap, const char **kernel,
			const char **mode, struct err *e)
{
	if (!c->trap)
		return true;
	if (!strcmp(c->trap, "int0xcc"))
		*trap = TRAP_GEN_INT0XCC;
	else if (!strcmp(c->trap, "page-fault"))
		*trap = TRAP_GEN_PAGE_FAULT;
	else if (!strcmp(c->trap, "gp"))
		*trap = TRAP_GEN_GP;
	else
		return err_set(e, "--trap: '%s' is not one of int0xcc, page-fault, gp", c->trap);
	if (c->mode && !strcmp(c->mode, "native"))
		return err_set(e, "--trap: native code in the page runs without a trap; %s needs another mode",
			       c->trap);
	if (*trap == TRAP_GEN_GP && c->mode && !strcmp(c->mode, "emulate"))
		return err_set(e, "--trap: gp comes from LASS, which kernels switch off in mode emulate; "
				  "take xonly or none");
	if (*trap == TRAP_GEN_INT0XCC && c->mode && strcmp(c->mode, "emulate"))
		return err_set(e, "--trap: the kernels with int 0xcc only emulate; they have no mode %s",
			       c->mode);
	if (!*kernel)
		*kernel = *trap == TRAP_GEN_INT0XCC ? "3.1-rc1" :
			  *trap == TRAP_GEN_GP	    ? "7.1" :
						      "6.1";
	if (!*mode && !c->kernel)
		*mode = *trap == TRAP_GEN_GP ? "xonly" : "emulate";
	return true;
}

/* Does kernel @k have trap @t?  LASS needs a kernel that knows it. */
static bool check_trap(const struct kernel_model *k, enum trap_gen t, const char *text, struct err *e)
{
	if (t == TRAP_GEN_GP) {
		if (k->lass_support)
			return true;
		return err_set(e, "--trap: kernel %s does not know LASS, so the page never raises #GP; 7.1 does",
			       k->name);
	}
	if (k->trap == t)
		return true;
	if (k->trap == TRAP_GEN_NONE)
		return err_set(e, "--trap: kernel %s runs real code in the page, there is no trap", k->name);
	return err_set(e, "--trap: kernel %s leaves the page by %s, not by %s", k->name,
		       trap_gen_name(k->trap), text);
}

static enum trap_gen trap_of(const struct model *m, const struct kernel_model *k,
			     enum vsysemu_mode mode, enum trap_gen asked)
{
	if (mode == VSYSEMU_NATIVE)
		return TRAP_GEN_NONE;
	if (k->lass_support && mode != VSYSEMU_EMULATE &&
	    (asked == TRAP_GEN_GP || (asked == TRAP_GEN_AUTO && m->cpu->lass)))
		return TRAP_GEN_GP;
	return k->trap;
}

static bool choose_clocksource(struct model *m, const char *text, struct err *e)
{
	m->clocksource = CS_TSC;
	if (!text)
		return true;
	for (int i = 0; i < CS_COUNT; i++)
		if (!strcmp(clocksources[i], text)) {
			m->clocksource = (enum clocksource)i;
			return true;
		}
	return err_set(e, "--clocksource: '%s' is not one of tsc, hpet, acpi_pm, kvm-clock, xen, none",
		       text);
}

static bool choose_flag(const char *option, const char *text, const char *off, const char *on,
			bool *out, struct err *e)
{
	if (!text)
		return true;
	if (strcmp(text, off) && strcmp(text, on))
		return err_set(e, "%s: '%s' is not one of %s, %s", option, text, off, on);
	*out = !strcmp(text, on);
	return true;
}

static bool apply_sets(struct model *m, const struct model_choice *c, struct err *e)
{
	for (size_t i = 0; i < c->set_n; i++)
		if (!model_set(m->cpu, m->kernel, c->set[i], e))
			return false;
	return true;
}

static void add_policy(struct model *m, enum vsysemu_mode mode, const struct kernel_model *k,
		       enum trap_gen asked, bool baseline)
{
	struct model_policy *p = &m->policy[m->policies];

	*p = (struct model_policy){ .mode = mode, .kernel = k, .baseline = baseline };
	p->trap = trap_of(m, k, mode, asked);
	m->policies++;
}

static bool choose_baseline(struct model *m, const char *text, struct err *e)
{
	const char *at = strchr(text, '@');
	char *mode = at ? xstrndup(text, (size_t)(at - text)) : xstrdup(text);
	struct err sub = { 0 };
	enum vsysemu_mode vm;
	bool ok;

	if (vsysemu_mode_find(mode) < 0)
		err_set(&sub, "'%s' is not MODE[@KERNEL], MODE one of native, emulate, xonly, none", text);
	else
		m->baseline_kernel = kernel_model_load(at ? at + 1 : kernel_of_mode(mode), &sub);
	if (!m->baseline_kernel)
		ok = err_set(e, "--baseline: %s", sub.text);
	else
		ok = check_mode(m->baseline_kernel, "--baseline", mode, &vm, e);
	free(mode);
	if (ok)
		add_policy(m, vm, m->baseline_kernel, TRAP_GEN_AUTO, true);
	return ok;
}

static bool load_cpu(struct model *m, const char *name, struct err *e)
{
	struct err sub = { 0 };

	m->cpu = cpu_model_load(name ? name : DEFAULT_CPU, &sub);
	return m->cpu ? true : err_set(e, "--cpu: %s", sub.text);
}

static bool load_kernel(struct model *m, const char *name, struct err *e)
{
	struct err sub = { 0 };

	m->kernel = kernel_model_load(name, &sub);
	return m->kernel ? true : err_set(e, "--kernel: %s", sub.text);
}

/* The mode to run: the one asked for, else the profile's default that fits the trap asked for. */
static bool choose_mode(struct model *m, const char *mode, enum trap_gen asked, struct err *e)
{
	const struct kernel_model *k = m->kernel;

	if (mode)
		return check_mode(k, "--mode", mode, &m->mode, e);
	m->mode = k->mode[0];
	for (unsigned i = 0; asked != TRAP_GEN_AUTO && i < k->modes; i++) {
		m->mode = k->mode[i];
		if (m->mode != VSYSEMU_NATIVE && (asked != TRAP_GEN_GP || m->mode != VSYSEMU_EMULATE))
			return true;
	}
	return true;
}

bool model_resolve(struct model *m, const struct model_choice *c, struct err *e)
{
	const char *kernel = c->kernel, *mode = c->mode;
	enum trap_gen asked = TRAP_GEN_AUTO;

	*m = (struct model){ .mitigations = true, .audit = c->audit, .timens = c->timens };
	if (mode && vsysemu_mode_find(mode) < 0)
		return err_set(e, "--mode: '%s' is not one of native, emulate, xonly, none", mode);
	if (!choose_trap(c, &asked, &kernel, &mode, e) || !load_cpu(m, c->cpu, e) ||
	    !load_kernel(m, kernel ? kernel : kernel_of_mode(mode), e) || !apply_sets(m, c, e) ||
	    !choose_clocksource(m, c->clocksource, e) ||
	    !choose_flag("--mitigations", c->mitigations, "off", "auto", &m->mitigations, e) ||
	    !choose_flag("--accounting", c->accounting, "tick", "precise", &m->accounting_precise, e))
		return false;
	if (asked != TRAP_GEN_AUTO && !check_trap(m->kernel, asked, c->trap, e))
		return false;
	if (!choose_mode(m, mode, asked, e))
		return false;
	m->trap = trap_of(m, m->kernel, m->mode, asked);
	m->kernel->rules.lass = m->trap == TRAP_GEN_GP;
	for (unsigned i = 0; i < m->kernel->modes; i++) {
		if (m->kernel->mode[i] == m->mode)
			m->active = i;
		add_policy(m, m->kernel->mode[i], m->kernel, asked, false);
	}
	if (!choose_baseline(m, c->baseline ? c->baseline : DEFAULT_BASELINE, e))
		return false;
	m->baseline = m->policies - 1;
	for (unsigned i = 0; i < m->policies; i++)
		cost_table_fill(m, i);
	return true;
}

void model_free(struct model *m)
{
	cpu_model_free(m->cpu);
	kernel_model_free(m->kernel);
	kernel_model_free(m->baseline_kernel);
	*m = (struct model){ 0 };
}
