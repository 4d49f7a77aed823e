/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Cases made at random, leaning towards the edges that eras differ in, and a case made simpler while
 * something still holds.  Equal seeds give equal cases.
 */
#include <string.h>

#include "facts/vectors.h"

/* xoroshiro128+ (Blackman and Vigna); @s may start as anything. */
static uint64_t next(uint64_t s[2])
{
	uint64_t a = s[0], b, sum;

	if (!s[0] && !s[1])
		a = 0x9e3779b97f4a7c15ull;
	b = s[1];
	sum = a + b;
	b ^= a;
	s[0] = (a << 24 | a >> 40) ^ b ^ b << 16;
	s[1] = b << 37 | b >> 27;
	return sum ^ sum >> 32;
}

static unsigned below(uint64_t s[2], unsigned n)
{
	return (unsigned)((next(s) >> 16) % n);
}

static bool one_in(uint64_t s[2], unsigned n)
{
	return below(s, n) == 0;
}

static uint64_t any_address(uint64_t s[2])
{
	static const uint64_t edges[] = {
		0, 1, 0x10000, 0x401000, 0x7fffffffeff8ull, 0x7fffffffeff9ull, 0x7ffffffff000ull,
		0x7fffffffffffull, 0x800000000000ull, 0x8000000000000000ull, 0xffff888000000000ull,
		0xffffffff81000000ull, VSYSEMU_PAGE - 1, VSYSEMU_PAGE, VSYSEMU_PAGE + 0x400,
		VSYSEMU_PAGE + 0x800, VSYSEMU_PAGE + 0xc00, VSYSEMU_PAGE + 0x1000, UINT64_MAX,
	};

	return edges[below(s, ARRAY_SIZE(edges))];
}

static uint64_t target_address(uint64_t s[2])
{
	switch (below(s, 8)) {
	case 0:
		return VSYSEMU_PAGE + below(s, VSYSEMU_PAGE_BYTES);
	case 1:
		return VSYSEMU_PAGE + 0x400ull * below(s, 4) + below(s, 12);
	case 2:
		return VSYSEMU_PAGE + 0xc00;
	default:
		return VSYSEMU_PAGE + 0x400ull * below(s, 3);
	}
}

static void random_profile(uint64_t s[2], struct vsysemu_profile *p, enum vsysemu_mode mode)
{
	p->lass = p->era == VSYSEMU_E9 && mode != VSYSEMU_EMULATE && one_in(s, 2);
	p->fred = p->era >= VSYSEMU_E8 && one_in(s, 8);
	p->xen_cs = one_in(s, 8);
	p->compiled_out = mode == VSYSEMU_NONE && p->era >= VSYSEMU_E5 && one_in(s, 8);
	if (p->era >= VSYSEMU_E7 && one_in(s, 8))
		p->fetch_by_rip = !p->fetch_by_rip;
	p->unreadable = mode == VSYSEMU_EMULATE && p->era == VSYSEMU_E5 && one_in(s, 8);
}

static void random_pointer(uint64_t s[2], struct vector_pointer *p)
{
	static const enum vector_pointer_state kinds[] = {
		POINTER_OK, POINTER_UNMAPPED, POINTER_READONLY, POINTER_EOF, POINTER_PROTNONE,
	};

	if (one_in(s, 3)) {
		*p = (struct vector_pointer){ POINTER_NULL, 0 };
	} else if (one_in(s, 3)) {
		p->addr = any_address(s);
		p->state = p->addr ? POINTER_UNMAPPED : POINTER_NULL;
	} else if (one_in(s, 6)) {
		*p = (struct vector_pointer){ POINTER_CROSS, VECTOR_BUFFER + VSYSEMU_PAGE_BYTES - 4 };
	} else {
		p->state = kinds[below(s, ARRAY_SIZE(kinds))];
		p->addr = VECTOR_BUFFER + VSYSEMU_PAGE_BYTES * 16ull * p->state;
	}
}

