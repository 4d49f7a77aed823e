/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The loop: run, trap, act, charge, record.  It joins the engine, the kernel side, the account and the
 * trace, and is the only place that charges time.
 */
#ifndef VSYSEMU_RUN_LOOP_H
#define VSYSEMU_RUN_LOOP_H

#include "base/err.h"
#include "kernel/kernel.h"

/* What to run; strings borrowed for the whole run. */
struct run_request {
	const struct model *model;
	const struct guest_options *opt;
	const char *path; /* of the program, already looked up */
	char *const *argv, *const *envp; /* NULL-terminated */
	const char *sysroot; /* absolute, no trailing slash; NULL: none */
	struct watch *watch; /* run/watch.h; NULL: none */
	int warn_fd; /* where one line about the engine goes; -1: nowhere */
};

/*
 * Run @r in @k (zeroed) to its end: k->outcome says how it ended.  False: it could not be started (@e,
 * with status 125, 126 or 127).  In either case run_free() is due.
 * In a forked child this function does not return: the child ends with the guest's status.
 */
bool run_program(const struct run_request *r, struct kernel *k, struct err *e);
void run_free(struct kernel *k);

/* The accounts of all processes of the tree added up, for the report; static storage. */
const struct account *run_total(struct kernel *k);
/* Account of process number @i of the tree in order of their creation, with its virtual id; NULL: past
 * the last. */
const struct account *run_process(struct kernel *k, size_t i, pid_t *pid);

/* The calls one by one, if the options asked for them; NULL. */
struct timeline *run_timeline(struct kernel *k);

/* The call sites; NULL: there was no memory. */
struct sites *run_sites(struct kernel *k);

#endif
