/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The vDSO of the guest: the image of the kernel profile's generation (facts/vdsogen.h) or one given
 * as a file, the data pages beside it, and their refresh with the sequence protocol of that
 * generation.  The numbers in the pages are those of struct clock, so a vDSO read and a system call
 * agree.  Truth: arch/x86/entry/vdso and arch/x86/vdso, kernel/time/vsyscall.c.
 */
#ifndef VSYSEMU_KERNEL_VDSO_H
#define VSYSEMU_KERNEL_VDSO_H

#include "base/err.h"
#include "base/types.h"
#include "facts/cost.h"

struct kernel;

/* What a vDSO function does, for counting.  The first five are enum time_call's. */
enum vdso_function {
	VDSO_GETTIMEOFDAY = CALL_GETTIMEOFDAY,
	VDSO_TIME = CALL_TIME,
	VDSO_GETCPU = CALL_GETCPU,
	VDSO_CLOCK_GETTIME = CALL_CLOCK_GETTIME,
	VDSO_CLOCK_GETRES = CALL_CLOCK_GETRES,
	VDSO_GETRANDOM = CALL_COUNT,
	VDSO_NO_FUNCTION
};

/*
 * Map image and data pages of the profile (k->opt->vdso: NULL or "auto" the profile's own, "off" none,
 * else a file) into the empty space of a new program, fill the data pages, set k->proc.vdso to what
 * AT_SYSINFO_EHDR says (0: none) and make the code an engine zone.  Call it at each execve: after
 * memory_clear(), engine_clear_zones() and the mapping of the stack (k->proc.stack_top is set;
 * kernels before 6.13 put it just above), before the auxiliary vector is written.  A given file that
 * is no vDSO is an error (status 125).  Its own note names the kernel whose layout its data gets; without
 * one it is the profile's, with a warning; one from before 3.15 had its data at kernel addresses and is not
 * used, with a warning.
 */
bool vdso_map(struct kernel *k, struct err *e);

/* Check k->opt->vdso without mapping anything: so that a bad file is told before anything runs. */
bool vdso_check(struct kernel *k, struct err *e);

/*
 * Refresh the data pages from k->clock: after clock_update() answered true, after a wake from idle,
 * and after clock_settime().  Sequence words end up even and moved by 2.  Does nothing without a vDSO.
 */
void vdso_tick(struct kernel *k);

/* The function whose entry is @pc: VDSO_NO_FUNCTION if it is none (inner block, other code). */
enum vdso_function vdso_function_at(const struct kernel *k, gaddr pc);

/* A function of the vDSO is about to run and the clock is up to date: bring what the code reads from a
 * device's page (the HPET's counter) up to date too. */
void vdso_enter(struct kernel *k);

/* True if @pc lies in the vDSO's text. */
bool vdso_contains(const struct kernel *k, gaddr pc);

/* Name of mappings that exist for the data of kernels which kept it outside user space; /proc/self/maps
 * does not show them. */
#define VDSO_HIDDEN_NAME "[hidden]"

/* Forget the mapping (the process ends); frees what vdso_map() allocated. */
void vdso_free(struct kernel *k);

#endif
