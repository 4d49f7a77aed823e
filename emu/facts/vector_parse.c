/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The cells that describe a situation, turned into a case.  A word that is not understood is not
 * guessed at: the row is then one that cannot be expressed.
 */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "facts/vector_words.h"

static bool cannot(struct buf *why, enum vector_column col, const struct vector_row *r)
{
	buf_printf(why, "%s \"%s\" cannot be expressed", vector_column_name(col), r->cell[col]);
	return false;
}

static bool parse_entry(const struct vector_row *r, struct vector_case *c, bool *no_i)
{
	const char *s = r->cell[COL_ENTRY];
	bool untrapped = !strcmp(r->cell[COL_PF_ERR], "-");

	*no_i = word_in(s, "without I bit");
	c->profile.lass = false;
	if (word_starts(s, "#GP")) {
		c->entry = ENTRY_GP;
		c->profile.lass = true;
	} else if (word_starts(s, "#PF fetch")) {
		c->entry = ENTRY_FETCH;
	} else if (word_starts(s, "int 0xcc")) {
		c->entry = ENTRY_INT;
	} else if (word_starts(s, "data read") || word_starts(s, "read")) {
		c->entry = ENTRY_READ;
	} else if (word_starts(s, "data write") || word_starts(s, "write")) {
		c->entry = ENTRY_WRITE;
	} else if (word_starts(s, "call") || word_starts(s, "jump") || word_starts(s, "jmp") ||
		   word_starts(s, "ret")) {
		c->entry = untrapped ? ENTRY_NATIVE : ENTRY_FETCH;
	} else {
		return false;
	}
	return true;
}

uint32_t vector_case_code(const struct vector_case *c, bool no_i)
{
	uint32_t code = VSYSEMU_PF_U;

	if (c->entry == ENTRY_INT || c->entry == ENTRY_GP)
		return 0;
	if (c->entry == ENTRY_WRITE)
		code |= VSYSEMU_PF_W;
	else if (c->entry != ENTRY_READ && !no_i)
		code |= VSYSEMU_PF_I;
	return vsysemu_page_of(&c->profile, c->mode).present ? code | VSYSEMU_PF_P : code;
}

/* One code, "0x15/0x14" (emulate/xonly), "0x14 or 0x15", "#GP 0", or "-": as the page tables say. */
static bool parse_error_code(const struct vector_row *r, bool no_i, struct vector_case *c,
			     struct buf *why)
{
	const char *s = r->cell[COL_PF_ERR];
	uint32_t natural = vector_case_code(c, no_i);
	uint64_t first, second;

	c->error_code = c->natural_code = natural;
	if (!strcmp(s, "-"))
		return true;
	if (word_starts(s, "#GP")) {
		s += 3 + strspn(s + 3, " ");
		if (c->entry != ENTRY_GP || !word_number(s, &s, &first) || *s)
			return cannot(why, COL_PF_ERR, r);
		c->error_code = (uint32_t)first;
		return true;
	}
	if (c->entry == ENTRY_INT || c->entry == ENTRY_GP || !word_number(s, &s, &first))
		return cannot(why, COL_PF_ERR, r);
	second = first;
	if (*s == '/' && word_number(s + 1, &s, &second))
		c->error_code = (uint32_t)(c->mode == VSYSEMU_EMULATE ? first : second);
	else if (word_starts(s, " or ") && word_number(s + 4, &s, &second))
		c->error_code = (natural == second) ? (uint32_t)second : (uint32_t)first;
	else
		c->error_code = (uint32_t)first;
	return *s ? cannot(why, COL_PF_ERR, r) : true;
}

