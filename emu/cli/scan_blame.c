/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which libraries a program would load from the scanned tree, and what mode it therefore needs.  By
 * DT_NEEDED against DT_SONAME and file names, transitively; search paths are not modelled.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scan.h"

static void soname_of(const struct scan_item *i, char *out, size_t cap)
{
	const char *base = strrchr(i->where, '/');

	snprintf(out, cap, "%s", i->result.soname ? i->result.soname : base ? base + 1 : i->where);
}

static bool uses(const struct scan_item *i)
{
	return i->result.verdict >= SCAN_READS && i->result.verdict <= SCAN_CALLS;
}

/* Follow DT_NEEDED from @root through the scanned files, each library once. */
static void blame_from(struct scan_run *s, struct scan_item *root, struct scan_item *i, bool *seen)
{
	for (size_t n = 0; n < i->result.needed.n; n++)
		for (size_t k = 0; k < s->items.n; k++) {
			struct scan_item *lib = s->items.at[k];
			char name[256], base[256];

			if (seen[k] || lib == root || !lib->result.elf)
				continue;
			soname_of(lib, name, sizeof(name));
			snprintf(base, sizeof(base), "%s",
				 strrchr(lib->where, '/') ? strrchr(lib->where, '/') + 1 : lib->where);
			if (strcmp(name, i->result.needed.at[n]) && strcmp(base, i->result.needed.at[n]))
				continue;
			seen[k] = true;
			if (uses(lib))
				VEC_PUSH(&root->blamed, k);
			blame_from(s, root, lib, seen);
			break;
		}
}

void scan_blame(struct scan_run *s)
{
	bool *seen, any = false;

	for (size_t i = 0; i < s->items.n; i++)
		any |= uses(s->items.at[i]);
	if (!any)
		return;
	seen = xcalloc(s->items.n, sizeof(*seen));
	for (size_t i = 0; i < s->items.n; i++)
		if (s->items.at[i]->result.needed.n) {
			memset(seen, 0, s->items.n * sizeof(*seen));
			blame_from(s, s->items.at[i], s->items.at[i], seen);
		}
	free(seen);
}

static unsigned need_of(const struct scan_result *r)
{
	unsigned need = 0;

	for (size_t i = 0; i < r->findings.n; i++) {
		enum scan_verdict v = r->findings.at[i].verdict;
		unsigned n = v == SCAN_READS ? 2 : v >= SCAN_MAY_CALL ? 1 : 0;

		need = n > need ? n : need;
	}
	return need;
}

const char *scan_needs(const struct scan_run *s, const struct scan_item *i)
{
	static const char *const names[] = { "none", "xonly", "emulate" };
	unsigned need = need_of(&i->result);

	for (size_t k = 0; k < i->blamed.n; k++) {
		unsigned n = need_of(&s->items.at[i->blamed.at[k]]->result);

		need = n > need ? n : need;
	}
	return names[need];
}
