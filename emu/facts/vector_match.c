/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An outcome held against what a row says, cell by cell; and two outcomes held against each other.
 * What a process cannot see (registers of a task that was killed) is not looked at.
 */
#include <stdlib.h>
#include <string.h>

#include "facts/vector_words.h"

static const struct word {
	const char *name;
	int value;
} signal_words[] = {
	{ "SIGTRAP", 5 }, { "SIGBUS", 7 }, { "SIGKILL", 9 }, { "SIGSEGV", 11 }, { "SIGSYS", 31 },
}, code_words[] = {
	{ "SI_KERNEL", 0x80 }, { "MAPERR", 1 }, { "ACCERR", 2 }, { "BUS_ADRERR", 2 },
	{ "SYS_SECCOMP", 1 },
};

static int find_word(const struct word *words, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(words[i].name, name))
			return words[i].value;
	return -1;
}

static int outcome_find(const char *name)
{
	for (int k = 0; k < OUT_COUNT; k++)
		if (!strcmp(vector_outcome_name((enum vector_outcome_kind)k), name))
			return k;
	return -1;
}

static bool is_number(const char *s)
{
	uint64_t n;

	return word_number(s, &s, &n) && !*s;
}

static bool is_dash(const char *s)
{
	return !strcmp(s, "-");
}

bool vector_row_check(const struct vector_row *r, struct err *e)
{
	vector_pairs none = { 0 };
	struct buf why = { 0 };
	char *const *cell = r->cell;
	bool good = vector_row_pairs(r, NULL, 0, &none, &why, e);

	buf_free(&why);
	VEC_FREE(&none);
	if (!good)
		return false;
	if (outcome_find(cell[COL_OUTCOME]) < 0)
		return err_set(e, "column outcome: \"%.40s\" is none of NATIVE_EXEC, EMULATED, SKIPPED, "
				  "SIGNAL, KILLED, KERNEL_BUG, READ_OK", cell[COL_OUTCOME]);
	if (!is_dash(cell[COL_SIGNAL]) &&
	    find_word(signal_words, ARRAY_SIZE(signal_words), cell[COL_SIGNAL]) < 0)
		return err_set(e, "column signal: \"%.40s\" is none of SIGSEGV, SIGBUS, SIGTRAP, SIGSYS, "
				  "SIGKILL, -", cell[COL_SIGNAL]);
	if (!is_dash(cell[COL_SI_CODE]) && !is_number(cell[COL_SI_CODE]) &&
	    find_word(code_words, ARRAY_SIZE(code_words), cell[COL_SI_CODE]) < 0)
		return err_set(e, "column si_code: \"%.40s\" is none of SI_KERNEL, MAPERR, ACCERR, "
				  "BUS_ADRERR, SYS_SECCOMP, -", cell[COL_SI_CODE]);
	for (int i = 0; i < 2; i++) {
		enum vector_column c = i ? COL_RSP_DELTA : COL_NR;

		if (!is_dash(cell[c]) && !is_number(cell[c]))
			return err_set(e, "column %s: \"%.40s\" is neither a number nor -",
				       vector_column_name(c), cell[c]);
	}
	return true;
}

/* One row being matched. */
struct match {
	const struct vector_row *r;
	const struct vector_case *c;
	const struct vector_outcome *o;
	struct buf *why;
};

/* Where the next remark goes. */
static struct buf *text(const struct match *m)
{
	if (m->why->len)
		buf_printf(m->why, "; ");
	return m->why;
}

static enum vector_match cannot(struct match *m, enum vector_column col)
{
	buf_printf(text(m), "%s \"%s\" cannot be expressed", vector_column_name(col), m->r->cell[col]);
	return MATCH_CANNOT;
}

static enum vector_match equal(struct match *m, enum vector_column col, uint64_t got)
{
	const char *s = m->r->cell[col];
	uint64_t want;

	if (is_dash(s) || !strcmp(s, "n/a") || !strcmp(s, "unspecified"))
		return MATCH_OK;
	if (!strcmp(s, "in"))
		want = m->c->rax;
	else if (!strcmp(s, "result") && m->o->called)
		want = (uint64_t)m->o->result;
	else if (!strcmp(s, "[rsp]"))
		want = m->c->caller;
	else if (!strcmp(s, "t") || !strcmp(s, "tv") || !strcmp(s, "cpu"))
		want = m->c->ptr[0].addr;
	else if (!strcmp(s, "tz") || !strcmp(s, "node"))
		want = m->c->ptr[1].addr;
	else if (!strcmp(s, "next insn") && m->o->kind == OUT_READ_OK)
		return MATCH_OK;
	else if (!word_number(s, &s, &want) || *s)
		return cannot(m, col);
	if (got == want)
		return MATCH_OK;
	buf_printf(text(m), "%s is 0x%llx, expected %s", vector_column_name(col),
		   (unsigned long long)got, m->r->cell[col]);
	return MATCH_NOT_OK;
}

/* A field of the trap record: a number that was recorded, or "stale". */
static enum vector_match recorded(struct match *m, enum vector_column col, bool set, uint64_t got)
{
	const char *s = m->r->cell[col];

	if (is_dash(s) || (!strcmp(s, "stale") && !set))
		return MATCH_OK;
	if (set && strcmp(s, "stale"))
		return equal(m, col, got);
	buf_printf(text(m), "%s is %s, expected %s", vector_column_name(col),
		   set ? "recorded" : "stale", s);
	return MATCH_NOT_OK;
}

static enum vector_match named(struct match *m, enum vector_column col, int got)
{
	const char *s = m->r->cell[col];
	int want = col == COL_SIGNAL ? find_word(signal_words, ARRAY_SIZE(signal_words), s) :
				       find_word(code_words, ARRAY_SIZE(code_words), s);

