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

static void insert(struct vmas *s, size_t i, struct vma v)
{
	VEC_PUSH(&s->v, v);
	memmove(&s->v.at[i + 1], &s->v.at[i], (s->v.n - 1 - i) * sizeof(v));
	s->v.at[i] = v;
}

static void erase(struct vmas *s, size_t i, size_t n)
{
	if (!n)
		return;
	for (size_t k = i; k < i + n; k++)
		free((char *)(uintptr_t)s->v.at[k].name);
	memmove(&s->v.at[i], &s->v.at[i + n], (s->v.n - i - n) * sizeof(s->v.at[0]));
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

gaddr vmas_gap(const struct vmas *s, uint64_t len, gaddr bottom, gaddr top)
{
	size_t i = vmas_index(s, top);
	gaddr high = top;

	if (i < s->v.n && s->v.at[i].start < top)
		high = s->v.at[i].start;
	while (high >= bottom && high - bottom >= len) {
		gaddr low = i ? s->v.at[i - 1].end : bottom;

		if (low < bottom)
			low = bottom;
		if (high >= low && high - low >= len)
			return high - len;
		if (!i)
			return 0;
		high = s->v.at[--i].start;
	}
	return 0;
}

void vmas_clear(struct vmas *s)
{
	erase(s, 0, s->v.n);
	VEC_FREE(&s->v);
}
