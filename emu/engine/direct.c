/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guarded direct loads: see direct.h.  The translator's functions that emit operations are called through the
 * PLT, so those defined here win (as in repair.c); what is emitted are other operations of the same code generator,
 * QEMU 5.0's tcg/tcg-opc.h.  Layouts that are used: TCGOpDef (32 bytes, name first, flags in byte 12), where the
 * context keeps its table of them, and TranslationBlock's pc.  All of it is tried before it is believed.
 */
#include "engine/direct.h"

#include <dlfcn.h>
#include <string.h>
#include <sys/uio.h>
#include <unistd.h>

#include "engine/fault.h"

#define LIB(name) name##_x86_64
#define OPDEFS_OFFSET 0x9968 /* of TCGContext.tcg_op_defs */
#define OPDEFS_MAX 250u
#define SIDE_EFFECTS 8u /* TCG_OPF_SIDE_EFFECTS: registers are written back before it, it is never dropped */
#define TYPE_I64 1
#define MEMOP_SIGNED_SIZE 7u /* MO_SIZE | MO_SIGN */
#define GUARD_FROM 46 /* bits: the window's end */
#define GUARD_TO 47

struct op_def {
	const char *name;
	uint8_t outputs, inputs, constants, args, flags;
	const void *constraints;
	const int *sorted;
};

typedef void qemu_ld_fn(void *s, uintptr_t val, uintptr_t addr, uintptr_t idx, unsigned memop);

static struct direct {
	void *context;
	struct op_def *defs;
	bool looked, on, in_store;
	bool own_loads; /* of the library, in the block that is translated */
	gaddr avoid;
	int load[2][8], or_i64; /* operations; -1: none */
	void (*gen_intermediate_code)(void *cpu, void *tb, int max_insns);
	void (*check_exit_request)(void *s);
	void (*op3)(void *s, int op, uintptr_t a, uintptr_t b, uintptr_t c);
	void (*shri)(void *s, uintptr_t ret, uintptr_t a, int64_t n), (*shli)(void *s, uintptr_t ret, uintptr_t a, int64_t n);
	void *(*temp_new)(void *s, int type, bool local);
	void (*temp_free)(void *s, void *t);
	qemu_ld_fn *ld_i32, *ld_i64, *st_i32, *st_i64;
} direct;

static void look_up(void)
{
	if (direct.looked)
		return;
	direct.looked = true;
#define GET(field, name) *(void **)&direct.field = dlsym(RTLD_NEXT, name "_x86_64")
	GET(gen_intermediate_code, "gen_intermediate_code");
	GET(check_exit_request, "check_exit_request");
	GET(op3, "tcg_gen_op3");
	GET(shri, "tcg_gen_shri_i64");
	GET(shli, "tcg_gen_shli_i64");
	GET(temp_new, "tcg_temp_new_internal");
	GET(temp_free, "tcg_temp_free_internal");
	GET(ld_i32, "tcg_gen_qemu_ld_i32");
	GET(ld_i64, "tcg_gen_qemu_ld_i64");
	GET(st_i32, "tcg_gen_qemu_st_i32");
	GET(st_i64, "tcg_gen_qemu_st_i64");
#undef GET
}

/* Read our own memory at a place that may not be one. */
static bool peek(void *dst, const void *src, size_t n)
{
	struct iovec l = { dst, n }, r = { (void *)(uintptr_t)src, n };

	return process_vm_readv(getpid(), &l, 1, &r, 1, 0) == (ssize_t)n;
}

static int op_find(const char *name)
{
	for (unsigned i = 0; i < OPDEFS_MAX; i++) {
		struct op_def d;
		char text[24] = "";

		if (!peek(&d, &direct.defs[i], sizeof(d)) || !peek(text, d.name, sizeof(text) - 1))
			return -1;
		if (!strcmp(text, name))
			return (int)i;
	}
	return -1;
}

