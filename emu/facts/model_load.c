/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Profiles from files.  A line is `key = value | provenance | source`; `base = NAME` takes over every
 * key of another profile first.  The only user of inih.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ini.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <unistd.h>

#include "facts/model_keys.h"
#include "facts/vdsogen.h"

#define FILE_BYTES_MAX (1u << 20)
#define LINE_BYTES_MAX 198 /* inih cuts lines in pieces beyond that */
#define BASE_DEPTH_MAX 32

struct load {
	bool kernel;
	void *profile;
	const struct model_key *keys;
	size_t n;
	struct model_origin *origin;
	const char *file;
	unsigned depth;
	struct err *e;
};

static bool load_file(struct load *l, const char *name);

static bool is_models_dir(const char *dir)
{
	struct buf b = { 0 };
	struct stat st;
	bool ok;

	buf_printf(&b, "%s/kernel", dir);
	ok = stat(b.data, &st) == 0 && S_ISDIR(st.st_mode);
	b.len = 0;
	buf_printf(&b, "%s/cpu", dir);
	ok = ok && stat(b.data, &st) == 0 && S_ISDIR(st.st_mode);
	buf_free(&b);
	return ok;
}

/* Look for the models around the program at @exe (its path is cut in place). */
static char *models_near(char *exe)
{
	static const char *const where[] = { "../share/vsysemu/models", "models", "../models",
					     "../../models", "../../../models" };
	char *slash = strrchr(exe, '/');

	if (!slash)
		return NULL;
	*slash = 0;
	for (size_t i = 0; i < ARRAY_SIZE(where); i++) {
		struct buf b = { 0 };
		buf_printf(&b, "%s/%s", exe, where[i]);
		if (is_models_dir(b.data))
			return b.data;
		buf_free(&b);
	}
	return NULL;
}

char *model_dir(void)
{
	const char *env = getenv("VSYSEMU_MODELS");
	char exe[4096], *dir = NULL;
	ssize_t n;

	if (env && *env)
		return xstrdup(env);
	n = readlink("/proc/self/exe", exe, sizeof(exe) - 1);
	if (n > 0) {
		exe[n] = 0;
		dir = models_near(exe);
	}
	/* A build outside the tree is reached through a link at the top of the tree. */
	const char *fn = (const char *)(uintptr_t)getauxval(AT_EXECFN);
	if (!dir && fn && strlen(fn) < sizeof(exe)) {
		strcpy(exe, fn);
		dir = models_near(exe);
	}
	if (!dir && is_models_dir("models"))
		dir = xstrdup("models");
	return dir ? dir : xstrdup("models");
}

/* Path of profile @name: a file as it is, a name in the models' directory. */
static char *profile_path(bool kernel, const char *name)
{
	struct buf b = { 0 };
	size_t n = strlen(name);

	if (strchr(name, '/') || (n > 4 && !strcmp(name + n - 4, ".ini"))) {
		buf_printf(&b, "%s", name);
	} else {
		char *dir = model_dir();
		buf_printf(&b, "%s/%s/%s.ini", dir, kernel ? "kernel" : "cpu", name);
		free(dir);
	}
	return b.data;
}

static bool read_text(const char *path, struct buf *b, struct err *e)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	char block[8192];
	ssize_t n = 0;

	if (fd < 0)
		return err_set(e, "%s: %s", path, strerror(errno));
	if (fstat(fd, &st) || (!S_ISREG(st.st_mode) && !S_ISFIFO(st.st_mode))) {
		close(fd);
		return err_set(e, "%s: not a regular file", path);
	}
	fcntl(fd, F_SETFL, 0);
	while (b->len <= FILE_BYTES_MAX && (n = read(fd, block, sizeof(block))) > 0)
		buf_add(b, block, (size_t)n);
	close(fd);
	if (n < 0)
		return err_set(e, "%s: %s", path, strerror(errno));
	if (b->len > FILE_BYTES_MAX)
		return err_set(e, "%s: larger than %u bytes, not a profile", path, FILE_BYTES_MAX);
	buf_add(b, "", 1);
	if (strlen(b->data) + 1 != b->len)
		return err_set(e, "%s: holds NUL bytes, not a profile", path);
	return true;
}

static bool check_lines(const char *path, const char *text, struct err *e)
{
	unsigned nr = 1;

	for (const char *p = text; *p; nr++) {
		size_t n = strcspn(p, "\n");
		if (n > LINE_BYTES_MAX)
			return err_set(e, "%s:%u: line longer than %d bytes", path, nr, LINE_BYTES_MAX);
		p += n + (p[n] == '\n');
	}
	return true;
}

/* Cut @s at the first '|' and trim; returns what follows it, or NULL. */
static char *cut_field(char *s)
{
	char *bar = strchr(s, '|'), *end;

	if (bar)
		*bar++ = 0;
	end = s + strlen(s);
	while (end > s && (end[-1] == ' ' || end[-1] == '\t'))
		*--end = 0;
	while (bar && (*bar == ' ' || *bar == '\t'))
		bar++;
	return bar;
}

