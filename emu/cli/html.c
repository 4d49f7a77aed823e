/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What all pages share: see html.h. */
#include "cli/html.h"

#include <stdio.h>
#include <string.h>

#include "cli/escape.h"

static const char shared[] =
	":root{color-scheme:light dark;--bg:#fff;--fg:#1b1f24;--dim:#57606a;--line:#d1d9e0;--good:#1a7f37;--bad:#c21a26;"
	"--warn:#8a5a00;--now:#fff5c2;"
	"--c0:#0969da;--c1:#bf3989;--c2:#1a7f37;--c3:#bc4c00;--c4:#8250df;--c5:#9a7400;--c6:#0a8080;--c7:#cf222e;"
	"--c8:#2f8fe0;--c9:#6e7781;--c10:#7a4a12;--c11:#2fa050;--c12:#e0559f;--c13:#5f7030;--c14:#4b3d9e;--c15:#e0701c}\n"
	"@media screen and (prefers-color-scheme:dark){:root{--bg:#0d1117;--fg:#e6edf3;--dim:#9198a1;--line:#3d444d;"
	"--good:#3fb950;--bad:#ff7b72;--warn:#d29922;--now:#3b2e00;"
	"--c0:#4493f8;--c1:#db61a2;--c2:#3fb950;--c3:#f0883e;--c4:#ab7df8;--c5:#d29922;--c6:#39c5cf;--c7:#f85149;"
	"--c8:#79c0ff;--c9:#9198a1;--c10:#b07d48;--c11:#7ee787;--c12:#ff9bce;--c13:#a5b56b;--c14:#8a7ee0;--c15:#ffa657}}\n"
	"*{box-sizing:border-box}body{margin:0 auto;max-width:72rem;padding:1rem 1.5rem 3rem;background:var(--bg);"
	"color:var(--fg);font:15px/1.5 system-ui,sans-serif;overflow-wrap:break-word}\n"
	"h1{font-size:1.4rem;line-height:1.25;margin:.6rem 0}h2{font-size:1.15rem;margin:1.8rem 0 .4rem}"
	"h3{font-size:1rem;margin:1rem 0 .2rem}p{margin:.4rem 0}.dim{color:var(--dim)}small,.small{font-size:13px}\n"
	"code,pre{font-family:ui-monospace,monospace;font-size:13px}code{overflow-wrap:anywhere}"
	"pre{white-space:pre-wrap;overflow-wrap:anywhere;margin:.4rem 0}\n"
	".wide{overflow-x:auto;margin:.3rem 0 1rem}table{border-collapse:collapse}.wide>table{width:100%}"
	".wide th,.wide td{border-bottom:1px solid var(--line);padding:.25rem .6rem;text-align:left;vertical-align:top}"
	".wide th{vertical-align:bottom}.wide .n,.n{text-align:right;font-variant-numeric:tabular-nums;white-space:nowrap}"
	".name{white-space:nowrap}.where{min-width:14rem}\n"
	".breaks,.bad{color:var(--bad);font-weight:600}.runs,.good{color:var(--good)}.unknown,.warn{color:var(--warn)}\n"
	".key{display:inline-block;margin-right:.9rem;white-space:nowrap}.key i{display:inline-block;width:.8em;height:.8em;"
	"margin-right:.35em}i,svg{-webkit-print-color-adjust:exact;print-color-adjust:exact}\n"
	"@media(max-width:40rem){body{padding:.6rem .7rem 2rem}.wide th,.wide td{padding:.25rem .4rem}}\n"
	"@media print{body{max-width:none;padding:0;font-size:10pt}.wide{overflow:visible}h2,h3{break-after:avoid}"
	"tr,svg,pre,.bar{break-inside:avoid}thead{display:table-header-group}.wide th,.wide td{padding:.15rem .4rem}"
	".wide .n{white-space:normal}.where{min-width:0}details::details-content{display:block;content-visibility:visible}}\n";

void html_begin(struct buf *out, const char *title, const char *style)
{
	buf_printf(out, "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
			"<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n<title>");
	escape_html(out, title);
	buf_printf(out, "</title>\n<style>%s", shared);
	for (unsigned i = 0; i < HTML_COLOURS; i++)
		buf_printf(out, ".c%u{background:var(--c%u)}.f%u{fill:var(--c%u)}", i, i, i, i);
	buf_printf(out, "\n%s</style></head><body>\n<h1>", style ? style : "");
	escape_html(out, title);
	buf_printf(out, "</h1>\n");
}

void html_end(struct buf *out)
{
	buf_printf(out, "</body></html>\n");
}

void html_table(struct buf *out, const char *head)
{
	buf_printf(out, "<div class=\"wide\"><table><thead><tr>%s</tr></thead><tbody>\n", head);
}

void html_table_end(struct buf *out)
{
	buf_printf(out, "</tbody></table></div>\n");
}

void html_real(struct buf *out, double v)
{
	char text[32];

	snprintf(text, sizeof(text), "%.6g", v);
	buf_printf(out, "%s%s", text, strpbrk(text, ".en") ? "" : ".0");
}
