/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Sockets: calls whose pointers need more than a row of the table can say.  Linux net/socket.c. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>

#include "kernel/fd.h"
#include "kernel/iov.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/timer.h"
#include "kernel/uaccess.h"

#define OPT_BYTES_MAX 65536u
#define MESSAGES_MAX 1024u

/* An address that the host fills, with its length beside it: 0 or -EFAULT. */
static int64_t address_out(struct kernel *k, gaddr addr, gaddr len)
{
	uint32_t n;

	if (!addr)
		return 0;
	if (user_get(k, &n, len, sizeof(n)) || !memory_in_window(len, 4))
		return -EFAULT;
	if ((int32_t)n < 0)
		return -EINVAL;
	if (!memory_in_window(addr, n))
		return -EFAULT;
	memory_written(k->mem, addr, n);
	return 0;
}

int64_t sys_accept4(struct kernel *k, const uint64_t a[6])
{
	int64_t r = address_out(k, a[1], a[2]);

	return r ? r : sys_host_blocking(k, SYS_accept4, a);
}

int64_t sys_accept(struct kernel *k, const uint64_t a[6])
{
	const uint64_t h[6] = { a[0], a[1], a[2], 0 };

	return sys_accept4(k, h);
}

static int64_t name(struct kernel *k, unsigned nr, const uint64_t a[6])
{
	int64_t r;

	if (!a[1] || !a[2])
		return -EFAULT;
	r = address_out(k, a[1], a[2]);
	return r ? r : sys_host(nr, a);
}

int64_t sys_getsockname(struct kernel *k, const uint64_t a[6])
{
	return name(k, SYS_getsockname, a);
}

int64_t sys_getpeername(struct kernel *k, const uint64_t a[6])
{
	return name(k, SYS_getpeername, a);
}

int64_t sys_getsockopt(struct kernel *k, const uint64_t a[6])
{
	uint32_t n;

	if (user_get(k, &n, a[4], sizeof(n)) || !memory_in_window(a[4], 4))
		return -EFAULT;
	if (n <= OPT_BYTES_MAX && n && !memory_in_window(a[3], n))
		return -EFAULT;
	if (n <= OPT_BYTES_MAX)
		memory_written(k->mem, a[3], n);
	return sys_host(SYS_getsockopt, a);
}

int64_t sys_setsockopt(struct kernel *k, const uint64_t a[6])
{
	(void)k;
	if ((int32_t)a[4] < 0)
		return -EINVAL;
	/* Filters hold a pointer. */
	if (a[1] == SOL_SOCKET && (a[2] == SO_ATTACH_FILTER || a[2] == 51 /* SO_ATTACH_REUSEPORT_CBPF */))
		return -EPERM;
	if (a[4] && a[3] && !memory_in_window(a[3], (uint32_t)a[4]))
		return -EFAULT;
	return sys_host(SYS_setsockopt, a);
}

int64_t sys_recvfrom(struct kernel *k, const uint64_t a[6])
{
	int64_t r = address_out(k, a[4], a[5]);

	if (r)
		return r;
	if (a[2] && !memory_in_window(a[1], a[2]))
		return -EFAULT;
	memory_written(k->mem, a[1], a[2]);
	return sys_host_blocking(k, SYS_recvfrom, a);
}

/* Copy a message header in and check what it points at; *v is to be freed when it is not @room. */
static int64_t header_in(struct kernel *k, gaddr user, struct msghdr *m, struct iovec *room, struct iovec **v, bool out)
{
	int64_t r;

	*v = room;
	if (user_get(k, m, user, sizeof(*m)))
		return -EFAULT;
	if ((int32_t)m->msg_namelen < 0)
		return -EINVAL;
	if (m->msg_name && m->msg_namelen && !memory_in_window((gaddr)(uintptr_t)m->msg_name, m->msg_namelen))
		return -EFAULT;
	if (m->msg_controllen && !memory_in_window((gaddr)(uintptr_t)m->msg_control, m->msg_controllen))
		return -EFAULT;
	if (m->msg_iovlen > 1024)
		return -EMSGSIZE;
	r = iov_get(k, (gaddr)(uintptr_t)m->msg_iov, m->msg_iovlen, out, v);
	if (r < 0)
		return r;
	m->msg_iov = *v;
	if (out) {
		memory_written(k->mem, (gaddr)(uintptr_t)m->msg_name, m->msg_namelen);
		memory_written(k->mem, (gaddr)(uintptr_t)m->msg_control, m->msg_controllen);
	}
	return 0;
}

static int64_t one(struct kernel *k, unsigned nr, uint64_t fd, gaddr user, uint64_t flags, bool out)
{
	struct iovec room[IOV_STACK], *v;
	struct msghdr m;
	int64_t r = header_in(k, user, &m, room, &v, out);
	uint64_t h[6] = { fd, (uint64_t)(uintptr_t)&m, flags };

	if (!r)
		r = sys_host_blocking(k, nr, h);
	if (v != room)
		free(v);
	if (r >= 0 && out) {
		uint32_t len = m.msg_namelen, fl = (uint32_t)m.msg_flags;
		uint64_t control = m.msg_controllen;

		if (user_put(k, user + 8, &len, 4) || user_put(k, user + 40, &control, 8) || user_put(k, user + 48, &fl, 4))
			return -EFAULT;
	}
	return r;
}

int64_t sys_sendmsg(struct kernel *k, const uint64_t a[6])
{
	return one(k, SYS_sendmsg, a[0], a[1], a[2], false);
}

int64_t sys_recvmsg(struct kernel *k, const uint64_t a[6])
{
	return one(k, SYS_recvmsg, a[0], a[1], a[2], true);
}

static int64_t many(struct kernel *k, const uint64_t a[6], bool out)
{
	uint64_t n = a[2] < MESSAGES_MAX ? a[2] : MESSAGES_MAX, done = 0;
	uint64_t flags = a[3];
	int64_t r = 0;

	for (; done < n; done++) {
		gaddr user = a[1] + done * sizeof(struct mmsghdr);
		uint32_t len;

		r = one(k, out ? SYS_recvmsg : SYS_sendmsg, a[0], user, flags & ~(uint64_t)MSG_WAITFORONE, out);
		if (r < 0)
			break;
		len = (uint32_t)r;
		if (user_put(k, user + sizeof(struct msghdr), &len, 4))
			return -EFAULT;
		if (out && flags & MSG_WAITFORONE)
			flags |= MSG_DONTWAIT;
	}
	return done ? (int64_t)done : r;
}

int64_t sys_sendmmsg(struct kernel *k, const uint64_t a[6])
{
	return many(k, a, false);
}

int64_t sys_recvmmsg(struct kernel *k, const uint64_t a[6])
{
	return many(k, a, true);
}
