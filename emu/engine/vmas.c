/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ordered list of guest mappings: see vmas.h.  Merging follows Linux's vma_merge. */
#include "engine/vmas.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

size_t vmas_index(const struct vmas *s, gaddr a)
{
	size_t lo = 0, hi = s->v.n;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (s->v.at[mid].end <= a)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Room for one more at both ends. */
static void grow(struct vmas *s)
{
	size_t spare = s->v.n / 2 + 8;
	struct vma *at = xcalloc(s->v.n + 2 * spare, sizeof(*at));

	if (s->v.n)
		memcpy(at + spare, s->v.at, s->v.n * sizeof(*at));
	if (s->v.at)
		free(s->v.at - s->front);
	s->v.at = at + spare;
	s->v.cap = s->v.n + spare;
	s->front = spare;
}

/* The shorter side moves. */
static void insert(struct vmas *s, size_t i, struct vma v)
{
	if (!s->front || s->v.n == s->v.cap)
		grow(s);
	if (i < s->v.n / 2) {
		s->v.at--;
		s->v.cap++;
		s->front--;
		memmove(s->v.at, s->v.at + 1, i * sizeof(v));
	} else {
		memmove(&s->v.at[i + 1], &s->v.at[i], (s->v.n - i) * sizeof(v));
	}
	s->v.n++;
	s->v.at[i] = v;
}

static void erase(struct vmas *s, size_t i, size_t n)
{
	if (!n)
		return;
	for (size_t k = i; k < i + n; k++)
		free((char *)(uintptr_t)s->v.at[k].name);
	if (i < (s->v.n - n) / 2) {
		memmove(s->v.at + n, s->v.at, i * sizeof(s->v.at[0]));
		s->v.at += n;
		s->v.cap -= n;
		s->front += n;
	} else {
		memmove(&s->v.at[i], &s->v.at[i + n], (s->v.n - i - n) * sizeof(s->v.at[0]));
	}
	s->v.n -= n;
}

static bool is_file(const struct vma *v)
{
	return !(v->flags & MAP_ANONYMOUS);
}

/* Make @a a border between mappings. */
static void split(struct vmas *s, gaddr a)
{
	size_t i = vmas_index(s, a);
	struct vma low;

	if (i == s->v.n || s->v.at[i].start >= a)
		return;
	low = s->v.at[i];
	low.end = a;
	low.name = low.name ? xstrdup(low.name) : NULL;
	if (is_file(&s->v.at[i]))
		s->v.at[i].offset += a - s->v.at[i].start;
	s->v.at[i].start = a;
	insert(s, i, low);
}

void vmas_cut(struct vmas *s, gaddr start, gaddr end)
{
	size_t i, n = 0;

	split(s, start);
	split(s, end);
	i = vmas_index(s, start);
	while (i + n < s->v.n && s->v.at[i + n].start < end)
		n++;
	erase(s, i, n);
	/* What became a gap where the search began above it. */
	if (n) {
		gaddr low = i ? s->v.at[i - 1].end : 0, high = i < s->v.n ? s->v.at[i].start : s->top;

		if (high > s->searched && high - low > s->hole)
			s->hole = high - low;
	}
}

static bool mergeable(const struct vma *a, const struct vma *b)
{
	if (a->end != b->start || a->prot != b->prot || a->flags != b->flags)
		return false;
	if (strcmp(a->name ? a->name : "", b->name ? b->name : ""))
		return false;
	if (!is_file(a))
		return true;
	return a->dev == b->dev && a->ino == b->ino && a->offset + (a->end - a->start) == b->offset;
}

/* Merge mapping @i with the one before it. */
static size_t merge_back(struct vmas *s, size_t i)
{
	if (i == 0 || i >= s->v.n || !mergeable(&s->v.at[i - 1], &s->v.at[i]))
		return i;
	s->v.at[i - 1].end = s->v.at[i].end;
	erase(s, i, 1);
	return i - 1;
}

void vmas_add(struct vmas *s, const struct vma *v)
{
	struct vma copy = *v;
	size_t i;

	vmas_cut(s, v->start, v->end);
	i = vmas_index(s, v->start);
	copy.name = v->name ? xstrdup(v->name) : NULL;
	insert(s, i, copy);
	i = merge_back(s, i);
	merge_back(s, i + 1);
}

void vmas_change(struct vmas *s, gaddr start, gaddr end, int prot, const char *name)
{
	size_t i;

	split(s, start);
	split(s, end);
	for (i = vmas_index(s, start); i < s->v.n && s->v.at[i].start < end; i++) {
		if (prot >= 0)
			s->v.at[i].prot = prot;
		if (name) {
			free((char *)(uintptr_t)s->v.at[i].name);
			s->v.at[i].name = xstrdup(name);
		}
		i = merge_back(s, i);
	}
	merge_back(s, i);
}

bool vmas_covers(const struct vmas *s, gaddr start, gaddr end)
{
	for (size_t i = vmas_index(s, start); start < end; i++) {
		if (i == s->v.n || s->v.at[i].start > start)
			return false;
		start = s->v.at[i].end;
	}
	return true;
}

gaddr vmas_gap(struct vmas *s, uint64_t len, gaddr bottom, gaddr top)
{
	bool known = top == s->top && len > s->hole;
	gaddr high = known ? s->searched : top;
	size_t i = vmas_index(s, high);
	uint64_t hole = known ? s->hole : 0;

	if (i < s->v.n && s->v.at[i].start < high)
		high = s->v.at[i].start;
	while (high >= bottom && high - bottom >= len) {
		gaddr low = i ? s->v.at[i - 1].end : bottom;

		if (low < bottom)
			low = bottom;
		if (high >= low && high - low >= len) {
			s->top = top;
			s->searched = high;
			s->hole = hole;
			return high - len;
		}
		if (high > low && high - low > hole)
			hole = high - low;
		if (!i)
			return 0;
		high = s->v.at[--i].start;
	}
	return 0;
}

void vmas_clear(struct vmas *s)
{
	erase(s, 0, s->v.n);
	if (s->v.at)
		free(s->v.at - s->front);
	*s = (struct vmas){ 0 };
}
