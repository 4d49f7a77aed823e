/* SPDX-License-Identifier: GPL-2.0-or-later */
/* /proc/cpuinfo of the modelled processor, its flags from where CPUID has them (run/cpuid.c).  arch/x86/kernel/cpu/proc.c. */
#include "facts/cpufeatures.h"
#include "kernel/kernel.h"
#include "kernel/procfs.h"

#define NAME(word, bit, name) " " name
#define FLAGS CPU_FEATURES(NAME)

void proc_cpuinfo(struct kernel *k, struct buf *b)
{
	const struct cpu_model *c = k->model->cpu;
	unsigned n = k->cpus ? k->cpus : 1;

	for (unsigned i = 0; i < n; i++) {
		buf_printf(b, "processor\t: %u\nvendor_id\t: %s\ncpu family\t: %u\nmodel\t\t: %u\nmodel name\t: %s\n"
			      "stepping\t: %u\ncpu MHz\t\t: %lu.%03lu\ncache size\t: 8192 KB\nphysical id\t: 0\n"
			      "siblings\t: %u\ncore id\t\t: %u\ncpu cores\t: %u\napicid\t\t: %u\ninitial apicid\t: %u\n"
			      "fpu\t\t: yes\nfpu_exception\t: yes\ncpuid level\t: 7\nwp\t\t: yes\nflags\t\t:%s\n"
			      "bogomips\t: %lu.%02lu\nclflush size\t: 64\ncache_alignment\t: 64\n"
			      "address sizes\t: 39 bits physical, 48 bits virtual\npower management:\n\n",
			   i, c->vendor, c->family, c->model, c->brand, c->stepping, (unsigned long)(c->core_hz / 1000000),
			   (unsigned long)(c->core_hz / 1000 % 1000), n, i, n, i, i, FLAGS,
			   (unsigned long)(c->tsc_hz / 500000), (unsigned long)(c->tsc_hz / 5000 % 100));
	}
}
