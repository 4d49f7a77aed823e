/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which C library is inside some bytes, told by the strings that each library carries.  Pure. */
#ifndef VSYSEMU_FACTS_LIBC_H
#define VSYSEMU_FACTS_LIBC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* "glibc 2.12", "musl", "dietlibc", "uClibc", "Go 1.14"... into @out.  False: nothing known. */
bool libc_identify(const uint8_t *bytes, size_t n, char *out, size_t cap);

#endif
