/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parsing and checking of the command line and its environment twins: see options.h. */
#include "cli/options.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <time.h>

#include "cli/options_table.h"

extern char **environ;

/* The time of day at which a guest starts unless --epoch says otherwise: fixed, so that two runs
 * are equal (2023-11-14 22:13:20 UTC). */
#define DEFAULT_EPOCH_S 1700000000
#define NS_PER_SECOND 1000000000ull

const char *verb_name(enum verb v)
{
	return verb_rows[v].name;
}

enum verb verb_find(const char *word)
{
	unsigned v;

	for (v = 0; v < VERB_COUNT; v++)
		if (!strcmp(word, verb_rows[v].name))
			break;
	return (enum verb)v;
}

static void *field(struct options *o, const struct option_row *r)
{
	return (char *)o + r->offset;
}

static void twin_name(const struct option_row *r, char *out, size_t cap)
{
	size_t n = (size_t)snprintf(out, cap, "VSYSEMU_%s", r->name);

	for (size_t i = 8; i < n && i < cap; i++)
		out[i] = out[i] == '-' ? '_' : (char)toupper((unsigned char)out[i]);
}

bool options_hides(const char *entry)
{
	char name[64];

	if (strncmp(entry, "VSYSEMU_", 8))
		return false;
	for (size_t i = 0; i < option_rows_n; i++) {
		twin_name(&option_rows[i], name, sizeof(name));
		size_t n = strlen(name);
		if (!strncmp(entry, name, n) && (entry[n] == '=' || !entry[n]))
			return true;
	}
	return false;
}

static bool is_choice(const char *list, const char *v)
{
	size_t n = strlen(v);

	for (const char *p = list; n && p;) {
		if (!strncmp(p, v, n) && (p[n] == '|' || !p[n]))
			return true;
		p = strchr(p, '|');
		if (p)
			p++;
	}
	return false;
}

/* @what is "--mode" or "VSYSEMU_MODE". */
static bool store(struct options *o, const struct option_row *r, const char *what, const char *v,
		  struct err *e)
{
	if (r->choice && v[0] != 1 && !is_choice(r->takes, v))
		return err_set(e, "%s takes %s, not '%s'", what, r->takes, v);
	if (r->kind == OPT_LIST) {
		string_list *l = field(o, r);
		VEC_PUSH(l, v);
		if (r->letter == 'E' || r->letter == 'U')
			VEC_PUSH(&o->env_edits, ((struct env_edit){ v, r->letter == 'U' }));
		return true;
	}
	*(const char **)field(o, r) = v;
	return true;
}

static bool store_flag_word(struct options *o, const struct option_row *r, const char *what,
			    const char *v, struct err *e)
{
	if (strcmp(v, "0") && strcmp(v, "1"))
		return err_set(e, "%s takes 0 or 1, not '%s'", what, v);
	*(const char **)field(o, r) = v[0] == '1' ? v : NULL;
	return true;
}

/* Twins of what @line, the command line alone, has not: it wins. */
static bool from_environment(struct options *o, const struct options *line, struct err *e)
{
	for (size_t i = 0; i < option_rows_n; i++) {
		const struct option_row *r = &option_rows[i];
		char name[64];
		const char *v;

		if (!(r->verbs & VERB_BIT(o->verb)) || !strcmp(r->name, "help") ||
		    !strcmp(r->name, "version"))
			continue;
		twin_name(r, name, sizeof(name));
		v = getenv(name);
		if (!v || !v[0] || (r->kind != OPT_LIST && *(const char *const *)field((struct options *)(uintptr_t)line, r)))
			continue;
		o->from_twin |= 1ull << i;
		if (r->kind == OPT_FLAG) {
			if (!store_flag_word(o, r, name, v, e))
				return false;
		} else if (r->kind == OPT_MAYBE && (!strcmp(v, "0") || !strcmp(v, "1"))) {
			if (v[0] == '1')
				*(const char **)field(o, r) = "\1";
		} else if (r->kind != OPT_LIST) {
			if (!store(o, r, name, v, e))
				return false;
		} else {
			/* One a line; the pieces live as long as the process. */
			char *copy = xstrdup(v), *save = NULL;
			for (char *l = strtok_r(copy, "\n", &save); l; l = strtok_r(NULL, "\n", &save))
				if (!store(o, r, name, l, e))
					return false;
		}
	}
	return true;
}

static const struct option_row *find_long(const char *word, size_t n)
{
	for (size_t i = 0; i < option_rows_n; i++)
		if (strlen(option_rows[i].name) == n && !strncmp(option_rows[i].name, word, n))
			return &option_rows[i];
	return NULL;
}

static const struct option_row *find_letter(char c)
{
	for (size_t i = 0; i < option_rows_n; i++)
		if (option_rows[i].letter == c && c)
			return &option_rows[i];
	return NULL;
}

static bool takes_value(const struct option_row *r)
{
	return r->kind == OPT_VALUE || r->kind == OPT_LIST;
}

