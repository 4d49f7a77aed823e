/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An explanation as one page without anything from outside: a drawn timeline of each policy on one
 * scale, the steps below, and the keyboard to go through them.  Without scripts it is still all there.
 */
#include <string.h>

#include "cli/escape.h"
#include "cli/explain.h"
#include "cli/html.h"

static const char style[] =
	":root{--caller:var(--c9);--page:var(--c11);--trap:var(--c7);--check:var(--c5);--seccomp:var(--c4);--body:var(--c0);"
	"--edit:var(--c6);--return:var(--c3);--signal:var(--c14)}\n"
	"body{max-width:110rem}.bars{margin:1rem 0}.bar{display:flex;height:2.2rem;margin:.15rem 0 .6rem;"
	"border:1px solid var(--line);border-radius:4px;overflow:hidden}\n"
	".bar i{display:block;flex:none;min-width:2px;border-right:1px solid var(--bg);cursor:pointer}"
	".bar i.now{outline:3px solid var(--fg);outline-offset:-3px}\n"
	".sides{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(28rem,100%),1fr));gap:1.5rem}"
	".side{min-width:0}\n"
	"ol{list-style:none;padding:0;margin:0}li{border-left:.4rem solid;border-bottom:1px solid var(--line);"
	"padding:.35rem .6rem;cursor:pointer;overflow-wrap:anywhere}\n"
	"li.now{background:var(--now)}li.now,li.now .dim{color:var(--fg)}li.later{color:var(--dim)}"
	".n{float:right;margin-left:.8rem}pre{margin:.2rem 0;font-size:12.5px;line-height:1.4}\n"
	"td{padding:0 .8rem 0 0;vertical-align:top}table{font-size:13px;margin:.2rem 0}"
	"td:first-child{text-align:right;font-variant-numeric:tabular-nums}\n"
	".key i{vertical-align:-.05em}kbd{border:1px solid var(--line);border-radius:3px;padding:0 .3em;font-size:.85em}\n"
	"@media print,(max-width:40rem){td{display:inline;padding:0 .5rem 0 0}tr{display:block;padding:.1rem 0}}\n"
	"@media print{li.later{color:inherit}li.now{background:none}.bar i.now{outline:none}li{break-inside:avoid}"
	".keys{display:none}.sides{grid-template-columns:repeat(auto-fit,minmax(min(20rem,100%),1fr))}}\n";

static const char script[] =
	"(function(){var n=0,s=[].slice.call(document.querySelectorAll('section.side')),m=0;\n"
	"function all(x,q){return [].slice.call(x.querySelectorAll(q))}\n"
	"function show(move){s.forEach(function(x,k){all(x,'li').forEach(function(e,i){\n"
	"e.classList.toggle('now',i===n);e.classList.toggle('later',i>n);\n"
	"if(i===n&&move&&k===0)e.scrollIntoView({block:'nearest'})});\n"
	"all(document.getElementById('bar'+k),'i').forEach(function(e){\n"
	"e.classList.toggle('now',+e.dataset.step===n)})})}\n"
	"s.forEach(function(x){m=Math.max(m,all(x,'li').length)});\n"
	"function go(k){n=Math.max(0,Math.min(m-1,k));show(true)}\n"
	"document.addEventListener('keydown',function(e){if(e.ctrlKey||e.altKey||e.metaKey)return;\n"
	"var k=e.key;if(k==='ArrowRight'||k==='ArrowDown'||k===' '||k==='n')go(n+1);\n"
	"else if(k==='ArrowLeft'||k==='ArrowUp'||k==='p')go(n-1);\n"
	"else if(k==='Home')go(0);else if(k==='End')go(m-1);else return;e.preventDefault()});\n"
	"document.addEventListener('click',function(e){var t=e.target.closest('[data-step]');\n"
	"if(t)go(+t.dataset.step)});show(false)})();\n";

static void side_name(const struct explain_side *s, struct buf *out)
{
	struct buf name = { 0 };

	explain_side_name(s, &name);
	escape_html(out, name.data);
	buf_free(&name);
}

/* One strip of the timeline; @scale16: cycles of the full width. */
static void bar(const struct explain_side *s, unsigned k, uint32_t scale16, struct buf *out)
{
	buf_printf(out, "<div>");
	side_name(s, out);
	buf_printf(out, ": <b>%.10g</b> cycles</div><div class=\"bar\" id=\"bar%u\">",
		   explain_cycles(s->x.total16), k);
	for (size_t i = 0; i < s->x.steps.n; i++) {
		const struct explain_step *p = &s->x.steps.at[i];

		buf_printf(out, "<i data-step=\"%zu\" style=\"width:%.3f%%;background:var(--%s)\" title=\"", i,
			   scale16 ? 96.0 * p->cycles16 / scale16 : 0.0, explain_part_name(p->part));
		escape_html(out, p->title);
		buf_printf(out, ", %.10g cycles\"></i>", explain_cycles(p->cycles16));
	}
	buf_printf(out, "</div>\n");
}

