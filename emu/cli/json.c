/* SPDX-License-Identifier: GPL-2.0-or-later */
/* JSON values on jansson: see json.h.  A struct json is a json_t under another name. */
#include "cli/json.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static json_t *in(struct json *j)
{
	return (json_t *)j;
}

static const json_t *cin(const struct json *j)
{
	return (const json_t *)j;
}

static struct json *out(json_t *j)
{
	return (struct json *)j;
}

/* Length of the UTF-8 sequence at @s (valid, shortest form, no surrogate), or 0. */
static size_t sequence(const unsigned char *s)
{
	static const struct {
		unsigned char mask, want;
		uint32_t least;
	} form[] = { { 0x80, 0, 0 }, { 0xe0, 0xc0, 0x80 }, { 0xf0, 0xe0, 0x800 }, { 0xf8, 0xf0, 0x10000 } };

	for (size_t n = 0; n < ARRAY_SIZE(form); n++) {
		uint32_t c = s[0] & (unsigned char)~form[n].mask;

		if ((s[0] & form[n].mask) != form[n].want)
			continue;
		for (size_t k = 1; k <= n; k++) {
			if ((s[k] & 0xc0) != 0x80)
				return 0;
			c = c << 6 | (s[k] & 0x3f);
		}
		return c >= form[n].least && c <= 0x10ffff && (c < 0xd800 || c > 0xdfff) ? n + 1 : 0;
	}
	return 0;
}

static json_t *string(const char *s)
{
	struct buf b = { 0 };
	json_t *j = s ? json_string(s) : json_null();

	if (j)
		return j;
	while (*s) {
		size_t n = sequence((const unsigned char *)s);

		buf_add(&b, n ? s : "\xef\xbf\xbd", n ? n : 3);
		s += n ? n : 1;
	}
	j = json_string(b.data);
	buf_free(&b);
	return j;
}

struct json *json_new_object(void)
{
	return out(json_object());
}

struct json *json_new_array(void)
{
	return out(json_array());
}

void json_drop(struct json *j)
{
	json_decref(in(j));
}

struct json *json_put(struct json *o, const char *key, struct json *v)
{
	json_object_set_new(in(o), key, in(v));
	return v;
}

struct json *json_add(struct json *a, struct json *v)
{
	json_array_append_new(in(a), in(v));
	return v;
}

void json_put_string(struct json *o, const char *key, const char *s)
{
	json_object_set_new(in(o), key, string(s));
}

void json_put_int(struct json *o, const char *key, int64_t v)
{
	json_object_set_new(in(o), key, json_integer(v));
}

void json_put_real(struct json *o, const char *key, double v)
{
	json_object_set_new(in(o), key, isfinite(v) ? json_real(v) : json_null());
}

void json_put_bool(struct json *o, const char *key, bool v)
{
	json_object_set_new(in(o), key, json_boolean(v));
}

void json_put_null(struct json *o, const char *key)
{
	json_object_set_new(in(o), key, json_null());
}

void json_put_hex(struct json *o, const char *key, uint64_t v)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)v);
	json_object_set_new(in(o), key, json_string(text));
}

void json_add_int(struct json *a, int64_t v)
{
	json_array_append_new(in(a), json_integer(v));
}

void json_add_string(struct json *a, const char *s)
{
	json_array_append_new(in(a), string(s));
}

void json_text(const struct json *j, int indent, int digits, struct buf *b)
{
	size_t flags = (indent ? (size_t)JSON_INDENT(indent) : 0) | (size_t)JSON_REAL_PRECISION(digits) |
		       JSON_ENCODE_ANY;
	char *text = json_dumps(cin(j), flags);

	if (text)
		buf_add(b, text, strlen(text));
	free(text);
}

struct json *json_parse(const char *text, size_t n, struct err *e)
{
	json_error_t at;
	json_t *j = json_loadb(text, n, 0, &at);

	if (!j)
		err_set(e, "broken JSON at line %d, column %d: %s", at.line, at.column, at.text);
	return out(j);
}

const struct json *json_get(const struct json *o, const char *key)
{
	return o ? (const struct json *)json_object_get(cin(o), key) : NULL;
}

const struct json *json_at(const struct json *a, size_t i)
{
	return a ? (const struct json *)json_array_get(cin(a), i) : NULL;
}

size_t json_count(const struct json *a)
{
	if (!a)
		return 0;
	return json_is_array(cin(a)) ? json_array_size(cin(a)) : json_object_size(cin(a));
}

const char *json_string_of(const struct json *j)
{
	return j ? json_string_value(cin(j)) : NULL;
}
