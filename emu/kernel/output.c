/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writing to pipes and sockets in pieces: see output.h.  Rules: pipe(7), Linux fs/pipe.c, send(2). */
#include "kernel/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "base/buf.h"

bool output_is(unsigned nr)
{
	return nr == SYS_write || nr == SYS_writev || nr == SYS_sendto || nr == SYS_sendmsg;
}

/* Bytes asked for, at most MAX_RW_COUNT a call; the buffers in *@v of *@n. */
static uint64_t wanted(unsigned nr, const uint64_t a[6], struct iovec *one, const struct iovec **v, size_t *n)
{
	const struct msghdr *m = (const struct msghdr *)(uintptr_t)a[1];
	uint64_t total = 0;

	*one = (struct iovec){ (void *)(uintptr_t)a[1], a[2] };
	*v = nr == SYS_sendmsg ? m->msg_iov : nr == SYS_writev ? (const struct iovec *)(uintptr_t)a[1] : one;
	*n = nr == SYS_sendmsg ? m->msg_iovlen : nr == SYS_writev ? a[2] : 1;
	for (size_t i = 0; i < *n; i++)
		total += (*v)[i].iov_len;
	return total < ((uint64_t)INT_MAX & PAGE_MASK) ? total : (uint64_t)INT_MAX & PAGE_MASK;
}

/* Would the call have waited until everything was taken? */
static bool takes_all(unsigned nr, const uint64_t a[6])
{
	int type = 0;
	socklen_t n = sizeof(type);
	struct stat st;

	if (fstat((int)a[0], &st) || fcntl((int)a[0], F_GETFL) & O_NONBLOCK)
		return false;
	if ((nr == SYS_sendto && a[3] & MSG_DONTWAIT) || (nr == SYS_sendmsg && a[2] & MSG_DONTWAIT))
		return false;
	return S_ISFIFO(st.st_mode) || (S_ISSOCK(st.st_mode) &&
					!getsockopt((int)a[0], SOL_SOCKET, SO_TYPE, &type, &n) && type == SOCK_STREAM);
}

bool output_left(unsigned nr, const uint64_t a[6], uint64_t done, struct output_rest *rest)
{
	struct iovec one, *to;
	const struct iovec *v;
	size_t n;

	*rest = (struct output_rest){ .v = NULL };
	if (done >= wanted(nr, a, &one, &v, &n) || !takes_all(nr, a))
		return false;
	memcpy(rest->a, a, sizeof(rest->a));
	if (v == &one) {
		rest->a[1] += done;
		rest->a[2] -= done;
		return true;
	}
	rest->v = to = xcalloc(n, sizeof(*to));
	memcpy(to, v, n * sizeof(*to));
	for (; done >= to->iov_len; n--)
		done -= to++->iov_len;
	to->iov_base = (char *)to->iov_base + done;
	to->iov_len -= done;
	if (nr == SYS_writev) {
		rest->a[1] = (uint64_t)(uintptr_t)to;
		rest->a[2] = n;
		return true;
	}
	rest->msg.msg_iov = to; /* what else came with the message went with its first byte */
	rest->msg.msg_iovlen = n;
	rest->a[1] = (uint64_t)(uintptr_t)&rest->msg;
	return true;
}

void output_free(struct output_rest *rest)
{
	free(rest->v);
}
