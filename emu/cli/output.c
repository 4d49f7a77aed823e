/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Where reports go: see output.h. */
#include "cli/output.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool write_all(int fd, const char *p, size_t n)
{
	while (n) {
		ssize_t w = write(fd, p, n);

		if (w < 0 && errno == EINTR)
			continue;
		if (w < 0)
			return false;
		p += w;
		n -= (size_t)w;
	}
	return true;
}

bool output_check(const char *path, struct err *e)
{
	int fd;

	if (!path || !strcmp(path, "-"))
		return true;
	fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set_status(e, 125, "-o: cannot write '%s': %s", path, strerror(errno));
	close(fd);
	return true;
}

bool output_write(const char *path, const struct buf *b, struct err *e)
{
	bool own = path && strcmp(path, "-");
	int fd = !path ? STDERR_FILENO : STDOUT_FILENO;
	bool ok;

	if (own)
		fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
	if (fd < 0)
		return err_set(e, "-o: cannot write '%s': %s", path, strerror(errno));
	ok = write_all(fd, b->data, b->len);
	if (!ok && !path && errno == EBADF)
		return true; /* closed by whoever started us: nobody wants to hear it */
	if (own && close(fd))
		ok = false;
	if (ok)
		return true;
	return own ? err_set(e, "-o: cannot write '%s': %s", path, strerror(errno)) :
		     err_set(e, "cannot write to standard %s: %s", path ? "output" : "error", strerror(errno));
}
