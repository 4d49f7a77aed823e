/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which events a trace shows: see filter.h. */
#include "run/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts/image.h"
#include "kernel/syscall.h"

#define ALL_CALLS (TRACE_VSYSCALL | TRACE_VDSO | TRACE_SYSCALL)
#define PLACES 256u /* power of two */

struct range {
	gaddr from, to;
};

struct filter {
	unsigned what, path;
	VEC(char *) call, sym; /* owned */
	VEC(struct range) addr;
	struct images *images;
	/* Answers of sym= by return address, so that a loop does not search for its function each time. */
	struct place {
		gaddr caller;
		bool wanted;
	} place[PLACES];
};

static const char *const words[] = { "vsyscall", "vdso", "syscall", "signal", "fault" };

static unsigned word_bit(const char *s)
{
	for (unsigned i = 0; i < ARRAY_SIZE(words); i++)
		if (!strcmp(words[i], s))
			return 1u << i;
	return 0;
}

static bool parse_addr(struct filter *f, const char *s)
{
	struct range r;
	char *end;

	errno = 0;
	r.from = r.to = strtoull(s, &end, 16);
	if (end != s && *end == '-')
		r.to = strtoull(s = end + 1, &end, 16);
	if (end == s || *end || errno || r.to < r.from)
		return false;
	VEC_PUSH(&f->addr, r);
	return true;
}

/* The time calls of the vDSO and the page are system calls by name as well. */
static bool parse_call(struct filter *f, const char *s)
{
	if (syscall_number(s) < 0)
		return false;
	VEC_PUSH(&f->call, xstrdup(s));
	return true;
}

static bool parse_word(struct filter *f, const char *w, struct err *e)
{
	unsigned bit = word_bit(w);

	if (bit) {
		f->what |= bit;
	} else if (!strncmp(w, "path=", 5)) {
		bit = word_bit(w + 5) & ALL_CALLS;
		f->path |= bit;
		return bit || err_set(e, "--trace: path= takes vsyscall, vdso or syscall, not '%s'", w + 5);
	} else if (!strncmp(w, "call=", 5)) {
		return parse_call(f, w + 5) || err_set(e, "--trace: call=%s is no system call", w + 5);
	} else if (!strncmp(w, "addr=", 5)) {
		return parse_addr(f, w + 5) || err_set(e, "--trace: addr= takes a hexadecimal address or A-B, not '%s'", w + 5);
	} else if (!strncmp(w, "sym=", 4) && w[4]) {
		VEC_PUSH(&f->sym, xstrdup(w + 4));
	} else {
		return err_set(e, "--trace: '%s' is none of vsyscall, vdso, syscall, signal, fault, path=, call=, addr=, sym=", w);
	}
	return true;
}

struct filter *filter_new(const char *text, struct err *e)
{
	struct filter *f = xcalloc(1, sizeof(*f));

	while (*text) {
		size_t n = strcspn(text, ",");
		char *w = xstrndup(text, n);
		bool ok = parse_word(f, w, e);

		free(w);
		if (!ok) {
			filter_free(f);
			return NULL;
		}
		text += n + (text[n] == ',');
	}
	if (!f->what)
		f->what = f->path || f->call.n || f->addr.n || f->sym.n ? ALL_CALLS : ALL_CALLS | TRACE_SIGNAL | TRACE_FAULT;
	return f;
}

void filter_free(struct filter *f)
{
	if (!f)
		return;
	for (size_t i = 0; i < f->call.n; i++)
		free(f->call.at[i]);
	for (size_t i = 0; i < f->sym.n; i++)
		free(f->sym.at[i]);
	VEC_FREE(&f->call);
	VEC_FREE(&f->sym);
	VEC_FREE(&f->addr);
	if (f->images)
		images_free(f->images);
	free(f);
}

bool filter_wants(const struct filter *f, enum trace_what what)
{
	return f->what & what;
}

void filter_moved(struct filter *f)
{
	memset(f->place, 0, sizeof(f->place));
}

static bool one_of(char *const *list, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (name && !strcmp(list[i], name))
			return true;
	return false;
}

static bool in_function(struct filter *f, struct kernel *k, gaddr caller)
{
	VEC(struct image_map) map = { 0 };
	const struct vma *v = NULL;
	struct image_place p = { 0 };
	bool wanted;

	if (!f->images)
		f->images = images_new();
	while ((v = memory_next(k->mem, v)))
		if (v->name && v->name[0] == '/')
			VEC_PUSH(&map, ((struct image_map){ v->start, v->end, v->offset, v->name }));
	/* A return address lies behind its call. */
	images_find(f->images, map.at, map.n, caller - 1, &p);
	wanted = one_of(f->sym.at, f->sym.n, p.symbol);
	VEC_FREE(&map);
	return wanted;
}

static bool in_functions(struct filter *f, struct kernel *k, gaddr caller)
{
	struct place *p = &f->place[(caller ^ caller >> 8) & (PLACES - 1)];

	if (!caller)
		return false;
	if (p->caller != caller) {
		p->wanted = in_function(f, k, caller);
		p->caller = caller;
	}
	return p->wanted;
}

static bool in_ranges(const struct filter *f, gaddr a)
{
	for (size_t i = 0; i < f->addr.n; i++)
		if (a >= f->addr.at[i].from && a <= f->addr.at[i].to)
			return true;
	return false;
}

bool filter_call(struct filter *f, struct kernel *k, enum trace_what what, const char *name, gaddr caller, gaddr entry)
{
	if (!(f->what & what) || (f->path && !(f->path & what)))
		return false;
	if (f->call.n && !one_of(f->call.at, f->call.n, name))
		return false;
	if (f->addr.n && !in_ranges(f, caller) && !(entry && in_ranges(f, entry)))
		return false;
	return !f->sym.n || in_functions(f, k, caller);
}