static int find_provenance(const char *word)
{
	for (int i = 0; i <= PROV_GIVEN; i++)
		if (!strcmp(provenance_name((enum provenance)i), word))
			return i;
	return -1;
}

static bool set_key(struct load *l, const char *name, const char *value)
{
	struct err sub = { 0 };
	char *text = xstrdup(value), *prov = cut_field(text), *source = prov ? cut_field(prov) : NULL;
	int i = model_key_find(l->keys, l->n, name), p = PROV_ESTIMATED;
	bool ok = false;

	if (i < 0)
		err_set(l->e, "%s: unknown key '%s'", l->file, name);
	else if (prov && (p = find_provenance(prov)) < 0)
		err_set(l->e, "%s: %s: '%s' is not one of estimated, fitted, published, measured, given",
			l->file, name, prov);
	else if (!model_key_parse(&l->keys[i], l->profile, text, &sub))
		err_set(l->e, "%s: %s: %s", l->file, name, sub.text);
	else
		ok = true;
	if (ok) {
		struct model_origin *o = &l->origin[i];
		/* What is no number is a fact of the kernel or of the processor, not an estimate. */
		if (!prov && l->keys[i].kind != KEY_NUMBER && l->keys[i].kind != KEY_CLASS)
			p = PROV_GIVEN;
		free(o->source);
		*o = (struct model_origin){ (enum provenance)p, xstrdup(source ? source : ""), true };
	}
	free(text);
	return ok;
}

static int on_line(void *user, const char *section, const char *name, const char *value)
{
	struct load *l = user;

	(void)section;
	if (l->e->text[0])
		return 1;
	if (!strcmp(name, "base")) {
		struct load sub = *l;
		sub.depth++;
		return load_file(&sub, value);
	}
	return set_key(l, name, value ? value : "");
}

static bool load_file(struct load *l, const char *name)
{
	struct buf b = { 0 };
	char *path = profile_path(l->kernel, name);
	int line;

	l->file = path;
	if (l->depth > BASE_DEPTH_MAX)
		err_set(l->e, "%s: base profiles nest too deep (a circle?)", path);
	else if (read_text(path, &b, l->e) && check_lines(path, b.data, l->e)) {
		line = ini_parse_string(b.data, on_line, l);
		if (line > 0)
			err_set(l->e, "%s:%d: neither a section, nor key = value, nor a comment", path, line);
	}
	buf_free(&b);
	free(path);
	l->file = name;
	return !l->e->text[0];
}

static bool set_defaults(struct load *l)
{
	for (size_t i = 0; i < l->n; i++)
		if (l->keys[i].fallback && !model_key_parse(&l->keys[i], l->profile, l->keys[i].fallback, l->e))
			return false;
	for (size_t i = 0; i < l->n; i++)
		l->origin[i].source = xstrdup("");
	return true;
}

/* Does a profile of that name exist?  If not, say which ones do. */
static bool check_name(bool kernel, const char *name, struct err *e)
{
	char *path = profile_path(kernel, name);
	bool ok = access(path, F_OK) == 0 || strchr(name, '/') || strstr(name, ".ini");
	model_names all = { 0 };
	struct buf b = { 0 };
	char *dir;

	free(path);
	if (ok)
		return true;
	if (!model_list(kernel, &all, e))
		return false;
	for (size_t i = 0; i < all.n; i++)
		buf_printf(&b, "%s%s", i ? ", " : "", all.at[i]);
	dir = model_dir();
	if (all.n)
		err_set(e, "no %s profile '%s'; there are %s", kernel ? "kernel" : "CPU", name, b.data);
	else
		err_set(e, "no %s profile '%s' in %s (VSYSEMU_MODELS names another place)",
			kernel ? "kernel" : "CPU", name, dir);
	free(dir);
	buf_free(&b);
	model_names_free(&all);
	return false;
}

static bool load_profile(struct load *l, const char *name)
{
	l->origin = xcalloc(l->n, sizeof(*l->origin));
	if (!*name || (name[0] == '.' && !strchr(name, '/')))
		return err_set(l->e, "no %s profile '%s'", l->kernel ? "kernel" : "CPU", name);
	if (!check_name(l->kernel, name, l->e) || !set_defaults(l) || !load_file(l, name))
		return false;
	for (size_t i = 0; i < l->n; i++)
		if (!l->keys[i].fallback && !l->origin[i].present)
			return err_set(l->e, "%s: key '%s' is missing (%s)", name, l->keys[i].name,
				       l->keys[i].meaning);
	return true;
}

/* "x/sandybridge.ini" is shown as it was given, a name as a name. */
struct cpu_model *cpu_model_load(const char *name, struct err *e)
{
	struct cpu_model *c = xcalloc(1, sizeof(*c));
	struct load l = { .profile = c, .e = e };

