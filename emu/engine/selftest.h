/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The engine tries itself before the guest is loaded: a wrong library is told, not trusted. */
#ifndef VSYSEMU_ENGINE_SELFTEST_H
#define VSYSEMU_ENGINE_SELFTEST_H

#include "engine/engine.h"

/* Runs a few thousand instructions in scratch pages of the window (empty before and after): counts, stores
 * that leave the slow path, RDTSC, the registers at a fault.  False: @why has what failed. */
bool selftest_run(struct engine *e, struct memory *mem, char *why, size_t size);

/* The same for SSE by host instructions (sse.h), a few operands of each. */
bool selftest_sse(struct engine *e, struct memory *mem, char *why, size_t size);

/* The same for limits of instructions and cost, and a loop's count. */
bool selftest_deadline(struct engine *e, struct memory *mem, char *why, size_t size);

#endif
