/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Linux x86-64 does when a user program enters the legacy vsyscall page: the decision, and
 * nothing else.  One trap frame, one kernel profile and one policy go in; call / return / signal /
 * kill with every visible field comes out.  Pure: no I/O, no allocation, no state between calls.
 * This header stands alone; it is installed as <vsysemu/policy.h> (pkg-config vsysemu-policy).
 * Truth: Linux arch/x86/entry/vsyscall/vsyscall_64.c and arch/x86/mm/fault.c of each era.
 */
#ifndef VSYSEMU_POLICY_H
#define VSYSEMU_POLICY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VSYSEMU_POLICY_ABI 1

#define VSYSEMU_PAGE 0xffffffffff600000ull
#define VSYSEMU_PAGE_BYTES 4096u

/* Behaviours through history; what differs inside an era is a key of the profile. */
enum vsysemu_era {
	VSYSEMU_E0, /* 2.6 - 3.0: C code in the page, no trap */
	VSYSEMU_E1A, /* int 0xcc, first version (commit 5cec93c216db) */
	VSYSEMU_E1B, /* int 0xcc, CS and RIP fixed (c9712944b2a1; 3.1-rc1) */
	VSYSEMU_E1C, /* int 0xcc, CS test knows Xen (318f5a2a6721) */
	VSYSEMU_E2, /* 3.1, 3.2: page-fault emulation, plain SIGSEGV */
	VSYSEMU_E3, /* 3.3, 3.4: siginfo on bad pointers */
	VSYSEMU_E4, /* 3.5, 3.6: seccomp filters, first form */
	VSYSEMU_E5, /* 3.7 - 4.16: seccomp, second form */
	VSYSEMU_E6, /* 4.17 - 5.2: native gone */
	VSYSEMU_E7, /* 5.3 - 6.8: xonly */
	VSYSEMU_E8, /* 6.9 - 7.0: plain SIGSEGV for faults in the body */
	VSYSEMU_E9, /* 7.1: #GP entry for LASS, 64-bit check */
	VSYSEMU_ERA_COUNT
};

/* The policy of vsyscall=.  E0 knows only NATIVE, E1 only EMULATE (that is int 0xcc). */
enum vsysemu_mode {
	VSYSEMU_NATIVE,
	VSYSEMU_EMULATE,
	VSYSEMU_XONLY,
	VSYSEMU_NONE,
	VSYSEMU_MODE_COUNT
};

/* Line style of 3.5 - 3.17, where the level got lost inside the text. */
enum vsysemu_log_style {
	VSYSEMU_LOG_PLAIN,
	VSYSEMU_LOG_PREFIX_ANGLE, /* "vsyscall_64: <6>...", 3.5 */
	VSYSEMU_LOG_PREFIX_SOH /* "vsyscall_64: \0016...", 3.6 - 3.17 */
};

/* Bits of vsysemu_profile.seccomp_actions: what the kernel knows beyond the first five. */
#define VSYSEMU_SECCOMP_KILL_PROCESS 1u /* 4.14; also widens the action mask to 0xffff0000 */
#define VSYSEMU_SECCOMP_LOG 2u /* 4.14 */
#define VSYSEMU_SECCOMP_USER_NOTIF 4u /* 5.0 */
#define VSYSEMU_SECCOMP_UNKNOWN_GROUP 8u /* an unknown action kills the process, not the thread */

/* One kernel.  Fill it with vsysemu_profile_init(), then change keys. */
struct vsysemu_profile {
	enum vsysemu_era era;
	uint64_t task_size; /* TASK_SIZE_MAX: from here on fault codes get the P bit */
	uint64_t user_limit; /* first address that the pointer check refuses */
	bool user_limit_start; /* only the start is compared; else start + size may not pass it */
	bool none_mapped; /* vsyscall=none keeps the page mapped and readable (before 3.19) */
	bool unreadable; /* first KPTI kernels: emulate, but no user loads from the page */
	bool fetch_by_rip; /* a fetch is "address == RIP" instead of the I bit (6.18) */
	bool lass; /* LASS on: accesses to the upper half are #GP (E9, not in emulate) */
	bool xen_cs; /* 64-bit code may also run on selector 0xe033 (Xen PV) */
	bool fred; /* int n refused with error code 0 */
	bool compiled_out; /* CONFIG_X86_VSYSCALL_EMULATION=n */
	bool orig_rax_reset; /* orig_rax is -1 again after the seccomp check (3.19) */
	uint32_t errno_max; /* SECCOMP_RET_ERRNO is cut to this (4095; 65535 before the cap) */
	uint32_t seccomp_actions; /* VSYSEMU_SECCOMP_* */
	enum vsysemu_log_style log_style;
};