static bool parse_stack(const struct vector_row *r, struct vector_case *c)
{
	const char *s = r->cell[COL_STACK];
	uint64_t v;

	c->stack_ok = true;
	c->rsp = VECTOR_STACK;
	c->caller = VECTOR_CALLER;
	if (!strcmp(s, "ok") || !strcmp(s, "-") || word_starts(s, "read-only"))
		return true;
	if (word_value(s, "[rsp]", &v) || word_starts(s, "ok rsp=")) {
		word_value(s, "rsp", &c->rsp);
		word_value(s, "[rsp]", &c->caller);
		return true;
	}
	if (word_in(s, "not 8-aligned") && word_in(s, "readable")) {
		c->rsp |= 1;
		return true;
	}
	c->stack_ok = false;
	if (word_in(s, "non-canonical"))
		c->rsp = 0x8000000000000000ull;
	else if (word_in(s, "kernel"))
		c->rsp = 0xffff888000000000ull;
	else if (word_in(s, "cross") || word_in(s, "straddl"))
		c->rsp = 0x7ffd00001ffcull;
	else if (word_starts(s, "unmapped") || word_starts(s, "unreadable") ||
		 word_starts(s, "PROT_NONE") || word_starts(s, "not readable"))
		c->rsp = VECTOR_UNMAPPED;
	else
		return word_value(s, "rsp", &c->rsp);
	word_value(s, "rsp", &c->rsp);
	return true;
}

/* "NULL", "ok", "0x10000(unmapped)", "read-only mapping", ... */
static bool parse_pointer(const char *s, struct vector_pointer *p)
{
	static const struct {
		const char *word;
		enum vector_pointer_state state;
		uint64_t addr;
	} words[] = {
		{ "NULL", POINTER_NULL, 0 },
		{ "ok", POINTER_OK, VECTOR_BUFFER },
		{ "read-only", POINTER_READONLY, VECTOR_BUFFER + 0x2000 },
		{ "PROT_NONE", POINTER_PROTNONE, VECTOR_BUFFER + 0x3000 },
		{ "shared file page past EOF", POINTER_EOF, VECTOR_BUFFER + 0x4000 },
		{ "unmapped", POINTER_UNMAPPED, VECTOR_UNMAPPED },
	};
	uint64_t n;

	for (size_t i = 0; i < ARRAY_SIZE(words); i++)
		if (word_starts(s, words[i].word)) {
			*p = (struct vector_pointer){ words[i].state, words[i].addr };
			return true;
		}
	if (word_starts(s, "last ") && word_in(s, "page") && word_number(s + 5, &s, &n) && n &&
	    n < VSYSEMU_PAGE_BYTES) {
		*p = (struct vector_pointer){ POINTER_CROSS, VECTOR_BUFFER + VSYSEMU_PAGE_BYTES - n };
		return true;
	}
	if (!word_number(s, &s, &n))
		return false;
	*p = (struct vector_pointer){ n ? POINTER_UNMAPPED : POINTER_NULL, n };
	if (word_starts(s, "(read-only"))
		p->state = POINTER_READONLY;
	else if (word_starts(s, "(PROT_NONE"))
		p->state = POINTER_PROTNONE;
	else if (word_starts(s, "(ok"))
		p->state = POINTER_OK;
	else if (word_starts(s, "(past EOF"))
		p->state = POINTER_EOF;
	else if (word_starts(s, "(crosses"))
		p->state = POINTER_CROSS;
	else if (*s && !word_starts(s, "(unmapped") && !strchr(" ,;", *s))
		return false;
	return true;
}

/* One KEY=VALUE of the args cell. */
static bool parse_argument(const char *key, const char *value, struct vector_case *c)
{
	uint64_t n;

	if (!strcmp(key, "tv") || !strcmp(key, "t") || !strcmp(key, "cpu"))
		return parse_pointer(value, &c->ptr[0]);
	if (!strcmp(key, "tz") || !strcmp(key, "node"))
		return parse_pointer(value, &c->ptr[1]);
	if (!strcmp(key, "tcache")) /* only the code of E0 looks at it */
		return c->profile.era != VSYSEMU_E0 || word_starts(value, "NULL");
	if (!word_number(value, &value, &n))
		return false;
	if (!strcmp(key, "rax"))
		c->rax = n;
	else if (!strcmp(key, "rdi"))
		c->ptr[0] = (struct vector_pointer){ n ? POINTER_UNMAPPED : POINTER_NULL, n };
	else if (!strcmp(key, "rsi"))
		c->ptr[1] = (struct vector_pointer){ n ? POINTER_UNMAPPED : POINTER_NULL, n };
	else if (!strcmp(key, "[rsp]"))
		c->caller = n;
	else
		return false;
	return true;
}

