/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Guest memory: one window [WINDOW_START, WINDOW_END) where guest address = host address, with our
 * own ordered list of mappings beside the host's.  mmap and friends are host calls bounded to the
 * window.  Nothing here knows ELF or signals.  Rules: Linux mm/mmap.c, mm/mprotect.c, mremap.c.
 */
#ifndef VSYSEMU_ENGINE_MEMORY_H
#define VSYSEMU_ENGINE_MEMORY_H

#include <sys/types.h>

#include "base/err.h"
#include "base/types.h"

struct engine;
struct memory;

/* One mapping, as a line of /proc/self/maps shows it. */
struct vma {
	gaddr start, end; /* bytes; page aligned */
	int prot; /* PROT_*, as the guest asked for (the host's may differ for code) */
	int flags; /* MAP_SHARED or MAP_PRIVATE, MAP_ANONYMOUS, MAP_GROWSDOWN, MAP_NORESERVE, MAP_STACK */
	uint64_t offset; /* file offset of @start */
	dev_t dev;
	ino_t ino;
	const char *name; /* path, "[heap]", "[stack]", "[vdso]", "[vvar]"...; owned; NULL: none */
};

/* Reserve the window (checks that nothing of the host lies inside; re-execs nothing itself). */
struct memory *memory_new(struct err *e);
/* Unmap everything of the guest (execve). */
void memory_clear(struct memory *m);
void memory_free(struct memory *m);
/* In a forked child: what was opened on the parent's address space is opened on the child's. */
void memory_forked(struct memory *m);
/* Whom to tell of vanished code; NULL: nobody. */
void memory_set_engine(struct memory *m, struct engine *e);

/* The system calls.  Negative errno or the result; arguments as Linux takes them, pointers outside
 * the window and wrap-arounds give Linux's error.  mmap without a hint goes top-down below
 * memory_mmap_base; MAP_FIXED outside the window: -ENOMEM. */
int64_t memory_mmap(struct memory *m, gaddr addr, uint64_t len, int prot, int flags, int fd,
		    uint64_t offset);
int64_t memory_munmap(struct memory *m, gaddr addr, uint64_t len);
int64_t memory_mprotect(struct memory *m, gaddr addr, uint64_t len, int prot);
int64_t memory_mremap(struct memory *m, gaddr old, uint64_t old_len, uint64_t new_len, int flags,
		      gaddr new_addr);
int64_t memory_madvise(struct memory *m, gaddr addr, uint64_t len, int advice);
int64_t memory_brk(struct memory *m, gaddr addr); /* the new (or unchanged) break */

void memory_set_brk(struct memory *m, gaddr start); /* at exec: heap begins here */
void memory_set_mmap_base(struct memory *m, gaddr top); /* mappings go below */
/* Name a range for /proc/self/maps ("[stack]"); splits nothing. */
void memory_set_name(struct memory *m, gaddr start, const char *name);

/* The mapping that contains @a, or the first above it, or NULL. */
const struct vma *memory_find(const struct memory *m, gaddr a);
const struct vma *memory_next(const struct memory *m, const struct vma *v); /* NULL: first */
size_t memory_count(const struct memory *m);

/*
 * Copies between host and guest memory that survive any guest address, as the kernel's
 * copy_from_user does: the number of bytes NOT copied is returned (0: all).  They honour the
 * guest's protections, and stores into translated code are noticed.
 */
size_t memory_read(struct memory *m, void *dst, gaddr src, size_t n);
size_t memory_write(struct memory *m, gaddr dst, const void *src, size_t n);
/* Like memory_read/memory_write, but ignore protections (loader, ptrace-like access). */
size_t memory_peek(struct memory *m, void *dst, gaddr src, size_t n);
size_t memory_poke(struct memory *m, gaddr dst, const void *src, size_t n);
/* A NUL-terminated string of at most @cap - 1 bytes: length, -EFAULT or -ENAMETOOLONG. */
int64_t memory_read_string(struct memory *m, char *dst, gaddr src, size_t cap);
/* What went wrong at the byte where a copy ended: the hardware error code that the access would
 * have got (PF_U | PF_W...), and whether it was a SIGBUS. */
uint32_t memory_fault_code(struct memory *m, gaddr a, bool write, bool *bus);

/* True when [@a, @a + @n) lies inside the window: what every pointer that is passed on to the host
 * must satisfy.  n = 0 is true for any @a below WINDOW_END. */
bool memory_in_window(gaddr a, uint64_t n);
/* The host pointer of a window address: for passing on to host system calls only. */
void *memory_host(gaddr a);
/* A host system call is about to write / has written into [@a, @a+@n): forget code there. */
void memory_written(struct memory *m, gaddr a, uint64_t n);

#endif
