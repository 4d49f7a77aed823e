/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What instructions of each class cost here: chains in which each waits for the one before (latency), and for those
 * that keep their unit busy the same without the chain.  See calibrate.h.
 */
#include "cli/calibrate.h"

enum { LOOPS = 200, COPIES = 20 };

/* LOOPS times COPIES of @body; what it works on is set before. */
#define CHAIN(name, body)                                                                                         \
	static void run_##name(unsigned n)                                                                        \
	{                                                                                                         \
		uint64_t word = (uint64_t)(uintptr_t)&word;                                                       \
                                                                                                                  \
		__asm__ volatile("mov %1, %%rsi; mov $1, %%ecx; mov $1, %%r8d; mov $1234567, %%r9d\n\t"           \
				 "movabs $0x3ff0000000000001, %%rax; movq %%rax, %%xmm1; movq %%rax, %%xmm0\n\t"  \
				 "mov %1, %%rax; xor %%edx, %%edx\n"                                              \
				 "1: .rept 20\n\t" body "\n\t.endr\n\tdec %0\n\tjnz 1b"                           \
				 : "+r"(n) : "r"(&word) : "rax", "rcx", "rdx", "rsi", "r8", "r9", "xmm0", "xmm1", \
				   "xmm2", "memory", "cc");                                                       \
	}
CHAIN(alu, "add %%r8, %%rax")
CHAIN(lea, "lea 1(%%rax), %%rax")
CHAIN(lea3, "lea 1(%%rax,%%r8), %%rax")
CHAIN(shift, "rol $1, %%rax")
CHAIN(shcl, "shl %%cl, %%rax")
CHAIN(cmov, "cmovc %%r8, %%rax")
CHAIN(imul, "imul %%r8, %%rax")
CHAIN(bits, "bsf %%rax, %%rax")
CHAIN(vint, "paddd %%xmm1, %%xmm0")
CHAIN(vshift, "pslld $1, %%xmm0")
CHAIN(vshuf, "pshufd $0x4e, %%xmm0, %%xmm0")
CHAIN(vmul, "pmullw %%xmm1, %%xmm0")
CHAIN(vgpr, "movq %%rax, %%xmm0; movq %%xmm0, %%rax")
CHAIN(fpadd, "addsd %%xmm1, %%xmm0")
CHAIN(fpmul, "mulsd %%xmm1, %%xmm0")
CHAIN(cvt, "cvtsi2sd %%rax, %%xmm0; cvttsd2si %%xmm0, %%rax")
CHAIN(fpdiv, "divsd %%xmm1, %%xmm0")
CHAIN(fpsqrt, "sqrtsd %%xmm0, %%xmm0")
CHAIN(div32, "xor %%edx, %%edx; div %%ecx")
CHAIN(div64, "xor %%edx, %%edx; div %%rcx")
/* Not chained. */
CHAIN(fpdiv_busy, "movapd %%xmm1, %%xmm2; divsd %%xmm1, %%xmm2")
CHAIN(fpsqrt_busy, "movapd %%xmm1, %%xmm2; sqrtsd %%xmm1, %%xmm2")
CHAIN(div32_busy, "mov %%r9d, %%eax; xor %%edx, %%edx; div %%ecx")
CHAIN(div64_busy, "mov %%rsi, %%rax; xor %%edx, %%edx; div %%rcx")

static const struct {
	enum price_class cls;
	calibrate_fn *chain, *busy;
	double links; /* instructions of the class that a copy has one after the other */
} probes[] = {
#define X(key, links) { CLASS_##key, run_##key, NULL, links }
#define Y(key) { CLASS_##key, run_##key, run_##key##_busy, 1 }
	X(alu, 1), X(lea, 1), X(lea3, 1), X(shift, 1), X(shcl, 1), X(cmov, 1), X(imul, 1), X(bits, 1), X(vint, 1),
	X(vshift, 1), X(vshuf, 1), X(vmul, 1), X(vgpr, 2), X(fpadd, 1), X(fpmul, 1), X(cvt, 2), Y(fpdiv),
	Y(fpsqrt), Y(div32), Y(div64),
#undef X
#undef Y
};

void calibrate_classes(struct calibrate *c)
{
	for (size_t i = 0; i < ARRAY_SIZE(probes); i++) {
		struct price_class_row *row = &c->class_row[probes[i].cls];

		row->latency = calibrate_loop(probes[i].chain, LOOPS).cycles / (LOOPS * COPIES * probes[i].links);
		if (probes[i].busy)
			row->busy = calibrate_loop(probes[i].busy, LOOPS).cycles / (LOOPS * COPIES);
	}
}

void calibrate_write_classes(const struct calibrate *c, const struct cpu_model *base, struct buf *b)
{
	static const char *const name[] = {
#define X(key, meaning) #key,
		PRICE_CLASSES(X)
#undef X
	};

	/* A profile's factor on every block makes up for tables that are not the machine's. */
	buf_printf(b, "[core]\nload_latency = %.3g | measured | chained loads, 16 KiB\n"
		      "block_scale = 1 | measured | latencies are this machine's: a chain takes what its links do\n[classes]\n",
		   c->load_cycles[0] > 1 ? c->load_cycles[0] : 1);
	for (size_t i = 0; i < CLASS_COUNT; i++) {
		const struct price_class_row *r = &c->class_row[i], *was = &base->class_row[i];

		if (r->latency > 0)
			buf_printf(b, "class_%s = %.3g %.3g %.3g | measured | %s; slots as the base profile\n", name[i], r->latency,
				   was->uops, r->busy > 0 ? r->busy : was->busy,
				   r->busy > 0 ? "chained and not chained" : "chained");
	}
}
