/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What happened and what it cost: see account.h. */
#include "run/account.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void account_init(struct account *a)
{
	memset(a, 0, sizeof(*a));
	a->history.shift = ACCOUNT_SHIFT_FIRST;
	a->counts.processes = a->counts.threads = 1;
}

static void charge(struct account *a, struct cost c)
{
	a->user_cycles16 += c.user16;
	a->system_cycles16 += c.system16;
}

struct cost account_event(struct account *a, const struct model *m, enum cost_event ev)
{
	struct cost c = model_price(m, ev);

	a->event[ev]++;
	charge(a, c);
	return c;
}

void account_extra(struct account *a, uint64_t user16, uint64_t system16)
{
	a->extra_user16 += user16;
	a->extra_system16 += system16;
	a->user_cycles16 += user16;
	a->system_cycles16 += system16;
}

void account_blocks(struct account *a, uint64_t insns, uint64_t cycles16, uint64_t missed16)
{
	a->counts.instructions += insns;
	a->block_cycles16 += cycles16 + missed16;
	a->branch_cycles16 += missed16;
	a->user_cycles16 += cycles16 + missed16;
}

struct cost account_vsyscall(struct account *a, const struct model *m, unsigned entry, enum account_arrival how,
			     bool error)
{
	struct account_call *call = &a->call[entry][PATH_VSYSCALL];
	struct cost c = account_event(a, m, how == ARRIVAL_REFUSED ? COST_VSYSCALL_REFUSED :
					    how == ARRIVAL_SKIPPED ? COST_VSYSCALL_SKIPPED :
						cost_event_of_call(PATH_VSYSCALL, (enum time_call)entry, 0));

	a->counts.vsyscalls++;
	call->count++;
	call->cycles16 += c.user16 + c.system16;
	call->errors += error || how == ARRIVAL_REFUSED;
	if (how == ARRIVAL_REFUSED)
		a->flags |= ACCOUNT_REFUSED;
	else if (how == ARRIVAL_DONE && entry != CALL_GETCPU)
		a->flags |= ACCOUNT_READ_CLOCK;
	return c;
}

struct cost account_stray(struct account *a, const struct model *m)
{
	return account_event(a, m, COST_VSYSCALL_REFUSED);
}

struct cost account_access(struct account *a, const struct model *m)
{
	return account_event(a, m, m->trap == TRAP_GEN_GP ? COST_VSYSCALL_REFUSED : COST_EXCEPTION);
}

struct cost account_vdso(struct account *a, const struct model *m, enum time_call c, int64_t clock_id)
{
	struct cost price = { 0 };

	a->counts.vdso++;
	if (c == CALL_COUNT)
		return price;
	price = account_event(a, m, cost_event_of_vdso(m, c, clock_id));
	a->call[c][PATH_VDSO].count++;
	a->call[c][PATH_VDSO].cycles16 += price.user16 + price.system16;
	if (c != CALL_GETCPU && c != CALL_CLOCK_GETRES)
		a->flags |= ACCOUNT_READ_CLOCK;
	return price;
}

struct cost account_syscall(struct account *a, const struct model *m, unsigned nr, uint64_t arg0, bool from_page)
{
	enum time_call c = time_call_of_syscall(nr);
	struct cost price = { 0 };

	a->counts.syscalls++;
	if (from_page)
		return price;
	price = account_event(a, m, cost_event_of_syscall(nr, arg0));
	if (c != CALL_COUNT) {
		a->call[c][PATH_SYSCALL].count++;
		a->call[c][PATH_SYSCALL].cycles16 += price.user16 + price.system16;
		if (c != CALL_GETCPU && c != CALL_CLOCK_GETRES)
			a->flags |= ACCOUNT_READ_CLOCK;
	}
	return price;
}

void account_result(struct account *a, enum call_path p, enum time_call c, int64_t result)
{
	if (c != CALL_COUNT && result < 0 && result >= -4095)
		a->call[c][p].errors++;
}

