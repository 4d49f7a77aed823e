/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vectors of buffers, copied in and checked against the window.
 */
#ifndef VSYSEMU_KERNEL_IOV_H
#define VSYSEMU_KERNEL_IOV_H

#include <sys/uio.h>

#include "base/types.h"

struct kernel;

enum { IOV_STACK = 16 };

/*
 * Copy @n elements at @user to *@v, which points at room for IOV_STACK of them and is replaced by
 * malloc'ed memory when that is too small.  Every buffer lies inside the window afterwards, the
 * total cut to what the kernel moves in one call; @out: the host will write to them.
 * 0, -EINVAL or -EFAULT (then *@v is unchanged).
 */
int64_t iov_get(struct kernel *k, gaddr user, uint64_t n, bool out, struct iovec **v);

#endif