/* Words without a value. */
static bool parse_remark(const char *s, struct vector_case *c)
{
	uint64_t n;

	if (!strcmp(s, "-") || !strcmp(s, "args ok") || !strcmp(s, "ok")) {
		if (*s != '-')
			c->ptr[0] = c->ptr[1] = (struct vector_pointer){ POINTER_OK, VECTOR_BUFFER };
		return true;
	}
	if (!strcmp(s, "TF set")) {
		c->rflags |= 0x100;
		return true;
	}
	if (!strcmp(s, "SIGSEGV blocked") || !strcmp(s, "SIGSEGV ignored")) {
		c->segv_blocked = true;
		return true;
	}
	if ((word_starts(s, "reader at ") || word_starts(s, "writer at ")) &&
	    word_number(s + 10, &s, &n) && !*s) {
		c->from = n;
		return true;
	}
	return false;
}

/* Where the argument that starts at @s ends: before " KEY=" or after one of ";,". */
static size_t argument_length(const char *s)
{
	for (const char *p = s; *p; p++) {
		size_t key = strspn(p + 1, "abcdefghijklmnopqrstuvwxyz0123456789[]+");

		if (*p == ';')
			return (size_t)(p - s);
		if (*p == ',' && (word_starts(p, ", TF") || word_starts(p, ", SIGSEGV") ||
				  (p[1] == ' ' && word_key(p + 2))))
			return (size_t)(p - s);
		if (*p == ' ' && key && p[1 + key] == '=')
			return (size_t)(p - s);
	}
	return strlen(s);
}

static bool parse_args(const struct vector_row *r, struct vector_case *c)
{
	char one[128];
	const char *s = r->cell[COL_ARGS];

	for (; *s; s += strspn(s, " ,;")) {
		size_t n = argument_length(s), key;

		if (!n || n >= sizeof(one))
			return false;
		memcpy(one, s, n);
		one[n] = 0;
		s += n;
		key = word_key(one);
		if (key && word_starts(one, "[rsp+8]"))
			continue; /* what the next vsyscall will pop */
		if (key && word_starts(one, "[rsp]=entry of nr")) {
			c->caller = VSYSEMU_PAGE + 0x400ull * (unsigned)(one[17] & 3);
			continue;
		}
		if (key)
			one[key] = 0;
		if (!(key ? parse_argument(one, one + key + 1, c) : parse_remark(one, c)))
			return false;
	}
	return true;
}

bool vector_row_case(const struct vector_row *r, const struct vector_pair *pair,
		     struct vector_case *c, struct buf *why)
{
	bool no_i;
	uint64_t n;
	const char *s;

	*c = (struct vector_case){
		.profile = pair->rules, .mode = pair->mode, .cs = VSYSEMU_CS_USER, .from = VECTOR_CODE,
		.rflags = 0x202,
	};
	if (!parse_entry(r, c, &no_i))
		return cannot(why, COL_ENTRY, r);
	if (!word_number(r->cell[COL_RIP], &s, &n) || *s)
		return cannot(why, COL_RIP, r);
	c->target = c->rax = n;
	/* A selector, perhaps among words. */
	s = strstr(r->cell[COL_CS], "0x");
	if (!s || !word_number(s, &s, &n) || n > 0xffff)
		return cannot(why, COL_CS, r);
	c->cs = (uint16_t)n;
	c->profile.xen_cs |= word_in(r->cell[COL_CS], "Xen");
	if (!parse_error_code(r, no_i, c, why))
		return false;
	if (!parse_stack(r, c))
		return cannot(why, COL_STACK, r);
	if (!parse_args(r, c))
		return cannot(why, COL_ARGS, r);
	if (!vector_seccomp_parse(r->cell[COL_SECCOMP], &c->seccomp))
		return cannot(why, COL_SECCOMP, r);
	return true;
}
