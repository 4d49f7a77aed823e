/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * poll, select and epoll: the host is asked without waiting first; what then has to wait does so on
 * virtual time, as timer.h says.  Linux fs/select.c, fs/eventpoll.c.
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/select.h>
#include <sys/syscall.h>

#include "kernel/fd.h"
#include "kernel/pids.h"
#include "kernel/signal.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/timer.h"
#include "kernel/uaccess.h"
#include "kernel/wait.h"

#define SET_BYTES_MAX 131072u /* a million descriptors */
#define FDS_MAX 1048576u
#define EVENTS_MAX 65536 /* of one epoll_wait: no more descriptors are watched */

/* Until when; @ms < 0: for ever. */
static uint64_t until_ms(struct kernel *k, int ms)
{
	return ms < 0 ? UINT64_MAX : k->clock.now_ns + (uint64_t)ms * 1000000u;
}

static int64_t until_timespec(struct kernel *k, gaddr user, uint64_t unit_ns, uint64_t *until)
{
	int64_t ts[2];
	uint64_t ns;

	*until = UINT64_MAX;
	if (!user)
		return 0;
	if (user_get(k, ts, user, sizeof(ts)))
		return -EFAULT;
	if (ts[0] < 0 || ts[1] < 0 || (unit_ns == 1 && ts[1] >= (int64_t)NS_PER_S))
		return -EINVAL;
	ns = ts[0] > 1000000000 ? 1000000000 * NS_PER_S : (uint64_t)ts[0] * NS_PER_S + (uint64_t)ts[1] * unit_ns;
	*until = k->clock.now_ns + ns;
	return 0;
}

/* A signal mask for the time of the wait; put back by signal_deliver(). */
static int64_t mask_for_wait(struct kernel *k, gaddr user, uint64_t bytes)
{
	struct task *t = k->proc.current;
	sigset64 set;

	if (!user)
		return 0;
	if (bytes != 8)
		return -EINVAL;
	if (user_get(k, &set, user, sizeof(set)))
		return -EFAULT;
	t->saved_mask = t->mask;
	t->restore_mask = true;
	signal_set_mask(k, set);
	return 0;
}

static void mask_back(struct kernel *k, int64_t r)
{
	struct task *t = k->proc.current;

	if (r != -EINTR && r != -ERESTARTNOHAND && t->restore_mask) {
		t->restore_mask = false;
		signal_set_mask(k, t->saved_mask);
	}
}

/*
 * One wait on the host: @now asks without waiting, @nr with @h waits for ever.  When nothing outside could
 * happen, time jumps.
 */
typedef int64_t poll_now(struct kernel *k, void *ctx);

static int64_t wait_ready(struct kernel *k, poll_now *now, void *ctx, unsigned nr, const uint64_t h[6],
			  uint64_t until)
{
	for (;;) {
		uint64_t timer = fd_timers_update(k), to = timer < until ? timer : until;
		int64_t r = now(k, ctx);

		if (r)
			return r;
		timers_expire(k);
		signal_collect(k);
		if (signal_is_due(k))
			return -ERESTARTNOHAND;
		if (k->clock.now_ns >= until)
			return 0;
		r = wait_host(k, nr, h, to);
		if (r == -ERESTARTSYS)
			return -ERESTARTNOHAND;
		if (r < 0 && r != -ETIMEDOUT)
			return r;
	}
}

struct poll_args {
	struct pollfd *fds;
	uint64_t n;
};

static int64_t poll_ask(struct kernel *k, void *ctx)
{
	struct poll_args *p = ctx;
	uint64_t h[6] = { (uint64_t)(uintptr_t)p->fds, p->n, 0 };

	(void)k;
	return sys_host(SYS_poll, h);
}

static int64_t do_poll(struct kernel *k, gaddr user, uint64_t n, uint64_t until)
{
	struct poll_args p = { NULL, n };
	uint64_t h[6];
	int64_t r;

	if (n > FDS_MAX)
		return -EINVAL;
	p.fds = xcalloc(n + 1, sizeof(*p.fds));
	if (user_get(k, p.fds, user, n * sizeof(*p.fds))) {
		free(p.fds);
		return -EFAULT;
	}
	memcpy(h, (uint64_t[6]){ (uint64_t)(uintptr_t)p.fds, n, (uint64_t)-1 }, sizeof(h));
	r = wait_ready(k, poll_ask, &p, SYS_poll, h, until);
	if (r >= 0)
		for (uint64_t i = 0; i < n; i++)
			if (user_put(k, user + i * 8 + 6, &p.fds[i].revents, 2)) {
				r = -EFAULT;
				break;
			}
	free(p.fds);
	return r;
}

int64_t sys_poll(struct kernel *k, const uint64_t a[6])
{
	int64_t r = do_poll(k, a[0], a[1], until_ms(k, (int)a[2]));

	return r == -ERESTARTNOHAND ? -ERESTARTNOHAND : r;
}

int64_t sys_ppoll(struct kernel *k, const uint64_t a[6])
{
	uint64_t until;
	int64_t r = until_timespec(k, a[2], 1, &until);

	if (!r)
		r = mask_for_wait(k, a[3], a[4]);
	if (r)
		return r;
	r = do_poll(k, a[0], a[1], until);
	mask_back(k, r);
	return r;
}

struct select_args {
	int n;
	uint8_t *in[3], *out[3]; /* NULL: not asked */
	size_t bytes;
};

