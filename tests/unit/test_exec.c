/* SPDX-License-Identifier: GPL-2.0-or-later */
/* kernel/exec: files made here byte by byte; what is refused and why, where things are put, what the
 * first stack and the first registers are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "engine/fault.h"
#include "facts/vdsogen.h"
#include "kernel/exec.h"
#include "kernel/exec_file.h"
#include "kernel/exec_layout.h"
#include "kernel/kernel.h"
#include "kernel/process.h"
#include "kernel/syscall.h"

#define FILE_BYTES 0x2000
#define BASE ((gaddr)0x400000)

struct world {
	struct kernel k;
	struct model model;
	struct kernel_model kernel;
	struct guest_options opt;
	struct task task;
	struct task *tasks[1];
	char release[16], dir[32], path[64];
	uint8_t file[FILE_BYTES];
};

static Elf64_Ehdr *eh(struct world *w)
{
	return (Elf64_Ehdr *)(void *)w->file;
}

static Elf64_Phdr *ph(struct world *w, unsigned n)
{
	return (Elf64_Phdr *)(void *)(w->file + sizeof(Elf64_Ehdr)) + n;
}

/* A good program: text with a SYSCALL at 0x400200, data and bss behind it, no stack header. */
static void fresh(struct world *w)
{
	memset(w->file, 0, sizeof(w->file));
	memcpy(eh(w)->e_ident, ELFMAG, SELFMAG);
	eh(w)->e_ident[EI_CLASS] = ELFCLASS64;
	eh(w)->e_ident[EI_DATA] = ELFDATA2LSB;
	eh(w)->e_type = ET_EXEC;
	eh(w)->e_machine = EM_X86_64;
	eh(w)->e_version = 1;
	eh(w)->e_entry = BASE + 0x200;
	eh(w)->e_phoff = sizeof(Elf64_Ehdr);
	eh(w)->e_ehsize = sizeof(Elf64_Ehdr);
	eh(w)->e_phentsize = sizeof(Elf64_Phdr);
	eh(w)->e_phnum = 3;
	*ph(w, 0) = (Elf64_Phdr){ PT_LOAD, PF_R | PF_X, 0, BASE, BASE, 0x1000, 0x1000, 0x1000 };
	*ph(w, 1) = (Elf64_Phdr){ PT_LOAD,	   PF_R | PF_W, 0x1000, BASE + 0x1000,
				  BASE + 0x1000, 0x800,	     0x3000, 0x1000 };
	*ph(w, 2) = (Elf64_Phdr){ .p_type = PT_GNU_STACK, .p_flags = PF_R | PF_W };
	memcpy(w->file + 0x200, "\x0f\x05", 2);
	memset(w->file + 0x1000, 0x77, 0x1000);
}

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	fclose(f);
	chmod(path, 0755);
}

static void save(struct world *w)
{
	write_file(w->path, w->file, sizeof(w->file));
}

static void set_release(struct world *w, const char *release)
{
	strcpy(w->release, release);
	w->kernel.release = w->release;
	w->kernel.release_nr = vdso_release(release);
}

static int setup(void **state)
{
	struct world *w = xcalloc(1, sizeof(*w));
	struct err e = { .text = "" };
	struct engine_ops ops = { 0 };

	strcpy(w->dir, "/tmp/execXXXXXX");
	if (!mkdtemp(w->dir))
		return -1;
	snprintf(w->path, sizeof(w->path), "%s/prog", w->dir);
	set_release(w, "6.1.192");
	w->model.kernel = &w->kernel;
	w->opt.vdso = "off";
	w->k.model = &w->model;
	w->k.opt = &w->opt;
	w->k.mem = memory_new(&e);
	if (!w->k.mem)
		return -1;
	w->k.engine = engine_new(w->k.mem, &ops, 0, &e);
	if (!w->k.engine)
		return -1;
	w->task.tid = w->k.proc.pid = 1000;
	VEC_PUSH(&w->k.proc.tasks, &w->task);
	w->k.proc.current = &w->task;
	process_init(&w->k);
	fresh(w);
	*state = w;
	return 0;
}

