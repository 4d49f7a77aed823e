/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The auxiliary vector: entries and order of fs/binfmt_elf.c create_elf_tables() with arch/x86's
 * ARCH_DLINFO first, each only in kernels that have it; then what --auxv changes.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "kernel/exec.h"
#include "kernel/exec_layout.h"
#include "kernel/exec_stack.h"
#include "kernel/kernel.h"

#ifndef AT_RSEQ_FEATURE_SIZE
#define AT_RSEQ_FEATURE_SIZE 27
#define AT_RSEQ_ALIGN 28
#endif
#ifndef AT_MINSIGSTKSZ
#define AT_MINSIGSTKSZ 51
#endif

/* CPUID.1:EDX of a processor with what every x86-64 program may use: FPU to SSE2, FXSR, CMOV, TSC. */
#define HWCAP_BASIC 0x078bfbffu
/* arch/x86/kernel/signal.c init_sigframe_size() with FXSAVE alone: frame 440, padding 15, image 512
 * and alignment 63, rounded up to 16. */
#define MINSIGSTKSZ_FXSAVE 1040

struct auxv_name {
	const char *name;
	uint64_t key;
};

static const struct auxv_name names[] = {
	{ "NULL", AT_NULL }, { "IGNORE", AT_IGNORE }, { "EXECFD", AT_EXECFD },
	{ "PHDR", AT_PHDR }, { "PHENT", AT_PHENT }, { "PHNUM", AT_PHNUM },
	{ "PAGESZ", AT_PAGESZ }, { "BASE", AT_BASE }, { "FLAGS", AT_FLAGS },
	{ "ENTRY", AT_ENTRY }, { "UID", AT_UID }, { "EUID", AT_EUID }, { "GID", AT_GID },
	{ "EGID", AT_EGID }, { "CLKTCK", AT_CLKTCK }, { "PLATFORM", AT_PLATFORM },
	{ "HWCAP", AT_HWCAP }, { "SECURE", AT_SECURE }, { "BASE_PLATFORM", AT_BASE_PLATFORM },
	{ "RANDOM", AT_RANDOM }, { "HWCAP2", AT_HWCAP2 },
	{ "RSEQ_FEATURE_SIZE", AT_RSEQ_FEATURE_SIZE }, { "RSEQ_ALIGN", AT_RSEQ_ALIGN },
	{ "EXECFN", AT_EXECFN }, { "SYSINFO", AT_SYSINFO }, { "SYSINFO_EHDR", AT_SYSINFO_EHDR },
	{ "MINSIGSTKSZ", AT_MINSIGSTKSZ },
};

static bool number(const char *s, const char *end, uint64_t *v)
{
	char *stop;

	if (s == end || *s < '0' || *s > '9')
		return false;
	errno = 0;
	*v = strtoull(s, &stop, 0);
	return !errno && stop == end;
}

static bool key_find(const char *s, const char *end, uint64_t *key)
{
	size_t n;

	if (number(s, end, key))
		return true;
	if (!strncasecmp(s, "AT_", 3))
		s += 3;
	n = (size_t)(end - s);
	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (end > s && strlen(names[i].name) == n && !strncasecmp(s, names[i].name, n)) {
			*key = names[i].key;
			return true;
		}
	return false;
}

bool exec_auxv_parse(const char *text, uint64_t *key, uint64_t *value, bool *drop, struct err *e)
{
	const char *eq = strchr(text, '=');

	*value = 0;
	*drop = eq && !eq[1];
	if (!eq || !key_find(text, eq, key) || !*key ||
	    (!*drop && !number(eq + 1, eq + strlen(eq), value)))
		return err_set(e,
			       "--auxv %s: takes KEY=NUMBER (or KEY= to leave it out), where KEY is a "
			       "number or a name like HWCAP2",
			       text);
	return true;
}

struct pair {
	uint64_t key, value;
};

static void add(struct buf *b, uint64_t key, uint64_t value)
{
	struct pair p = { key, value };

	buf_add(b, &p, sizeof(p));
}

static void edit(struct buf *b, uint64_t key, uint64_t value, bool drop)
{
	struct pair *p = (struct pair *)(void *)b->data;
	size_t n = b->len / sizeof(*p), i;

	for (i = 0; i < n && p[i].key != key; i++)
		;
	if (i == n && !drop)
		add(b, key, value);
	else if (i < n && !drop)
		p[i].value = value;
	else if (i < n) {
		memmove(&p[i], &p[i + 1], (n - i - 1) * sizeof(*p));
		b->len -= sizeof(*p);
	}
}

static void apply_edits(struct kernel *k, struct buf *b)
{
	const char *const *text = k->opt ? k->opt->auxv : NULL;
	struct err ignored = { .text = "" };
	uint64_t key, value;
	bool drop;

	for (; text && *text; text++)
		if (exec_auxv_parse(*text, &key, &value, &drop, &ignored))
			edit(b, key, value, drop);
}

void exec_auxv_build(struct kernel *k, const struct exec_plan *p, const struct exec_placed *prog,
		     const struct exec_placed *interp, gaddr execfn, gaddr platform, gaddr random,
		     struct buf *out)
{
	unsigned ver = k->model->kernel->release_nr;

	if (k->proc.vdso)
		add(out, AT_SYSINFO_EHDR, k->proc.vdso);
	if (ver >= KVER(5, 14))
		add(out, AT_MINSIGSTKSZ, MINSIGSTKSZ_FXSAVE);
	add(out, AT_HWCAP, k->hwcap ? k->hwcap : HWCAP_BASIC);
	add(out, AT_PAGESZ, PAGE_BYTES);
	add(out, AT_CLKTCK, 100);
	add(out, AT_PHDR, prog->phdr);
	add(out, AT_PHENT, sizeof(Elf64_Phdr));
	add(out, AT_PHNUM, p->prog.eh.e_phnum);
	add(out, AT_BASE, interp->bias);
	add(out, AT_FLAGS, 0);
	add(out, AT_ENTRY, prog->entry);
	add(out, AT_UID, getuid());
	add(out, AT_EUID, geteuid());
	add(out, AT_GID, getgid());
	add(out, AT_EGID, getegid());
	add(out, AT_SECURE, 0);
	add(out, AT_RANDOM, random);
	if (ver >= KVER(4, 12))
		add(out, AT_HWCAP2, k->hwcap2);
	add(out, AT_EXECFN, execfn);
	add(out, AT_PLATFORM, platform);
	if (ver >= KVER(6, 3)) {
		add(out, AT_RSEQ_FEATURE_SIZE, 28);
		add(out, AT_RSEQ_ALIGN, 32);
	}
	apply_edits(k, out);
	add(out, AT_NULL, 0);
}
