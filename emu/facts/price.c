/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The price of the program's own instructions: see price.h. */
#include "facts/price.h"

#include "facts/model.h"

uint32_t price_block(const struct cpu_model *c, const uint8_t *code, uint32_t bytes, uint32_t insns)
{
	double cycles16 = 16 * c->cpi * insns;

	(void)code;
	(void)bytes;
	return cycles16 < 1 ? 1 : (uint32_t)(cycles16 + 0.5);
}
