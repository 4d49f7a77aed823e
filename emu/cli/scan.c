/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `vsysemu scan`: which files of a tree use the vsyscall page, without running them. */
#include "cli/scan.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/output.h"
#include "cli/verbs.h"

#define NAMED SIZE_MAX

struct work {
	struct scan_run *run;
	VEC(char *) paths;
	VEC(size_t) root; /* of the tree it was found in: characters of its path; NAMED: no tree */
	size_t next;
	size_t progress_step;
};

struct scan_item *scan_item_new(const char *path)
{
	struct scan_item *i = xcalloc(1, sizeof(*i));

	i->path = xstrdup(path);
	i->where = i->path;
	return i;
}

void scan_keep(struct scan_run *s, struct scan_item *item)
{
	pthread_mutex_lock(&s->lock);
	VEC_PUSH(&s->items, item);
	pthread_mutex_unlock(&s->lock);
}

static void keep_unreadable(struct scan_run *s, const char *path, const char *why)
{
	struct scan_item *i = scan_item_new(path);

	i->result.verdict = SCAN_UNREADABLE;
	i->result.why = why;
	scan_keep(s, i);
}

/* Bytes of a file that may shrink while it is read: pread into a buffer, never a mapping that could
 * raise SIGBUS; large files that do not look like ELF are left after their first block. */
static bool slurp(int fd, size_t size, struct buf *b)
{
	b->data = xrealloc(b->data, size + 16);
	b->cap = size + 16;
	while (b->len < size) {
		ssize_t n = pread(fd, b->data + b->len, size - b->len, (off_t)b->len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		if (n == 0)
			break;
		b->len += (size_t)n;
	}
	return true;
}

static bool worth_reading(const uint8_t *head, size_t n)
{
	return (n >= 4 && !memcmp(head, "\177ELF", 4)) || (n >= 8 && !memcmp(head, "!<arch>\n", 8));
}

static void scan_file(struct scan_run *s, const char *path, size_t root, struct buf *b)
{
	bool operand = root == NAMED;
	uint8_t head[512];
	struct scan_item *item;
	struct stat st;
	const char *why = NULL;
	ssize_t n = 0;
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);

	if (fd < 0 || fstat(fd, &st) || (S_ISREG(st.st_mode) && (n = pread(fd, head, sizeof(head), 0)) < 0)) {
		keep_unreadable(s, path, strerror(errno));
		if (fd >= 0)
			close(fd);
		return;
	}
	__atomic_add_fetch(&s->bytes_seen, (uint64_t)st.st_size, __ATOMIC_RELAXED);
	if (S_ISREG(st.st_mode) && worth_reading(head, (size_t)n)) {
		item = scan_item_new(path);
		item->operand = operand;
		item->where = item->path + (operand ? 0 : root);
		b->len = 0;
		if (slurp(fd, (size_t)st.st_size, b)) {
			scan_bytes((const uint8_t *)b->data, b->len, &item->result);
		} else {
			item->result.verdict = SCAN_UNREADABLE;
			item->result.why = strerror(errno);
		}
		scan_keep(s, item);
	} else if (S_ISREG(st.st_mode) && operand && scan_is_archive(head, (size_t)n)) {
		if (!scan_archive(s, path, &why))
			keep_unreadable(s, path, why);
	} else if (operand) {
		item = scan_item_new(path);
		item->operand = true;
		item->result.why = S_ISREG(st.st_mode) ? "not an ELF file" : "not a regular file";
		scan_keep(s, item);
	}
	close(fd);
}

static void *worker(void *arg)
{
	struct work *w = arg;
	struct buf b = { 0 };

	for (;;) {
		size_t i = __atomic_fetch_add(&w->next, 1, __ATOMIC_RELAXED);

		if (i >= w->paths.n)
			break;
		if (w->run->progress && i % 64 == 0)
			fprintf(stderr, "\rscan: %zu of %zu files ", i, w->paths.n);
		scan_file(w->run, w->paths.at[i], w->root.at[i], &b);
	}
	buf_free(&b);
	return NULL;
}

static void want(struct work *w, const char *path, size_t root)
{
	VEC_PUSH(&w->paths, xstrdup(path));
	VEC_PUSH(&w->root, root);
}

