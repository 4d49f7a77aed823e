/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Tables of published measurements: form of the files, shares of a profile. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "facts/published.h"

/* Load @text as the only table; fills @e. */
static bool load_text(const char *text, struct published *p, struct err *e)
{
	char dir[] = "/tmp/test_published.XXXXXX", sub[64], file[96];
	bool good;
	FILE *f;

	assert_non_null(mkdtemp(dir));
	snprintf(sub, sizeof(sub), "%s/published", dir);
	assert_int_equal(mkdir(sub, 0700), 0);
	snprintf(file, sizeof(file), "%s/seed1.tsv", sub);
	f = fopen(file, "w");
	assert_non_null(f);
	fputs(text, f);
	fclose(f);
	good = published_load(p, dir, e);
	unlink(file);
	rmdir(sub);
	rmdir(dir);
	return good;
}

#define HEADER "# a comment\ntable\trow\toptions\tguest\tpublished\tunit\ttake\tfitted\tsource\tnote\n"

static void test_rows(void **state)
{
	struct published p;
	struct err e = { .text = "" };

	(void)state;
	assert_true(load_text(HEADER "t\tone\t--cpu=x\tg a b\t2.50\tns\tns\t1\tS1\t-\n"
				     "t\ttwo\t-\t-\t3\ts\t-\t0\tS2\tnot here\n", &p, &e));
	assert_int_equal(p.row.n, 2);
	assert_string_equal(p.row.at[0].guest, "g a b");
	assert_string_equal(p.row.at[0].published_text, "2.50");
	assert_true(p.row.at[0].published > 2.49 && p.row.at[0].published < 2.51);
	assert_true(p.row.at[0].fitted);
	assert_string_equal(p.row.at[0].note, "");
	assert_string_equal(p.row.at[1].guest, "");
	assert_false(p.row.at[1].fitted);
	assert_string_equal(p.row.at[1].note, "not here");
	published_free(&p);
}

static void test_broken(void **state)
{
	static const char *const bad[] = {
		"t\tone\t-\t-\t3\ts\t-\t0\tS2\n", /* a column too few */
		"t\tone\t-\t-\t3\ts\t-\t0\tS2\tn\tmore\n", /* too many */
		"t\tone\t-\t-\t3x\ts\t-\t0\tS2\tn\n", /* no number */
		"t\tone\t-\t-\t0\ts\t-\t0\tS2\tn\n", /* nothing to divide by */
		"t\tone\t-\t-\tnan\ts\t-\t0\tS2\tn\n",
	};

	(void)state;
	for (size_t i = 0; i < ARRAY_SIZE(bad); i++) {
		struct buf b = { 0 };
		struct published p;
		struct err e = { .text = "" };

		buf_printf(&b, HEADER "%s", bad[i]);
		assert_false(load_text(b.data, &p, &e));
		assert_non_null(strstr(e.text, "seed1.tsv:3:"));
		published_free(&p);
		buf_free(&b);
	}
}

static void test_share(void **state)
{
	struct cost_profile x = { .n = 3, .total16 = 160 * 16 };

	(void)state;
	x.line[0] = (struct cost_line){ .stage = "syscall", .cycles16 = 40 * 16 };
	x.line[1] = (struct cost_line){ .stage = "syscall_save", .cycles16 = 100 * 16 };
	x.line[2] = (struct cost_line){ .stage = "syscall", .cycles16 = 20 * 16 };
	/* Names are compared whole; `user` is what the stages leave. */
	assert_true(published_share(&x, 200, "syscall") == 30);
	assert_true(published_share(&x, 200, "syscall_save+syscall") == 80);
	assert_true(published_share(&x, 200, "user") == 20);
	assert_true(published_share(&x, 200, "user+syscall") == 50);
	assert_true(published_share(&x, 200, "sys") == 0);
	/* Part of a stage. */
	assert_true(published_share(&x, 200, "syscall_save*0.5+user") == 45);
	assert_true(published_share(&x, 200, "user*0.25") == 5);
}

/* Every row of the tables that are kept names a profile that is there and a way to take its result. */
static void test_kept(void **state)
{
	struct published p;
	struct err e = { .text = "" };
	char *dir = model_dir();

	(void)state;
	assert_true(published_load(&p, dir, &e));
	assert_true(p.row.n > 60);
	for (size_t i = 0; i < p.row.n; i++) {
		const struct published_row *r = &p.row.at[i];

		assert_true(*r->table && *r->row && *r->unit && *r->source);
		assert_int_equal(*r->guest != 0, *r->take != 0);
		assert_true(*r->guest || *r->note);
	}
	published_free(&p);
	free(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_broken),
		cmocka_unit_test(test_share),
		cmocka_unit_test(test_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