	if (want < 0)
		return equal(m, col, (uint64_t)got);
	if (want == got)
		return MATCH_OK;
	buf_printf(text(m), "%s is %d, expected %s", vector_column_name(col), got, s);
	return MATCH_NOT_OK;
}

/* "TAG", "TAG + segfault line [if no handler]", "traps line ...", "segfault line only". */
static enum vector_match logged(struct match *m)
{
	const char *s = m->r->cell[COL_LOG];
	enum vsysemu_tag want = VSYSEMU_TAG_NO_LOG, got = m->o->v.log.tag;
	uint64_t ordinary = 0;

	while (*s && !is_dash(s)) {
		size_t n = strcspn(s, " +");
		unsigned tag = 1;

		while (tag < VSYSEMU_TAG_COUNT &&
		       (strncmp(s, vsysemu_tag_name((enum vsysemu_tag)tag), n) ||
			vsysemu_tag_name((enum vsysemu_tag)tag)[n]))
			tag++;
		if (word_starts(s, "segfault line"))
			ordinary = VSYSEMU_VEC_PF;
		else if (word_starts(s, "traps line"))
			ordinary = VSYSEMU_VEC_GP;
		else if (tag < VSYSEMU_TAG_COUNT && n)
			want = (enum vsysemu_tag)tag;
		else
			return cannot(m, COL_LOG);
		s += strcspn(s, "+");
		s += strspn(s, "+ ");
	}
	if (got != want) {
		buf_printf(text(m), "log is %s, expected %s",
			   vsysemu_tag_name(got) ? vsysemu_tag_name(got) : "?", m->r->cell[COL_LOG]);
		return MATCH_NOT_OK;
	}
	if (ordinary && (m->o->handled || m->o->signal.trapno != ordinary)) {
		buf_printf(text(m), "log: no ordinary line follows, expected %s", m->r->cell[COL_LOG]);
		return MATCH_NOT_OK;
	}
	return MATCH_OK;
}

static enum vector_match sigsys(struct match *m)
{
	const struct vsysemu_signal *s = &m->o->signal;

	if (m->o->kind != OUT_SIGNAL || s->signo != 31 ||
	    (s->err_no == (int)(m->c->seccomp.ret & 0xffff) && s->arch == 0xc000003e &&
	     s->nr == vsysemu_entry_call(vsysemu_entry_nr(m->c->target))))
		return MATCH_OK;
	buf_printf(text(m), "si_errno %d, si_syscall %d or si_arch 0x%x is not that of the filter",
		   s->err_no, s->nr, s->arch);
	return MATCH_NOT_OK;
}

static enum vector_match outcome(struct match *m)
{
	const char *want = m->r->cell[COL_OUTCOME];

	if (strcmp(vector_outcome_name(m->o->kind), want)) {
		buf_printf(text(m), "outcome is %s, expected %s", vector_outcome_name(m->o->kind), want);
		return MATCH_NOT_OK;
	}
	if (m->c->error_code != m->c->natural_code) {
		buf_printf(text(m), "pf_err_hw is 0x%x by the page tables, the row has %s",
			   m->c->natural_code, m->r->cell[COL_PF_ERR]);
		return MATCH_NOT_OK;
	}
	return MATCH_OK;
}

static int vsyscall_of(const struct vector_outcome *o)
{
	for (int nr = 0; o->kind == OUT_NATIVE_EXEC && nr < 3; nr++)
		if (vsysemu_entry_call(nr) == o->executed_nr)
			return nr;
	return o->v.nr;
}

enum vector_match vector_row_match(const struct vector_row *r, const struct vector_case *c,
				   const struct vector_outcome *o, struct buf *why)
{
	struct match m = { r, c, o, why };
	const struct vsysemu_signal *s = &o->signal;
	bool seen = o->kind != OUT_KILLED && o->kind != OUT_KERNEL_BUG;
	enum vector_match worst = outcome(&m);
	bool killed = o->kind == OUT_KILLED, native = o->kind == OUT_NATIVE_EXEC;

	if (worst != MATCH_OK)
		return worst;
	if (native && c->profile.era == VSYSEMU_E0) {
		buf_printf(why, "the page allows it; what compiled code in the page does is seen by "
				"running a guest");
		return MATCH_CANNOT;
	}
	enum vector_match all[] = {
		seen && !is_dash(r->cell[COL_NR]) ? equal(&m, COL_NR, (uint64_t)vsyscall_of(o)) : MATCH_OK,
		seen ? equal(&m, COL_RAX, o->v.rax) : MATCH_OK,
		seen ? equal(&m, COL_RIP_AFTER, o->v.rip) : MATCH_OK,
		seen ? equal(&m, COL_RSP_DELTA, o->v.rsp - c->rsp) : MATCH_OK,
		named(&m, COL_SIGNAL, killed ? o->v.kill_signo : s->signo),
		named(&m, COL_SI_CODE, s->code),
		equal(&m, COL_SI_ADDR, s->addr),
		recorded(&m, COL_SC_TRAPNO, s->trap_set, s->trapno),
		recorded(&m, COL_SC_ERR, s->trap_set, s->error),
		recorded(&m, COL_SC_CR2, s->cr2_set, s->cr2),
		sigsys(&m),
		logged(&m),
	};
	for (size_t i = 0; i < ARRAY_SIZE(all); i++)
		if (all[i] == MATCH_NOT_OK || (all[i] == MATCH_CANNOT && worst == MATCH_OK))
			worst = all[i];
	return worst;
}
