/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Proves: how the page looks to those who only look: a load, a store, the line of /proc/self/maps,
 * process_vm_readv, pread of /proc/self/mem, write(2) of its bytes, mmap over it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>

#include "vsyscall.h"

struct caught caught;

static void load(void)
{
	unsigned char c;

	if (sigsetjmp(caught.back, 1)) {
		caught_print("load");
		return;
	}
	__asm__ volatile("movb (%1), %0" : "=q"(c) : "r"(VSYS));
	printf("load: 0x%02x\n", c);
}

static void store(void)
{
	if (sigsetjmp(caught.back, 1)) {
		caught_print("store");
		return;
	}
	__asm__ volatile("movb $0x90, (%0)" : : "r"(VSYS) : "memory");
	printf("store: done\n");
}

static void maps(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[512];
	int found = 0;

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[vsyscall]")) {
			printf("maps: %s", line);
			found = 1;
		}
	if (!found)
		puts("maps: no line");
	if (f)
		fclose(f);
}

static void other_ways(void)
{
	unsigned char b[16] = { 0 };
	struct iovec to = { b, sizeof(b) }, from = { (void *)VSYS, sizeof(b) };
	ssize_t n = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
	int fd, p[2];

	printf("process_vm_readv: %zd %s\n", n, n < 0 ? strerror(errno) : "bytes");
	fd = open("/proc/self/mem", O_RDONLY);
	n = pread(fd, b, sizeof(b), (off_t)VSYS);
	printf("pread of mem: %zd %s\n", n, n < 0 ? strerror(errno) : "bytes");
	close(fd);
	if (!pipe(p)) {
		n = write(p[1], (void *)VSYS, 16);
		printf("write: %zd %s\n", n, n < 0 ? strerror(errno) : "bytes");
	}
	if (mmap((void *)VSYS, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) ==
	    MAP_FAILED)
		printf("mmap: %s\n", strerror(errno));
	if (mprotect((void *)VSYS, 4096, PROT_READ))
		printf("mprotect: %s\n", strerror(errno));
	if (munmap((void *)VSYS, 4096))
		printf("munmap: %s\n", strerror(errno));
}

int main(void)
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	caught_install(SIGSEGV);
	load();
	store();
	maps();
	other_ways();
	return 0;
}
