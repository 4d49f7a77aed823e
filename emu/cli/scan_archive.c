/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Archives and container images for `vsysemu scan` (libarchive): a tar of a tree, a `docker save`
 * archive, an OCI image; compressed or not, read as a stream.  Layers are put in the order of the
 * image's manifest, and what an upper layer replaces or whites out is left out.  OCI image-spec,
 * layer.md (whiteouts), image-layout.md; docker's manifest.json.
 */
#include "cli/scan.h"

#include <archive.h>
#include <archive_entry.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cli/json.h"

#define PEEK 512
#define JSON_MAX (4u << 20)
#define FILE_MAX (2048ull << 20)

struct member {
	char *path;
	struct scan_item *item; /* NULL: nothing to tell of it */
	bool dir;
	char *target; /* of a hard link: the other name; owned; NULL: no link */
};

struct layer {
	char *name;
	VEC(struct member) entries;
	bool ordered;
};

struct document {
	char *name;
	struct buf text;
};

struct image {
	struct scan_run *run;
	const char *path;
	VEC(struct layer *) layers;
	VEC(struct document) documents;
	const char *why;
};

/* A nested archive inside an entry of the outer one: its first bytes were read already. */
struct nested {
	struct archive *outer;
	uint8_t peek[PEEK];
	size_t peek_n;
	bool peeked;
	uint8_t block[65536];
};

bool scan_is_archive(const uint8_t *h, size_t n)
{
	return (n >= 262 && !memcmp(h + 257, "ustar", 5)) || (n >= 2 && h[0] == 0x1f && h[1] == 0x8b) ||
	       (n >= 6 && !memcmp(h, "\xfd"
				     "7zXZ",
				  5)) ||
	       (n >= 4 && !memcmp(h, "\x28\xb5\x2f\xfd", 4)) || (n >= 3 && !memcmp(h, "BZh", 3)) ||
	       (n >= 4 && !memcmp(h, "PK\3\4", 4)) || (n >= 6 && !memcmp(h, "070701", 6));
}

static const char *clean_path(const char *p)
{
	while (*p == '/' || (p[0] == '.' && p[1] == '/'))
		p++;
	return p;
}

static la_ssize_t nested_read(struct archive *a, void *ctx, const void **out)
{
	struct nested *n = ctx;

	(void)a;
	if (!n->peeked) {
		n->peeked = true;
		*out = n->peek;
		return (la_ssize_t)n->peek_n;
	}
	*out = n->block;
	return archive_read_data(n->outer, n->block, sizeof(n->block));
}

/* The rest of an entry after its first @n bytes. */
static bool read_rest(struct archive *a, const uint8_t *head, size_t n, uint64_t max, struct buf *b)
{
	char block[65536];
	la_ssize_t got;

	buf_add(b, head, n);
	while ((got = archive_read_data(a, block, sizeof(block))) > 0) {
		if (b->len + (size_t)got > max)
			return false;
		buf_add(b, block, (size_t)got);
	}
	return got == 0;
}

static struct layer *layer_new(struct image *im, const char *name)
{
	struct layer *l = xcalloc(1, sizeof(*l));

	l->name = xstrdup(name);
	VEC_PUSH(&im->layers, l);
	return l;
}

static void one_file(struct image *im, struct layer *l, struct archive *a, const char *path,
		     const uint8_t *head, size_t n)
{
	struct scan_item *item;
	struct buf b = { 0 };
	struct buf name = { 0 };

	if (n < 8 || (memcmp(head, "\177ELF", 4) && memcmp(head, "!<arch>\n", 8))) {
		VEC_PUSH(&l->entries, ((struct member){ xstrdup(path), NULL, false, NULL }));
		return;
	}
	buf_printf(&name, "%s!%s", im->path, path);
	item = scan_item_new(name.data);
	item->where = item->path + strlen(im->path) + 1;
	if (l->name[0])
		item->layer = xstrdup(l->name);
	if (read_rest(a, head, n, FILE_MAX, &b)) {
		scan_bytes((const uint8_t *)b.data, b.len, &item->result);
	} else {
		item->result.verdict = SCAN_UNREADABLE;
		item->result.why = "cannot be read from the archive";
	}
	__atomic_add_fetch(&im->run->bytes_seen, b.len, __ATOMIC_RELAXED);
	VEC_PUSH(&l->entries, ((struct member){ xstrdup(path), item, false, NULL }));
	buf_free(&b);
	buf_free(&name);
}

static bool walk(struct image *im, struct layer *l, struct archive *a, int depth);

