/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The instructions before a return address. */
#include <stdio.h>
#include <string.h>

#include "facts/explain.h"
#include "facts/insn.h"

enum { SHOWN = 5, CALL_MIN = 2, CALL_MAX = 15 };

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

char *explain_code_lines(const uint8_t *code, size_t n, uint64_t at)
{
	struct insn_decoder *d = insn_decoder_new();
	struct insn last[SHOWN];
	struct buf b = { 0 };
	unsigned shown = 0;
	bool good = d && n && decode(d, code, n, at, at + n, last, &shown);

	for (size_t k = n < CALL_MAX ? n : CALL_MAX; d && !good && k >= CALL_MIN; k--)
		good = decode(d, code + n - k, k, at + n - k, at + n, last, &shown) && shown == 1 && last[0].flow == FLOW_CALL;
	for (unsigned k = 0; good && k < shown; k++)
		add_line(&b, &last[k], code + (last[k].addr - at));
	insn_decoder_free(d);
	return b.data ? b.data : xstrdup("");
}
