/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU and kernel profiles: models/cpu/NAME.ini and models/kernel/NAME.ini read (inih) into const
 * structs by one table of keys.  Each value keeps its source and whether it was measured,
 * published, fitted or estimated, so that `models` and the report can say so.
 */
#ifndef VSYSEMU_FACTS_MODEL_H
#define VSYSEMU_FACTS_MODEL_H

#include "base/err.h"
#include "base/types.h"
#include "facts/policy.h"

enum clocksource { CS_TSC, CS_HPET, CS_ACPI_PM, CS_KVM_CLOCK, CS_XEN, CS_NONE, CS_COUNT };
enum trap_gen { TRAP_GEN_AUTO, TRAP_GEN_NONE, TRAP_GEN_INT0XCC, TRAP_GEN_PAGE_FAULT, TRAP_GEN_GP };

struct cpu_model; /* the rest is in the owner's hands: see model.c */
struct kernel_model;

/* What the command line chose; strings borrowed, NULL = not given. */
struct model_choice {
	const char *mode, *kernel, *trap, *cpu, *clocksource, *baseline, *mitigations, *accounting;
	const char *const *set; /* KEY=VALUE */
	size_t set_n;
	bool audit;
};

#endif
