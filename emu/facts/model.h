/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * CPU and kernel profiles: models/cpu/NAME.ini and models/kernel/NAME.ini read (inih) by one table
 * of keys each (model_keys.c).  Each value keeps its source and whether it was measured, published,
 * fitted or estimated, so that `models` and the report can say so.  Resolving a choice gives one
 * struct model that stays const for the whole run.
 */
#ifndef VSYSEMU_FACTS_MODEL_H
#define VSYSEMU_FACTS_MODEL_H

#include "base/buf.h"
#include "base/err.h"
#include "base/types.h"
#include "facts/cost.h"
#include "facts/policy.h"
#include "facts/price.h"

enum clocksource { CS_TSC, CS_HPET, CS_ACPI_PM, CS_KVM_CLOCK, CS_XEN, CS_NONE, CS_COUNT };
/* How an arrival at the page reaches the kernel.  TRAP_GEN_NONE: it does not (native). */
enum trap_gen { TRAP_GEN_AUTO, TRAP_GEN_NONE, TRAP_GEN_INT0XCC, TRAP_GEN_PAGE_FAULT, TRAP_GEN_GP };
enum trap_return { TRAP_RETURN_IRET, TRAP_RETURN_SYSRET, TRAP_RETURN_TRAMPOLINE };
enum provenance { PROV_ESTIMATED, PROV_FITTED, PROV_PUBLISHED, PROV_MEASURED, PROV_GIVEN };

const char *clocksource_name(enum clocksource c); /* as on the command line */
const char *trap_gen_name(enum trap_gen t); /* "none", "int0xcc", "page-fault", "gp" */
const char *provenance_name(enum provenance p);

/* What the command line chose; strings borrowed, NULL = not given. */
struct model_choice {
	const char *mode, *kernel, *trap, *cpu, *clocksource, *baseline, *mitigations, *accounting;
	const char *const *set; /* KEY=VALUE */
	size_t set_n;
	bool audit, timens;
};

/* Where a value of a profile came from.  Same index as the key's row. */
struct model_origin {
	enum provenance provenance;
	char *source; /* owned; "" if none */
	bool present; /* the file (or --set) gives it; else it is the key's default */
};

struct cpu_model {
	char *name, *description, *brand, *vendor; /* brand: CPUID's string; vendor: CPUID's 12 letters */
	uint32_t family, model, stepping; /* CPUID leaf 1 */
	uint64_t core_hz, tsc_hz;
	bool lass; /* linear address space separation: #GP instead of #PF */
	bool meltdown; /* page-table isolation is on by default from 4.15 */
	bool pcid;
	bool rdpid;
	double cpi; /* mean cycles per instruction of user code, where no block price is used */
	double stage_cycles[COST_STAGE_COUNT];
	double hpet_ns, acpi_pm_ns; /* read of the board's counter */
	double line_first_cycles, line_next_cycles; /* first and each further cold cache line of a call */
	struct price_core core; /* width 0: not known, cpi is used */
	struct price_class_row class_row[CLASS_COUNT];
	struct model_origin *origin; /* one a key, in the order of cpu_keys() */
};

/* A release as one number; the 2.6 series counts in its third: 2.6.32 is KVER(2, 32). */
#define KVER(major, minor) ((unsigned)(major) << 8 | (minor))

struct kernel_model {
	char *name, *description;
	char *release, *version; /* uname -r and -v */
	unsigned release_nr; /* of @release, to be compared with KVER() */
	enum vsysemu_mode mode[VSYSEMU_MODE_COUNT]; /* default first */
	unsigned modes;
	struct vsysemu_profile rules; /* era and what differs inside it; for the decision core */
	enum trap_gen trap; /* of emulate/xonly/none */
	bool lass_support;
	bool native_stubs; /* native = the page's syscall stubs; else real code */
	uint32_t hz; /* CONFIG_HZ */
	char *vdso; /* generation letter of the vDSO image: "a".."i" */
	bool pti, ibrs; /* has it (and uses it by default on a CPU that needs it) */
	enum trap_return trap_return; /* how emulated calls return */
	uint32_t vdso_sources; /* bit CS_*: the vDSO (and real code in the page) reads it */
	uint64_t vdso_clocks; /* bit n: the vDSO answers clock id n */
	bool vdso_getres; /* it has clock_getres */
	bool vsyscall64; /* E0's sysctl: 0 makes the page's code call the kernel */
	uint32_t segfault_style; /* ordinary line: 0 plain, 1 + " in NAME[..]", 2 + CPU, 3 + Code: */
	struct cost_steps path[COST_PATH_COUNT];
	char *symbols; /* "stage=symbol ..." */
	struct model_origin *origin;
};

