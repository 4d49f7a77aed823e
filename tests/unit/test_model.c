/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles and prices: every shipped profile loads and resolves in each of its modes, a bad file or
 * choice gives one clear line, and a price is the sum of the stages that its profile lists.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "facts/model.h"

static struct model resolve(struct model_choice c)
{
	struct model m;
	struct err e = { 0 };

	if (!model_resolve(&m, &c, &e))
		fail_msg("%s", e.text);
	return m;
}

/* The refusal of @c must be one line that contains @word. */
static void refuse(struct model_choice c, const char *word)
{
	struct model m;
	struct err e = { 0 };

	if (model_resolve(&m, &c, &e))
		fail_msg("accepted, though %s is wrong", word);
	model_free(&m);
	if (!strstr(e.text, word) || strchr(e.text, '\n'))
		fail_msg("\"%s\" does not name %s in one line", e.text, word);
}

static void shipped(void **state)
{
	model_names cpu, kernel;
	struct err e = { 0 };

	(void)state;
	assert_true(model_list(false, &cpu, &e));
	assert_true(model_list(true, &kernel, &e));
	assert_true(cpu.n >= 8 && kernel.n >= 19);
	for (size_t k = 0; k < kernel.n; k++) {
		struct kernel_model *p = kernel_model_load(kernel.at[k], &e);

		if (!p)
			fail_msg("%s", e.text);
		for (unsigned i = 0; i < p->modes; i++)
			for (size_t c = 0; c < cpu.n; c++) {
				struct model m = resolve((struct model_choice){
					.kernel = kernel.at[k], .cpu = cpu.at[c],
					.mode = vsysemu_mode_name(p->mode[i]) });

				assert_int_equal(m.mode, p->mode[i]);
				assert_true(m.policies >= 2 && m.baseline == m.policies - 1);
				assert_true(m.policy[m.baseline].baseline);
				assert_true(m.active < m.policies);
				assert_int_equal(m.trap == TRAP_GEN_NONE, m.mode == VSYSEMU_NATIVE);
				model_free(&m);
			}
		kernel_model_free(p);
	}
	model_names_free(&cpu);
	model_names_free(&kernel);
}

/* The defaults of the command line. */
static void defaults(void **state)
{
	struct model m = resolve((struct model_choice){ 0 });

	(void)state;
	assert_string_equal(m.kernel->name, "6.1");
	assert_int_equal(m.mode, VSYSEMU_XONLY);
	assert_string_equal(m.cpu->name, "sandybridge");
	assert_string_equal(m.baseline_kernel->name, "3.0");
	model_free(&m);
	m = resolve((struct model_choice){ .mode = "native" });
	assert_string_equal(m.kernel->name, "3.0");
	model_free(&m);
	m = resolve((struct model_choice){ .mode = "emulate" });
	assert_string_equal(m.kernel->name, "6.1");
	model_free(&m);
	m = resolve((struct model_choice){ .trap = "int0xcc" });
	assert_string_equal(m.kernel->name, "3.1-rc1");
	assert_int_equal(m.mode, VSYSEMU_EMULATE);
	model_free(&m);
	m = resolve((struct model_choice){ .trap = "gp" });
	assert_string_equal(m.kernel->name, "7.1");
	assert_int_equal(m.mode, VSYSEMU_XONLY);
	model_free(&m);
}

static void choices(void **state)
{
	const char *unknown[] = { "cpu.nosuch=1" }, *text[] = { "cpu.iret_cycles=fast" },
		   *low[] = { "cpu.iret_cycles=-1" }, *no_value[] = { "cpu.iret_cycles" };

	(void)state;
	refuse((struct model_choice){ .kernel = "9.9" }, "9.9");
	refuse((struct model_choice){ .cpu = "z80" }, "z80");
	refuse((struct model_choice){ .mode = "turbo" }, "turbo");
	refuse((struct model_choice){ .mode = "native", .kernel = "6.1" }, "native");
	refuse((struct model_choice){ .mode = "native", .trap = "int0xcc" }, "trap");
	refuse((struct model_choice){ .mode = "emulate", .trap = "gp" }, "emulate");
	refuse((struct model_choice){ .kernel = "6.1", .trap = "int0xcc" }, "int0xcc");
	refuse((struct model_choice){ .clocksource = "sundial" }, "sundial");
	refuse((struct model_choice){ .baseline = "native@6.1" }, "baseline");
	refuse((struct model_choice){ .set = unknown, .set_n = 1 }, "nosuch");
	refuse((struct model_choice){ .set = text, .set_n = 1 }, "iret_cycles");
	refuse((struct model_choice){ .set = low, .set_n = 1 }, "iret_cycles");
	refuse((struct model_choice){ .set = no_value, .set_n = 1 }, "iret_cycles");
}

/* A CPU profile with @text in it is refused by a line that names a file and @word. */
static void bad_file(const char *text, const char *word)
{
	char name[] = "/tmp/vsysemu-model-XXXXXX.ini";
	struct cpu_model *c;
	struct err e = { 0 };
	int fd = mkstemps(name, 4);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
	close(fd);
	c = cpu_model_load(name, &e);
	unlink(name);
	if (c)
		fail_msg("accepted: %s", text);
	if (!strstr(e.text, word) || !strstr(e.text, ".ini") || strchr(e.text, '\n'))
		fail_msg("\"%s\" does not name a file and %s in one line", e.text, word);
}

