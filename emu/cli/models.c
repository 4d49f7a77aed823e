/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The verb `models`: the profiles, or one of them in full.  Everything shown comes from the table of
 * keys and the origin of each value; nothing about a profile is known here.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/json.h"
#include "cli/output.h"
#include "cli/verbs.h"
#include "facts/model.h"

/* One profile, of either kind. */
struct profile {
	struct cpu_model *cpu;
	struct kernel_model *kernel;
	const struct model_key *key;
	size_t keys;
};

static void profile_free(struct profile *p)
{
	if (p->cpu)
		cpu_model_free(p->cpu);
	if (p->kernel)
		kernel_model_free(p->kernel);
}

static bool profile_load(struct profile *p, const char *name, bool kernel, struct err *e)
{
	*p = (struct profile){ 0 };
	if (kernel) {
		p->kernel = kernel_model_load(name, e);
		p->key = kernel_keys(&p->keys);
		return p->kernel != NULL;
	}
	p->cpu = cpu_model_load(name, e);
	p->key = cpu_keys(&p->keys);
	return p->cpu != NULL;
}

static const struct model_origin *origin_of(const struct profile *p, size_t i)
{
	return p->kernel ? &p->kernel->origin[i] : &p->cpu->origin[i];
}

static const char *provenance_of(const struct profile *p, size_t i)
{
	const struct model_origin *o = origin_of(p, i);

	return o->present ? provenance_name(o->provenance) : "default";
}

static void value_of(const struct profile *p, size_t i, struct buf *b)
{
	buf_printf(b, "%s", ""); /* data is a string even if nothing follows */
	model_key_print(&p->key[i], p->kernel ? (const void *)p->kernel : p->cpu, b);
}

static void modes_of(const struct kernel_model *k, struct buf *b)
{
	for (unsigned i = 0; i < k->modes; i++)
		buf_printf(b, "%s%s", i ? " " : "", vsysemu_mode_name(k->mode[i]));
}

static void list_text(const struct profile *p, struct buf *out)
{
	struct buf modes = { 0 };

	if (p->cpu) {
		buf_printf(out, "  %-14s %s\n", p->cpu->name, p->cpu->description);
		return;
	}
	modes_of(p->kernel, &modes);
	buf_printf(out, "  %-14s %-4s %-22s %s\n", p->kernel->name, kernel_model_era(p->kernel),
		   modes.data, p->kernel->description);
	buf_free(&modes);
}

static void list_json(const struct profile *p, struct json *a)
{
	struct json *o = json_add(a, json_new_object()), *modes;

	json_put_string(o, "name", p->cpu ? p->cpu->name : p->kernel->name);
	json_put_string(o, "description", p->cpu ? p->cpu->description : p->kernel->description);
	if (p->cpu)
		return;
	json_put_string(o, "era", kernel_model_era(p->kernel));
	modes = json_put(o, "modes", json_new_array());
	for (unsigned i = 0; i < p->kernel->modes; i++)
		json_add_string(modes, vsysemu_mode_name(p->kernel->mode[i]));
}

/* All profiles of a kind, to @text or into @array. */
static bool list_kind(bool kernel, struct buf *text, struct json *array, struct err *e)
{
	model_names names = { 0 };
	bool good = model_list(kernel, &names, e);

	for (size_t i = 0; good && i < names.n; i++) {
		struct profile p;

		good = profile_load(&p, names.at[i], kernel, e);
		if (good && array)
			list_json(&p, array);
		else if (good)
			list_text(&p, text);
		profile_free(&p);
	}
	model_names_free(&names);
	return good;
}

static bool list(bool json, struct buf *out, struct err *e)
{
	struct json *j;
	bool good;

	if (!json) {
		buf_printf(out, "CPU profiles (--cpu=NAME):\n");
		good = list_kind(false, out, NULL, e);
		buf_printf(out, "Kernel profiles (--kernel=NAME), era, modes with the default first:\n");
		return good && list_kind(true, out, NULL, e);
	}
	j = json_new_object();
	json_put_string(j, "schema", "vsysemu.models/1");
	good = list_kind(false, NULL, json_put(j, "cpu", json_new_array()), e) &&
	       list_kind(true, NULL, json_put(j, "kernel", json_new_array()), e);
	json_text(j, 2, 10, out);
	buf_printf(out, "\n");
	json_drop(j);
	return good;
}

static void count_text(const struct profile *p, struct buf *out)
{
	static const char *const kinds[] = { "measured", "published", "fitted", "estimated", "given",
					     "default" };

	for (size_t k = 0; k < ARRAY_SIZE(kinds); k++) {
		unsigned n = 0;

		for (size_t i = 0; i < p->keys; i++)
			n += !strcmp(provenance_of(p, i), kinds[k]);
		buf_printf(out, "%s%u %s", k ? ", " : "", n, kinds[k]);
	}
	buf_printf(out, "\n");
}

#define VALUE_COLUMNS 22 /* a longer value has a line of its own */

