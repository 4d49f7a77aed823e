/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which paths of /proc and /dev are ours, and how their text becomes a descriptor: a sealed memory
 * file, so that read, seek, poll and fstat work on it without us.  The texts are in proctext.c.
 */
#include "kernel/procfs.h"

#include <errno.h>
#include <limits.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "kernel/fd.h"
#include "kernel/kernel.h"
#include "kernel/pids.h"

struct proc_name {
	const char *name;
	enum proc_file file;
};

/* Below /proc/PID/ and /proc/PID/task/TID/. */
static const struct proc_name own_names[] = {
	{ "exe", PROC_EXE }, { "mem", PROC_MEM }, { "fd", PROC_FD }, { "maps", PROC_MAPS },
	{ "smaps", PROC_SMAPS }, { "stat", PROC_STAT }, { "status", PROC_STATUS },
	{ "statm", PROC_STATM }, { "cmdline", PROC_CMDLINE }, { "environ", PROC_ENVIRON },
	{ "auxv", PROC_AUXV }, { "comm", PROC_COMM }, { "pagemap", PROC_PAGEMAP },
	{ "limits", PROC_LIMITS }, { "smaps_rollup", PROC_DENIED }, { "numa_maps", PROC_DENIED },
	{ "map_files", PROC_DENIED }, { "syscall", PROC_DENIED }, { "stack", PROC_DENIED },
	{ "timers", PROC_DENIED }, { "clear_refs", PROC_DENIED }, { "coredump_filter", PROC_DENIED },
	{ NULL, PROC_NONE }
};

static const struct proc_name other_names[] = {
	{ "stat", PROC_OTHER_STAT }, { "comm", PROC_OTHER_COMM }, { "cmdline", PROC_OTHER_CMDLINE },
	{ "mem", PROC_DENIED }, { "maps", PROC_DENIED }, { "smaps", PROC_DENIED },
	{ "environ", PROC_DENIED }, { "auxv", PROC_DENIED }, { "exe", PROC_DENIED },
	{ "pagemap", PROC_DENIED }, { "map_files", PROC_DENIED }, { "smaps_rollup", PROC_DENIED },
	{ "numa_maps", PROC_DENIED }, { "syscall", PROC_DENIED }, { "stack", PROC_DENIED },
	{ "clear_refs", PROC_DENIED }, { NULL, PROC_NONE }
};

static const struct proc_name system_names[] = {
	{ "cpuinfo", PROC_CPUINFO }, { "uptime", PROC_UPTIME }, { "stat", PROC_SYS_STAT },
	{ "version", PROC_VERSION }, { "loadavg", PROC_LOADAVG }, { "kcore", PROC_DENIED },
	{ "sys/kernel/osrelease", PROC_OSRELEASE }, { "sys/kernel/version", PROC_OSVERSION },
	{ "sys/kernel/vsyscall64", PROC_VSYSCALL64 },
	{ "sys/kernel/random/uuid", PROC_UUID }, { "sys/kernel/random/boot_id", PROC_BOOT_ID },
	{ NULL, PROC_NONE }
};

static enum proc_file lookup(const struct proc_name *n, const char *name)
{
	for (; n->name; n++)
		if (!strcmp(n->name, name))
			return n->file;
	/* What lies below a denied folder is denied too. */
	if (!strncmp(name, "map_files/", 10))
		return PROC_DENIED;
	return PROC_NONE;
}

/* "/proc//self/./fd" -> "/proc/self/fd"; false if too long. */
static bool squeeze(const char *in, char *out, size_t cap)
{
	size_t n = 0;

	while (*in) {
		while (in[0] == '/' && (in[1] == '/' || (in[1] == '.' && (in[2] == '/' || !in[2]))))
			in += in[1] == '/' ? 1 : 2;
		if (!*in)
			break;
		if (n + 1 >= cap)
			return false;
		out[n++] = *in++;
	}
	if (n > 1 && out[n - 1] == '/')
		n--;
	out[n] = 0;
	return true;
}

/* Of process @pid (virtual; 0: ourselves), the part after "/proc/PID". */
static enum proc_file find_process(struct kernel *k, pid_t pid, const char *rest, char *out,
				   size_t cap)
{
	bool own = pid == k->proc.pid;
	enum proc_file f;
	int tid, n = 0;
	char base[32];

	if (own)
		snprintf(base, sizeof(base), "/proc/self");
	else
		snprintf(base, sizeof(base), "/proc/%d", pids_host(k, pid));
	if (sscanf(rest, "/task/%d%n", &tid, &n) == 1 && (!rest[n] || rest[n] == '/')) {
		rest += n;
		/* Threads are ours, the host has one. */
		if (own && tid != k->proc.current->tid && *rest != '/')
			tid = k->proc.pid;
	}
	if (!*rest || !strcmp(rest, "/")) {
		snprintf(out, cap, "%s", base);
		return PROC_NONE;
	}
	f = lookup(own ? own_names : other_names, rest + 1);
	if (own && f == PROC_NONE && sscanf(rest, "/fd/%d%n", &tid, &n) == 1 && !rest[n] &&
	    fd_is_hidden(k, tid))
		return PROC_FD_ENTRY;
	snprintf(out, cap, "%s%s", base, rest);
	return f;
}

enum proc_file proc_find(struct kernel *k, const char *path, char *out, size_t cap, pid_t *pid)
{
	char name[PATH_MAX];
	enum proc_file f;
	const char *rest;
	char *end;
	long n;

