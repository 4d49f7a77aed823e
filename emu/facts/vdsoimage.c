/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The vDSO images, built from guest/vdso/ and embedded (guest/vdso/embed.sh). */
#include <string.h>

#include "facts/vdsogen.h"

struct vdso_image {
	const char *name;
	const uint8_t *bytes;
	size_t n;
};
#include "vdso_images.h"

const uint8_t *vdso_image(const struct vdso_gen *g, size_t *n)
{
	for (size_t i = 0; i < ARRAY_SIZE(images); i++)
		if (!strcmp(images[i].name, g->image)) {
			*n = images[i].n;
			return images[i].bytes;
		}
	return NULL;
}
