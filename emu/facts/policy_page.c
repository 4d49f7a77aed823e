/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The page as each mode sets it up, the ordinary signals of the faults around it, and what follows
 * an emulated return.  Truth: Linux vsyscall_emu_64.S, map_vsyscall(), get_gate_vma(), mm/fault.c.
 */
#include "facts/policy_impl.h"

enum { SLOT_BYTES = 0x400, SLOTS = 3 };

static const int entry_calls[SLOTS] = { 96, 201, 309 };

int vsysemu_entry_nr(uint64_t addr)
{
	unsigned nr = (unsigned)(addr >> 10 & 3);

	return (addr & ~0xc00ull) == VSYSEMU_PAGE && nr < SLOTS ? (int)nr : -22;
}

int vsysemu_entry_call(int nr)
{
	return nr >= 0 && nr < SLOTS ? entry_calls[nr] : -1;
}

struct vsysemu_page vsysemu_page_of(const struct vsysemu_profile *p, enum vsysemu_mode mode)
{
	static const struct vsysemu_page code = { true, true, true, "r-xp" };
	static const struct vsysemu_page data = { true, true, false, "r-xp" };
	/* In the kernel's page tables only: user accesses find nothing. */
	static const struct vsysemu_page hidden = { false, false, false, "r-xp" };
	static const struct vsysemu_page xonly = { false, false, false, "--xp" };
	static const struct vsysemu_page nothing = { false, false, false, NULL };

	if (p->compiled_out || !vsysemu_mode_valid(p->era, mode))
		return nothing;
	switch (mode) {
	case VSYSEMU_NATIVE:
		return code;
	case VSYSEMU_EMULATE:
		if (p->era <= VSYSEMU_E1C)
			return code;
		return p->unreadable ? hidden : data;
	case VSYSEMU_XONLY:
		return xonly;
	default:
		return p->none_mapped ? data : nothing;
	}
}

bool vsysemu_page_bytes(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			uint8_t bytes[VSYSEMU_PAGE_BYTES])
{
	for (unsigned i = 0; i < VSYSEMU_PAGE_BYTES; i++)
		bytes[i] = 0xcc;
	if (p->era == VSYSEMU_E0 || !vsysemu_page_of(p, mode).present)
		return false;
	for (int nr = 0; nr < SLOTS; nr++) {
		uint8_t *b = bytes + nr * SLOT_BYTES;

		if (p->era <= VSYSEMU_E1C) {
			b[0] = 0xcd; /* int 0xcc */
			continue;
		}
		b[0] = 0x48; /* mov $nr, %rax; syscall; ret */
		b[1] = 0xc7;
		b[2] = 0xc0;
		b[3] = (uint8_t)entry_calls[nr];
		b[4] = (uint8_t)(entry_calls[nr] >> 8);
		b[5] = b[6] = 0;
		b[7] = 0x0f;
		b[8] = 0x05;
		b[9] = 0xc3;
	}
	return true;
}

bool policy_lass_on(const struct vsysemu_profile *p, enum vsysemu_mode mode)
{
	return p->lass && p->era >= VSYSEMU_E9 && mode != VSYSEMU_EMULATE;
}

static struct vsysemu_signal exception(int signo, uint64_t trapno, uint64_t error)
{
	return (struct vsysemu_signal){
		.signo = signo, .code = CODE_KERNEL, .forced = true, .trap_set = true,
		.trapno = trapno, .error = error,
	};
}

static struct vsysemu_signal page_fault(const struct vsysemu_profile *p, int signo, int code,
					uint64_t addr, uint64_t error)
{
	return (struct vsysemu_signal){
		.signo = signo, .code = code, .addr = addr, .forced = true, .trap_set = true,
		.cr2_set = true, .trapno = VSYSEMU_VEC_PF, .cr2 = addr,
		.error = addr >= p->task_size ? error | VSYSEMU_PF_P : error,
	};
}

void vsysemu_ordinary_signal(const struct vsysemu_profile *p, const struct vsysemu_frame *f,
			     struct vsysemu_signal *s)
{
	bool below = f->addr < p->task_size;

	*s = (struct vsysemu_signal){ .signo = 0 };
	if ((f->cs & 3) != 3 || (f->vector == VSYSEMU_VEC_PF && !(f->error_code & VSYSEMU_PF_U)))
		return;
	if (f->vector == VSYSEMU_VEC_INT0XCC)
		*s = exception(SIGNO_SEGV, VSYSEMU_VEC_GP,
			       p->fred ? 0 : VSYSEMU_VEC_INT0XCC * 8 + 2);
	else if (f->vector == VSYSEMU_VEC_GP)
		*s = exception(SIGNO_SEGV, VSYSEMU_VEC_GP, f->error_code);
	else if (f->vector == VSYSEMU_VEC_BP)
		*s = exception(SIGNO_TRAP, VSYSEMU_VEC_BP, 0);
	else if (f->vector == VSYSEMU_VEC_PF && below && f->bus)
		*s = page_fault(p, SIGNO_BUS, CODE_BUS_ADRERR, f->addr, f->error_code);
	else if (f->vector == VSYSEMU_VEC_PF)
		*s = page_fault(p, SIGNO_SEGV, below && f->mapped ? CODE_ACCERR : CODE_MAPERR,
				f->addr, f->error_code);
}

/* Canonical addresses end one page above task_size; past them a fetch is #GP, not #PF. */
static bool landing(const struct vsysemu_profile *p, enum vsysemu_mode mode, uint64_t rip,
		    struct vsysemu_signal *s)
{
	uint64_t canonical = p->task_size + VSYSEMU_PAGE_BYTES;

	if (rip < p->task_size || (rip & ~(uint64_t)(VSYSEMU_PAGE_BYTES - 1)) == VSYSEMU_PAGE)
		return false;
	if ((rip >= canonical && rip < -canonical) || (rip >= -canonical && policy_lass_on(p, mode)))
		*s = exception(SIGNO_SEGV, VSYSEMU_VEC_GP, 0);
	else
		*s = page_fault(p, SIGNO_SEGV, CODE_MAPERR, rip, VSYSEMU_PF_U | VSYSEMU_PF_I);
	return true;
}

void policy_return(const struct vsysemu_profile *p, enum vsysemu_mode mode,
		   struct vsysemu_verdict *v)
{
	v->rip = v->caller;
	v->rsp += sizeof(v->caller);
	if (v->kind == VSYSEMU_SIGNAL)
		return;
	v->kind = VSYSEMU_RETURN;
	v->landing_faults = landing(p, mode, v->rip, &v->landing);
}
