/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Unwinding through libdwfl: see unwind.h.  Object files are read whole and handed over as memory, because
 * the file descriptors of the process are the guest's.  Looking for debug information is refused: it is
 * not needed, and the library might ask a server for it.
 */
#include "facts/unwind.h"

#include <elfutils/libdwfl.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"

#define OBJECT_BYTES_MAX (512ll << 20)
#define VDSO_BYTES_MAX 0x4000u
#define STACK_WORDS 128u /* looked at for a return address */
#define FUNCTION_MAX 0x4000u
#define ANY_ID 1 /* of the one thread */

struct object {
	char *path; /* owned */
	char *bytes; /* owned; NULL: not readable */
	size_t n;
};

struct unwinder {
	VEC(struct object *) object; /* owned; libdwfl points at them */
	Dwfl *dwfl;
	uint64_t maps; /* sum over the mappings that dwfl knows */
	const struct unwind_from *from; /* of the unwinding under way */
	uint64_t reg[UNWIND_REGS]; /* where the library begins */
	struct unwind_frame *frame;
	size_t n, max;
	bool restarted; /* the first frame is a return address found without tables */
	/* Of the last frame, if it has no tables. */
	bool blind;
	gaddr sp, bp;
};

struct unwinder *unwinder_new(void)
{
	return xcalloc(1, sizeof(struct unwinder));
}

void unwinder_free(struct unwinder *u)
{
	if (!u)
		return;
	if (u->dwfl)
		dwfl_end(u->dwfl);
	for (size_t i = 0; i < u->object.n; i++) {
		free(u->object.at[i]->path);
		free(u->object.at[i]->bytes);
		free(u->object.at[i]);
	}
	VEC_FREE(&u->object);
	free(u);
}