static void full_text(const struct profile *p, struct buf *out)
{
	const char *section = "";

	buf_printf(out, "%s profile %s: %s\nValues: ", p->cpu ? "CPU" : "Kernel",
		   p->cpu ? p->cpu->name : p->kernel->name,
		   p->cpu ? p->cpu->description : p->kernel->description);
	count_text(p, out);
	buf_printf(out, "\n%-28s %-22s %-8s %-10s %s\n", "key", "value", "unit", "provenance",
		   "meaning; source");
	for (size_t i = 0; i < p->keys; i++) {
		const struct model_key *k = &p->key[i];
		const struct model_origin *o = origin_of(p, i);
		struct buf v = { 0 };

		if (strcmp(section, k->section))
			buf_printf(out, "\n[%s]\n", section = k->section);
		value_of(p, i, &v);
		if (v.len > VALUE_COLUMNS)
			buf_printf(out, "%-28s %s\n%-28s %-22s", k->name, v.data, "", "");
		else
			buf_printf(out, "%-28s %-22s", k->name, v.data);
		buf_printf(out, " %-8s %-10s %s", k->unit, provenance_of(p, i), k->meaning);
		if (o->present && o->source && *o->source)
			buf_printf(out, "; %s", o->source);
		buf_printf(out, "\n");
		buf_free(&v);
	}
}

/* The value in its own type: a number where the key is one, a list of words for a path. */
static void value_json(const struct profile *p, size_t i, struct json *o)
{
	const struct model_key *k = &p->key[i];
	struct buf v = { 0 };
	struct json *a;

	value_of(p, i, &v);
	if (k->kind == KEY_NUMBER) {
		json_put_real(o, "value", strtod(v.data, NULL));
	} else if (k->kind == KEY_BOOL) {
		json_put_bool(o, "value", *v.data == '1');
	} else if (k->kind == KEY_U32 || (k->kind == KEY_U64 && strcmp(k->unit, ""))) {
		json_put_int(o, "value", (int64_t)strtoll(v.data, NULL, 0));
	} else if (k->kind == KEY_STEPS) {
		a = json_put(o, "value", json_new_array());
		for (char *save = NULL, *w = strtok_r(v.data, " ", &save); w;
		     w = strtok_r(NULL, " ", &save))
			json_add_string(a, w);
	} else {
		json_put_string(o, "value", v.data);
	}
	buf_free(&v);
}

static void full_json(const struct profile *p, struct buf *out)
{
	struct json *j = json_new_object(), *a;

	json_put_string(j, "schema", "vsysemu.model/1");
	json_put_string(j, "kind", p->cpu ? "cpu" : "kernel");
	json_put_string(j, "name", p->cpu ? p->cpu->name : p->kernel->name);
	json_put_string(j, "description", p->cpu ? p->cpu->description : p->kernel->description);
	a = json_put(j, "keys", json_new_array());
	for (size_t i = 0; i < p->keys; i++) {
		const struct model_origin *g = origin_of(p, i);
		struct json *o = json_add(a, json_new_object());

		json_put_string(o, "key", p->key[i].name);
		json_put_string(o, "section", p->key[i].section);
		value_json(p, i, o);
		json_put_string(o, "unit", p->key[i].unit);
		json_put_string(o, "meaning", p->key[i].meaning);
		json_put_string(o, "provenance", provenance_of(p, i));
		json_put_string(o, "source", g->present && g->source ? g->source : "");
	}
	json_text(j, 2, 10, out);
	buf_printf(out, "\n");
	json_drop(j);
}

static bool is_listed(const char *name, bool kernel)
{
	model_names names = { 0 };
	struct err e = { .text = "" };
	bool found = false;

	if (model_list(kernel, &names, &e))
		for (size_t i = 0; i < names.n; i++)
			found |= !strcmp(names.at[i], name);
	model_names_free(&names);
	return found;
}

static bool full(const struct options *o, bool json, struct buf *out, struct err *e)
{
	const char *name = o->argv[0];
	bool file = strchr(name, '/') || (strlen(name) > 4 && !strcmp(name + strlen(name) - 4, ".ini"));
	bool kernel = !file && is_listed(name, true);
	struct err other = { .text = "" };
	struct profile p;
	bool good;

	if (!file && !kernel && !is_listed(name, false))
		return err_set(e, "NAME: no profile '%.60s'; `vsysemu models` lists them", name);
	good = profile_load(&p, name, kernel, e);
	/* A file does not say which kind it is: the one that it is free of errors as. */
	if (!good && file && profile_load(&p, name, true, &other)) {
		good = true;
		*e = (struct err){ .text = "" };
	}
	for (size_t i = 0; good && i < o->set.n; i++)
		good = model_set(p.cpu, p.kernel, o->set.at[i], e);
	if (good && json)
		full_json(&p, out);
	else if (good)
		full_text(&p, out);
	profile_free(&p);
	return good;
}

int cli_models(const struct options *o, struct err *e)
{
	const char *form = o->report ? o->report : "text";
	bool json = !strcmp(form, "json"), none = !strcmp(form, "none"), good;
	struct buf out = { 0 };

	if (!json && !none && strcmp(form, "text"))
		return err_set(e, "--report: models has text, json and none") - 1;
	if (o->set.n && !o->argc)
		return err_set(e, "--set: which profile? models takes its NAME") - 1;
	if (o->argc > 1)
		return err_set(e, "models takes one NAME of a profile") - 1;
	good = o->argc ? full(o, json, &out, e) : list(json, &out, e);
	if (good && !none)
		good = output_write(o->output ? o->output : "-", &out, e);
	buf_free(&out);
	return good ? 0 : -1;
}