/* General registers in the processor's encoding order. */
enum vsysemu_reg {
	VSYSEMU_RAX, VSYSEMU_RCX, VSYSEMU_RDX, VSYSEMU_RBX, VSYSEMU_RSP, VSYSEMU_RBP, VSYSEMU_RSI,
	VSYSEMU_RDI, VSYSEMU_R8, VSYSEMU_R9, VSYSEMU_R10, VSYSEMU_R11, VSYSEMU_R12, VSYSEMU_R13,
	VSYSEMU_R14, VSYSEMU_R15,
	VSYSEMU_REG_COUNT
};

#define VSYSEMU_VEC_BP 3u
#define VSYSEMU_VEC_GP 13u
#define VSYSEMU_VEC_PF 14u
#define VSYSEMU_VEC_INT0XCC 204u

#define VSYSEMU_PF_P 1u
#define VSYSEMU_PF_W 2u
#define VSYSEMU_PF_U 4u
#define VSYSEMU_PF_RSVD 8u
#define VSYSEMU_PF_I 16u

#define VSYSEMU_CS_USER 0x33u
#define VSYSEMU_CS_USER32 0x23u
#define VSYSEMU_CS_XEN 0xe033u

enum vsysemu_seccomp_mode { VSYSEMU_SECCOMP_OFF, VSYSEMU_SECCOMP_STRICT, VSYSEMU_SECCOMP_FILTER };

/*
 * The trap as the processor saved it.  VSYSEMU_VEC_INT0XCC: `int 0xcc` was executed and rip is the
 * address after it, in every era (where the vector has no gate the answer is the #GP).
 * #PF: error_code is the hardware's (Linux forces its P bit itself), addr is CR2.
 */
struct vsysemu_frame {
	uint32_t vector;
	uint32_t error_code;
	uint64_t addr;
	uint64_t rip, rflags;
	uint64_t gpr[VSYSEMU_REG_COUNT];
	uint16_t cs;
	enum vsysemu_seccomp_mode seccomp;
	bool mapped; /* #PF below task_size: addr lies in a mapping (ACCERR, else MAPERR) */
	bool bus; /* #PF below task_size: a file page past its end (SIGBUS) */
};

/* Copy @n bytes of guest memory at @addr to @dst as copy_from_user does: true only if all came. */
typedef bool vsysemu_read_fn(void *ctx, void *dst, uint64_t addr, size_t n);

/* What a filter sees: the layout of Linux's struct seccomp_data. */
struct vsysemu_seccomp_data {
	int32_t nr;
	uint32_t arch; /* 0xc000003e */
	uint64_t ip; /* the entry */
	uint64_t args[6];
};

/* The filter's answer.  The register fields come in as a tracer would see them. */
struct vsysemu_seccomp_answer {
	uint32_t ret; /* SECCOMP_RET_* | data */
	/* RET_TRACE: a tracer took the stop and left these registers. */
	bool traced;
	int64_t orig_rax;
	uint64_t rax, rip, rsp;
	uint64_t args[6]; /* rdi rsi rdx r10 r8 r9 */
	/* RET_USER_NOTIF: a supervisor answered with rax (false: none listens, -ENOSYS). */
	bool listener;
	bool notif_continue; /* SECCOMP_USER_NOTIF_FLAG_CONTINUE */
};
typedef void vsysemu_seccomp_fn(void *ctx, const struct vsysemu_seccomp_data *data,
				struct vsysemu_seccomp_answer *answer);

struct vsysemu_guest {
	void *ctx;
	vsysemu_read_fn *read; /* required */
	vsysemu_seccomp_fn *seccomp; /* asked only when frame.seccomp is FILTER; else may be NULL */
};

