/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The table of verbs and options: the only place where an option is described. */
#include "cli/options_table.h"

#define F(field) offsetof(struct options, field)
#define RUN VERB_BIT(VERB_RUN)
#define CMP VERB_BIT(VERB_COMPARE)
#define SCAN VERB_BIT(VERB_SCAN)
#define CHK VERB_BIT(VERB_CHECK)
#define EXPL VERB_BIT(VERB_EXPLAIN)
#define MOD VERB_BIT(VERB_MODELS)
#define REPR VERB_BIT(VERB_REPRODUCE)
#define CAL VERB_BIT(VERB_CALIBRATE)
#define GUEST (RUN | CMP | EXPL | REPR)
#define ALL 0xffu

const struct verb_row verb_rows[VERB_COUNT] = {
	[VERB_RUN] = { "run", "[options] [--] PROGRAM [ARG...]",
		       "run PROGRAM under one policy (the word run may be left out)" },
	[VERB_COMPARE] = { "compare", "[options] [--] PROGRAM [ARG...]",
			   "the same program under every policy: one table" },
	[VERB_SCAN] = { "scan", "[options] PATH...",
			"which files use the vsyscall page, without running them" },
	[VERB_CHECK] = { "check", "[options] [VECTORS...]",
			 "test emulation logic against vectors (TAP)" },
	[VERB_EXPLAIN] = { "explain", "[options] [CALL]",
			   "one call through the trap path, step by step" },
	[VERB_MODELS] = { "models", "[NAME]", "the CPU and kernel profiles, or one in full" },
	[VERB_REPRODUCE] = { "reproduce", "[TABLE...]",
			     "published tables beside what the simulator gives" },
	[VERB_CALIBRATE] = { "calibrate", "[-o FILE]",
			     "measure this machine and write a CPU profile" },
};

