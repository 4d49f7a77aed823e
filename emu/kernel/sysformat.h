/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Between the files that write a system call as strace does: what arguments look like.  Each appends to @b; what
 * cannot be read is shown as its address.
 */
#ifndef VSYSEMU_KERNEL_SYSFORMAT_H
#define VSYSEMU_KERNEL_SYSFORMAT_H

#include "base/buf.h"
#include "kernel/kernel.h"
#include "kernel/sys.h"
#include "kernel/xlat.h"

void format_pointer(struct buf *b, uint64_t v); /* NULL by name */
void format_path(struct kernel *k, struct buf *b, gaddr p); /* a string of the guest */
void format_text(struct buf *b, const char *s, size_t n); /* our own @n bytes, quoted */
void format_bytes(struct kernel *k, struct buf *b, gaddr p, uint64_t n); /* the first 32 */
void format_pair(struct kernel *k, struct buf *b, gaddr p, const char *first, const char *second);
void format_sigset(struct kernel *k, struct buf *b, gaddr p);
void format_iovec(struct kernel *k, struct buf *b, gaddr p, uint64_t n);
void format_signal(struct buf *b, int signo); /* "SIGUSR1", "SIGRT_3", "77" */
void format_siginfo(struct buf *b, const uint8_t info[]); /* SIGINFO_BYTES of it, in braces */

/*
 * Argument @i of call @nr, if its meaning is more than its row says (structures, commands).  @ret: the result; negative:
 * what the kernel would fill is not there.  False: the row's way.
 */
bool sysdecode_arg(struct kernel *k, unsigned nr, const uint64_t a[6], unsigned i, int64_t ret, struct buf *b);
/* How many arguments call @nr has, told by its command; -1: as many as its row says. */
int sysdecode_count(unsigned nr, const uint64_t a[6]);
/* What strace says behind some results ("(Timeout)", ready descriptors); false: write @ret as ever. */
bool sysdecode_result(struct kernel *k, unsigned nr, const uint64_t a[6], int64_t ret, struct buf *b);

/* Read the structure @v at @p, if it is @there; else write the address and return from a function without result. */
#define FORMAT_TAKE(k, b, p, there, v)                                              \
	if (!(there) || !(p) || memory_read((k)->mem, &(v), (p), sizeof(v))) { \
		format_pointer(b, p);                                          \
		return;                                                        \
	}

/* Of sockets, of calls with commands; sysdecode_arg() asks them. */
bool sysdecode_socket(struct kernel *k, unsigned nr, const uint64_t a[6], unsigned i, int64_t ret, struct buf *b);
bool sysdecode_command(struct kernel *k, unsigned nr, const uint64_t a[6], unsigned i, int64_t ret, struct buf *b);

#endif