static void files(void **state)
{
	(void)state;
	bad_file("", "core_hz");
	bad_file("[cpu]\ncore_hz = 1000000000\n", "tsc_hz");
	bad_file("base = sandybridge\n[cpu]\ncore_hz = fast\n", "core_hz");
	bad_file("base = sandybridge\n[cpu]\ncore_hz = 1\n", "core_hz");
	bad_file("base = sandybridge\n[cpu]\nnosuch = 1\n", "nosuch");
	bad_file("base = sandybridge\n[cpu]\ncpi = nan\n", "cpi");
	bad_file("base = sandybridge\n[cpu]\ncpi = 1 | guessed\n", "guessed");
	bad_file("base = nosuch\n", "nosuch");
	bad_file("base = sandybridge\n[classes]\nclass_alu = 1\n", "class_alu");
	bad_file("base = sandybridge\nthis is no line\n", ":");
}

/* A file that is its own base must end, not recurse. */
static void own_base(void **state)
{
	char name[] = "/tmp/vsysemu-model-XXXXXX.ini", text[128];
	struct err e = { 0 };
	int fd = mkstemps(name, 4), n = snprintf(text, sizeof(text), "base = %s\n", name);

	(void)state;
	assert_true(fd >= 0);
	assert_int_equal(write(fd, text, (size_t)n), n);
	close(fd);
	assert_null(cpu_model_load(name, &e));
	unlink(name);
	assert_true(e.text[0] && !strchr(e.text, '\n'));
}

static void sums(void **state)
{
	static const char *const kernel[] = { "3.0", "3.1-rc1", "3.16", "6.1", "7.1" };

	(void)state;
	for (size_t k = 0; k < ARRAY_SIZE(kernel); k++) {
		struct model m = resolve((struct model_choice){ .kernel = kernel[k] });

		for (unsigned p = 0; p < m.policies; p++)
			for (unsigned ev = 0; ev < COST_EVENT_COUNT; ev++) {
				struct cost_profile x;
				uint64_t sum = 0;

				cost_profile(&m, p, (enum cost_event)ev, &x);
				for (unsigned i = 0; i < x.n; i++)
					sum += x.line[i].cycles16;
				assert_int_equal(sum, x.total16);
				assert_int_equal(x.cost.user16 + x.cost.system16, x.total16);
				assert_int_equal(m.policy[p].price.ev[ev].user16, x.cost.user16);
				assert_int_equal(m.policy[p].price.ev[ev].system16, x.cost.system16);
			}
		model_free(&m);
	}
}

static double call_cycles(const struct model_choice *c, enum cost_event ev)
{
	struct model m = resolve(*c);
	struct cost p = model_price(&m, ev);

	model_free(&m);
	return (p.user16 + p.system16) / 16.0;
}

/* One stage of a path moves the price of that path by as much, and no other. */
static void set_moves(void **state)
{
	const char *set[] = { "cpu.iret_cycles=1000" }, *zero[] = { "cpu.iret_cycles=0" };
	struct model_choice a = { .kernel = "3.1-rc1", .set = set, .set_n = 1 };
	struct model_choice b = { .kernel = "3.1-rc1", .set = zero, .set_n = 1 };
	double d = call_cycles(&a, COST_VSYSCALL_TIME) - call_cycles(&b, COST_VSYSCALL_TIME);

	(void)state;
	assert_true(d > 999 && d < 1001);
	assert_true(call_cycles(&a, COST_SYSCALL_TIME) == call_cycles(&b, COST_SYSCALL_TIME));
}

static void mitigations_cost(void **state)
{
	struct model_choice off = { .mitigations = "off" }, on = { .mitigations = "auto" };
	struct model_choice audit = { .mitigations = "off", .audit = true };

	(void)state;
	assert_true(call_cycles(&on, COST_SYSCALL_NULL) > call_cycles(&off, COST_SYSCALL_NULL));
	assert_true(call_cycles(&audit, COST_SYSCALL_NULL) > call_cycles(&off, COST_SYSCALL_NULL));
	assert_true(call_cycles(&on, COST_VDSO_GETTIMEOFDAY) == call_cycles(&off, COST_VDSO_GETTIMEOFDAY));
}

/* A slow counter shrinks what the way to it matters. */
static void sources(void **state)
{
	struct model_choice tsc = { .mode = "emulate", .trap = "int0xcc" }, hpet = tsc, pm = tsc;
	double gap[3];

	(void)state;
	hpet.clocksource = "hpet";
	pm.clocksource = "acpi_pm";
	gap[0] = call_cycles(&tsc, COST_VSYSCALL_GETTIMEOFDAY) / call_cycles(&tsc, COST_SYSCALL_GETTIMEOFDAY);
	gap[1] = call_cycles(&hpet, COST_VSYSCALL_GETTIMEOFDAY) / call_cycles(&hpet, COST_SYSCALL_GETTIMEOFDAY);
	gap[2] = call_cycles(&pm, COST_VSYSCALL_GETTIMEOFDAY) / call_cycles(&pm, COST_SYSCALL_GETTIMEOFDAY);
	assert_true(gap[0] > 2 * gap[1]);
	assert_true(gap[1] > gap[2] && gap[2] > 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(shipped), cmocka_unit_test(defaults), cmocka_unit_test(choices),
		cmocka_unit_test(files), cmocka_unit_test(own_base), cmocka_unit_test(sums),
		cmocka_unit_test(set_moves), cmocka_unit_test(mitigations_cost), cmocka_unit_test(sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