static int64_t select_ask(struct kernel *k, void *ctx)
{
	struct select_args *s = ctx;
	int64_t none[2] = { 0, 0 };
	uint64_t h[6] = { (uint64_t)s->n };

	(void)k;
	for (unsigned i = 0; i < 3; i++) {
		if (s->in[i])
			memcpy(s->out[i], s->in[i], s->bytes);
		h[1 + i] = (uint64_t)(uintptr_t)(s->in[i] ? s->out[i] : NULL);
	}
	h[4] = (uint64_t)(uintptr_t)none;
	return sys_host(SYS_select, h);
}

static int64_t do_select(struct kernel *k, const uint64_t a[6], uint64_t until)
{
	struct select_args s = { .n = (int)a[0] };
	uint8_t *scratch, *room;
	uint64_t h[6] = { a[0] };
	int64_t r = 0;

	if (s.n < 0)
		return -EINVAL;
	s.bytes = ((size_t)s.n + 63) / 64 * 8;
	if (s.bytes > SET_BYTES_MAX)
		s.bytes = SET_BYTES_MAX;
	room = xcalloc(9, s.bytes + 8);
	scratch = room + 6 * (s.bytes + 8);
	for (unsigned i = 0; i < 3 && !r; i++) {
		if (!a[1 + i])
			continue;
		s.in[i] = room + i * (s.bytes + 8);
		s.out[i] = room + (3 + i) * (s.bytes + 8);
		r = user_get(k, s.in[i], a[1 + i], s.bytes);
		memcpy(scratch + i * (s.bytes + 8), s.in[i], s.bytes);
		h[1 + i] = (uint64_t)(uintptr_t)(scratch + i * (s.bytes + 8));
	}
	if (!r)
		r = wait_ready(k, select_ask, &s, SYS_select, h, until);
	for (unsigned i = 0; i < 3 && r >= 0; i++)
		if (s.in[i] && user_put(k, a[1 + i], s.out[i], s.bytes))
			r = -EFAULT;
	free(room);
	return r;
}

static void put_rest(struct kernel *k, gaddr user, uint64_t until, uint64_t unit_ns)
{
	uint64_t left = until != UINT64_MAX && until > k->clock.now_ns ? until - k->clock.now_ns : 0;
	int64_t v[2] = { (int64_t)(left / NS_PER_S), (int64_t)(left % NS_PER_S / unit_ns) };

	if (user)
		memory_write(k->mem, user, v, sizeof(v));
}

int64_t sys_select(struct kernel *k, const uint64_t a[6])
{
	uint64_t until;
	int64_t r = until_timespec(k, a[4], 1000, &until);

	if (r)
		return r;
	r = do_select(k, a, until);
	put_rest(k, a[4], until, 1000);
	return r;
}

int64_t sys_pselect6(struct kernel *k, const uint64_t a[6])
{
	uint64_t until, sig[2] = { 0 };
	int64_t r = until_timespec(k, a[4], 1, &until);

	if (!r && a[5])
		r = user_get(k, sig, a[5], sizeof(sig));
	if (!r)
		r = mask_for_wait(k, sig[0], sig[1]);
	if (r)
		return r;
	r = do_select(k, a, until);
	put_rest(k, a[4], until, 1);
	mask_back(k, r);
	return r;
}

struct epoll_args {
	int fd;
	struct epoll_event *ev;
	int n;
};

static int64_t epoll_ask(struct kernel *k, void *ctx)
{
	struct epoll_args *p = ctx;
	uint64_t h[6] = { (uint64_t)p->fd, (uint64_t)(uintptr_t)p->ev, (uint64_t)p->n, 0 };

	(void)k;
	return sys_host(SYS_epoll_wait, h);
}

static int64_t do_epoll(struct kernel *k, const uint64_t a[6], uint64_t until)
{
	struct epoll_args p = { (int)a[0], NULL, (int)a[2] };
	struct pollfd pf = { .fd = (int)a[0], .events = POLLIN };
	uint64_t h[6] = { (uint64_t)(uintptr_t)&pf, 1, (uint64_t)-1 };
	int64_t r;

	if (p.n <= 0 || (uint64_t)p.n > INT32_MAX / sizeof(*p.ev))
		return -EINVAL;
	if (p.n > EVENTS_MAX)
		p.n = EVENTS_MAX;
	p.ev = xcalloc((size_t)p.n, sizeof(*p.ev));
	/* Waiting is done on the epoll descriptor itself, so that no event is taken meanwhile. */
	r = wait_ready(k, epoll_ask, &p, SYS_poll, h, until);
	if (r > 0 && user_put(k, a[1], p.ev, (size_t)r * sizeof(*p.ev)))
		r = -EFAULT;
	free(p.ev);
	return r == -ERESTARTNOHAND ? -EINTR : r;
}

int64_t sys_epoll_wait(struct kernel *k, const uint64_t a[6])
{
	return do_epoll(k, a, until_ms(k, (int)a[3]));
}

int64_t sys_epoll_pwait(struct kernel *k, const uint64_t a[6])
{
	int64_t r = mask_for_wait(k, a[4], a[5]);

	if (r)
		return r;
	r = do_epoll(k, a, until_ms(k, (int)a[3]));
	mask_back(k, r);
	return r;
}

int64_t sys_epoll_pwait2(struct kernel *k, const uint64_t a[6])
{
	uint64_t until;
	int64_t r = until_timespec(k, a[3], 1, &until);

	if (!r)
		r = mask_for_wait(k, a[4], a[5]);
	if (r)
		return r;
	r = do_epoll(k, a, until);
	mask_back(k, r);
	return r;
}
