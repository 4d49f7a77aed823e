/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * import_iovec() of Linux lib/iov_iter.c, against the window.
 */
#include "kernel/iov.h"

#include <errno.h>
#include <stdlib.h>

#include "kernel/uaccess.h"

enum { UIO_MAX = 1024 };
#define RW_MAX ((uint64_t)INT32_MAX & PAGE_MASK) /* MAX_RW_COUNT */

static int64_t check(struct kernel *k, struct iovec *v, size_t n, bool out)
{
	uint64_t total = 0;

	for (size_t i = 0; i < n; i++)
		if ((int64_t)v[i].iov_len < 0)
			return -EINVAL;
	for (size_t i = 0; i < n; i++) {
		gaddr p = (gaddr)(uintptr_t)v[i].iov_base;

		if (v[i].iov_len > RW_MAX - total)
			v[i].iov_len = RW_MAX - total;
		if (v[i].iov_len && p && !memory_in_window(p, v[i].iov_len))
			return -EFAULT;
		/* NULL with a length faults in the host; without one it is not looked at. */
		if (!v[i].iov_len)
			v[i].iov_base = NULL;
		total += v[i].iov_len;
		if (out && p && v[i].iov_len)
			memory_written(k->mem, p, v[i].iov_len);
	}
	return 0;
}

int64_t iov_get(struct kernel *k, gaddr user, uint64_t n, bool out, struct iovec **v)
{
	struct iovec *at = *v;
	int64_t r;

	if (n > UIO_MAX)
		return -EINVAL;
	if (n > IOV_STACK)
		at = xcalloc(n, sizeof(*at));
	r = n ? user_get(k, at, user, n * sizeof(*at)) : 0;
	if (!r)
		r = check(k, at, n, out);
	if (r < 0) {
		if (at != *v)
			free(at);
		return r;
	}
	*v = at;
	return 0;
}