static bool one_nested(struct image *im, struct archive *a, const char *path, const uint8_t *head,
		       size_t n, int depth)
{
	struct nested *in = xcalloc(1, sizeof(*in));
	struct archive *inner = archive_read_new();
	size_t layers = im->layers.n;
	bool good;

	in->outer = a;
	in->peek_n = n;
	memcpy(in->peek, head, n);
	archive_read_support_filter_all(inner);
	archive_read_support_format_all(inner);
	good = archive_read_open(inner, in, NULL, nested_read, NULL) == ARCHIVE_OK;
	/* A lone compressed file (foo.gz) is no archive; that is no error. */
	if (good && !walk(im, layer_new(im, path), inner, depth + 1) &&
	    !im->layers.at[layers]->entries.n)
		im->why = NULL;
	archive_read_free(inner);
	free(in);
	return good;
}

static void one_entry(struct image *im, struct layer *l, struct archive *a, struct archive_entry *e,
		      int depth)
{
	const char *raw = archive_entry_pathname(e);
	const char *path = clean_path(raw ? raw : "?");
	uint8_t head[PEEK];
	size_t n = 0;
	la_ssize_t got;

	if (!S_ISREG(archive_entry_mode(e)) || archive_entry_hardlink(e)) {
		const char *to = archive_entry_hardlink(e);

		VEC_PUSH(&l->entries,
			 ((struct member){ xstrdup(path), NULL, S_ISDIR(archive_entry_mode(e)),
					   to ? xstrdup(clean_path(to)) : NULL }));
		return;
	}
	while (n < PEEK && (got = archive_read_data(a, head + n, PEEK - n)) > 0)
		n += (size_t)got;
	if (depth < 2 && scan_is_archive(head, n)) {
		one_nested(im, a, path, head, n, depth);
	} else if (depth == 0 && n && (head[0] == '{' || head[0] == '[')) {
		struct document d = { xstrdup(path), { 0 } };

		read_rest(a, head, n, JSON_MAX, &d.text);
		VEC_PUSH(&im->documents, d);
	} else {
		one_file(im, l, a, path, head, n);
	}
}

static bool walk(struct image *im, struct layer *l, struct archive *a, int depth)
{
	struct archive_entry *e;
	int r;

	while ((r = archive_read_next_header(a, &e)) == ARCHIVE_OK || r == ARCHIVE_WARN)
		one_entry(im, l, a, e, depth);
	if (r != ARCHIVE_EOF)
		im->why = "a broken or truncated archive";
	return r == ARCHIVE_EOF;
}

static const struct document *document(const struct image *im, const char *name)
{
	for (size_t i = 0; i < im->documents.n; i++)
		if (!strcmp(im->documents.at[i].name, name))
			return &im->documents.at[i];
	return NULL;
}

static void order_layer(struct image *im, const char *name, size_t *at)
{
	for (size_t i = *at; name && i < im->layers.n; i++)
		if (!strcmp(im->layers.at[i]->name, clean_path(name))) {
			struct layer *l = im->layers.at[i];

			memmove(&im->layers.at[*at + 1], &im->layers.at[*at], (i - *at) * sizeof(l));
			im->layers.at[*at] = l;
			l->ordered = true;
			(*at)++;
			return;
		}
}

static void order_docker(struct image *im, const struct json *manifest, size_t *at)
{
	for (size_t m = 0; m < json_count(manifest); m++) {
		const struct json *layers = json_get(json_at(manifest, m), "Layers");

		for (size_t i = 0; i < json_count(layers); i++)
			order_layer(im, json_string_of(json_at(layers, i)), at);
	}
}

static void blob_name(const char *digest, char *out, size_t cap)
{
	const char *colon = digest ? strchr(digest, ':') : NULL;

	if (colon)
		snprintf(out, cap, "blobs/%.*s/%s", (int)(colon - digest), digest, colon + 1);
	else
		out[0] = 0;
}

/* index.json -> manifests (perhaps through another index) -> layers. */
static void order_oci(struct image *im, const struct json *index, size_t *at, int depth)
{
	const struct json *list = json_get(index, "manifests"), *layers = json_get(index, "layers");
	char name[256];

	for (size_t i = 0; i < json_count(layers); i++) {
		blob_name(json_string_of(json_get(json_at(layers, i), "digest")), name, sizeof(name));
		order_layer(im, name, at);
	}
	for (size_t i = 0; i < json_count(list) && depth < 4; i++) {
		const struct document *d;
		struct json *j;
		struct err ignored = { .text = "" };

		blob_name(json_string_of(json_get(json_at(list, i), "digest")), name, sizeof(name));
		d = document(im, name);
		j = d ? json_parse(d->text.data, d->text.len, &ignored) : NULL;
		if (j)
			order_oci(im, j, at, depth + 1);
		json_drop(j);
	}
}

static bool order_layers(struct image *im)
{
	const struct document *d = document(im, "manifest.json"), *x = document(im, "index.json");
	struct err ignored = { .text = "" };
	struct json *j = d ? json_parse(d->text.data, d->text.len, &ignored) : NULL;
	size_t at = 0;

	if (j)
		order_docker(im, j, &at);
	json_drop(j);
	j = !at && x ? json_parse(x->text.data, x->text.len, &ignored) : NULL;
	if (j)
		order_oci(im, j, &at, 0);
	json_drop(j);
	return at > 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(a, b);
}

