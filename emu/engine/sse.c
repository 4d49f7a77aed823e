/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The library's SSE helpers by host instructions: see sse.h.  Registers are loaded in halves, because the
 * translator mostly writes them so and a wider load would wait for the stores.  Inline assembly and not
 * intrinsics: a compiler may swap the operands of a commutative one, which shows in a NaN's payload.
 */
#include "engine/sse.h"

#include <dlfcn.h>
#include <emmintrin.h>
#include <string.h>

#include "engine/sse_list.h"

#define LIB(name) helper_##name##_x86_64
/* CPUX86State of 2.0.1, believed because sse_test() passed. */
#define ENV_MXCSR 0x310
#define ENV_CC_SRC 0x98
#define MXCSR_START 0x1f80u /* also the bits that mask the exceptions */
#define MXCSR_CONTROL 0xffc0u
#define FLAGS_OF_COMPARISON 0x45u /* ZF PF CF */

enum how {
	BY_LIBRARY, /* its own helpers */
	BY_HOST, /* the host's MXCSR is the guest's */
	BY_HOST_LOADED /* it must be loaded first */
};

#define EACH(X) \
	SSE_INTEGER(X) SSE_SHIFT(X) SSE_PACKED(X) SSE_DOUBLE(X) SSE_FLOAT(X) SSE_WIDEN(X) SSE_TO_DOUBLE(X) \
	SSE_TO_FLOAT(X) SSE_COMPARE_DOUBLE(X) SSE_COMPARE_FLOAT(X) SSE_FROM_DOUBLE_32(X) \
	SSE_FROM_DOUBLE_64(X) SSE_FROM_FLOAT_32(X) SSE_FROM_FLOAT_64(X) SSE_INTO_DOUBLE_32(X) \
	SSE_INTO_DOUBLE_64(X) SSE_INTO_FLOAT_32(X) SSE_INTO_FLOAT_64(X) \
	X(pmovmskb_xmm, pmovmskb) X(movmskpd, movmskpd) X(movmskps, movmskps) X(pshufd_xmm, pshufd) \
	X(shufps, shufps) X(shufpd, shufpd)

/* The library's helpers: where each lies. */
enum {
#define X(name, insn) AT_##name,
	EACH(X)
#undef X
	HELPERS
};

static struct {
	enum how how;
	uint32_t mxcsr;
	bool wanted, looked, possible;
	void *helper[HELPERS];
	void (*update_mxcsr)(void *env);
} sse_state = { .mxcsr = MXCSR_START };

bool sse_possible(void)
{
	static const char *const name[] = {
#define X(name, insn) "helper_" #name "_x86_64",
		EACH(X)
#undef X
	};

	if (sse_state.looked)
		return sse_state.possible;
	sse_state.looked = true;
	*(void **)&sse_state.update_mxcsr = dlsym(RTLD_NEXT, "update_mxcsr_status_x86_64");
	sse_state.possible = sse_state.update_mxcsr;
	for (unsigned i = 0; i < HELPERS; i++) {
		sse_state.helper[i] = dlsym(RTLD_NEXT, name[i]);
		sse_state.possible = sse_state.possible && sse_state.helper[i];
	}
	return sse_state.possible;
}

static void choose(void)
{
	sse_state.how = !sse_state.wanted ? BY_LIBRARY : sse_state.mxcsr == MXCSR_START ? BY_HOST : BY_HOST_LOADED;
}

void sse_use(bool host)
{
	sse_state.wanted = host && sse_possible();
	choose();
}

/* The library calls it whenever MXCSR was written, by whatever. */
void update_mxcsr_status_x86_64(void *env);
void update_mxcsr_status_x86_64(void *env)
{
	uint32_t v;

	sse_possible();
	memcpy(&v, (char *)env + ENV_MXCSR, 4);
	sse_state.mxcsr = (v & MXCSR_CONTROL) | MXCSR_START;
	choose();
	if (sse_state.update_mxcsr)
		sse_state.update_mxcsr(env);
}

static inline __m128i get(const void *p)
{
	return _mm_castpd_si128(_mm_loadh_pd(_mm_load_sd(p), (const double *)p + 1));
}

