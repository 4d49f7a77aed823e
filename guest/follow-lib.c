/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The library of follow.c: calls the page from an object of its own. */
#include "vsyscall.h"

long library_time(void);
long library_time(void)
{
	return vsys_call(VSYS_TIME, 0, 0, 0) + 1;
}