static void read_file(struct object *o)
{
	int fd = open(o->path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	struct stat st;
	ssize_t r;

	if (fd < 0)
		return;
	if (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_size > 0 && st.st_size < OBJECT_BYTES_MAX) {
		o->bytes = xcalloc(1, (size_t)st.st_size);
		while (o->n < (size_t)st.st_size && (r = read(fd, o->bytes + o->n, (size_t)st.st_size - o->n)) > 0)
			o->n += (size_t)r;
	}
	close(fd);
}

/* The image of the vDSO lies in memory only. */
static void read_memory(struct object *o, const struct unwind_from *f, const struct image_map *m)
{
	o->n = m->end - m->start < VDSO_BYTES_MAX ? m->end - m->start : VDSO_BYTES_MAX;
	o->bytes = xcalloc(1, o->n);
	if (!f->read(f->ctx, o->bytes, m->start, o->n))
		o->n = 0;
}

static struct object *object_of(struct unwinder *u, const struct image_map *m)
{
	struct object *o;

	for (size_t i = 0; i < u->object.n; i++)
		if (!strcmp(u->object.at[i]->path, m->path))
			return u->object.at[i];
	o = xcalloc(1, sizeof(*o));
	o->path = xstrdup(m->path);
	if (m->path[0] == '/')
		read_file(o);
	else
		read_memory(o, u->from, m);
	VEC_PUSH(&u->object, o);
	return o;
}

static int find_elf(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base, char **file, Elf **elf)
{
	const struct object *o = *data;

	(void)mod;
	(void)name;
	(void)base;
	*file = NULL;
	*elf = o->n ? elf_memory(o->bytes, o->n) : NULL;
	return -1;
}

static int find_debuginfo(Dwfl_Module *mod, void **data, const char *name, Dwarf_Addr base, const char *file,
			  const char *link, GElf_Word crc, char **debug)
{
	(void)mod;
	(void)data;
	(void)name;
	(void)base;
	(void)file;
	(void)link;
	(void)crc;
	(void)debug;
	return -1;
}

static const Dwfl_Callbacks callbacks = { .find_elf = find_elf, .find_debuginfo = find_debuginfo };

static pid_t next_thread(Dwfl *dwfl, void *arg, void **thread_arg)
{
	(void)dwfl;
	if (*thread_arg)
		return 0;
	*thread_arg = arg;
	return ANY_ID;
}

static bool read_word(Dwfl *dwfl, Dwarf_Addr addr, Dwarf_Word *word, void *arg)
{
	struct unwinder *u = arg;

	(void)dwfl;
	return u->from->read(u->from->ctx, word, addr, sizeof(*word));
}

static bool set_registers(Dwfl_Thread *thread, void *arg)
{
	struct unwinder *u = arg;

	return dwfl_thread_state_registers(thread, 0, UNWIND_REGS, u->reg);
}

static const Dwfl_Thread_Callbacks thread_callbacks = {
	.next_thread = next_thread, .memory_read = read_word, .set_initial_registers = set_registers,
};

static uint64_t sum_of(const struct unwind_from *f)
{
	uint64_t h = f->maps;

	for (size_t i = 0; i < f->maps; i++) {
		h = (h ^ f->map[i].start) * 0x100000001b3u;
		h = (h ^ f->map[i].end ^ f->map[i].offset << 20) * 0x100000001b3u;
		for (const char *p = f->map[i].path; *p; p++)
			h = (h ^ (unsigned char)*p) * 0x100000001b3u;
	}
	return h;
}

/* An object from the mapping of its first byte to the end of its last mapping. */
static void report_object(struct unwinder *u, size_t first)
{
	const struct image_map *m = &u->from->map[first];
	gaddr end = m->end;
	Dwfl_Module *mod;
	void **data;

	for (size_t i = first + 1; i < u->from->maps && u->from->map[i].offset; i++)
		if (!strcmp(u->from->map[i].path, m->path))
			end = u->from->map[i].end;
	mod = dwfl_report_module(u->dwfl, m->path, m->start, end);
	if (mod && dwfl_module_info(mod, &data, NULL, NULL, NULL, NULL, NULL, NULL))
		*data = object_of(u, m);
}

/* The library learns of the mappings again when they have changed. */
static bool report_maps(struct unwinder *u)
{
	uint64_t sum = sum_of(u->from);

	if (u->dwfl && u->maps == sum)
		return true;
	if (u->dwfl)
		dwfl_end(u->dwfl);
	u->dwfl = dwfl_begin(&callbacks);
	u->maps = sum;
	if (!u->dwfl)
		return false;
	for (size_t i = 0; i < u->from->maps; i++)
		if (!u->from->map[i].offset)
			report_object(u, i);
	if (!dwfl_report_end(u->dwfl, NULL, NULL) && dwfl_attach_state(u->dwfl, NULL, ANY_ID, &thread_callbacks, u))
		return true;
	dwfl_end(u->dwfl);
	u->dwfl = NULL;
	return false;
}

/* Does a call end at @ret?  E8 and a distance, or FF /2 with its address bytes. */
static bool behind_call(const struct unwind_from *f, gaddr ret)
{
	uint8_t b[8];

	if (!f->code(f->ctx, ret - 1) || !f->read(f->ctx, b, ret - sizeof(b), sizeof(b)))
		return false;
	if (b[3] == 0xe8)
		return true;
	for (unsigned n = 2; n <= 7; n++)
		if (b[8 - n] == 0xff && (b[9 - n] >> 3 & 7) == 2)
			return true;
	return false;
}

/* A call has left its return address just below the stack pointer of the frame that it returns to. */
static gaddr slot_of(const struct unwinder *u, Dwfl_Frame *state, gaddr pc)
{
	Dwarf_Word sp, word;

	return u->n && !dwfl_frame_reg(state, UNWIND_RSP, &sp) && u->from->read(u->from->ctx, &word, sp - 8, 8) &&
	       word == pc ? sp - 8 : 0;
}

static bool has_tables(const struct unwinder *u, gaddr pc)
{
	Dwfl_Module *m = dwfl_addrmodule(u->dwfl, pc);
	Dwarf_Frame *f = NULL;
	Dwarf_Addr bias;
	Dwarf_CFI *cfi = m ? dwfl_module_eh_cfi(m, &bias) : NULL;
	bool has = cfi && !dwarf_cfi_addrframe(cfi, pc - bias, &f);

	free(f);
	return has;
}

static int take_frame(Dwfl_Frame *state, void *arg)
{
	struct unwinder *u = arg;
	bool interrupted, first = !u->n || u->restarted;
	Dwarf_Addr pc;

	u->restarted = false;
	if (!dwfl_frame_pc(state, &pc, &interrupted) || !pc)
		return DWARF_CB_ABORT;
	if (!first && (interrupted ? !u->from->code(u->from->ctx, pc) : !behind_call(u->from, pc)))
		return DWARF_CB_ABORT;
	interrupted &= !first;
	u->frame[u->n] = (struct unwind_frame){ .address = pc, .slot = slot_of(u, state, pc), .interrupted = interrupted };
	u->n++;
	/* What the library would do now is to trust the frame pointer. */
	u->blind = !has_tables(u, pc - !interrupted) && !dwfl_frame_reg(state, UNWIND_RSP, &u->sp) &&
		   !dwfl_frame_reg(state, UNWIND_RBP, &u->bp);
	return u->n < u->max && !u->blind ? DWARF_CB_OK : DWARF_CB_ABORT;
}

/* Does the call before @ret go to a place shortly before @pc, so to the start of its function? */
static bool calls(const struct unwind_from *f, gaddr ret, gaddr pc)
{
	uint8_t b[5];
	int32_t distance;

	if (!f->code(f->ctx, ret - 1) || !f->read(f->ctx, b, ret - sizeof(b), sizeof(b)) || b[0] != 0xe8)
		return false;
	memcpy(&distance, b + 1, 4);
	return pc - (ret + (uint64_t)(int64_t)distance) < FUNCTION_MAX;
}

/* The caller of a frame without tables: a word of the stack that a call to this function left there, else
 * what the frame pointer says. */
static bool step_blind(struct unwinder *u)
{
	gaddr pc = u->frame[u->n - 1].address, word, bp;

	for (unsigned i = 0; i < STACK_WORDS && u->from->read(u->from->ctx, &word, u->sp + 8 * i, 8); i++)
		if (calls(u->from, word, pc)) {
			u->reg[UNWIND_RIP] = word;
			u->reg[UNWIND_RSP] = u->sp + 8 * i + 8;
			u->reg[UNWIND_RBP] = u->bp;
			return true;
		}
	if (u->bp < u->sp || !u->from->read(u->from->ctx, &bp, u->bp, 8) ||
	    !u->from->read(u->from->ctx, &word, u->bp + 8, 8) || !behind_call(u->from, word))
		return false;
	u->reg[UNWIND_RIP] = word;
	u->reg[UNWIND_RSP] = u->bp + 16;
	u->reg[UNWIND_RBP] = bp;
	return true;
}

size_t unwind(struct unwinder *u, const struct unwind_from *from, struct unwind_frame *frame, size_t max)
{
	u->from = from;
	u->frame = frame;
	u->max = max;
	u->n = 0;
	u->restarted = false;
	memcpy(u->reg, from->reg, sizeof(u->reg));
	if (report_maps(u))
		do {
			u->blind = false;
			dwfl_getthread_frames(u->dwfl, ANY_ID, take_frame, u);
			u->restarted = true;
		} while (u->blind && u->n < max && step_blind(u));
	if (!u->n && max)
		frame[u->n++] = (struct unwind_frame){ .address = from->reg[UNWIND_RIP] };
	u->from = NULL;
	return u->n;
}
