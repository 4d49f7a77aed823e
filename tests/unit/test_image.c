/* SPDX-License-Identifier: GPL-2.0-or-later */
/* facts/image: this test program itself is the object file; then files that are not what they say. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/types.h"
#include "facts/image.h"

/* A mark for the tests below: name and line are looked up.  Keep it on one line. */
__attribute__((noinline)) int image_test_mark(int x) { return x * 3 + 1; }
static const int mark_line = __LINE__ - 1;

/* Our own mappings, as a caller would give them. */
static size_t read_maps(struct image_map *map, size_t cap)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[4200], path[4096];
	size_t n = 0;

	assert_non_null(f);
	while (n < cap && fgets(line, sizeof(line), f)) {
		unsigned long long start, end, off;

		path[0] = 0;
		if (sscanf(line, "%llx-%llx %*s %llx %*s %*s %4095[^\n]", &start, &end, &off, path) < 3)
			continue;
		map[n++] = (struct image_map){ start, end, off, strdup(path) };
	}
	fclose(f);
	return n;
}

static void finds_itself(void **state)
{
	struct image_map map[512];
	struct images *s = images_new();
	struct image_place p;
	char self[4096] = "";
	size_t n = read_maps(map, 512);
	gaddr a = (gaddr)(uintptr_t)image_test_mark;

	(void)state;
	assert_true(readlink("/proc/self/exe", self, sizeof(self) - 1) > 0);
	assert_true(images_find(s, map, n, a, &p));
	assert_string_equal(p.object, self);
	assert_string_equal(p.symbol, "image_test_mark");
	assert_int_equal(p.offset, 0);
	assert_non_null(p.file);
	assert_non_null(strstr(p.file, "test_image.c"));
	assert_int_equal(p.line, mark_line);
	assert_true(images_find(s, map, n, a + 1, &p));
	assert_int_equal(p.offset, 1);
	/* An address in libc has its symbol there; one on the stack has no file. */
	assert_true(images_find(s, map, n, (gaddr)(uintptr_t)getenv, &p));
	assert_non_null(strstr(p.object, "libc"));
	assert_string_equal(p.symbol, "getenv");
	assert_false(images_find(s, map, n, (gaddr)(uintptr_t)&n, &p));
	assert_false(images_find(s, map, n, 16, &p));
	images_free(s);
}

static void tells_kind_and_libc(void **state)
{
	struct image_map map[512];
	struct images *s = images_new();
	size_t n = read_maps(map, 512);
	struct image *i = images_get(s, "/proc/self/exe");
	const char *libc;

	(void)state;
	assert_non_null(i);
	assert_int_equal(image_kind(i), IMAGE_DYNAMIC);
	libc = images_libc(s, "/proc/self/exe", map, n);
	assert_non_null(libc);
	assert_non_null(strstr(libc, "glibc 2."));
	images_free(s);
}

/* Every file made from this program by cutting it short or by one wrong byte is survived. */
static void survives_bad_files(void **state)
{
	static unsigned char b[1 << 14];
	char name[] = "/tmp/imageXXXXXX";
	int fd = mkstemp(name);
	FILE *f = fopen("/proc/self/exe", "r");
	size_t n = fread(b, 1, sizeof(b), f);

	(void)state;
	fclose(f);
	assert_true(fd >= 0 && n > 4096);
	srand(1);
	for (int round = 0; round < 300; round++) {
		size_t len = round % 3 ? n : (size_t)rand() % 4096, at = (size_t)rand() % 512;
		unsigned char old = b[at];
		struct image_place p;
		struct image *i;

		b[at] = (unsigned char)rand();
		assert_int_equal(ftruncate(fd, 0), 0);
		assert_int_equal(pwrite(fd, b, len, 0), len);
		i = image_open(name);
		b[at] = old;
		if (!i)
			continue;
		image_find(i, (gaddr)rand(), &p);
		image_close(i);
	}
	assert_null(image_open("/"));
	assert_null(image_open("/nonexistent"));
	close(fd);
	unlink(name);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(finds_itself),
		cmocka_unit_test(tells_kind_and_libc),
		cmocka_unit_test(survives_bad_files),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