enum vsysemu_kind {
	/* Not the emulator's: the ordinary signal follows (signal; signo 0: a fault of the kernel's
	 * own, no signal).  A log line may precede it. */
	VSYSEMU_NOT_HANDLED,
	/* No trap is due: the page's rights allow the access, its bytes are read or execute. */
	VSYSEMU_ALLOWED,
	/* Run the body of system call call_nr with args, then vsysemu_policy_finish(). */
	VSYSEMU_CALL,
	/* Go on with rax, rip, rsp.  skipped: seccomp took the call's place. */
	VSYSEMU_RETURN,
	/* Queue signal (all fields set), then go on with rax, rip, rsp: the handler's context. */
	VSYSEMU_SIGNAL,
	/* No handler can run: the thread (or, kill_group, the process) dies of kill_signo. */
	VSYSEMU_KILL,
	/* Linux hits its own BUG(). */
	VSYSEMU_BUG,
	VSYSEMU_KIND_COUNT
};

/* siginfo, and what the thread's trap record (trapno, err, cr2 in ucontext) becomes. */
struct vsysemu_signal {
	int signo; /* 0: none */
	int code; /* si_code: SI_KERNEL is 0x80 */
	int err_no; /* si_errno: SECCOMP_RET_TRAP's data */
	uint64_t addr; /* si_addr; SIGSYS: si_call_addr */
	int nr; /* SIGSYS: si_syscall */
	uint32_t arch; /* SIGSYS: si_arch */
	bool forced; /* blocked or ignored: reset to default, so it kills */
	bool trap_set; /* trapno and error are recorded; else they stay stale */
	bool cr2_set; /* cr2 is recorded; else it stays stale */
	uint64_t trapno, error, cr2;
};

/* The vsyscall messages. */
enum vsysemu_tag {
	VSYSEMU_TAG_NO_LOG,
	VSYSEMU_TAG_ILL, /* illegal int 0xcc (exploit attempt?) */
	VSYSEMU_TAG_ILL32, /* illegal int 0xcc from 32-bit mode */
	VSYSEMU_TAG_STK0, /* int 0xcc with bad stack (exploit attempt?) */
	VSYSEMU_TAG_MIS, /* misaligned vsyscall ... */
	VSYSEMU_TAG_STK, /* vsyscall with bad stack (exploit attempt?) */
	VSYSEMU_TAG_FLT, /* vsyscall fault (exploit attempt?) */
	VSYSEMU_TAG_NONE, /* vsyscall attempted with vsyscall=none */
	VSYSEMU_TAG_RD, /* vsyscall read attempt denied ... */
	VSYSEMU_TAG_SEC, /* seccomp tried to change syscall nr or ip */
	VSYSEMU_TAG_COUNT
};

/* One line; its registers are those at the time of logging. */
struct vsysemu_log {
	enum vsysemu_tag tag;
	int level; /* KERN_*: 4 warning, 5 notice, 6 info, 7 debug */
	uint64_t ip, sp, ax, si, di;
	uint16_t cs;
};

struct vsysemu_verdict {
	enum vsysemu_kind kind;
	uint64_t rax, rip, rsp; /* as they are from here on (CALL: while the body runs) */
	int64_t orig_rax; /* -1: outside a system call */
	int nr; /* which vsyscall: 0 1 2 (3); -1: not decoded */
	bool traced; /* the trace event vsyscall:emulate_vsyscall fires, with trace_nr */
	int trace_nr; /* 0..2, or -22 for an invalid address */

	int call_nr; /* CALL: 96, 201 or 309 */
	uint64_t args[6]; /* CALL */
	bool signal_uaccess; /* CALL: a fault on a user address inside the body signals (E3-E7) */
	uint64_t caller; /* CALL: the return address that was read */

	bool skipped; /* RETURN */
	bool landing_faults; /* RETURN: no fetch at rip can succeed, whatever is mapped; */
	struct vsysemu_signal landing; /* ... the signal that this gives */

	struct vsysemu_signal signal; /* SIGNAL, NOT_HANDLED */
	int kill_signo; /* KILL */
	bool kill_group;
	struct vsysemu_log log; /* any kind; tag VSYSEMU_TAG_NO_LOG: no line */
};

