/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The keys of a kernel by its release: one list of changes, applied in order.  Names of eras and modes.
 * Stable and distribution kernels carry later changes; they take a release and change keys.
 */
#include <string.h>

#include "facts/policy_impl.h"

#define TASK_SIZE_4LEVEL 0x7ffffffff000ull

enum key {
	KEY_ERA, KEY_NONE_MAPPED, KEY_FETCH_BY_RIP, KEY_ORIG_RAX_RESET, KEY_ERRNO_MAX,
	KEY_ACTIONS, /* bits to add */
	KEY_LOG_STYLE, KEY_LIMIT_START
};

static const struct change {
	unsigned major, minor;
	enum key key;
	uint32_t value;
} changes[] = {
	{ 2, 6, KEY_ERA, VSYSEMU_E0 },
	{ 3, 1, KEY_ERA, VSYSEMU_E2 },
	{ 3, 3, KEY_ERA, VSYSEMU_E3 }, /* 4fc3490114bb */
	{ 3, 5, KEY_ERA, VSYSEMU_E4 }, /* 5651721edec2 */
	{ 3, 5, KEY_LOG_STYLE, VSYSEMU_LOG_PREFIX_ANGLE }, /* c767a54ba065 */
	{ 3, 6, KEY_LOG_STYLE, VSYSEMU_LOG_PREFIX_SOH }, /* KERN_* became \001N */
	{ 3, 7, KEY_ERA, VSYSEMU_E5 }, /* 87b526d349b0 */
	{ 3, 18, KEY_LOG_STYLE, VSYSEMU_LOG_PLAIN }, /* 53b884ac3745 */
	{ 3, 19, KEY_NONE_MAPPED, false }, /* 87983c66bc02 */
	{ 3, 19, KEY_ORIG_RAX_RESET, true }, /* 26893107aa71 */
	{ 4, 0, KEY_ERRNO_MAX, 4095 }, /* 580c57f10768 */
	{ 4, 14, KEY_ACTIONS, VSYSEMU_SECCOMP_KILL_PROCESS | VSYSEMU_SECCOMP_LOG },
	{ 4, 17, KEY_ERA, VSYSEMU_E6 }, /* 076ca272a14c */
	{ 5, 0, KEY_ACTIONS, VSYSEMU_SECCOMP_USER_NOTIF },
	{ 5, 3, KEY_ERA, VSYSEMU_E7 }, /* bd49e16e3339 */
	{ 5, 10, KEY_ACTIONS, VSYSEMU_SECCOMP_UNKNOWN_GROUP }, /* 4d671d922d51 */
	{ 6, 4, KEY_LIMIT_START, true },
	{ 6, 9, KEY_ERA, VSYSEMU_E8 }, /* 02b670c1f88e */
	{ 6, 18, KEY_FETCH_BY_RIP, true }, /* 8ba38a7a9a69 */
	{ 7, 1, KEY_ERA, VSYSEMU_E9 }, /* 8376b503b0f1 */
};
#define CHANGES (sizeof(changes) / sizeof(changes[0]))

enum { LAST_MAJOR = 7, LAST_MINOR = 1 };

static void apply(struct vsysemu_profile *p, const struct change *c)
{
	switch (c->key) {
	case KEY_ERA:
		p->era = (enum vsysemu_era)c->value;
		break;
	case KEY_NONE_MAPPED:
		p->none_mapped = c->value;
		break;
	case KEY_FETCH_BY_RIP:
		p->fetch_by_rip = c->value;
		break;
	case KEY_ORIG_RAX_RESET:
		p->orig_rax_reset = c->value;
		break;
	case KEY_ERRNO_MAX:
		p->errno_max = c->value;
		break;
	case KEY_ACTIONS:
		p->seccomp_actions |= c->value;
		break;
	case KEY_LOG_STYLE:
		p->log_style = (enum vsysemu_log_style)c->value;
		break;
	case KEY_LIMIT_START:
		/* The comparison is "start <= TASK_SIZE_MAX": that page's first byte passes. */
		p->user_limit_start = c->value;
		p->user_limit = p->task_size + 1;
		break;
	}
}

static bool is_later(unsigned major, unsigned minor, unsigned than_major, unsigned than_minor)
{
	return major > than_major || (major == than_major && minor > than_minor);
}

bool vsysemu_profile_release(struct vsysemu_profile *p, unsigned major, unsigned minor)
{
	if (is_later(2, 6, major, minor) || is_later(major, minor, LAST_MAJOR, LAST_MINOR))
		return false;
	*p = (struct vsysemu_profile){
		.task_size = TASK_SIZE_4LEVEL, .user_limit = TASK_SIZE_4LEVEL, .none_mapped = true,
		.errno_max = 65535,
	};
	for (size_t i = 0; i < CHANGES; i++)
		if (!is_later(changes[i].major, changes[i].minor, major, minor))
			apply(p, &changes[i]);
	return true;
}

void vsysemu_profile_init(struct vsysemu_profile *p, enum vsysemu_era era)
{
	/* `int 0xcc` never reached a release: the keys are those of the one before. */
	if (era >= VSYSEMU_E1A && era <= VSYSEMU_E1C) {
		vsysemu_profile_release(p, 3, 0);
		p->era = era;
		return;
	}
	for (size_t i = 0; i < CHANGES; i++)
		if (changes[i].key == KEY_ERA && changes[i].value == (uint32_t)era)
			vsysemu_profile_release(p, changes[i].major, changes[i].minor);
}

bool vsysemu_mode_valid(enum vsysemu_era era, enum vsysemu_mode mode)
{
	switch (mode) {
	case VSYSEMU_NATIVE:
		return era == VSYSEMU_E0 || (era >= VSYSEMU_E2 && era <= VSYSEMU_E5);
	case VSYSEMU_EMULATE:
		return era != VSYSEMU_E0;
	case VSYSEMU_XONLY:
		return era >= VSYSEMU_E7;
	case VSYSEMU_NONE:
		return era >= VSYSEMU_E2;
	default:
		return false;
	}
}

static const char *const mode_names[VSYSEMU_MODE_COUNT] = { "native", "emulate", "xonly", "none" };
static const char *const era_names[VSYSEMU_ERA_COUNT] = {
	"E0", "E1a", "E1b", "E1c", "E2", "E3", "E4", "E5", "E6", "E7", "E8", "E9",
};

static int find(const char *const *names, int n, const char *name)
{
	for (int i = 0; i < n; i++)
		if (!strcmp(names[i], name))
			return i;
	return -1;
}

const char *vsysemu_mode_name(enum vsysemu_mode mode)
{
	return (unsigned)mode < VSYSEMU_MODE_COUNT ? mode_names[mode] : NULL;
}

int vsysemu_mode_find(const char *name)
{
	return find(mode_names, VSYSEMU_MODE_COUNT, name);
}

const char *vsysemu_era_name(enum vsysemu_era era)
{
	return (unsigned)era < VSYSEMU_ERA_COUNT ? era_names[era] : NULL;
}

int vsysemu_era_find(const char *name)
{
	return find(era_names, VSYSEMU_ERA_COUNT, name);
}