static int teardown(void **state)
{
	struct world *w = *state;

	process_free(&w->k);
	engine_free(w->k.engine);
	memory_free(w->k.mem);
	VEC_FREE(&w->k.proc.tasks);
	exec_free(&w->k);
	unlink(w->path);
	rmdir(w->dir);
	free(w);
	return 0;
}

static char *const argv3[] = { "first", "", "third", NULL };
static char *const env2[] = { "A=1", "LONG=0123456789", NULL };

static void load(struct world *w)
{
	struct err e = { .text = "" };

	save(w);
	if (!exec_load(&w->k, w->path, argv3, env2, &e))
		fail_msg("%s", e.text);
}

static uint64_t word(struct world *w, gaddr a)
{
	uint64_t v;

	assert_int_equal(memory_peek(w->k.mem, &v, a, 8), 0);
	return v;
}

static void string_is(struct world *w, gaddr a, const char *want)
{
	char s[256];

	assert_true(memory_read_string(w->k.mem, s, a, sizeof(s)) >= 0);
	assert_string_equal(s, want);
}

/* Value of @key on the stack; its index in *at. */
static uint64_t aux(struct world *w, uint64_t key, unsigned *at)
{
	const uint64_t *v = (const uint64_t *)(const void *)w->k.proc.auxv.data;

	for (unsigned i = 0; i < w->k.proc.auxv.len / 16; i++)
		if (v[2 * i] == key) {
			if (at)
				*at = i;
			return v[2 * i + 1];
		}
	return UINT64_MAX;
}

static void starts_like_linux(void **state)
{
	struct world *w = *state;
	struct trap t;
	gaddr sp;

	load(w);
	sp = engine_get(w->k.engine, REG_RSP);
	assert_int_equal(sp & 15, 0);
	assert_true(sp < w->k.proc.stack_top && sp > w->k.proc.stack_top - 4096);
	for (int r = REG_RAX; r <= REG_R15; r++)
		if (r != REG_RSP)
			assert_int_equal(engine_get(w->k.engine, (enum reg)r), 0);
	assert_int_equal(engine_get(w->k.engine, REG_RFLAGS) & ~2ull, RFLAGS_IF);
	assert_int_equal(engine_get(w->k.engine, REG_CS), 0x33);
	assert_int_equal(engine_get(w->k.engine, REG_SS), 0x2b);
	assert_int_equal(word(w, sp), 3);
	string_is(w, word(w, sp + 8), "first");
	string_is(w, word(w, sp + 16), "");
	string_is(w, word(w, sp + 24), "third");
	assert_int_equal(word(w, sp + 32), 0);
	string_is(w, word(w, sp + 40), "A=1");
	string_is(w, word(w, sp + 48), "LONG=0123456789");
	assert_int_equal(word(w, sp + 56), 0);
	/* Strings stand next to each other, the file's name last, eight zero bytes above. */
	assert_int_equal(word(w, sp + 8), w->k.proc.arg_start);
	assert_int_equal(word(w, sp + 24) + 6, w->k.proc.arg_end);
	assert_int_equal(w->k.proc.arg_end, w->k.proc.env_start);
	assert_int_equal(word(w, sp + 48) + 16, w->k.proc.env_end);
	assert_int_equal(aux(w, AT_EXECFN, NULL), w->k.proc.env_end);
	string_is(w, aux(w, AT_EXECFN, NULL), w->path);
	assert_int_equal(word(w, w->k.proc.stack_top - 8), 0);
	assert_int_equal(w->k.proc.env_end + strlen(w->path) + 1, w->k.proc.stack_top - 8);
	assert_string_equal(w->task.comm, "prog");
	engine_run(w->k.engine, &t);
	assert_int_equal(t.kind, TRAP_SYSCALL);
	assert_int_equal(t.rip, BASE + 0x202);
}

