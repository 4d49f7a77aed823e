/* SPDX-License-Identifier: GPL-2.0-or-later */
/* REP MOVS and REP STOS many iterations at a time: see rep.h. */
#include "engine/rep.h"

#include <string.h>

#include "engine/fault.h"
#include "engine/memory.h"
#include "engine/repair.h"

bool rep_decode(const uint8_t *code, size_t n, struct rep *r)
{
	bool rep = false, half = false, wide = false;
	size_t i = 0;

	for (; i < n && (code[i] == 0xf3 || code[i] == 0xf2 || code[i] == 0x66); i++) {
		rep |= code[i] != 0x66;
		half |= code[i] == 0x66;
	}
	if (i < n && (code[i] & 0xf0) == 0x40)
		wide = code[i++] & 8;
	if (!rep || i + 1 != n)
		return false;
	r->load = code[i] == 0xa4 || code[i] == 0xa5;
	r->size = !(code[i] & 1) ? 1 : wide ? 8 : half ? 2 : 4;
	return r->load || code[i] == 0xaa || code[i] == 0xab;
}

/* Elements from @a on that lie in its page. */
static uint64_t in_page(uint64_t a, unsigned size)
{
	return (PAGE_BYTES - (a & (PAGE_BYTES - 1))) / size;
}

uint64_t rep_do(const struct rep *r, uint64_t *rdi, uint64_t *rsi, uint64_t rax, uint64_t count)
{
	uint8_t pattern[PAGE_BYTES];
	uint64_t done = 0, filled = 0;

	while (done < count) {
		uint64_t n = in_page(*rdi, r->size), bytes, left;

		if (r->load && in_page(*rsi, r->size) < n)
			n = in_page(*rsi, r->size);
		if (n > count - done)
			n = count - done;
		bytes = n * r->size;
		if (!n || !memory_in_window(*rdi, bytes) || repair_has_code(*rdi))
			break;
		/* Downwards in memory it does not show; upwards, what was stored would be loaded again. */
		if (r->load && (!memory_in_window(*rsi, bytes) || (*rdi > *rsi && *rdi - *rsi < bytes)))
			break;
		for (; !r->load && filled < bytes; filled += r->size)
			memcpy(pattern + filled, &rax, r->size);
		left = fault_copy(memory_host(*rdi), r->load ? memory_host(*rsi) : pattern, bytes);
		n = (bytes - left) / r->size;
		done += n;
		*rdi += n * r->size;
		if (r->load)
			*rsi += n * r->size;
		if (left)
			break;
	}
	return done;
}
