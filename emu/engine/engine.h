/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The processor.  The contract between the engine (Unicorn today) and the kernel side: run until
 * exactly one trap is due, say which, with exact registers; calling again goes on.  The engine
 * knows no Linux: no signals, no system calls, no policy, no prices beyond a number a block.
 */
#ifndef VSYSEMU_ENGINE_ENGINE_H
#define VSYSEMU_ENGINE_ENGINE_H

#include "base/err.h"
#include "base/types.h"

struct engine;
struct memory;

/* <signal.h> brings an enum of the host's ucontext with the same names (each also a macro) in another
 * order.  Everywhere above the engine REG_* means the numbers below; a file that looks into a host
 * ucontext must not include this header. */
#include <signal.h>
#undef REG_RAX
#define REG_RAX GREG_RAX
#undef REG_RCX
#define REG_RCX GREG_RCX
#undef REG_RDX
#define REG_RDX GREG_RDX
#undef REG_RBX
#define REG_RBX GREG_RBX
#undef REG_RSP
#define REG_RSP GREG_RSP
#undef REG_RBP
#define REG_RBP GREG_RBP
#undef REG_RSI
#define REG_RSI GREG_RSI
#undef REG_RDI
#define REG_RDI GREG_RDI
#undef REG_R8
#define REG_R8 GREG_R8
#undef REG_R9
#define REG_R9 GREG_R9
#undef REG_R10
#define REG_R10 GREG_R10
#undef REG_R11
#define REG_R11 GREG_R11
#undef REG_R12
#define REG_R12 GREG_R12
#undef REG_R13
#define REG_R13 GREG_R13
#undef REG_R14
#define REG_R14 GREG_R14
#undef REG_R15
#define REG_R15 GREG_R15
#undef REG_RIP
#define REG_RIP GREG_RIP

/* General registers in the processor's encoding order, then the rest. */
enum reg {
	REG_RAX, REG_RCX, REG_RDX, REG_RBX, REG_RSP, REG_RBP, REG_RSI, REG_RDI,
	REG_R8, REG_R9, REG_R10, REG_R11, REG_R12, REG_R13, REG_R14, REG_R15,
	REG_RIP, REG_RFLAGS, REG_FS_BASE, REG_GS_BASE,
	REG_CS, REG_SS, REG_DS, REG_ES, REG_FS, REG_GS, /* selectors as the guest sees them */
	REG_COUNT
};

#define RFLAGS_CF 0x1u
#define RFLAGS_ZF 0x40u
#define RFLAGS_TF 0x100u
#define RFLAGS_IF 0x200u
#define RFLAGS_DF 0x400u
#define RFLAGS_RF 0x10000u

/* Everything a context switch, fork or signal frame needs. */
struct cpu_state {
	uint64_t reg[REG_COUNT];
	_Alignas(16) uint8_t fxsave[512]; /* FXSAVE64 image, SDM vol. 1, 10.5.1 */
};

/* Exception vectors (SDM vol. 3, 6.3.1). */
enum {
	VEC_DE = 0, VEC_DB = 1, VEC_BP = 3, VEC_OF = 4, VEC_UD = 6, VEC_DF = 8, VEC_NP = 11,
	VEC_SS = 12, VEC_GP = 13, VEC_PF = 14, VEC_MF = 16, VEC_AC = 17, VEC_XM = 19
};

/* Page-fault error code bits (SDM vol. 3, 4.7).  <elf.h> has a macro of that name (and value). */
#undef PF_W
enum { PF_P = 1, PF_W = 2, PF_U = 4, PF_RSVD = 8, PF_I = 16 };

enum trap_kind {
	/* SYSCALL was executed: RIP is the instruction after it; RCX and R11 are still the guest's
	 * (the kernel side sets them as the processor does). */
	TRAP_SYSCALL,
	/* `int n` in 64-bit code (CD ib), n = vector: RIP is the instruction itself, nothing done;
	 * @next is the address after it.  What vectors exist is the kernel side's matter. */
	TRAP_INT,
	/* A processor exception.  #DB (TF) and #BP are traps: RIP is after the instruction; all
	 * others are faults: RIP is the instruction, registers and flags as before it. */
	TRAP_EXCEPTION,
	/* The zone callback answered ZONE_STOP: RIP is the block's start, nothing of it ran. */
	TRAP_ZONE,
	/* The deadline is reached: RIP is a block's start, nothing of it ran. */
	TRAP_DEADLINE,
	/* engine_interrupt() was called (host signal): as TRAP_DEADLINE. */
	TRAP_INTERRUPT,
	/* A bug or limit of the engine itself; engine_strerror() has a line. */
	TRAP_ENGINE
};

struct trap {
	enum trap_kind kind;
	uint8_t vector; /* TRAP_INT, TRAP_EXCEPTION */
	bool bus; /* #PF only: mapped, but the host says SIGBUS (file page past its end) */
	uint32_t error_code; /* hardware error code; for #PF without the P bit forced by Linux */
	gaddr addr; /* #PF: CR2.  Non-canonical accesses are #GP (or #SS by RSP/RBP) with 0. */
	gaddr rip; /* where RIP stands now */
	gaddr next; /* TRAP_INT: the address after the instruction */
};

enum zone_action {
	ZONE_RUN, /* execute the block */
	ZONE_MOVED, /* the callback did its work and changed registers (RIP too): go on from there */
	ZONE_STOP /* do not execute it: engine_run() returns TRAP_ZONE */
};

/* A block that is about to run, told to ops.watch. */
struct engine_watch {
	gaddr pc;
	uint32_t bytes;
	bool follows; /* the block before it ran to its end and led here */
	uint64_t insns, cost; /* before it */
};

