/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The tables of keys: what a CPU or kernel profile may say, in which unit, within which bounds, and
 * what it means.  The parser, `models`, --set and docs/models.md all read these rows.  How a value is
 * parsed and printed is in model_values.c.
 */
#include "facts/model_keys.h"

#include <string.h>

#define C(field) offsetof(struct cpu_model, field)
#define K(field) offsetof(struct kernel_model, field)

static const struct model_key cpu_table[] = {
	{ "description", "cpu", "", "what was measured, in a line", "", KEY_TEXT, C(description), 0, 0 },
	{ "brand", "cpu", "", "brand string of CPUID", "vsysemu virtual CPU", KEY_TEXT, C(brand), 0, 0 },
	{ "vendor", "cpu", "", "vendor string of CPUID", "GenuineIntel", KEY_TEXT, C(vendor), 0, 0 },
	{ "family", "cpu", "", "CPUID family", "6", KEY_U32, C(family), 0, 255 },
	{ "model", "cpu", "", "CPUID model", "42", KEY_U32, C(model), 0, 255 },
	{ "stepping", "cpu", "", "CPUID stepping", "7", KEY_U32, C(stepping), 0, 15 },
	{ "core_hz", "cpu", "Hz", "core clock while it works", NULL, KEY_U64, C(core_hz), 1e6, 1e11 },
	{ "tsc_hz", "cpu", "Hz", "rate of the time stamp counter", NULL, KEY_U64, C(tsc_hz), 1e6, 1e11 },
	{ "lass", "cpu", "", "linear address space separation: #GP from the page", "0", KEY_BOOL,
	  C(lass), 0, 0 },
	{ "meltdown", "cpu", "", "needs page-table isolation", "1", KEY_BOOL, C(meltdown), 0, 0 },
	{ "cpi", "cpu", "cycles", "mean cycles an instruction, where no block price is known", "0.7",
	  KEY_NUMBER, C(cpi), 0.01, 100 },
	{ "hpet_ns", "board", "ns", "one read of the HPET", "550", KEY_NUMBER, C(hpet_ns), 1, 1e6 },
	{ "acpi_pm_ns", "board", "ns", "one read of the ACPI PM timer", "1100", KEY_NUMBER,
	  C(acpi_pm_ns), 1, 1e6 },
	{ "line_first_cycles", "memory", "cycles", "first cold cache line of a call", "200",
	  KEY_NUMBER, C(line_first_cycles), 0, 1e5 },
	{ "line_next_cycles", "memory", "cycles", "each further cold line", "20", KEY_NUMBER,
	  C(line_next_cycles), 0, 1e5 },
	{ "width", "core", "uops", "issued a cycle (0: no block prices)", "0", KEY_NUMBER,
	  C(core.width), 0, 32 },
	{ "alu_ports", "core", "", "integer ports", "3", KEY_NUMBER, C(core.alu), 1, 16 },
	{ "load_ports", "core", "", "load ports", "2", KEY_NUMBER, C(core.load), 1, 16 },
	{ "store_ports", "core", "", "store ports", "1", KEY_NUMBER, C(core.store), 1, 16 },
	{ "branch_ports", "core", "", "branch ports", "1", KEY_NUMBER, C(core.branch), 1, 16 },
	{ "shift_ports", "core", "", "shift ports", "2", KEY_NUMBER, C(core.shift), 1, 16 },
	{ "vec_ports", "core", "", "SSE ports", "3", KEY_NUMBER, C(core.vec), 1, 16 },
	{ "shuffle_ports", "core", "", "shuffle ports", "1", KEY_NUMBER, C(core.shuf), 1, 16 },
	{ "fp_ports", "core", "", "floating-point ports", "1", KEY_NUMBER, C(core.fp), 1, 16 },
	{ "move_elimination", "core", "", "register moves are free", "0", KEY_NUMBER, C(core.elim), 0, 1 },
	{ "lea3_throughput", "core", "", "lea of three components a cycle x 2: below 3 shares the multiplier",
	  "2", KEY_NUMBER, C(core.lea3_slow), 0, 16 },
	{ "load_latency", "core", "cycles", "load to use, general register", "4", KEY_NUMBER,
	  C(core.load_latency), 1, 100 },
	{ "vec_load_latency", "core", "cycles", "load to use, SSE register", "5", KEY_NUMBER,
	  C(core.vec_load_latency), 1, 100 },
	{ "forward_latency", "core", "cycles", "store to load", "5", KEY_NUMBER, C(core.forward), 0, 100 },
	{ "block_scale", "core", "", "factor on every block (KC)", "0.9", KEY_NUMBER, C(core.scale), 0.1, 10 },
	{ "chain_weight", "core", "", "weight of dependency chains (KN)", "1", KEY_NUMBER,
	  C(core.chain_weight), 0, 10 },
	{ "branch_miss_cycles", "core", "cycles", "a mispredicted branch, with what it exposes", "30",
	  KEY_NUMBER, C(core.branch_miss_cycles), 0, 1000 },
	{ "indirect_miss_part", "core", "", "of that, where the predictor here misses an indirect jump", "0.3",
	  KEY_NUMBER, C(core.indirect_miss_part), 0, 1 },
	{ "l1_cycles", "memory", "cycles", "load from L1", "4", KEY_NUMBER, C(core.l1_cycles), 1, 1000 },
	{ "l2_cycles", "memory", "cycles", "load from L2", "12", KEY_NUMBER, C(core.l2_cycles), 1, 1000 },
	{ "l3_cycles", "memory", "cycles", "load from L3", "40", KEY_NUMBER, C(core.l3_cycles), 1, 10000 },
	{ "memory_cycles", "memory", "cycles", "load from memory", "220", KEY_NUMBER,
	  C(core.memory_cycles), 1, 100000 },
#define X(key, meaning)                                                                          \
	{ #key "_cycles", "stages", "cycles", meaning, "0", KEY_NUMBER,                          \
	  C(stage_cycles[STAGE_##key]), 0, 1e8 },
	COST_STAGES(X)
#undef X
#define X(key, meaning)                                                                     \
	{ "class_" #key, "classes", "latency uops busy", meaning, "-", KEY_CLASS,           \
	  C(class_row[CLASS_##key]), 0, 1000 },
	PRICE_CLASSES(X)
#undef X
};

static const struct model_key kernel_table[] = {
	{ "description", "kernel", "", "which kernel, in a line", "", KEY_TEXT, K(description), 0, 0 },
	{ "release", "kernel", "", "uname -r", NULL, KEY_TEXT, K(release), 0, 0 },
	{ "version", "kernel", "", "uname -v", "#1 SMP", KEY_TEXT, K(version), 0, 0 },
	{ "era", "vsyscall", "", "behaviour through history, E0 ... E9", NULL, KEY_ERA, K(rules.era), 0, 0 },
	{ "modes", "vsyscall", "", "values of vsyscall=, default first", NULL, KEY_MODES, K(mode), 0, 0 },
	{ "trap", "vsyscall", "", "how the page is left: none, int0xcc, page-fault", NULL, KEY_TRAP,
	  K(trap), 0, 0 },
	{ "native_stubs", "vsyscall", "", "native is a stub around a system call, not code", "0",
	  KEY_BOOL, K(native_stubs), 0, 0 },
	{ "vsyscall64", "vsyscall", "", "sysctl of E0: 0 makes the page call the kernel", "1", KEY_BOOL,
	  K(vsyscall64), 0, 0 },
	{ "task_size", "vsyscall", "", "TASK_SIZE_MAX", "0x7ffffffff000", KEY_U64, K(rules.task_size),
	  4096, 1.8e19 },
	{ "user_limit", "vsyscall", "", "first address that the pointer check refuses",
	  "0x7ffffffff000", KEY_U64, K(rules.user_limit), 4096, 1.8e19 },
	{ "user_limit_start", "vsyscall", "", "only a pointer's start is compared", "0", KEY_BOOL,
	  K(rules.user_limit_start), 0, 0 },
	{ "none_mapped", "vsyscall", "", "none keeps the page readable (before 3.19)", "0", KEY_BOOL,
	  K(rules.none_mapped), 0, 0 },
	{ "unreadable", "vsyscall", "", "first KPTI kernels: no user loads in emulate", "0", KEY_BOOL,
	  K(rules.unreadable), 0, 0 },
	{ "fetch_by_rip", "vsyscall", "", "a fetch is address == RIP instead of the I bit", "0",
	  KEY_BOOL, K(rules.fetch_by_rip), 0, 0 },
	{ "lass_support", "vsyscall", "", "enables LASS when not in emulate", "0", KEY_BOOL,
	  K(lass_support), 0, 0 },
	{ "xen_cs", "vsyscall", "", "64-bit code may run on Xen's selector", "0", KEY_BOOL,
	  K(rules.xen_cs), 0, 0 },
	{ "fred", "vsyscall", "", "int n is refused with error code 0", "0", KEY_BOOL, K(rules.fred), 0, 0 },
	{ "compiled_out", "vsyscall", "", "built without vsyscall emulation", "0", KEY_BOOL,
	  K(rules.compiled_out), 0, 0 },
	{ "orig_rax_reset", "vsyscall", "", "orig_rax is -1 again after seccomp (3.19)", "0", KEY_BOOL,
	  K(rules.orig_rax_reset), 0, 0 },
	{ "log_style", "log", "", "plain, prefix-angle (3.5), prefix-soh (3.6 - 3.17)", "plain",
	  KEY_LOG_STYLE, K(rules.log_style), 0, 0 },
	{ "segfault_style", "log", "", "ordinary line: 0 plain, 1 with file, 2 and CPU, 3 and Code:",
	  "0", KEY_U32, K(segfault_style), 0, 3 },
	{ "errno_max", "seccomp", "", "SECCOMP_RET_ERRNO is cut to this", "4095", KEY_U32,
	  K(rules.errno_max), 1, 65535 },
	{ "seccomp_actions", "seccomp", "",
	  "beyond the first five: kill-process, log, user-notif, unknown-group", "", KEY_ACTIONS,
	  K(rules.seccomp_actions), 0, 0 },
	{ "hz", "time", "Hz", "timer ticks (CONFIG_HZ)", "250", KEY_U32, K(hz), 24, 10000 },
	{ "vdso", "time", "", "generation of the vDSO image, a ... i", NULL, KEY_TEXT, K(vdso), 0, 0 },
	{ "vdso_sources", "time", "", "clock sources that code in user mode reads", "tsc",
	  KEY_SOURCES, K(vdso_sources), 0, 0 },
	{ "vdso_clocks", "time", "", "clock ids that the vDSO answers", "0 1", KEY_CLOCKS,
	  K(vdso_clocks), 0, 0 },
	{ "vdso_getres", "time", "", "the vDSO has clock_getres", "0", KEY_BOOL, K(vdso_getres), 0, 0 },
	{ "pti", "costs", "", "page-table isolation where the CPU needs it", "0", KEY_BOOL, K(pti), 0, 0 },
	{ "ibrs", "costs", "", "writes IBRS on every entry and exit", "0", KEY_BOOL, K(ibrs), 0, 0 },
	{ "trap_return", "costs", "", "emulated calls return by iret, sysret, trampoline", "iret",
	  KEY_TRAP_RETURN, K(trap_return), 0, 0 },
	{ "symbols", "costs", "", "STAGE=SYMBOL as perf names it on this kernel", "", KEY_TEXT,
	  K(symbols), 0, 0 },
#define X(key, meaning)                                                                      \
	{ "path_" #key, "paths", "stages", meaning, "", KEY_STEPS, K(path[CPATH_##key]), 0, 0 },
	COST_PATHS(X)
#undef X
};

const struct model_key *cpu_keys(size_t *n)
{
	*n = ARRAY_SIZE(cpu_table);
	return cpu_table;
}

const struct model_key *kernel_keys(size_t *n)
{
	*n = ARRAY_SIZE(kernel_table);
	return kernel_table;
}

size_t cpu_key_of_stage(enum cost_stage s)
{
	size_t first = 0;

	while (cpu_table[first].offset != C(stage_cycles[0]))
		first++;
	return first + s;
}

int model_key_find(const struct model_key *keys, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(keys[i].name, name))
			return (int)i;
	return -1;
}
