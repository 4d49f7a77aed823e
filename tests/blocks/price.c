/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prices the blocks of tests/blocks/table.tsv by each CPU profile and sets them beside llvm-mca's cycles, which
 * stand in the table: price TABLE.  One line a core: mean error of a block, weighed by the instructions that ran,
 * of a program's total, the worst program, and how many programs are within 20 %.  The factor of real cores
 * (block_scale) is left out: llvm-mca has none.  Knows no engine.
 */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "facts/model.h"
#include "facts/price.h"

enum { CORES_MAX = 16, PROGRAMS_MAX = 64, CODE_MAX = 512, LINE_MAX_BYTES = 4096 };

struct row {
	unsigned program;
	double runs;
	uint32_t insns, bytes;
	uint8_t code[CODE_MAX];
	double mca[CORES_MAX];
};

struct table {
	VEC(struct row) row;
	char *core[CORES_MAX], *program[PROGRAMS_MAX];
	unsigned cores, programs;
};

static uint32_t read_hex(const char *s, uint8_t *code)
{
	uint32_t n = 0;
	unsigned v;

	for (; n < CODE_MAX && isxdigit(s[0]) && isxdigit(s[1]) && sscanf(s, "%2x", &v) == 1; s += 2)
		code[n++] = (uint8_t)v;
	return *s ? 0 : n;
}

static bool header(struct table *t, char *line)
{
	unsigned column = 0;

	for (char *f; (f = strsep(&line, "\t")); column++)
		if (column >= 4 && t->cores < CORES_MAX)
			t->core[t->cores++] = xstrdup(f);
	return t->cores > 0;
}

static bool add(struct table *t, char *line)
{
	char *name = strsep(&line, "\t"), *runs = strsep(&line, "\t"), *insns = strsep(&line, "\t");
	char *code = strsep(&line, "\t");
	struct row r = { 0 };

	if (!code || !line)
		return false;
	if (!t->programs || strcmp(t->program[t->programs - 1], name)) {
		if (t->programs == PROGRAMS_MAX)
			return false;
		t->program[t->programs++] = xstrdup(name);
	}
	r.program = t->programs - 1;
	r.runs = strtod(runs, NULL);
	r.insns = (uint32_t)strtoul(insns, NULL, 10);
	r.bytes = read_hex(code, r.code);
	for (unsigned c = 0; c < t->cores; c++) {
		char *f = strsep(&line, "\t");

		r.mca[c] = f ? strtod(f, NULL) : 0; /* 0: llvm-mca has no answer */
	}
	VEC_PUSH(&t->row, r);
	return r.runs > 0 && r.insns && r.bytes;
}

static bool load(struct table *t, const char *path)
{
	FILE *f = fopen(path, "re");
	char line[LINE_MAX_BYTES];
	unsigned number = 0;
	bool good = f != NULL;

	if (!f)
		fprintf(stderr, "%s: %s\n", path, strerror(errno));
	while (good && fgets(line, sizeof(line), f)) {
		number++;
		line[strcspn(line, "\n")] = 0;
		if (*line == '#')
			continue;
		good = t->cores ? add(t, line) : header(t, line);
		if (!good)
			fprintf(stderr, "%s:%u: not a row of the table\n", path, number);
	}
	if (f)
		fclose(f);
	return good;
}

static bool core(const struct table *t, unsigned c)
{
	double ours[PROGRAMS_MAX] = { 0 }, theirs[PROGRAMS_MAX] = { 0 }, off = 0, weight = 0, mean = 0, worst = 0;
	unsigned within = 0, which = 0;
	struct err e = { 0 };
	struct cpu_model *m = cpu_model_load(t->core[c], &e);

	if (!m) {
		fprintf(stderr, "%s\n", e.text);
		return false;
	}
	m->core.scale = 1;
	for (size_t i = 0; i < t->row.n; i++) {
		const struct row *r = &t->row.at[i];
		double price = price_block(m, r->code, r->bytes, r->insns) / 16.0, w = r->runs * r->insns;

		if (r->mca[c] <= 0)
			continue;
		off += w * fabs(price / r->mca[c] - 1);
		weight += w;
		ours[r->program] += r->runs * price;
		theirs[r->program] += r->runs * r->mca[c];
	}
	cpu_model_free(m);
	for (unsigned p = 0; p < t->programs; p++) {
		double error = fabs(ours[p] / theirs[p] - 1);

		mean += error / t->programs;
		within += error <= .2;
		if (error > worst) {
			worst = error;
			which = p;
		}
	}
	printf("| %s | %.0f %% | %.0f %% | %+.0f %% (%s) | %u of %u |\n", t->core[c], 100 * off / weight, 100 * mean,
	       100 * (ours[which] / theirs[which] - 1), t->program[which], within, t->programs);
	return true;
}

int main(int argc, char **argv)
{
	struct table t = { 0 };
	bool good = argc == 2 && load(&t, argv[1]);

	if (good)
		printf("| core | a block | a program | the worst program | within 20 %% |\n|---|---|---|---|---|\n");
	for (unsigned c = 0; good && c < t.cores; c++)
		good = core(&t, c);
	for (unsigned c = 0; c < t.cores; c++)
		free(t.core[c]);
	for (unsigned p = 0; p < t.programs; p++)
		free(t.program[p]);
	VEC_FREE(&t.row);
	return good ? 0 : 1;
}
