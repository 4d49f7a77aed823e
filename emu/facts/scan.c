/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a file use the vsyscall page?  See scan.h.  The shapes that are looked for: facts about old
 * libc stubs, IFUNC resolvers, Go's fallback pointers and compilers' ways to form the address.
 */
#include "facts/scan.h"

#include <ar.h>
#include <stdlib.h>
#include <string.h>

#include "facts/elfview.h"
#include "facts/flow.h"
#include "facts/insn.h"
#include "facts/libc.h"

struct scan {
	struct elfview v;
	struct insn_decoder *d;
	struct scan_result *r;
	const char *member;
	/* Data words that hold a page address. */
	VEC(struct word) words;
	gaddr last_function; /* do not walk the same function for each of its hits */
};

struct word {
	gaddr at;
	uint64_t value;
	bool writable, used;
};

/* 32-bit words: the low halves of the page's addresses (also as displacement and sign-extended
 * immediate), and what is subtracted to reach the entries. */
static bool interesting(const uint8_t *p)
{
	if (p[2] == 0x60 && p[3] == 0xff)
		return p[1] < 0x10;
	if (p[3])
		return false;
	return (p[2] == 0xa0 && !p[0] && !p[1]) ||
	       (p[2] == 0x9f && ((p[1] == 0xfc && !p[0]) || (p[1] == 0xf8 && !p[0])));
}

typedef uint8_t v16 __attribute__((vector_size(16)));

size_t scan_next_hit(const uint8_t *b, size_t n, size_t from)
{
	size_t i = from;

	/* Byte 2 of a word is 60, a0 or 9f and byte 3 is ff or 00: reject 16 places at a time. */
	for (; i + 20 <= n; i += 16) {
		v16 x, y, hit;
		uint64_t any[2];

		memcpy(&x, b + i + 2, 16);
		memcpy(&y, b + i + 3, 16);
		hit = (v16)(((v16)(x == 0x60) & (v16)(y == 0xff)) |
			    (((v16)(x == 0xa0) | (v16)(x == 0x9f)) & (v16)(y == 0)));
		memcpy(any, &hit, 16);
		if (any[0] | any[1])
			for (size_t k = i; k < i + 16; k++)
				if (interesting(b + k))
					return k;
	}
	for (; i + 4 <= n; i++)
		if (interesting(b + i))
			return i;
	return SIZE_MAX;
}

const char *scan_verdict_name(enum scan_verdict v)
{
	static const char *const names[] = { "clean", "reads", "may-call", "calls", "unreadable" };

	return names[v];
}

const char *scan_entry_name(unsigned entries)
{
	return entries & 1 ? "gettimeofday" : entries & 2 ? "time" : entries & 4 ? "getcpu" : "unknown";
}

static void add(struct scan *s, gaddr at, const char *kind, enum scan_verdict v, unsigned entries)
{
	const struct elf_function *f = elfview_symbol(&s->v, at);

	for (size_t i = 0; i < s->r->findings.n; i++) {
		struct scan_finding *o = &s->r->findings.at[i];

		if (o->address == at && !strcmp(o->member ? o->member : "", s->member ? s->member : "")) {
			o->entries |= entries;
			if (v > o->verdict) {
				o->verdict = v;
				o->kind = kind;
			}
			return;
		}
	}
	VEC_PUSH(&s->r->findings,
		 ((struct scan_finding){ .address = at, .verdict = v, .kind = kind,
					 .entries = entries, .symbol = f ? xstrdup(f->name) : NULL,
					 .symbol_offset = f ? at - f->start : 0,
					 .member = s->member ? xstrdup(s->member) : NULL }));
}

static const uint8_t *code(void *ctx, gaddr a, size_t *n)
{
	struct scan *s = ctx;
	bool x = false, w;
	const uint8_t *p = elfview_at(&s->v, a, n, &x, &w);

	return p && x ? p : NULL;
}

static bool word(void *ctx, gaddr a, uint64_t *v, bool *writable)
{
	struct scan *s = ctx;

	for (size_t i = 0; i < s->words.n; i++)
		if (s->words.at[i].at == a) {
			*v = s->words.at[i].value;
			*writable = s->words.at[i].writable;
			s->words.at[i].used = true;
			return true;
		}
	return false;
}

static void use(void *ctx, enum flow_use u, gaddr at, unsigned entries, bool sure)
{
	struct scan *s = ctx;

	switch (u) {
	case FLOW_USE_CALL:
		add(s, at, sure ? "call" : "fallback-call", sure ? SCAN_CALLS : SCAN_MAY_CALL, entries);
		break;
	case FLOW_USE_READ: add(s, at, "read", SCAN_READS, entries); break;
	case FLOW_USE_STORE: add(s, at, "stored-pointer", SCAN_MAY_CALL, entries); break;
	case FLOW_USE_RETURN: add(s, at, "resolver", SCAN_MAY_CALL, entries); break;
	case FLOW_USE_COMPARE: add(s, at, "compare", SCAN_CLEAN, entries); break;
	case FLOW_USE_PASS: add(s, at, "argument", SCAN_CLEAN, entries); break;
	}
}

