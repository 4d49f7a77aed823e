/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Words of the cells: numbers, keys, filters.  Shared by the readers of rows. */
#ifndef VSYSEMU_FACTS_VECTOR_WORDS_H
#define VSYSEMU_FACTS_VECTOR_WORDS_H

#include "facts/vectors.h"

/* Decimal or 0x number with an optional sign at @s; *end is what follows.  False: no number. */
bool word_number(const char *s, const char **end, uint64_t *n);
bool word_starts(const char *s, const char *word);
bool word_in(const char *s, const char *word);
/* The number after "KEY=" anywhere in @s. */
bool word_value(const char *s, const char *key, uint64_t *n);
/* Length of the KEY of a "KEY=..." at @s; 0 if there is none. */
size_t word_key(const char *s);

bool vector_seccomp_parse(const char *s, struct vector_seccomp *out);
/* The cell that vector_seccomp_parse() reads back. */
void vector_seccomp_text(const struct vector_seccomp *s, struct buf *out);

#endif
