/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names of flags and constants for the trace, as plain tables.  Numbers come from the kernel's own
 * uapi headers through libc.
 */
#ifndef VSYSEMU_KERNEL_XLAT_H
#define VSYSEMU_KERNEL_XLAT_H

#include "base/buf.h"
#include "base/types.h"

struct xlat {
	uint64_t value;
	const char *name; /* NULL ends the table */
};

extern const struct xlat xlat_open[], xlat_prot[], xlat_map[], xlat_at[], xlat_clone[],
	xlat_madvise[], xlat_whence[], xlat_access[], xlat_clockid[], xlat_arch_prctl[],
	xlat_prctl[], xlat_fcntl[], xlat_futex[], xlat_sighow[], xlat_rlimit[], xlat_socket_family[],
	xlat_socket_type[], xlat_wait[], xlat_epoll_op[], xlat_getrandom[], xlat_itimer[],
	xlat_rusage[], xlat_mremap[], xlat_msync[], xlat_ioctl[], xlat_memfd[], xlat_msg[],
	xlat_shut[], xlat_flock[], xlat_seccomp[], xlat_timer[], xlat_socket_level[],
	xlat_poll[], xlat_epoll[], xlat_new_fd[], xlat_eventfd[], xlat_sigaction[], xlat_sockopt[], xlat_tcpopt[],
	xlat_protocol[], xlat_filetype[], xlat_epoll_create[], xlat_timerfd[], xlat_inotify[], xlat_signalfd[], xlat_statx[];

/* Append the names of the bits of @v, "0" for none, the rest in hexadecimal. */
void xlat_flags(struct buf *b, const struct xlat *x, uint64_t v);
/* Append the name of the value @v, or its number. */
void xlat_value(struct buf *b, const struct xlat *x, uint64_t v);

#endif
