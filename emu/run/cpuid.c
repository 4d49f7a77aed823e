/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUID of the modelled processor: see cpuid.h. */
#include "run/cpuid.h"

#include <string.h>

#include "facts/cpufeatures.h"

#define ADDRESS_BITS 0x3027u /* 48 linear, 39 physical */

static void text(uint32_t out[4], const char *s, size_t offset)
{
	char padded[48] = { 0 };
	size_t n = s ? strlen(s) : 0;

	if (n)
		memcpy(padded, s, n < 47 ? n : 47);
	memcpy(out, padded + offset, 16);
}

static uint32_t signature(const struct cpu_model *c)
{
	uint32_t family = c->family < 15 ? c->family : 15, extra = c->family < 15 ? 0 : c->family - 15;

	return (c->stepping & 15) | (c->model & 15) << 4 | family << 8 | (c->model >> 4 & 15) << 16 | extra << 20;
}

void cpuid_leaf(const struct model *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t out[4])
{
	const struct cpu_model *c = m->cpu;
	const char *v = c->vendor && strlen(c->vendor) == 12 ? c->vendor : "GenuineIntel";

	(void)subleaf;
	memset(out, 0, 16);
	switch (leaf) {
	case 0:
		out[0] = 7;
		memcpy(&out[1], v, 4);
		memcpy(&out[3], v + 4, 4);
		memcpy(&out[2], v + 8, 4);
		break;
	case 1:
		out[0] = signature(c);
		out[1] = cpu << 24 | 1u << 16 | 8u << 8;
		out[2] = cpu_feature_word(CPU_LEAF1_ECX);
		out[3] = cpu_feature_word(CPU_LEAF1_EDX);
		break;
	case 0x80000000:
		out[0] = 0x80000008;
		break;
	case 0x80000001:
		out[2] = cpu_feature_word(CPU_EXT1_ECX);
		out[3] = cpu_feature_word(CPU_EXT1_EDX);
		break;
	case 0x80000002:
	case 0x80000003:
	case 0x80000004:
		text(out, c->brand, 16 * (leaf - 0x80000002));
		break;
	case 0x80000007:
		out[3] = cpu_feature_word(CPU_EXT7_EDX);
		break;
	case 0x80000008:
		out[0] = ADDRESS_BITS;
		break;
	default:
		break;
	}
}
