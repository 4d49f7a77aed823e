/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Descriptors 0, 1 and 2 that were closed when we started.  They are held by placeholders, so that
 * nothing that we open takes their numbers and nothing that we say lands in a file of the guest's;
 * the guest finds them closed.  A placeholder is the only one of the three with FD_CLOEXEC.
 */
#ifndef VSYSEMU_BASE_STDFD_H
#define VSYSEMU_BASE_STDFD_H

#include <stdbool.h>

/* Puts a placeholder where one of the three is closed: reads and writes of it fail with EBADF. */
void stdfd_hold(void);
/* Does @fd (0 to 2) have a placeholder? */
bool stdfd_is_held(int fd);
/* Makes @fd a placeholder, whatever it was. */
void stdfd_hold_one(int fd);
/* Closes the placeholders, for the guest. */
void stdfd_release(void);

#endif