/* One line of the report's `policies`: a mode of the profile, or the baseline. */
struct model_policy {
	enum vsysemu_mode mode;
	const struct kernel_model *kernel;
	enum trap_gen trap;
	bool baseline;
	struct cost_table price;
};
#define MODEL_POLICIES_MAX 8

struct model {
	struct cpu_model *cpu; /* owned */
	struct kernel_model *kernel; /* owned */
	struct kernel_model *baseline_kernel; /* owned; may equal kernel */
	enum vsysemu_mode mode;
	enum trap_gen trap; /* TRAP_GEN_NONE when native */
	enum clocksource clocksource;
	bool mitigations, audit, accounting_precise;
	bool timens; /* the program runs in a time namespace */
	/* Every mode of the profile in its order, then the baseline (last, always present). */
	struct model_policy policy[MODEL_POLICIES_MAX];
	unsigned policies;
	unsigned active; /* the policy that runs */
	unsigned baseline; /* policies - 1 */
};

/* Resolve a choice.  False: @e has one line that says which option is wrong and why.  @m is to be
 * freed with model_free() in any case. */
bool model_resolve(struct model *m, const struct model_choice *c, struct err *e);
void model_free(struct model *m);

/* Price of @ev under the active policy. */
static inline struct cost model_price(const struct model *m, enum cost_event ev)
{
	return m->policy[m->active].price.ev[ev];
}

/* The directory that holds cpu/, kernel/ and published/: $VSYSEMU_MODELS, else
 * ../share/vsysemu/models or models beside the executable, or of the tree it was built in.  The
 * string is owned by the caller. */
char *model_dir(void);

/* Load one profile by name or, if @name has a slash or ends in .ini, by path. */
struct cpu_model *cpu_model_load(const char *name, struct err *e);
struct kernel_model *kernel_model_load(const char *name, struct err *e);
void cpu_model_free(struct cpu_model *c);
void kernel_model_free(struct kernel_model *k);
/* --set: KEY=VALUE applied to the profiles in question; unknown keys and bad values are refused. */
bool model_set(struct cpu_model *c, struct kernel_model *k, const char *text, struct err *e);

/* Names of the profiles in models/cpu or models/kernel, sorted. */
typedef VEC(char *) model_names;
bool model_list(bool kernel, model_names *out, struct err *e);
void model_names_free(model_names *n);

/* One row of the tables of keys; the whole table feeds the parser, `models`, docs/models.md. */
enum key_kind {
	KEY_TEXT, KEY_NUMBER, KEY_U32, KEY_U64, KEY_BOOL, KEY_ERA, KEY_MODES, KEY_TRAP,
	KEY_TRAP_RETURN, KEY_SOURCES, KEY_CLOCKS, KEY_LOG_STYLE, KEY_ACTIONS, KEY_STEPS, KEY_CLASS
};
struct model_key {
	char name[40];
	const char *section, *unit, *meaning, *fallback; /* fallback: text of the default; NULL: required */
	enum key_kind kind;
	size_t offset;
	double min, max; /* numbers */
};
const struct model_key *cpu_keys(size_t *n);
const struct model_key *kernel_keys(size_t *n);
/* Index of stage @s's key in cpu_keys(). */
size_t cpu_key_of_stage(enum cost_stage s);
/* The value of a key as text, as it would stand in the file. */
void model_key_print(const struct model_key *k, const void *profile, struct buf *b);

/* Short name of an era as docs have it: "E5". */
const char *kernel_model_era(const struct kernel_model *k);

#endif
