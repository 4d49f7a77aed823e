/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What a scan tells: text, JSON lines (vsysemu.scan/1), CSV (RFC 4180), SARIF 2.1.0, HTML.
 */
#include <string.h>

#include "cli/escape.h"
#include "cli/html.h"
#include "cli/json.h"
#include "cli/scan.h"

static bool uses(const struct scan_item *i)
{
	return i->result.verdict >= SCAN_READS && i->result.verdict <= SCAN_CALLS;
}

static bool told(const struct scan_item *i)
{
	return i->result.elf || i->operand || i->result.verdict == SCAN_UNREADABLE;
}

/* Sums over the files that are told, up to one of them. */
struct sums {
	size_t files, verdict[SCAN_UNREADABLE + 1], breaks[VSYSEMU_MODE_COUNT], breaks_without_vdso[VSYSEMU_MODE_COUNT];
};

static void sum(struct sums *n, const struct scan_run *s, const struct scan_item *i)
{
	n->files++;
	n->verdict[i->result.verdict]++;
	for (unsigned m = 0; m < VSYSEMU_MODE_COUNT; m++) {
		n->breaks[m] += scan_fate(s, i, m) == SCAN_BREAKS;
		n->breaks_without_vdso[m] += scan_fate(s, i, m) == SCAN_BREAKS_WITHOUT_VDSO;
	}
}

/* From the strictest to the one that allows all. */
static const enum vsysemu_mode modes[] = { VSYSEMU_NONE, VSYSEMU_XONLY, VSYSEMU_EMULATE, VSYSEMU_NATIVE };

/* "; as booted by default breaks on A, B": the kernels whose own mode does @f to it. */
static void kernels_where(const struct scan_run *s, const struct scan_item *i, enum scan_fate f, const char *text,
			  struct buf *out)
{
	const char *sep = text;

	for (size_t k = 0; k < s->kernels.n; k++)
		if (scan_fate(s, i, s->kernels.at[k].mode) == f) {
			buf_printf(out, "%s%s", sep, s->kernels.at[k].name);
			sep = ", ";
		}
}

/* "none: breaks; xonly, emulate, native: runs; as booted by default breaks on 6.1-debian". */
static void fates(const struct scan_run *s, const struct scan_item *i, struct buf *out)
{
	const char *sep = "";

	for (size_t m = 0; m < ARRAY_SIZE(modes); m++) {
		enum scan_fate f = scan_fate(s, i, modes[m]);
		bool more = m + 1 < ARRAY_SIZE(modes) && scan_fate(s, i, modes[m + 1]) == f;

		buf_printf(out, "%s%s", sep, vsysemu_mode_name(modes[m]));
		if (!more)
			buf_printf(out, ": %s", f == SCAN_BREAKS_WITHOUT_VDSO ? "breaks without a vDSO" : scan_fate_name(f));
		sep = more ? ", " : "; ";
	}
	kernels_where(s, i, SCAN_BREAKS, "; as booted by default breaks on ", out);
	kernels_where(s, i, SCAN_BREAKS_WITHOUT_VDSO, "; as booted by default breaks without a vDSO on ", out);
}

static const char *advice(const struct scan_run *s, const struct scan_item *i)
{
	if (scan_fate(s, i, VSYSEMU_XONLY) != SCAN_RUNS)
		return "reads the page: needs vsyscall=emulate (or a kernel before 5.3)";
	switch (scan_fate(s, i, VSYSEMU_NONE)) {
	case SCAN_RUNS: return "runs under every vsyscall mode";
	case SCAN_BREAKS_WITHOUT_VDSO:
		return "calls the page only when there is no vDSO: then it dies under vsyscall=none; keep "
		       "the vDSO, or boot with vsyscall=xonly";
	default:
		return "dies under vsyscall=none: boot with vsyscall=xonly (or emulate), or rebuild against a "
		       "C library that uses the vDSO";
	}
}

static void text_finding(const struct scan_finding *f, struct buf *out)
{
	buf_printf(out, "    0x%llx  %-14s %-12s", (unsigned long long)f->address, f->kind,
		   scan_entry_name(f->entries));
	if (f->symbol)
		buf_printf(out, "  %s+0x%llx", f->symbol, (unsigned long long)f->symbol_offset);
	if (f->member) {
		buf_printf(out, "  (");
		escape_line(out, f->member);
		buf_printf(out, ")");
	}
	buf_printf(out, "\n");
}

