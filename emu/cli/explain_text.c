/* SPDX-License-Identifier: GPL-2.0-or-later */
/* An explanation for a terminal or a slide, and as JSON. */
#include <string.h>

#include "cli/explain.h"

static const char *where_name(enum cost_where w)
{
	static const char *const names[] = { "user", "entry", "body", "exit" };

	return names[w];
}

/* The lines of @text, each behind @indent blanks. */
static void lines(const char *text, int indent, struct buf *out)
{
	while (*text) {
		size_t n = strcspn(text, "\n");

		buf_printf(out, "%*s%.*s\n", indent, "", (int)n, text);
		text += n + (text[n] == '\n');
	}
}

static void text_stage(const struct explain_stage *g, struct buf *out)
{
	buf_printf(out, "%12s%9.2f  %s%s%.0u [%s] %s%s%s\n", "", explain_cycles(g->cycles16), g->stage,
		   g->times > 1 ? " x" : "", g->times > 1 ? g->times : 0, g->symbol,
		   provenance_name(g->provenance), *g->source ? ": " : "", g->source);
}

static void text_step(size_t n, const struct explain_step *s, struct buf *out)
{
	buf_printf(out, "%2zu %-8s %9.2f %9.2f  %s%s\n", n, explain_part_name(s->part),
		   explain_cycles(s->cycles16), explain_cycles(s->total16), s->title,
		   s->last_word ? "  << ends here" : "");
	lines(s->text, 33, out);
	for (size_t i = 0; i < s->stages.n; i++)
		text_stage(&s->stages.at[i], out);
	buf_printf(out, "%33s(%s)\n", "", s->truth);
}

static double nanoseconds(const struct explain_side *s)
{
	return explain_cycles(s->x.total16) * 1e9 / (double)s->m->cpu->core_hz;
}

void explain_text(const struct explain_side *s, int nr, struct buf *out)
{
	buf_printf(out, "%s under ", explain_call_name(nr));
	explain_side_name(s, out);
	buf_printf(out, ", cycles of %s\n\n %-10s %9s %9s\n", s->m->cpu->name, " step", "cycles", "total");
	for (size_t i = 0; i < s->x.steps.n; i++)
		text_step(i + 1, &s->x.steps.at[i], out);
	buf_printf(out, "\n%s: %.2f cycles, %.1f ns (user %.2f, kernel %.2f)\n", s->x.outcome,
		   explain_cycles(s->x.total16), nanoseconds(s), explain_cycles(s->x.cost.user16),
		   explain_cycles(s->x.cost.system16));
}

static void json_stages(struct json *o, const struct explain_step *s)
{
	struct json *a = json_put(o, "stages", json_new_array());

	for (size_t i = 0; i < s->stages.n; i++) {
		const struct explain_stage *g = &s->stages.at[i];
		struct json *j = json_add(a, json_new_object());

		json_put_string(j, "stage", g->stage);
		json_put_string(j, "meaning", g->meaning);
		json_put_string(j, "symbol", g->symbol);
		json_put_string(j, "where", where_name(g->where));
		json_put_int(j, "times", g->times);
		json_put_real(j, "cycles", explain_cycles(g->cycles16));
		json_put_string(j, "provenance", provenance_name(g->provenance));
		json_put_string(j, "source", *g->source ? g->source : NULL);
	}
}

static void json_steps(struct json *o, const struct explanation *x)
{
	struct json *a = json_put(o, "steps", json_new_array());

	for (size_t i = 0; i < x->steps.n; i++) {
		const struct explain_step *s = &x->steps.at[i];
		struct json *j = json_add(a, json_new_object()), *text;

		json_put_int(j, "nr", (int64_t)i + 1);
		json_put_string(j, "part", explain_part_name(s->part));
		json_put_string(j, "title", s->title);
		text = json_put(j, "text", json_new_array());
		for (const char *p = s->text; *p;) {
			size_t n = strcspn(p, "\n");
			struct buf line = { 0 };

			buf_printf(&line, "%.*s", (int)n, p);
			json_add_string(text, line.data);
			buf_free(&line);
			p += n + (p[n] == '\n');
		}
		json_put_string(j, "truth", s->truth);
		json_put_bool(j, "last_word", s->last_word);
		json_put_bool(j, "kernel", s->kernel);
		json_put_hex(j, "rip", s->rip);
		json_put_hex(j, "rsp", s->rsp);
		json_put_hex(j, "rax", s->rax);
		json_put_real(j, "cycles", explain_cycles(s->cycles16));
		json_put_real(j, "total", explain_cycles(s->total16));
		json_stages(j, s);
	}
}

static void json_seen(struct json *o, const struct explain_seen *seen)
{
	struct json *j;

	if (!seen) {
		json_put_null(o, "seen");
		return;
	}
	j = json_put(o, "seen", json_new_object());
	json_put_int(j, "nth", seen->nth);
	json_put_int(j, "pid", seen->pid);
	json_put_int(j, "tid", seen->tid);
	json_put_string(j, "call", seen->line);
	json_put_string(j, "returns_to", *seen->where ? seen->where : NULL);
	json_put_real(j, "arrival_cycles", explain_cycles(seen->cycles16));
}

static void json_side(struct json *o, const struct explain_side *s)
{
	const struct model_policy *p = &s->m->policy[s->policy];
	struct json *m = json_put(o, "model", json_new_object()), *f;

	json_put_string(m, "mode", vsysemu_mode_name(p->mode));
	json_put_string(m, "kernel", p->kernel->name);
	json_put_string(m, "era", vsysemu_era_name(p->kernel->rules.era));
	json_put_string(m, "trap", trap_gen_name(p->trap));
	json_put_string(m, "cpu", s->m->cpu->name);
	json_put_string(m, "clocksource", clocksource_name(s->m->clocksource));
	json_put_int(m, "core_hz", (int64_t)s->m->cpu->core_hz);
	if (s->x.frame.vector) {
		f = json_put(o, "frame", json_new_object());
		json_put_int(f, "vector", s->x.frame.vector);
		json_put_hex(f, "error_code", s->x.frame.error_code);
		json_put_hex(f, "addr", s->x.frame.addr);
		json_put_hex(f, "rip", s->x.frame.rip);
		json_put_hex(f, "cs", s->x.frame.cs);
		json_put_hex(f, "rsp", s->x.frame.gpr[VSYSEMU_RSP]);
	} else {
		json_put_null(o, "frame");
	}
	json_put_string(o, "outcome", s->x.outcome);
	json_put_real(o, "cycles", explain_cycles(s->x.total16));
	json_put_real(o, "user_cycles", explain_cycles(s->x.cost.user16));
	json_put_real(o, "system_cycles", explain_cycles(s->x.cost.system16));
	json_put_real(o, "ns", nanoseconds(s));
	json_steps(o, &s->x);
}

void explain_json(const struct explain_side *s, const struct explain_side *beside, int nr,
		  const struct explain_seen *seen, struct buf *out)
{
	struct json *o = json_new_object();

	json_put_string(o, "schema", "vsysemu.explain/1");
	json_put_string(o, "call", explain_call_name(nr));
	json_seen(o, seen);
	json_side(o, s);
	if (beside)
		json_side(json_put(o, "beside", json_new_object()), beside);
	else
		json_put_null(o, "beside");
	json_text(o, 1, 10, out);
	buf_printf(out, "\n");
	json_drop(o);
}
