/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The decision core: every built-in vector, its contract at the edges, and what a watcher is told. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "facts/policy_tell.h"
#include "facts/vectors.h"

#define TIME_ENTRY (VSYSEMU_PAGE + 0x400)

static const struct vector_impl core = { vsysemu_policy_decide, vsysemu_policy_finish };

static bool read_caller(void *ctx, void *dst, uint64_t addr, size_t n)
{
	uint64_t caller = 0x401234;

	(void)addr;
	memcpy(dst, &caller, n);
	return !ctx;
}

static struct vsysemu_frame fetch(uint64_t at)
{
	struct vsysemu_frame f = { .vector = VSYSEMU_VEC_PF, .error_code = VSYSEMU_PF_U | VSYSEMU_PF_I,
				   .addr = at, .rip = at, .cs = VSYSEMU_CS_USER };

	f.gpr[VSYSEMU_RSP] = 0x7ffd0000;
	return f;
}

static struct vsysemu_verdict decide(const struct vsysemu_profile *p, enum vsysemu_mode mode,
				     const struct vsysemu_frame *f)
{
	struct vsysemu_guest g = { .read = read_caller };
	struct vsysemu_verdict v;

	memset(&v, 0x5a, sizeof(v));
	vsysemu_policy_decide(p, mode, f, &g, &v);
	return v;
}

static void try_row(const struct vector_row *r, const struct vector_target *targets, size_t n,
		    unsigned *matched)
{
	vector_pairs pairs = { 0 };
	struct buf why = { 0 };
	struct err e = { .text = "" };

	assert_true(vector_row_pairs(r, targets, n, &pairs, &why, &e));
	for (size_t i = 0; i < pairs.n; i++) {
		struct vector_case c;
		struct vector_outcome o;
		enum vector_match m = MATCH_CANNOT;

		why.len = 0;
		if (vector_row_case(r, &pairs.at[i], &c, &why)) {
			vector_case_run(&c, &core, &o);
			m = vector_row_match(r, &c, &o, &why);
		}
		if (m == MATCH_NOT_OK)
			fail_msg("%s on %s: %s", r->cell[COL_ID], pairs.at[i].target->name, why.data);
		*matched += m == MATCH_OK;
	}
	VEC_FREE(&pairs);
	buf_free(&why);
}

static void test_builtin(void **state)
{
	struct vector_target targets[VECTOR_TARGETS_MAX];
	size_t n = vector_targets(targets), len;
	struct vector_table t = { 0 };
	struct err e = { .text = "" };
	char *text = xcalloc(1, 1 << 20);
	FILE *f = fopen("models/vectors/builtin.tsv", "r");
	unsigned matched = 0;

	(void)state;
	assert_non_null(f);
	len = fread(text, 1, 1 << 20, f);
	fclose(f);
	if (!vector_table_read(&t, "builtin.tsv", text, len, &e))
		fail_msg("%s", e.text);
	for (size_t i = 0; i < t.rows.n; i++)
		try_row(&t.rows.at[i], targets, n, &matched);
	assert_true(matched > 1000);
	vector_table_free(&t);
	free(text);
}

/* Whatever the frame: every field is set, and the answer is one of the known kinds. */
static void test_random_frames(void **state)
{
	struct vector_target targets[VECTOR_TARGETS_MAX];
	size_t n = vector_targets(targets);
	uint64_t random[2] = { 3, 4 };
	unsigned seen[OUT_COUNT] = { 0 };

	(void)state;
	for (int i = 0; i < 200000; i++) {
		struct vector_case c;
		struct vector_outcome o;

		vector_random(random, targets, n, &c);
		vector_case_run(&c, &core, &o);
		assert_in_range(o.decided.kind, 0, VSYSEMU_KIND_COUNT - 1);
		assert_in_range(o.decided.log.tag, 0, VSYSEMU_TAG_COUNT - 1);
		seen[o.kind]++;
	}
	for (int k = OUT_EMULATED; k <= OUT_KERNEL_BUG; k++)
		assert_true(seen[k] > 0);
}

