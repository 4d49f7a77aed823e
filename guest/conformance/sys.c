/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows whose thing under test is a system call on the page, or two doors to one answer. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "conformance.h"

static const char *tell(long r, char *text, size_t size)
{
	int err = r == -1 ? errno : 0;

	snprintf(text, size, "%s rax=%ld errno=%d", err ? "err" : "ok", r, err);
	return text;
}

static long copy(bool write, uint64_t at, size_t n)
{
	static char buf[64];
	struct iovec l = { buf, n }, r = { (void *)at, n };

	return syscall(write ? SYS_process_vm_writev : SYS_process_vm_readv, (long)getpid(), &l, 1ul,
		       &r, 1ul, 0ul);
}

/* /proc/self/mem by position or by seeking. */
static long procmem(bool write, bool seek, uint64_t at)
{
	static char buf[16];
	int fd = open("/proc/self/mem", write ? O_RDWR : O_RDONLY);
	long r;

	if (fd < 0)
		return -1;
	if (!seek)
		return syscall(write ? SYS_pwrite64 : SYS_pread64, fd, buf, sizeof(buf), at);
	r = syscall(SYS_lseek, fd, at, SEEK_SET);
	if (r == -1)
		return r;
	return syscall(write ? SYS_write : SYS_read, fd, buf, sizeof(buf));
}

static long seek_low32(void)
{
	int fd = open("/proc/self/mem", O_RDONLY);
	long r = syscall(SYS_lseek, fd, PAGE_VSYS, SEEK_SET);

	return r == -1 ? r : (long)((unsigned long)r & 0xffffffff);
}

static long piped(bool read_into)
{
	int fd[2];

	if (pipe(fd))
		return -1;
	if (!read_into)
		return syscall(SYS_write, fd[1], PAGE_VSYS, 1ul);
	syscall(SYS_write, fd[1], "x", 1ul);
	return syscall(SYS_read, fd[0], PAGE_VSYS, 1ul);
}

enum action {
	VM_READ, VM_WRITE, MEM_PREAD, MEM_PREAD_BELOW, MEM_SEEK_READ, MEM_LOW32, MEM_SEEK_END,
	MEM_PWRITE, MEM_SEEK_WRITE, PIPE_READ, PIPE_WRITE, MPROTECT, MPROTECT_NONE, MUNMAP, MMAP,
	MINCORE, MADVISE, MLOCK, MSYNC, MREMAP, SIGPROCMASK, FUTEX, MMAP_NOREPLACE
};

const char *const sys_names[] = {
	[VM_READ] = "process_vm_readv", [VM_WRITE] = "process_vm_writev",
	[MEM_PREAD] = "procmem-read", [MEM_PREAD_BELOW] = "procmem-read-0x1000",
	[MEM_SEEK_READ] = "procmem-lseek+read", [MEM_LOW32] = "procmem-lseek-result-low32",
	[MEM_SEEK_END] = "procmem-lseek+read+ff8", [MEM_PWRITE] = "procmem-write",
	[MEM_SEEK_WRITE] = "procmem-lseek+write", [PIPE_READ] = "read(pipe,page,1)",
	[PIPE_WRITE] = "write(pipe,page,1)", [MPROTECT] = "mprotect(page,RWX)",
	[MPROTECT_NONE] = "mprotect(page,NONE)", [MUNMAP] = "munmap(page)",
	[MMAP] = "mmap-fixed(page)", [MINCORE] = "mincore(page)",
	[MADVISE] = "madvise(page,DONTNEED)", [MLOCK] = "mlock(page)", [MSYNC] = "msync(page)",
	[MREMAP] = "mremap(page)", [SIGPROCMASK] = "rt_sigprocmask(set=page)",
	[FUTEX] = "futex(page)", [MMAP_NOREPLACE] = "mmap-fixed-noreplace(page)", NULL
};

