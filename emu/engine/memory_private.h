/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What memory.c and memory_copy.c share. */
#ifndef VSYSEMU_ENGINE_MEMORY_PRIVATE_H
#define VSYSEMU_ENGINE_MEMORY_PRIVATE_H

#include "engine/memory.h"
#include "engine/vmas.h"

/* A sanitizer's shadow lies inside the window: that part is left out. */
#if defined(__SANITIZE_ADDRESS__)
#define HOLE_START ((gaddr)0x7fff7000)
#define HOLE_END ((gaddr)0x10007fff8000)
#endif

struct memory {
	struct engine *engine; /* not owned */
	struct vmas vmas;
	gaddr brk_start, brk, mmap_top;
	int self_mem; /* /proc/self/mem: access past protections; -1: none */
};

/* Tell the engine that code in [@start, @end) is not what it was. */
void memory_forget(struct memory *m, gaddr start, gaddr end);

#endif
