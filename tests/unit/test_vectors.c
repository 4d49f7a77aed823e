/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Vectors: a random case written as a row and read back is the same case with the same outcome. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "facts/vectors.h"

static const struct vector_impl core = { vsysemu_policy_decide, vsysemu_policy_finish };

/* A row can say neither a profile with odd keys nor a code that page tables do not give. */
static bool is_sayable(struct vector_case *c, const struct vector_target *t)
{
	c->profile = t->rules;
	if (!vsysemu_mode_valid(c->profile.era, c->mode))
		return false;
	c->profile.lass = c->entry == ENTRY_GP;
	if (c->profile.lass && c->profile.era != VSYSEMU_E9)
		return false;
	if ((c->cs & 3) != 3 && c->entry != ENTRY_INT)
		return false;
	c->error_code = c->natural_code = vector_case_code(c, false);
	return vector_case_traps(c);
}

static void round_trip(const struct vector_case *c, const struct vector_target *target)
{
	struct vector_pair pair = { .target = target, .rules = target->rules, .mode = c->mode };
	struct vector_outcome o, again_o;
	struct vector_table t = { 0 }, read = { 0 };
	struct vector_case again;
	struct buf why = { 0 }, text = { 0 };
	struct err e = { .text = "" };

	vector_case_run(c, &core, &o);
	vector_emit(&t, "R", c, &o, "random");
	vector_header_tsv(&text);
	buf_printf(&text, "\n");
	vector_row_tsv(&t.rows.at[0], &text);
	if (!vector_table_read(&read, "row", text.data, text.len, &e))
		fail_msg("%s\n%s", e.text, text.data);
	if (!vector_row_case(&read.rows.at[0], &pair, &again, &why))
		fail_msg("%s\n%s", why.data, text.data);
	vector_case_run(&again, &core, &again_o);
	vector_outcome_diff(&o, &again_o, &why);
	if (why.len)
		fail_msg("%s\n%s", why.data, text.data);
	if (vector_row_match(&read.rows.at[0], &again, &again_o, &why) != MATCH_OK &&
	    target->rules.era != VSYSEMU_E0)
		fail_msg("%s\n%s", why.data, text.data);
	vector_table_free(&t);
	vector_table_free(&read);
	buf_free(&why);
	buf_free(&text);
}

static void test_round_trip(void **state)
{
	struct vector_target targets[VECTOR_TARGETS_MAX];
	size_t n = vector_targets(targets), done = 0;
	uint64_t random[2] = { 1, 2 };

	(void)state;
	for (int i = 0; i < 20000; i++) {
		const struct vector_target *t = &targets[(size_t)i % n];
		struct vector_case c;

		vector_random(random, targets, n, &c);
		if (!is_sayable(&c, t))
			continue;
		round_trip(&c, t);
		done++;
	}
	assert_true(done > 5000);
}

/* Differs for one thing only: the shrunk case has that and nothing else. */
static bool has_bad_stack(void *ctx, const struct vector_case *c)
{
	++*(unsigned *)ctx;
	return !c->stack_ok;
}

static void test_shrink(void **state)
{
	struct vector_target targets[VECTOR_TARGETS_MAX];
	size_t n = vector_targets(targets);
	uint64_t random[2] = { 5, 6 };
	unsigned asked = 0, shrunk = 0;
	struct vector_case c;

	(void)state;
	for (int i = 0; i < 2000; i++) {
		vector_random(random, targets, n, &c);
		if (c.stack_ok)
			continue;
		vector_shrink(&c, has_bad_stack, &asked);
		assert_false(c.stack_ok);
		assert_int_equal(c.seccomp.mode, VSYSEMU_SECCOMP_OFF);
		assert_int_equal(c.ptr[0].state, POINTER_NULL);
		assert_int_equal(c.ptr[1].state, POINTER_NULL);
		assert_int_equal(c.cs, VSYSEMU_CS_USER);
		assert_int_equal(c.caller, VECTOR_CALLER);
		assert_int_equal(c.rax, c.target);
		shrunk++;
	}
	assert_true(shrunk > 100 && asked > shrunk);
}

static void test_same_seed(void **state)
{
	struct vector_target targets[VECTOR_TARGETS_MAX];
	size_t n = vector_targets(targets);
	uint64_t a[2] = { 0, 0 }, b[2] = { 0, 0 };
	struct vector_case x = { .target = 0 }, y;
	bool moved = false;

	(void)state;
	for (int i = 0; i < 100; i++) {
		uint64_t target = x.target;

		memset(&x, 0, sizeof(x));
		memset(&y, 0, sizeof(y));
		vector_random(a, targets, n, &x);
		vector_random(b, targets, n, &y);
		assert_int_equal(x.target, y.target);
		assert_int_equal(x.rsp, y.rsp);
		assert_int_equal(x.profile.era, y.profile.era);
		moved |= i && x.target != target;
	}
	assert_true(moved);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_round_trip),
		cmocka_unit_test(test_shrink),
		cmocka_unit_test(test_same_seed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
