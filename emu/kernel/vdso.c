/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vDSO of the guest: see vdso.h. */
#include "kernel/vdso.h"

#include "kernel/kernel.h"

bool vdso_check(struct kernel *k, struct err *e)
{
	(void)k;
	(void)e;
	return true;
}

bool vdso_map(struct kernel *k, struct err *e)
{
	(void)e;
	k->proc.vdso = 0;
	return true;
}

void vdso_tick(struct kernel *k)
{
	(void)k;
}

enum vdso_function vdso_function_at(const struct kernel *k, gaddr pc)
{
	(void)k;
	(void)pc;
	return VDSO_NO_FUNCTION;
}

enum vdso_function vdso_enter(struct kernel *k, gaddr pc)
{
	return vdso_function_at(k, pc);
}

bool vdso_contains(const struct kernel *k, gaddr pc)
{
	(void)k;
	(void)pc;
	return false;
}

struct vdso_lines vdso_lines(const struct kernel *k, enum vdso_function f, int64_t clock_id)
{
	(void)k;
	(void)f;
	(void)clock_id;
	return (struct vdso_lines){ 0, 0 };
}

void vdso_free(struct kernel *k)
{
	(void)k;
}
