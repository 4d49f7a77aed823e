/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The callers of a place in a program: call frames by the unwind tables of the object files (.eh_frame),
 * through signal frames and the vDSO; where code has none, by a return address on the stack whose call
 * goes to that code, else by the frame pointer.  The only user of libdwfl.  Knows no guest: the caller gives registers, mappings and a way to read memory.
 */
#ifndef VSYSEMU_FACTS_UNWIND_H
#define VSYSEMU_FACTS_UNWIND_H

#include "base/types.h"
#include "facts/image.h"

/* Registers in DWARF's order (psABI, figure 3.36): rax rdx rcx rbx rsi rdi rbp rsp r8..r15 rip. */
enum { UNWIND_REGS = 17, UNWIND_RBP = 6, UNWIND_RSP = 7, UNWIND_RIP = 16 };

struct unwind_from {
	uint64_t reg[UNWIND_REGS]; /* of the innermost frame */
	const struct image_map *map; /* of object files, and the vDSO as "[vdso]"; in order of address */
	size_t maps;
	void *ctx;
	bool (*read)(void *ctx, void *dst, gaddr src, size_t n); /* false: not all of it is there */
	bool (*code)(void *ctx, gaddr a); /* may @a be executed? */
};

/* Object files read so far; no file stays open. */
struct unwinder;
struct unwinder *unwinder_new(void);
void unwinder_free(struct unwinder *u);

struct unwind_frame {
	gaddr address;
	gaddr slot; /* where it lies on the stack; 0: not known */
	bool interrupted; /* by a signal: the next instruction is at @address; else it is a return address */
};

/*
 * Frames innermost first, at most @max; the first is reg[UNWIND_RIP], taken for a return address.  It ends
 * where none of this leads to a return address.  Returns how many.
 */
size_t unwind(struct unwinder *u, const struct unwind_from *from, struct unwind_frame *frame, size_t max);

#endif
