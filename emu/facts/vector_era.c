/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The era and mode cells: which kernels and modes a row speaks for.  A range goes over eras; a release
 * condition in it narrows it.  Releases at which a key changed are asked of the key, since stable and
 * distribution kernels carry such changes without the number.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "facts/vectors.h"

size_t vector_targets(struct vector_target *out)
{
	static const struct {
		const char *name;
		unsigned major, minor;
	} known[] = {
		{ "2.6.32", 2, 6 }, { "3.0", 3, 0 }, { "3.1", 3, 1 }, { "3.3", 3, 3 }, { "3.5", 3, 5 },
		{ "3.7", 3, 7 }, { "3.16", 3, 16 }, { "4.4", 4, 4 }, { "4.10", 4, 10 },
		{ "4.17", 4, 17 }, { "5.3", 5, 3 }, { "6.1.0", 6, 1 }, { "6.9", 6, 9 },
		{ "6.18", 6, 18 }, { "7.1", 7, 1 },
	};
	static const struct {
		const char *name;
		enum vsysemu_era era;
	} unreleased[] = {
		{ "3.1-rc1-first", VSYSEMU_E1A }, { "3.1-rc1", VSYSEMU_E1B },
		{ "3.1-rc1-xen", VSYSEMU_E1C },
	};
	size_t n = 0;

	for (size_t i = 0; i < ARRAY_SIZE(known); i++, n++) {
		out[n] = (struct vector_target){ known[i].name, known[i].major, known[i].minor, { 0 } };
		vsysemu_profile_release(&out[n].rules, known[i].major, known[i].minor);
	}
	for (size_t i = 0; i < ARRAY_SIZE(unreleased); i++, n++) {
		out[n] = (struct vector_target){ unreleased[i].name, 3, 1, { 0 } };
		vsysemu_profile_init(&out[n].rules, unreleased[i].era);
	}
	/* The late stable releases of 6.1: behaviour of 6.9 and 6.18 under an old number. */
	out[n] = (struct vector_target){ "6.1", 6, 1, { 0 } };
	vsysemu_profile_release(&out[n].rules, 6, 1);
	out[n].rules.era = VSYSEMU_E8;
	out[n].rules.fetch_by_rip = true;
	return n + 1;
}

/* One item of the era cell. */
struct span {
	int lo, hi;
	unsigned from_major, from_minor; /* at least this release; 0.0: any */
	unsigned below_major, below_minor; /* below this one; 0.0: any */
	bool fred, compiled_out;
};

static bool read_release(const char **p, unsigned *major, unsigned *minor)
{
	char *end;

	if (!isdigit((unsigned char)**p))
		return false;
	*major = (unsigned)strtoul(*p, &end, 10);
	*minor = 0;
	if (*end == '.' && isdigit((unsigned char)end[1]))
		*minor = (unsigned)strtoul(end + 1, &end, 10);
	*p = end;
	return true;
}

static bool skip_word(const char **p, const char *word)
{
	size_t n = strlen(word);

	while (**p == ' ')
		++*p;
	if (strncmp(*p, word, n))
		return false;
	*p += n;
	return true;
}

/* ">=3.19", "<3.19", "<=6.3", ">6.3", "6.18+", "4.4" (exactly). */
static bool read_condition(const char **p, struct span *s)
{
	bool ge = skip_word(p, ">="), le = !ge && skip_word(p, "<=");
	bool gt = !ge && !le && skip_word(p, ">"), lt = !ge && !le && !gt && skip_word(p, "<");
	unsigned major, minor;

	skip_word(p, "");
	if (!read_release(p, &major, &minor))
		return false;
	if (!ge && !le && !gt && !lt && skip_word(p, "+"))
		ge = true;
	if (ge || gt || (!le && !lt)) {
		s->from_major = major;
		s->from_minor = minor + gt;
	}
	if (le || lt || (!ge && !gt)) {
		s->below_major = major;
		s->below_minor = minor + !lt;
	}
	return true;
}

static bool read_era(const char **p, struct span *s, bool high)
{
	char name[8] = "E";
	size_t n = 1;
	int era;

	if (!skip_word(p, "E"))
		return false;
	if (isdigit((unsigned char)**p) && (*p)[1] == '.') {
		s->lo = 0;
		s->hi = VSYSEMU_ERA_COUNT - 1;
		return read_condition(p, s);
	}
	while (isdigit((unsigned char)**p) && n < sizeof(name) - 2)
		name[n++] = *(*p)++;
	if (**p >= 'a' && **p <= 'c')
		name[n++] = *(*p)++;
	era = vsysemu_era_find(name);
	if (era < 0 && !strcmp(name, "E1"))
		era = high ? VSYSEMU_E1C : VSYSEMU_E1A;
	if (era < 0 || isalnum((unsigned char)**p))
		return false;
	s->hi = era;
	if (!high)
		s->lo = era;
	if (!high && !strcmp(name, "E1"))
		s->hi = VSYSEMU_E1C;
	return true;
}

/* *strange: words are left that say something unknown. */
static bool read_span(const char **p, struct span *s, bool *strange)
{
	*s = (struct span){ .lo = 0 };
	if (!read_era(p, s, false))
		return false;
	for (;;) {
		if (skip_word(p, "(")) {
			*strange |= !read_condition(p, s);
			*p += strcspn(*p, ")");
			if (!skip_word(p, ")"))
				return false;
		} else if (skip_word(p, "-")) {
			if (!read_era(p, s, true))
				return false;
		} else if (skip_word(p, "to ")) {
			s->hi = VSYSEMU_ERA_COUNT - 1;
			skip_word(p, "");
			if (!read_release(p, &s->below_major, &s->below_minor))
				return false;
			s->below_minor++;
		} else if (skip_word(p, "+")) {
			s->hi = VSYSEMU_ERA_COUNT - 1;
		} else if (skip_word(p, "with FRED")) {
			s->fred = true;
		} else if (skip_word(p, "CONFIG_X86_VSYSCALL_EMULATION=n")) {
			s->compiled_out = true;
		} else {
			skip_word(p, "");
			*strange |= **p && **p != ',';
			*p += strcspn(*p, ",");
			return s->lo <= s->hi;
		}
	}
}

