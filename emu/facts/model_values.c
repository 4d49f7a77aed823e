/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Values of profile keys: text to field and back, by the kind of the key. */
#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "facts/model_keys.h"

struct word {
	const char *name;
	uint32_t value;
};
static const struct word trap_words[] = { { "none", TRAP_GEN_NONE },
					  { "int0xcc", TRAP_GEN_INT0XCC },
					  { "page-fault", TRAP_GEN_PAGE_FAULT } };
static const struct word return_words[] = { { "iret", TRAP_RETURN_IRET },
					    { "sysret", TRAP_RETURN_SYSRET },
					    { "trampoline", TRAP_RETURN_TRAMPOLINE } };
static const struct word log_words[] = { { "plain", VSYSEMU_LOG_PLAIN },
					 { "prefix-angle", VSYSEMU_LOG_PREFIX_ANGLE },
					 { "prefix-soh", VSYSEMU_LOG_PREFIX_SOH } };
static const struct word action_words[] = { { "kill-process", VSYSEMU_SECCOMP_KILL_PROCESS },
					    { "log", VSYSEMU_SECCOMP_LOG },
					    { "user-notif", VSYSEMU_SECCOMP_USER_NOTIF },
					    { "unknown-group", VSYSEMU_SECCOMP_UNKNOWN_GROUP } };
static const struct word source_words[] = {
	{ "tsc", 1u << CS_TSC },     { "hpet", 1u << CS_HPET }, { "acpi_pm", 1u << CS_ACPI_PM },
	{ "kvm-clock", 1u << CS_KVM_CLOCK }, { "xen", 1u << CS_XEN },
};

#define FIELD(type, p, k) (*(type *)(void *)((char *)(p) + (k)->offset))
#define CFIELD(type, p, k) (*(const type *)(const void *)((const char *)(p) + (k)->offset))

/* Next blank-separated word of *@s into @w; false at the end.  Too long: @w is cut, matching nothing. */
static bool next_word(const char **s, char w[48])
{
	const char *p = *s;
	size_t n = 0;

	while (isspace((unsigned char)*p) || *p == ',')
		p++;
	while (*p && !isspace((unsigned char)*p) && *p != ',') {
		if (n < 47)
			w[n++] = *p;
		p++;
	}
	w[n] = 0;
	*s = p;
	return n > 0;
}

static void list_words(const struct word *w, size_t n, struct buf *b)
{
	for (size_t i = 0; i < n; i++)
		buf_printf(b, "%s%s", i ? ", " : "", w[i].name);
}

static bool parse_word(const struct word *w, size_t n, const char *text, uint32_t *out, struct err *e)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(w[i].name, text)) {
			*out = w[i].value;
			return true;
		}
	struct buf b = { 0 };
	list_words(w, n, &b);
	err_set(e, "'%s' is not one of %s", text, b.data);
	buf_free(&b);
	return false;
}

static bool parse_words(const struct word *w, size_t n, const char *text, uint32_t *out,
			struct err *e)
{
	char one[48];
	uint32_t v, sum = 0;

	while (next_word(&text, one)) {
		if (!parse_word(w, n, one, &v, e))
			return false;
		sum |= v;
	}
	*out = sum;
	return true;
}

static void print_word(const struct word *w, size_t n, uint32_t v, struct buf *b)
{
	for (size_t i = 0; i < n; i++)
		if (w[i].value == v)
			buf_printf(b, "%s", w[i].name);
}

static void print_words(const struct word *w, size_t n, uint32_t v, struct buf *b)
{
	const char *sep = "";

	for (size_t i = 0; i < n; i++)
		if (v & w[i].value) {
			buf_printf(b, "%s%s", sep, w[i].name);
			sep = " ";
		}
}

static bool parse_number(const struct model_key *k, const char *text, double *out, struct err *e)
{
	char *end;
	double v;

	errno = 0;
	v = strtod(text, &end);
	if (end == text || *end || !isfinite(v))
		return err_set(e, "'%s' is not a number", text);
	if (v < k->min || v > k->max)
		return err_set(e, "%s is outside %g ... %g", text, k->min, k->max);
	*out = v;
	return true;
}

