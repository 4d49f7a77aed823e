/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The texts of /proc files that speak of the guest.  Formats: proc(5), Linux fs/proc/array.c,
 * task_mmu.c.
 */
#include <errno.h>
#include <linux/capability.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "kernel/ident.h"
#include "kernel/kernel.h"
#include "kernel/pids.h"
#include "kernel/procfs.h"
#include "kernel/random.h"
#include "kernel/vdso.h"

static bool hidden(const struct vma *v)
{
	return v->name && !strcmp(v->name, VDSO_HIDDEN_NAME);
}

static void map_line(struct buf *b, gaddr start, gaddr end, const char *perm, const struct vma *v)
{
	static const struct vma none;
	size_t at = b->len;

	if (!v)
		v = &none;
	buf_printf(b, "%08llx-%08llx %s %08llx %02x:%02x %llu ", (unsigned long long)start,
		   (unsigned long long)end, perm, (unsigned long long)v->offset, major(v->dev),
		   minor(v->dev), (unsigned long long)v->ino);
	if (v->name) {
		/* The name starts at column 73 (seq_pad to 25 + 6 * sizeof(void *) - 1). */
		while (b->len - at < 25 + 6 * 8)
			buf_add(b, " ", 1);
		buf_printf(b, "%s", v->name);
	}
	buf_add(b, "\n", 1);
}

/* The gate line, see the kernel's get_gate_vma(). */
static void gate_line(struct kernel *k, struct buf *b)
{
	static const struct vma gate = { .name = "[vsyscall]" };
	const struct model *m = k->model;

	if (m->mode == VSYSEMU_NONE && !m->kernel->rules.none_mapped)
		return;
	if (m->kernel->rules.compiled_out)
		return;
	map_line(b, VSYSCALL_PAGE, VSYSCALL_PAGE_END,
		 m->mode == VSYSEMU_XONLY ? "--xp" : "r-xp", &gate);
}

static void perms(const struct vma *v, char perm[5])
{
	perm[0] = v->prot & PROT_READ ? 'r' : '-';
	perm[1] = v->prot & PROT_WRITE ? 'w' : '-';
	perm[2] = v->prot & PROT_EXEC ? 'x' : '-';
	perm[3] = v->flags & MAP_SHARED ? 's' : 'p';
	perm[4] = 0;
}

static void maps_text(struct kernel *k, struct buf *b, bool smaps)
{
	const struct vma *v = NULL;
	char perm[5];

	while ((v = memory_next(k->mem, v))) {
		unsigned long kb = (unsigned long)((v->end - v->start) / 1024);

		if (hidden(v))
			continue;
		perms(v, perm);
		map_line(b, v->start, v->end, perm, v);
		if (smaps)
			buf_printf(b, "Size: %18lu kB\nKernelPageSize:        4 kB\n"
				   "MMUPageSize:           4 kB\nRss: %19lu kB\nPss: %19lu kB\n",
				   kb, kb, kb);
	}
	gate_line(k, b);
	if (k->page_told)
		k->page_told(k);
}

/* A range of guest memory as it is now: programs rewrite their arguments. */
static void memory_text(struct kernel *k, struct buf *b, gaddr start, gaddr end)
{
	char *p;

	if (end <= start || end - start > (8u << 20))
		return;
	p = buf_add(b, NULL, (size_t)(end - start));
	b->len -= memory_peek(k->mem, p, start, (size_t)(end - start));
}

static void uptime_text(struct kernel *k, struct buf *b)
{
	int64_t ns = 0;
	uint64_t cs;

	clock_read(&k->clock, CLOCK_BOOTTIME, &ns);
	cs = (uint64_t)ns / (NS_PER_S / 100);
	buf_printf(b, "%llu.%02u %llu.%02u\n", (unsigned long long)cs / 100, (unsigned)(cs % 100),
		   (unsigned long long)cs / 100, (unsigned)(cs % 100));
}

static void system_stat(struct kernel *k, struct buf *b)
{
	int64_t real = 0, boot = 0;
	uint64_t user, sys;

	clock_read(&k->clock, CLOCK_REALTIME, &real);
	clock_read(&k->clock, CLOCK_BOOTTIME, &boot);
	proc_cpu_ticks(k, NULL, &user, &sys);
	for (unsigned i = 0; i < 2; i++)
		buf_printf(b, "cpu%s %llu 0 %llu %llu 0 0 0 0 0 0\n", i ? "0" : " ",
			   (unsigned long long)user, (unsigned long long)sys,
			   (unsigned long long)(k->clock.now_ns / (NS_PER_S / PROC_HZ)) - user - sys);
	buf_printf(b, "intr 0\nctxt 0\nbtime %lld\nprocesses %u\nprocs_running 1\nprocs_blocked 0\n",
		   (long long)((real - boot) / (int64_t)NS_PER_S), pids_running(k));
}

