/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Placeholders of closed standard descriptors: see stdfd.h. */
#include "base/stdfd.h"

#include <fcntl.h>
#include <unistd.h>

void stdfd_hold_one(int fd)
{
	/* The wrong direction: what is read or written fails as on a closed descriptor. */
	int null = open("/dev/null", (fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) | O_CLOEXEC);

	if (null < 0 || null == fd)
		return;
	dup3(null, fd, O_CLOEXEC);
	close(null);
}

void stdfd_hold(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0)
			stdfd_hold_one(fd);
}

bool stdfd_is_held(int fd)
{
	int flags = fcntl(fd, F_GETFD);

	return flags >= 0 && (flags & FD_CLOEXEC);
}

void stdfd_release(void)
{
	for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
		if (stdfd_is_held(fd))
			close(fd);
}
