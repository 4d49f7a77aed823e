/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * conformance: proves what the kernel (or an emulator) under it does on the vsyscall page, one row
 * of facts after the other: `id<TAB>answer`, in the words of tests/truth/README.md.
 * No arguments: all rows.  Arguments: ids, or beginnings of ids.  -f FILE: ids from a file (first
 * column).  -l: only list.  -k: leave the kernel log alone.  -i, --in-process: no children.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "conformance.h"

struct choice {
	bool list, in_process, log;
	bool found;
	const char *only; /* prefix at hand */
};

static void answer(const struct choice *c, const char *id)
{
	char out[1024], words[256] = "";

	if (c->list) {
		puts(id);
		return;
	}
	if (!row_run(id, c->in_process, out, sizeof(out)))
		snprintf(out, sizeof(out), "?");
	if (c->log)
		log_words(words, sizeof(words));
	/* Not part of what these rows compare. */
	if (!strncmp(id, "consistency:", 12) || !strncmp(id, "ptrace:", 7) || !strncmp(id, "sys:", 4))
		words[0] = 0;
	printf("%s\t%s%s\n", id, out, words);
	fflush(stdout);
}

static void each(void *ctx, const char *id)
{
	struct choice *c = ctx;

	if (c->only && strncmp(id, c->only, strlen(c->only)))
		return;
	c->found = true;
	answer(c, id);
}

static void exact(void *ctx, const char *id)
{
	struct choice *c = ctx;

	c->found = c->found || !strcmp(id, c->only);
}

/* One argument: a whole id, or the beginning of some. */
static void answer_word(struct choice *c, const char *word)
{
	c->only = word;
	c->found = false;
	row_list(exact, c);
	if (c->found) {
		answer(c, word);
		return;
	}
	row_list(each, c);
	if (!c->found)
		answer(c, word);
}

static int answer_file(struct choice *c, const char *name)
{
	FILE *f = strcmp(name, "-") ? fopen(name, "r") : stdin;
	char line[4096];

	if (!f) {
		perror(name);
		return 2;
	}
	while (fgets(line, sizeof(line), f)) {
		line[strcspn(line, "\t\r\n")] = 0;
		if (line[0] && line[0] != '#' && strcmp(line, "id"))
			answer(c, line);
	}
	fclose(f);
	return 0;
}

static int usage(void)
{
	fputs("usage: conformance [-l] [-k] [-i] [-f FILE] [ID...]\n", stderr);
	return 2;
}

int main(int argc, char **argv)
{
	struct choice c = { .log = true };
	struct rlimit none = { 0, 0 };
	const char *file = NULL;
	int i;

	for (i = 1; i < argc && argv[i][0] == '-' && argv[i][1]; i++) {
		if (!strcmp(argv[i], "-l"))
			c.list = true;
		else if (!strcmp(argv[i], "-k"))
			c.log = false;
		else if (!strcmp(argv[i], "-i") || !strcmp(argv[i], "--in-process"))
			c.in_process = true;
		else if (!strcmp(argv[i], "-f") && argv[i + 1])
			file = argv[++i];
		else
			return usage();
	}
	setrlimit(RLIMIT_CORE, &none);
	probe_setup();
	if (c.log && !c.list)
		log_open();
	if (file)
		return answer_file(&c, file);
	if (i == argc)
		row_list(each, &c);
	for (; i < argc; i++)
		answer_word(&c, argv[i]);
	return 0;
}
