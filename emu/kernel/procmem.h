/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The guest's memory by other ways than its own instructions: /proc/self/mem and process_vm_readv.
 * What the vsyscall page answers here depends on kernel and mode (measured: 2.6.38 ... 6.18).
 */
#ifndef VSYSEMU_KERNEL_PROCMEM_H
#define VSYSEMU_KERNEL_PROCMEM_H

#include "base/types.h"

struct kernel;

/* read and write of /proc/self/mem at @pos (NULL: the descriptor's position, which moves). */
int64_t procmem_io(struct kernel *k, int fd, gaddr buf, uint64_t n, const uint64_t *pos, bool write);
int64_t procmem_lseek(struct kernel *k, int fd, int64_t offset, int whence);

/* Bytes of the page as get_user_pages() sees it; @forced: access_remote_vm's way (proc mem). */
bool procmem_page_readable(struct kernel *k, bool forced);
void procmem_page_bytes(struct kernel *k, void *dst, unsigned offset, size_t n);

#endif