static bool parse_integer(const struct model_key *k, const char *text, uint64_t *out, struct err *e)
{
	char *end;
	unsigned long long v;

	errno = 0;
	v = strtoull(text, &end, 0);
	if (end == text || *end || errno || *text == '-')
		return err_set(e, "'%s' is not a whole number", text);
	if ((double)v < k->min || (double)v > k->max)
		return err_set(e, "%s is outside %.0f ... %.0f", text, k->min, k->max);
	*out = v;
	return true;
}

static bool parse_modes(struct kernel_model *k, const char *text, struct err *e)
{
	char w[48];
	unsigned n = 0;

	while (next_word(&text, w)) {
		int m = vsysemu_mode_find(w);
		if (m < 0)
			return err_set(e, "'%s' is not one of native, emulate, xonly, none", w);
		for (unsigned i = 0; i < n; i++)
			if (k->mode[i] == (enum vsysemu_mode)m)
				return err_set(e, "'%s' stands twice", w);
		k->mode[n++] = (enum vsysemu_mode)m;
	}
	k->modes = n;
	return n ? true : err_set(e, "the list of modes is empty");
}

static bool parse_clocks(const char *text, uint64_t *out, struct err *e)
{
	char w[48], *end;
	uint64_t sum = 0;

	while (next_word(&text, w)) {
		unsigned long v = strtoul(w, &end, 10);
		if (*end || v > 63 || !isdigit((unsigned char)w[0]))
			return err_set(e, "'%s' is not a clock id (0 ... 63)", w);
		sum |= 1ull << v;
	}
	*out = sum;
	return true;
}

static bool parse_class(const struct model_key *k, const char *text, struct price_class_row *r,
			struct err *e)
{
	char w[48];
	double v[3];
	unsigned n = 0;

	if (!strcmp(text, "-")) {
		*r = (struct price_class_row){ 0 };
		return true;
	}
	while (next_word(&text, w)) {
		if (n == 3)
			return err_set(e, "more than three numbers");
		if (!parse_number(k, w, &v[n], e))
			return false;
		n++;
	}
	if (n != 3)
		return err_set(e, "takes three numbers: latency, uops, busy cycles; or -");
	*r = (struct price_class_row){ v[0], v[1], v[2] };
	return true;
}

static bool parse_steps(const char *text, struct cost_steps *s, struct err *e)
{
	const char *bad;

	if (cost_steps_parse(s, text, &bad))
		return true;
	return err_set(e, "'%.40s' is not a stage (or there are more than %d)", bad, COST_PATH_STEPS);
}

bool model_key_parse(const struct model_key *k, void *p, const char *text, struct err *e)
{
	uint32_t w = 0;
	uint64_t u = 0;
	int i;

	switch (k->kind) {
	case KEY_TEXT:
		free(FIELD(char *, p, k));
		FIELD(char *, p, k) = xstrdup(text);
		return true;
	case KEY_NUMBER:
		return parse_number(k, text, &FIELD(double, p, k), e);
	case KEY_U32:
		if (!parse_integer(k, text, &u, e))
			return false;
		FIELD(uint32_t, p, k) = (uint32_t)u;
		return true;
	case KEY_U64:
		return parse_integer(k, text, &FIELD(uint64_t, p, k), e);
	case KEY_BOOL:
		if (strcmp(text, "0") && strcmp(text, "1"))
			return err_set(e, "'%s' is not 0 or 1", text);
		FIELD(bool, p, k) = *text == '1';
		return true;
	case KEY_ERA:
		i = vsysemu_era_find(text);
		if (i < 0)
			return err_set(e, "'%s' is not an era (E0, E1a, E1b, E1c, E2 ... E9)", text);
		FIELD(enum vsysemu_era, p, k) = (enum vsysemu_era)i;
		return true;
	case KEY_MODES:
		return parse_modes(p, text, e);
	case KEY_TRAP:
		if (!parse_word(trap_words, ARRAY_SIZE(trap_words), text, &w, e))
			return false;
		FIELD(enum trap_gen, p, k) = (enum trap_gen)w;
		return true;
	case KEY_TRAP_RETURN:
		if (!parse_word(return_words, ARRAY_SIZE(return_words), text, &w, e))
			return false;
		FIELD(enum trap_return, p, k) = (enum trap_return)w;
		return true;
	case KEY_LOG_STYLE:
		if (!parse_word(log_words, ARRAY_SIZE(log_words), text, &w, e))
			return false;
		FIELD(enum vsysemu_log_style, p, k) = (enum vsysemu_log_style)w;
		return true;
	case KEY_SOURCES:
		return parse_words(source_words, ARRAY_SIZE(source_words), text,
				   &FIELD(uint32_t, p, k), e);
	case KEY_ACTIONS:
		return parse_words(action_words, ARRAY_SIZE(action_words), text,
				   &FIELD(uint32_t, p, k), e);
	case KEY_CLOCKS:
		return parse_clocks(text, &FIELD(uint64_t, p, k), e);
	case KEY_STEPS:
		return parse_steps(text, &FIELD(struct cost_steps, p, k), e);
	case KEY_CLASS:
		return parse_class(k, text, &FIELD(struct price_class_row, p, k), e);
	}
	return err_set(e, "unknown kind of key");
}

