/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Writes docs/models.md from its frame on standard input: the lines @CPU@ and @KERNEL@ become tables
 * of every key that a profile may have, a line @NAME.md@ becomes the file docs/parts/NAME.md.  Run at the
 * top of the tree; status 1 if a file cannot be read. */
#include <stdio.h>
#include <string.h>

#include "facts/model.h"

static void cell(const char *s)
{
	for (; *s; s++)
		printf("%s%c", *s == (char)124 ? "\\" : "", *s);
}

static void table(const struct model_key *k, size_t n)
{
	const char *section = "";

	for (size_t i = 0; i < n; i++) {
		if (strcmp(section, k[i].section)) {
			section = k[i].section;
			printf("%s`[%s]`\n\n| key | unit | default | meaning |\n|---|---|---|---|\n", i ? "\n" : "",
			       section);
		}
		printf("| `%s` | %s | ", k[i].name, k[i].unit);
		if (!k[i].fallback)
			printf("required");
		else if (*k[i].fallback)
			printf("`%s`", k[i].fallback);
		printf(" | ");
		cell(k[i].meaning);
		printf(" |\n");
	}
}

/* Is @line the name of a file to put in its place? */
static int is_part(const char *line)
{
	size_t n = strlen(line);

	return n > 6 && n < 64 && *line == '@' && !strcmp(line + n - 5, ".md@\n") && !strpbrk(line, "/ ");
}

static int part(const char *line)
{
	char path[128], text[4096];
	FILE *f;

	snprintf(path, sizeof(path), "docs/parts/%.*s", (int)strlen(line) - 3, line + 1);
	f = fopen(path, "r");
	if (!f) {
		perror(path);
		return 1;
	}
	while (fgets(text, sizeof(text), f))
		fputs(text, stdout);
	fclose(f);
	return 0;
}

int main(void)
{
	char line[4096];
	int bad = 0;
	size_t cpu, kernel;
	const struct model_key *c = cpu_keys(&cpu), *k = kernel_keys(&kernel);

	while (fgets(line, sizeof(line), stdin))
		if (!strcmp(line, "@CPU@\n"))
			table(c, cpu);
		else if (!strcmp(line, "@KERNEL@\n"))
			table(k, kernel);
		else if (is_part(line))
			bad |= part(line);
		else
			fputs(line, stdout);
	return bad;
}
