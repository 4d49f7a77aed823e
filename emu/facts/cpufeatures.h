/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the modelled processor can do, once: CPUID reports the bits and /proc/cpuinfo the names.  It is what the
 * engine executes: no XSAVE, no AVX.  Names and their order as arch/x86/include/asm/cpufeatures.h has them;
 * bits as in SDM vol. 2A, CPUID.
 */
#ifndef VSYSEMU_FACTS_CPUFEATURES_H
#define VSYSEMU_FACTS_CPUFEATURES_H

/* X(word, bit, name); words: LEAF1_EDX, LEAF1_ECX, EXT1_EDX and EXT1_ECX (80000001h), EXT7_EDX (80000007h) or NONE,
 * which is no bit of CPUID but a conclusion of the kernel's. */
#define CPU_FEATURES(X)                                                                                     \
	X(LEAF1_EDX, 0, "fpu") X(LEAF1_EDX, 1, "vme") X(LEAF1_EDX, 2, "de") X(LEAF1_EDX, 3, "pse")          \
	X(LEAF1_EDX, 4, "tsc") X(LEAF1_EDX, 5, "msr") X(LEAF1_EDX, 6, "pae") X(LEAF1_EDX, 7, "mce")         \
	X(LEAF1_EDX, 8, "cx8") X(LEAF1_EDX, 9, "apic") X(LEAF1_EDX, 11, "sep") X(LEAF1_EDX, 12, "mtrr")     \
	X(LEAF1_EDX, 13, "pge") X(LEAF1_EDX, 14, "mca") X(LEAF1_EDX, 15, "cmov") X(LEAF1_EDX, 16, "pat")    \
	X(LEAF1_EDX, 17, "pse36") X(LEAF1_EDX, 19, "clflush") X(LEAF1_EDX, 23, "mmx")                       \
	X(LEAF1_EDX, 24, "fxsr") X(LEAF1_EDX, 25, "sse") X(LEAF1_EDX, 26, "sse2")                           \
	X(EXT1_EDX, 11, "syscall") X(EXT1_EDX, 20, "nx") X(EXT1_EDX, 27, "rdtscp") X(EXT1_EDX, 29, "lm")    \
	X(NONE, 0, "constant_tsc") X(EXT7_EDX, 8, "nonstop_tsc")                                            \
	X(LEAF1_ECX, 0, "pni") X(LEAF1_ECX, 1, "pclmulqdq") X(LEAF1_ECX, 9, "ssse3") X(LEAF1_ECX, 13, "cx16") \
	X(LEAF1_ECX, 19, "sse4_1") X(LEAF1_ECX, 20, "sse4_2") X(LEAF1_ECX, 22, "movbe")                     \
	X(LEAF1_ECX, 23, "popcnt") X(LEAF1_ECX, 25, "aes") X(LEAF1_ECX, 31, "hypervisor")                   \
	X(EXT1_ECX, 0, "lahf_lm")

enum cpu_feature_word { CPU_LEAF1_EDX, CPU_LEAF1_ECX, CPU_EXT1_EDX, CPU_EXT1_ECX, CPU_EXT7_EDX, CPU_NONE };

#define CPU_FEATURE_BIT_(w, bit, name) | (CPU_##w == cpu_word_ ? 1u << (bit) : 0)
/* The value of CPUID word @word. */
static inline unsigned cpu_feature_word(enum cpu_feature_word word)
{
	const enum cpu_feature_word cpu_word_ = word;

	return 0u CPU_FEATURES(CPU_FEATURE_BIT_);
}

#endif