/* A mode that the era lacks is treated as none. */
static void test_wrong_mode(void **state)
{
	struct vsysemu_frame f = fetch(TIME_ENTRY);
	struct vsysemu_profile p;
	struct vsysemu_verdict v;

	(void)state;
	vsysemu_profile_init(&p, VSYSEMU_E6);
	v = decide(&p, VSYSEMU_XONLY, &f);
	assert_int_equal(v.kind, VSYSEMU_NOT_HANDLED);
	assert_int_equal(v.log.tag, VSYSEMU_TAG_NONE);
	v = decide(&p, VSYSEMU_NATIVE, &f);
	assert_int_equal(v.log.tag, VSYSEMU_TAG_NONE);
	assert_false(vsysemu_page_of(&p, VSYSEMU_XONLY).present);
	assert_false(vsysemu_mode_valid(VSYSEMU_E6, VSYSEMU_MODE_COUNT));
}

/* Faults elsewhere are never its business, nor are accesses that the page allows. */
static void test_elsewhere(void **state)
{
	struct vsysemu_profile p;
	struct vsysemu_frame f;
	struct vsysemu_verdict v;

	(void)state;
	vsysemu_profile_release(&p, 6, 18);
	f = fetch(VSYSEMU_PAGE + VSYSEMU_PAGE_BYTES);
	v = decide(&p, VSYSEMU_XONLY, &f);
	assert_int_equal(v.kind, VSYSEMU_NOT_HANDLED);
	assert_int_equal(v.signal.error, VSYSEMU_PF_U | VSYSEMU_PF_I | VSYSEMU_PF_P);
	f = fetch(0x1000);
	f.mapped = true;
	assert_int_equal(decide(&p, VSYSEMU_XONLY, &f).signal.code, 2);
	f.mapped = false;
	assert_int_equal(decide(&p, VSYSEMU_XONLY, &f).signal.code, 1);
	assert_int_equal(decide(&p, VSYSEMU_XONLY, &f).signal.error, VSYSEMU_PF_U | VSYSEMU_PF_I);
	f.bus = true;
	assert_int_equal(decide(&p, VSYSEMU_XONLY, &f).signal.signo, 7);
	f = fetch(TIME_ENTRY);
	f.error_code = VSYSEMU_PF_I; /* the kernel's own */
	v = decide(&p, VSYSEMU_XONLY, &f);
	assert_int_equal(v.kind, VSYSEMU_NOT_HANDLED);
	assert_int_equal(v.signal.signo, 0);
	f = fetch(TIME_ENTRY);
	f.error_code = VSYSEMU_PF_U;
	f.rip = 0x401000;
	assert_int_equal(decide(&p, VSYSEMU_EMULATE, &f).kind, VSYSEMU_ALLOWED);
	f.error_code |= VSYSEMU_PF_W;
	assert_int_equal(decide(&p, VSYSEMU_EMULATE, &f).kind, VSYSEMU_NOT_HANDLED);
	f = fetch(TIME_ENTRY);
	f.vector = VSYSEMU_VEC_GP;
	assert_int_equal(decide(&p, VSYSEMU_XONLY, &f).signal.trapno, 13);
	f.vector = VSYSEMU_VEC_BP;
	assert_int_equal(decide(&p, VSYSEMU_XONLY, &f).signal.signo, 5);
	f.vector = 6; /* none of those that the core knows */
	assert_int_equal(decide(&p, VSYSEMU_XONLY, &f).signal.signo, 0);
}

static void test_body(void **state)
{
	struct vsysemu_body b = { .result = -14, .fault = true, .addr = 0x10, .error_code = 2 };
	struct vsysemu_frame f = fetch(TIME_ENTRY);
	struct vsysemu_profile p;
	struct vsysemu_verdict v;

	(void)state;
	vsysemu_profile_release(&p, 5, 3);
	v = decide(&p, VSYSEMU_XONLY, &f);
	assert_int_equal(v.kind, VSYSEMU_CALL);
	assert_int_equal(v.call_nr, 201);
	assert_int_equal(v.rax, (uint64_t)-38);
	b.fault = false; /* -EFAULT without a known fault: plain */
	vsysemu_policy_finish(&p, VSYSEMU_XONLY, &f, &b, &v);
	assert_int_equal(v.signal.code, 0x80);
	v = decide(&p, VSYSEMU_XONLY, &f);
	b = (struct vsysemu_body){ .result = -22 }; /* an error is a result like any other */
	vsysemu_policy_finish(&p, VSYSEMU_XONLY, &f, &b, &v);
	assert_int_equal(v.kind, VSYSEMU_RETURN);
	assert_int_equal(v.rax, (uint64_t)-22);
	assert_int_equal(v.rip, 0x401234);
}

