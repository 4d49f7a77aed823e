/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions before a return address, from the program's file. */
#include <stdio.h>
#include <string.h>

#include "facts/elfview.h"
#include "facts/explain.h"
#include "facts/insn.h"

enum { SHOWN = 5, FUNCTION_MAX = 4096 };

static void add_line(struct buf *b, const struct insn *i, const uint8_t *code)
{
	char hex[64] = "";

	for (unsigned k = 0; k < i->bytes && k < 15; k++)
		snprintf(hex + 3 * k, sizeof(hex) - 3 * k, "%02x ", code[k]);
	buf_printf(b, "%16llx:  %-24s%s %s\n", (unsigned long long)i->addr, hex, i->name, i->text);
}

/* Decode from @start on; true if an instruction ends at @caller.  @last: the last ones before it. */
static bool decode(struct insn_decoder *d, const uint8_t *p, size_t n, uint64_t start, uint64_t caller,
		   struct insn last[SHOWN], unsigned *shown)
{
	uint64_t at = start;

	*shown = 0;
	while (at < caller) {
		struct insn i;

		if (!insn_decode(d, p + (at - start), n - (size_t)(at - start), at, &i))
			return false;
		if (*shown == SHOWN) {
			memmove(last, last + 1, (SHOWN - 1) * sizeof(*last));
			--*shown;
		}
		last[(*shown)++] = i;
		at += i.bytes;
	}
	return at == caller;
}

char *explain_code_before(const uint8_t *bytes, size_t n, uint64_t caller)
{
	struct insn_decoder *d = insn_decoder_new();
	const struct elf_function *f;
	struct insn last[SHOWN];
	struct buf b = { 0 };
	struct elfview v;
	const char *why;
	unsigned shown = 0;

	if (d && elfview_open(&v, bytes, n, &why)) {
		bool x, w;
		size_t have = 0;
		const uint8_t *p;
		uint64_t start;

		f = elfview_function(&v, caller - 1);
		start = f && caller - f->start < FUNCTION_MAX ? f->start : caller - 2;
		p = elfview_at(&v, start, &have, &x, &w);
		if (p && x && have >= caller - start && decode(d, p, have, start, caller, last, &shown))
			for (unsigned k = 0; k < shown; k++)
				add_line(&b, &last[k], p + (last[k].addr - start));
		elfview_close(&v);
	}
	insn_decoder_free(d);
	return b.data ? b.data : xstrdup("");
}
