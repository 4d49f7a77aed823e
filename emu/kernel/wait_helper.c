/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A host thread for one host call that may wait and has no form that does not: while it waits, the tasks
 * of the guest go on.  A signal of its own ends the wait when the guest's call must end.
 */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel/hostsig.h"
#include "kernel/idle.h"
#include "kernel/signal.h"
#include "kernel/sys.h"
#include "kernel/syscall.h"
#include "kernel/task.h"
#include "kernel/timer.h"
#include "kernel/wait.h"

#define STACK_BYTES 65536u
#define LOOK_NS 50000 /* host time between two looks at a helper */
#define SETTLE_LOOKS 2000u

/* Owned by the waiting task; lost with it if another ends the process or calls execve. */
struct helper {
	pthread_t thread;
	unsigned nr;
	uint64_t a[6];
	int64_t r;
	_Atomic pid_t tid; /* 0: not up yet */
	_Atomic bool done;
};

static void *run(void *p)
{
	struct helper *h = p;

	atomic_store(&h->tid, gettid());
	h->r = sys_host(h->nr, h->a);
	atomic_store(&h->done, true);
	return NULL;
}

static bool begin(struct helper *h)
{
	pthread_attr_t at;
	sigset_t others, old;
	bool ok;

	sigfillset(&others);
	sigdelset(&others, HOSTSIG_WAKES_HELPER);
	pthread_attr_init(&at);
	pthread_attr_setstacksize(&at, STACK_BYTES);
	pthread_sigmask(SIG_SETMASK, &others, &old);
	ok = !pthread_create(&h->thread, &at, run, h);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	pthread_attr_destroy(&at);
	return ok;
}

static void look(long ns)
{
	const struct timespec ts = { 0, ns };

	nanosleep(&ts, NULL);
}

/*
 * Until it is done, or asleep in its call: virtual time must not jump over what it is about to do.  A host
 * that does not come to that in a while is left to itself.
 */
static void settle(struct helper *h)
{
	for (unsigned n = 0; n < SETTLE_LOOKS && !atomic_load(&h->done); n++) {
		pid_t tid = atomic_load(&h->tid);

		if (tid && idle_host_state(tid) == 'S')
			return;
		look(LOOK_NS);
	}
}

static int64_t end(struct helper *h, bool interrupt, int64_t instead)
{
	int64_t r;

	while (interrupt && !atomic_load(&h->done)) {
		pthread_kill(h->thread, HOSTSIG_WAKES_HELPER);
		look(LOOK_NS);
	}
	pthread_join(h->thread, NULL);
	r = h->r;
	free(h);
	return r == -EINTR || (r <= -512 && r >= -516) ? instead : r;
}

int64_t wait_helper(struct kernel *k, unsigned nr, const uint64_t a[6], uint64_t until, bool outside)
{
	struct helper *h = xcalloc(1, sizeof(*h));

	h->nr = nr;
	memcpy(h->a, a, sizeof(h->a));
	if (!begin(h)) {
		free(h);
		return hostsig_syscall(nr, a);
	}
	for (;;) {
		settle(h);
		if (atomic_load(&h->done))
			return end(h, false, -ERESTARTSYS);
		timers_expire(k);
		signal_collect(k);
		if (signal_is_due(k) || k->timed_out)
			return end(h, true, -ERESTARTSYS);
		if (k->clock.now_ns >= until)
			return end(h, true, -ETIMEDOUT);
		task_wait(k, until, true, outside);
	}
}