static void random_seccomp(uint64_t s[2], struct vector_seccomp *out)
{
	static const uint32_t actions[] = {
		0x7fff0000, 0x7ffc0000, 0x7ff00000, 0x7fc00000, 0x00050000, 0x00030000, 0, 0x80000000,
		0x00010000, 0x7fff1234,
	};

	*out = (struct vector_seccomp){ .mode = VSYSEMU_SECCOMP_OFF };
	if (one_in(s, 2))
		return;
	out->mode = one_in(s, 4) ? VSYSEMU_SECCOMP_STRICT : VSYSEMU_SECCOMP_FILTER;
	if (out->mode == VSYSEMU_SECCOMP_STRICT)
		return;
	out->ret = actions[below(s, ARRAY_SIZE(actions))];
	if (out->ret == 0x00050000 || out->ret == 0x00030000) {
		static const uint32_t data[] = { 0, 1, 5, 0x123, 4095, 4096, 65535 };

		out->ret |= data[below(s, ARRAY_SIZE(data))];
	}
	if (out->ret == 0x7ff00000 && !one_in(s, 3)) {
		static const int64_t numbers[] = { -1, -1, 39, 201, 96, -5, 0xffffffff, 0x1000000c9 };

		out->traced = true;
		out->set_orig_rax = one_in(s, 2);
		out->orig_rax = out->set_orig_rax ? numbers[below(s, ARRAY_SIZE(numbers))] : 0;
		out->set_rax = one_in(s, 2);
		out->rax = out->set_rax ? (one_in(s, 2) ? 777 : (uint64_t)-5) : 0;
		out->add[MOVED_RIP] = one_in(s, 4);
		for (int i = MOVED_RSP; i < VECTOR_MOVED; i++)
			out->add[i] = one_in(s, 4) ? 8 : 0;
	}
	if (out->ret == 0x7fc00000 && !one_in(s, 3)) {
		out->listener = true;
		out->notif_continue = one_in(s, 2);
		out->set_rax = !out->notif_continue;
		out->rax = out->set_rax ? (one_in(s, 2) ? 42 : (uint64_t)-13) : 0;
	}
}

static void random_entry(uint64_t s[2], struct vector_case *c)
{
	unsigned r = below(s, 16);

	c->entry = r < 10 ? ENTRY_FETCH : r < 13 ? ENTRY_INT : r < 15 ? ENTRY_READ : ENTRY_WRITE;
	if (c->profile.lass && c->entry != ENTRY_INT)
		c->entry = ENTRY_GP;
	c->target = target_address(s);
	if (c->entry == ENTRY_INT && one_in(s, 3))
		c->target = any_address(s);
	c->from = VECTOR_CODE + below(s, 64);
	c->cs = VSYSEMU_CS_USER;
	if (one_in(s, 8)) {
		static const uint16_t selectors[] = { VSYSEMU_CS_USER32, VSYSEMU_CS_XEN, 0x0f, 0x10 };

		c->cs = selectors[below(s, ARRAY_SIZE(selectors) - (c->entry != ENTRY_INT))];
	}
	c->error_code = c->natural_code = vector_case_code(c, one_in(s, 16));
	if (c->entry != ENTRY_INT && c->entry != ENTRY_GP && one_in(s, 16))
		c->error_code = (uint32_t)below(s, 32) | VSYSEMU_PF_U;
}

static void make(uint64_t s[2], const struct vector_target *targets, size_t n, struct vector_case *c)
{
	*c = (struct vector_case){ .profile = targets[below(s, (unsigned)n)].rules, .rflags = 0x202 };
	do
		c->mode = (enum vsysemu_mode)below(s, VSYSEMU_MODE_COUNT);
	while (!vsysemu_mode_valid(c->profile.era, c->mode));
	random_profile(s, &c->profile, c->mode);
	random_entry(s, c);
	c->rax = one_in(s, 4) ? any_address(s) : c->target;
	c->stack_ok = !one_in(s, 8);
	c->rsp = !c->stack_ok && one_in(s, 2) ? any_address(s) : VECTOR_STACK - 8ull * below(s, 8);
	c->caller = one_in(s, 4) ? any_address(s) : VECTOR_CALLER;
	random_pointer(s, &c->ptr[0]);
	random_pointer(s, &c->ptr[1]);
	random_seccomp(s, &c->seccomp);
	if (one_in(s, 16))
		c->rflags |= 0x100;
}

void vector_random(uint64_t state[2], const struct vector_target *targets, size_t n,
		   struct vector_case *c)
{
	/* What the page's rights answer never reaches an implementation. */
	do
		make(state, targets, n, c);
	while (!vector_case_traps(c));
}

/* ---- shrinking ---- */

