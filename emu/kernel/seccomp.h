/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * seccomp: strict mode and filters of classic BPF.  Rules: Linux kernel/seccomp.c, net/core/filter.c.
 */
#ifndef VSYSEMU_KERNEL_SECCOMP_H
#define VSYSEMU_KERNEL_SECCOMP_H

#include "facts/policy.h"
#include "kernel/kernel.h"

/* Ask all filters of the current task; the one answer that takes precedence (SECCOMP_RET_* | data). */
uint32_t seccomp_run(struct kernel *k, const struct vsysemu_seccomp_data *data);

enum seccomp_verdict {
	SECCOMP_GO_ON,
	SECCOMP_RESULT, /* the call is not made: *result is its result */
	SECCOMP_SIGNAL, /* a signal was forced */
	SECCOMP_ENDED /* the task or process is dead: k->outcome */
};
/* An ordinary system call enters. */
enum seccomp_verdict seccomp_enter(struct kernel *k, unsigned nr, const uint64_t args[6], int64_t *result);

/* prctl(PR_SET_SECCOMP) and prctl(PR_GET_SECCOMP). */
int64_t seccomp_prctl_set(struct kernel *k, uint64_t mode, gaddr filter);
int64_t seccomp_prctl_get(struct kernel *k);

/* --seccomp SPEC as a filter of the first task; false: @e says what is wrong with it. */
bool seccomp_spec(struct kernel *k, const char *spec, struct err *e);

#endif
