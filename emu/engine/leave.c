/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Leaving translated code: see leave.h.  The library keeps a table from host to guest addresses for each
 * translation; restoring needs a host address inside translated code.  It is the faulting one, or the
 * return address into translated code found by unwinding through the helper that faulted.
 */
#include "engine/leave.h"

#include <elf.h>
#include <link.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>
#include <unwind.h>

#include "engine/fault.h"
#include "engine/repair.h"

#define JIT_MIN_BYTES ((uintptr_t)64 << 20)
#define ERR_PRESENT_WRITE 3u
#define ERR_USER 4u

static struct {
	void (*told)(void *ctx, const struct leave_fault *f);
	void *ctx;
	uintptr_t jit_start, jit_end; /* the library's code buffer */
	uintptr_t own_start, own_end; /* our executable: its faults are bugs */
	uintptr_t host_pc, found;
	volatile bool armed;
	struct leave_fault fault;
} leave;

static bool in_jit(uintptr_t pc)
{
	return pc >= leave.jit_start && pc < leave.jit_end;
}

/* A load's helper is called from the translation's tail, behind whose call stands a jump back to the place
 * that the table knows. */
static uintptr_t follow_tail(uintptr_t pc)
{
	for (unsigned k = 0; k < 5; k++) {
		const uint8_t *p = (const uint8_t *)pc + k;
		uintptr_t to;
		int32_t rel;

		if (*p != 0xe9)
			continue;
		memcpy(&rel, p + 1, 4);
		to = pc + k + 5 + (uintptr_t)(intptr_t)rel;
		if (in_jit(to) && to < pc && pc - to < 65536)
			return to;
	}
	return pc;
}

static _Unwind_Reason_Code frame(struct _Unwind_Context *c, void *arg)
{
	uintptr_t pc = _Unwind_GetIP(c);

	(void)arg;
	if (!in_jit(pc))
		return _URC_NO_REASON;
	leave.found = follow_tail(pc);
	return _URC_END_OF_STACK;
}

bool leave_restore(void)
{
	leave.found = 0;
	if (!leave.told)
		return false;
	_Unwind_Backtrace(frame, NULL);
	if (leave.found)
		repair_restore(leave.found);
	return leave.found;
}

/* Runs on the normal stack as if the faulting code had called it. */
static void leave_now(void)
{
	bool running = true;

	if (in_jit(leave.host_pc))
		repair_restore(leave.host_pc);
	else
		running = leave_restore();
	leave.fault.translating = !running;
	leave.told(leave.ctx, &leave.fault);
	repair_loop_exit();
}

static bool on_fault(int signo, siginfo_t *si, void *context)
{
	ucontext_t *uc = context;
	greg_t *reg = uc->uc_mcontext.gregs;
	uintptr_t pc = (uintptr_t)reg[REG_RIP], sp = (uintptr_t)reg[REG_RSP];

	if (!leave.armed || (pc >= leave.own_start && pc < leave.own_end))
		return false;
	leave.host_pc = pc;
	leave.fault = (struct leave_fault){
		.addr = (gaddr)(uintptr_t)si->si_addr,
		.code = ((uint32_t)reg[REG_ERR] & ERR_PRESENT_WRITE) | ERR_USER,
		.bus = signo == SIGBUS,
		.noncanonical = signo == SIGSEGV && si->si_code == SI_KERNEL,
		.direct = in_jit(pc),
	};
	if (in_jit(pc)) {
		/* Translated code keeps nothing below its stack pointer that is needed again. */
		sp = ((sp - 256) & ~(uintptr_t)15) - 8;
		*(uintptr_t *)sp = 0;
	} else {
		sp -= 8;
		*(uintptr_t *)sp = pc + 1; /* the unwinder looks up the address before it */
	}
	reg[REG_RSP] = (greg_t)sp;
	reg[REG_RIP] = (greg_t)(uintptr_t)leave_now;
	return true;
}

static int find_own(struct dl_phdr_info *info, size_t size, void *arg)
{
	(void)size;
	(void)arg;
	for (int i = 0; i < info->dlpi_phnum; i++) {
		const ElfW(Phdr) *p = &info->dlpi_phdr[i];
		uintptr_t start = info->dlpi_addr + p->p_vaddr;

		if (p->p_type == PT_LOAD && p->p_flags & PF_X && (uintptr_t)leave_set >= start &&
		    (uintptr_t)leave_set < start + p->p_memsz) {
			leave.own_start = start;
			leave.own_end = start + p->p_memsz;
			return 1;
		}
	}
	return 0;
}

static bool find_jit(void)
{
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	unsigned long a, b;
	char prot[5];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %4s", &a, &b, prot) == 3 && !strncmp(prot, "rwx", 3) &&
		    b - a > JIT_MIN_BYTES) {
			leave.jit_start = a;
			leave.jit_end = b;
		}
	if (f)
		fclose(f);
	return leave.jit_start;
}

bool leave_set(void (*told)(void *ctx, const struct leave_fault *f), void *ctx)
{
	if (!repair_can_unwind() || !find_jit())
		return false;
	dl_iterate_phdr(find_own, NULL);
	leave.told = told;
	leave.ctx = ctx;
	fault_set(on_fault);
	return true;
}

void leave_arm(bool armed)
{
	leave.armed = armed;
}
