/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Who called: see callers.h. */
#include "run/callers.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

struct callers {
	struct unwinder *unwinder;
	struct images *images;
};

static struct callers *made(struct callers **c)
{
	if (!*c) {
		*c = xcalloc(1, sizeof(**c));
		(*c)->unwinder = unwinder_new();
		(*c)->images = images_new();
	}
	return *c;
}

void callers_free(struct callers *c)
{
	if (!c)
		return;
	unwinder_free(c->unwinder);
	images_free(c->images);
	free(c);
}

/* Has the file of @v code in one of its mappings, which follow each other? */
static bool has_code(struct kernel *k, const struct vma *v)
{
	const char *name = v->name;

	for (; v && v->name && !strcmp(v->name, name); v = memory_next(k->mem, v))
		if (v->prot & PROT_EXEC)
			return true;
	return false;
}

void callers_map(struct kernel *k, bool code_only, callers_maps *out)
{
	const char *last = NULL;
	const struct vma *v = NULL;
	bool wanted = false;

	while ((v = memory_next(k->mem, v))) {
		if (!v->name)
			continue;
		if (code_only && !strcmp(v->name, "[vdso]") && (v->prot & PROT_EXEC))
			VEC_PUSH(out, ((struct image_map){ v->start, v->end, 0, v->name }));
		if (v->name[0] != '/')
			continue;
		if (!last || strcmp(last, v->name))
			wanted = !code_only || has_code(k, v);
		last = v->name;
		if (wanted)
			VEC_PUSH(out, ((struct image_map){ v->start, v->end, v->offset, v->name }));
	}
}

static bool read_guest(void *ctx, void *dst, gaddr src, size_t n)
{
	struct kernel *k = ctx;

	return !memory_read(k->mem, dst, src, n);
}

static bool is_code(void *ctx, gaddr a)
{
	struct kernel *k = ctx;
	const struct vma *v = memory_find(k->mem, a);

	return v && v->start <= a && (v->prot & PROT_EXEC);
}

size_t callers_now(struct callers **c, struct kernel *k, gaddr rip, gaddr rsp, struct unwind_frame *frame)
{
	/* The processor's order to DWARF's. */
	static const uint8_t order[UNWIND_REGS - 1] = { 0, 2, 1, 3, 6, 7, 5, 4, 8, 9, 10, 11, 12, 13, 14, 15 };
	struct unwind_from from = { .ctx = k, .read = read_guest, .code = is_code };
	callers_maps map = { 0 };
	uint64_t reg[16];
	size_t n;

	engine_get_general(k->engine, reg);
	for (unsigned i = 0; i < ARRAY_SIZE(order); i++)
		from.reg[i] = reg[order[i]];
	from.reg[UNWIND_RSP] = rsp;
	from.reg[UNWIND_RIP] = rip;
	callers_map(k, true, &map);
	from.map = map.at;
	from.maps = map.n;
	n = unwind(made(c)->unwinder, &from, frame, CALLERS_MAX);
	VEC_FREE(&map);
	return n;
}

bool callers_find(struct callers **c, struct kernel *k, const struct unwind_frame *f, struct image_place *p)
{
	callers_maps map = { 0 };
	bool found;

	callers_map(k, false, &map);
	found = images_find(made(c)->images, map.at, map.n, f->address - !f->interrupted, p);
	VEC_FREE(&map);
	return found;
}