static void uuid_text(struct kernel *k, struct buf *b)
{
	uint8_t u[16];

	random_bytes(k, u, sizeof(u));
	u[6] = (uint8_t)((u[6] & 0x0f) | 0x40);
	u[8] = (uint8_t)((u[8] & 0x3f) | 0x80);
	for (unsigned i = 0; i < 16; i++)
		buf_printf(b, "%02x%s", u[i], i == 3 || i == 5 || i == 7 || i == 9 ? "-" : "");
	buf_add(b, "\n", 1);
}

static void limits_text(struct kernel *k, struct buf *b)
{
	static const struct {
		const char *name, *unit;
	} row[RLIM_NLIMITS] = {
		{ "Max cpu time", "seconds" }, { "Max file size", "bytes" },
		{ "Max data size", "bytes" }, { "Max stack size", "bytes" },
		{ "Max core file size", "bytes" }, { "Max resident set", "bytes" },
		{ "Max processes", "processes" }, { "Max open files", "files" },
		{ "Max locked memory", "bytes" }, { "Max address space", "bytes" },
		{ "Max file locks", "locks" }, { "Max pending signals", "signals" },
		{ "Max msgqueue size", "bytes" }, { "Max nice priority", "" },
		{ "Max realtime priority", "" }, { "Max realtime timeout", "us" },
	};
	char soft[24], hard[24];

	buf_printf(b, "%-25s %-20s %-20s %-10s\n", "Limit", "Soft Limit", "Hard Limit", "Units");
	for (unsigned i = 0; i < RLIM_NLIMITS; i++) {
		uint64_t lim[2];

		rlimit_get(k, i, lim);
		snprintf(soft, sizeof(soft), "%llu", (unsigned long long)lim[0]);
		snprintf(hard, sizeof(hard), "%llu", (unsigned long long)lim[1]);
		buf_printf(b, "%-25s %-20s %-20s %-10s\n", row[i].name,
			   lim[0] == RLIM_INFINITY ? "unlimited" : soft,
			   lim[1] == RLIM_INFINITY ? "unlimited" : hard, row[i].unit);
	}
}

int64_t proc_text(struct kernel *k, enum proc_file f, struct proc_who who, struct buf *b)
{
	const struct process *p = &k->proc;
	const struct kernel_model *m = k->model->kernel;
	unsigned long pages = (unsigned long)(proc_mapped_bytes(k) / PAGE_BYTES);

	switch (f) {
	case PROC_MAPS:
	case PROC_SMAPS:
		maps_text(k, b, f == PROC_SMAPS);
		return 0;
	case PROC_STAT:
	case PROC_STATUS:
	case PROC_COMM:
	case PROC_CHILDREN:
	case PROC_OTHER_STAT:
	case PROC_OTHER_STATUS:
	case PROC_OTHER_COMM:
	case PROC_OTHER_CMDLINE:
	case PROC_OTHER_CHILDREN:
		return proc_task_text(k, f, who, b);
	case PROC_STATM:
		buf_printf(b, "%lu %lu 0 0 0 %lu 0\n", pages, pages, pages);
		return 0;
	case PROC_CMDLINE:
		memory_text(k, b, p->arg_start, p->arg_end);
		return 0;
	case PROC_ENVIRON:
		memory_text(k, b, p->env_start, p->env_end);
		return 0;
	case PROC_AUXV:
		buf_add(b, p->auxv.data, p->auxv.len);
		return 0;
	case PROC_LIMITS:
		limits_text(k, b);
		return 0;
	case PROC_CPUINFO:
		proc_cpuinfo(k, b);
		return 0;
	case PROC_UPTIME:
		uptime_text(k, b);
		return 0;
	case PROC_SYS_STAT:
		system_stat(k, b);
		return 0;
	case PROC_VERSION:
		buf_printf(b, "Linux version %s (vsysemu) %s\n", m->release, m->version);
		return 0;
	case PROC_OSRELEASE:
		buf_printf(b, "%s\n", m->release);
		return 0;
	case PROC_OSVERSION:
		buf_printf(b, "%s\n", m->version);
		return 0;
	case PROC_VSYSCALL64:
		buf_printf(b, "1\n");
		return 0;
	case PROC_LOADAVG:
		buf_printf(b, "0.00 0.00 0.00 1/%u %d\n", pids_running(k), p->pid);
		return 0;
	case PROC_UUID:
	case PROC_BOOT_ID:
		uuid_text(k, b);
		return 0;
	default:
		return -EACCES;
	}
}
