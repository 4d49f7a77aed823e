/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaving translated code in the middle of a guest instruction with exact registers: after a host fault in
 * the translation or in a helper, and from the library's own call-back for unmapped memory.
 */
#ifndef VSYSEMU_ENGINE_LEAVE_H
#define VSYSEMU_ENGINE_LEAVE_H

#include "base/types.h"

struct leave_fault {
	gaddr addr; /* as the host reported it */
	uint32_t code; /* PF_* of the host's page fault, U set */
	bool bus; /* SIGBUS */
	bool noncanonical; /* the host reported no address */
	bool direct; /* in translated code itself, not in a helper of it */
	bool translating; /* no guest instruction was running: the translator read code */
};

/* While @armed, a fault outside of our own code ends the run: @told is called on the normal stack with the
 * guest's state restored, and must arrange for the library to stop; then control goes back to the
 * library's loop.  The code buffer of the library must exist.  False: this library cannot do it. */
bool leave_set(void (*told)(void *ctx, const struct leave_fault *f), void *ctx);
void leave_arm(bool armed);

/* From a call-back of the library: restore the registers to before the guest instruction that runs.
 * False: none runs (a code fetch), or not possible. */
bool leave_restore(void);

#endif
