/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The branch predictor: what every such predictor gets right, and what none can. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/types.h"
#include "facts/predict.h"

#define HERE 0x401000ull

static uint64_t noise(uint64_t *s)
{
	*s ^= *s << 13;
	*s ^= *s >> 7;
	*s ^= *s << 17;
	return *s;
}

static unsigned jcc(struct predictor *p, gaddr end, bool taken)
{
	return predictor_branch(p, BRANCH_JCC, end, taken ? end - 40 : end);
}

/* Misses of 1000 after as many to learn from; @period: taken but each period-th time. */
static unsigned loop_misses(unsigned period)
{
	struct predictor *p = predictor_new();
	unsigned misses = 0;

	for (unsigned i = 0; i < 20000; i++)
		if (jcc(p, HERE, i % period) && i >= 19000)
			misses++;
	predictor_free(p);
	return misses;
}

static void test_loops(void **state)
{
	(void)state;
	/* Within reach of the history: none.  Beyond: once a pass. */
	for (unsigned period = 2; period <= 40; period++)
		assert_true(loop_misses(period) <= 2);
	assert_in_range(loop_misses(200), 4, 6);
	assert_int_equal(loop_misses(100000), 0);
}

static void test_random(void **state)
{
	struct predictor *p = predictor_new();
	uint64_t s = 88172645463325252ull;
	unsigned even = 0, rare = 0, copied = 0;

	(void)state;
	for (unsigned i = 0; i < 20000; i++)
		even += jcc(p, HERE, noise(&s) >> 33 & 1);
	assert_in_range(even, 9000, 11000);
	for (unsigned i = 0; i < 20000; i++)
		rare += jcc(p, HERE + 64, (noise(&s) >> 33 & 15) == 0);
	assert_in_range(rare, 1000, 2200);
	/* A jump that repeats what an earlier one did. */
	for (unsigned i = 0; i < 20000; i++) {
		bool v = noise(&s) >> 33 & 1;

		jcc(p, HERE + 128, v);
		copied += jcc(p, HERE + 192, v) && i >= 10000;
	}
	assert_in_range(copied, 0, 500);
	predictor_free(p);
}

static void test_returns(void **state)
{
	struct predictor *p = predictor_new();
	unsigned misses = 0;

	(void)state;
	/* 20 deep, from changing places. */
	for (unsigned i = 0; i < 100; i++) {
		for (gaddr d = 0; d < 20; d++)
			predictor_branch(p, d & 1 ? BRANCH_CALL : BRANCH_CALL_INDIRECT, HERE + i * 64 + d * 8, HERE);
		for (gaddr d = 20; d-- > 0;)
			misses += predictor_branch(p, BRANCH_RET, HERE, HERE + i * 64 + d * 8);
	}
	assert_int_equal(misses, 0);
	/* Priced elsewhere, followed all the same. */
	predictor_follow(p, BRANCH_CALL, HERE + 8);
	predictor_branch(p, BRANCH_CALL, HERE + 16, HERE);
	predictor_follow(p, BRANCH_RET, HERE);
	assert_false(predictor_branch(p, BRANCH_RET, HERE, HERE + 8));
	/* A return to where no call was. */
	assert_true(predictor_branch(p, BRANCH_RET, HERE, HERE + 0x5000));
	predictor_free(p);
}

static void test_indirect(void **state)
{
	struct predictor *p = predictor_new();
	uint64_t s = 362436069;
	unsigned same = 0, pattern = 0, wild = 0;

	(void)state;
	for (unsigned i = 0; i < 4000; i++)
		same += predictor_branch(p, BRANCH_JMP_INDIRECT, HERE, HERE + 0x100) && i >= 100;
	for (unsigned i = 0; i < 4000; i++)
		pattern += predictor_branch(p, BRANCH_JMP_INDIRECT, HERE + 8, HERE + 0x40 * (i % 5)) && i >= 1000;
	for (unsigned i = 0; i < 4000; i++)
		wild += predictor_branch(p, BRANCH_JMP_INDIRECT, HERE + 16, HERE + 0x40 * (noise(&s) >> 40 & 15));
	assert_int_equal(same, 0);
	assert_int_equal(pattern, 0);
	assert_in_range(wild, 3400, 4000);
	assert_false(predictor_branch(p, BRANCH_JMP, HERE, HERE + 0x700));
	assert_false(predictor_branch(p, BRANCH_CALL, HERE, HERE + 0x700));
	assert_false(predictor_branch(p, BRANCH_NONE, HERE, HERE + 0x700));
	predictor_free(p);
}

static void test_kinds(void **state)
{
	static const struct { const char *code; size_t n; enum branch_kind kind; } k[] = {
		{ "\x74\x05", 2, BRANCH_JCC },	     { "\x0f\x85\1\0\0\0", 6, BRANCH_JCC },
		{ "\x2e\x75\x05", 3, BRANCH_JCC },    { "\xe2\xfe", 2, BRANCH_JCC },
		{ "\xe3\x10", 2, BRANCH_JCC },	     { "\xeb\x02", 2, BRANCH_JMP },
		{ "\xe9\1\0\0\0", 5, BRANCH_JMP }, { "\xe8\1\0\0\0", 5, BRANCH_CALL },
		{ "\xc3", 1, BRANCH_RET },	     { "\xf3\xc3", 2, BRANCH_RET },
		{ "\xc2\x08\0", 3, BRANCH_RET },    { "\xff\xe0", 2, BRANCH_JMP_INDIRECT },
		{ "\x41\xff\xe3", 3, BRANCH_JMP_INDIRECT }, { "\x3e\xff\xe0", 3, BRANCH_JMP_INDIRECT },
		{ "\xff\xd0", 2, BRANCH_CALL_INDIRECT }, { "\xff\x15\1\0\0\0", 6, BRANCH_CALL_INDIRECT },
		{ "\xff\xc0", 2, BRANCH_NONE },	     { "\xff\x30", 2, BRANCH_NONE },
		{ "\x0f\x05", 2, BRANCH_NONE },	     { "\x90", 1, BRANCH_NONE },
		{ "\x0f\x94\xc0", 3, BRANCH_NONE }, { "\x66", 1, BRANCH_NONE },
		{ "\xff", 1, BRANCH_NONE },	     { "", 0, BRANCH_NONE },
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(k); i++)
		assert_int_equal(branch_of((const uint8_t *)k[i].code, k[i].n), k[i].kind);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_loops),	 cmocka_unit_test(test_random), cmocka_unit_test(test_returns),
		cmocka_unit_test(test_indirect), cmocka_unit_test(test_kinds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
