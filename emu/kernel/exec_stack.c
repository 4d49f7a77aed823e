/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The first stack, in the order of fs/exec.c do_execveat_common() and fs/binfmt_elf.c
 * create_elf_tables(), without the random gaps.
 */
#include "kernel/exec_stack.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>

#include "kernel/exec_layout.h"
#include "kernel/ident.h"
#include "kernel/kernel.h"
#include "kernel/random.h"

#define ARG_BYTES_MAX (32 * PAGE_BYTES) /* MAX_ARG_STRLEN, with the NUL; also ARG_MAX */
#define ARGS_BYTES_MAX ((uint64_t)6 << 20) /* 3/4 of _STK_LIM */

static uint64_t stack_limit(struct kernel *k)
{
	uint64_t lim[2];

	rlimit_get(k, RLIMIT_STACK, lim);
	return lim[0];
}

/* Bytes of all strings of @v with their NULs; their number is added to *n.  UINT64_MAX: one is too
 * long. */
static uint64_t strings_bytes(char *const v[], uint64_t *n)
{
	uint64_t sum = 0;

	for (size_t i = 0; v && v[i]; i++) {
		size_t len = strlen(v[i]) + 1;

		if (len > ARG_BYTES_MAX)
			return UINT64_MAX;
		sum += len;
		++*n;
	}
	return sum;
}

static uint64_t argv_bytes(const struct exec_plan *p)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < p->argv.n; i++)
		sum += strlen(p->argv.at[i]) + 1;
	return sum;
}

int64_t exec_stack_check(struct kernel *k, const struct exec_plan *p, char *const envp[])
{
	uint64_t limit = stack_limit(k) / 4, n = p->argv.n ? p->argv.n : 1;
	uint64_t env = strings_bytes(envp, &n), args = argv_bytes(p) + strlen(p->execfn) + 1;

	if (limit > ARGS_BYTES_MAX)
		limit = ARGS_BYTES_MAX;
	if (limit < ARG_BYTES_MAX)
		limit = ARG_BYTES_MAX;
	for (size_t i = 0; i < p->argv.n; i++)
		if (strlen(p->argv.at[i]) >= ARG_BYTES_MAX)
			return -E2BIG;
	if (env == UINT64_MAX || env + args + 8 * n > limit)
		return -E2BIG;
	return 0;
}

/* What the program's PT_GNU_STACK (or its absence) means to the profile's kernel: arch/x86
 * asm/elf.h elf_read_implies_exec(), changed in 5.8. */
static int stack_prot(struct kernel *k, const struct exec_plan *p)
{
	enum exec_stack s = p->prog.stack;

	k->proc.personality &= ~(uint64_t)READ_IMPLIES_EXEC;
	if (s != EXEC_STACK_NOEXEC && k->model->kernel->release_nr < KVER(5, 8))
		k->proc.personality |= READ_IMPLIES_EXEC;
	if (s == EXEC_STACK_EXEC || k->proc.personality & READ_IMPLIES_EXEC)
		return PROT_READ | PROT_WRITE | PROT_EXEC;
	return PROT_READ | PROT_WRITE;
}

int64_t exec_stack_map(struct kernel *k, const struct exec_plan *p)
{
	uint64_t bytes = stack_limit(k);
	int64_t r;

	/* All of it at once: the host cannot be let grow it. */
	if (bytes > EXEC_STACK_MAX_BYTES)
		bytes = EXEC_STACK_MAX_BYTES;
	if (bytes < EXEC_STACK_MIN_BYTES)
		bytes = EXEC_STACK_MIN_BYTES;
	bytes = page_down(bytes);
	r = memory_mmap(k->mem, EXEC_STACK_TOP - bytes, bytes, stack_prot(k, p),
			MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED | MAP_NORESERVE | MAP_GROWSDOWN |
				MAP_STACK,
			-1, 0);
	if (r < 0)
		return r;
	memory_set_name(k->mem, EXEC_STACK_TOP - bytes, "[stack]");
	k->proc.stack_top = EXEC_STACK_TOP;
	return 0;
}

/* The words from RSP up: argc, argv, NULL, envp, NULL, auxv. */
static void add_word(struct buf *b, uint64_t v)
{
	buf_add(b, &v, sizeof(v));
}

static gaddr add_string(struct buf *strings, gaddr base, const char *s)
{
	gaddr at = base + strings->len;

	buf_add(strings, s, strlen(s) + 1);
	return at;
}

int64_t exec_stack_write(struct kernel *k, const struct exec_plan *p, char *const envp[],
			 const struct exec_placed *prog, const struct exec_placed *interp)
{
	static const char platform[] = "x86_64";
	struct process *proc = &k->proc;
	struct buf strings = { 0 }, words = { 0 };
	uint64_t n = 0, bytes = argv_bytes(p) + strings_bytes(envp, &n) + strlen(p->execfn) + 1;
	gaddr base = proc->stack_top - 8 - bytes, execfn, sp;
	uint8_t random[16];
	size_t bad;

	add_word(&words, p->argv.n);
	proc->arg_start = base;
	for (size_t i = 0; i < p->argv.n; i++)
		add_word(&words, add_string(&strings, base, p->argv.at[i]));
	add_word(&words, 0);
	proc->arg_end = proc->env_start = base + strings.len;
	for (size_t i = 0; envp && envp[i]; i++)
		add_word(&words, add_string(&strings, base, envp[i]));
	add_word(&words, 0);
	proc->env_end = base + strings.len;
	execfn = add_string(&strings, base, p->execfn);

	random_bytes(k, random, sizeof(random));
	sp = (base & ~(gaddr)15) - sizeof(platform);
	bad = memory_poke(k->mem, sp, platform, sizeof(platform));
	bad |= memory_poke(k->mem, sp - 16, random, sizeof(random));
	buf_free(&proc->auxv);
	exec_auxv_build(k, p, prog, interp, execfn, sp, sp - 16, &proc->auxv);
	buf_add(&words, proc->auxv.data, proc->auxv.len);
	sp = ((sp - 16 - proc->auxv.len) - (words.len - proc->auxv.len)) & ~(gaddr)15;
	bad |= memory_poke(k->mem, sp, words.data, words.len);
	bad |= memory_poke(k->mem, base, strings.data, strings.len);
	buf_free(&strings);
	buf_free(&words);
	return bad ? -EFAULT : (int64_t)sp;
}