static inline void put(void *p, __m128i v)
{
	_mm_storeu_si128(p, v);
}

static inline __m128i low8(const void *p)
{
	return _mm_loadl_epi64(p);
}

static inline __m128i low4(const void *p)
{
	int v;

	memcpy(&v, p, 4);
	return _mm_cvtsi32_si128(v);
}

static inline void put8(void *p, __m128i v)
{
	_mm_storel_epi64(p, v);
}

static inline void put4(void *p, __m128i v)
{
	int w = _mm_cvtsi128_si32(v);

	memcpy(p, &w, 4);
}

/* A shift count as the processor sees it: 255 for all that is larger.  Written as two words. */
static inline __m128i count(const void *p)
{
	const volatile uint32_t *w = p;
	uint32_t low = w[0], high = w[1];

	return _mm_cvtsi32_si128(high || low > 255 ? 255 : (int)low);
}

static void mxcsr_load(uint32_t v)
{
	__asm__ volatile("ldmxcsr %0" : : "m"(v));
}

/* @operation under the guest's MXCSR.  volatile: it must stay between the loads. */
#define UNDER_MXCSR(operation) \
	do { \
		if (__builtin_expect(sse_state.how == BY_HOST, 1)) { \
			operation; \
		} else { \
			mxcsr_load(sse_state.mxcsr); \
			operation; \
			mxcsr_load(MXCSR_START); \
		} \
	} while (0)
#define LIBRARY __builtin_expect(sse_state.how == BY_LIBRARY, 0)
#define OP(insn) __asm__ volatile(#insn " %1, %0" : "+x"(x) : "x"(y))