/* One option word at argv[*i]; advances *i past it and its value. */
static bool one_option(struct options *o, int argc, char **argv, int *i, struct err *e)
{
	const char *w = argv[*i], *value = NULL;
	const struct option_row *r;
	char what[64];

	if (w[1] == '-') {
		const char *eq = strchr(w, '=');
		size_t n = eq ? (size_t)(eq - w - 2) : strlen(w) - 2;
		r = find_long(w + 2, n);
		value = eq ? eq + 1 : NULL;
		snprintf(what, sizeof(what), "--%.*s", (int)n, w + 2);
	} else {
		r = find_letter(w[1]);
		snprintf(what, sizeof(what), "-%c", w[1]);
		if (r && takes_value(r) && w[2])
			value = w + 2;
		else if (r && w[2])
			return err_set(e, "unknown option '%s' (see vsysemu --help)", w);
	}
	if (!r)
		return err_set(e, "unknown option '%s' (see vsysemu --help)", w);
	if (!(r->verbs & VERB_BIT(o->verb)))
		return err_set(e, "%s is not an option of %s (see vsysemu %s --help)", what,
			       verb_name(o->verb), verb_name(o->verb));
	(*i)++;
	if (r->kind == OPT_FLAG) {
		if (value)
			return err_set(e, "%s takes no value", what);
		return store(o, r, what, "1", e);
	}
	if (r->kind == OPT_MAYBE)
		return store(o, r, what, value ? value : "\1", e);
	if (!value) {
		if (*i >= argc)
			return err_set(e, "%s needs a value: %s", what, r->takes);
		value = argv[(*i)++];
	}
	return store(o, r, what, value, e);
}

/* Decimal number with an optional fraction, in 1e-9 units. */
static bool parse_ns(const char *s, int64_t *ns)
{
	bool neg = *s == '-';
	uint64_t whole = 0, frac = 0, scale = NS_PER_SECOND;
	const char *p = s + neg;

	if (!isdigit((unsigned char)*p))
		return false;
	for (; isdigit((unsigned char)*p); p++) {
		whole = whole * 10 + (uint64_t)(*p - '0');
		if (whole > 9000000000ull)
			return false;
	}
	if (*p == '.')
		for (p++; isdigit((unsigned char)*p); p++) {
			scale /= 10;
			frac += (uint64_t)(*p - '0') * scale;
		}
	if (*p)
		return false;
	*ns = (int64_t)(whole * NS_PER_SECOND + frac);
	if (neg)
		*ns = -*ns;
	return true;
}

static bool parse_u64(const char *s, uint64_t *v)
{
	char *end;

	if (!isdigit((unsigned char)*s))
		return false;
	errno = 0;
	*v = strtoull(s, &end, 0);
	return !errno && !*end;
}

static bool convert_timens(struct options *o, struct err *e)
{
	char copy[64], *comma;

	if (!o->timens || o->timens[0] == 1)
		return true;
	snprintf(copy, sizeof(copy), "%s", o->timens);
	comma = strchr(copy, ',');
	if (comma)
		*comma++ = 0;
	if (strlen(o->timens) >= sizeof(copy) || !comma || !parse_ns(copy, &o->timens_mono_ns) ||
	    !parse_ns(comma, &o->timens_boot_ns))
		return err_set(e, "--timens takes MONO,BOOT (seconds), not '%s'", o->timens);
	return true;
}

static bool convert_numbers(struct options *o, struct err *e)
{
	uint64_t n = 0;
	int64_t ns = 0;

	o->epoch_ns = DEFAULT_EPOCH_S * (int64_t)NS_PER_SECOND;
	if (o->epoch && !strcmp(o->epoch, "now")) {
		struct timespec ts;
		clock_gettime(CLOCK_REALTIME, &ts);
		o->epoch_ns = ts.tv_sec * (int64_t)NS_PER_SECOND + ts.tv_nsec;
	} else if (o->epoch && (!parse_ns(o->epoch, &o->epoch_ns) || o->epoch_ns < 0)) {
		return err_set(e, "--epoch takes SECONDS since 1970 or now, not '%s'", o->epoch);
	}
	if (o->seed && !parse_u64(o->seed, &o->seed_n))
		return err_set(e, "--seed takes a whole number, not '%s'", o->seed);
	if (o->max_insns && (!parse_u64(o->max_insns, &o->max_insns_n) || !o->max_insns_n))
		return err_set(e, "--max-insns takes a whole number above 0, not '%s'", o->max_insns);
	if (o->timeout && (!parse_ns(o->timeout, &ns) || ns <= 0))
		return err_set(e, "--timeout takes SECONDS above 0, not '%s'", o->timeout);
	o->timeout_ns = (uint64_t)ns;
	o->cpus_n = 1;
	if (o->cpus && (!parse_u64(o->cpus, &n) || n < 1 || n > 256))
		return err_set(e, "--cpus takes a number from 1 to 256, not '%s'", o->cpus);
	if (o->cpus)
		o->cpus_n = (unsigned)n;
	o->engine_level_n = -1;
	if (o->engine_level && (!parse_u64(o->engine_level, &n) || n > 9))
		return err_set(e, "--engine-level takes a number from 0 to 9, not '%s'",
			       o->engine_level);
	if (o->engine_level)
		o->engine_level_n = (int)n;
	return true;
}

