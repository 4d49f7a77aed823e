/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A vDSO image given by the user: see vdso_file.h. */
#include "kernel/vdso_file.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "facts/elfview.h"

#define FILE_BYTES_MAX (64u << 10)
#define RELEASE_BY_FIXMAP 0x030f /* before it the data lay at kernel addresses */

/* One segment, as every vDSO has, and all of it there: the rest would fault in the guest. */
static bool is_whole(const struct elfview *v)
{
	bool dynamic = false;
	unsigned loads = 0;

	for (unsigned i = 0; i < v->phn; i++) {
		const Elf64_Phdr *p = &v->ph[i];

		if (p->p_offset > v->n || p->p_filesz > v->n - p->p_offset)
			return false;
		dynamic |= p->p_type == PT_DYNAMIC;
		loads += p->p_type == PT_LOAD;
	}
	return dynamic && loads == 1;
}

static bool is_vdso(const uint8_t *bytes, size_t n, const char **why)
{
	struct elfview v;
	bool ok;

	if (!elfview_open(&v, bytes, n, why))
		return false;
	*why = "not a shared object";
	ok = v.eh->e_type == ET_DYN && v.phn && v.ph[0].p_type == PT_LOAD && !v.ph[0].p_offset;
	if (ok) {
		*why = "not one whole segment with dynamic symbols, as a vDSO is";
		ok = is_whole(&v);
	}
	elfview_close(&v);
	return ok;
}

uint8_t *vdso_file_read(const char *path, size_t *n, struct err *e)
{
	uint8_t *bytes = xcalloc(1, FILE_BYTES_MAX + 1);
	FILE *f = fopen(path, "re");
	const char *why;
	bool ok = false;

	*n = 0;
	if (f)
		*n = fread(bytes, 1, FILE_BYTES_MAX + 1, f);
	if (!f || ferror(f))
		err_set_status(e, 125, "--vdso: %s: %s", path, strerror(errno));
	else if (*n > FILE_BYTES_MAX)
		err_set_status(e, 125, "--vdso: %s: larger than a vDSO (%u bytes)", path, FILE_BYTES_MAX);
	else if (!is_vdso(bytes, *n, &why))
		err_set_status(e, 125, "--vdso: %s: %s", path, why);
	else
		ok = true;
	if (f)
		fclose(f);
	if (ok)
		return bytes;
	free(bytes);
	return NULL;
}

/* The four bytes of the note "Linux", type 0, in [@p, @p + @n); NULL: none. */
static const uint8_t *version_note(const uint8_t *p, size_t n)
{
	Elf64_Nhdr h;

	while (n >= sizeof(h)) {
		uint64_t name, all;

		memcpy(&h, p, sizeof(h));
		name = ((uint64_t)h.n_namesz + 3) & ~3ull;
		all = sizeof(h) + name + (((uint64_t)h.n_descsz + 3) & ~3ull);
		if (all > n)
			return NULL;
		if (h.n_type == 0 && h.n_descsz == 4 && h.n_namesz == 6 && !memcmp(p + sizeof(h), "Linux", 6))
			return p + sizeof(h) + name;
		p += all;
		n -= (size_t)all;
	}
	return NULL;
}

unsigned vdso_file_release(const uint8_t *bytes, size_t n)
{
	const uint8_t *at = NULL;
	struct elfview v;
	const char *why;
	uint32_t code;

	if (!elfview_open(&v, bytes, n, &why))
		return 0;
	for (unsigned i = 0; i < v.phn && !at; i++) {
		const Elf64_Phdr *p = &v.ph[i];

		if (p->p_type == PT_NOTE && p->p_offset <= n && p->p_filesz <= n - p->p_offset)
			at = version_note(bytes + p->p_offset, p->p_filesz);
	}
	elfview_close(&v);
	if (!at)
		return 0;
	memcpy(&code, at, sizeof(code));
	/* The 2.6 series counts in its third number. */
	return code >> 8 == 0x0206 ? 0x0200 | (code & 0xff) : code >> 8 & 0xffff;
}

const struct vdso_gen *vdso_file_gen(const uint8_t *bytes, size_t n, const char *key, const char *release,
				     bool *doubt)
{
	const struct vdso_gen *best = NULL;
	unsigned version = vdso_file_release(bytes, n);

	*doubt = !version;
	if (!version)
		best = vdso_gen_find(key, release);
	for (size_t i = 0; version && i < vdso_gen_count(); i++)
		if (vdso_gen_at(i)->since <= version)
			best = vdso_gen_at(i);
	return best && best->since >= RELEASE_BY_FIXMAP ? best : NULL;
}

void vdso_file_suit(uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i + 9 <= n; i++) {
		uint8_t *p = bytes + i, reg = p[0] & 7;

		/* mov $0x7b,%reg; rdpid %reg  ->  mov $0x7b,%reg; lsl %reg,%reg; nop */
		if ((p[0] & 0xf8) != 0xb8 || memcmp(p + 1, "\x7b\0\0\0\xf3\x0f\xc7", 7) || p[8] != (0xf8 | reg))
			continue;
		p[5] = 0x0f;
		p[6] = 0x03;
		p[7] = (uint8_t)(0xc0 | reg << 3 | reg);
		p[8] = 0x90;
	}
}
