/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What loop.c and start.c share. */
#ifndef VSYSEMU_RUN_LOOP_PRIVATE_H
#define VSYSEMU_RUN_LOOP_PRIVATE_H

#include "base/err.h"
#include "kernel/kernel.h"

struct loop {
	struct kernel *k;
	uint64_t insns, cost; /* of the engine, booked so far */
	uint64_t stretch_cycles16; /* MAX_STRETCH_NS; 0: not worked out yet */
	bool in_page; /* native code of the page runs */
	struct timeline *timeline; /* NULL: nobody asked */
	struct sites *sites;
	struct watch *watch; /* NULL: nobody watches */
	struct branches *branches; /* NULL: misses cost nothing */
	uint64_t filters; /* seccomp filters charged so far */
	struct err *err;
	bool failed; /* the engine did, @err says how */
};

struct engine_ops loop_ops(struct loop *l);
/* Until k->outcome is filled; false: the engine failed. */
bool loop_run(struct loop *l, struct err *e);
void loop_sync(struct loop *l);
void loop_signalled(struct kernel *k, const uint8_t *info);

#endif