static bool at_least(const struct vector_target *t, unsigned major, unsigned minor)
{
	if (major == 3 && minor == 19)
		return t->rules.era >= VSYSEMU_E5 && !t->rules.none_mapped;
	if (major == 6 && minor == 4)
		return t->rules.user_limit_start;
	if (major == 6 && minor == 18)
		return t->rules.fetch_by_rip;
	return t->major > major || (t->major == major && t->minor >= minor);
}

static bool is_in_span(const struct vector_target *t, const struct span *s)
{
	int era = (int)t->rules.era;

	if (era < s->lo || era > s->hi)
		return false;
	if (s->from_major && !at_least(t, s->from_major, s->from_minor))
		return false;
	return !s->below_major || !at_least(t, s->below_major, s->below_minor);
}

/* Bits of the modes that the mode cell means on a kernel. */
static unsigned mode_bits(const char *cell, const struct vsysemu_profile *p)
{
	unsigned bits = 0;
	bool any = !strcmp(cell, "any"), mapped = !strcmp(cell, "any mapped");
	bool any_but = any || mapped || !strcmp(cell, "any mapped or unmapped");

	for (unsigned m = 0; m < VSYSEMU_MODE_COUNT; m++) {
		const char *name = vsysemu_mode_name((enum vsysemu_mode)m);
		bool named = any_but;

		for (const char *w = cell; !named && *w; w += strcspn(w, ","), w += *w == ',') {
			w += strspn(w, " ");
			named = !strncmp(w, name, strlen(name)) && strchr(", ", w[strlen(name)]);
			named |= !strncmp(w, "int0xcc", 7) && m == VSYSEMU_EMULATE &&
				 p->era <= VSYSEMU_E1C;
		}
		if (named && vsysemu_mode_valid(p->era, (enum vsysemu_mode)m) &&
		    (!mapped || vsysemu_page_of(p, (enum vsysemu_mode)m).present))
			bits |= 1u << m;
	}
	/* Compiled out is like none. */
	return p->compiled_out ? 1u << VSYSEMU_NONE : bits;
}

static bool is_mode_word(const char *s, size_t n)
{
	for (unsigned m = 0; m < VSYSEMU_MODE_COUNT; m++) {
		const char *name = vsysemu_mode_name((enum vsysemu_mode)m);

		if (n == strlen(name) && !strncmp(s, name, n))
			return true;
	}
	return n == 7 && !strncmp(s, "int0xcc", 7);
}

static bool is_mode_cell(const char *cell, bool *strange)
{
	static const char *const phrases[] = { "any", "any mapped", "any mapped or unmapped",
					       "(compiled out)" };

	for (size_t i = 0; i < ARRAY_SIZE(phrases); i++)
		if (!strcmp(cell, phrases[i]))
			return true;
	for (const char *w = cell;; w++) {
		w += strspn(w, " ");
		if (!is_mode_word(w, strcspn(w, ", (")))
			return false;
		w += strcspn(w, ", (");
		*strange |= *w && *w != ',';
		w += strcspn(w, ",");
		if (!*w)
			return true;
	}
}

/* Every mode of every kernel that @s covers and that is not @taken yet. */
static void add_pairs(const struct vector_row *r, const struct span *s,
		      const struct vector_target *targets, size_t n, bool *taken, vector_pairs *out)
{
	for (size_t i = 0; i < n && i < VECTOR_TARGETS_MAX; i++) {
		struct vector_pair pair = { .target = &targets[i], .rules = targets[i].rules };
		unsigned bits;

		if (taken[i] || !is_in_span(&targets[i], s))
			continue;
		taken[i] = true;
		pair.rules.fred |= s->fred;
		pair.rules.compiled_out |= s->compiled_out;
		bits = mode_bits(r->cell[COL_MODE], &pair.rules);
		for (unsigned m = 0; m < VSYSEMU_MODE_COUNT; m++) {
			pair.mode = (enum vsysemu_mode)m;
			if (bits >> m & 1)
				VEC_PUSH(out, pair);
		}
	}
}

bool vector_row_pairs(const struct vector_row *r, const struct vector_target *targets, size_t n,
		      vector_pairs *out, struct buf *why, struct err *e)
{
	const char *p = r->cell[COL_ERA];
	bool taken[VECTOR_TARGETS_MAX] = { false }, strange = false;
	struct span s;

	if (!is_mode_cell(r->cell[COL_MODE], &strange))
		return err_set(e, "column mode: \"%.40s\" is none of native, emulate, xonly, none, int0xcc, "
				  "any, any mapped, (compiled out), nor a list with commas",
			       r->cell[COL_MODE]);
	for (;; p++) {
		if (!read_span(&p, &s, &strange))
			return err_set(e, "column era: \"%.60s\" is no list of eras E0..E9 or ranges",
				       r->cell[COL_ERA]);
		add_pairs(r, &s, targets, n, taken, out);
		if (!*p)
			break;
	}
	if (strange)
		buf_printf(why, "era \"%s\", mode \"%s\" cannot be expressed", r->cell[COL_ERA],
			   r->cell[COL_MODE]);
	return true;
}