static void auxv_is_in_order(void **state)
{
	static const uint64_t order[] = { AT_MINSIGSTKSZ, AT_HWCAP, AT_PAGESZ, AT_CLKTCK, AT_PHDR,
					  AT_PHENT,	  AT_PHNUM, AT_BASE,   AT_FLAGS,  AT_ENTRY,
					  AT_UID,	  AT_EUID,  AT_GID,    AT_EGID,	  AT_SECURE,
					  AT_RANDOM,	  AT_HWCAP2, AT_EXECFN, AT_PLATFORM, AT_NULL };
	struct world *w = *state;
	unsigned at = 99;
	gaddr sp;

	load(w);
	for (unsigned i = 0; i < ARRAY_SIZE(order); i++) {
		assert_int_not_equal(aux(w, order[i], &at), UINT64_MAX);
		assert_int_equal(at, i);
	}
	assert_int_equal(w->k.proc.auxv.len, 16 * ARRAY_SIZE(order));
	assert_int_equal(aux(w, AT_PHDR, NULL), BASE + 64);
	assert_int_equal(aux(w, AT_PHNUM, NULL), 3);
	assert_int_equal(aux(w, AT_ENTRY, NULL), BASE + 0x200);
	assert_int_equal(aux(w, AT_UID, NULL), getuid());
	string_is(w, aux(w, AT_PLATFORM, NULL), "x86_64");
	/* It follows envp. */
	sp = engine_get(w->k.engine, REG_RSP);
	assert_int_equal(word(w, sp + 64), AT_MINSIGSTKSZ);
	/* Older kernels lack the later entries. */
	set_release(w, "2.6.32");
	load(w);
	assert_int_equal(aux(w, AT_MINSIGSTKSZ, NULL), UINT64_MAX);
	assert_int_equal(aux(w, AT_HWCAP2, NULL), UINT64_MAX);
	assert_int_not_equal(aux(w, AT_RANDOM, NULL), UINT64_MAX);
	set_release(w, "6.18.0");
	load(w);
	assert_int_equal(aux(w, AT_RSEQ_FEATURE_SIZE, NULL), 28);
}

static void auxv_is_edited(void **state)
{
	static const char *const edits[] = { "HWCAP2=0x2", "AT_CLKTCK=250", "999=7", "PLATFORM=",
					     NULL };
	struct world *w = *state;
	struct err e = { .text = "" };
	uint64_t key, value;
	bool drop;

	w->opt.auxv = edits;
	load(w);
	assert_int_equal(aux(w, AT_HWCAP2, NULL), 2);
	assert_int_equal(aux(w, AT_CLKTCK, NULL), 250);
	assert_int_equal(aux(w, 999, NULL), 7);
	assert_int_equal(aux(w, AT_PLATFORM, NULL), UINT64_MAX);
	assert_true(exec_auxv_parse("SYSINFO_EHDR=0", &key, &value, &drop, &e));
	assert_int_equal(key, AT_SYSINFO_EHDR);
	assert_false(exec_auxv_parse("NOSUCH=1", &key, &value, &drop, &e));
	assert_false(exec_auxv_parse("HWCAP", &key, &value, &drop, &e));
	assert_false(exec_auxv_parse("=1", &key, &value, &drop, &e));
	assert_false(exec_auxv_parse("HWCAP=1x", &key, &value, &drop, &e));
	assert_false(exec_auxv_parse("HWCAP=-1", &key, &value, &drop, &e));
	assert_false(exec_auxv_parse("NULL=1", &key, &value, &drop, &e));
}

