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

#define USER_HZ 100

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

static uint64_t mapped_bytes(struct kernel *k)
{
	const struct vma *v = NULL;
	uint64_t n = 0;

	while ((v = memory_next(k->mem, v)))
		n += v->end - v->start;
	return n;
}

static void cpu_ticks(struct kernel *k, uint64_t *user, uint64_t *sys)
{
	const struct clock *c = &k->clock;

	clock_cpu_ns(c, c->user_cycles16, c->system_cycles16, user, sys);
	*user /= NS_PER_S / USER_HZ;
	*sys /= NS_PER_S / USER_HZ;
}

static uint64_t signals_with(struct kernel *k, gaddr handler, bool equal)
{
	uint64_t set = 0;

	for (int n = 1; n <= SIG_MAX; n++)
		if ((k->proc.act[n].handler == handler) == equal && k->proc.act[n].handler)
			if (equal || k->proc.act[n].handler > 1)
				set |= SIGBIT(n);
	return set;
}

static void stat_text(struct kernel *k, struct buf *b)
{
	const struct process *p = &k->proc;
	const struct pid_slot *s = pids_self(k);
	uint64_t user, sys;
	const struct task *t = p->current;

	cpu_ticks(k, &user, &sys);
	buf_printf(b, "%d (%s) R %d %d %d 0 -1 4194304 0 0 0 0 %llu %llu %llu %llu 20 0 %zu 0 %llu ",
		   p->pid, t->comm, p->ppid, s ? s->pgid : p->pgid, s ? s->sid : p->sid,
		   (unsigned long long)user, (unsigned long long)sys,
		   (unsigned long long)(s ? s->user_ns / (NS_PER_S / USER_HZ) : 0),
		   (unsigned long long)(s ? s->system_ns / (NS_PER_S / USER_HZ) : 0), p->tasks.n,
		   (unsigned long long)((k->clock.start_ns + (uint64_t)k->clock.boot_offset_ns) /
					(NS_PER_S / USER_HZ)));
	buf_printf(b, "%llu %llu 18446744073709551615 0 0 %llu 0 0 %llu %llu %llu %llu 0 0 0 17 %u 0 0 "
		   "0 0 0 0 0 0 %llu %llu %llu %llu 0\n",
		   (unsigned long long)mapped_bytes(k), (unsigned long long)mapped_bytes(k) / PAGE_BYTES,
		   (unsigned long long)p->stack_top, (unsigned long long)(t->pending.set | p->pending.set),
		   (unsigned long long)t->mask, (unsigned long long)signals_with(k, 1, true),
		   (unsigned long long)signals_with(k, 1, false), t->cpu_nr,
		   (unsigned long long)p->arg_start, (unsigned long long)p->arg_end,
		   (unsigned long long)p->env_start, (unsigned long long)p->env_end);
}

static void capabilities(struct buf *b)
{
	FILE *f = fopen("/proc/self/status", "re");
	char line[256];

	while (f && fgets(line, sizeof(line), f))
		if (!strncmp(line, "Cap", 3))
			buf_printf(b, "%s", line);
	if (f)
		fclose(f);
}

static void status_text(struct kernel *k, struct buf *b)
{
	const struct process *p = &k->proc;
	const struct task *t = p->current;
	uid_t uid[3];
	gid_t gid[3];
	gid_t groups[256];
	int n = getgroups(256, groups);
	unsigned long kb = (unsigned long)(mapped_bytes(k) / 1024);

	if (getresuid(&uid[0], &uid[1], &uid[2]) || getresgid(&gid[0], &gid[1], &gid[2]))
		return;
	buf_printf(b, "Name:\t%s\nUmask:\t%04o\nState:\tR (running)\nTgid:\t%d\nNgid:\t0\nPid:\t%d\n"
		   "PPid:\t%d\nTracerPid:\t0\nUid:\t%u\t%u\t%u\t%u\nGid:\t%u\t%u\t%u\t%u\n"
		   "FDSize:\t64\nGroups:\t",
		   t->comm, (unsigned)p->umask, p->pid, t->tid, p->ppid, uid[0], uid[1], uid[2], uid[1],
		   gid[0], gid[1], gid[2], gid[1]);
	for (int i = 0; i < n; i++)
		buf_printf(b, "%u ", groups[i]);
	buf_printf(b, "\nVmPeak:\t%8lu kB\nVmSize:\t%8lu kB\nVmLck:\t       0 kB\nVmHWM:\t%8lu kB\n"
		   "VmRSS:\t%8lu kB\nThreads:\t%zu\nSigQ:\t0/0\nSigPnd:\t%016llx\nShdPnd:\t%016llx\n"
		   "SigBlk:\t%016llx\nSigIgn:\t%016llx\nSigCgt:\t%016llx\n",
		   kb, kb, kb, kb, p->tasks.n, (unsigned long long)t->pending.set,
		   (unsigned long long)p->pending.set, (unsigned long long)t->mask,
		   (unsigned long long)signals_with(k, 1, true),
		   (unsigned long long)signals_with(k, 1, false));
	capabilities(b);
	buf_printf(b, "NoNewPrivs:\t%d\nSeccomp:\t%d\nSpeculation_Store_Bypass:\tvulnerable\n"
		   "Cpus_allowed:\t1\nCpus_allowed_list:\t0\nMems_allowed:\t1\nMems_allowed_list:\t0\n"
		   "voluntary_ctxt_switches:\t0\nnonvoluntary_ctxt_switches:\t0\n",
		   t->no_new_privs, t->seccomp_mode);
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
	cpu_ticks(k, &user, &sys);
	for (unsigned i = 0; i < 2; i++)
		buf_printf(b, "cpu%s %llu 0 %llu %llu 0 0 0 0 0 0\n", i ? "0" : " ",
			   (unsigned long long)user, (unsigned long long)sys,
			   (unsigned long long)(k->clock.now_ns / (NS_PER_S / USER_HZ)) - user - sys);
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

static int64_t other_text(struct kernel *k, enum proc_file f, pid_t pid, struct buf *b)
{
	const struct pid_slot *s = pids_find(k, pid);

	if (!s)
		return -ENOENT;
	if (f == PROC_OTHER_COMM)
		buf_printf(b, "%.16s\n", s->comm);
	else if (f == PROC_OTHER_CMDLINE)
		buf_add(b, s->comm, strnlen(s->comm, 16) + 1);
	else
		buf_printf(b, "%d (%.16s) %c %d %d %d 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 1 0 0 0 0 "
			   "18446744073709551615 0 0 0 0 0 0 0 0 0 0 0 0 17 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n",
			   s->pid, s->comm, s->state == PID_ENDED ? 'Z' : 'S', s->ppid, s->pgid, s->sid);
	return 0;
}

int64_t proc_text(struct kernel *k, enum proc_file f, pid_t pid, struct buf *b)
{
	const struct process *p = &k->proc;
	const struct kernel_model *m = k->model->kernel;
	unsigned long pages = (unsigned long)(mapped_bytes(k) / PAGE_BYTES);

	switch (f) {
	case PROC_MAPS:
	case PROC_SMAPS:
		maps_text(k, b, f == PROC_SMAPS);
		return 0;
	case PROC_STAT:
		stat_text(k, b);
		return 0;
	case PROC_STATUS:
		status_text(k, b);
		return 0;
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
	case PROC_COMM:
		buf_printf(b, "%s\n", p->current->comm);
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
	case PROC_OTHER_STAT:
	case PROC_OTHER_COMM:
	case PROC_OTHER_CMDLINE:
		return other_text(k, f, pid, b);
	default:
		return -EACCES;
	}
}