const char *direct_missing(void)
{
	/* By size, and by size with a sign. */
	static const char *const names[2][8] = {
		{ "ld8u_i32", "ld16u_i32", "ld_i32", NULL, "ld8s_i32", "ld16s_i32", "ld_i32", NULL },
		{ "ld8u_i64", "ld16u_i64", "ld32u_i64", "ld_i64", "ld8s_i64", "ld16s_i64", "ld32s_i64", "ld_i64" },
	};
	char first[8];
	struct op_def d;

	look_up();
	if (!direct.context || !direct.gen_intermediate_code || !direct.check_exit_request || !direct.op3 ||
	    !direct.shri || !direct.shli || !direct.temp_new || !direct.temp_free || !direct.ld_i32 ||
	    !direct.ld_i64 || !direct.st_i32 || !direct.st_i64)
		return "the functions";
	if (!peek(&direct.defs, (char *)direct.context + OPDEFS_OFFSET, sizeof(direct.defs)) ||
	    !peek(&d, direct.defs, sizeof(d)) || !peek(first, d.name, sizeof(first)) || strcmp(first, "discard"))
		return "the table of operations";
	direct.or_i64 = op_find("or_i64");
	for (unsigned w = 0; w < 2; w++)
		for (unsigned i = 0; i < 8; i++) {
			direct.load[w][i] = names[w][i] ? op_find(names[w][i]) : -1;
			if (names[w][i] && direct.load[w][i] < 0)
				return "the operations";
		}
	return direct.or_i64 < 0 ? "the operations" : NULL;
}

/* A load of the vsyscall page would read the host's, if it lets it be read. */
static bool host_page_readable(void)
{
	uint8_t b;

	return !fault_copy(&b, (const void *)(uintptr_t)VSYSCALL_PAGE, 1);
}

void direct_enable(bool on)
{
	if (on && host_page_readable())
		on = false;
	direct.on = on;
	direct.avoid = 0;
	for (unsigned w = 0; on && w < 2; w++)
		for (unsigned i = 0; i < 8; i++)
			if (direct.load[w][i] >= 0)
				direct.defs[direct.load[w][i]].flags |= SIDE_EFFECTS;
}

bool direct_enabled(void)
{
	return direct.on;
}

void direct_avoid(gaddr pc)
{
	direct.avoid = pc;
}

/* ---- what the library calls ---- */

void direct_context(void *s)
{
	direct.context = s;
}

int direct_begin(gaddr pc, int max_insns)
{
	bool alone = direct.avoid && pc == direct.avoid;

	direct.in_store = false;
	/* The vsyscall page's own code reads its neighbourhood. */
	direct.own_loads = alone || pc >= WINDOW_END;
	return alone ? 1 : max_insns;
}

void direct_end(void)
{
	direct.own_loads = false;
}

/* The check behind an access is for call-backs that stop the library without leaving its code: ours leave. */
void LIB(check_exit_request)(void *s);
void LIB(check_exit_request)(void *s)
{
	look_up();
	if (!direct.in_store)
		direct.check_exit_request(s);
}

/* False: the library's own load must do it. */
static bool load(void *s, unsigned wide, uintptr_t val, uintptr_t addr, unsigned memop)
{
	uintptr_t base = (uintptr_t)s, t;
	void *temp;

	if (!direct.on || direct.own_loads || memop & ~MEMOP_SIGNED_SIZE || direct.load[wide][memop] < 0)
		return false;
	/* Values are named by their distance from the context, operands by their address. */
	temp = direct.temp_new(s, TYPE_I64, false);
	t = (uintptr_t)temp - base;
	direct.shri(s, t, addr, GUARD_FROM);
	direct.shli(s, t, t, GUARD_TO);
	direct.op3(s, direct.or_i64, base + t, base + t, base + addr);
	direct.op3(s, direct.load[wide][memop], base + val, base + t, 0);
	direct.temp_free(s, temp);
	return true;
}

qemu_ld_fn LIB(tcg_gen_qemu_ld_i32), LIB(tcg_gen_qemu_ld_i64), LIB(tcg_gen_qemu_st_i32), LIB(tcg_gen_qemu_st_i64);

void LIB(tcg_gen_qemu_ld_i32)(void *s, uintptr_t val, uintptr_t addr, uintptr_t idx, unsigned memop)
{
	look_up();
	if (!load(s, 0, val, addr, memop))
		direct.ld_i32(s, val, addr, idx, memop);
}

void LIB(tcg_gen_qemu_ld_i64)(void *s, uintptr_t val, uintptr_t addr, uintptr_t idx, unsigned memop)
{
	look_up();
	if (!load(s, 1, val, addr, memop))
		direct.ld_i64(s, val, addr, idx, memop);
}

void LIB(tcg_gen_qemu_st_i32)(void *s, uintptr_t val, uintptr_t addr, uintptr_t idx, unsigned memop)
{
	look_up();
	direct.in_store = direct.on;
	direct.st_i32(s, val, addr, idx, memop);
	direct.in_store = false;
}

void LIB(tcg_gen_qemu_st_i64)(void *s, uintptr_t val, uintptr_t addr, uintptr_t idx, unsigned memop)
{
	look_up();
	direct.in_store = direct.on;
	direct.st_i64(s, val, addr, idx, memop);
	direct.in_store = false;
}