/* Is @at where an instruction of its function begins?  Decoded in one sweep from the function's start. */
static bool is_boundary(struct scan *s, gaddr at)
{
	const struct elf_function *f = elfview_function(&s->v, at);
	gaddr a = f ? f->start : at;

	if (!f || at - a > 1 << 16)
		return false;
	while (a < at) {
		struct insn i;
		size_t n;
		const uint8_t *p = code(s, a, &n);

		if (!p)
			return false;
		a += insn_decode(s->d, p, n, a, &i) ? i.bytes : 1;
	}
	return a == at;
}

/* The instruction whose immediate or displacement lies at @at (its address), or 0. */
static gaddr instruction_around(struct scan *s, gaddr at)
{
	gaddr best = 0;

	for (gaddr start = at - 1; start >= at - 11; start--) {
		struct insn i;
		size_t n;
		const uint8_t *p = code(s, start, &n);

		if (!p || !insn_decode(s->d, p, n, start, &i) || start + i.bytes < at + 4)
			continue;
		for (unsigned k = 0; k < i.n; k++) {
			uint32_t low;

			memcpy(&low, p + (at - start), 4);
			if (i.op[k].kind != OPERAND_REG && (uint32_t)i.op[k].value == low &&
			    (i.flow == FLOW_NONE || i.op[k].kind == OPERAND_MEM))
				best = start;
		}
	}
	return best;
}

static void follow(struct scan *s, gaddr seed)
{
	const struct elf_function *f = elfview_function(&s->v, seed);
	struct flow_host h = { s, code, word, use };
	gaddr start = f ? f->start : seed;

	/* Without a boundary, or far from one, begin at the instruction itself. */
	if (seed - start > 1 << 16)
		start = seed;
	flow_function(s->d, &h, start, f && f->end ? f->end : 0, seed);
}

/* Instructions that name the address of a data word, RIP-relative or absolute. */
static void find_users(struct scan *s, gaddr target)
{
	for (unsigned i = 0; i < s->v.phn; i++) {
		const Elf64_Phdr *p = &s->v.ph[i];
		bool x, w;
		size_t n;
		const uint8_t *b;

		if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) ||
		    !(b = elfview_at(&s->v, p->p_vaddr, &n, &x, &w)))
			continue;
		for (size_t k = 0; k + 8 <= n; k++) {
			uint32_t low;
			gaddr at = p->p_vaddr + k, start;

			memcpy(&low, b + k, 4);
			if (low != (uint32_t)(target - at - 4) && low != (uint32_t)target)
				continue;
			start = instruction_around(s, at);
			if (start)
				follow(s, start);
		}
	}
}

static void data_word(struct scan *s, gaddr a, uint64_t value, bool writable)
{
	if (s->words.n < 256)
		VEC_PUSH(&s->words, ((struct word){ .at = a, .value = value, .writable = writable }));
}

/* May a word that no instruction names be called all the same?  A variable may, however it is reached.
 * What is constant once relocated is most often a table of names and addresses, unless a pointer or a
 * symbol is to the very word. */
static bool may_be_called(const struct scan *s, const struct word *w)
{
	if (!w->writable)
		return false;
	if (!elfview_is_relro(&s->v, w->at))
		return true;
	return !s->v.relocatable && memmem(s->v.bytes, s->v.n, &w->at, sizeof(w->at));
}

static void scan_hits(struct scan *s)
{
	const uint8_t *b = s->v.bytes;
	size_t n = s->v.n;

	for (size_t at = scan_next_hit(b, n, 0); at != SIZE_MAX; at = scan_next_hit(b, n, at + 1)) {
		bool exec, writable;
		uint64_t value = 0;
		gaddr a, start;

		if (!elfview_address(&s->v, at, &a, &exec, &writable))
			continue;
		if (at + 8 <= n)
			memcpy(&value, b + at, 8);
		if (flow_entry_bits(value) && !(a % 8))
			data_word(s, a, value, writable);
		if (!exec)
			continue;
		start = instruction_around(s, a);
		/* Bytes like those of an offset that is no entry's are met by chance in large files. */
		if (start && (!(value & 0xff) || is_boundary(s, start)))
			follow(s, start);
	}
	for (size_t i = 0; i < s->words.n; i++) {
		size_t before = s->r->findings.n;

		find_users(s, s->words.at[i].at);
		/* Nobody in sight: a table reached some other way, or TLS, or only data. */
		if (s->r->findings.n == before && !s->words.at[i].used)
			add(s, s->words.at[i].at, "word",
			    may_be_called(s, &s->words.at[i]) ? SCAN_MAY_CALL : SCAN_CLEAN,
			    flow_entry_bits(s->words.at[i].value));
	}
}

