/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Copies to and from the guest as handlers want them: 0 or -EFAULT.
 */
#ifndef VSYSEMU_KERNEL_UACCESS_H
#define VSYSEMU_KERNEL_UACCESS_H

#include <errno.h>

#include "kernel/kernel.h"

static inline int64_t user_get(struct kernel *k, void *dst, gaddr src, size_t n)
{
	return memory_read(k->mem, dst, src, n) ? -EFAULT : 0;
}

static inline int64_t user_put(struct kernel *k, gaddr dst, const void *src, size_t n)
{
	return memory_write(k->mem, dst, src, n) ? -EFAULT : 0;
}

#endif
