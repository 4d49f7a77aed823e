/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ids that a run without arguments goes through.  row_run() knows more: any offset, any pair of
 * pointers. */
#include <stdio.h>
#include <string.h>

#include "conformance.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

struct list {
	void (*each)(void *ctx, const char *id);
	void *ctx;
};

static const char *const pointers[] = {
	"null", "rw", "rw+1", "low16", "unmapped", "ro", "protnone", "end-4", "end-8", "end-12",
	"end-16", "taskmax-1", "taskmax-8", "taskmax-16", "taskmax", "2e47", "2e63", "kernel", "vsys",
	"minus8", "minus1",
};
static const char *const entries[] = { "0x0", "0x400", "0x800", "0xc00" };

static void say(const struct list *l, const char *a, const char *b, const char *c, const char *d)
{
	char id[128];

	snprintf(id, sizeof(id), "%s%s%s%s", a, b, c, d);
	l->each(l->ctx, id);
}

static void list_entries(const struct list *l)
{
	static const char *const offsets[] = {
		"0x0", "0x400", "0x800", "0xc00", "0x1", "0x9", "0x401", "0x409", "0x801", "0x809",
		"0xc01", "0x7", "0x407", "0x807", "0xa", "0x40a", "0x10", "0x200", "0x3ff", "0x410",
		"0x600", "0x7ff", "0xbff", "0xff8", "0xfff", "0x1000", "0x1400", "-0x1", "-0x10",
		"-0x400",
	};
	static const char *const targets[] = { "rw-noexec", "unmapped", "protnone", "low16", "kernel",
					       "taskmax", "2e47", "2e63", "minus1" };
	size_t i;

	for (i = 0; i < COUNT(offsets); i++)
		say(l, "entry:", offsets[i], "", "");
	for (i = 0; i < COUNT(targets); i++)
		say(l, "exec:", targets[i], "", "");
}

static void list_pairs(const struct list *l, const char *first, const char *second)
{
	size_t i;

	for (i = 0; i < COUNT(pointers); i++)
		say(l, first, pointers[i], second, "null");
	for (i = 0; i < COUNT(pointers); i++)
		say(l, first, "rw", second, pointers[i]);
	for (i = 0; i < COUNT(pointers); i++)
		say(l, first, "null", second, pointers[i]);
}

static void list_calls(const struct list *l)
{
	static const char *const names[] = { "gettimeofday:", "time:", "getcpu:" };
	size_t i, k;

	list_pairs(l, "gtod:tv=", ",tz=");
	for (i = 0; i < COUNT(pointers); i++)
		say(l, "time:t=", pointers[i], "", "");
	list_pairs(l, "getcpu:cpu=", ",node=");
	for (k = 0; k < COUNT(names); k++)
		for (i = 0; i < COUNT(pointers); i++)
			say(l, "syscall:", names[k], pointers[i], "");
}

static void list_ways(const struct list *l)
{
	static const char *const ways[] = { "ret:", "lretq:", "iretq:", "sigreturn:" };
	static const char *const stacks[] = {
		"good", "odd", "last8", "last4-straddle", "ro", "unmapped", "protnone", "zero",
		"taskmax-8", "taskmax-4", "taskmax", "2e47", "2e63", "kernel", "vsys", "minus8", "minus4",
	};
	static const char *const returns[] = {
		"unmapped", "zero", "taskmax", "kernel", "noexec", "2e47", "2e63", "minus1", "vsys0",
		"vsys400", "vsys800", "vsysc00",
	};
	static const char *const steps[] = {
		"0x0", "0x400", "0x800", "0xc00", "0x1", "0x9", "0x0,tv=unmapped", "0x0,tv=kernel",
		"0x0,tv=null",
	};
	size_t i, k;

	for (k = 0; k < COUNT(entries); k++)
		for (i = 0; i < COUNT(ways); i++)
			say(l, "via-", ways[i], entries[k], "");
	for (k = 0; k < COUNT(entries); k++)
		for (i = 0; i < COUNT(stacks); i++)
			say(l, "stack:", stacks[i], ":", entries[k]);
	say(l, "stack+ptr:", "unmapped,kernel", "", "");
	say(l, "stack+ptr:", "unmapped,unmapped", "", "");
	for (i = 0; i < COUNT(returns); i++)
		say(l, "retaddr:", returns[i], "", "");
	for (i = 0; i < COUNT(steps); i++)
		say(l, "tf:", steps[i], "", "");
}

