/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who called: the frames of the current task, and the files behind its mappings. */
#ifndef VSYSEMU_RUN_CALLERS_H
#define VSYSEMU_RUN_CALLERS_H

#include "base/buf.h"
#include "facts/image.h"
#include "facts/unwind.h"
#include "kernel/kernel.h"

#define CALLERS_MAX 24u

typedef VEC(struct image_map) callers_maps;
/* Mappings of files (not @code_only) or of files that have code and of the vDSO, in order; the strings
 * live as long as the mappings. */
void callers_map(struct kernel *k, bool code_only, callers_maps *out);

/* Tables of object files, kept between calls; NULL at first, freed by callers_free(). */
struct callers;
void callers_free(struct callers *c);

/* Frames of the current task as it stands with these rip and rsp, at most CALLERS_MAX. */
size_t callers_now(struct callers **c, struct kernel *k, gaddr rip, gaddr rsp, struct unwind_frame *frame);
/* Where @f lies; as images_find(). */
bool callers_find(struct callers **c, struct kernel *k, const struct unwind_frame *f, struct image_place *p);

#endif