static void cover(void **set, char kind, const char *path, size_t n)
{
	struct buf key = { 0 };
	char **found;

	buf_printf(&key, "%c%.*s", kind, (int)n, path);
	found = tsearch(key.data, set, compare);
	if (!found || *found != key.data)
		buf_free(&key); /* was there */
}

static bool covered(void *const *set, char kind, const char *path, size_t n)
{
	struct buf key = { 0 };
	bool is;

	buf_printf(&key, "%c%.*s", kind, (int)n, path);
	is = tfind(key.data, set, compare) != NULL;
	buf_free(&key);
	return is;
}

/* Is @path hidden by what upper layers hold? */
static bool hidden(void *const *set, const char *path)
{
	if (covered(set, 'F', path, strlen(path)) || covered(set, 'O', "", 0))
		return true;
	for (const char *s = strchr(path, '/'); s; s = strchr(s + 1, '/'))
		if (covered(set, 'F', path, (size_t)(s - path)) ||
		    covered(set, 'O', path, (size_t)(s - path)))
			return true;
	return false;
}

/* What this layer puts over the lower ones: its files, its whiteouts, its opaque folders. */
static void cover_layer(void **set, const struct layer *l)
{
	for (size_t i = 0; i < l->entries.n; i++) {
		const char *p = l->entries.at[i].path, *base = strrchr(p, '/');
		size_t dir = base ? (size_t)(base - p) : 0;

		base = base ? base + 1 : p;
		if (!strcmp(base, ".wh..wh..opq")) {
			cover(set, 'O', p, dir);
		} else if (!strncmp(base, ".wh.", 4)) {
			struct buf b = { 0 };

			buf_printf(&b, "%.*s%s%s", (int)dir, p, dir ? "/" : "", base + 4);
			cover(set, 'F', b.data, b.len);
			buf_free(&b);
		} else if (!l->entries.at[i].dir) {
			cover(set, 'F', p, strlen(p));
		}
	}
}

static void drop_item(struct scan_item *i)
{
	scan_free(&i->result);
	free(i->layer);
	free(i->path);
	free(i);
}

/* The file of entry @at is gone under its own name: it goes on under that of a hard link that is still
 * there.  False: none is. */
static bool by_another_name(const struct image *im, void *const *set, const struct layer *l, size_t at)
{
	for (size_t i = 0; i < l->entries.n; i++) {
		const struct member *m = &l->entries.at[i];
		struct scan_item *item = l->entries.at[at].item;
		struct buf name = { 0 };

		if (!m->target || strcmp(m->target, l->entries.at[at].path) || hidden(set, m->path))
			continue;
		buf_printf(&name, "%s!%s", im->path, m->path);
		free(item->path);
		item->path = name.data;
		item->where = item->path + strlen(im->path) + 1;
		return true;
	}
	return false;
}

static void publish(struct image *im, bool is_image)
{
	void *set = NULL;

	/* Upper layers come last in a manifest. */
	for (size_t k = im->layers.n; k-- > 0;) {
		struct layer *l = im->layers.at[k];

		for (size_t i = 0; i < l->entries.n; i++) {
			struct scan_item *item = l->entries.at[i].item;

			if (item && is_image && l->ordered && hidden(&set, l->entries.at[i].path) &&
			    !by_another_name(im, &set, l, i))
				drop_item(item);
			else if (item)
				scan_keep(im->run, item);
		}
		if (is_image && l->ordered)
			cover_layer(&set, l);
	}
	tdestroy(set, free);
}

static void release(struct image *im)
{
	for (size_t k = 0; k < im->layers.n; k++) {
		for (size_t i = 0; i < im->layers.at[k]->entries.n; i++) {
			free(im->layers.at[k]->entries.at[i].target);
			free(im->layers.at[k]->entries.at[i].path);
		}
		VEC_FREE(&im->layers.at[k]->entries);
		free(im->layers.at[k]->name);
		free(im->layers.at[k]);
	}
	for (size_t i = 0; i < im->documents.n; i++) {
		free(im->documents.at[i].name);
		buf_free(&im->documents.at[i].text);
	}
	VEC_FREE(&im->layers);
	VEC_FREE(&im->documents);
}

bool scan_archive(struct scan_run *s, const char *path, const char **why)
{
	struct image im = { .run = s, .path = path };
	struct archive *a = archive_read_new();
	bool good;

	if (!a) {
		*why = "libarchive cannot be loaded";
		return false;
	}
	archive_read_support_filter_all(a);
	archive_read_support_format_all(a);
	good = archive_read_open_filename(a, path, 1 << 16) == ARCHIVE_OK;
	if (!good)
		im.why = "not an archive that can be read";
	else
		walk(&im, layer_new(&im, ""), a, 0);
	archive_read_free(a);
	publish(&im, order_layers(&im));
	release(&im);
	*why = im.why;
	return !im.why;
}