static void text_item(const struct scan_run *s, const struct scan_item *i, struct buf *out)
{
	escape_line(out, i->path);
	buf_printf(out, ": %s", scan_verdict_name(i->result.verdict));
	if (i->result.why)
		buf_printf(out, " (%s)", i->result.why);
	if (i->layer) {
		buf_printf(out, " [layer ");
		escape_line(out, i->layer);
		buf_printf(out, "]");
	}
	if (i->result.libc[0])
		buf_printf(out, " [%s]", i->result.libc);
	buf_printf(out, "\n");
	for (size_t f = 0; f < i->result.findings.n; f++)
		text_finding(&i->result.findings.at[f], out);
	for (size_t b = 0; b < i->blamed.n; b++) {
		buf_printf(out, "    by its library ");
		escape_line(out, s->items.at[i->blamed.at[b]]->path);
		buf_printf(out, "\n");
	}
	if (!uses(i) && !i->blamed.n)
		return;
	buf_printf(out, "    ");
	fates(s, i, out);
	buf_printf(out, "\n    %s\n", advice(s, i));
}

static void report_text(const struct scan_run *s, struct buf *out)
{
	struct sums n = { 0 };
	size_t bad = 0;

	for (size_t k = 0; k < s->items.n; k++) {
		const struct scan_item *i = s->items.at[k];

		if (!told(i))
			continue;
		sum(&n, s, i);
		if (i->result.verdict == SCAN_CLEAN && !i->blamed.n && !i->operand)
			continue;
		bad++;
		text_item(s, i, out);
	}
	if (n.files != 1 || !bad)
		buf_printf(out, "%zu files: %zu call, %zu may call, %zu read, %zu clean, %zu unreadable\n", n.files,
			   n.verdict[SCAN_CALLS], n.verdict[SCAN_MAY_CALL], n.verdict[SCAN_READS], n.verdict[SCAN_CLEAN],
			   n.verdict[SCAN_UNREADABLE]);
}

static void json_finding(struct json *a, const struct scan_finding *f)
{
	struct json *o = json_add(a, json_new_object());
	static const char *const entry[] = { "gettimeofday", "time", "getcpu", "unknown" };
	struct json *all;

	json_put_hex(o, "address", f->address);
	json_put_string(o, "kind", f->kind);
	json_put_string(o, "entry", scan_entry_name(f->entries));
	all = json_put(o, "entries", json_new_array());
	for (unsigned b = 0; b < 4; b++)
		if (f->entries & 1u << b)
			json_add_string(all, entry[b]);
	json_put_string(o, "symbol", f->symbol);
	json_put_int(o, "symbol_offset", (int64_t)f->symbol_offset);
	json_put_string(o, "verdict", scan_verdict_name(f->verdict));
	json_put_string(o, "member", f->member);
}

/* What becomes of it by mode and by kernel, and the sums up to this line: those of all files on the last. */
static void json_fates(struct json *o, const struct scan_run *s, const struct scan_item *i, const struct sums *n)
{
	struct json *a = json_put(o, "modes", json_new_object());

	for (size_t m = 0; m < ARRAY_SIZE(modes); m++)
		json_put_string(a, vsysemu_mode_name(modes[m]), scan_fate_name(scan_fate(s, i, modes[m])));
	a = json_put(o, "kernels", json_new_object());
	for (size_t k = 0; k < s->kernels.n; k++)
		json_put_string(a, s->kernels.at[k].name, scan_fate_name(scan_fate(s, i, s->kernels.at[k].mode)));
	a = json_put(o, "so_far", json_new_object());
	json_put_int(a, "files", (int64_t)n->files);
	for (unsigned v = 0; v <= SCAN_UNREADABLE; v++)
		json_put_int(a, scan_verdict_name(v), (int64_t)n->verdict[v]);
	o = json_put(a, "breaks", json_new_object());
	for (size_t m = 0; m < ARRAY_SIZE(modes); m++)
		json_put_int(o, vsysemu_mode_name(modes[m]), (int64_t)n->breaks[modes[m]]);
	o = json_put(a, "breaks_without_vdso", json_new_object());
	for (size_t m = 0; m < ARRAY_SIZE(modes); m++)
		json_put_int(o, vsysemu_mode_name(modes[m]), (int64_t)n->breaks_without_vdso[modes[m]]);
}

