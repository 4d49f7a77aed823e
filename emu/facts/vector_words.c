/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of the cells: see vector_words.h.  Filter actions: Linux include/uapi/linux/seccomp.h. */
#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "facts/vector_words.h"

bool word_number(const char *s, const char **end, uint64_t *n)
{
	bool minus = *s == '-';
	const char *digits = s + (*s == '-' || *s == '+');
	bool hex = digits[0] == '0' && (digits[1] == 'x' || digits[1] == 'X');
	char *stop;

	if (!(hex ? isxdigit((unsigned char)digits[2]) : isdigit((unsigned char)digits[0])))
		return false;
	errno = 0;
	*n = strtoull(digits, &stop, hex ? 16 : 10);
	if (errno || isalnum((unsigned char)*stop))
		return false;
	if (minus)
		*n = -*n;
	*end = stop;
	return true;
}

bool word_starts(const char *s, const char *word)
{
	return !strncmp(s, word, strlen(word));
}

bool word_in(const char *s, const char *word)
{
	return strstr(s, word) != NULL;
}

bool word_value(const char *s, const char *key, uint64_t *n)
{
	size_t len = strlen(key);

	for (const char *p = s; (p = strstr(p, key)); p += len) {
		bool whole = p == s || !(isalnum((unsigned char)p[-1]) || p[-1] == '_');

		if (whole && p[len] == '=')
			return word_number(p + len + 1, &p, n);
	}
	return false;
}

size_t word_key(const char *s)
{
	size_t n = strspn(s, "abcdefghijklmnopqrstuvwxyz0123456789[]+");

	return s[n] == '=' ? n : 0;
}

static const struct action {
	const char *word;
	uint32_t ret;
	bool data; /* a number follows */
} actions[] = {
	{ "ALLOW", 0x7fff0000, false },	     { "LOG", 0x7ffc0000, false },
	{ "ERRNO", 0x00050000, true },	     { "TRAP", 0x00030000, true },
	{ "KILL_PROCESS", 0x80000000, false }, { "KILL_THREAD", 0, false },
	{ "KILL", 0, false },
};

const char *const vector_moved_name[VECTOR_MOVED] = { "rip", "rsp", "rdi", "rsi" };

/* "rsp+N". */
static bool parse_moved(const char **s, struct vector_seccomp *out)
{
	for (int i = 0; i < VECTOR_MOVED; i++) {
		const char *rest = *s + strlen(vector_moved_name[i]);

		if (word_starts(*s, vector_moved_name[i]) && *rest == '+')
			return word_number(rest + 1, s, &out->add[i]);
	}
	return false;
}

/* "TRACE, no tracer", "TRACE, tracer continues", "TRACE, tracer sets orig_rax=N rax=N rip+N". */
static bool parse_trace(const char *s, struct vector_seccomp *out)
{
	uint64_t n;

	out->ret = 0x7ff00000;
	if (!strcmp(s, ", no tracer"))
		return true;
	out->traced = true;
	if (!strcmp(s, ", tracer continues"))
		return true;
	if (!word_starts(s, ", tracer sets "))
		return false;
	for (s += 14; *s; s += strspn(s, " ,")) {
		if (word_starts(s, "and "))
			s += 4;
		if (word_starts(s, "orig_rax=") && word_number(s + 9, &s, &n)) {
			out->set_orig_rax = true;
			out->orig_rax = (int64_t)n;
		} else if (word_starts(s, "rax=") && word_number(s + 4, &s, &n)) {
			out->set_rax = true;
			out->rax = n;
		} else if (!strcmp(s, "rip")) {
			out->add[MOVED_RIP] = 1;
			s += 3;
		} else if (!parse_moved(&s, out)) {
			return false;
		}
	}
	return true;
}

/* "USER_NOTIF, no listener", "USER_NOTIF, continue", "USER_NOTIF, supervisor returns N". */
static bool parse_notif(const char *s, struct vector_seccomp *out)
{
	uint64_t n;

	out->ret = 0x7fc00000;
	if (word_in(s, "no listener"))
		return true;
	out->listener = true;
	if (word_in(s, "continue") || word_in(s, "CONTINUE")) {
		out->notif_continue = true;
		return true;
	}
	s = strpbrk(s, "-0123456789");
	if (!s || !word_number(s, &s, &n) || *s)
		return false;
	out->set_rax = true;
	out->rax = n;
	return true;
}

bool vector_seccomp_parse(const char *s, struct vector_seccomp *out)
{
	uint64_t n = 0;

	*out = (struct vector_seccomp){ .mode = VSYSEMU_SECCOMP_OFF };
	if (!strcmp(s, "off") || !strcmp(s, "-"))
		return true;
	out->mode = VSYSEMU_SECCOMP_STRICT;
	if (!strcmp(s, "strict"))
		return true;
	out->mode = VSYSEMU_SECCOMP_FILTER;
	if (word_starts(s, "TRACE"))
		return parse_trace(s + 5, out);
	if (word_starts(s, "USER_NOTIF"))
		return parse_notif(s + 10, out);
	if (word_starts(s, "action ") && word_number(s + 7, &s, &n) && !*s) {
		out->ret = (uint32_t)n;
		return true;
	}
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++) {
		const char *rest = s + strlen(actions[i].word);

		if (!word_starts(s, actions[i].word) || (*rest && *rest != ' '))
			continue;
		if (actions[i].data && !word_number(rest + strspn(rest, " "), &rest, &n))
			return false;
		out->ret = actions[i].ret | (uint32_t)(n & 0xffff);
		return !*rest && n <= 0xffff;
	}
	return false;
}

static void trace_text(const struct vector_seccomp *s, struct buf *out)
{
	static const uint64_t none[VECTOR_MOVED];

	if (!s->traced) {
		buf_printf(out, "TRACE, no tracer");
		return;
	}
	if (!s->set_orig_rax && !s->set_rax && !memcmp(s->add, none, sizeof(none))) {
		buf_printf(out, "TRACE, tracer continues");
		return;
	}
	buf_printf(out, "TRACE, tracer sets");
	if (s->set_orig_rax)
		buf_printf(out, " orig_rax=%lld", (long long)s->orig_rax);
	if (s->set_rax)
		buf_printf(out, " rax=%lld", (long long)s->rax);
	for (int i = 0; i < VECTOR_MOVED; i++)
		if (s->add[i])
			buf_printf(out, " %s+%llu", vector_moved_name[i], (unsigned long long)s->add[i]);
}

void vector_seccomp_text(const struct vector_seccomp *s, struct buf *out)
{
	if (s->mode != VSYSEMU_SECCOMP_FILTER) {
		buf_printf(out, "%s", s->mode == VSYSEMU_SECCOMP_OFF ? "off" : "strict");
		return;
	}
	if (s->ret >> 16 == 0x7ff0) {
		trace_text(s, out);
		return;
	}
	if (s->ret >> 16 == 0x7fc0) {
		if (s->listener && !s->notif_continue)
			buf_printf(out, "USER_NOTIF, supervisor returns %lld", (long long)s->rax);
		else
			buf_printf(out, "USER_NOTIF, %s", s->listener ? "continue" : "no listener");
		return;
	}
	for (size_t i = 0; i < ARRAY_SIZE(actions); i++)
		if (actions[i].ret == (s->ret & 0xffff0000)) {
			buf_printf(out, "%s", actions[i].word);
			if (actions[i].data)
				buf_printf(out, " %u", s->ret & 0xffff);
			return;
		}
	buf_printf(out, "action 0x%x", s->ret);
}
