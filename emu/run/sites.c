/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Call sites and their stacks: see sites.h. */
#include "run/sites.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LOCAL 1024u /* power of two */

struct object {
	_Atomic uint64_t key;
	_Atomic bool ready;
	char path[SITES_PATH];
};

struct shared {
	_Atomic uint64_t lost;
	_Atomic uint32_t stacks;
	struct object object[SITES_OBJECTS];
	struct sites_stack stack[SITES_MAX];
};

struct sites {
	struct shared *shared;
	struct callers *callers;
	uint64_t unwound, calls; /* of this process */
	/* States of the stack, by hash. */
	struct local {
		gaddr ret, rsp, rbp;
		uint8_t entry, slots;
		struct {
			gaddr at, value;
		} slot[CALLERS_MAX];
		struct sites_stack *stack; /* NULL: found no place */
	} local[LOCAL];
};

struct sites *sites_new(void)
{
	struct shared *p = mmap(NULL, sizeof(*p), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS | MAP_NORESERVE,
				-1, 0);
	struct sites *s;

	if (p == MAP_FAILED)
		return NULL;
	s = xcalloc(1, sizeof(*s));
	s->shared = p;
	return s;
}

void sites_free(struct sites *s)
{
	if (!s)
		return;
	callers_free(s->callers);
	munmap(s->shared, sizeof(*s->shared));
	free(s);
}

void sites_moved(struct sites *s)
{
	if (!s)
		return;
	memset(s->local, 0, sizeof(s->local));
	callers_free(s->callers);
	s->callers = NULL;
}

static uint64_t mix(uint64_t h, uint64_t v)
{
	h = (h ^ v) * 0x9e3779b97f4a7c15u;
	return h ^ h >> 29;
}

static uint64_t hash_text(const char *s)
{
	uint64_t h = 1;

	while (*s)
		h = mix(h, (unsigned char)*s++);
	return h | 1;
}

/* Its number + 1; 0: there is no room. */
static uint16_t object_number(struct shared *s, const char *path)
{
	uint64_t key = hash_text(path);
	size_t n = strlen(path);

	if (n >= SITES_PATH)
		return 0;
	for (unsigned i = 0; i < SITES_OBJECTS; i++) {
		struct object *o = &s->object[(key + i) % SITES_OBJECTS];
		uint64_t was = 0;

		if (atomic_compare_exchange_strong(&o->key, &was, key)) {
			memcpy(o->path, path, n + 1);
			o->ready = true;
			return (uint16_t)((key + i) % SITES_OBJECTS + 1);
		}
		if (was == key)
			return (uint16_t)((key + i) % SITES_OBJECTS + 1);
	}
	return 0;
}

/* Which file and where in it. */
static void place(struct shared *s, const callers_maps *map, struct sites_frame *f)
{
	for (size_t i = 0; i < map->n; i++)
		if (f->address - !f->interrupted >= map->at[i].start && f->address - !f->interrupted < map->at[i].end) {
			f->object = object_number(s, map->at[i].path);
			f->offset = f->address - map->at[i].start + map->at[i].offset;
			return;
		}
}

static struct sites_stack *stack_find(struct shared *s, unsigned entry, const struct sites_frame *f, size_t n)
{
	uint64_t key = mix(1, entry);

	for (size_t i = 0; i < n; i++)
		key = mix(mix(key, f[i].address), f[i].offset << 16 | f[i].object);
	key |= 1;
	for (unsigned i = 0; i < SITES_MAX; i++) {
		struct sites_stack *t = &s->stack[((key >> 40) + i) % SITES_MAX];
		uint64_t was = 0;

		if (atomic_compare_exchange_strong(&t->key, &was, key)) {
			t->entry = (uint8_t)entry;
			t->depth = (uint8_t)n;
			t->order = s->stacks++;
			memcpy(t->frame, f, n * sizeof(*f));
			t->ready = true;
			return t;
		}
		if (was == key)
			return t;
	}
	return NULL;
}

static void sample(struct sites *s, struct kernel *k, struct local *l)
{
	struct sites_frame f[CALLERS_MAX] = { 0 };
	struct unwind_frame frame[CALLERS_MAX];
	size_t n = callers_now(&s->callers, k, l->ret, l->rsp, frame);
	callers_maps map = { 0 };

	s->unwound++;
	callers_map(k, true, &map);
	l->slots = 0;
	for (size_t i = 0; i < n; i++) {
		f[i].address = frame[i].address;
		f[i].interrupted = frame[i].interrupted;
		place(s->shared, &map, &f[i]);
		if (frame[i].slot) {
			l->slot[l->slots].at = frame[i].slot;
			l->slot[l->slots++].value = frame[i].address;
		}
	}
	VEC_FREE(&map);
	l->stack = stack_find(s->shared, l->entry, f, n);
}

/* Are the return addresses where they were? */
static bool same_stack(struct kernel *k, const struct local *l)
{
	for (unsigned i = 0; i < l->slots; i++) {
		gaddr now;

		if (memory_read(k->mem, &now, l->slot[i].at, sizeof(now)) || now != l->slot[i].value)
			return false;
	}
	return true;
}

void sites_note(struct sites *s, struct kernel *k, unsigned entry, gaddr ret, gaddr rsp, uint32_t cycles16,
		enum account_arrival how)
{
	gaddr rbp;
	bool again;
	struct local *l;

	if (!s)
		return;
	if (!ret) {
		s->shared->lost++;
		return;
	}
	rbp = engine_get(k->engine, REG_RBP);
	if (s->unwound < SITES_BUDGET) {
		l = &s->local[mix(mix(mix(ret, entry), rsp), rbp) >> 40 & (LOCAL - 1)];
		again = l->ret == ret && l->entry == entry && l->rsp == rsp && l->rbp == rbp && same_stack(k, l);
	} else {
		l = &s->local[mix(ret, entry) >> 40 & (LOCAL - 1)];
		again = l->ret == ret && l->entry == entry && s->calls % SITES_EACH;
	}
	if (!again) {
		l->ret = ret;
		l->rsp = rsp;
		l->rbp = rbp;
		l->entry = (uint8_t)entry;
		sample(s, k, l);
	}
	s->calls++;
	if (!l->stack) {
		s->shared->lost++;
		return;
	}
	l->stack->count++;
	l->stack->cycles16 += cycles16;
	l->stack->refused += how == ARRIVAL_REFUSED;
	l->stack->skipped += how == ARRIVAL_SKIPPED;
}

const struct sites_stack *sites_at(const struct sites *s, size_t i)
{
	return s && i < SITES_MAX ? &s->shared->stack[i] : NULL;
}

const char *sites_object(const struct sites *s, unsigned object)
{
	return object && s->shared->object[object - 1].ready ? s->shared->object[object - 1].path : NULL;
}

uint64_t sites_lost(const struct sites *s)
{
	return s ? s->shared->lost : 0;
}
