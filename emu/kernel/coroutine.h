/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Host stacks to switch between.  They know nothing of guests; the scheduler gives each task one.
 */
#ifndef VSYSEMU_KERNEL_COROUTINE_H
#define VSYSEMU_KERNEL_COROUTINE_H

struct coroutine;

/* One that will call @body(@ctx) when it is first switched to; @body must not return.  NULL: no memory. */
struct coroutine *coroutine_new(void (*body)(void *ctx), void *ctx);
/* The stack that runs already, to switch back to. */
struct coroutine *coroutine_main(void);
void coroutine_free(struct coroutine *co); /* not the one that runs; NULL is fine */

/* Leave @from, which runs, for @to. */
void coroutine_switch(struct coroutine *from, struct coroutine *to);

#endif