static void report_json(const struct scan_run *s, struct buf *out)
{
	struct sums n = { 0 };

	for (size_t k = 0; k < s->items.n; k++) {
		const struct scan_item *i = s->items.at[k];
		struct buf u = { 0 };
		struct json *o, *a;

		if (!told(i))
			continue;
		sum(&n, s, i);
		o = json_new_object();
		json_put_string(o, "schema", "vsysemu.scan/1");
		json_put_string(o, "path", i->path);
		escape_uri(&u, i->path);
		json_put_string(o, "uri", u.data); /* every byte of it, where the path is no UTF-8 */
		buf_free(&u);
		json_put_string(o, "verdict", scan_verdict_name(i->result.verdict));
		json_put_string(o, "libc", i->result.libc[0] ? i->result.libc : NULL);
		json_put_string(o, "needs", scan_needs(s, i));
		a = json_put(o, "findings", json_new_array());
		for (size_t f = 0; f < i->result.findings.n; f++)
			json_finding(a, &i->result.findings.at[f]);
		a = json_put(o, "libraries", json_new_array());
		for (size_t b = 0; b < i->blamed.n; b++)
			json_add_string(a, s->items.at[i->blamed.at[b]]->path);
		json_put_string(o, "interpreter", i->result.interp);
		json_put_string(o, "layer", i->layer);
		json_put_string(o, "why", i->result.why);
		json_put_string(o, "advice", i->result.verdict == SCAN_UNREADABLE ? NULL : advice(s, i));
		json_fates(o, s, i, &n);
		json_text(o, 0, 17, out);
		buf_printf(out, "\n");
		json_drop(o);
	}
}

/* RFC 4180: quote when needed, quotes doubled, lines end with CRLF. */
static void csv_field(struct buf *out, const char *s, bool last)
{
	escape_csv(out, s);
	buf_printf(out, last ? "\r\n" : ",");
}

static void csv_row(const struct scan_run *s, const struct scan_item *i,
		    const struct scan_finding *f, struct buf *out)
{
	char address[32] = "";
	struct buf libraries = { 0 };

	csv_field(out, i->path, false);
	csv_field(out, i->layer, false);
	csv_field(out, scan_verdict_name(i->result.verdict), false);
	csv_field(out, i->result.libc, false);
	csv_field(out, scan_needs(s, i), false);
	if (f)
		snprintf(address, sizeof(address), "0x%llx", (unsigned long long)f->address);
	csv_field(out, address, false);
	csv_field(out, f ? f->kind : "", false);
	csv_field(out, f ? scan_entry_name(f->entries) : "", false);
	csv_field(out, f ? f->symbol : "", false);
	csv_field(out, i->result.why, false);
	csv_field(out, f ? f->member : "", false);
	for (size_t b = 0; b < i->blamed.n; b++)
		buf_printf(&libraries, "%s%s", b ? "\n" : "", s->items.at[i->blamed.at[b]]->path);
	csv_field(out, libraries.data, false);
	buf_free(&libraries);
	for (size_t m = 0; m < ARRAY_SIZE(modes); m++)
		csv_field(out, scan_fate_name(scan_fate(s, i, modes[m])), m + 1 == ARRAY_SIZE(modes));
}

static void report_csv(const struct scan_run *s, struct buf *out)
{
	buf_printf(out, "path,layer,verdict,libc,needs,address,kind,entry,symbol,why,member,libraries,none,xonly,emulate,native\r\n");
	for (size_t k = 0; k < s->items.n; k++) {
		const struct scan_item *i = s->items.at[k];

		if (!told(i))
			continue;
		if (!i->result.findings.n)
			csv_row(s, i, NULL, out);
		for (size_t f = 0; f < i->result.findings.n; f++)
			csv_row(s, i, &i->result.findings.at[f], out);
	}
}

