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
	{ "limits", PROC_LIMITS }, { "children", PROC_CHILDREN }, { "smaps_rollup", PROC_DENIED }, { "numa_maps", PROC_DENIED },
	{ "map_files", PROC_DENIED }, { "syscall", PROC_DENIED }, { "stack", PROC_DENIED },
	{ "timers", PROC_DENIED }, { "clear_refs", PROC_DENIED }, { "coredump_filter", PROC_DENIED },
	{ NULL, PROC_NONE }
};

static const struct proc_name other_names[] = {
	{ "stat", PROC_OTHER_STAT }, { "status", PROC_OTHER_STATUS }, { "children", PROC_OTHER_CHILDREN },
	{ "comm", PROC_OTHER_COMM }, { "cmdline", PROC_OTHER_CMDLINE },
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

/* "/task/TID" at the head of *rest: skips it and tells who it is; false: there is no such thread. */
static bool find_thread(struct kernel *k, const char **rest, pid_t host, struct proc_who *who)
{
	char *end;
	long tid;

	if (strncmp(*rest, "/task/", 6) != 0)
		return true;
	tid = strtol(*rest + 6, &end, 10);
	if (end == *rest + 6 || (*end && *end != '/') || tid <= 0)
		return false;
	if (host && tid == host)
		tid = who->pid;
	if (pids_of_thread(k, (pid_t)tid) != who->pid)
		return false;
	*rest = end;
	who->tid = (pid_t)tid;
	who->alone = true;
	return true;
}

/* Of process who->pid, the part after "/proc/PID".  @host: thread ids are the host's. */
static enum proc_file find_process(struct kernel *k, struct proc_who *who, const char *rest, bool host, char *out,
				   size_t cap)
{
	bool own = who->pid == k->proc.pid;
	pid_t host_pid = pids_host(k, who->pid);
	enum proc_file f;
	char base[64];
	int fd, n = 0;

	if (own)
		snprintf(base, sizeof(base), "/proc/self");
	else
		snprintf(base, sizeof(base), "/proc/%d", host_pid);
	if (!strcmp(rest, "/task")) {
		snprintf(out, cap, "%s%s", base, rest);
		return PROC_TASK;
	}
	if (!find_thread(k, &rest, host ? host_pid : 0, who)) {
		snprintf(out, cap, "/proc/none/task");
		return PROC_GONE;
	}
	/* Threads are ours: the host has one. */
	if (who->alone)
		snprintf(base + strlen(base), sizeof(base) - strlen(base), "/task/%d", host_pid);
	if (!*rest) {
		snprintf(out, cap, "%s", base);
		return PROC_NONE;
	}
	f = lookup(own ? own_names : other_names, rest + 1);
	if ((f == PROC_CHILDREN || f == PROC_OTHER_CHILDREN) &&
	    (!who->alone || k->model->kernel->release_nr < KVER(3, 5)))
		f = PROC_GONE;
	if (own && f == PROC_NONE && sscanf(rest, "/fd/%d%n", &fd, &n) == 1 && !rest[n] && fd_is_hidden(k, fd))
		return PROC_FD_ENTRY;
	snprintf(out, cap, "%s%s", base, rest);
	return f;
}

enum proc_file proc_find(struct kernel *k, const char *path, char *out, size_t cap, struct proc_who *who)
{
	char name[PATH_MAX];
	enum proc_file f;
	const char *rest;
	char *end;
	long n;

	*who = (struct proc_who){ k->proc.pid, k->proc.pid, false };
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
		return rest[4] ? find_process(k, who, rest + 4, false, out, cap) : PROC_NONE;
	if (!strncmp(rest, "thread-self", 11) && (rest[11] == '/' || !rest[11])) {
		who->tid = k->proc.current->tid;
		who->alone = true;
		return rest[11] ? find_process(k, who, rest + 11, false, out, cap) : PROC_NONE;
	}
	n = strtol(rest, &end, 10);
	if (end != rest && (*end == '/' || !*end) && pids_of_thread(k, (pid_t)n)) {
		who->tid = (pid_t)n;
		who->pid = pids_of_thread(k, who->tid);
		return find_process(k, who, end, false, out, cap);
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

enum proc_file proc_identify(struct kernel *k, int fd, char *path, size_t cap, struct proc_who *who)
{
	static const char *const hostile[] = { "mem", "pagemap", "map_files" };
	struct stat st, proc;
	char link[32];
	ssize_t n;
	long host;
	char *end;

	*who = (struct proc_who){ k->proc.pid, k->proc.pid, false };
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
		return proc_find(k, path, link, sizeof(link), who);
	if (*end != '/')
		return PROC_NONE;
	if (pids_virtual(k, (pid_t)host) >= PID_FIRST) {
		char out[PATH_MAX];

		who->pid = who->tid = pids_virtual(k, (pid_t)host);
		return find_process(k, who, end, true, out, sizeof(out));
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
	ro = open(link, (flags & O_ACCMODE) | O_CLOEXEC | (flags & O_NONBLOCK));
	if (ro < 0)
		return fd;
	dup3(ro, (int)fd, flags & O_CLOEXEC);
	close(ro);
	return fd;
}

static int64_t open_random(struct kernel *k, int flags)
{
	int fd = open("/dev/urandom", flags & ~(O_CREAT | O_TRUNC | O_EXCL));

	if (fd < 0)
		return -errno;
	fd_attach(k, fd, FD_RANDOM);
	return fd;
}

/* The host's directory, so that fstat() and fchdir() work; what it lists is ours. */
static int64_t open_dir(struct kernel *k, struct proc_who who, int flags)
{
	char host[64], name[64];
	struct fd_special *s;
	int fd;

	snprintf(host, sizeof(host), "/proc/%d/task", pids_host(k, who.pid));
	fd = open(host, flags & ~O_CREAT);
	if (fd < 0)
		return -errno;
	snprintf(name, sizeof(name), "/proc/%d/task", who.pid);
	s = fd_attach(k, fd, FD_PROCDIR);
	s->path = xstrdup(name);
	s->pid = who.pid;
	return fd;
}

static int64_t open_text(struct kernel *k, enum proc_file f, struct proc_who who, int flags)
{
	bool write = (flags & O_ACCMODE) != O_RDONLY;
	struct buf b = { 0 };
	int64_t fd;

	if (flags & O_DIRECTORY)
		return -ENOTDIR;
	if (write && f != PROC_COMM && f != PROC_OTHER_COMM)
		return -EACCES;
	fd = proc_text(k, f, who, &b);
	if (!fd)
		fd = text_fd(&b, flags);
	buf_free(&b);
	return fd;
}

int64_t proc_open(struct kernel *k, enum proc_file f, const char *path, struct proc_who who, int flags)
{
	struct fd_special *s;
	int64_t fd;

	if (f == PROC_RANDOM)
		return open_random(k, flags);
	if (f == PROC_TASK)
		return open_dir(k, who, flags);
	fd = f == PROC_MEM ? reserve_fd(flags) : open_text(k, f, who, flags);
	if (fd < 0)
		return fd;
	s = fd_attach(k, (int)fd, f == PROC_MEM ? FD_PROCMEM : f == PROC_COMM || f == PROC_OTHER_COMM ? FD_PROCCOMM : FD_PROCTEXT);
	s->write = (flags & O_ACCMODE) != O_RDONLY;
	s->pid = s->kind == FD_PROCCOMM ? who.tid : who.pid;
	s->path = xstrdup(path);
	return fd;
}