static void test_releases(void **state)
{
	static const struct {
		unsigned major, minor;
		const char *era;
	} known[] = {
		{ 2, 6, "E0" }, { 3, 0, "E0" }, { 3, 1, "E2" }, { 3, 2, "E2" }, { 3, 4, "E3" },
		{ 3, 6, "E4" }, { 3, 7, "E5" }, { 4, 16, "E5" }, { 4, 17, "E6" }, { 5, 2, "E6" },
		{ 5, 3, "E7" }, { 6, 8, "E7" }, { 6, 9, "E8" }, { 7, 0, "E8" }, { 7, 1, "E9" },
	};
	struct vsysemu_profile p = { .era = VSYSEMU_E5 };

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		assert_true(vsysemu_profile_release(&p, known[i].major, known[i].minor));
		assert_string_equal(vsysemu_era_name(p.era), known[i].era);
	}
	p.era = VSYSEMU_E5;
	assert_false(vsysemu_profile_release(&p, 2, 5));
	assert_false(vsysemu_profile_release(&p, 7, 2));
	assert_false(vsysemu_profile_release(&p, 9, 0));
	assert_int_equal(p.era, VSYSEMU_E5);
	for (int era = 0; era < VSYSEMU_ERA_COUNT; era++) {
		vsysemu_profile_init(&p, (enum vsysemu_era)era);
		assert_int_equal(p.era, era);
		assert_int_equal(vsysemu_era_find(vsysemu_era_name(p.era)), era);
	}
	for (int m = 0; m < VSYSEMU_MODE_COUNT; m++)
		assert_int_equal(vsysemu_mode_find(vsysemu_mode_name((enum vsysemu_mode)m)), m);
	assert_null(vsysemu_era_name(VSYSEMU_ERA_COUNT));
	assert_null(vsysemu_mode_name(VSYSEMU_MODE_COUNT));
	assert_int_equal(vsysemu_era_find("E1"), -1);
	assert_int_equal(vsysemu_mode_find("Native"), -1);
	assert_int_equal(vsysemu_entry_call(3), -1);
	assert_int_equal(vsysemu_entry_call(-1), -1);
	assert_null(vsysemu_tag_name(VSYSEMU_TAG_COUNT));
	assert_null(vsysemu_tag_message(VSYSEMU_TAG_COUNT));
	assert_string_equal(vsysemu_tag_message(VSYSEMU_TAG_FLT), "vsyscall fault (exploit attempt?)");
}

static void test_page(void **state)
{
	uint8_t b[VSYSEMU_PAGE_BYTES];
	struct vsysemu_profile p;

	(void)state;
	vsysemu_profile_init(&p, VSYSEMU_E0);
	assert_false(vsysemu_page_bytes(&p, VSYSEMU_NATIVE, b));
	vsysemu_profile_init(&p, VSYSEMU_E1B);
	assert_true(vsysemu_page_bytes(&p, VSYSEMU_EMULATE, b));
	assert_memory_equal(b + 0x400, "\xcd\xcc\xcc", 3);
	assert_true(vsysemu_page_of(&p, VSYSEMU_EMULATE).executable);
	vsysemu_profile_init(&p, VSYSEMU_E5);
	assert_true(vsysemu_page_bytes(&p, VSYSEMU_EMULATE, b));
	assert_memory_equal(b + 0x800, "\x48\xc7\xc0\x35\x01\x00\x00\x0f\x05\xc3\xcc", 11);
	assert_memory_equal(b + 0xc00, "\xcc\xcc\xcc\xcc", 4);
	p.unreadable = true;
	assert_false(vsysemu_page_of(&p, VSYSEMU_EMULATE).readable);
	p.compiled_out = true;
	assert_null(vsysemu_page_of(&p, VSYSEMU_EMULATE).maps);
	vsysemu_profile_init(&p, VSYSEMU_E8);
	assert_false(vsysemu_page_bytes(&p, VSYSEMU_XONLY, b));
	assert_string_equal(vsysemu_page_of(&p, VSYSEMU_XONLY).maps, "--xp");
	assert_null(vsysemu_page_of(&p, VSYSEMU_NONE).maps);
}

