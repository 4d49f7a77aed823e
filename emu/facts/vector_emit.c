/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A case and its outcome as a row of the table, in the words that vector_parse.c and vector_match.c
 * read back.  Keys of the profile that differ from the era's first kernel go into the note.
 */
#include <stdlib.h>
#include <string.h>

#include "facts/vector_words.h"

static void put(struct vector_table *t, struct vector_row *r, enum vector_column c, struct buf *b)
{
	char *text = b->len ? b->data : xstrdup("-");

	VEC_PUSH(&t->texts, text);
	r->cell[c] = text;
	*b = (struct buf){ 0 };
}

static void set(struct vector_table *t, struct vector_row *r, enum vector_column c, const char *s)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s", s);
	put(t, r, c, &b);
}

static void set_hex(struct vector_table *t, struct vector_row *r, enum vector_column c, uint64_t n)
{
	struct buf b = { 0 };

	buf_printf(&b, "0x%llx", (unsigned long long)n);
	put(t, r, c, &b);
}

static void entry_cells(struct vector_table *t, struct vector_row *r, const struct vector_case *c)
{
	static const char *const words[] = {
		[ENTRY_NATIVE] = "jump", [ENTRY_FETCH] = "#PF fetch", [ENTRY_INT] = "int 0xcc",
		[ENTRY_GP] = "#GP (LASS)", [ENTRY_READ] = "data read", [ENTRY_WRITE] = "data write",
	};
	bool plain = c->entry == ENTRY_NATIVE || c->entry == ENTRY_INT ||
		     (c->entry == ENTRY_READ && !vector_case_traps(c));
	struct buf b = { 0 };

	set(t, r, COL_ENTRY, words[c->entry]);
	buf_printf(&b, "0x%x%s", c->cs, c->profile.xen_cs ? " (Xen PV)" : "");
	put(t, r, COL_CS, &b);
	set_hex(t, r, COL_RIP, c->target);
	if (c->entry == ENTRY_GP)
		set(t, r, COL_PF_ERR, "#GP 0");
	else if (plain)
		set(t, r, COL_PF_ERR, "-");
	else
		set_hex(t, r, COL_PF_ERR, c->error_code);
}

static void stack_cell(struct vector_table *t, struct vector_row *r, const struct vector_case *c)
{
	struct buf b = { 0 };

	buf_printf(&b, "%s", c->stack_ok ? "ok" : "unmapped");
	if (!c->stack_ok || c->rsp != VECTOR_STACK)
		buf_printf(&b, " rsp=0x%llx", (unsigned long long)c->rsp);
	if (c->stack_ok && c->caller != VECTOR_CALLER) {
		if (c->rsp == VECTOR_STACK)
			b.len = 0;
		buf_printf(&b, "%s[rsp]=0x%llx", b.len ? " " : "", (unsigned long long)c->caller);
	}
	put(t, r, COL_STACK, &b);
}

static void pointer(struct buf *b, const char *key, const struct vector_pointer *p)
{
	static const char *const words[] = {
		[POINTER_OK] = "ok", [POINTER_UNMAPPED] = "unmapped",
		[POINTER_READONLY] = "read-only mapping", [POINTER_EOF] = "past EOF",
		[POINTER_CROSS] = "crosses into an unmapped page", [POINTER_PROTNONE] = "PROT_NONE",
	};

	if (p->state == POINTER_NULL)
		buf_printf(b, "%s=NULL", key);
	else
		buf_printf(b, "%s=0x%llx(%s)", key, (unsigned long long)p->addr, words[p->state]);
}

static void args_cell(struct vector_table *t, struct vector_row *r, const struct vector_case *c)
{
	static const char *const names[4][2] = {
		{ "tv", "tz" }, { "t", NULL }, { "cpu", "node" }, { NULL, NULL },
	};
	int nr = vsysemu_entry_nr(c->target);
	struct buf b = { 0 };

	if (nr < 0)
		nr = 3;
	for (int i = 0; i < 2; i++) {
		if (!names[nr][i] && c->ptr[i].state == POINTER_NULL)
			continue;
		buf_printf(&b, "%s", b.len ? " " : "");
		pointer(&b, names[nr][i] ? names[nr][i] : i ? "tz" : "tv", &c->ptr[i]);
	}
	if (c->rax != c->target)
		buf_printf(&b, "%srax=0x%llx", b.len ? " " : "", (unsigned long long)c->rax);
	if (c->entry == ENTRY_READ || c->entry == ENTRY_WRITE)
		buf_printf(&b, "%s%s at 0x%llx", b.len ? "; " : "",
			   c->entry == ENTRY_READ ? "reader" : "writer", (unsigned long long)c->from);
	if (c->rflags & 0x100)
		buf_printf(&b, "%sTF set", b.len ? ", " : "");
	if (c->segv_blocked)
		buf_printf(&b, "%sSIGSEGV blocked", b.len ? ", " : "");
	put(t, r, COL_ARGS, &b);
}

static const char *signal_word(int signo)
{
	switch (signo) {
	case 5:
		return "SIGTRAP";
	case 7:
		return "SIGBUS";
	case 9:
		return "SIGKILL";
	case 11:
		return "SIGSEGV";
	case 31:
		return "SIGSYS";
	default:
		return "-";
	}
}