static const struct {
	const char *id, *name, *level, *text;
	enum scan_verdict verdict;
} rules[] = {
	{ "VSYS001", "CallsVsyscallPage", "error", "Calls the legacy vsyscall page", SCAN_CALLS },
	{ "VSYS002", "MayCallVsyscallPage", "warning",
	  "May call the legacy vsyscall page when there is no vDSO", SCAN_MAY_CALL },
	{ "VSYS003", "ReadsVsyscallPage", "warning", "Reads the legacy vsyscall page", SCAN_READS },
};

static void sarif_rules(struct json *driver)
{
	struct json *a = json_put(driver, "rules", json_new_array());

	for (size_t r = 0; r < ARRAY_SIZE(rules); r++) {
		struct json *o = json_add(a, json_new_object());

		json_put_string(o, "id", rules[r].id);
		json_put_string(o, "name", rules[r].name);
		json_put_string(json_put(o, "shortDescription", json_new_object()), "text", rules[r].text);
		json_put_string(json_put(o, "defaultConfiguration", json_new_object()), "level",
				rules[r].level);
	}
}

static void sarif_result(struct json *results, const struct scan_run *s, const struct scan_item *i,
			 const struct scan_finding *f, size_t rule)
{
	struct json *o = json_add(results, json_new_object()), *where, *physical, *address;
	struct buf text = { 0 }, u = { 0 };

	json_put_string(o, "ruleId", rules[rule].id);
	json_put_int(o, "ruleIndex", (int64_t)rule);
	json_put_string(o, "level", rules[rule].level);
	buf_printf(&text, "%s: %s (%s) at 0x%llx%s%s; %s", rules[rule].text, scan_entry_name(f->entries),
		   f->kind, (unsigned long long)f->address, f->symbol ? " in " : "",
		   f->symbol ? f->symbol : "", advice(s, i));
	json_put_string(json_put(o, "message", json_new_object()), "text", text.data);
	where = json_add(json_put(o, "locations", json_new_array()), json_new_object());
	physical = json_put(where, "physicalLocation", json_new_object());
	escape_uri(&u, i->path);
	json_put_string(json_put(physical, "artifactLocation", json_new_object()), "uri", u.data);
	address = json_put(physical, "address", json_new_object());
	json_put_int(address, "absoluteAddress", (int64_t)f->address);
	if (f->symbol)
		json_put_string(json_add(json_put(where, "logicalLocations", json_new_array()),
					 json_new_object()),
				"name", f->symbol);
	address = json_put(o, "properties", json_new_object());
	json_put_string(address, "layer", i->layer);
	json_put_string(address, "member", f->member);
	json_put_string(address, "libc", i->result.libc[0] ? i->result.libc : NULL);
	json_put_string(address, "needs", scan_needs(s, i));
	buf_free(&text);
	buf_free(&u);
}

static void report_sarif(const struct scan_run *s, struct buf *out)
{
	struct json *log = json_new_object(), *run, *driver, *results;

	json_put_string(log, "$schema", "https://json.schemastore.org/sarif-2.1.0.json");
	json_put_string(log, "version", "2.1.0");
	run = json_add(json_put(log, "runs", json_new_array()), json_new_object());
	driver = json_put(json_put(run, "tool", json_new_object()), "driver", json_new_object());
	json_put_string(driver, "name", "vsysemu");
	json_put_string(driver, "version", VSYSEMU_VERSION);
	sarif_rules(driver);
	results = json_put(run, "results", json_new_array());
	for (size_t k = 0; k < s->items.n; k++)
		for (size_t f = 0; f < s->items.at[k]->result.findings.n; f++)
			for (size_t r = 0; r < ARRAY_SIZE(rules); r++)
				if (rules[r].verdict == s->items.at[k]->result.findings.at[f].verdict)
					sarif_result(results, s, s->items.at[k],
						     &s->items.at[k]->result.findings.at[f], r);
	json_text(log, 2, 17, out);
	buf_printf(out, "\n");
	json_drop(log);
}

