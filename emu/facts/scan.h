/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Does a file use the vsyscall page?  Bytes in, findings out: a raw search for the page's addresses
 * first, then decoding and flow analysis only around hits.  Nothing is executed.  Pure.
 */
#ifndef VSYSEMU_FACTS_SCAN_H
#define VSYSEMU_FACTS_SCAN_H

#include "base/buf.h"
#include "base/types.h"

/* From harmless to bad; the file's verdict is that of its worst finding. */
enum scan_verdict { SCAN_CLEAN, SCAN_READS, SCAN_MAY_CALL, SCAN_CALLS, SCAN_UNREADABLE };

struct scan_finding {
	gaddr address; /* virtual address of the instruction or word */
	enum scan_verdict verdict; /* what this finding alone would say */
	const char *kind; /* static: "call", "fallback-call", "stored-pointer", "resolver", "read",
			   * "compare", "argument", "word" */
	unsigned entries; /* bits: 1 gettimeofday, 2 time, 4 getcpu, 8 another offset or unknown */
	char *symbol; /* nearest function; owned; NULL: none known */
	uint64_t symbol_offset;
	char *member; /* of an ar archive; owned; NULL: none */
};

struct scan_result {
	enum scan_verdict verdict;
	const char *why; /* static: of UNREADABLE, or a note; NULL */
	bool elf; /* an ELF file or an archive of such */
	char libc[48]; /* "glibc 2.12", "dietlibc", ...; empty: not seen */
	char *interp; /* owned; NULL: static or a library */
	char *soname; /* owned; NULL */
	char *runpath; /* owned; NULL */
	bool rpath; /* @runpath is DT_RPATH */
	VEC(char *) needed; /* owned */
	VEC(struct scan_finding) findings; /* sorted by address; the same place once */
};

/* Scan @n bytes.  Fills @r; free with scan_free. */
void scan_bytes(const uint8_t *bytes, size_t n, struct scan_result *r);
void scan_free(struct scan_result *r);

const char *scan_verdict_name(enum scan_verdict v);
/* The name of the lowest entry in @entries: "gettimeofday", "time", "getcpu", "unknown". */
const char *scan_entry_name(unsigned entries);

/* The next offset at or after @from where a word of interest starts, or SIZE_MAX.  Exported for the
 * benchmark: it is what runs on every byte. */
size_t scan_next_hit(const uint8_t *bytes, size_t n, size_t from);

#endif
