/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Arguments of the socket calls as strace shows them: see sysformat.h. */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/un.h>

#include "kernel/sysformat.h"

static void sockaddr(struct kernel *k, struct buf *b, gaddr p, uint64_t n)
{
	uint8_t raw[sizeof(struct sockaddr_storage)] = { 0 };
	char text[INET6_ADDRSTRLEN];
	struct sockaddr_in in;
	struct sockaddr_in6 in6;
	sa_family_t family;

	if (n > sizeof(raw))
		n = sizeof(raw);
	if (!p || n < sizeof(family) || memory_read(k->mem, raw, p, n)) {
		format_pointer(b, p);
		return;
	}
	memcpy(&family, raw, sizeof(family));
	memcpy(&in, raw, sizeof(in));
	memcpy(&in6, raw, sizeof(in6));
	buf_printf(b, "{sa_family=");
	xlat_value(b, xlat_socket_family, family);
	if (family == AF_INET && n >= sizeof(in))
		buf_printf(b, ", sin_port=htons(%u), sin_addr=inet_addr(\"%s\")", ntohs(in.sin_port),
			   inet_ntop(AF_INET, &in.sin_addr, text, sizeof(text)));
	else if (family == AF_INET6 && n >= sizeof(in6))
		buf_printf(b, ", sin6_port=htons(%u), inet_pton(AF_INET6, \"%s\")", ntohs(in6.sin6_port),
			   inet_ntop(AF_INET6, &in6.sin6_addr, text, sizeof(text)));
	else if (family == AF_UNIX && n > sizeof(family) && raw[2])
		buf_printf(b, ", sun_path=\"%.*s\"", (int)strnlen((char *)raw + 2, n - 2), raw + 2);
	else if (family == AF_UNIX && n > sizeof(family))
		buf_printf(b, ", sun_path=@\"%.*s\"", (int)strnlen((char *)raw + 3, n - 3), raw + 3);
	buf_printf(b, "}");
}

/* One that the kernel fills: as long as the word at @length says, at most what there was room for. */
static void sockaddr_out(struct kernel *k, struct buf *b, gaddr p, gaddr length, int64_t ret)
{
	uint32_t n;

	if (ret < 0 || !length || memory_read(k->mem, &n, length, sizeof(n)))
		format_pointer(b, p);
	else
		sockaddr(k, b, p, n);
}

static void length(struct kernel *k, struct buf *b, gaddr p)
{
	uint32_t n;

	if (!p || memory_read(k->mem, &n, p, sizeof(n)))
		format_pointer(b, p);
	else
		buf_printf(b, "[%u]", n);
}

static void option_name(struct buf *b, uint64_t level, uint64_t name)
{
	if ((int)level == SOL_SOCKET)
		xlat_value(b, xlat_sockopt, name);
	else if ((int)level == IPPROTO_TCP)
		xlat_value(b, xlat_tcpopt, name);
	else
		buf_printf(b, "%d", (int)name);
}

static void option_value(struct kernel *k, struct buf *b, gaddr p, uint64_t n)
{
	int32_t v;

	if (n == sizeof(v) && p && !memory_read(k->mem, &v, p, sizeof(v)))
		buf_printf(b, "[%d]", v);
	else
		format_bytes(k, b, p, n);
}

static void message(struct kernel *k, struct buf *b, gaddr p, bool filled)
{
	struct {
		uint64_t name;
		uint32_t name_n, pad;
		uint64_t iov, iov_n, control, control_n;
		uint32_t flags, pad2;
	} m;

	if (!p || !filled || memory_read(k->mem, &m, p, sizeof(m))) {
		format_pointer(b, p);
		return;
	}
	buf_printf(b, "{msg_name=");
	sockaddr(k, b, m.name, m.name_n);
	buf_printf(b, ", msg_namelen=%u, msg_iov=", m.name_n);
	format_iovec(k, b, m.iov, m.iov_n);
	buf_printf(b, ", msg_iovlen=%lu, ", (unsigned long)m.iov_n);
	if (m.control_n) {
		buf_printf(b, "msg_control=");
		format_pointer(b, m.control);
		buf_printf(b, ", ");
	}
	buf_printf(b, "msg_controllen=%lu, msg_flags=", (unsigned long)m.control_n);
	xlat_flags(b, xlat_msg, m.flags);
	buf_printf(b, "}");
}

bool sysdecode_socket(struct kernel *k, unsigned nr, const uint64_t a[6], unsigned i, int64_t ret, struct buf *b)
{
	uint32_t n;

	switch (nr << 4 | i) {
	case SYS_socket << 4 | 2:
	case SYS_socketpair << 4 | 2:
		if ((int)a[0] != AF_INET && (int)a[0] != AF_INET6)
			return false;
		xlat_value(b, xlat_protocol, a[2]);
		return true;
	case SYS_connect << 4 | 1:
	case SYS_bind << 4 | 1:
		sockaddr(k, b, a[1], a[2]);
		return true;
	case SYS_sendto << 4 | 4:
		sockaddr(k, b, a[4], a[5]);
		return true;
	case SYS_accept << 4 | 1:
	case SYS_accept4 << 4 | 1:
	case SYS_getsockname << 4 | 1:
	case SYS_getpeername << 4 | 1:
		sockaddr_out(k, b, a[1], a[2], ret);
		return true;
	case SYS_accept << 4 | 2:
	case SYS_accept4 << 4 | 2:
	case SYS_getsockname << 4 | 2:
	case SYS_getpeername << 4 | 2:
		length(k, b, a[2]);
		return true;
	case SYS_recvfrom << 4 | 4:
		sockaddr_out(k, b, a[4], a[5], ret);
		return true;
	case SYS_recvfrom << 4 | 5:
		length(k, b, a[5]);
		return true;
	case SYS_setsockopt << 4 | 2:
	case SYS_getsockopt << 4 | 2:
		option_name(b, a[1], a[2]);
		return true;
	case SYS_setsockopt << 4 | 3:
		option_value(k, b, a[3], (uint32_t)a[4]);
		return true;
	case SYS_getsockopt << 4 | 3:
		if (ret < 0 || !a[4] || memory_read(k->mem, &n, a[4], sizeof(n)))
			format_pointer(b, a[3]);
		else
			option_value(k, b, a[3], n);
		return true;
	case SYS_getsockopt << 4 | 4:
		length(k, b, a[4]);
		return true;
	case SYS_sendmsg << 4 | 1:
		message(k, b, a[1], true);
		return true;
	case SYS_recvmsg << 4 | 1:
		message(k, b, a[1], ret >= 0);
		return true;
	default:
		return false;
	}
}
