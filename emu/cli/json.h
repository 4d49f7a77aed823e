/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON values: a thin front of jansson (whose only user is json.c).  Keys keep the order in which they
 * were set, so that equal facts give equal bytes.  Strings that are not UTF-8 (file names) have each
 * bad byte replaced by U+FFFD.
 */
#ifndef VSYSEMU_CLI_JSON_H
#define VSYSEMU_CLI_JSON_H

#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/types.h"

struct json; /* a value; containers own what is put into them */

struct json *json_new_object(void);
struct json *json_new_array(void);
void json_drop(struct json *j); /* free a value that is in no container; NULL is fine */

/* Put @v (taken over) into object @o under @key, or at the end of array @a.  Return @v. */
struct json *json_put(struct json *o, const char *key, struct json *v);
struct json *json_add(struct json *a, struct json *v);

void json_put_string(struct json *o, const char *key, const char *s); /* NULL: null */
void json_put_int(struct json *o, const char *key, int64_t v);
void json_put_real(struct json *o, const char *key, double v); /* not finite: null */
void json_put_bool(struct json *o, const char *key, bool v);
void json_put_null(struct json *o, const char *key);
void json_put_hex(struct json *o, const char *key, uint64_t v); /* "0x1f" */
void json_add_int(struct json *a, int64_t v);
void json_add_string(struct json *a, const char *s);

/* Append the text of @j to @out: indented by @indent blanks a level, or on one line when 0.  Reals are
 * written with @digits significant digits.  No newline at the end. */
void json_text(const struct json *j, int indent, int digits, struct buf *out);

/* Parse @n bytes.  NULL: @e says where it is broken. */
struct json *json_parse(const char *text, size_t n, struct err *e);
/* Look into a parsed value: NULL or 0 when it is not there or of another type. */
const struct json *json_get(const struct json *o, const char *key);
const struct json *json_at(const struct json *a, size_t i);
size_t json_count(const struct json *a); /* elements of an array, members of an object */
const char *json_string_of(const struct json *j);

#endif
