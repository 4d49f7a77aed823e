/* SPDX-License-Identifier: GPL-2.0-or-later */
/* One vsyscall of a run: see watch.h. */
#include "run/watch.h"

#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "run/callers.h"
#include "run/trace.h"

struct watch *watch_new(uint64_t nth)
{
	struct watch *w = mmap(NULL, sizeof(*w), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	if (w == MAP_FAILED)
		return NULL;
	w->nth = nth;
	return w;
}

void watch_free(struct watch *w)
{
	if (w)
		munmap(w, sizeof(*w));
}

/* The caller's function, if it has a name, and its bytes up to the return address; else the longest call that may
 * stand before it. */
static void look_at_caller(struct watch *w, struct kernel *k, gaddr caller)
{
	struct unwind_frame f = { .address = caller };
	struct callers *c = NULL;
	struct image_place p = { 0 };
	gaddr start = caller - 16;

	if (callers_find(&c, k, &f, &p)) {
		snprintf(w->symbol, sizeof(w->symbol), "%s", p.symbol ? p.symbol : "");
		snprintf(w->object, sizeof(w->object), "%s", p.object ? p.object : "");
		w->offset = p.offset + 1; /* found by the byte before */
		if (p.symbol && !p.beyond && w->offset <= sizeof(w->code))
			start = caller - w->offset;
	}
	callers_free(c);
	for (; start < caller; start++)
		if (!memory_read(k->mem, w->code, start, (size_t)(caller - start)))
			break;
	w->code_at = start;
	w->code_bytes = (size_t)(caller - start);
}

void watch_arrival(struct watch *w, struct kernel *k, const struct page_event *ev, gaddr entry, gaddr rsp, bool known,
		   uint32_t cycles16)
{
	struct buf b = { 0 };
	uint64_t word;

	if (!w || ++w->calls != w->nth)
		return;
	w->event = *ev;
	w->rip = entry;
	w->rsp = rsp;
	w->result_known = known;
	w->stack_readable = !memory_read(k->mem, &word, rsp, sizeof(word));
	w->cycles16 = cycles16;
	w->pid = k->proc.pid;
	w->tid = k->proc.current->tid;
	trace_vsyscall_text(k, ev, entry, cycles16, &b);
	snprintf(w->line, sizeof(w->line), "%s", b.data ? b.data : "");
	buf_free(&b);
	if (ev->caller)
		look_at_caller(w, k, ev->caller);
	w->done = 1;
	for (;;)
		pause();
}
