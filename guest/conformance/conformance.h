/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The conformance guest: what its files share.  A row is an id ("gtod:tv=rw,tz=null") and an answer
 * in the words of tests/truth/README.md; a probe is what a row does to the processor.
 */
#ifndef CONFORMANCE_H
#define CONFORMANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#define PAGE_VSYS 0xffffffffff600000ull
#define MEM_RW 0x10000000ull /* two writable pages, then nothing */
#define MEM_RW_END 0x10002000ull
#define MEM_RO 0x10010000ull
#define MEM_NONE 0x10020000ull
#define MEM_UNMAPPED 0x10030000ull
#define MEM_STACK 0x10040000ull /* two writable pages, then nothing */
#define MEM_STACK_RO 0x10050000ull
#define PATTERN_RAX 0xa5a5a5a5a5a5a5a5ull

enum { IN_RAX, IN_RCX, IN_RDX, IN_RBX, IN_RSP, IN_RBP, IN_RSI, IN_RDI }; /* then r8..r15 */

enum prepare {
	PREPARE_NONE, PREPARE_FILTER, PREPARE_STRICT, PREPARE_SUD, PREPARE_TSC, PREPARE_IGNORE,
	PREPARE_DEFAULT, PREPARE_BLOCK
};

struct probe {
	void (*stub)(void);
	uint64_t target, rax, rdi, rsi, rbx; /* rbx 0: a pattern, as all others */
	uint64_t rsp, retaddr; /* for the stubs that use them */
	uint64_t flags;
	enum prepare prepare;
	uint32_t action; /* SECCOMP_RET_* with its data */
	bool ip_match; /* the filter answers errno 77 where ip == target, else 88 */
	bool resume; /* the first deadly signal is returned from (SIGSYS with rax = 0x7777) */
	bool traced; /* asks for a tracer before it starts */
	/* Instead of a stub: fills @text itself. */
	void (*body)(const char *arg, char *text, size_t size);
	const char *arg;
};

struct sighting {
	int signo, code;
	uint64_t addr, trapno, err, cr2, rip, rax;
};

enum kind { KIND_NOTHING, KIND_RET, KIND_SIG, KIND_OVERFLOW, KIND_TEXT };

struct result {
	enum kind kind;
	bool tf, resumed, odd; /* odd: a written byte seems to equal the fill */
	int signals, traps; /* all signals seen; SIGTRAPs among them */
	struct sighting last, first;
	uint64_t in[16], out[16], in_rsp, out_rsp;
	char mem[128], trap_list[128], text[256];
	int termsig; /* from the parent's wait */
};

/* What a tracer does with a freshly stopped child; it waits until the child is gone. */
typedef int tracer(pid_t pid, void *ctx);

/* probe.c */
void probe_setup(void);
bool probe_value(const char *name, size_t len, uint64_t *v);
/* Runs @p in a child (or here, when @in_process) under @t, if any, and fills @r. */
bool probe_run(const struct probe *p, tracer *t, void *ctx, bool in_process, struct result *r);
extern void l_call(void), l_after(void);

/* format.c.  Addresses of the page and of this program get names. */
void probe_symbol(uint64_t v, bool tf, char *out, size_t size);
void text_append(char *out, size_t size, const char *text); /* cuts at @size */
void probe_format(const struct result *r, char *out, size_t size);

/* rows.c: performs row @id; false: no such row.  Appends no log words. */
bool row_run(const char *id, bool in_process, char *out, size_t size);
/* Calls @each for the ids of every family. */
void row_list(void (*each)(void *ctx, const char *id), void *ctx);

/* sys.c */
bool sys_row(const char *name, struct probe *p);
extern const char *const sys_names[];

/* trace.c */
bool trace_row(const char *name, char *out, size_t size);
tracer trace_seccomp;
bool trace_seccomp_known(const char *what);
extern const char *const trace_seccomp_names[];

/* log.c: the kernel's log.  Words of the lines since the last call, or "". */
void log_open(void);
void log_words(char *out, size_t size);

#endif