/* What the engine asks of its owner.  All are called on the thread inside engine_run(). */
struct engine_ops {
	void *ctx;
	/* Before each block that starts inside a zone (see engine_add_zone).  May use engine_get/set.
	 * @insns, @cost: what the block is about to be charged; with ZONE_RUN it is, else not. */
	enum zone_action (*zone)(void *ctx, gaddr pc, uint32_t insns, uint32_t cost);
	/* At a SYSCALL, registers as at TRAP_SYSCALL; NULL: every one is such a trap.  ZONE_RUN: be it so.
	 * ZONE_MOVED: the owner did the call, RIP is the same, go on; ZONE_STOP: it did, return TRAP_ZONE. */
	enum zone_action (*syscall)(void *ctx);
	/* Price of a block in 1/16 core cycles, asked once when it is first seen (and again after it
	 * changed).  @code has @bytes readable bytes and @insns instructions.  NULL: 16 * @insns. */
	uint32_t (*price)(void *ctx, gaddr pc, const uint8_t *code, uint32_t bytes, uint32_t insns);
	/* Value of RDTSC/RDTSCP in TSC ticks; *aux gets RDTSCP's ECX (TSC_AUX).  @insns, the block
	 * that reads it, is already charged. */
	uint64_t (*tsc)(void *ctx, uint32_t *aux);
	/* Each block that runs, from @at->insns on that it asked for last (at first 0): what it returns is
	 * the number of completed instructions from which it is called again, 0 for the next block.
	 * May not change anything.  NULL: not wanted. */
	uint64_t (*watch)(void *ctx, const struct engine_watch *at);
	/* CPUID: leaf and subleaf in, eax ebx ecx edx out. */
	void (*cpuid)(void *ctx, uint32_t leaf, uint32_t subleaf, uint32_t out[4]);
};

/*
 * Make the one engine of this process over the guest window of @mem (kept, not owned).  @ops is
 * copied.  Fails with a line when the library cannot be used.  What the start-up self-test had to
 * give up is told once by engine_notes().  @level 0: the library as it is, without the repair of its
 * stores (slower, same results); 1: with it; 2: guarded direct loads as well (direct.h); 3: SSE by the host (sse.h); 4: blocks count
 * themselves (count.h); any other: all that works.
 */
struct engine *engine_new(struct memory *mem, const struct engine_ops *ops, int level,
			  struct err *e);
void engine_free(struct engine *e);

/* NULL or one line on what does not work with this library (repair not possible, level lost). */
const char *engine_notes(const struct engine *e);
const char *engine_strerror(const struct engine *e);

/* Run until a trap is due and fill @t. */
void engine_run(struct engine *e, struct trap *t);

uint64_t engine_get(struct engine *e, enum reg r);
void engine_set(struct engine *e, enum reg r, uint64_t v);
/* RAX to R15 at once. */
void engine_get_general(struct engine *e, uint64_t out[16]);
void engine_save(struct engine *e, struct cpu_state *s); /* all registers, FPU and SSE included */
void engine_load(struct engine *e, const struct cpu_state *s);
void cpu_state_init(struct cpu_state *s); /* as Linux starts a process: FCW 0x37f, MXCSR 0x1f80, CS 0x33... */

/* Instructions completed and cost charged so far; exact whenever engine_run() is not running, and
 * inside callbacks up to and including the current block.  A block left early by a fault has been
 * corrected to what completed (a faulting instruction does not count; one rep iteration counts
 * one; cost is cut in proportion). */
uint64_t engine_insns(const struct engine *e);
uint64_t engine_cost(const struct engine *e); /* 1/16 core cycles */

/* Stop with TRAP_DEADLINE at the first block start where engine_cost() >= @cost, or, for
 * @insns, engine_insns() >= @insns.  UINT64_MAX: never. */
void engine_set_deadline(struct engine *e, uint64_t cost, uint64_t insns);

/* Ask a running engine to return TRAP_INTERRUPT soon.  Async-signal-safe. */
void engine_interrupt(struct engine *e);

/* Blocks that start in [@start, @end) are told to ops.zone.  At most 8 zones; set before the code
 * there first runs.  The vsyscall page is always zone number 0. */
bool engine_add_zone(struct engine *e, gaddr start, gaddr end);
void engine_clear_zones(struct engine *e); /* all but the page; at execve */

/*
 * The vsyscall page.  @bytes (4096, copied; NULL: all 0xcc) are what it holds.  @readable: user
 * loads succeed, else #PF.  Fetches always reach ops.zone first; with ZONE_RUN the bytes execute.
 * Stores fault always.  Error codes follow @present (P bit) and the access.
 */
void engine_set_page(struct engine *e, const uint8_t *bytes, bool readable, bool present);

/* Change @n bytes of data in the page, @page being all of it; code there must stay as it is. */
void engine_poke_page(struct engine *e, const uint8_t *page, unsigned offset, unsigned n);

/* Code in [@start, @end) was written or unmapped behind the engine's back (system call, munmap,
 * mprotect): forget translations.  memory.h calls it for what goes through it. */
void engine_forget(struct engine *e, gaddr start, gaddr end);

/* Limit of the segment 0x7b, which getcpu reads by LSL: node << 12 | cpu (Linux segment.h, GDT_ENTRY_CPUNODE). */
void engine_set_cpunode(struct engine *e, uint32_t cpunode);

/* PR_SET_TSC: RDTSC and RDTSCP raise #GP while @forbidden. */
void engine_forbid_tsc(struct engine *e, bool forbidden);

#endif