static void list_filters(const struct list *l)
{
	static const char *const actions[] = {
		"allow:", "errno0:", "errno14:", "errno42:", "errno4095:", "errno5000:", "trap:",
		"trace-notracer:", "log:", "usernotif-nolistener:", "kill-thread:", "kill-process:",
		"trap-resume:", "ip-match(77=yes):", "strict:",
	};
	static const char *const others[] = {
		"errno42:tv=kernel", "errno42:tv=unmapped", "trap:tv=kernel", "allow:tv=unmapped",
		"errno42:stack=unmapped", "errno42:0x1", "strict:0x1",
		"errno42:real-syscall-time", "trap-resume:real-syscall-time",
		"strict:real-syscall-time", "ip-match(77=yes):real-syscall-time",
	};
	static const char *const stepped[] = { "trap", "errno42", "allow" };
	size_t i, k;

	for (k = 0; k < COUNT(entries); k++)
		for (i = 0; i < COUNT(actions); i++)
			if (k < 3 || !strcmp(actions[i], "strict:"))
				say(l, "seccomp:", actions[i], entries[k], "");
	for (i = 0; i < COUNT(others); i++)
		say(l, "seccomp:", others[i], "", "");
	for (i = 0; i < COUNT(stepped); i++)
		say(l, "seccomp+tf:", stepped[i], "", "");
	for (k = 0; k < 3; k++)
		for (i = 0; trace_seccomp_names[i]; i++)
			say(l, "seccomp:trace+tracer:", trace_seccomp_names[i], ":", entries[k]);
}

static void list_others(const struct list *l)
{
	static const char *const kinds[] = { "sud-block:", "tsc-sigsegv:", "sigsegv-ignored:",
					     "sigsegv-default:", "sigsegv-blocked:" };
	static const char *const loads[] = { "0x0", "0x1", "0x400", "0x800", "0xc00", "0xff8", "0xffc",
					     "0xfff", "0x1000", "-0x1", "-0x4", "-0x8", "unmapped",
					     "protnone", "ro", "kernel", "taskmax", "2e47", "2e63" };
	static const char *const bare[] = {
		"int-0xcc", "int3", "hlt", "compat32:call-0xff600000", "compat32:call-0xff600400",
		"compat32:call-0xff600800", "compat32:load-0xff600000", "compat32:store-0xff600000",
		"compat32:int-0xcc", "cmpxchg:0x0", "cmpxchg:ro", "prefetch:0x0", "prefetch:0x400",
		"prefetch:unmapped", "consistency:time-vs-syscall", "consistency:gtod-vs-syscall",
		"consistency:getcpu-vs-syscall", "ptrace:singlestep:0x0", "ptrace:singlestep:0x400",
		"ptrace:singlestep:0x800", "ptrace:singlestep:0xc00", "ptrace:syscall-stops:0x0",
		"ptrace:syscall-stops:0x400", "ptrace:syscall-stops:0x800", "ptrace:peek",
		"ptrace:poke",
	};
	size_t i, k;

	for (i = 0; i < COUNT(kinds); i++)
		for (k = 0; k < COUNT(entries); k++)
			say(l, kinds[i], entries[k], "", "");
	say(l, "sigsegv-ignored:", "0x1", "", "");
	for (i = 0; i < COUNT(loads); i++) {
		say(l, "load8:", loads[i], "", "");
		say(l, "load1:", loads[i], "", "");
		say(l, "store1:", loads[i], "", "");
	}
	for (i = 0; sys_names[i]; i++)
		say(l, "sys:", sys_names[i], "", "");
	for (i = 0; i < COUNT(bare); i++)
		say(l, bare[i], "", "", "");
}

void row_list(void (*each)(void *ctx, const char *id), void *ctx)
{
	struct list l = { each, ctx };

	list_entries(&l);
	list_calls(&l);
	list_ways(&l);
	list_filters(&l);
	list_others(&l);
}
