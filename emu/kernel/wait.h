/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Waiting on virtual time: it jumps to the next event, and costs no host time unless another process of
 * the tree could do something meanwhile.
 */
#ifndef VSYSEMU_KERNEL_WAIT_H
#define VSYSEMU_KERNEL_WAIT_H

#include "kernel/kernel.h"

/* Sleep until V = @ns (UINT64_MAX: for a signal); false when a signal became due first. */
bool wait_until(struct kernel *k, uint64_t ns);

/*
 * Host call @nr that may sleep, for at most until V = @until (UINT64_MAX: no limit of its own; @a then
 * has none either).  -ERESTARTSYS when a guest signal became due; -ETIMEDOUT at @until.  While timers
 * run, host time stands in for virtual time.
 */
int64_t wait_host(struct kernel *k, unsigned nr, const uint64_t a[6], uint64_t until);

/* ---- wait_tasks.c: wait_host() while other tasks live, which must go on ---- */

#define WAIT_LOOK_AGAIN INT64_MIN /* no result of the host's: others ran */
int64_t wait_among_tasks(struct kernel *k, unsigned nr, const uint64_t a[6], uint64_t until, bool outside);

/* ---- wait_helper.c ---- */

/* A host call that may wait, made by a host thread of its own while the tasks go on; results as wait_host(). */
int64_t wait_helper(struct kernel *k, unsigned nr, const uint64_t a[6], uint64_t until, bool outside);

#endif
