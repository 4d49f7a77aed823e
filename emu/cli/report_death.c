/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Why a program died, in plain words: who was it, what did it do, whose fault is it, what helps. */
#include <ctype.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cli/escape.h"
#include "cli/report_forms.h"
#include "engine/engine.h"

static const struct {
	const char *reason, *meaning, *advice;
} deaths[] = {
	{ "vsyscall-none", "it called the vsyscall page at 0xffffffffff600000, which vsyscall=none does not offer",
	  "it needs the vsyscall page: boot with vsyscall=xonly (or emulate), or update its C library" },
	{ "vsyscall-misaligned", "it jumped into the vsyscall page beside its three entries (+0x0, +0x400, +0x800)",
	  "no emulation answers there: a bug, or a return-oriented exploit; only real code in the page (vsyscall=native, up "
	  "to 4.16) runs it" },
	{ "vsyscall-bad-stack", "it went to the vsyscall page with a stack pointer where no return address can be read",
	  "no policy helps: the program lost its stack, or it is an exploit" },
	{ "vsyscall-fault", "it called the vsyscall page with a pointer to memory that it may not write",
	  "its own bug: a real system call answers EFAULT for that, the emulated one sends SIGSEGV" },
	{ "vsyscall-seccomp", "its seccomp filter refused the call that it made through the vsyscall page",
	  "let the filter allow this call: the emulated page asks it too (the vDSO does not)" },
	{ "page-read", "it read the bytes of the vsyscall page, which this policy hides",
	  "it reads the page's bytes: only vsyscall=emulate (or native) lets it" },
	{ "page-write", "it wrote to the vsyscall page", "its own bug: no policy has ever let a program write there" },
};

static size_t row_of(const char *reason)
{
	size_t i = 0;

	while (i < ARRAY_SIZE(deaths) && (!reason || strcmp(deaths[i].reason, reason)))
		i++;
	return i;
}

const char *report_meaning(const char *reason)
{
	size_t i = row_of(reason);

	return i < ARRAY_SIZE(deaths) ? deaths[i].meaning : NULL;
}

const char *report_advice(const char *reason)
{
	size_t i = row_of(reason);

	return i < ARRAY_SIZE(deaths) ? deaths[i].advice : NULL;
}

void report_find_death(struct report *r)
{
	const struct outcome *o = &r->k->outcome;
	struct unwind_frame frame[CALLERS_MAX];
	struct callers *c = NULL;
	gaddr rsp;

	if (o->kind != OUTCOME_SIGNAL || o->status == SIGKILL)
		return;
	rsp = engine_get(r->k->engine, REG_RSP);
	r->deaths = (unsigned)callers_now(&c, r->k, o->caller ? o->caller : o->rip, o->caller ? rsp + 8 : rsp, frame);
	callers_free(c);
	for (unsigned i = 0; i < r->deaths; i++) {
		struct report_frame *f = &r->death[i];

		*f = (struct report_frame){ .address = frame[i].address,
					    .interrupted = frame[i].interrupted || (!i && !o->caller) };
		images_find(r->images, r->map.at, r->map.n, f->address - !f->interrupted, &f->place);
	}
}

void report_stack_text(const struct report_frame *f, unsigned n, struct buf *b)
{
	for (unsigned i = 0; i < n; i++) {
		if (i)
			buf_printf(b, " < ");
		if (!f[i].place.symbol)
			buf_printf(b, "%#lx", (unsigned long)f[i].address);
		else if (f[i].place.beyond)
			report_frame_name(&f[i], b);
		else
			buf_printf(b, "%s", f[i].place.symbol);
		if (f[i].place.file) {
			const char *slash = strrchr(f[i].place.file, '/');

			buf_printf(b, " (%s:%d)", slash ? slash + 1 : f[i].place.file, f[i].place.line);
		}
	}
}

/* Died of something else: where. */
static void elsewhere(const struct report *r, struct buf *b)
{
	const struct report_frame *f = &r->death[0];

	buf_printf(b, "meaning       not the vsyscall page: ");
	if (r->deaths && f->place.object) {
		report_frame_name(f, b);
		buf_printf(b, " (%s", f->place.file ? f->place.file : f->place.object);
		if (f->place.file)
			buf_printf(b, ":%d", f->place.line);
		buf_printf(b, ") got the signal; expect the same on any kernel\n");
	} else {
		buf_printf(b, "expect the same on any kernel\n");
	}
}

void report_death_text(const struct report *r, struct buf *b)
{
	const struct outcome *o = &r->k->outcome;
	const char *meaning = report_meaning(o->reason), *advice = report_advice(o->reason);
	unsigned skip = o->caller ? 1 : 0; /* the line above names it */

	if (meaning)
		buf_printf(b, "meaning       %s\n", meaning);
	else if (!o->reason && o->status != SIGKILL)
		elsewhere(r, b);
	if (r->deaths > skip) {
		buf_printf(b, "callers       ");
		report_stack_text(r->death + skip, r->deaths - skip, b);
		buf_printf(b, "\n");
	}
	if (advice)
		buf_printf(b, "advice        %s\n", advice);
}

void report_death_html(const struct report *r, struct buf *b)
{
	const struct outcome *o = &r->k->outcome;
	const char *meaning = report_meaning(o->reason), *advice = report_advice(o->reason);
	struct buf text = { 0 };

	if (meaning)
		buf_printf(b, "<p>%c%s.</p>", toupper((unsigned char)*meaning), meaning + 1);
	if (advice)
		buf_printf(b, "<p><b>What helps:</b> %s.</p>", advice);
	if (r->deaths) {
		report_stack_text(r->death, r->deaths, &text);
		buf_printf(b, "<p>Where, and by whom called: <code>");
		escape_html(b, text.data);
		buf_printf(b, "</code></p>");
	}
	buf_free(&text);
}

void report_put_frames(const struct report_frame *f, unsigned n, struct json *list)
{
	for (unsigned i = 0; i < n; i++) {
		struct json *o = json_add(list, json_new_object());

		json_put_hex(o, "address", f[i].address);
		json_put_string(o, "symbol", f[i].place.symbol);
		json_put_int(o, "offset", (int64_t)f[i].place.offset + !f[i].interrupted);
		json_put_string(o, "object", f[i].place.object);
		json_put_string(o, "file", f[i].place.file);
		json_put_int(o, "line", f[i].place.line);
	}
}