static void stages(const struct explain_step *p, struct buf *out)
{
	if (!p->stages.n)
		return;
	buf_printf(out, "<table>");
	for (size_t i = 0; i < p->stages.n; i++) {
		const struct explain_stage *g = &p->stages.at[i];

		buf_printf(out, "<tr><td>%.10g</td><td>", explain_cycles(g->cycles16));
		escape_html(out, g->stage);
		if (g->times > 1)
			buf_printf(out, " &times;%u", g->times);
		buf_printf(out, "</td><td>");
		escape_html(out, g->symbol);
		buf_printf(out, "</td><td class=\"dim\">");
		escape_html(out, g->meaning);
		buf_printf(out, " (%s", provenance_name(g->provenance));
		if (*g->source) {
			buf_printf(out, ": ");
			escape_html(out, g->source);
		}
		buf_printf(out, ")</td></tr>");
	}
	buf_printf(out, "</table>");
}

static void step(size_t i, const struct explain_step *p, struct buf *out)
{
	buf_printf(out, "<li data-step=\"%zu\" style=\"border-left-color:var(--%s)\"><span class=\"n\">%.10g"
			" <span class=\"dim\">/ %.10g</span></span><b>%zu. ",
		   i, explain_part_name(p->part), explain_cycles(p->cycles16), explain_cycles(p->total16),
		   i + 1);
	escape_html(out, p->title);
	buf_printf(out, "</b> <span class=\"dim\">%s%s</span>", explain_part_name(p->part),
		   p->last_word ? ", ends here" : "");
	if (*p->text) {
		buf_printf(out, "<pre>");
		escape_html(out, p->text);
		buf_printf(out, "</pre>");
	}
	stages(p, out);
	buf_printf(out, "<div class=\"dim small\">%s mode; rip 0x%llx, rsp 0x%llx, rax 0x%llx. ",
		   p->kernel ? "kernel" : "user", (unsigned long long)p->rip, (unsigned long long)p->rsp,
		   (unsigned long long)p->rax);
	escape_html(out, p->truth);
	buf_printf(out, "</div></li>\n");
}

static void side(const struct explain_side *s, struct buf *out)
{
	buf_printf(out, "<section class=\"side\"><h2>");
	side_name(s, out);
	buf_printf(out, "</h2><p>");
	escape_html(out, s->x.outcome);
	buf_printf(out, ". User %.10g, kernel %.10g cycles.</p><ol>\n", explain_cycles(s->x.cost.user16),
		   explain_cycles(s->x.cost.system16));
	for (size_t i = 0; i < s->x.steps.n; i++)
		step(i, &s->x.steps.at[i], out);
	buf_printf(out, "</ol></section>\n");
}

/* JSON inside a script element may not hold "</". */
static void embedded(const struct explain_side *s, const struct explain_side *beside, int nr,
		     const struct explain_seen *seen, struct buf *out)
{
	struct buf j = { 0 };

	explain_json(s, beside, nr, seen, &j);
	buf_printf(out, "<script type=\"application/json\" id=\"data\">\n");
	for (size_t i = 0; i < j.len; i++) {
		if (j.data[i] == '<')
			buf_printf(out, "\\u003c");
		else
			buf_add(out, j.data + i, 1);
	}
	buf_printf(out, "</script>\n");
	buf_free(&j);
}

void explain_html(const struct explain_side *s, const struct explain_side *beside, int nr,
		  const struct explain_seen *seen, struct buf *out)
{
	uint32_t scale16 = s->x.total16;
	struct buf title = { 0 };

	if (beside && beside->x.total16 > scale16)
		scale16 = beside->x.total16;
	buf_printf(&title, "%s() through the vsyscall page", explain_call_name(nr));
	html_begin(out, title.data, style);
	buf_free(&title);
	buf_printf(out, "<p class=\"dim\">Cycles of %s; widths are cycles, all on one scale.</p>\n<p class=\"keys\"><kbd>&rarr;</kbd> or <kbd>space</kbd> one "
			"step on, <kbd>&larr;</kbd> back, <kbd>Home</kbd>, <kbd>End</kbd>; a click goes to a "
			"step.</p>\n<div class=\"bars\">",
		   s->m->cpu->name);
	bar(s, 0, scale16, out);
	if (beside)
		bar(beside, 1, scale16, out);
	buf_printf(out, "<div class=\"dim\">");
	for (int p = 0; p < PART_COUNT; p++)
		buf_printf(out, "<span class=\"key\"><i style=\"background:var(--%s)\"></i>%s</span> ",
			   explain_part_name((enum explain_part)p), explain_part_name((enum explain_part)p));
	buf_printf(out, "</div></div>\n<div class=\"sides\">\n");
	side(s, out);
	if (beside)
		side(beside, out);
	buf_printf(out, "</div>\n");
	embedded(s, beside, nr, seen, out);
	buf_printf(out, "<script>%s</script>\n", script);
	html_end(out);
}
