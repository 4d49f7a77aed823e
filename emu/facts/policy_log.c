/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The kernel log lines of the vsyscall code: texts, levels, and the line of each era.
 * Truth: Linux warn_bad_vsyscall() and its callers.
 */
#include <stdio.h>

#include "facts/policy_impl.h"

#define LOOK_UP " -- look up the vsyscall kernel parameter if you need a workaround"

enum { LEVEL_WARNING = 4, LEVEL_NOTICE = 5, LEVEL_INFO = 6, LEVEL_DEBUG = 7 };

static const struct {
	const char *name, *message;
	int level;
} tags[VSYSEMU_TAG_COUNT] = {
	[VSYSEMU_TAG_NO_LOG] = { "-", "", 0 },
	[VSYSEMU_TAG_ILL] = { "ILL", "illegal int 0xcc (exploit attempt?)", LEVEL_WARNING },
	[VSYSEMU_TAG_ILL32] = { "ILL32", "illegal int 0xcc from 32-bit mode", LEVEL_WARNING },
	[VSYSEMU_TAG_STK0] = { "STK0", "int 0xcc with bad stack (exploit attempt?)", LEVEL_WARNING },
	[VSYSEMU_TAG_MIS] = { "MIS",
			      "misaligned vsyscall (exploit attempt or buggy program)" LOOK_UP,
			      LEVEL_WARNING },
	[VSYSEMU_TAG_STK] = { "STK", "vsyscall with bad stack (exploit attempt?)", LEVEL_WARNING },
	[VSYSEMU_TAG_FLT] = { "FLT", "vsyscall fault (exploit attempt?)", LEVEL_INFO },
	[VSYSEMU_TAG_NONE] = { "NONE", "vsyscall attempted with vsyscall=none", LEVEL_INFO },
	[VSYSEMU_TAG_RD] = { "RD", "vsyscall read attempt denied" LOOK_UP, LEVEL_INFO },
	[VSYSEMU_TAG_SEC] = { "SEC", "seccomp tried to change syscall nr or ip", LEVEL_DEBUG },
};

static bool is_tag(enum vsysemu_tag tag)
{
	return (unsigned)tag < VSYSEMU_TAG_COUNT;
}

const char *vsysemu_tag_message(enum vsysemu_tag tag)
{
	return is_tag(tag) ? tags[tag].message : NULL;
}

const char *vsysemu_tag_name(enum vsysemu_tag tag)
{
	return is_tag(tag) ? tags[tag].name : NULL;
}

int policy_log_level(const struct vsysemu_profile *p, enum vsysemu_tag tag)
{
	return p->log_style == VSYSEMU_LOG_PLAIN ? tags[tag].level : LEVEL_NOTICE;
}

int vsysemu_log_format(const struct vsysemu_profile *p, const struct vsysemu_log *l,
		       const char *comm, int pid, char *text, size_t size)
{
	char prefix[24] = "", cs[16] = "";

	if (!is_tag(l->tag) || l->tag == VSYSEMU_TAG_NO_LOG)
		return snprintf(text, size, "%s", "");
	/* The level had become part of the format, behind the module's name. */
	if (p->log_style == VSYSEMU_LOG_PREFIX_ANGLE)
		snprintf(prefix, sizeof(prefix), "vsyscall_64: <%d>", tags[l->tag].level);
	else if (p->log_style == VSYSEMU_LOG_PREFIX_SOH)
		snprintf(prefix, sizeof(prefix), "vsyscall_64: \001%d", tags[l->tag].level);
	if (p->era != VSYSEMU_E1A)
		snprintf(cs, sizeof(cs), " cs:%x", l->cs);
	return snprintf(text, size, "%s%s[%d] %s ip:%llx%s sp:%llx ax:%llx si:%llx di:%llx", prefix,
			comm, pid, tags[l->tag].message, (unsigned long long)l->ip, cs,
			(unsigned long long)l->sp, (unsigned long long)l->ax,
			(unsigned long long)l->si, (unsigned long long)l->di);
}
