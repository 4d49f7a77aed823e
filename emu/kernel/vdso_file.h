/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A vDSO image given by the user: its bytes, the kernel that its note names, and what must change in it
 * for the processor a guest sees.  Truth: arch/x86/entry/vdso/vdso2c.h, note.S of the kernel.
 */
#ifndef VSYSEMU_KERNEL_VDSO_FILE_H
#define VSYSEMU_KERNEL_VDSO_FILE_H

#include "base/err.h"
#include "facts/vdsogen.h"

/* The bytes of --vdso=@path, owned by the caller; NULL: @e (status 125) says what is wrong with it. */
uint8_t *vdso_file_read(const char *path, size_t *n, struct err *e);

/* The kernel version in the image's note, as vdso_release() has it; 0: none. */
unsigned vdso_file_release(const uint8_t *bytes, size_t n);

/*
 * The generation of a given image: by its own note, else (*doubt) by the profile's @key and @release.
 * NULL: it expects its data at kernel addresses, where a guest has none.
 */
const struct vdso_gen *vdso_file_gen(const uint8_t *bytes, size_t n, const char *key, const char *release,
				     bool *doubt);

/* Undo what the real kernel patched in for a processor with RDPID: the guest's has none. */
void vdso_file_suit(uint8_t *bytes, size_t n);

#endif