static long act(enum action a)
{
	static unsigned char vec[1];
	const int rwx = PROT_READ | PROT_WRITE | PROT_EXEC;

	switch (a) {
	case VM_READ: return copy(false, PAGE_VSYS, 16);
	case VM_WRITE: return copy(true, PAGE_VSYS, 16);
	case MEM_PREAD: return procmem(false, false, PAGE_VSYS);
	case MEM_PREAD_BELOW: return procmem(false, false, PAGE_VSYS - 0x1000);
	case MEM_SEEK_READ: return procmem(false, true, PAGE_VSYS);
	case MEM_LOW32: return seek_low32();
	case MEM_SEEK_END: return procmem(false, true, PAGE_VSYS + 0xff8);
	case MEM_PWRITE: return procmem(true, false, PAGE_VSYS);
	case MEM_SEEK_WRITE: return procmem(true, true, PAGE_VSYS);
	case PIPE_READ: return piped(true);
	case PIPE_WRITE: return piped(false);
	case MPROTECT: return syscall(SYS_mprotect, PAGE_VSYS, 4096ul, rwx);
	case MPROTECT_NONE: return syscall(SYS_mprotect, PAGE_VSYS, 4096ul, 0);
	case MUNMAP: return syscall(SYS_munmap, PAGE_VSYS, 4096ul);
	case MMAP: return syscall(SYS_mmap, PAGE_VSYS, 4096ul, rwx, 0x32, -1l, 0l);
	case MMAP_NOREPLACE: return syscall(SYS_mmap, PAGE_VSYS, 4096ul, rwx, 0x100022, -1l, 0l);
	case MINCORE: return syscall(SYS_mincore, PAGE_VSYS, 4096ul, vec);
	case MADVISE: return syscall(SYS_madvise, PAGE_VSYS, 4096ul, 4);
	case MLOCK: return syscall(SYS_mlock, PAGE_VSYS, 4096ul);
	case MSYNC: return syscall(SYS_msync, PAGE_VSYS, 4096ul, 4);
	case MREMAP: return syscall(SYS_mremap, PAGE_VSYS, 4096ul, 8192ul, 1);
	case SIGPROCMASK: return syscall(SYS_rt_sigprocmask, 0, PAGE_VSYS, 0l, 8ul);
	case FUTEX: return syscall(SYS_futex, PAGE_VSYS, 0, 0, 0l);
	}
	return 0;
}

static void sys_body(const char *name, char *text, size_t size)
{
	int i;

	for (i = 0; sys_names[i]; i++)
		if (!strcmp(name, sys_names[i]))
			tell(act((enum action)i), text, size);
}

/* The page and the system call must agree: seconds to one, the processor at once or on retry. */
static void consistency_body(const char *name, char *text, size_t size)
{
	long (*vtime)(long *) = (long (*)(long *))(PAGE_VSYS + 0x400);
	long (*vgtod)(struct timeval *, void *) = (long (*)(struct timeval *, void *))PAGE_VSYS;
	long (*vgetcpu)(unsigned *, unsigned *, void *) =
		(long (*)(unsigned *, unsigned *, void *))(PAGE_VSYS + 0x800);
	struct timeval a, b;
	unsigned cpu = 0, node = 0, cpu2 = 1, node2 = 1;
	long d = 100, i;

	if (!strcmp(name, "time-vs-syscall")) {
		d = vtime(NULL) - syscall(SYS_time, 0l);
		d = d < 0 ? -d : d;
		d = d <= 1 ? 0 : d;
	} else if (!strcmp(name, "gtod-vs-syscall")) {
		vgtod(&a, NULL);
		syscall(SYS_gettimeofday, &b, 0l);
		d = (b.tv_sec - a.tv_sec) * 1000000 + b.tv_usec - a.tv_usec;
		d = d >= -1 && d < 1000000 ? 0 : d;
	} else if (!strcmp(name, "getcpu-vs-syscall")) {
		for (i = 0; i < 100 && (cpu != cpu2 || node != node2); i++) {
			vgetcpu(&cpu, &node, NULL);
			syscall(SYS_getcpu, &cpu2, &node2, 0l);
		}
		d = cpu == cpu2 && node == node2 ? 0 : 1;
	}
	snprintf(text, size, d ? "differs %ld" : "ok", d);
}

bool sys_row(const char *name, struct probe *p)
{
	static const char *const pairs[] = { "time-vs-syscall", "gtod-vs-syscall", "getcpu-vs-syscall" };
	size_t i;

	p->arg = name;
	for (i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		if (strcmp(name, pairs[i]))
			continue;
		p->body = consistency_body;
		p->prepare = PREPARE_DEFAULT;
		return true;
	}
	for (i = 0; sys_names[i]; i++)
		if (!strcmp(name, sys_names[i]))
			p->body = sys_body;
	return p->body;
}
