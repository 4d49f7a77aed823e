/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the files behind a process say, for the report: kind of program, C library, symbol and source
 * line of an address, also from a separate file of debug information (by build-id under /usr/lib/debug, by
 * .gnu_debuglink beside the file, in .debug there, or under /usr/lib/debug).  The only user of libelf and
 * libdw.  Knows no guest: the caller gives the list of mappings.  Bad files give no answer, never a crash;
 * no file stays open.
 */
#ifndef VSYSEMU_FACTS_IMAGE_H
#define VSYSEMU_FACTS_IMAGE_H

#include "base/types.h"

enum image_kind { IMAGE_STATIC, IMAGE_STATIC_PIE, IMAGE_DYNAMIC };
/* "static", "static-pie", "dynamic" */
const char *image_kind_name(enum image_kind k);

/* One object file: opened once, asked often. */
struct image;
struct image *image_open(const char *host_path); /* NULL: not readable, no ELF file for x86-64 */
void image_close(struct image *i);

enum image_kind image_kind(const struct image *i);
/* "glibc 2.12", "musl"... by the strings in the file; NULL: none known. */
const char *image_libc(const struct image *i);

struct image_place {
	const char *object; /* path of the file as the mapping names it; NULL: address in no file */
	const char *symbol; /* nearest function at or below; NULL: none */
	uint64_t offset; /* from the symbol's start (without one: from the file's first address) */
	bool beyond; /* past the symbol's end: some function without a name, behind it */
	const char *file; /* source file as the compiler named it; NULL: not known */
	int line; /* 0: not known */
};
/* Symbol, offset and line of address @a of the file itself (no load bias).  Strings live as long as
 * the image; object is not set. */
void image_find(struct image *i, gaddr a, struct image_place *p);
/* Address in the file of byte @offset of it, false: that byte is not loaded. */
bool image_address(const struct image *i, uint64_t offset, gaddr *a);

/* A mapping as /proc/self/maps shows it. */
struct image_map {
	gaddr start, end;
	uint64_t offset; /* in the file, of @start */
	const char *path; /* host path; NULL or "[...]": no file */
};

/* Images opened so far, by path. */
struct images;
struct images *images_new(void);
void images_free(struct images *s);
/* The image of @host_path, opened at most once; NULL as image_open(). */
struct image *images_get(struct images *s, const char *host_path);
/* Where @a lies.  Strings live as long as @s and @map.  False: in no file (*p is zero). */
bool images_find(struct images *s, const struct image_map *map, size_t n, gaddr a,
		 struct image_place *p);
/* The C library of the program @host_path: when it is dynamic that of the first mapped object whose
 * name says libc, else (and failing that) what its own bytes say.  NULL: not known. */
const char *images_libc(struct images *s, const char *host_path, const struct image_map *map,
			size_t n);

#endif