static void widen(struct account_history *h)
{
	for (unsigned p = 0; p < PATH_COUNT; p++)
		for (unsigned i = 0; i < ACCOUNT_BUCKETS; i++)
			h->count[p][i] = 2 * i < ACCOUNT_BUCKETS ? h->count[p][2 * i] + h->count[p][2 * i + 1] : 0;
	h->shift++;
}

void account_history(struct account *a, enum call_path p, uint64_t ns, uint64_t n)
{
	struct account_history *h = &a->history;

	while (ns >> h->shift >= ACCOUNT_BUCKETS)
		widen(h);
	h->count[p][ns >> h->shift] += n;
}

static void merge_history(struct account *to, const struct account_history *h)
{
	while (to->history.shift < h->shift)
		widen(&to->history);
	for (unsigned p = 0; p < PATH_COUNT; p++)
		for (uint64_t i = 0; i < ACCOUNT_BUCKETS; i++)
			if (h->count[p][i])
				account_history(to, (enum call_path)p, i << h->shift, h->count[p][i]);
}

void account_flag(struct account *a, enum account_flag f)
{
	a->flags |= f;
}

void account_unknown_syscall(struct account *a, unsigned nr)
{
	if (nr < ACCOUNT_SYSCALLS)
		a->unknown_syscall[nr / 64] |= 1ull << (nr % 64);
	else
		account_warn(a, "system call %u is not known: answered ENOSYS", nr);
}

void account_warn(struct account *a, const char *fmt, ...)
{
	char text[sizeof(a->warning[0])];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	for (unsigned i = 0; i < ACCOUNT_WARNINGS; i++) {
		if (!strcmp(a->warning[i], text))
			return;
		if (!a->warning[i][0]) {
			memcpy(a->warning[i], text, sizeof(text));
			return;
		}
	}
}

void account_merge(struct account *to, const struct account *from)
{
	uint64_t *d = (uint64_t *)&to->counts;
	const uint64_t *s = (const uint64_t *)&from->counts;

	for (size_t i = 0; i < sizeof(to->counts) / 8; i++)
		d[i] += s[i];
	for (unsigned i = 0; i < COST_EVENT_COUNT; i++)
		to->event[i] += from->event[i];
	to->block_cycles16 += from->block_cycles16;
	to->branch_cycles16 += from->branch_cycles16;
	to->extra_user16 += from->extra_user16;
	to->extra_system16 += from->extra_system16;
	to->user_cycles16 += from->user_cycles16;
	to->system_cycles16 += from->system_cycles16;
	to->flags |= from->flags;
	merge_history(to, &from->history);
	for (unsigned c = 0; c < CALL_COUNT; c++) {
		for (unsigned p = 0; p < PATH_COUNT; p++) {
			to->call[c][p].count += from->call[c][p].count;
			to->call[c][p].cycles16 += from->call[c][p].cycles16;
			to->call[c][p].errors += from->call[c][p].errors;
		}
	}
	for (unsigned i = 0; i < ACCOUNT_SYSCALLS / 64; i++)
		to->unknown_syscall[i] |= from->unknown_syscall[i];
	for (unsigned i = 0; i < ACCOUNT_WARNINGS && from->warning[i][0]; i++)
		account_warn(to, "%s", from->warning[i]);
}

void account_price(const struct account *a, const struct model *m, unsigned policy, uint64_t *user16,
		   uint64_t *system16)
{
	const struct cost *price = m->policy[policy].price.ev;

	*user16 = a->block_cycles16 + a->extra_user16;
	*system16 = a->extra_system16;
	for (unsigned i = 0; i < COST_EVENT_COUNT; i++) {
		*user16 += a->event[i] * price[i].user16;
		*system16 += a->event[i] * price[i].system16;
	}
}

uint64_t account_price_page(const struct account *a, const struct model *m, unsigned policy)
{
	const struct cost *price = m->policy[policy].price.ev;
	uint64_t sum16 = 0;

	for (unsigned i = COST_VSYSCALL_GETTIMEOFDAY; i <= COST_VSYSCALL_SKIPPED; i++)
		sum16 += a->event[i] * (price[i].user16 + price[i].system16);
	return sum16;
}
