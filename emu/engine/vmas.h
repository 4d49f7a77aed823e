/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The ordered list of guest mappings: bookkeeping only, no host calls.  Private to the engine floor. */
#ifndef VSYSEMU_ENGINE_VMAS_H
#define VSYSEMU_ENGINE_VMAS_H

#include "base/buf.h"
#include "engine/memory.h"

struct vmas {
	VEC(struct vma) v; /* ascending, disjoint; names owned; cap counts from v.at */
	size_t front; /* free places before v.at: mappings come and go at the low end most */
	/* No gap above @searched and below @top, where the last search began, is larger than @hole; top 0: not known. */
	gaddr top, searched;
	uint64_t hole;
};

/* Index of the first mapping that ends above @a (may be v.n). */
size_t vmas_index(const struct vmas *s, gaddr a);
/* Forget [@start, @end), splitting what straddles it. */
void vmas_cut(struct vmas *s, gaddr start, gaddr end);
/* Add a mapping (name copied) over whatever was there, merging with equal neighbours. */
void vmas_add(struct vmas *s, const struct vma *v);
/* Set protection (@prot >= 0) or name (@name) of [@start, @end). */
void vmas_change(struct vmas *s, gaddr start, gaddr end, int prot, const char *name);
/* Is [@start, @end) mapped without holes? */
bool vmas_covers(const struct vmas *s, gaddr start, gaddr end);
/* Highest gap of @len bytes below @top and above @bottom; 0: none. */
gaddr vmas_gap(struct vmas *s, uint64_t len, gaddr bottom, gaddr top);
void vmas_clear(struct vmas *s);

#endif