static void memory_is_as_the_segments_say(void **state)
{
	struct world *w = *state;
	const struct vma *v;

	load(w);
	v = memory_find(w->k.mem, BASE);
	assert_int_equal(v->start, BASE);
	assert_int_equal(v->prot, PROT_READ | PROT_EXEC);
	assert_string_equal(v->name, w->path);
	v = memory_find(w->k.mem, BASE + 0x1000);
	assert_int_equal(v->prot, PROT_READ | PROT_WRITE);
	/* File bytes up to p_filesz, zeroes after, none of the file's tail. */
	assert_int_equal(word(w, BASE + 0x17f8), 0x7777777777777777);
	for (gaddr a = BASE + 0x1800; a < BASE + 0x4000; a += 8)
		assert_int_equal(word(w, a), 0);
	assert_int_equal(memory_brk(w->k.mem, 0), BASE + 0x4000);
	v = memory_find(w->k.mem, w->k.proc.stack_top - 1);
	assert_string_equal(v->name, "[stack]");
	assert_int_equal(v->prot, PROT_READ | PROT_WRITE);
	assert_true(v->end - v->start >= EXEC_STACK_MIN_BYTES);
}

static void stack_header_decides(void **state)
{
	struct world *w = *state;

	ph(w, 2)->p_flags = PF_R | PF_W | PF_X;
	load(w);
	assert_int_equal(memory_find(w->k.mem, w->k.proc.stack_top - 1)->prot, 7);
	assert_int_equal(w->k.proc.personality & READ_IMPLIES_EXEC, 0);
	/* Without it: nothing in newer kernels, everything readable is executable in older ones. */
	ph(w, 2)->p_type = PT_NULL;
	load(w);
	assert_int_equal(memory_find(w->k.mem, w->k.proc.stack_top - 1)->prot, 3);
	assert_int_equal(memory_find(w->k.mem, BASE + 0x1000)->prot, 3);
	set_release(w, "4.10.7");
	load(w);
	assert_int_equal(memory_find(w->k.mem, w->k.proc.stack_top - 1)->prot, 7);
	assert_int_equal(memory_find(w->k.mem, BASE + 0x1000)->prot, 7);
	assert_true(w->k.proc.personality & READ_IMPLIES_EXEC);
}

/* The file made movable. */
static void interpreter(struct world *w)
{
	eh(w)->e_type = ET_DYN;
	eh(w)->e_entry = 0x200;
	ph(w, 0)->p_vaddr = 0;
	ph(w, 1)->p_vaddr = 0x1000;
}

static void movable_programs_move(void **state)
{
	struct world *w = *state;
	gaddr bias;

	interpreter(w);
	load(w);
	bias = aux(w, AT_ENTRY, NULL) - 0x200;
	assert_true(bias > EXEC_DYN_BASE && bias < EXEC_STACK_TOP);
	assert_int_equal(aux(w, AT_PHDR, NULL), bias + 64);
	assert_int_equal(word(w, bias + 0x1000), 0x7777777777777777);
	assert_int_equal(memory_brk(w->k.mem, 0), EXEC_DYN_BASE);
	/* Aligned as asked. */
	ph(w, 0)->p_align = 0x200000;
	load(w);
	bias = aux(w, AT_ENTRY, NULL) - 0x200;
	assert_int_equal(bias & 0x1fffff, 0);
}

static void want_interpreter(struct world *w, const char *name)
{
	ph(w, 2)->p_type = PT_INTERP;
	ph(w, 2)->p_offset = 0x1900;
	ph(w, 2)->p_filesz = strlen(name) + 1;
	strcpy((char *)w->file + 0x1900, name);
}