static void describe(struct scan *s)
{
	const char *t = elfview_interp(&s->v);
	bool old;

	if (t && !s->r->interp)
		s->r->interp = xstrdup(t);
	t = elfview_soname(&s->v);
	if (t && !s->r->soname)
		s->r->soname = xstrdup(t);
	t = elfview_runpath(&s->v, &old);
	if (t && !s->r->runpath) {
		s->r->runpath = xstrdup(t);
		s->r->rpath = old;
	}
	for (unsigned i = 0; (t = elfview_needed(&s->v, i)) && i < 256; i++)
		VEC_PUSH(&s->r->needed, xstrdup(t));
}

static void scan_elf(const uint8_t *bytes, size_t n, const char *member, struct scan_result *r)
{
	struct scan s = { .r = r, .member = member };
	const char *why = elfview_foreign(bytes, n);

	r->elf = true;
	if (why) {
		r->why = member ? r->why : why;
		return;
	}
	if (!elfview_open(&s.v, bytes, n, &why)) {
		if (!member) {
			r->verdict = SCAN_UNREADABLE;
			r->why = why;
		}
		return;
	}
	if (elfview_is_kernel(&s.v)) {
		r->why = "kernel code, which provides the page";
		elfview_close(&s.v);
		return;
	}
	describe(&s);
	if (!r->libc[0])
		libc_identify(bytes, n, r->libc, sizeof(r->libc));
	if (scan_next_hit(bytes, n, 0) != SIZE_MAX) {
		s.d = insn_decoder_new();
		if (s.d) {
			scan_hits(&s);
		} else {
			r->verdict = SCAN_UNREADABLE;
			r->why = "capstone cannot be loaded";
		}
		insn_decoder_free(s.d);
	}
	VEC_FREE(&s.words);
	elfview_close(&s.v);
}

/* A static library: each member that is an ELF file, copied so that its structs are aligned. */
static void scan_ar(const uint8_t *b, size_t n, struct scan_result *r)
{
	size_t at = SARMAG;
	const char *names = NULL;
	size_t names_n = 0;

	r->elf = true;
	while (at + sizeof(struct ar_hdr) <= n) {
		const struct ar_hdr *h = (const void *)(b + at);
		char num[sizeof(h->ar_size) + 1] = "", name[256];
		size_t size;

		memcpy(num, h->ar_size, sizeof(h->ar_size));
		size = strtoul(num, NULL, 10);
		at += sizeof(*h);
		if (memcmp(h->ar_fmag, ARFMAG, 2) || size > n - at) {
			r->verdict = SCAN_UNREADABLE;
			r->why = "a broken ar archive";
			return;
		}
		memcpy(name, h->ar_name, 16);
		name[16] = 0;
		if (!strncmp(name, "// ", 3)) {
			names = (const char *)b + at;
			names_n = size;
		} else if (name[0] == '/' && name[1] >= '0' && name[1] <= '9' && names) {
			size_t off = strtoul(name + 1, NULL, 10), k = 0;

			for (; off + k < names_n && k < sizeof(name) - 1 && names[off + k] != '/' &&
			       names[off + k] != '\n';
			     k++)
				name[k] = names[off + k];
			name[k] = 0;
		} else {
			name[strcspn(name, "/ ")] = 0;
		}
		if (size > 4 && !memcmp(b + at, ELFMAG, 4)) {
			uint8_t *copy = xrealloc(NULL, size);

			memcpy(copy, b + at, size);
			scan_elf(copy, size, name, r);
			free(copy);
		}
		at += size + size % 2;
	}
}

static int by_address(const void *pa, const void *pb)
{
	const struct scan_finding *a = pa, *b = pb;
	int m = strcmp(a->member ? a->member : "", b->member ? b->member : "");

	return m ? m : a->address < b->address ? -1 : a->address > b->address;
}

void scan_bytes(const uint8_t *bytes, size_t n, struct scan_result *r)
{
	memset(r, 0, sizeof(*r));
	if (n >= 4 && !memcmp(bytes, ELFMAG, 4))
		scan_elf(bytes, n, NULL, r);
	else if (n >= SARMAG && !memcmp(bytes, ARMAG, SARMAG))
		scan_ar(bytes, n, r);
	else
		r->why = "not an ELF file";
	for (size_t i = 0; i < r->findings.n; i++)
		if (r->findings.at[i].verdict > r->verdict && r->verdict != SCAN_UNREADABLE)
			r->verdict = r->findings.at[i].verdict;
	if (r->findings.n)
		qsort(r->findings.at, r->findings.n, sizeof(*r->findings.at), by_address);
}

void scan_free(struct scan_result *r)
{
	for (size_t i = 0; i < r->findings.n; i++) {
		free(r->findings.at[i].symbol);
		free(r->findings.at[i].member);
	}
	for (size_t i = 0; i < r->needed.n; i++)
		free(r->needed.at[i]);
	VEC_FREE(&r->findings);
	VEC_FREE(&r->needed);
	free(r->interp);
	free(r->soname);
	free(r->runpath);
	memset(r, 0, sizeof(*r));
}
