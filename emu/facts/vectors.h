/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Vectors: rows of a table that say what a kernel does in one situation at the vsyscall page.  A row
 * is text (vector_tsv.c); for one kernel and mode it becomes a case and what is expected of it
 * (vector_parse.c, vector_words.c); a case can be run through a decision core (vector_run.c), made at
 * random and made smaller (vector_random.c), and written as a row again (vector_emit.c).
 */
#ifndef VSYSEMU_FACTS_VECTORS_H
#define VSYSEMU_FACTS_VECTORS_H

#include "base/buf.h"
#include "base/err.h"
#include "base/types.h"
#include "facts/policy.h"

enum vector_column {
	COL_ID, COL_ERA, COL_MODE, COL_ENTRY, COL_CS, COL_PF_ERR, COL_RIP, COL_STACK, COL_ARGS,
	COL_SECCOMP, COL_OUTCOME, COL_NR, COL_RAX, COL_RIP_AFTER, COL_RSP_DELTA, COL_SIGNAL,
	COL_SI_CODE, COL_SI_ADDR, COL_SC_TRAPNO, COL_SC_ERR, COL_SC_CR2, COL_LOG, COL_CONFIDENCE,
	COL_EVIDENCE, COL_NOTE,
	COL_COUNT
};
const char *vector_column_name(enum vector_column c);

struct vector_row {
	char *cell[COL_COUNT]; /* owned by the table */
	unsigned line; /* 1-based, in the file */
};

struct vector_table {
	VEC(struct vector_row) rows;
	VEC(char *) texts; /* what the cells point into */
};

/* Read the @n bytes of @text, named @file in errors, and append its rows.  False: @e has
 * "FILE:LINE: column NAME: RULE". */
bool vector_table_read(struct vector_table *t, const char *file, const char *text, size_t n,
		       struct err *e);
void vector_table_free(struct vector_table *t);

/* A kernel that vectors can be tried on. */
struct vector_target {
	const char *name;
	unsigned major, minor; /* release, for conditions such as ">=3.19" */
	struct vsysemu_profile rules;
};
#define VECTOR_TARGETS_MAX 64
/* The kernels that are known without any file; at most VECTOR_TARGETS_MAX.  Returns how many. */
size_t vector_targets(struct vector_target *out);

enum vector_entry {
	ENTRY_NATIVE, /* no trap is expected: the bytes of the page execute */
	ENTRY_FETCH, /* #PF of the fetch */
	ENTRY_INT, /* int 0xcc */
	ENTRY_GP, /* #GP of the fetch (LASS) */
	ENTRY_READ, ENTRY_WRITE /* of the page by code elsewhere */
};

enum vector_pointer_state {
	POINTER_NULL, POINTER_OK, POINTER_UNMAPPED, POINTER_READONLY,
	POINTER_EOF, /* shared file page past the file's end */
	POINTER_CROSS, /* the last bytes of a good page, then nothing */
	POINTER_PROTNONE
};

struct vector_pointer {
	enum vector_pointer_state state;
	uint64_t addr;
};

/* What a tracer may add to, beside orig_rax and rax. */
enum vector_moved { MOVED_RIP, MOVED_RSP, MOVED_RDI, MOVED_RSI, VECTOR_MOVED };
extern const char *const vector_moved_name[VECTOR_MOVED];

struct vector_seccomp {
	enum vsysemu_seccomp_mode mode;
	uint32_t ret;
	bool traced, set_orig_rax, set_rax;
	int64_t orig_rax;
	uint64_t rax, add[VECTOR_MOVED];
	bool listener, notif_continue;
};

/* One situation on one kernel. */
struct vector_case {
	struct vsysemu_profile profile;
	enum vsysemu_mode mode;
	enum vector_entry entry;
	uint32_t error_code; /* hardware's; #GP: 0 */
	uint32_t natural_code; /* what the page tables of this kernel give */
	uint16_t cs;
	uint64_t target; /* ENTRY_READ/WRITE: the address in the page; else where control goes */
	uint64_t from; /* ENTRY_READ/WRITE: RIP of the access */
	uint64_t rax, rsp, rflags;
	bool stack_ok;
	uint64_t caller; /* [rsp] */
	struct vector_pointer ptr[2]; /* rdi, rsi */
	struct vector_seccomp seccomp;
	bool segv_blocked;
};

