/* SPDX-License-Identifier: GPL-2.0-or-later */
/* All object files of a process, opened when first asked for: see image.h. */
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "facts/image.h"

struct entry {
	char *path; /* owned */
	struct image *image; /* owned; NULL: not usable */
};

struct images {
	VEC(struct entry) v;
};

struct images *images_new(void)
{
	return xcalloc(1, sizeof(struct images));
}

void images_free(struct images *s)
{
	if (!s)
		return;
	for (size_t i = 0; i < s->v.n; i++) {
		free(s->v.at[i].path);
		image_close(s->v.at[i].image);
	}
	VEC_FREE(&s->v);
	free(s);
}

struct image *images_get(struct images *s, const char *host_path)
{
	struct entry new;

	for (size_t i = 0; i < s->v.n; i++)
		if (!strcmp(s->v.at[i].path, host_path))
			return s->v.at[i].image;
	new.path = xstrdup(host_path);
	new.image = image_open(host_path);
	VEC_PUSH(&s->v, new);
	return new.image;
}

static bool is_file(const struct image_map *m)
{
	return m->path && m->path[0] == '/';
}

bool images_find(struct images *s, const struct image_map *map, size_t n, gaddr a,
		 struct image_place *p)
{
	struct image *i;
	gaddr at;

	memset(p, 0, sizeof(*p));
	for (; n && !(a >= map->start && a < map->end); map++)
		n--;
	if (!n || !is_file(map))
		return false;
	i = images_get(s, map->path);
	if (i && image_address(i, a - map->start + map->offset, &at))
		image_find(i, at, p);
	else
		p->offset = a - map->start + map->offset;
	p->object = map->path;
	return true;
}

/* "libc.so.6", "libc-2.31.so", "ld-musl-x86_64.so.1": one of the names a C library goes by. */
static bool is_libc(const char *path)
{
	const char *base = strrchr(path, '/') + 1;

	return !strncmp(base, "libc.so", 7) || !strncmp(base, "libc-", 5) ||
	       !strncmp(base, "ld-musl", 7) || !strncmp(base, "libc.musl", 9) ||
	       !strncmp(base, "libuClibc", 9);
}

/* That of the first mapped object with a C library's name. */
static const char *mapped_libc(struct images *s, const struct image_map *map, size_t n)
{
	for (size_t k = 0; k < n; k++) {
		struct image *i;

		if (!is_file(&map[k]) || !is_libc(map[k].path))
			continue;
		i = images_get(s, map[k].path);
		if (i && image_libc(i))
			return image_libc(i);
		if (strstr(map[k].path, "musl"))
			return "musl";
	}
	return NULL;
}

const char *images_libc(struct images *s, const char *host_path, const struct image_map *map,
			size_t n)
{
	struct image *i = images_get(s, host_path);
	const char *mapped = NULL;

	/* A dynamic program may well carry the words of a library that it is not linked with. */
	if (i && image_kind(i) == IMAGE_DYNAMIC)
		mapped = mapped_libc(s, map, n);
	return mapped || !i ? mapped : image_libc(i);
}
