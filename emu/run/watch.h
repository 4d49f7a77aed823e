/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One vsyscall of a run, the N-th of all its processes and threads, caught as it was: what `explain --follow`
 * explains.  Lies in memory that the tree of processes shares.
 */
#ifndef VSYSEMU_RUN_WATCH_H
#define VSYSEMU_RUN_WATCH_H

#include <stdatomic.h>

#include "base/buf.h"
#include "kernel/kernel.h"
#include "kernel/page.h"

#define WATCH_CODE_BYTES 4096u

struct watch {
	uint64_t nth; /* which one; the first is 1 */
	_Atomic uint64_t calls; /* so far */
	_Atomic int done; /* what follows is filled; the process that made the call stands still */
	pid_t pid, tid; /* as the guest knows them */
	struct page_event event;
	gaddr rip, rsp; /* where the page was entered, and the stack pointer then */
	bool result_known; /* not while code of the page runs */
	bool stack_readable;
	uint32_t cycles16; /* charged */
	gaddr code_at; /* the caller's instructions from here to the return address */
	size_t code_bytes;
	uint8_t code[WATCH_CODE_BYTES];
	char line[512]; /* of the trace */
	char symbol[128], object[256]; /* of the caller; "" not known */
	uint64_t offset; /* of the return address, in the symbol */
};

/* NULL: no memory. */
struct watch *watch_new(uint64_t nth);
void watch_free(struct watch *w);

/* An arrival that was carried out, or is about to run (@known false); @rsp as it was.  Does not return from the
 * one that is watched for: all waits for whoever started the run to end it. */
void watch_arrival(struct watch *w, struct kernel *k, const struct page_event *ev, gaddr entry, gaddr rsp, bool known,
		   uint32_t cycles16);

#endif
