/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The kernel log: see klog.h.  Formats: arch/x86/mm/fault.c and kernel/traps.c of the releases named below. */
#include "kernel/klog.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

#include "kernel/sys.h"

#define BURST 10u
#define INTERVAL_NS (5 * NS_PER_S)
#define OPCODES_BEFORE 42u
#define OPCODES_ALL 64u
#define RING_BYTES (1u << 20)

/* Strings one after the other; room is taken with one atomic addition. */
struct klog_ring {
	_Atomic uint32_t used;
	struct klog_limit {
		uint64_t start_ns; /* 0: not begun */
		unsigned n;
	} vsyscall, printk; /* 10 lines per 5 s each (DEFAULT_RATELIMIT_*) */
	char text[RING_BYTES];
};

void klog_init(struct kernel *k)
{
	void *p = mmap(NULL, sizeof(*k->log.ring), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	k->log.ring = p == MAP_FAILED ? xcalloc(1, sizeof(*k->log.ring)) : p;
}

const char *klog_line(const struct kernel *k, size_t i)
{
	const struct klog_ring *r = k->log.ring;
	uint32_t at = 0, used = r ? atomic_load(&r->used) : 0;

	for (; at < used && i; i--)
		at += (uint32_t)strlen(r->text + at) + 1;
	return at < used ? r->text + at : NULL;
}

size_t klog_count(const struct kernel *k)
{
	const struct klog_ring *r = k->log.ring;
	size_t n = 0;

	for (uint32_t at = 0, used = r ? atomic_load(&r->used) : 0; at < used; n++)
		at += (uint32_t)strlen(r->text + at) + 1;
	return n;
}

static void keep(struct kernel *k, const char *text)
{
	uint32_t n = (uint32_t)strlen(text) + 1, at;

	/* A full log loses what comes last: the first lines tell what happened. */
	if (!k->log.ring || atomic_load(&k->log.ring->used) + n > RING_BYTES)
		return;
	at = atomic_fetch_add(&k->log.ring->used, n);
	if (at + n <= RING_BYTES)
		memcpy(k->log.ring->text + at, text, n);
}

/* SYSLOG_ACTION_READ_ALL 3, SIZE_UNREAD 9, SIZE_BUFFER 10 (include/linux/syslog.h). */
int64_t sys_syslog(struct kernel *k, const uint64_t a[6])
{
	struct buf b = { 0 };
	int64_t r = -EFAULT;
	size_t n;

	if (a[0] == 10)
		return RING_BYTES;
	if (a[0] == 9)
		return 0;
	if (a[0] != 3)
		return -EPERM;
	if (!a[1] || (int)a[2] < 0)
		return -EINVAL;
	for (size_t i = 0, all = klog_count(k); i < all; i++)
		buf_printf(&b, "<4>[%5d.%06d] %s\n", 0, 0, klog_line(k, i));
	n = b.len < (size_t)(int)a[2] ? b.len : (size_t)(int)a[2];
	if (!n || !memory_write(k->mem, a[1], b.data + (b.len - n), n))
		r = (int64_t)n;
	buf_free(&b);
	return r;
}

void klog_print(struct kernel *k, const char *text)
{
	uint64_t us = k->clock.now_ns / 1000;

	keep(k, text);
	if (k->log.to_stderr)
		dprintf(k->log_fd, "kernel: [%5d.%06d] %s\n", (int)(us / 1000000), (int)(us % 1000000), text);
}

static bool limited(struct kernel *k, struct klog_limit *l)
{
	if (!l->start_ns || k->clock.now_ns - l->start_ns > INTERVAL_NS) {
		l->start_ns = k->clock.now_ns;
		l->n = 0;
	}
	return l->n++ >= BURST;
}

void klog_vsyscall(struct kernel *k, const struct vsysemu_log *l)
{
	char text[512];

	if (l->tag == VSYSEMU_TAG_NO_LOG || limited(k, &k->log.ring->vsyscall))
		return;
	vsysemu_log_format(&k->model->kernel->rules, l, k->proc.current->comm, k->proc.pid, text, sizeof(text));
	klog_print(k, text);
}

/* mm/memory.c print_vma_addr(): the file that RIP lies in. */
static void add_object(struct kernel *k, struct buf *b, gaddr rip)
{
	const struct vma *v = memory_find(k->mem, rip);
	const char *base;

	if (!v || v->start > rip || !v->name || v->name[0] != '/')
		return;
	base = strrchr(v->name, '/') + 1;
	if (k->model->kernel->release_nr >= KVER(6, 10))
		buf_printf(b, " in %s[%lx,%lx+%lx]", base, (unsigned long)(rip - v->start + v->offset),
			   (unsigned long)v->start, (unsigned long)(v->end - v->start));
	else
		buf_printf(b, " in %s[%lx+%lx]", base, (unsigned long)v->start,
			   (unsigned long)(v->end - v->start));
}

/* show_opcodes() of 4.20 and later. */
static void print_opcodes(struct kernel *k, gaddr rip)
{
	uint8_t code[OPCODES_ALL];
	struct buf b = { 0 };

	buf_printf(&b, "Code: ");
	if (memory_peek(k->mem, code, rip - OPCODES_BEFORE, OPCODES_ALL)) {
		if (k->model->kernel->release_nr >= KVER(5, 8))
			buf_printf(&b, "Unable to access opcode bytes at %s0x%lx.",
				   k->model->kernel->release_nr < KVER(6, 1) ? "RIP " : "",
				   (unsigned long)(rip - OPCODES_BEFORE));
		else
			buf_printf(&b, "Bad RIP value.");
	} else {
		for (unsigned i = 0; i < OPCODES_ALL; i++)
			buf_printf(&b, i == OPCODES_BEFORE ? "%s<%02x>" : "%s%02x", i ? " " : "", code[i]);
	}
	klog_print(k, b.data);
	buf_free(&b);
}

void klog_fault(struct kernel *k, int signo, const char *what, gaddr addr, uint64_t error_code)
{
	const struct task *t = k->proc.current;
	gaddr rip = engine_get(k->engine, REG_RIP), sp = engine_get(k->engine, REG_RSP);
	struct buf b = { 0 };

	if (k->proc.act[signo].handler > 1 || limited(k, &k->log.ring->printk))
		return;
	if (!strcmp(what, "segfault"))
		buf_printf(&b, "%s[%d]: segfault at %lx ip %016lx sp %016lx error %lx", t->comm, t->tid,
			   (unsigned long)addr, (unsigned long)rip, (unsigned long)sp, (unsigned long)error_code);
	else
		buf_printf(&b, "%s%s[%d] %s ip:%lx sp:%lx error:%lx",
			   k->model->kernel->release_nr >= KVER(3, 5) ? "traps: " : "", t->comm, t->tid, what,
			   (unsigned long)rip, (unsigned long)sp, (unsigned long)error_code);
	add_object(k, &b, rip);
	if (!strcmp(what, "segfault") && k->model->kernel->release_nr >= KVER(6, 1))
		buf_printf(&b, " likely on CPU %u (core %u, socket 0)", t->cpu_nr, t->cpu_nr);
	klog_print(k, b.data);
	buf_free(&b);
	if (!strcmp(what, "segfault") && k->model->kernel->release_nr >= KVER(4, 20))
		print_opcodes(k, rip);
}

void klog_free(struct kernel *k)
{
	if (k->log.ring)
		munmap(k->log.ring, sizeof(*k->log.ring));
	k->log.ring = NULL;
}