/* Helpers of the form f(env, destination, source). */
#define BINARY(name, operation) \
	void LIB(name)(void *env, void *d, void *s); \
	void LIB(name)(void *env, void *d, void *s) \
	{ \
		if (LIBRARY) { \
			((void (*)(void *, void *, void *))sse_state.helper[AT_##name])(env, d, s); \
			return; \
		} \
		operation; \
	}

#define X(name, insn) BINARY(name, __m128i x = get(d); __m128i y = get(s); OP(insn); put(d, x))
SSE_INTEGER(X)
#undef X
#define X(name, insn) BINARY(name, __m128i x = get(d); __m128i y = count(s); OP(insn); put(d, x))
SSE_SHIFT(X)
#undef X
#define X(name, insn) BINARY(name, __m128i x = get(d); __m128i y = get(s); UNDER_MXCSR(OP(insn)); put(d, x))
SSE_PACKED(X)
#undef X
#define X(name, insn) BINARY(name, __m128i x = low8(d); __m128i y = low8(s); UNDER_MXCSR(OP(insn)); put8(d, x))
SSE_DOUBLE(X)
#undef X
#define X(name, insn) BINARY(name, __m128i x = low4(d); __m128i y = low4(s); UNDER_MXCSR(OP(insn)); put4(d, x))
SSE_FLOAT(X)
#undef X
#define X(name, insn) BINARY(name, __m128i x = low8(d); __m128i y = low8(s); UNDER_MXCSR(OP(insn)); put(d, x))
SSE_WIDEN(X)
#undef X
#define X(name, insn) BINARY(name, __m128i x = low8(d); __m128i y = low4(s); UNDER_MXCSR(OP(insn)); put8(d, x))
SSE_TO_DOUBLE(X)
#undef X
#define X(name, insn) BINARY(name, __m128i x = low4(d); __m128i y = low8(s); UNDER_MXCSR(OP(insn)); put4(d, x))
SSE_TO_FLOAT(X)
#undef X

/* Comparisons leave the flags where the translator expects those of an unknown source. */
#define COMPARE(insn) \
	__asm__ volatile(#insn " %2, %1\n\tpushf\n\tpop %0" : "=r"(flags) : "x"(x), "x"(y) : "cc", "memory")
static inline void flags_put(void *env, uint64_t flags)
{
	flags &= FLAGS_OF_COMPARISON;
	memcpy((char *)env + ENV_CC_SRC, &flags, 8);
}
#define X(name, insn) \
	BINARY(name, uint64_t flags; __m128i x = low8(d); __m128i y = low8(s); UNDER_MXCSR(COMPARE(insn)); \
	       flags_put(env, flags))
SSE_COMPARE_DOUBLE(X)
#undef X
#define X(name, insn) \
	BINARY(name, uint64_t flags; __m128i x = low4(d); __m128i y = low4(s); UNDER_MXCSR(COMPARE(insn)); \
	       flags_put(env, flags))
SSE_COMPARE_FLOAT(X)
#undef X

/* f(env, source), returning a general register. */
#define UNARY(name, type, load, mnemonic) \
	type LIB(name)(void *env, void *s); \
	type LIB(name)(void *env, void *s) \
	{ \
		__m128i y; \
		type v; \
\
		if (LIBRARY) \
			return ((type(*)(void *, void *))sse_state.helper[AT_##name])(env, s); \
		y = load(s); \
		UNDER_MXCSR(__asm__ volatile(#mnemonic " %1, %0" : "=r"(v) : "x"(y))); \
		return v; \
	}
#define X(name, insn) UNARY(name, int32_t, low8, insn)
SSE_FROM_DOUBLE_32(X)
#undef X
#define X(name, insn) UNARY(name, int64_t, low8, insn)
SSE_FROM_DOUBLE_64(X)
#undef X
#define X(name, insn) UNARY(name, int32_t, low4, insn)
SSE_FROM_FLOAT_32(X)
#undef X
#define X(name, insn) UNARY(name, int64_t, low4, insn)
SSE_FROM_FLOAT_64(X)
#undef X
UNARY(pmovmskb_xmm, uint32_t, get, pmovmskb)
UNARY(movmskpd, uint32_t, get, movmskpd)
UNARY(movmskps, uint32_t, get, movmskps)

/* f(env, destination, general register). */
#define CONVERT(name, type, load, store, mnemonic) \
	void LIB(name)(void *env, void *d, type v); \
	void LIB(name)(void *env, void *d, type v) \
	{ \
		__m128i x; \
\
		if (LIBRARY) { \
			((void (*)(void *, void *, type))sse_state.helper[AT_##name])(env, d, v); \
			return; \
		} \
		x = load(d); \
		UNDER_MXCSR(__asm__ volatile(#mnemonic " %1, %0" : "+x"(x) : "r"(v))); \
		store(d, x); \
	}
#define X(name, insn) CONVERT(name, uint32_t, low8, put8, insn)
SSE_INTO_DOUBLE_32(X)
#undef X
#define X(name, insn) CONVERT(name, uint64_t, low8, put8, insn)
SSE_INTO_DOUBLE_64(X)
#undef X
#define X(name, insn) CONVERT(name, uint32_t, low4, put4, insn)
SSE_INTO_FLOAT_32(X)
#undef X
#define X(name, insn) CONVERT(name, uint64_t, low4, put4, insn)
SSE_INTO_FLOAT_64(X)
#undef X

/* f(destination, source, immediate): the immediate is no constant here. */
#define SHUFFLE(name, body) \
	void LIB(name)(void *d, void *s, int order); \
	void LIB(name)(void *d, void *s, int order) \
	{ \
		uint32_t out[4], *w = s, *v = d; \
\
		if (LIBRARY) { \
			((void (*)(void *, void *, int))sse_state.helper[AT_##name])(d, s, order); \
			return; \
		} \
		body; \
		memcpy(d, out, 16); \
	}
SHUFFLE(pshufd_xmm, (void)v; out[0] = w[order & 3]; out[1] = w[order >> 2 & 3]; out[2] = w[order >> 4 & 3];
	out[3] = w[order >> 6 & 3])
SHUFFLE(shufps, out[0] = v[order & 3]; out[1] = v[order >> 2 & 3]; out[2] = w[order >> 4 & 3];
	out[3] = w[order >> 6 & 3])
SHUFFLE(shufpd, memcpy(out, v + 2 * (order & 1), 8); memcpy(out + 2, w + (order & 2), 8))