	l.keys = cpu_keys(&l.n);
	c->name = xstrdup(name);
	bool ok = load_profile(&l, name);
	c->origin = l.origin;
	if (ok)
		return c;
	cpu_model_free(c);
	return NULL;
}

static bool release_read(struct kernel_model *k, struct err *e)
{
	k->release_nr = k->release ? vdso_release(k->release) : 0;
	return k->release_nr || err_set(e, "%s: release '%s' does not begin with MAJOR.MINOR", k->name,
					k->release ? k->release : "");
}

struct kernel_model *kernel_model_load(const char *name, struct err *e)
{
	struct kernel_model *k = xcalloc(1, sizeof(*k));
	struct load l = { .kernel = true, .profile = k, .e = e };

	l.keys = kernel_keys(&l.n);
	k->name = xstrdup(name);
	bool ok = load_profile(&l, name);
	k->origin = l.origin;
	ok = ok && release_read(k, e);
	for (unsigned i = 0; ok && i < k->modes; i++)
		if (!vsysemu_mode_valid(k->rules.era, k->mode[i]))
			ok = err_set(e, "%s: era %s has no mode %s", name, kernel_model_era(k),
				     vsysemu_mode_name(k->mode[i]));
	if (ok)
		return k;
	kernel_model_free(k);
	return NULL;
}

static void free_keys(const struct model_key *keys, size_t n, void *p, struct model_origin *o)
{
	for (size_t i = 0; i < n; i++) {
		if (keys[i].kind == KEY_TEXT)
			free(*(char **)(void *)((char *)p + keys[i].offset));
		if (o)
			free(o[i].source);
	}
	free(o);
}

void cpu_model_free(struct cpu_model *c)
{
	size_t n;
	const struct model_key *keys = cpu_keys(&n);

	if (!c)
		return;
	free_keys(keys, n, c, c->origin);
	free(c->name);
	free(c);
}

void kernel_model_free(struct kernel_model *k)
{
	size_t n;
	const struct model_key *keys = kernel_keys(&n);

	if (!k)
		return;
	free_keys(keys, n, k, k->origin);
	free(k->name);
	free(k);
}

bool model_set(struct cpu_model *c, struct kernel_model *k, const char *text, struct err *e)
{
	const char *eq = strchr(text, '=');
	bool cpu = !strncmp(text, "cpu.", 4), kernel = !strncmp(text, "kernel.", 7);
	struct load l = { .e = e, .file = "--set" };
	struct buf value = { 0 };
	char *key;
	bool ok;

	if (!eq || (!cpu && !kernel))
		return err_set(e, "--set takes cpu.KEY=VALUE or kernel.KEY=VALUE, not '%s'", text);
	if ((cpu && !c) || (kernel && !k))
		return err_set(e, "--set: '%s' has no effect here", text);
	key = xstrndup(text + (cpu ? 4 : 7), (size_t)(eq - text) - (cpu ? 4 : 7));
	l.kernel = kernel;
	l.profile = cpu ? (void *)c : (void *)k;
	l.keys = cpu ? cpu_keys(&l.n) : kernel_keys(&l.n);
	l.origin = cpu ? c->origin : k->origin;
	buf_printf(&value, "%s", eq + 1);
	if (strchr(value.data, '|'))
		ok = err_set(e, "--set: '%s': a value holds no |", text);
	else {
		buf_printf(&value, " | given | --set");
		ok = set_key(&l, key, value.data) && (!kernel || release_read(k, e));
	}
	free(key);
	buf_free(&value);
	return ok;
}

static int by_version(const void *a, const void *b)
{
	return strverscmp(*(char *const *)a, *(char *const *)b);
}

bool model_list(bool kernel, model_names *out, struct err *e)
{
	char *dir = model_dir();
	struct buf b = { 0 };
	DIR *d;
	struct dirent *de;

	buf_printf(&b, "%s/%s", dir, kernel ? "kernel" : "cpu");
	free(dir);
	d = opendir(b.data);
	if (!d) {
		err_set(e, "%s: %s (VSYSEMU_MODELS names another place)", b.data, strerror(errno));
		buf_free(&b);
		return false;
	}
	while ((de = readdir(d))) {
		size_t n = strlen(de->d_name);
		if (n > 4 && de->d_name[0] != '.' && !strcmp(de->d_name + n - 4, ".ini"))
			VEC_PUSH(out, xstrndup(de->d_name, n - 4));
	}
	closedir(d);
	buf_free(&b);
	if (out->n)
		qsort(out->at, out->n, sizeof(*out->at), by_version);
	return true;
}

void model_names_free(model_names *n)
{
	for (size_t i = 0; i < n->n; i++)
		free(n->at[i]);
	VEC_FREE(n);
}
