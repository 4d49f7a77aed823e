/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The block price: its decoder finds the same instruction ends as capstone in this program's own
 * code, survives any bytes, and blocks whose time is known from the core's description get it.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "facts/insn.h"
#include "facts/model.h"
#include "facts/price_decode.h"

extern const uint8_t etext[]; /* the linker's names */

static int profile(void **state)
{
	struct err e = { 0 };

	*state = cpu_model_load("sandybridge", &e);
	return *state ? 0 : -1;
}

static int profile_free(void **state)
{
	cpu_model_free(*state);
	return 0;
}

/* A decoder that is out of step prices garbage: over all code that is here, ends must agree. */
static void lengths(void **state)
{
	const uint8_t *p = (const uint8_t *)(uintptr_t)&price_block, *end = etext;
	struct insn_decoder *d = insn_decoder_new();
	unsigned same = 0, unknown = 0;
	struct price_insn i;
	struct insn in;

	(void)state;
	assert_non_null(d);
	while (p + 16 < end) {
		if (!insn_decode(d, p, 16, 0, &in)) {
			p++;
			continue;
		}
		if (!price_decode(p, 16, &i)) {
			unknown++;
		} else if (i.bytes != in.bytes) {
			print_error("%s %s: %u bytes, capstone says %u\n", in.name, in.text, i.bytes, in.bytes);
			fail();
		} else {
			same++;
		}
		p += in.bytes;
	}
	insn_decoder_free(d);
	assert_true(same > 5000);
	assert_true(unknown * 1000 < same);
}

static void any_bytes(void **state)
{
	const struct cpu_model *c = *state;
	uint64_t x = 88172645463325252ull;
	uint8_t b[64];

	for (int round = 0; round < 200000; round++) {
		struct price_insn i;
		uint32_t n;

		for (size_t k = 0; k < sizeof(b); k++) {
			x ^= x << 13;
			x ^= x >> 7;
			x ^= x << 17;
			b[k] = (uint8_t)(x >> 24);
		}
		n = (uint32_t)(x % 16);
		if (price_decode(b, n, &i)) {
			assert_true(i.bytes >= 1 && i.bytes <= n);
			assert_true(i.cls < CLASS_COUNT);
			assert_true(i.writes < 1ull << PRICE_REGISTERS);
		}
		assert_true(price_block(c, b, n, 1 + (uint32_t)(x >> 40) % 20) >= 1);
	}
}

static double cycles(const struct cpu_model *c, const char *code, uint32_t bytes, uint32_t insns)
{
	return price_block(c, (const uint8_t *)code, bytes, insns) / 16.0 / c->core.scale;
}

#define BLOCK(c, code, insns) cycles(c, code, sizeof(code) - 1, insns)

static void near(double is, double want)
{
	if (is < want - 0.1 || is > want + 0.1)
		fail_msg("%g cycles instead of %g", is, want);
}

/* Sandy Bridge: four issued a cycle, three integer ports, two loads, one store, loads take 4. */
static void known(void **state)
{
	const struct cpu_model *c = *state;

	/* A chain of four additions to RAX. */
	near(BLOCK(c, "\x48\x01\xd8\x48\x01\xd8\x48\x01\xd8\x48\x01\xd8", 4), 4);
	/* Six additions of a constant to six registers. */
	near(BLOCK(c, "\x83\xc0\x01\x83\xc1\x01\x83\xc2\x01\x83\xc3\x01\x83\xc6\x01\x83\xc7\x01", 6), 2);
	/* mov rax, [rax]: a chase. */
	near(BLOCK(c, "\x48\x8b\x00", 1), 4);
	/* Four loads from one address: two ports. */
	near(BLOCK(c, "\x48\x8b\x03\x48\x8b\x0b\x48\x8b\x13\x48\x8b\x33", 4), 2);
	/* Three pushes: one store a cycle, and RSP is free. */
	near(BLOCK(c, "\x50\x51\x52", 3), 3);
	/* imul rax, rax. */
	near(BLOCK(c, "\x48\x0f\xaf\xc0", 1), 3);
	/* cmp rax, rbx; jne: fused. */
	near(BLOCK(c, "\x48\x39\xd8\x75\xfb", 2), 1);
	/* Four nops: one cycle of the front end. */
	near(BLOCK(c, "\x90\x90\x90\x90", 4), 1);
	/* xor eax, eax breaks the chain through RAX. */
	near(BLOCK(c, "\x31\xc0\x48\x0f\xaf\xc0\x48\x0f\xaf\xc0", 3), 2);
}

/* One opcode of each kind of SSE work is of its class. */
static void sse_classes(void **state)
{
	static const struct {
		const char *code;
		uint32_t bytes;
		uint8_t cls;
	} row[] = {
		{ "\x66\x0f\x28\xc1", 4, CLASS_vmov }, { "\xf2\x0f\x2a\xc0", 4, CLASS_cvt },
		{ "\x66\x0f\x2f\xc1", 4, CLASS_fpcmp }, { "\xf2\x0f\x51\xc1", 4, CLASS_fpsqrt },
		{ "\x0f\x57\xc1", 3, CLASS_vint }, { "\xf2\x0f\x58\xc1", 4, CLASS_fpadd },
		{ "\xf2\x0f\x59\xc1", 4, CLASS_fpmul }, { "\xf2\x0f\x5c\xc1", 4, CLASS_fpadd },
		{ "\xf2\x0f\x5e\xc1", 4, CLASS_fpdiv }, { "\x66\x0f\x61\xc1", 4, CLASS_vshuf },
		{ "\x66\x48\x0f\x6e\xc0", 5, CLASS_vgpr }, { "\x66\x0f\x70\xc1\x00", 5, CLASS_vshuf },
		{ "\x66\x0f\x72\xf0\x01", 5, CLASS_vshift }, { "\xf3\x0f\x7e\xc1", 4, CLASS_vmov },
		{ "\x66\x0f\xd5\xc1", 4, CLASS_vmul }, { "\x66\x0f\xfe\xc1", 4, CLASS_vint },
	};
	struct price_insn i;

	(void)state;
	for (size_t r = 0; r < ARRAY_SIZE(row); r++) {
		assert_true(price_decode((const uint8_t *)row[r].code, row[r].bytes, &i));
		if (i.cls != row[r].cls)
			fail_msg("row %zu: class %u instead of %u", r, i.cls, row[r].cls);
	}
}

/* Without structure, and behind an instruction that is not known, the mean counts. */
static void mean(void **state)
{
	struct cpu_model c = *(const struct cpu_model *)*state;

	c.core.width = 0;
	assert_int_equal(price_block(&c, (const uint8_t *)"\x90\x90", 2, 10), (int)(160 * c.cpi + 0.5));
	c.core.width = 4;
	assert_int_equal(price_block(&c, (const uint8_t *)"\x62", 1, 10), (int)(160 * c.cpi + 0.5));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths), cmocka_unit_test(any_bytes), cmocka_unit_test(known), cmocka_unit_test(sse_classes),
		cmocka_unit_test(mean),
	};

	return cmocka_run_group_tests(tests, profile, profile_free);
}