static void html_row(const struct scan_run *s, const struct scan_item *i, struct buf *out)
{
	buf_printf(out, "<tr class=\"%s\"><td><code>", scan_verdict_name(i->result.verdict));
	escape_html(out, i->path);
	buf_printf(out, "</code>%s", i->layer ? "<br><small>layer " : "");
	escape_html(out, i->layer);
	buf_printf(out, "%s</td><td>%s</td><td>", i->layer ? "</small>" : "",
		   scan_verdict_name(i->result.verdict));
	escape_html(out, i->result.libc);
	buf_printf(out, "</td><td>%s</td><td class=\"where\">", scan_needs(s, i));
	for (size_t f = 0; f < i->result.findings.n; f++) {
		const struct scan_finding *x = &i->result.findings.at[f];

		buf_printf(out, "0x%llx %s %s ", (unsigned long long)x->address, x->kind,
			   scan_entry_name(x->entries));
		escape_html(out, x->symbol);
		buf_printf(out, "<br>");
	}
	for (size_t b = 0; b < i->blamed.n; b++) {
		buf_printf(out, "by its library <code>");
		escape_html(out, s->items.at[i->blamed.at[b]]->path);
		buf_printf(out, "</code><br>");
	}
	if (uses(i) || i->blamed.n) {
		buf_printf(out, "<span class=\"dim\">");
		fates(s, i, out);
		buf_printf(out, "</span><br>");
	}
	escape_html(out, i->result.why ? i->result.why : advice(s, i));
	buf_printf(out, "</td></tr>\n");
}

/* How many files each mode stops, and which kernels boot with it. */
static void html_modes(const struct scan_run *s, const struct sums *n, struct buf *out)
{
	html_table(out, "<th>mode</th><th class=\"n\">files that break</th><th class=\"n\">break without a vDSO</th>"
			"<th>what kernels boot with</th>");
	for (size_t m = 0; m < ARRAY_SIZE(modes); m++) {
		const char *sep = "";

		buf_printf(out, "<tr><td>%s</td><td class=\"n\">%zu</td><td class=\"n\">%zu</td><td>", vsysemu_mode_name(modes[m]),
			   n->breaks[modes[m]], n->breaks_without_vdso[modes[m]]);
		for (size_t k = 0; k < s->kernels.n; k++)
			if (s->kernels.at[k].mode == modes[m]) {
				buf_printf(out, "%s", sep);
				escape_html(out, s->kernels.at[k].name);
				sep = ", ";
			}
		buf_printf(out, "</td></tr>\n");
	}
	html_table_end(out);
}

static void report_html(const struct scan_run *s, struct buf *out)
{
	struct sums n = { 0 };

	for (size_t k = 0; k < s->items.n; k++)
		if (told(s->items.at[k]))
			sum(&n, s, s->items.at[k]);
	html_begin(out, "Use of the vsyscall page",
		   ".calls td:nth-child(2){color:var(--bad);font-weight:600}.may-call td:nth-child(2),.reads td:nth-child(2),"
		   ".unreadable td:nth-child(2){color:var(--warn);font-weight:600}.files td:first-child{min-width:12rem}"
		   "@media print{tr{break-inside:auto}}\n");
	buf_printf(out, "<p>%zu files call the page, %zu may call it, %zu read it, %zu are clean, %zu could not be read.</p>\n",
		   n.verdict[SCAN_CALLS], n.verdict[SCAN_MAY_CALL], n.verdict[SCAN_READS], n.verdict[SCAN_CLEAN],
		   n.verdict[SCAN_UNREADABLE]);
	html_modes(s, &n, out);
	buf_printf(out, "<div class=\"files\">");
	html_table(out, "<th>file</th><th>verdict</th><th>C library</th><th>needs at least</th><th>findings</th>");
	for (size_t k = 0; k < s->items.n; k++)
		if (told(s->items.at[k]) &&
		    (s->items.at[k]->result.verdict != SCAN_CLEAN || s->items.at[k]->blamed.n))
			html_row(s, s->items.at[k], out);
	html_table_end(out);
	buf_printf(out, "</div>\n");
	html_end(out);
}

void scan_report(const struct scan_run *s, const char *form, struct buf *out)
{
	if (!strcmp(form, "json"))
		report_json(s, out);
	else if (!strcmp(form, "csv"))
		report_csv(s, out);
	else if (!strcmp(form, "sarif"))
		report_sarif(s, out);
	else if (!strcmp(form, "html"))
		report_html(s, out);
	else
		report_text(s, out);
}
