/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which libraries a program would load from the scanned tree: by DT_NEEDED against DT_SONAME and file
 * names, transitively, in the order of the search path.
 */
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/scan.h"

/* A library by its soname or its file's name. */
struct named {
	const char *name;
	size_t item;
};

struct names {
	struct named *at; /* sorted */
	size_t n;
};

static int by_name(const void *a, const void *b)
{
	const struct named *x = a, *y = b;
	int r = strcmp(x->name, y->name);

	return r ? r : x->item < y->item ? -1 : x->item > y->item;
}

static const char *base_of(const char *where)
{
	const char *slash = strrchr(where, '/');

	return slash ? slash + 1 : where;
}

static struct names names_of(const struct scan_run *s)
{
	struct names n = { xcalloc(2 * s->items.n + 1, sizeof(*n.at)), 0 };

	for (size_t k = 0; k < s->items.n; k++) {
		const struct scan_item *i = s->items.at[k];

		if (!i->result.elf)
			continue;
		n.at[n.n++] = (struct named){ base_of(i->where), k };
		if (i->result.soname)
			n.at[n.n++] = (struct named){ i->result.soname, k };
	}
	qsort(n.at, n.n, sizeof(*n.at), by_name);
	return n;
}

/* The first entry of @name, or where it would be. */
static size_t first_named(const struct names *names, const char *name)
{
	size_t lo = 0, hi = names->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (strcmp(names->at[mid].name, name) < 0)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static bool uses(const struct scan_item *i)
{
	return i->result.verdict >= SCAN_READS && i->result.verdict <= SCAN_CALLS;
}

/* Does @where lie in directory @dir of the tree, wherever the tree lies?  @dir: "/a/b", no slash at its end. */
static bool lies_in(const char *where, const char *dir, size_t len)
{
	const char *slash = strrchr(where, '/');
	size_t have = slash ? (size_t)(slash - where) : 0;

	if (have >= len)
		return !memcmp(where + have - len, dir, len);
	/* An archive's names begin without a slash. */
	return len && have == len - 1 && !memcmp(where, dir + 1, have);
}

/* Resolve "." and ".." and double slashes of a path in place. */
static void normalize(char *p)
{
	char *out = p, *in = p;

	while (*in) {
		size_t n = strcspn(in + 1, "/") + 1; /* "/name" */

		if (n == 3 && !memcmp(in, "/..", 3)) {
			while (out > p && *--out != '/')
				;
		} else if (!(n == 1 || (n == 2 && in[1] == '.'))) {
			memmove(out, in, n);
			out += n;
		}
		in += n;
	}
	*out = '\0';
}

static bool is_directory_of(const char *where, const char *dir)
{
	char own[4096];
	const char *slash = strrchr(where, '/');

	snprintf(own, sizeof(own), "/%.*s", (int)(slash ? slash - where : 0), where);
	normalize(own);
	return !strcmp(own, dir);
}

/* One entry of a search path against @lib; $ORIGIN is the directory of @by, /lib of the tree may be a link to usr/lib. */
static bool entry_matches(const char *entry, size_t len, const struct scan_item *by, const struct scan_item *lib, bool exact)
{
	static const char *const origin[] = { "$ORIGIN", "${ORIGIN}" };
	const char *slash = strrchr(by->where, '/');
	char dir[4096];

	for (unsigned i = 0; i < 2; i++) {
		size_t n = strlen(origin[i]);

		if (len < n || memcmp(entry, origin[i], n))
			continue;
		snprintf(dir, sizeof(dir), "/%.*s%.*s", (int)(slash ? slash - by->where : 0), by->where, (int)(len - n), entry + n);
		normalize(dir);
		return is_directory_of(lib->where, dir);
	}
	if (!len || *entry != '/')
		return false;
	snprintf(dir, sizeof(dir), "%.*s", (int)len, entry);
	normalize(dir);
	return *dir && (exact ? is_directory_of(lib->where, dir) : lies_in(lib->where, dir, strlen(dir)));
}

/* How early @lib is found in colon-separated @path, counted from @rank; the rank behind the path: not there. */
static unsigned place_in(const char *path, unsigned *rank, const struct scan_item *by, const struct scan_item *lib, bool exact)
{
	unsigned found = UINT_MAX;

	for (const char *p = path; p && *p;) {
		size_t n = strcspn(p, ":");

		if (found == UINT_MAX && entry_matches(p, n, by, lib, exact))
			found = *rank;
		++*rank;
		p += n + (p[n] == ':');
	}
	return found;
}

/* The order of ld.so(8): DT_RPATH of the object and of the program where the object has no DT_RUNPATH, DT_RUNPATH,
 * the trusted directories; then anywhere (ld.so.conf, LD_LIBRARY_PATH, dlopen). */
static unsigned rank_of(const struct scan_item *root, const struct scan_item *by, const struct scan_item *lib, bool exact, unsigned *rank)
{
	static const char trusted[] = "/lib/x86_64-linux-gnu:/usr/lib/x86_64-linux-gnu:/lib64:/usr/lib64:/lib:/usr/lib";
	unsigned found = place_in(by->result.runpath, rank, by, lib, exact);

	if (found == UINT_MAX && (!by->result.runpath || by->result.rpath) && root != by && root->result.rpath)
		found = place_in(root->result.runpath, rank, root, lib, exact);
	return found == UINT_MAX ? place_in(trusted, rank, by, lib, exact) : found;
}

/* As if the scanned tree were the root directory; or else as if a root directory were somewhere in it. */
static unsigned search_rank(const struct scan_item *root, const struct scan_item *by, const struct scan_item *lib)
{
	unsigned rank = 0, found = rank_of(root, by, lib, true, &rank);

	if (found == UINT_MAX)
		found = rank_of(root, by, lib, false, &rank);
	return found == UINT_MAX ? UINT_MAX - 1 : found;
}

/* The library that @i, loaded for @root, gets for @needed; SIZE_MAX: none of the scanned. */
static size_t find(const struct scan_run *s, const struct names *names, const struct scan_item *root,
		   const struct scan_item *i, const char *needed)
{
	size_t best = SIZE_MAX;
	unsigned best_rank = UINT_MAX;

	for (size_t k = first_named(names, needed); k < names->n && !strcmp(names->at[k].name, needed); k++) {
		const struct scan_item *lib = s->items.at[names->at[k].item];
		unsigned rank = lib == root ? UINT_MAX : search_rank(root, i, lib);

		if (rank < best_rank) {
			best = names->at[k].item;
			best_rank = rank;
		}
	}
	return best;
}

/* Follow DT_NEEDED from @root through the scanned files, each library once. */
static void blame_from(struct scan_run *s, const struct names *names, struct scan_item *root, struct scan_item *i, bool *seen)
{
	for (size_t n = 0; n < i->result.needed.n; n++) {
		size_t k = find(s, names, root, i, i->result.needed.at[n]);

		if (k == SIZE_MAX || seen[k])
			continue;
		seen[k] = true;
		if (uses(s->items.at[k]))
			VEC_PUSH(&root->blamed, k);
		blame_from(s, names, root, s->items.at[k], seen);
	}
}

void scan_blame(struct scan_run *s)
{
	struct names names;
	bool *seen, any = false;

	for (size_t i = 0; i < s->items.n; i++)
		any |= uses(s->items.at[i]);
	if (!any)
		return;
	names = names_of(s);
	seen = xcalloc(s->items.n, sizeof(*seen));
	for (size_t i = 0; i < s->items.n; i++)
		if (s->items.at[i]->result.needed.n) {
			memset(seen, 0, s->items.n * sizeof(*seen));
			blame_from(s, &names, s->items.at[i], s->items.at[i], seen);
		}
	free(seen);
	free(names.at);
}
