/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel's log, as far as it may be read: the kind of each vsyscall line since the last look.
 * The kernel prints ten such lines in five seconds; so that none is lost, we wait when that many
 * came.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/klog.h>
#include <time.h>
#include <unistd.h>

#include "conformance.h"

static struct {
	int fd; /* /dev/kmsg, or -1: syslog(2) */
	bool usable;
	int lines; /* in the current window of five seconds */
	struct timespec window;
	size_t seen; /* syslog(2): bytes already looked at */
	char text[262144];
} klog = { .fd = -1 };

static const char *const kinds[] = {
	"misaligned vsyscall", "vsyscall fault", "vsyscall with bad stack",
	"vsyscall attempted with vsyscall=none", "vsyscall read attempt denied",
	"seccomp tried to change", "illegal int 0xcc from 32-bit mode", "illegal int 0xcc",
	"int 0xcc with bad stack",
};

static void clock_now(struct timespec *t)
{
	clock_gettime(CLOCK_MONOTONIC, t);
}

void log_open(void)
{
	int n;

	clock_now(&klog.window);
	klog.fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (klog.fd >= 0 && lseek(klog.fd, 0, SEEK_END) >= 0) {
		klog.usable = true;
		return;
	}
	n = klogctl(3, klog.text, sizeof(klog.text) - 1);
	klog.usable = n >= 0;
	klog.seen = n > 0 ? (size_t)n : 0;
	klog.fd = -1;
}

static void add_kind(const char *line, char *out, size_t size)
{
	size_t i, n = strlen(out);
	char name[64], *p;

	for (i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (!strstr(line, kinds[i]))
			continue;
		klog.lines++;
		snprintf(name, sizeof(name), "%s", kinds[i]);
		for (p = name; *p; p++)
			if (*p == ' ')
				*p = '_';
		if (!strstr(out, name))
			snprintf(out + n, size - n, "%s%s", n ? "," : " klog=", name);
		return;
	}
}

static void read_kmsg(char *out, size_t size)
{
	ssize_t n;

	while ((n = read(klog.fd, klog.text, sizeof(klog.text) - 1)) > 0) {
		klog.text[n] = 0;
		add_kind(klog.text, out, size);
	}
}

static void read_syslog(char *out, size_t size)
{
	char *line, *next;
	int n = klogctl(3, klog.text, sizeof(klog.text) - 1);

	if (n < 0)
		return;
	klog.text[n] = 0;
	/* A ring that wrapped is looked at as a whole. */
	line = klog.text + (klog.seen <= (size_t)n ? klog.seen : 0);
	klog.seen = (size_t)n;
	for (; *line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = 0;
		else
			next = line + strlen(line);
		add_kind(line, out, size);
	}
}

void log_words(char *out, size_t size)
{
	struct timespec now, rest = { 0, 0 };

	out[0] = 0;
	if (!klog.usable)
		return;
	if (klog.fd >= 0)
		read_kmsg(out, size);
	else
		read_syslog(out, size);
	clock_now(&now);
	rest.tv_sec = 6 - (now.tv_sec - klog.window.tv_sec);
	if (rest.tv_sec > 0 && klog.lines < 8)
		return;
	if (klog.lines >= 8 && rest.tv_sec > 0)
		nanosleep(&rest, NULL);
	klog.lines = 0;
	clock_now(&klog.window);
}