enum vector_outcome_kind {
	OUT_NATIVE_EXEC, OUT_EMULATED, OUT_SKIPPED, OUT_SIGNAL, OUT_KILLED, OUT_KERNEL_BUG, OUT_READ_OK,
	OUT_KERNEL_FAULT, /* no user-mode trap at all */
	OUT_COUNT
};
const char *vector_outcome_name(enum vector_outcome_kind k);

/* What came of a case. */
struct vector_outcome {
	enum vector_outcome_kind kind;
	struct vsysemu_verdict decided; /* as decide left it */
	struct vsysemu_verdict v; /* the last one */
	bool called; /* a body ran */
	int64_t result; /* its result */
	int executed_nr; /* NATIVE_EXEC: system call that the bytes made; -1 */
	bool handled; /* by the emulator: no ordinary kernel line follows */
	struct vsysemu_signal signal; /* SIGNAL, and KILLED by a signal that found no handler */
};

/* An implementation under test. */
struct vector_impl {
	vsysemu_policy_decide_fn *decide;
	vsysemu_policy_finish_fn *finish; /* NULL: ours is used */
};

/* Defaults of a case: top of the make-believe stack, its return address, a buffer, no mapping, code. */
#define VECTOR_STACK 0x7ffd00001ff0ull
#define VECTOR_CALLER 0x401234ull
#define VECTOR_BUFFER 0x7ffd00003000ull
#define VECTOR_UNMAPPED 0x10000ull
#define VECTOR_CODE 0x401000ull

/* The hardware's error code as the page tables of this kernel give it; @no_i: neither NX nor SMEP. */
uint32_t vector_case_code(const struct vector_case *c, bool no_i);
/* Does the case reach decide at all, or do the page's rights answer it? */
bool vector_case_traps(const struct vector_case *c);
void vector_case_frame(const struct vector_case *c, struct vsysemu_frame *f);
void vector_case_run(const struct vector_case *c, const struct vector_impl *impl,
		     struct vector_outcome *o);
/* What a user of the two would tell apart; empty @why: nothing. */
void vector_outcome_diff(const struct vector_outcome *ours, const struct vector_outcome *theirs,
			 struct buf *why);

/* The (target, mode) pairs of a row. */
struct vector_pair {
	const struct vector_target *target;
	struct vsysemu_profile rules; /* the target's, with what the era cell changes */
	enum vsysemu_mode mode;
};
typedef VEC(struct vector_pair) vector_pairs;
/* False: @e says which word of the era or mode cell is none.  Remarks in the two cells that are not
 * understood are told in @why: the row cannot be expressed. */
bool vector_row_pairs(const struct vector_row *r, const struct vector_target *targets, size_t n,
		      vector_pairs *out, struct buf *why, struct err *e);

/* Check the cells that have a fixed vocabulary.  False: @e has column and rule. */
bool vector_row_check(const struct vector_row *r, struct err *e);

/* Make @c from row @r for @pair.  False: the row holds what a case cannot express; @why says what. */
bool vector_row_case(const struct vector_row *r, const struct vector_pair *pair,
		     struct vector_case *c, struct buf *why);

enum vector_match { MATCH_OK, MATCH_NOT_OK, MATCH_CANNOT };
/* Hold outcome @o of case @c against the row.  @why: what differs, or what cannot be expressed. */
enum vector_match vector_row_match(const struct vector_row *r, const struct vector_case *c,
				   const struct vector_outcome *o, struct buf *why);

/* A row that says what @o says, appended to @t. */
void vector_emit(struct vector_table *t, const char *id, const struct vector_case *c,
		 const struct vector_outcome *o, const char *note);
/* One line of TSV without newline; the header line. */
void vector_row_tsv(const struct vector_row *r, struct buf *out);
void vector_header_tsv(struct buf *out);

/* A plausible random case on one of the targets; @state is the generator's (any value). */
void vector_random(uint64_t state[2], const struct vector_target *targets, size_t n,
		   struct vector_case *c);
/* Make @c simpler as long as @differs says so; @differs is asked many times. */
void vector_shrink(struct vector_case *c, bool (*differs)(void *ctx, const struct vector_case *c),
		   void *ctx);

#endif
