/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a finding means for who boots the machine: what becomes of a file under each mode, and under each
 * kernel as it boots by default.  Calls need an executable page, reads a readable one: mode none has
 * neither, xonly only the first (vsyscall_64.c, 3.1 and 5.3).
 */
#include <stdlib.h>

#include "cli/scan.h"
#include "facts/model.h"

/* Worst use of the page by @r: what a mode without reading, and one without calling, would stop. */
static void uses_of(const struct scan_result *r, bool *reads, enum scan_fate *calls)
{
	for (size_t i = 0; i < r->findings.n; i++) {
		enum scan_verdict v = r->findings.at[i].verdict;
		enum scan_fate f = v == SCAN_CALLS ? SCAN_BREAKS : v == SCAN_MAY_CALL ? SCAN_BREAKS_WITHOUT_VDSO : SCAN_RUNS;

		*reads |= v == SCAN_READS;
		*calls = f > *calls ? f : *calls;
	}
}

enum scan_fate scan_fate(const struct scan_run *s, const struct scan_item *i, enum vsysemu_mode mode)
{
	enum scan_fate calls = SCAN_RUNS;
	bool reads = false;

	uses_of(&i->result, &reads, &calls);
	for (size_t k = 0; k < i->blamed.n; k++)
		uses_of(&s->items.at[i->blamed.at[k]]->result, &reads, &calls);
	if (mode == VSYSEMU_NONE)
		return reads ? SCAN_BREAKS : calls;
	return reads && mode == VSYSEMU_XONLY ? SCAN_BREAKS : SCAN_RUNS;
}

const char *scan_fate_name(enum scan_fate f)
{
	static const char *const names[] = { "runs", "breaks-without-vdso", "breaks" };

	return names[f];
}

const char *scan_needs(const struct scan_run *s, const struct scan_item *i)
{
	if (scan_fate(s, i, VSYSEMU_XONLY) != SCAN_RUNS)
		return "emulate";
	return scan_fate(s, i, VSYSEMU_NONE) != SCAN_RUNS ? "xonly" : "none";
}

static int by_release(const void *pa, const void *pb)
{
	const struct kernel_model *const *a = pa, *const *b = pb;

	return (*a)->release_nr < (*b)->release_nr ? -1 : (*a)->release_nr > (*b)->release_nr;
}

void scan_kernels(struct scan_run *s)
{
	VEC(struct kernel_model *) all = { 0 };
	model_names names = { 0 };
	struct err ignored = { .text = "" };

	if (model_list(true, &names, &ignored))
		for (size_t i = 0; i < names.n; i++) {
			struct kernel_model *k = kernel_model_load(names.at[i], &ignored);

			if (k)
				VEC_PUSH(&all, k);
		}
	/* Names are sorted; a stable order inside a release. */
	for (size_t i = 1; i < all.n; i++)
		for (size_t j = i; j && by_release(&all.at[j - 1], &all.at[j]) > 0; j--) {
			struct kernel_model *k = all.at[j];

			all.at[j] = all.at[j - 1];
			all.at[j - 1] = k;
		}
	for (size_t i = 0; i < all.n; i++) {
		VEC_PUSH(&s->kernels, ((struct scan_kernel){ xstrdup(all.at[i]->name), all.at[i]->mode[0] }));
		kernel_model_free(all.at[i]);
	}
	VEC_FREE(&all);
	model_names_free(&names);
}

void scan_kernels_free(struct scan_run *s)
{
	for (size_t i = 0; i < s->kernels.n; i++)
		free(s->kernels.at[i].name);
	VEC_FREE(&s->kernels);
}