static void test_log(void **state)
{
	static const struct {
		unsigned major, minor;
		const char *text;
		int level;
	} lines[] = {
		{ 3, 3, "p[7] vsyscall with bad stack (exploit attempt?) ip:ffffffffff600400 cs:33 sp:7ffd0000 "
			"ax:5 si:0 di:0", 4 },
		{ 3, 5, "vsyscall_64: <4>p[7] vsyscall with bad stack (exploit attempt?) ip:ffffffffff600400 "
			"cs:33 sp:7ffd0000 ax:5 si:0 di:0", 5 },
		{ 3, 16, "vsyscall_64: \0014p[7] vsyscall with bad stack (exploit attempt?) "
			 "ip:ffffffffff600400 cs:33 sp:7ffd0000 ax:5 si:0 di:0", 5 },
	};
	struct vsysemu_guest g = { .ctx = "unreadable", .read = read_caller };
	struct vsysemu_frame f = fetch(TIME_ENTRY);
	struct vsysemu_profile p;
	struct vsysemu_verdict v;
	char text[256];

	(void)state;
	f.gpr[VSYSEMU_RAX] = 5;
	for (size_t i = 0; i < ARRAY_SIZE(lines); i++) {
		vsysemu_profile_release(&p, lines[i].major, lines[i].minor);
		f.error_code |= VSYSEMU_PF_P;
		vsysemu_policy_decide(&p, VSYSEMU_EMULATE, &f, &g, &v);
		assert_int_equal(v.log.level, lines[i].level);
		assert_int_equal(vsysemu_log_format(&p, &v.log, "p", 7, text, sizeof(text)),
				 strlen(lines[i].text));
		assert_string_equal(text, lines[i].text);
	}
	vsysemu_profile_init(&p, VSYSEMU_E1A);
	vsysemu_log_format(&p, &v.log, "p", 7, text, sizeof(text));
	assert_null(strstr(text, " cs:"));
	assert_true(vsysemu_log_format(&p, &v.log, "p", 7, NULL, 0) > 0);
	v.log.tag = VSYSEMU_TAG_NO_LOG;
	assert_int_equal(vsysemu_log_format(&p, &v.log, "p", 7, text, sizeof(text)), 0);
	v.log.tag = VSYSEMU_TAG_COUNT;
	assert_int_equal(vsysemu_log_format(&p, &v.log, "p", 7, text, sizeof(text)), 0);
}

struct told {
	enum policy_check check[16];
	unsigned n, answers;
};

static void note(void *ctx, enum policy_check check, const struct vsysemu_verdict *v, bool answered)
{
	struct told *t = ctx;

	assert_non_null(v);
	assert_true(t->n < ARRAY_SIZE(t->check));
	assert_int_equal(t->answers, 0); /* nothing comes after the last word */
	t->check[t->n++] = check;
	t->answers += answered;
}

static void test_told(void **state)
{
	static const enum policy_check want[] = { CHECK_ROUTE, CHECK_ACCESS, CHECK_NONE, CHECK_DECODE,
						  CHECK_STACK, CHECK_RANGE, CHECK_SECCOMP, CHECK_CALL };
	struct vsysemu_guest g = { .read = read_caller };
	struct vsysemu_frame f = fetch(TIME_ENTRY);
	struct vsysemu_profile p;
	struct vsysemu_verdict v, same;
	struct told t = { .n = 0 };

	(void)state;
	vsysemu_profile_release(&p, 6, 18);
	policy_decide_told(&p, VSYSEMU_XONLY, &f, &g, &v, note, &t);
	assert_int_equal(t.n, ARRAY_SIZE(want));
	assert_memory_equal(t.check, want, sizeof(want));
	same = decide(&p, VSYSEMU_XONLY, &f);
	assert_int_equal(v.kind, same.kind);
	assert_int_equal(v.caller, same.caller);
	t = (struct told){ .n = 0 };
	f.addr = 0x1000;
	policy_decide_told(&p, VSYSEMU_XONLY, &f, &g, &v, note, &t);
	assert_int_equal(t.n, 1);
	t = (struct told){ .n = 0 };
	vsysemu_profile_init(&p, VSYSEMU_E0);
	f = fetch(TIME_ENTRY);
	f.error_code |= VSYSEMU_PF_W;
	policy_decide_told(&p, VSYSEMU_NATIVE, &f, &g, &v, note, &t);
	assert_int_equal(t.check[t.n - 1], CHECK_ORDINARY);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_builtin), cmocka_unit_test(test_random_frames),
		cmocka_unit_test(test_wrong_mode), cmocka_unit_test(test_elsewhere),
		cmocka_unit_test(test_body), cmocka_unit_test(test_releases),
		cmocka_unit_test(test_page), cmocka_unit_test(test_log), cmocka_unit_test(test_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
