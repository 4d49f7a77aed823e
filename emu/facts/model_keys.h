/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Between the files of the model: setting one key of a profile from text. */
#ifndef VSYSEMU_FACTS_MODEL_KEYS_H
#define VSYSEMU_FACTS_MODEL_KEYS_H

#include "facts/model.h"

/* Index of key @name in @keys, -1 if there is none such. */
int model_key_find(const struct model_key *keys, size_t n, const char *name);
/* Parse @text into @profile's field.  False: @e says what the key takes (not where it stood). */
bool model_key_parse(const struct model_key *k, void *profile, const char *text, struct err *e);

#endif
