/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * libarchive's functions as scan_archive.c calls them, loaded when the first one is called: the library and what it
 * needs in turn (XML, Unicode data, compressors) would cost every run as much as the rest of its start.
 * Prototypes are those of archive.h, which only scan_archive.c includes; a missing library is a missing archive.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <sys/types.h>

#define HIDDEN __attribute__((visibility("hidden")))
#define SONAME "libarchive.so.13"

static void *function(const char *name)
{
	void *lib = dlopen(SONAME, RTLD_LAZY | RTLD_LOCAL);

	return lib ? dlsym(lib, name) : NULL;
}

/* @name with parameters @params, called with @args; @none is the answer without the library. */
#define FORWARD(type, none, name, params, args) \
	HIDDEN type name params; \
	type name params \
	{ \
		type(*f) params; \
\
		*(void **)&f = function(#name); \
		return f ? f args : none; \
	}

struct archive;
struct archive_entry;
typedef ssize_t reader(struct archive *a, void *ctx, const void **out);
typedef int opener(struct archive *a, void *ctx);

FORWARD(struct archive *, NULL, archive_read_new, (void), ())
FORWARD(int, -30, archive_read_free, (struct archive *a), (a))
FORWARD(int, -30, archive_read_support_filter_all, (struct archive *a), (a))
FORWARD(int, -30, archive_read_support_format_all, (struct archive *a), (a))
FORWARD(int, -30, archive_read_open, (struct archive *a, void *ctx, opener *open, reader *read, opener *close),
	(a, ctx, open, read, close))
FORWARD(int, -30, archive_read_open_filename, (struct archive *a, const char *path, size_t block), (a, path, block))
FORWARD(int, -30, archive_read_next_header, (struct archive *a, struct archive_entry **e), (a, e))
FORWARD(ssize_t, -30, archive_read_data, (struct archive *a, void *p, size_t n), (a, p, n))
FORWARD(const char *, NULL, archive_entry_pathname, (struct archive_entry *e), (e))
FORWARD(const char *, NULL, archive_entry_hardlink, (struct archive_entry *e), (e))
FORWARD(mode_t, 0, archive_entry_mode, (struct archive_entry *e), (e))