static void want_tree(struct work *w, char *dir)
{
	char *roots[] = { dir, NULL };
	FTS *t = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
	size_t root = strlen(dir);
	FTSENT *f;

	while (root && dir[root - 1] == '/')
		root--;
	while (t && (f = fts_read(t))) {
		if (f->fts_info == FTS_F)
			want(w, f->fts_path, root);
		else if (f->fts_info == FTS_DNR || f->fts_info == FTS_ERR || f->fts_info == FTS_NS)
			keep_unreadable(w->run, f->fts_path, strerror(f->fts_errno));
	}
	if (t)
		fts_close(t);
}

static void want_operand(struct work *w, char *path)
{
	struct stat st;

	if (stat(path, &st))
		keep_unreadable(w->run, path, strerror(errno));
	else if (S_ISDIR(st.st_mode))
		want_tree(w, path);
	else
		want(w, path, NAMED);
}

static bool want_list(struct work *w, const char *file, struct err *e)
{
	FILE *f = strcmp(file, "-") ? fopen(file, "re") : stdin;
	char *line = NULL;
	size_t cap = 0;

	if (!f)
		return err_set(e, "--files0-from: cannot read '%s': %s", file, strerror(errno));
	while (getdelim(&line, &cap, 0, f) > 0)
		want_operand(w, line);
	free(line);
	if (f != stdin)
		fclose(f);
	return true;
}

static int by_path(const void *pa, const void *pb)
{
	const struct scan_item *const *a = pa, *const *b = pb;
	int l = strcmp((*a)->layer ? (*a)->layer : "", (*b)->layer ? (*b)->layer : "");

	return l ? l : strcmp((*a)->path, (*b)->path);
}

static int status_of(const struct scan_run *s)
{
	int status = 0;

	for (size_t i = 0; i < s->items.n; i++) {
		enum scan_verdict v = s->items.at[i]->result.verdict;

		if (v == SCAN_UNREADABLE)
			return 2;
		if (v == SCAN_CALLS || v == SCAN_MAY_CALL)
			status = 1;
	}
	return status;
}

static void run_jobs(struct work *w, unsigned jobs)
{
	pthread_t t[64];
	unsigned n = 0;

	while (n + 1 < jobs && n < ARRAY_SIZE(t) && !pthread_create(&t[n], NULL, worker, w))
		n++;
	worker(w);
	while (n)
		pthread_join(t[--n], NULL);
	if (w->run->progress)
		fputs("\r\033[K", stderr);
}

static void release(struct scan_run *s, struct work *w)
{
	for (size_t i = 0; i < s->items.n; i++) {
		scan_free(&s->items.at[i]->result);
		VEC_FREE(&s->items.at[i]->blamed);
		free(s->items.at[i]->layer);
		free(s->items.at[i]->path);
		free(s->items.at[i]);
	}
	VEC_FREE(&s->items);
	scan_kernels_free(s);
	for (size_t i = 0; i < w->paths.n; i++)
		free(w->paths.at[i]);
	VEC_FREE(&w->paths);
	VEC_FREE(&w->root);
}

int cli_scan(const struct options *o, struct err *e)
{
	struct scan_run s = { .lock = PTHREAD_MUTEX_INITIALIZER,
			      .progress = o->progress_on && isatty(STDERR_FILENO) };
	struct work w = { .run = &s };
	const char *form = o->report ? o->report : "text";
	struct buf out = { 0 };
	char *end = NULL;
	long jobs = o->jobs ? strtol(o->jobs, &end, 10) : sysconf(_SC_NPROCESSORS_ONLN);
	int status;

	if (o->jobs && (*end || jobs < 1 || jobs > 64))
		return err_set(e, "--jobs takes a number from 1 to 64, not '%s'", o->jobs);
	if (!strcmp(form, "trace") || !strcmp(form, "folded"))
		return err_set(e, "scan has no report form %s: text, json, csv, sarif, html, none", form);
	if (!o->argc && !o->files0_from)
		return err_set(e, "scan needs a PATH (see vsysemu scan --help)");
	for (int i = 0; i < o->argc; i++)
		want_operand(&w, o->argv[i]);
	if (o->files0_from && !want_list(&w, o->files0_from, e)) {
		release(&s, &w);
		return 2;
	}
	run_jobs(&w, (unsigned)jobs);
	if (s.items.n)
		qsort(s.items.at, s.items.n, sizeof(*s.items.at), by_path);
	scan_blame(&s);
	scan_kernels(&s);
	if (strcmp(form, "none"))
		scan_report(&s, form, &out);
	status = status_of(&s);
	if ((!o->quiet_on || o->output) && !output_write(o->output ? o->output : "-", &out, e))
		status = 2;
	buf_free(&out);
	release(&s, &w);
	return status;
}
