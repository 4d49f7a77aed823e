/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * `vsysemu scan`: the list of files to look at, the results, and how they are told.  facts/scan.h
 * knows what one file means; this knows trees, archives, container images and output.
 */
#ifndef VSYSEMU_CLI_SCAN_H
#define VSYSEMU_CLI_SCAN_H

#include <pthread.h>
#include <stdio.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/types.h"
#include "facts/policy.h"
#include "facts/scan.h"

/* A file that was looked at.  In an archive: path = ARCHIVE!MEMBER, layer = the image's layer. */
struct scan_item {
	char *path; /* owned */
	char *layer; /* owned; NULL: not in an image */
	char *where; /* path inside its tree, for finding libraries; points into path */
	struct scan_result result;
	VEC(size_t) blamed; /* items: libraries that it would load and that use the page */
	bool operand; /* named on the command line: told even if it is no ELF file */
};

/* A kernel profile and the mode that it boots with. */
struct scan_kernel {
	char *name; /* owned */
	enum vsysemu_mode mode;
};

struct scan_run {
	VEC(struct scan_item *) items;
	VEC(struct scan_kernel) kernels; /* sorted by release; empty: no profiles found */
	pthread_mutex_t lock; /* of items, while jobs run */
	uint64_t bytes_seen;
	bool progress;
};

/* Append @item (taken over).  Thread-safe. */
void scan_keep(struct scan_run *s, struct scan_item *item);
struct scan_item *scan_item_new(const char *path);

/* Does @head (the first @n bytes, 512 suffice) look like a tar, a compressed tar or a zip? */
bool scan_is_archive(const uint8_t *head, size_t n);
/* Scan the archive at @path: plain tree, docker save or OCI image.  False: @why (static). */
bool scan_archive(struct scan_run *s, const char *path, const char **why);

/* Which libraries each program would load from the scanned tree. */
void scan_blame(struct scan_run *s);

/* The least permissive mode under which the file works: "none", "xonly" or "emulate". */
const char *scan_needs(const struct scan_run *s, const struct scan_item *i);

/* What becomes of a file under a mode, once it does what it can do. */
enum scan_fate { SCAN_RUNS, SCAN_BREAKS_WITHOUT_VDSO, SCAN_BREAKS };

/* By the file itself and the libraries that it would load. */
enum scan_fate scan_fate(const struct scan_run *s, const struct scan_item *i, enum vsysemu_mode mode);
const char *scan_fate_name(enum scan_fate f); /* "runs", "breaks-without-vdso", "breaks" */
/* The profiles of models/kernel and the mode of each.  None that can be read: the list stays empty. */
void scan_kernels(struct scan_run *s);
void scan_kernels_free(struct scan_run *s);

/* Write all results in form "text", "json", "csv", "sarif" or "html". */
void scan_report(const struct scan_run *s, const char *form, struct buf *out);

#endif
