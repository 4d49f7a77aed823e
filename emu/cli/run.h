/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Running a guest for the verbs that do. */
#ifndef VSYSEMU_CLI_RUN_H
#define VSYSEMU_CLI_RUN_H

#include "cli/options.h"
#include "kernel/kernel.h"

/* What a run borrows: lives as long as the kernel. */
struct run_files {
	struct guest_options opt;
	struct watch *watch; /* run/watch.h; set before run_guest(); NULL: none */
	char *path, *sysroot, **envp; /* owned */
	VEC(char *) argv;
	VEC(const char *) auxv;
};

/* Before anything else: with an unlimited stack the host lays libraries out where the guest belongs; then the program
 * is executed anew, with the same arguments, under another limit, which the guest does not see. */
void run_layout(void);
/* The model that the options choose; to be freed with model_free() in any case. */
bool run_model(const struct options *o, struct model *m, struct err *e);
/* Run o->argv to its end in @k.  run_free() and run_files_free() are due in any case. */
bool run_guest(const struct options *o, const struct model *m, struct kernel *k, struct run_files *f, struct err *e);
void run_files_free(struct run_files *f);
/* The exit status of CONTRACT: the guest's, 128 + signal, 124. */
int run_status(const struct kernel *k);

#endif