const struct option_row option_rows[] = {
	{ "mode", 0, OPT_VALUE, F(mode), GUEST | CHK, "native|emulate|xonly|none", true,
	  "vsyscall policy; default: the kernel profile's own" },
	{ "kernel", 0, OPT_VALUE, F(kernel), GUEST | CHK, "NAME", false,
	  "kernel profile (see models); default 3.0 for native, else 6.1" },
	{ "trap", 0, OPT_VALUE, F(trap), GUEST | CHK, "int0xcc|page-fault|gp", true,
	  "pick the generation by its trap" },
	{ "cpu", 0, OPT_VALUE, F(cpu), GUEST | CHK, "NAME|FILE", false,
	  "CPU profile; default sandybridge" },
	{ "clocksource", 0, OPT_VALUE, F(clocksource), GUEST | CHK,
	  "tsc|hpet|acpi_pm|kvm-clock|xen|none", true,
	  "what the guest kernel reads time from; default tsc" },
	{ "baseline", 0, OPT_VALUE, F(baseline), GUEST, "MODE[@KERNEL]", false,
	  "what slowdown is measured against; default native@3.0" },
	{ "set", 0, OPT_LIST, F(set), GUEST | CHK | MOD, "KEY=VALUE", false,
	  "override one model value, e.g. cpu.iret_cycles=300; repeatable" },
	{ "mitigations", 0, OPT_VALUE, F(mitigations), GUEST | CHK, "off|auto", true,
	  "page-table isolation and friends; default auto" },
	{ "audit", 0, OPT_FLAG, F(audit), GUEST, NULL, false, "system call auditing is on" },
	{ "seccomp", 0, OPT_VALUE, F(seccomp), GUEST, "strict|NAME:ACTION[,...]", false,
	  "a filter from outside; NAME a system call or *, ACTION allow, errno=N, trap, kill, "
	  "kill-thread, log, trace" },
	{ "timens", 0, OPT_MAYBE, F(timens), GUEST, "MONO,BOOT", false,
	  "run in a time namespace with these offsets in seconds" },
	{ "accounting", 0, OPT_VALUE, F(accounting), GUEST, "tick|precise", true,
	  "how user and system time are told apart; default tick" },
	{ "vdso", 0, OPT_VALUE, F(vdso), GUEST, "auto|off|FILE", false,
	  "vDSO image of the profile, none, or a given one" },
	{ "setenv", 'E', OPT_LIST, F(setenv), GUEST, "VAR=VALUE", false,
	  "set a variable of the guest; repeatable" },
	{ "unsetenv", 'U', OPT_LIST, F(unsetenv), GUEST, "VAR", false,
	  "remove a variable of the guest; repeatable" },
	{ "argv0", '0', OPT_VALUE, F(argv0), GUEST, "ARGV0", false, "the guest's argv[0]" },
	{ "sysroot", 'L', OPT_VALUE, F(sysroot), GUEST | SCAN, "DIR", false,
	  "look for the guest's interpreter, libraries and files under DIR first" },
	{ "cwd", 0, OPT_VALUE, F(cwd), GUEST, "DIR", false, "the guest's working directory" },
	{ "auxv", 0, OPT_LIST, F(auxv), GUEST, "KEY=VALUE", false,
	  "override an auxiliary vector entry, e.g. AT_HWCAP=0; repeatable" },
	{ "cpus", 0, OPT_VALUE, F(cpus), GUEST, "N", false, "virtual CPUs; default 1" },
	{ "trace", 0, OPT_MAYBE, F(trace), GUEST, "vsyscall,vdso,syscall,signal,fault", false,
	  "one line an event on stderr; filters of calls: path=vsyscall|vdso|syscall, call=NAME, "
	  "addr=A or A-B (entry or return address), sym=FUNCTION (that calls)" },
	{ "summary", 'c', OPT_FLAG, F(summary), RUN | CMP, NULL, false,
	  "count the calls that the trace would show and print a table at the end" },
	{ "strace", 0, OPT_FLAG, F(strace), GUEST, NULL, false,
	  "trace system calls, vDSO and vsyscall calls" },
	{ "report", 0, OPT_VALUE, F(report), ALL,
	  "text|json|csv|html|none|sarif|trace|folded", true,
	  "form of the report; default text" },
	{ "output", 'o', OPT_VALUE, F(output), ALL, "FILE", false,
	  "where the report goes; - is stdout" },
	{ "quiet", 'q', OPT_FLAG, F(quiet), ALL, NULL, false,
	  "no report and no kernel log on stderr" },
	{ "epoch", 0, OPT_VALUE, F(epoch), GUEST, "SECONDS|now", false,
	  "the guest's time of day at start; default 1700000000" },
	{ "seed", 0, OPT_VALUE, F(seed), GUEST | CHK, "N", false,
	  "feeds every random byte the guest sees; default 0" },
	{ "max-insns", 0, OPT_VALUE, F(max_insns), GUEST, "N", false,
	  "end with status 124 after N instructions" },
	{ "timeout", 0, OPT_VALUE, F(timeout), GUEST, "SECONDS", false,
	  "end with status 124 after this much host time" },
	{ "color", 0, OPT_VALUE, F(color), ALL, "auto|always|never", true,
	  "colours on a terminal; NO_COLOR is honoured" },
	{ "progress", 0, OPT_FLAG, F(progress), ALL, NULL, false, "show progress on a terminal" },
	{ "engine-level", 0, OPT_VALUE, F(engine_level), GUEST, "N", false,
	  "limit the engine's speed-ups, for tests: 1 fast stores, 2 direct loads, 3 SSE by the host, 4 counts in translated code; default: all that work" },
	{ "impl", 0, OPT_VALUE, F(impl), CHK, "FILE.so", false,
	  "test this implementation (see vsysemu/policy.h)" },
	{ "random", 0, OPT_VALUE, F(random), CHK, "N", false,
	  "compare with --impl on N random trap frames" },
	{ "emit", 0, OPT_MAYBE, F(emit), CHK, "tsv|json", true, "print the vectors" },
	{ "truth", 0, OPT_VALUE, F(truth), CHK, "FILE", false,
	  "compare lines id<TAB>answer with what the profile predicts" },
	{ "guest", 0, OPT_VALUE, F(guest), CHK, "FILE", false, "the conformance program" },
	{ "column", 0, OPT_VALUE, F(column), CHK, "NAME", false,
	  "read this column of a table with a header line" },
	{ "jobs", 0, OPT_VALUE, F(jobs), SCAN, "N", false, "scan N files at once" },
	{ "files0-from", 0, OPT_VALUE, F(files0_from), SCAN, "FILE", false,
	  "read NUL-terminated paths from FILE" },
	{ "kernels", 0, OPT_VALUE, F(kernels), CMP, "all|NAME,...", false,
	  "compare over these kernel profiles" },
	{ "each", 0, OPT_FLAG, F(each), CMP, NULL, false,
	  "run once per policy instead of projecting from one run" },
	{ "rip", 0, OPT_VALUE, F(rip), EXPL, "ADDRESS", false, "where the fetch goes" },
	{ "cs", 0, OPT_VALUE, F(cs), EXPL, "SELECTOR", false, "code segment of the caller" },
	{ "error-code", 0, OPT_VALUE, F(error_code), EXPL, "N", false, "error code of the fault" },
	{ "stack", 0, OPT_VALUE, F(stack), EXPL, "good|bad", true, "is the stack readable" },
	{ "follow", 0, OPT_VALUE, F(follow), EXPL, "PROGRAM", false,
	  "explain a vsyscall of a real run; arguments behind -- at the end" },
	{ "nth", 0, OPT_VALUE, F(nth), EXPL, "N", false, "which one; default 1" },
	{ "help", 0, OPT_FLAG, F(help), ALL, NULL, false, "print this" },
	{ "version", 0, OPT_FLAG, F(version), ALL, NULL, false, "print the version" },
};
const size_t option_rows_n = ARRAY_SIZE(option_rows);
_Static_assert(ARRAY_SIZE(option_rows) <= 64, "struct options has a bit a row");
