/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vsyscall page on the kernel side: what it holds, and what an arrival or an access comes to.  What to
 * do is decided by facts/policy.h alone; here it is done.
 */
#ifndef VSYSEMU_KERNEL_PAGE_H
#define VSYSEMU_KERNEL_PAGE_H

#include "facts/policy.h"
#include "kernel/kernel.h"

/* Set the engine's page up for the profile and mode of k->model. */
void page_init(struct kernel *k);
/* Refresh the data in it (before 3.1): after clock_update() answered true. */
void page_tick(struct kernel *k);
/* What it holds: PAGE_BYTES bytes. */
const uint8_t *page_bytes(const struct kernel *k);

/* Facts of one arrival, for the account and the trace. */
struct page_event {
	int nr; /* 0, 1, 2; -1: no entry */
	gaddr caller; /* return address read; 0: none */
	bool refused, error; /* ends in a signal; the call failed */
	bool skipped; /* seccomp answered in its place */
	int64_t result;
	uint64_t args[3];
	int seccomp; /* enum vsysemu_seccomp_mode of the caller */
	uint32_t seccomp_ret; /* the filters' answer, if they were asked */
};

/*
 * The engine is about to execute at @pc inside the page.  True: it may run there (native).  False: the
 * arrival was carried out, registers are those to go on with, and a signal may be pending.
 */
bool page_arrive(struct kernel *k, gaddr pc, struct page_event *ev);
/* `int 0xcc` was executed at e's RIP: as above; false: it is an ordinary #GP. */
bool page_int0xcc(struct kernel *k, gaddr next, struct page_event *ev);
/* A data access of the page, or a fetch that faulted there: #PF with the hardware's @error_code. */
void page_access(struct kernel *k, gaddr addr, uint32_t error_code);

/* Fill @f from the current registers. */
void page_frame(struct kernel *k, struct vsysemu_frame *f, unsigned vector, uint32_t error_code, gaddr addr);

#endif