static void plain_profile(struct vector_case *c)
{
	bool lass = c->profile.lass, by_rip = c->profile.fetch_by_rip;

	vsysemu_profile_init(&c->profile, c->profile.era);
	c->profile.lass = lass;
	c->profile.fetch_by_rip = by_rip;
}

static void plain_flags(struct vector_case *c)
{
	c->profile.fred = c->profile.xen_cs = c->profile.compiled_out = false;
	c->profile.unreadable = false;
}

static void no_seccomp(struct vector_case *c)
{
	c->seccomp = (struct vector_seccomp){ .mode = VSYSEMU_SECCOMP_OFF };
}

static void no_answer(struct vector_case *c)
{
	c->seccomp = (struct vector_seccomp){ .mode = c->seccomp.mode, .ret = c->seccomp.ret };
}

static void no_action_data(struct vector_case *c)
{
	c->seccomp.ret &= 0xffff0000;
}

static void no_tracer_rax(struct vector_case *c)
{
	c->seccomp.set_rax = false;
	c->seccomp.rax = 0;
}

static void no_tracer_rip(struct vector_case *c)
{
	c->seccomp.add[MOVED_RIP] = 0;
}

static void no_tracer_moves(struct vector_case *c)
{
	memset(c->seccomp.add, 0, sizeof(c->seccomp.add));
}

static void no_tracer_number(struct vector_case *c)
{
	c->seccomp.set_orig_rax = false;
	c->seccomp.orig_rax = 0;
}

static void no_first(struct vector_case *c)
{
	c->ptr[0] = (struct vector_pointer){ POINTER_NULL, 0 };
}

static void no_second(struct vector_case *c)
{
	c->ptr[1] = (struct vector_pointer){ POINTER_NULL, 0 };
}

static void good_stack(struct vector_case *c)
{
	c->stack_ok = true;
	c->rsp = VECTOR_STACK;
}

static void same_stack(struct vector_case *c)
{
	c->rsp = c->stack_ok ? VECTOR_STACK : VECTOR_UNMAPPED;
}

static void good_caller(struct vector_case *c)
{
	c->caller = VECTOR_CALLER;
}

static void user_cs(struct vector_case *c)
{
	c->cs = VSYSEMU_CS_USER;
}

static void natural_code(struct vector_case *c)
{
	c->error_code = c->natural_code = vector_case_code(c, false);
}

static void plain_registers(struct vector_case *c)
{
	c->rflags = 0x202;
	c->from = VECTOR_CODE;
}

static void caller_rax(struct vector_case *c)
{
	c->rax = c->target;
}

static void retarget(struct vector_case *c, uint64_t target)
{
	if (c->rax == c->target)
		c->rax = target;
	c->target = target;
}

static void time_entry(struct vector_case *c)
{
	retarget(c, VSYSEMU_PAGE + 0x400);
}

static void slot_start(struct vector_case *c)
{
	retarget(c, c->target & ~0x3ffull);
}

static void next_byte(struct vector_case *c)
{
	if (c->target & 0x3ff)
		retarget(c, (c->target & ~0x3ffull) + 1);
}

static void first_slot(struct vector_case *c)
{
	if (c->target & 0x3ff)
		retarget(c, VSYSEMU_PAGE + (c->target & 0x3ff));
}

void vector_shrink(struct vector_case *c, bool (*differs)(void *ctx, const struct vector_case *c),
		   void *ctx)
{
	static void (*const simpler[])(struct vector_case *) = {
		no_seccomp, no_answer, no_action_data, no_tracer_rax, no_tracer_rip, no_tracer_moves, no_tracer_number,
		no_first, no_second, good_stack, same_stack, good_caller, user_cs, natural_code,
		plain_registers, time_entry, slot_start, first_slot, next_byte, caller_rax,
		plain_profile, plain_flags,
	};
	bool done[ARRAY_SIZE(simpler)] = { false }, again;

	/* Each is tried until it has been taken once; what it takes away does not come back. */
	do {
		again = false;
		for (size_t i = 0; i < ARRAY_SIZE(simpler); i++) {
			struct vector_case t = *c;

			simpler[i](&t);
			if (done[i] || !vector_case_traps(&t) || !differs(ctx, &t))
				continue;
			*c = t;
			done[i] = again = true;
		}
	} while (again);
}