static bool check_trace(const char *spec, struct err *e)
{
	const char *p = spec;

	if (!spec || spec[0] == 1)
		return true;
	for (;;) {
		size_t n = strcspn(p, ",");
		char word[16];

		snprintf(word, sizeof(word), "%.*s", (int)(n < 15 ? n : 15), p);
		/* Filters are read where the trace is made. */
		if (!memchr(p, '=', n) && !is_choice("vsyscall|vdso|syscall|signal|fault", word))
			return err_set(e, "--trace takes vsyscall,vdso,syscall,signal,fault and filters path=, "
					  "call=, addr=, sym=, not '%s'", spec);
		if (!p[n])
			return true;
		p += n + 1;
	}
}

static bool check_lists(const struct options *o, struct err *e)
{
	for (size_t i = 0; i < o->set.n; i++)
		if (!strchr(o->set.at[i], '=') || o->set.at[i][0] == '=')
			return err_set(e, "--set takes KEY=VALUE, not '%s'", o->set.at[i]);
	for (size_t i = 0; i < o->auxv.n; i++)
		if (!strchr(o->auxv.at[i], '=') || o->auxv.at[i][0] == '=')
			return err_set(e, "--auxv takes KEY=VALUE, not '%s'", o->auxv.at[i]);
	for (size_t i = 0; i < o->setenv.n; i++)
		if (!strchr(o->setenv.at[i], '=') || o->setenv.at[i][0] == '=')
			return err_set(e, "-E takes VAR=VALUE, not '%s'", o->setenv.at[i]);
	for (size_t i = 0; i < o->unsetenv.n; i++)
		if (strchr(o->unsetenv.at[i], '=') || !o->unsetenv.at[i][0])
			return err_set(e, "-U takes VAR, not '%s'", o->unsetenv.at[i]);
	return true;
}

/* The option words of @argv; *i ends at the first that is none. */
static bool from_line(struct options *o, int argc, char **argv, int *i, struct err *e)
{
	while (*i < argc && argv[*i][0] == '-' && argv[*i][1]) {
		if (!strcmp(argv[*i], "--")) {
			++*i;
			break;
		}
		if (!one_option(o, argc, argv, i, e))
			return false;
	}
	return true;
}

void options_blame(const struct options *o, struct err *e)
{
	for (size_t i = 0; i < option_rows_n; i++) {
		const struct option_row *r = &option_rows[i];
		char word[40], name[64], rest[sizeof(e->text)];
		size_t n;

		if (!(o->from_twin >> i & 1))
			continue;
		n = (size_t)snprintf(word, sizeof(word), "--%s", r->name);
		if (r->letter && e->text[0] == '-' && e->text[1] == r->letter)
			n = 2;
		else if (strncmp(e->text, word, n) != 0)
			continue;
		if (e->text[n] != ':' && e->text[n] != ' ')
			continue;
		twin_name(r, name, sizeof(name));
		snprintf(rest, sizeof(rest), "%s", e->text + n);
		snprintf(e->text, sizeof(e->text), "%.63s%.900s", name, rest);
		return;
	}
}

bool options_parse(struct options *o, enum verb verb, int argc, char **argv, struct err *e)
{
	struct options line = { .verb = verb };
	int i = 1, first = 1;
	bool ok;

	memset(o, 0, sizeof(*o));
	o->verb = verb;
	/* --help and --version work everywhere, whatever the environment holds. */
	for (int k = 1; k < argc && argv[k][0] == '-' && strcmp(argv[k], "--"); k++) {
		if (!strcmp(argv[k], "--help"))
			o->help = "1";
		if (!strcmp(argv[k], "--version"))
			o->version = "1";
	}
	if (o->help || o->version)
		return true;
	ok = from_line(&line, argc, argv, &first, e) && from_environment(o, &line, e) &&
	     from_line(o, argc, argv, &i, e);
	options_free(&line);
	if (!ok)
		return false;
	o->argc = argc - i;
	o->argv = argv + i;
	o->quiet_on = o->quiet;
	o->strace_on = o->strace;
	o->audit_on = o->audit;
	o->progress_on = o->progress;
	return convert_numbers(o, e) && convert_timens(o, e) && check_trace(o->trace, e) &&
	       check_lists(o, e);
}

void options_free(struct options *o)
{
	VEC_FREE(&o->set);
	VEC_FREE(&o->setenv);
	VEC_FREE(&o->unsetenv);
	VEC_FREE(&o->auxv);
	VEC_FREE(&o->env_edits);
}

bool options_misplaced(const struct options *o, struct err *e)
{
	if (o->verb == VERB_RUN || o->verb == VERB_COMPARE || o->follow)
		return false; /* they are the program's */
	for (int i = 0; i < o->argc; i++) {
		const char *w = o->argv[i];

		if (strncmp(w, "--", 2) || !find_long(w + 2, strcspn(w + 2, "=")) || !access(w, F_OK))
			continue;
		err_set(e, "options come before operands: %s stands behind %s", w, i ? o->argv[i - 1] : "--");
		return true;
	}
	return false;
}