static void interpreters_come_from_the_sysroot(void **state)
{
	struct world *w = *state;
	struct err e = { .text = "" };
	char root[64], ld[80], prog[80];
	gaddr base;

	snprintf(root, sizeof(root), "%s/root", w->dir);
	snprintf(ld, sizeof(ld), "%s/ld-test.so", root);
	snprintf(prog, sizeof(prog), "%s/prog", root);
	assert_int_equal(mkdir(root, 0755), 0);
	interpreter(w);
	write_file(ld, w->file, sizeof(w->file));
	/* A fixed program. */
	fresh(w);
	want_interpreter(w, "/ld-test.so");
	save(w);
	assert_false(exec_check(&w->k, w->path, &e));
	assert_non_null(strstr(e.text, "/ld-test.so: no such file"));
	w->k.sysroot = root;
	load(w);
	base = aux(w, AT_BASE, NULL);
	assert_true(base > EXEC_DYN_BASE && !(base & 0xfff));
	assert_int_equal(engine_get(w->k.engine, REG_RIP), base + 0x200);
	assert_int_equal(aux(w, AT_ENTRY, NULL), BASE + 0x200);
	assert_int_equal(memory_brk(w->k.mem, 0), BASE + 0x4000);
	/* A movable one, from inside: its name is the guest's. */
	interpreter(w);
	write_file(prog, w->file, sizeof(w->file));
	if (!exec_load(&w->k, "/prog", argv3, env2, &e))
		fail_msg("%s", e.text);
	assert_int_equal(aux(w, AT_ENTRY, NULL), EXEC_DYN_BASE + 0x200);
	assert_int_equal(memory_brk(w->k.mem, 0), EXEC_DYN_BASE + 0x4000);
	assert_string_equal(w->k.proc.exe, "/prog");
	/* An interpreter that is none. */
	write_file(ld, "#!/bin/sh\n", 10);
	assert_int_equal(exec_replace(&w->k, -100, "/prog", argv3, env2, 0), -5);
	memset(w->file, 'x', 64);
	write_file(ld, w->file, sizeof(w->file));
	assert_int_equal(exec_replace(&w->k, -100, "/prog", argv3, env2, 0), -80);
	unlink(ld);
	unlink(prog);
	rmdir(root);
}

struct rule {
	const char *text; /* part of the line */
	size_t off, size; /* what is changed in the file */
	uint64_t value;
};
#define EHDR(field) offsetof(Elf64_Ehdr, field), sizeof(((Elf64_Ehdr *)0)->field)
#define PHDR(n, field) \
	sizeof(Elf64_Ehdr) + (n) * sizeof(Elf64_Phdr) + offsetof(Elf64_Phdr, field), \
		sizeof(((Elf64_Phdr *)0)->field)

static void broken_rules_are_named(void **state)
{
	static const struct rule rules[] = {
		{ "neither an ELF file nor a script", 0, 1, 'M' },
		{ "e_type is neither", EHDR(e_type), 9 },
		{ "ET_REL", EHDR(e_type), ET_REL },
		{ "ET_CORE", EHDR(e_type), ET_CORE },
		{ "another machine", EHDR(e_machine), EM_AARCH64 },
		{ "32-bit", EHDR(e_machine), EM_386 },
		{ "e_phentsize", EHDR(e_phentsize), 55 },
		{ "e_phnum is 0", EHDR(e_phnum), 0 },
		{ "e_phnum is over 73", EHDR(e_phnum), 74 },
		{ "beyond the end of the file", EHDR(e_phoff), FILE_BYTES - 100 },
		{ "beyond the end of the file", EHDR(e_phoff), UINT64_MAX - 8 },
		{ "p_filesz is greater", PHDR(0, p_filesz), 0x1001 },
		{ "wraps or exceeds", PHDR(0, p_memsz), UINT64_MAX },
		{ "wraps or exceeds", PHDR(1, p_memsz), (uint64_t)1 << 47 },
		{ "modulo a page", PHDR(0, p_offset), 8 },
		{ "no file offset", PHDR(0, p_offset), (uint64_t)1 << 63 },
		{ "below 0x10000", PHDR(0, p_vaddr), 0x1000 },
		{ "outside the addresses", PHDR(0, p_vaddr), 0x7fff00000000 },
		{ "outside the addresses", PHDR(1, p_memsz), (uint64_t)1 << 46 },
		{ "wraps or exceeds", PHDR(1, p_vaddr), UINT64_MAX & ~0xfffull },
		{ "PT_INTERP is not 2 to 4096", PHDR(2, p_type), PT_INTERP },
	};
	struct world *w = *state;

	for (size_t i = 0; i < ARRAY_SIZE(rules); i++) {
		struct err e = { .text = "" };

		fresh(w);
		memcpy(w->file + rules[i].off, &rules[i].value, rules[i].size);
		save(w);
		if (exec_check(&w->k, w->path, &e))
			fail_msg("taken, although: %s", rules[i].text);
		if (!strstr(e.text, rules[i].text) || !strstr(e.text, w->path))
			fail_msg("%s: got '%s'", rules[i].text, e.text);
		assert_int_equal(e.status, 126);
		assert_false(exec_load(&w->k, w->path, argv3, env2, &e));
	}
}

