/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's randomness, all of it from --seed: AT_RANDOM, getrandom, /dev/urandom.
 */
#ifndef VSYSEMU_KERNEL_RANDOM_H
#define VSYSEMU_KERNEL_RANDOM_H

#include <stddef.h>

#include "base/types.h"

struct kernel;

void random_seed(struct kernel *k, uint64_t seed);
/* A child's stream differs from its parent's: mixed with its process id. */
void random_fork(struct kernel *k);
uint64_t random_u64(struct kernel *k);
void random_bytes(struct kernel *k, void *dst, size_t n);
/* Fill guest memory: bytes written, -EFAULT if none could be. */
int64_t random_user(struct kernel *k, gaddr dst, uint64_t n);

#endif
