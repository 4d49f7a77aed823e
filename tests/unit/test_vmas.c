/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The list of mappings against a map of pages: random additions, cuts, changes and searches. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

#include <cmocka.h>

#include "engine/vmas.h"

enum { PAGES = 600, FIRST = 16 };

static struct {
	struct vmas s;
	int prot[PAGES]; /* -1: nothing there */
	uint64_t x;
} w;

static unsigned below(unsigned n)
{
	w.x ^= w.x << 13, w.x ^= w.x >> 7, w.x ^= w.x << 17;
	return (unsigned)(w.x >> 20) % n;
}

static void same_as_the_map(void)
{
	size_t i = 0;

	for (unsigned p = 0; p < PAGES; p++) {
		gaddr a = (gaddr)p * PAGE_BYTES;

		while (i < w.s.v.n && w.s.v.at[i].end <= a)
			i++;
		if (i < w.s.v.n && w.s.v.at[i].start <= a)
			assert_int_equal(w.prot[p], w.s.v.at[i].prot);
		else
			assert_int_equal(w.prot[p], -1);
	}
	for (i = 0; i < w.s.v.n; i++) {
		assert_true(w.s.v.at[i].start < w.s.v.at[i].end);
		assert_true(!i || w.s.v.at[i - 1].end <= w.s.v.at[i].start);
		/* Equal neighbours are one. */
		assert_true(!i || w.s.v.at[i - 1].end < w.s.v.at[i].start ||
			    w.s.v.at[i - 1].prot != w.s.v.at[i].prot);
	}
}

/* The highest room for @n pages in [FIRST, @top); 0: none. */
static unsigned room(unsigned n, unsigned top)
{
	for (unsigned end = top; end >= FIRST + n; end--) {
		unsigned k = 0;

		while (k < n && w.prot[end - 1 - k] < 0)
			k++;
		if (k == n)
			return end - n;
	}
	return 0;
}

static void add(unsigned first, unsigned n, int prot)
{
	struct vma v = { .start = (gaddr)first * PAGE_BYTES, .end = (gaddr)(first + n) * PAGE_BYTES, .prot = prot,
			 .flags = MAP_PRIVATE | MAP_ANONYMOUS };

	vmas_add(&w.s, &v);
	for (unsigned i = 0; i < n; i++)
		w.prot[first + i] = prot;
}

static void at_random(unsigned rounds, unsigned tops)
{
	for (unsigned r = 0; r < rounds; r++) {
		unsigned n = 1 + below(r % 50 ? 4 : 40), first = FIRST + below(PAGES - FIRST - n);
		unsigned top = PAGES - 100 * below(tops), at;

		switch (below(8)) {
		case 0:
			add(first, n, (int)below(4));
			break;
		case 1:
		case 2:
			vmas_cut(&w.s, (gaddr)first * PAGE_BYTES, (gaddr)(first + n) * PAGE_BYTES);
			for (unsigned i = 0; i < n; i++)
				w.prot[first + i] = -1;
			break;
		case 3:
			vmas_change(&w.s, (gaddr)first * PAGE_BYTES, (gaddr)(first + n) * PAGE_BYTES, 2, NULL);
			for (unsigned i = 0; i < n; i++)
				if (w.prot[first + i] >= 0)
					w.prot[first + i] = 2;
			break;
		default:
			at = room(n, top);
			assert_int_equal(vmas_gap(&w.s, n * PAGE_BYTES, FIRST * PAGE_BYTES, top * PAGE_BYTES),
					 at * PAGE_BYTES);
			if (at)
				add(at, n, (int)below(4));
			break;
		}
		if (r % 16 == 0)
			same_as_the_map();
	}
}

static void all_ways(void **state)
{
	(void)state;
	for (unsigned seed = 1; seed <= 12; seed++) {
		memset(w.prot, 0xff, sizeof(w.prot));
		w.x = seed * 88172645463325252u;
		at_random(4000, seed % 3 ? 1 : 4);
		same_as_the_map();
		vmas_clear(&w.s);
		assert_int_equal(w.s.v.n, 0);
	}
}

int main(void)
{
	const struct CMUnitTest all[] = { cmocka_unit_test(all_ways) };

	return cmocka_run_group_tests(all, NULL, NULL);
}
