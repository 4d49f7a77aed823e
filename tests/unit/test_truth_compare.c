/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The masks of check --truth: what must pass as the same, and what must not. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "cli/truth_compare.h"

static enum truth_verdict compare(const char *id, const char *want, const char *got)
{
	static const struct truth_rules plain;
	const char *why;

	return truth_compare(&plain, id, want, got, &why);
}

static void noise_is_masked(void **state)
{
	(void)state;
	assert_int_equal(compare("a", "ret rax=0x0 chg=none rspd=0 mem=0x100-0x10c,0x10d-0x110",
				 "ret rax=0x0 chg=none rspd=0 mem=0x100-0x110"), TRUTH_SAME);
	assert_int_equal(compare("a", "ret rax=0x0 chg=rcx:0x4019ff,r11:0x297 rspd=0",
				 "ret rax=0x0 chg=rcx:0x402222,r11:0x10297 rspd=0"), TRUTH_SAME);
	assert_int_equal(compare("a", "sig sig=11 rip=vsys+0x1", "sig sig=11 rip=vsys+0x1 klog=misaligned_vsyscall"),
			 TRUTH_SAME);
	assert_int_equal(compare("int-0xcc", "sig err=0xcc2", "sig err=0x662"), TRUTH_SAME);
	assert_int_equal(compare("exec:2e63", "sig rip=0x8000000000000000", "sig rip=CALL"), TRUTH_SAME);
	assert_int_equal(compare("via-iretq:0x0", "ret chg=rcx:0x5,r11:0x216", "ret chg=rcx:0x5,r11:0x212"), TRUTH_SAME);
	assert_int_equal(compare("seccomp:trace+tracer:change-nr(getpid):0x400", "ret rax=0x1ed", "ret rax=0x3e8"),
			 TRUTH_SAME);
}

static void differences_are_seen(void **state)
{
	(void)state;
	assert_int_equal(compare("a", "ret rax=0x0 mem=0x100-0x108", "ret rax=0x0 mem=0x100-0x110"), TRUTH_DIFFERS);
	assert_int_equal(compare("a", "ret rax=0x0", "ret rax=0x0 mem=0x100-0x110"), TRUTH_DIFFERS);
	assert_int_equal(compare("a", "ret rax=0x0", "sig rax=0x0"), TRUTH_DIFFERS);
	assert_int_equal(compare("a", "ret chg=none", "ret chg=rcx:0x5"), TRUTH_DIFFERS);
	assert_int_equal(compare("a", "ret chg=r11:0x283", "ret chg=r11:0x287"), TRUTH_DIFFERS);
	assert_int_equal(compare("a", "sig err=0x6", "sig err=0x7"), TRUTH_DIFFERS);
	assert_int_equal(compare("a", "sig rip=vsys+0x1", "sig rip=vsys+0x2"), TRUTH_DIFFERS);
	assert_int_equal(compare("a", "sig rip=AFTER", "sig rip=CALL"), TRUTH_DIFFERS);
	assert_int_equal(compare("a", "sig sig=11 klog=vsyscall_fault", "sig sig=11"), TRUTH_DIFFERS);
	assert_int_equal(compare("a", "ret rax=TIME", "ret rax=0x5"), TRUTH_DIFFERS);
	assert_int_equal(compare("a", "ret rax=0x1 sig=31,code=1,rip=AFTER", "ret rax=0x1 sig=31,code=2,rip=AFTER"),
			 TRUTH_DIFFERS);
	assert_int_equal(compare("a", "killed termsig=31", "killed termsig=9"), TRUTH_DIFFERS);
}

static void unknown_is_skipped(void **state)
{
	struct truth_rules e0 = { .compiled_page = true }, small = { .reduced_build = true };
	const char *why;

	(void)state;
	assert_int_equal(compare("a", "-", "ret rax=0x0"), TRUTH_SKIP);
	assert_int_equal(compare("a", "ret rax=0x0", "?"), TRUTH_SKIP);
	assert_int_equal(compare("a", "ret rax=0x0", "-"), TRUTH_SKIP);
	assert_int_equal(truth_compare(&e0, "entry:0x7", "sig code=2", "ret rax=0x0", &why), TRUTH_SKIP);
	assert_int_equal(truth_compare(&e0, "entry:0x400", "sig code=2", "ret rax=0x0", &why), TRUTH_DIFFERS);
	assert_int_equal(truth_compare(&e0, "entry:0x400", "ret chg=none rspd=0", "ret chg=rcx:0x1 rspd=0", &why),
			 TRUTH_SAME);
	assert_int_equal(truth_compare(&small, "seccomp:trap:0x0", "ret rax=0x0", "sig sig=31", &why), TRUTH_SKIP);
	assert_int_equal(truth_compare(&small, "entry:0x0", "ret rax=0x0", "sig sig=31", &why), TRUTH_DIFFERS);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(noise_is_masked),
		cmocka_unit_test(differences_are_seen),
		cmocka_unit_test(unknown_is_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