static void status_of(struct world *w, const char *path, int status, int64_t errnum)
{
	struct err e = { .text = "" };

	assert_false(exec_check(&w->k, path, &e));
	assert_int_equal(e.status, status);
	assert_int_equal(exec_replace(&w->k, -100, path, argv3, env2, 0), errnum);
}

static void missing_files_are_127(void **state)
{
	struct world *w = *state;
	char name[128];

	status_of(w, "/nonexistent/x", 127, -2);
	status_of(w, "", 127, -2);
	status_of(w, w->dir, 126, -13);
	status_of(w, "/dev/null", 126, -13);
	save(w);
	chmod(w->path, 0644);
	status_of(w, w->path, 126, -13);
	snprintf(name, sizeof(name), "%s/x", w->path);
	status_of(w, name, 127, -20);
	/* Empty and short files. */
	write_file(w->path, "", 0);
	status_of(w, w->path, 126, -8);
	write_file(w->path, w->file, 40);
	status_of(w, w->path, 126, -8);
	/* The interpreter is missing: the program is there, but cannot be run. */
	ph(w, 2)->p_type = PT_INTERP;
	ph(w, 2)->p_offset = 0x1800;
	ph(w, 2)->p_filesz = 8;
	memcpy(w->file + 0x1800, "/no/int", 8);
	save(w);
	status_of(w, w->path, 126, -2);
	w->file[0x1807] = 'x';
	save(w);
	status_of(w, w->path, 126, -8);
}

static void script(struct world *w, const char *text, size_t n)
{
	write_file(w->path, text, n);
}

static void scripts_name_their_interpreter(void **state)
{
	struct world *w = *state;
	struct exec_plan p;
	struct err e = { .text = "" };
	char elf[64], text[600];

	snprintf(elf, sizeof(elf), "%s/elf", w->dir);
	write_file(elf, w->file, sizeof(w->file));
	script(w, text, (size_t)snprintf(text, sizeof(text), "#! \t%s  one two \t\nrest", elf));
	assert_int_equal(exec_plan_open(&w->k, &p, -100, w->path, argv3, 0, &e), 0);
	assert_int_equal(p.argv.n, 5);
	assert_string_equal(p.argv.at[0], elf);
	assert_string_equal(p.argv.at[1], "one two");
	assert_string_equal(p.argv.at[2], w->path);
	assert_string_equal(p.argv.at[3], "");
	assert_string_equal(p.argv.at[4], "third");
	assert_string_equal(p.execfn, w->path);
	assert_string_equal(p.comm, "prog");
	assert_string_equal(p.prog.path, elf);
	exec_plan_free(&w->k, &p);
	/* Without an argument, and without a newline. */
	script(w, text, (size_t)snprintf(text, sizeof(text), "#!%s", elf));
	assert_int_equal(exec_plan_open(&w->k, &p, -100, w->path, argv3, 0, &e), 0);
	assert_int_equal(p.argv.n, 4);
	exec_plan_free(&w->k, &p);
	script(w, "#!", 2);
	status_of(w, w->path, 126, -8);
	script(w, "#!   \t\n/bin/true", 16);
	status_of(w, w->path, 126, -8);
	script(w, "#!/no/such\n", 11);
	status_of(w, w->path, 126, -2);
	/* A name that may have been cut off at 256 bytes is not tried. */
	memset(text, 'a', sizeof(text));
	memcpy(text, "#!/", 3);
	script(w, text, 400);
	status_of(w, w->path, 126, -8);
	/* A script that is its own interpreter. */
	script(w, text, (size_t)snprintf(text, sizeof(text), "#!%s\n", w->path));
	status_of(w, w->path, 126, -40);
	unlink(elf);
}

