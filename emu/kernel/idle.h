/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who waits for whom.  Virtual time may jump only when nothing else could happen before: no other
 * process of the tree is running or wakes earlier, and what is waited for cannot come from outside.
 */
#ifndef VSYSEMU_KERNEL_IDLE_H
#define VSYSEMU_KERNEL_IDLE_H

#include <sys/types.h>

#include "base/types.h"

struct kernel;

/* This process is about to wait inside the tree, until V = @wake_ns at the latest (UINT64_MAX: until
 * others act).  idle_end() when it goes on. */
void idle_begin(struct kernel *k, uint64_t wake_ns);
void idle_end(struct kernel *k);

/* True when every other process of the tree waits, too, and none of them wakes before @wake_ns. */
bool idle_others(struct kernel *k, uint64_t wake_ns);

/* State letter of a host process or thread as /proc has it; 'X': there is none. */
char idle_host_state(pid_t pid);

/* Could host call @nr with @a be ended by something outside of the tree: a terminal, a network, what
 * the program was started with?  Calls that are not known could. */
bool idle_outside(struct kernel *k, unsigned nr, const uint64_t a[6]);

#endif