static void print_steps(const struct cost_steps *s, struct buf *b)
{
	for (unsigned i = 0; i < s->n; i++) {
		unsigned t = s->step[i].token;
		buf_printf(b, "%s%s", i ? " " : "",
			   t == COST_TOKEN_CLOCK      ? "clock" :
			   t == COST_TOKEN_CLOCK_USER ? "clock_user" :
							cost_stage_name((enum cost_stage)t));
		if (s->step[i].times > 1)
			buf_printf(b, "*%u", s->step[i].times);
	}
}

static void print_list(const struct model_key *k, const void *p, struct buf *b)
{
	const struct kernel_model *km = p;
	const char *sep = "";

	if (k->kind == KEY_MODES) {
		for (unsigned i = 0; i < km->modes; i++)
			buf_printf(b, "%s%s", i ? " " : "", vsysemu_mode_name(km->mode[i]));
		return;
	}
	for (unsigned i = 0; i < 64; i++)
		if (CFIELD(uint64_t, p, k) >> i & 1) {
			buf_printf(b, "%s%u", sep, i);
			sep = " ";
		}
}

void model_key_print(const struct model_key *k, const void *p, struct buf *b)
{
	const struct price_class_row *r;

	switch (k->kind) {
	case KEY_TEXT:
		buf_printf(b, "%s", CFIELD(char *, p, k) ? CFIELD(char *, p, k) : "");
		break;
	case KEY_NUMBER:
		buf_printf(b, "%.10g", CFIELD(double, p, k));
		break;
	case KEY_U32:
		buf_printf(b, "%u", CFIELD(uint32_t, p, k));
		break;
	case KEY_U64:
		buf_printf(b, strstr(k->name, "_hz") ? "%llu" : "0x%llx",
			   (unsigned long long)CFIELD(uint64_t, p, k));
		break;
	case KEY_BOOL:
		buf_printf(b, "%d", CFIELD(bool, p, k));
		break;
	case KEY_ERA:
		buf_printf(b, "%s", vsysemu_era_name(CFIELD(enum vsysemu_era, p, k)));
		break;
	case KEY_TRAP:
		buf_printf(b, "%s", trap_gen_name(CFIELD(enum trap_gen, p, k)));
		break;
	case KEY_TRAP_RETURN:
		print_word(return_words, ARRAY_SIZE(return_words), CFIELD(enum trap_return, p, k), b);
		break;
	case KEY_LOG_STYLE:
		print_word(log_words, ARRAY_SIZE(log_words),
			   CFIELD(enum vsysemu_log_style, p, k), b);
		break;
	case KEY_SOURCES:
		print_words(source_words, ARRAY_SIZE(source_words), CFIELD(uint32_t, p, k), b);
		break;
	case KEY_ACTIONS:
		print_words(action_words, ARRAY_SIZE(action_words), CFIELD(uint32_t, p, k), b);
		break;
	case KEY_MODES:
	case KEY_CLOCKS:
		print_list(k, p, b);
		break;
	case KEY_STEPS:
		print_steps(&CFIELD(struct cost_steps, p, k), b);
		break;
	case KEY_CLASS:
		r = &CFIELD(struct price_class_row, p, k);
		if (r->latency == 0 && r->uops == 0 && r->busy == 0)
			buf_printf(b, "-");
		else
			buf_printf(b, "%.6g %.6g %.6g", r->latency, r->uops, r->busy);
		break;
	}
}