static void replace_keeps_and_forgets(void **state)
{
	struct world *w = *state;
	uint64_t big = (uint64_t)1 << 47;

	load(w);
	w->k.proc.act[10].handler = 0x400000;
	w->k.proc.act[12].handler = 1;
	w->task.mask = SIGBIT(10);
	w->task.altstack_size = 4096;
	assert_int_equal(exec_replace(&w->k, -100, w->path, argv3, NULL, 0), SYSCALL_REGS);
	assert_int_equal(w->k.proc.act[10].handler, 0);
	assert_int_equal(w->k.proc.act[12].handler, 1);
	assert_int_equal(w->task.mask, SIGBIT(10));
	assert_int_equal(w->task.altstack_size, 0);
	assert_int_equal(w->k.outcome.kind, OUTCOME_RUNNING);
	/* Past the point of no return the process dies as by SIGSEGV. */
	memcpy(w->file + 64 + offsetof(Elf64_Phdr, p_memsz), &big, 8);
	save(w);
	assert_int_equal(exec_replace(&w->k, -100, w->path, argv3, NULL, 0), SYSCALL_EXITED);
	assert_int_equal(w->k.outcome.kind, OUTCOME_SIGNAL);
	assert_int_equal(w->k.outcome.status, SIGSEGV);
}

static void too_many_arguments(void **state)
{
	struct world *w = *state;
	char *big = malloc(131073);
	char *const args[] = { big, NULL };

	save(w);
	memset(big, 'x', 131072);
	big[131072] = 0;
	assert_int_equal(exec_replace(&w->k, -100, w->path, args, env2, 0), -7);
	big[131071] = 0;
	assert_int_equal(exec_replace(&w->k, -100, w->path, args, env2, 0), SYSCALL_REGS);
	free(big);
}

/* Whatever stands in the headers: an answer, and the next program still loads. */
static void any_bytes_get_an_answer(void **state)
{
	struct world *w = *state;
	int rounds = getenv("SOAK") ? 20000 : 600;
	struct err none = { .text = "" };

	fault_install(&none); /* the harness has its own handlers in each test */
	srand(7);
	for (int i = 0; i < rounds; i++) {
		struct err e = { .text = "" };
		struct trap t;

		fresh(w);
		for (int n = 1 + rand() % 4; n; n--)
			w->file[(size_t)rand() % (64 + 3 * 56)] = (uint8_t)(rand() % 5 ? rand() : 0);
		write_file(w->path, w->file, i % 4 ? sizeof(w->file) : (size_t)rand() % 0x1400);
		if (exec_load(&w->k, w->path, argv3, env2, &e)) {
			engine_set_deadline(w->k.engine, UINT64_MAX, engine_insns(w->k.engine) + 100);
			engine_run(w->k.engine, &t);
			assert_int_not_equal(t.kind, TRAP_ENGINE);
		} else {
			assert_true(e.text[0] && (e.status == 126 || e.status == 127));
		}
	}
	engine_set_deadline(w->k.engine, UINT64_MAX, UINT64_MAX);
	fresh(w);
	load(w);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(starts_like_linux),
		TEST(auxv_is_in_order),
		TEST(auxv_is_edited),
		TEST(memory_is_as_the_segments_say),
		TEST(stack_header_decides),
		TEST(movable_programs_move),
		TEST(interpreters_come_from_the_sysroot),
		TEST(broken_rules_are_named),
		TEST(missing_files_are_127),
		TEST(scripts_name_their_interpreter),
		TEST(replace_keeps_and_forgets),
		TEST(too_many_arguments),
		TEST(any_bytes_get_an_answer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
