/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which C library is inside some bytes: see libc.h.  Strings as found in the libraries' binaries. */
#include "facts/libc.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* A version number after @mark, e.g. "2.12" or "go1.14.3"'s "1.14.3". */
static bool version_after(const uint8_t *b, size_t n, const char *mark, char *out, size_t cap)
{
	size_t m = strlen(mark);
	const uint8_t *p = b, *end = b + n;

	while ((p = memmem(p, (size_t)(end - p), mark, m))) {
		size_t k = 0;

		p += m;
		while (p + k < end && k < cap - 1 && (isdigit(p[k]) || (k && p[k] == '.'))) {
			out[k] = (char)p[k];
			k++;
		}
		while (k && out[k - 1] == '.')
			k--;
		out[k] = 0;
		if (k >= 3 && strchr(out, '.'))
			return true;
	}
	return false;
}

bool libc_identify(const uint8_t *b, size_t n, char *out, size_t cap)
{
	/* The banner has the distribution in parentheses between name and version since about 2.12. */
	static const struct {
		const char *mark, *name;
	} versions[] = {
		{ "GNU C Library stable release version ", "glibc" },
		{ ") stable release version ", "glibc" },
		{ ") development release version ", "glibc" },
		{ "GNU C Library development release version ", "glibc" },
		{ "uClibc-", "uClibc" },
		{ "NPTL ", "glibc" },
	};
	char v[24];

	out[0] = 0;
	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		if (version_after(b, n, versions[i].mark, v, sizeof(v))) {
			snprintf(out, cap, "%s %s", versions[i].name, v);
			return true;
		}
	}
	if (memmem(b, n, "Go buildinf:", 12) || memmem(b, n, "Go build ID: ", 13)) {
		if (version_after(b, n, "go", v, sizeof(v)))
			snprintf(out, cap, "Go %s", v);
		else
			snprintf(out, cap, "Go");
		return true;
	}
	if (memmem(b, n, "dietlibc", 8))
		snprintf(out, cap, "dietlibc");
	else if (memmem(b, n, "musl libc (x86_64)", 18))
		snprintf(out, cap, "musl");
	else if (memmem(b, n, "MUSL_LOCPATH", 12))
		snprintf(out, cap, "musl");
	/* What a static program has of glibc: its words, not its version. */
	else if (memmem(b, n, "Fatal glibc error: ", 19) || memmem(b, n, "*** glibc detected ***", 22) ||
		 (memmem(b, n, "GLIBC_TUNABLES", 14) && memmem(b, n, "glibc-ld", 8)) ||
		 memmem(b, n, "FATAL: kernel too old", 21))
		snprintf(out, cap, "glibc");
	return out[0];
}