	*pid = k->proc.pid;
	if (!squeeze(path, name, sizeof(name)))
		return PROC_NONE;
	/* The log of another machine than the modelled one: syslog(2) has that. */
	if (!strcmp(name, "/dev/kmsg"))
		return PROC_DENIED;
	if (!strcmp(name, "/dev/urandom") || !strcmp(name, "/dev/random"))
		return PROC_RANDOM;
	if (!strcmp(name, "/dev/mem") || !strcmp(name, "/dev/kmem") || !strcmp(name, "/dev/port"))
		return PROC_DENIED;
	if (!strncmp(name, "/dev/fd/", 8) && fd_is_hidden(k, atoi(name + 8)))
		return PROC_FD_ENTRY;
	if (strncmp(name, "/proc/", 6) != 0)
		return PROC_NONE;
	rest = name + 6;
	if (!strncmp(rest, "self", 4) && (rest[4] == '/' || !rest[4]))
		return rest[4] ? find_process(k, *pid, rest + 4, out, cap) : PROC_NONE;
	if (!strncmp(rest, "thread-self", 11) && (rest[11] == '/' || !rest[11]))
		return rest[11] ? find_process(k, *pid, rest + 11, out, cap) : PROC_NONE;
	n = strtol(rest, &end, 10);
	if (end != rest && (*end == '/' || !*end) && pids_find(k, (pid_t)n)) {
		*pid = (pid_t)n;
		return find_process(k, *pid, end, out, cap);
	}
	if (end != rest && (*end == '/' || !*end) && pids_virtual(k, (pid_t)n) >= PID_FIRST) {
		/* The emulator by its host id: as if there were none. */
		snprintf(out, cap, "/proc/none");
		return PROC_NONE;
	}
	f = lookup(system_names, rest);
	if (f == PROC_VSYSCALL64 && k->model->kernel->rules.era != VSYSEMU_E0)
		f = PROC_NONE;
	return f;
}

enum proc_file proc_identify(struct kernel *k, int fd, char *path, size_t cap, pid_t *pid)
{
	static const char *const hostile[] = { "mem", "pagemap", "map_files" };
	struct stat st, proc;
	char link[32];
	ssize_t n;
	long host;
	char *end;

	*pid = k->proc.pid;
	if (fstat(fd, &st))
		return PROC_NONE;
	if (S_ISCHR(st.st_mode) && major(st.st_rdev) == 1) {
		unsigned m = minor(st.st_rdev);

		snprintf(path, cap, "/dev/urandom");
		return m == 8 || m == 9 ? PROC_RANDOM : m == 1 || m == 2 || m == 4 ? PROC_DENIED :
										  PROC_NONE;
	}
	if (stat("/proc", &proc) || st.st_dev != proc.st_dev)
		return PROC_NONE;
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	n = readlink(link, path, cap - 1);
	if (n < 0)
		return PROC_DENIED;
	path[n] = 0;
	if (strncmp(path, "/proc/", 6) != 0)
		return PROC_NONE;
	host = strtol(path + 6, &end, 10);
	if (end == path + 6) /* not a process: the guest may have come here by another spelling */
		return proc_find(k, path, link, sizeof(link), pid);
	if (*end != '/')
		return PROC_NONE;
	if (pids_virtual(k, (pid_t)host) >= PID_FIRST) {
		char out[PATH_MAX];

		*pid = pids_virtual(k, (pid_t)host);
		return find_process(k, *pid, end, out, sizeof(out));
	}
	for (size_t i = 0; i < ARRAY_SIZE(hostile); i++)
		if (!strcmp(strrchr(path, '/') + 1, hostile[i]))
			return PROC_DENIED;
	return PROC_NONE;
}

static int64_t reserve_fd(int flags)
{
	int fd = memfd_create("proc", flags & O_CLOEXEC ? MFD_CLOEXEC : 0);

	return fd < 0 ? -errno : fd;
}

/* A read-only view of a memory file, at its start, on the lowest number. */
static int64_t text_fd(const struct buf *b, int flags)
{
	int64_t fd = reserve_fd(flags);
	char link[32];
	int ro;

	if (fd < 0)
		return fd;
	for (size_t done = 0; done < b->len;) {
		ssize_t n = write((int)fd, b->data + done, b->len - done);

		if (n <= 0)
			break;
		done += (size_t)n;
	}
	snprintf(link, sizeof(link), "/proc/self/fd/%d", (int)fd);
	ro = open(link, O_RDONLY | O_CLOEXEC | (flags & O_NONBLOCK));
	if (ro < 0)
		return fd;
	dup3(ro, (int)fd, flags & O_CLOEXEC);
	close(ro);
	return fd;
}

int64_t proc_open(struct kernel *k, enum proc_file f, const char *path, pid_t pid, int flags)
{
	struct fd_special *s;
	struct buf b = { 0 };
	int64_t fd;

	if (f == PROC_RANDOM) {
		fd = open("/dev/urandom", flags & ~(O_CREAT | O_TRUNC | O_EXCL));
		if (fd < 0)
			return -errno;
		fd_attach(k, (int)fd, FD_RANDOM);
		return fd;
	}
	if (f == PROC_MEM) {
		fd = reserve_fd(flags);
		if (fd < 0)
			return fd;
		s = fd_attach(k, (int)fd, FD_PROCMEM);
		s->write = (flags & O_ACCMODE) != O_RDONLY;
		s->pid = pid;
	} else {
		if (flags & O_DIRECTORY)
			return -ENOTDIR;
		if (f == PROC_COMM && (flags & O_ACCMODE) != O_RDONLY)
			return -EACCES;
		if ((flags & O_ACCMODE) != O_RDONLY)
			return -EACCES;
		fd = proc_text(k, f, pid, &b);
		if (!fd)
			fd = text_fd(&b, flags);
		buf_free(&b);
		if (fd < 0)
			return fd;
		s = fd_attach(k, (int)fd, FD_PROCTEXT);
	}
	s->path = xstrdup(path);
	return fd;
}