/* How the body of a CALL ended. */
struct vsysemu_body {
	int64_t result; /* as the system call returns it; -14 (-EFAULT): see fault */
	bool fault; /* the first user address that could not be written is known: */
	uint64_t addr;
	uint32_t error_code; /* the hardware's for this access by the kernel (W, P) */
	bool mapped; /* addr lies in a mapping (ACCERR) */
	bool bus; /* a file page past its end (SIGBUS) */
};

/*
 * Decide on @f under @mode of @p.  Every field of @v is set.  A mode that the era does not have is
 * the caller's error (see vsysemu_mode_valid()); it is treated as NONE.
 */
void vsysemu_policy_decide(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			   const struct vsysemu_frame *f, const struct vsysemu_guest *g,
			   struct vsysemu_verdict *v);

/*
 * After a CALL: @v is what decide gave for @f, @b what the body did.  *v becomes RETURN or SIGNAL.
 */
void vsysemu_policy_finish(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			   const struct vsysemu_frame *f, const struct vsysemu_body *b,
			   struct vsysemu_verdict *v);

/* Types of the two, for dlsym(). */
typedef void vsysemu_policy_decide_fn(const struct vsysemu_profile *, enum vsysemu_mode,
				      const struct vsysemu_frame *, const struct vsysemu_guest *,
				      struct vsysemu_verdict *);
typedef void vsysemu_policy_finish_fn(const struct vsysemu_profile *, enum vsysemu_mode,
				      const struct vsysemu_frame *, const struct vsysemu_body *,
				      struct vsysemu_verdict *);

/* The keys of release @major.@minor; false (and @p untouched) before 2.6 or past the last known. */
bool vsysemu_profile_release(struct vsysemu_profile *p, unsigned major, unsigned minor);
/* The keys of the first kernel of @era. */
void vsysemu_profile_init(struct vsysemu_profile *p, enum vsysemu_era era);

bool vsysemu_mode_valid(enum vsysemu_era era, enum vsysemu_mode mode);
/* "native"...; "E0", "E1a"...  NULL out of range.  The inverses: -1 if there is none such. */
const char *vsysemu_mode_name(enum vsysemu_mode mode);
int vsysemu_mode_find(const char *name);
const char *vsysemu_era_name(enum vsysemu_era era);
int vsysemu_era_find(const char *name);

/* The page as the mode sets it up. */
struct vsysemu_page {
	bool present; /* has a page table entry: the P bit of faults */
	bool readable, executable; /* for user code; never writable */
	const char *maps; /* permissions in /proc/PID/maps; NULL: no line */
};
struct vsysemu_page vsysemu_page_of(const struct vsysemu_profile *p, enum vsysemu_mode mode);
/* What it holds.  False where that is compiler output (E0) or nothing (not present): 0xcc bytes. */
bool vsysemu_page_bytes(const struct vsysemu_profile *p, enum vsysemu_mode mode,
			uint8_t bytes[VSYSEMU_PAGE_BYTES]);
/* Which vsyscall starts at @addr: 0, 1, 2; -22 (-EINVAL) if none. */
int vsysemu_entry_nr(uint64_t addr);
/* 96, 201, 309 for 0, 1, 2; -1. */
int vsysemu_entry_call(int nr);

/* The ordinary signal of a #PF, #GP or #BP that no fix-up takes, as do_user_addr_fault() gives it. */
void vsysemu_ordinary_signal(const struct vsysemu_profile *p, const struct vsysemu_frame *f,
			     struct vsysemu_signal *s);

/*
 * The text of a line, without level and newline, as snprintf does: `COMM[PID] MESSAGE ip:... sp:...`.
 * Returns its length; @size 0 is allowed.  The level is l->level.
 */
int vsysemu_log_format(const struct vsysemu_profile *p, const struct vsysemu_log *l,
		       const char *comm, int pid, char *text, size_t size);
/* Only the message of a tag; the word of semantics: "ILL", "MIS"...; -1 if there is no such tag. */
const char *vsysemu_tag_message(enum vsysemu_tag tag);
const char *vsysemu_tag_name(enum vsysemu_tag tag);

#ifdef __cplusplus
}
#endif

#endif
