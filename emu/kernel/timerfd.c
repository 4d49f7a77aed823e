/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * timerfd on virtual time.  The descriptor is an eventfd of the host, so that poll and read work on it as
 * they are; expiries are added to it when virtual time passes them.  Linux fs/timerfd.c.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "kernel/fd.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/wait.h"
#include "kernel/uaccess.h"

static bool readable(int fd)
{
	struct pollfd p = { .fd = fd, .events = POLLIN };

	return poll(&p, 1, 0) > 0;
}

/* Move expiries up to now into the eventfd; V of the next, UINT64_MAX: none. */
static uint64_t update(struct kernel *k, int fd, struct fd_timer *t)
{
	uint64_t n = 1, now = k->clock.now_ns;

	if (!t->next_ns)
		return UINT64_MAX;
	if (t->next_ns <= now) {
		if (t->interval_ns) {
			n = (now - t->next_ns) / t->interval_ns + 1;
			t->next_ns += n * t->interval_ns;
		} else {
			t->next_ns = 0;
		}
		if (write(fd, &n, sizeof(n)) < 0)
			n = 0;
	}
	return t->next_ns ? t->next_ns : UINT64_MAX;
}

void fd_timer_read_wait(struct kernel *k, int fd)
{
	struct fd_special *s = fd_special(k, fd);
	uint64_t next = update(k, fd, &s->timer);
	int flags = fcntl(fd, F_GETFL);

	if (next == UINT64_MAX || flags & O_NONBLOCK)
		return;
	/* Something may wait to be read already. */
	if (readable(fd))
		return;
	if (wait_until(k, next))
		update(k, fd, &s->timer);
}

int64_t sys_timerfd_create(struct kernel *k, const uint64_t a[6])
{
	uint64_t h[6] = { 0, a[1] & (TFD_NONBLOCK | TFD_CLOEXEC) };
	struct fd_special *s;
	int64_t fd;

	if (a[1] & ~(uint64_t)(TFD_NONBLOCK | TFD_CLOEXEC))
		return -EINVAL;
	switch ((int)a[0]) {
	case CLOCK_REALTIME:
	case CLOCK_MONOTONIC:
	case CLOCK_BOOTTIME:
	case CLOCK_REALTIME_ALARM:
	case CLOCK_BOOTTIME_ALARM:
		break;
	default:
		return -EINVAL;
	}
	fd = sys_host(SYS_eventfd2, h);
	if (fd < 0)
		return fd;
	s = fd_attach(k, (int)fd, FD_TIMER);
	s->timer = (struct fd_timer){ .clockid = (int)a[0] };
	return fd;
}

static struct fd_timer *find(struct kernel *k, uint64_t fd, int64_t *err)
{
	struct fd_special *s = fd_special(k, (int)fd);

	if (s && s->kind == FD_TIMER)
		return &s->timer;
	*err = fcntl((int)fd, F_GETFD) < 0 ? -EBADF : -EINVAL;
	return NULL;
}

static int64_t put(struct kernel *k, const struct fd_timer *t, gaddr user)
{
	uint64_t left = t->next_ns > k->clock.now_ns ? t->next_ns - k->clock.now_ns : 0;
	int64_t v[4] = { (int64_t)(t->interval_ns / NS_PER_S), (int64_t)(t->interval_ns % NS_PER_S),
			 (int64_t)(left / NS_PER_S), (int64_t)(left % NS_PER_S) };

	return user_put(k, user, v, sizeof(v));
}

int64_t sys_timerfd_settime(struct kernel *k, const uint64_t a[6])
{
	int64_t v[4], err = 0;
	struct fd_timer *t, old;
	uint64_t first, gone;

	if (user_get(k, v, a[2], sizeof(v)))
		return -EFAULT;
	if (a[1] & ~(uint64_t)(TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET) || v[0] < 0 || v[1] < 0 ||
	    v[1] >= (int64_t)NS_PER_S || v[2] < 0 || v[3] < 0 || v[3] >= (int64_t)NS_PER_S)
		return -EINVAL;
	t = find(k, a[0], &err);
	if (!t)
		return err;
	update(k, (int)a[0], t);
	old = *t;
	first = (uint64_t)v[2] * NS_PER_S + (uint64_t)v[3];
	t->interval_ns = (uint64_t)v[0] * NS_PER_S + (uint64_t)v[1];
	t->next_ns = !first ? 0 : a[1] & TFD_TIMER_ABSTIME ? clock_when(&k->clock, t->clockid, (int64_t)first) :
							     k->clock.now_ns + first;
	/* What expired before is forgotten. */
	if (readable((int)a[0]) && read((int)a[0], &gone, sizeof(gone)) < 0)
		gone = 0;
	return a[3] ? put(k, &old, a[3]) : 0;
}

int64_t sys_timerfd_gettime(struct kernel *k, const uint64_t a[6])
{
	int64_t err = 0;
	struct fd_timer *t = find(k, a[0], &err);

	if (!t)
		return err;
	update(k, (int)a[0], t);
	return put(k, t, a[1]);
}
