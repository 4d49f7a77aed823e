/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which C library is inside some bytes: see libc.h.  Strings as found in the libraries' binaries, all
 * looked for in one pass: this runs over every byte of every file that is scanned.
 */
#include "facts/libc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* In order of what is preferred; the banner has the distribution in parentheses before " stable". */
enum mark_kind { VERSIONED, GO, PLAIN, TUNABLES, LD_NAME };

static const struct mark {
	const char *text;
	uint8_t pair; /* offset in text of two bytes that are rare in code and data */
	uint8_t kind; /* enum mark_kind */
	const char *name; /* of the library */
} marks[] = {
	{ "GNU C Library stable release version ", 28, VERSIONED, "glibc" },
	{ ") stable release version ", 16, VERSIONED, "glibc" },
	{ ") development release version ", 21, VERSIONED, "glibc" },
	{ "GNU C Library development release version ", 33, VERSIONED, "glibc" },
	{ "uClibc-", 4, VERSIONED, "uClibc" },
	{ "NPTL ", 1, VERSIONED, "glibc" },
	{ "Go buildinf:", 0, GO, "Go" },
	{ "Go build ID: ", 0, GO, "Go" },
	{ "dietlibc", 6, PLAIN, "dietlibc" },
	{ "musl libc (x86_64)", 7, PLAIN, "musl" },
	{ "MUSL_LOCPATH", 3, PLAIN, "musl" },
	/* What a static program has of glibc: its words, not its version. */
	{ "Fatal glibc error: ", 9, PLAIN, "glibc" },
	{ "*** glibc detected ***", 7, PLAIN, "glibc" },
	{ "FATAL: kernel too old", 4, PLAIN, "glibc" },
	{ "GLIBC_TUNABLES", 7, TUNABLES, "glibc" },
	{ "glibc-ld", 3, LD_NAME, "glibc" },
};
#define MARKS (sizeof(marks) / sizeof(marks[0]))

/* A version number at @p, e.g. "2.12" or "1.14.3"; false: none there. */
static bool version_at(const uint8_t *p, const uint8_t *end, char *out, size_t cap)
{
	size_t k = 0;

	while (p + k < end && k < cap - 1 && (isdigit(p[k]) || (k && p[k] == '.'))) {
		out[k] = (char)p[k];
		k++;
	}
	while (k && out[k - 1] == '.')
		k--;
	out[k] = 0;
	return k >= 3 && strchr(out, '.');
}

typedef uint8_t v16 __attribute__((vector_size(16)));

/* The next offset at or after @i where one of the marks' pairs begins; @n - 1 or more: none. */
static size_t next_pair(const uint8_t *b, size_t n, size_t i)
{
	for (; i + 17 <= n; i += 16) {
		v16 x, y, hit;
		uint64_t any[2];

		memcpy(&x, b + i, 16);
		memcpy(&y, b + i + 1, 16);
		hit = (v16)(((v16)(x == 'b') & (v16)(y == 'c')) | ((v16)(x == ' ') & (v16)(y == 'v')) |
			    ((v16)(x == 'P') & (v16)(y == 'T')) | ((v16)(x == 'U') & (v16)(y == 'N')) |
			    ((v16)(x == 'L') & ((v16)(y == '_') | (v16)(y == ':'))) |
			    ((v16)(x == 'G') & (v16)(y == 'o')));
		memcpy(any, &hit, 16);
		if (any[0])
			return i + (size_t)__builtin_ctzll(any[0]) / 8;
		if (any[1])
			return i + 8 + (size_t)__builtin_ctzll(any[1]) / 8;
	}
	return i;
}

/* The mark whose pair begins at @i, or MARKS. */
static size_t mark_at(const uint8_t *b, size_t n, size_t i)
{
	for (size_t m = 0; m < MARKS; m++) {
		size_t before = marks[m].pair, len = strlen(marks[m].text);

		if (marks[m].text[before] == b[i] && marks[m].text[before + 1] == b[i + 1] && i >= before &&
		    len <= n - (i - before) && !memcmp(b + i - before, marks[m].text, len))
			return m;
	}
	return MARKS;
}

/* A Go program says which release built it a little after the header of its build information, or
 * anywhere as "go1.N" in its read-only data. */
static void go_version(const uint8_t *b, size_t n, char *out, size_t cap)
{
	const uint8_t *p = b, *end = b + n;

	out[0] = 0;
	while ((p = memmem(p, (size_t)(end - p), "go1.", 4))) {
		if (version_at(p + 2, end, out, cap))
			return;
		p += 4;
	}
	out[0] = 0;
}

bool libc_identify(const uint8_t *b, size_t n, char *out, size_t cap)
{
	size_t best = MARKS;
	bool tunables = false, ld_name = false;
	char v[24] = "", version[24] = "";

	out[0] = 0;
	for (size_t i = next_pair(b, n, 0); i + 1 < n && best; i = next_pair(b, n, i + 1)) {
		size_t m = mark_at(b, n, i);

		if (m >= best)
			continue;
		tunables |= marks[m].kind == TUNABLES;
		ld_name |= marks[m].kind == LD_NAME;
		if (marks[m].kind == VERSIONED &&
		    version_at(b + i - marks[m].pair + strlen(marks[m].text), b + n, v, sizeof(v))) {
			memcpy(version, v, sizeof(v));
			best = m;
		} else if (marks[m].kind == GO || marks[m].kind == PLAIN) {
			best = m;
		}
	}
	if (best < MARKS && marks[best].kind == GO)
		go_version(b, n, version, sizeof(version));
	else if (best < MARKS && marks[best].kind != VERSIONED)
		version[0] = 0;
	if (best < MARKS)
		snprintf(out, cap, "%s%s%s", marks[best].name, version[0] ? " " : "", version);
	else if (tunables && ld_name)
		snprintf(out, cap, "glibc");
	return out[0];
}