static const char *code_word(const struct vsysemu_signal *s)
{
	if (s->code == 0x80)
		return "SI_KERNEL";
	if (s->signo == 31)
		return "SYS_SECCOMP";
	if (s->signo == 7)
		return "BUS_ADRERR";
	return s->code == 1 ? "MAPERR" : s->code == 2 ? "ACCERR" : "-";
}

static void register_cells(struct vector_table *t, struct vector_row *r, const struct vector_case *c,
			   const struct vector_outcome *o)
{
	const struct vsysemu_verdict *v = &o->v;
	struct buf b = { 0 };

	if (v->nr >= 0)
		buf_printf(&b, "%d", v->nr);
	put(t, r, COL_NR, &b);
	if (v->rax == c->rax)
		buf_printf(&b, "in");
	else if (o->called && v->rax == (uint64_t)o->result)
		buf_printf(&b, "result");
	else
		buf_printf(&b, "%lld", (long long)v->rax);
	put(t, r, COL_RAX, &b);
	if (v->rsp != c->rsp && v->rip == c->caller)
		set(t, r, COL_RIP_AFTER, "[rsp]");
	else
		set_hex(t, r, COL_RIP_AFTER, v->rip);
	buf_printf(&b, v->rsp == c->rsp ? "0" : "%+lld", (long long)(v->rsp - c->rsp));
	put(t, r, COL_RSP_DELTA, &b);
}

static void signal_cells(struct vector_table *t, struct vector_row *r, const struct vector_outcome *o)
{
	const struct vsysemu_signal *s = &o->signal;

	if (!s->signo)
		return;
	set(t, r, COL_SI_CODE, code_word(s));
	set_hex(t, r, COL_SI_ADDR, s->addr);
	set(t, r, COL_SC_TRAPNO, "stale");
	set(t, r, COL_SC_ERR, "stale");
	set(t, r, COL_SC_CR2, "stale");
	if (s->trap_set) {
		set_hex(t, r, COL_SC_TRAPNO, s->trapno);
		set_hex(t, r, COL_SC_ERR, s->error);
	}
	if (s->cr2_set)
		set_hex(t, r, COL_SC_CR2, s->cr2);
}

static void log_cell(struct vector_table *t, struct vector_row *r, const struct vector_outcome *o)
{
	struct buf b = { 0 };

	if (o->v.log.tag > VSYSEMU_TAG_NO_LOG && o->v.log.tag < VSYSEMU_TAG_COUNT)
		buf_printf(&b, "%s", vsysemu_tag_name(o->v.log.tag));
	if (!o->handled && o->signal.signo == 11 && o->signal.trap_set)
		buf_printf(&b, "%s%s line if no handler", b.len ? " + " : "",
			   o->signal.trapno == VSYSEMU_VEC_PF ? "segfault" : "traps");
	put(t, r, COL_LOG, &b);
}

static void note_cell(struct vector_table *t, struct vector_row *r, const struct vector_case *c,
		      const char *note)
{
	struct vsysemu_profile base;
	struct buf b = { 0 };

	vsysemu_profile_init(&base, c->profile.era);
	buf_printf(&b, "%s", note);
	if (c->profile.fred)
		buf_printf(&b, "; fred");
	if (c->profile.compiled_out)
		buf_printf(&b, "; compiled out");
	if (c->profile.unreadable)
		buf_printf(&b, "; page unreadable");
	if (c->profile.fetch_by_rip != base.fetch_by_rip)
		buf_printf(&b, "; fetch_by_rip=%d", c->profile.fetch_by_rip);
	if (c->profile.none_mapped != base.none_mapped)
		buf_printf(&b, "; none_mapped=%d", c->profile.none_mapped);
	if (c->profile.user_limit_start != base.user_limit_start)
		buf_printf(&b, "; user_limit_start=%d", c->profile.user_limit_start);
	if (c->profile.errno_max != base.errno_max)
		buf_printf(&b, "; errno_max=%u", c->profile.errno_max);
	put(t, r, COL_NOTE, &b);
}

void vector_emit(struct vector_table *t, const char *id, const struct vector_case *c,
		 const struct vector_outcome *o, const char *note)
{
	static const char none[] = "-";
	struct vector_row r = { .line = 0 };
	struct buf b = { 0 };

	for (int i = 0; i < COL_COUNT; i++)
		r.cell[i] = (char *)(uintptr_t)none;
	set(t, &r, COL_ID, id);
	set(t, &r, COL_ERA, vsysemu_era_name(c->profile.era));
	set(t, &r, COL_MODE, c->profile.era >= VSYSEMU_E1A && c->profile.era <= VSYSEMU_E1C ?
				     "int0xcc" : vsysemu_mode_name(c->mode));
	entry_cells(t, &r, c);
	stack_cell(t, &r, c);
	args_cell(t, &r, c);
	vector_seccomp_text(&c->seccomp, &b);
	put(t, &r, COL_SECCOMP, &b);
	set(t, &r, COL_OUTCOME, vector_outcome_name(o->kind));
	if (o->kind != OUT_KILLED && o->kind != OUT_KERNEL_BUG)
		register_cells(t, &r, c, o);
	set(t, &r, COL_SIGNAL, signal_word(o->kind == OUT_KILLED ? o->v.kill_signo : o->signal.signo));
	if (o->kind != OUT_KILLED)
		signal_cells(t, &r, o);
	log_cell(t, &r, o);
	note_cell(t, &r, c, note);
	VEC_PUSH(&t->rows, r);
}
