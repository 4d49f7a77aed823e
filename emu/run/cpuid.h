/* SPDX-License-Identifier: GPL-2.0-or-later */
/* CPUID of the modelled processor: what the engine executes, under the profile's name. */
#ifndef VSYSEMU_RUN_CPUID_H
#define VSYSEMU_RUN_CPUID_H

#include "facts/model.h"

/* Leaf and subleaf in, eax ebx ecx edx out (SDM vol. 2, CPUID).  @cpu: number of the virtual CPU. */
void cpuid_leaf(const struct model *m, uint32_t cpu, uint32_t leaf, uint32_t subleaf, uint32_t out[4]);

#endif
