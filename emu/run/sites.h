/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The places from which entries of the page were called, each with the stacks of callers that were seen
 * there.  Shared by the tree of processes; which file each frame lies in is kept with it, because at the end
 * of the run the mappings may be gone.
 * Unwinding is slow: it is done once for each state of the stack, which a later call recognises by its
 * return addresses, still where they were.  A program with very many states (SITES_BUDGET) is sampled from then
 * on, by the number of the call, so the same way in each run.
 */
#ifndef VSYSEMU_RUN_SITES_H
#define VSYSEMU_RUN_SITES_H

#include "kernel/kernel.h"
#include "run/account.h"
#include "run/callers.h"

#define SITES_BUDGET 8192u /* unwindings of one process until it is sampled */
#define SITES_EACH 61u /* prime: no stride of a program's own */

#define SITES_MAX 4096u /* stacks */
#define SITES_OBJECTS 256u
#define SITES_PATH 1000u

struct sites_frame {
	gaddr address;
	uint64_t offset; /* in the file */
	uint16_t object; /* its number + 1; 0: no file */
	bool interrupted; /* no return address */
};

/* Calls of one entry through one chain of callers, frame[0] the return address. */
struct sites_stack {
	_Atomic uint64_t key; /* 0: free */
	_Atomic bool ready; /* the frames are filled in */
	uint8_t entry, depth;
	uint32_t order; /* of its first call among those of all stacks */
	_Atomic uint64_t count, cycles16, refused, skipped;
	struct sites_frame frame[CALLERS_MAX];
};

struct sites;
struct sites *sites_new(void); /* NULL: no memory, then nothing is kept */
void sites_free(struct sites *s);

/* A call of entry @entry that returns to @ret with @rsp; registers are otherwise those of the call. */
void sites_note(struct sites *s, struct kernel *k, unsigned entry, gaddr ret, gaddr rsp, uint32_t cycles16,
		enum account_arrival how);
/* The program was replaced: other files lie at the addresses. */
void sites_moved(struct sites *s);

/* Stack number @i, or NULL: past the last place (free ones have depth 0). */
const struct sites_stack *sites_at(const struct sites *s, size_t i);
const char *sites_object(const struct sites *s, unsigned object); /* of a frame; NULL: none */
/* Calls that found no place. */
uint64_t sites_lost(const struct sites *s);

#endif
