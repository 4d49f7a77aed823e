/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls over virtual time: see timeline.h. */
#include "run/timeline.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "run/account.h"

struct timeline {
	_Atomic size_t n;
	struct timeline_call at[TIMELINE_MAX];
};

struct timeline *timeline_new(void)
{
	struct timeline *t = mmap(NULL, sizeof(*t), PROT_READ | PROT_WRITE,
				  MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return t == MAP_FAILED ? NULL : t;
}

void timeline_free(struct timeline *t)
{
	if (t)
		munmap(t, sizeof(*t));
}

void timeline_note(struct timeline *t, struct kernel *k, struct timeline_call c)
{
	enum time_call call = time_call_of_syscall(c.nr);
	size_t i;

	c.start_ns -= k->clock.start_ns;
	c.end_ns = k->clock.now_ns - k->clock.start_ns;
	c.pid = k->proc.pid;
	c.tid = k->proc.current ? k->proc.current->tid : k->proc.pid;
	if (call != CALL_COUNT)
		account_history(k->account, (enum call_path)c.path, c.start_ns, 1);
	if (!t)
		return;
	i = atomic_fetch_add(&t->n, 1);
	if (i < TIMELINE_MAX)
		t->at[i] = c;
}

static int by_start(const void *a, const void *b)
{
	const struct timeline_call *x = a, *y = b;

	if (x->start_ns != y->start_ns)
		return x->start_ns < y->start_ns ? -1 : 1;
	if (x->pid != y->pid)
		return x->pid < y->pid ? -1 : 1;
	return x->end_ns < y->end_ns ? -1 : x->end_ns > y->end_ns;
}

size_t timeline_sort(struct timeline *t, size_t *dropped)
{
	size_t n = t ? t->n : 0;

	*dropped = n > TIMELINE_MAX ? n - TIMELINE_MAX : 0;
	n -= *dropped;
	if (n)
		qsort(t->at, n, sizeof(t->at[0]), by_start);
	return n;
}

const struct timeline_call *timeline_at(const struct timeline *t, size_t i)
{
	return &t->at[i];
}
