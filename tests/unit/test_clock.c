/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Virtual time: whatever order work, sleeps, ticks and reads come in, no clock goes backwards and all
 * of them tell the same story.  SOAK in the environment: a hundred times as long.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "facts/clock.h"

#define EPOCH_NS 1325376000000000000ll

static uint64_t next(uint64_t *x)
{
	*x ^= *x << 13;
	*x ^= *x >> 7;
	*x ^= *x << 17;
	return *x;
}

/* All that can be read, at one instant. */
struct reading {
	uint64_t tsc, v;
	int64_t mono, real, raw, boot, mono_coarse, real_coarse, seconds;
};

static struct reading take(const struct clock *c)
{
	struct reading r = { .tsc = clock_tsc(c), .v = c->now_ns, .seconds = clock_time(c) };

	assert_true(clock_read(c, CLOCK_MONOTONIC, &r.mono));
	assert_true(clock_read(c, CLOCK_REALTIME, &r.real));
	assert_true(clock_read(c, CLOCK_MONOTONIC_RAW, &r.raw));
	assert_true(clock_read(c, CLOCK_BOOTTIME, &r.boot));
	assert_true(clock_read(c, CLOCK_MONOTONIC_COARSE, &r.mono_coarse));
	assert_true(clock_read(c, CLOCK_REALTIME_COARSE, &r.real_coarse));
	return r;
}

static void compare(const struct clock *c, const struct reading *a, const struct reading *b)
{
	int64_t tick_ns = (int64_t)(NS_PER_S / c->tick_hz), wall = c->epoch_ns - (int64_t)c->start_ns;
	int64_t lag = b->mono - b->mono_coarse;

	assert_true(b->tsc >= a->tsc && b->v >= a->v && b->mono >= a->mono && b->real >= a->real);
	assert_true(b->raw >= a->raw && b->boot >= a->boot && b->seconds >= a->seconds);
	assert_true(b->mono_coarse >= a->mono_coarse && b->real_coarse >= a->real_coarse);
	/* One story: wall time is monotonic time moved, coarse clocks lag by less than two ticks. */
	assert_int_equal(b->real - b->mono, wall);
	assert_int_equal(b->real_coarse - b->mono_coarse, wall);
	assert_int_equal(b->seconds, b->real_coarse / (int64_t)NS_PER_S);
	assert_true(lag >= -1 && lag <= tick_ns + 1000);
	/* The kernel's second is V's but for the rounding of mult within a tick. */
	assert_true(llabs(b->mono - (int64_t)b->v) <= 2 + tick_ns / 1000000);
	/* Tick by tick the counter's rate is the profile's. */
	assert_true(b->tsc - clock_tsc_at(c, b->v) <= c->tsc_hz / NS_PER_S + 2);
}

static void step(struct clock *c, uint64_t *x)
{
	uint64_t r = next(x);

	switch (r & 7) {
	case 0:
		clock_sleep_until(c, c->now_ns + (r >> 8) % (3 * NS_PER_S));
		break;
	case 1: /* into the past: no effect */
		clock_sleep_until(c, c->now_ns - (r >> 8) % 1000);
		break;
	case 2:
		clock_sleep_until(c, clock_next_tick_ns(c));
		break;
	default:
		clock_work(c, (r >> 8) % 5000, (r >> 40) % 5000);
	}
	/* As the loop does: the record is renewed whenever a tick is due. */
	clock_update(c);
}

static void never_backwards(void **state)
{
	static const struct {
		uint64_t core_hz, tsc_hz;
		uint32_t hz;
	} machine[] = {
		{ 3400000000, 3400000000, 1000 }, { 2700000000, 2300000000, 250 },
		{ 2926000000, 2926000000, 100 }, { 3900000000, 3400000000, 300 },
		{ 1000000, 1000000, 24 }, { 100000000000, 1193182, 250 },
	};
	unsigned long n = (getenv("SOAK") ? 100000000ul : 1000000ul) / ARRAY_SIZE(machine);
	uint64_t x = 0x9e3779b97f4a7c15ull;

	(void)state;
	for (size_t m = 0; m < ARRAY_SIZE(machine); m++) {
		struct clock c;
		struct reading last, now;

		clock_init(&c, machine[m].core_hz, machine[m].tsc_hz, machine[m].hz, EPOCH_NS, 120 * NS_PER_S);
		last = take(&c);
		for (unsigned long i = 0; i < n; i++) {
			step(&c, &x);
			now = take(&c);
			if (machine[m].tsc_hz >= NS_PER_S)
				compare(&c, &last, &now);
			else
				assert_true(now.mono >= last.mono && now.tsc >= last.tsc);
			last = now;
		}
	}
}

/* Cycles become nanoseconds at the core clock, ticks at the counter's. */
static void rates(void **state)
{
	struct clock c;
	uint64_t tsc;

	(void)state;
	clock_init(&c, 2700000000, 2300000000, 250, EPOCH_NS, NS_PER_S);
	tsc = clock_tsc(&c);
	for (int i = 0; i < 27000; i++)
		clock_work(&c, 16ull * 60000, 16ull * 40000);
	assert_in_range(c.now_ns, 2 * NS_PER_S - 1, 2 * NS_PER_S);
	assert_in_range(clock_tsc(&c) - tsc, 2299999997ull, 2300000000ull);
	assert_int_equal(c.user_cycles16, 27000 * 16ull * 60000);
	assert_int_equal(c.system_cycles16, 27000 * 16ull * 40000);
	assert_int_equal(clock_ns_to_cycles16(&c, 1000), 16 * 2700);
	assert_in_range(clock_cycles16_to_ns(&c, 16 * 2700), 999, 1000);
}

/* Small charges must not be lost: a billion of one cycle each would show it; so do a million. */
static void no_drift(void **state)
{
	struct clock a, b;

	(void)state;
	clock_init(&a, 3400000000, 3400000000, 250, EPOCH_NS, 0);
	b = a;
	for (int i = 0; i < 1000000; i++)
		clock_work(&a, 1, 0);
	clock_work(&b, 1000000, 0);
	assert_int_equal(a.now_ns, b.now_ns);
	assert_int_equal(a.frac, b.frac);
}

static void ids(void **state)
{
	struct clock c;
	int64_t ns;

	(void)state;
	clock_init(&c, 3400000000, 3400000000, 250, EPOCH_NS, NS_PER_S);
	assert_false(clock_read(&c, 99, &ns));
	assert_false(clock_read(&c, -1, &ns));
	assert_false(clock_read(&c, CLOCK_PROCESS_CPUTIME_ID, &ns));
	assert_true(clock_resolution(&c, CLOCK_MONOTONIC, &ns));
	assert_int_equal(ns, 1);
	assert_true(clock_resolution(&c, CLOCK_MONOTONIC_COARSE, &ns));
	assert_int_equal(ns, 4000000);
	assert_false(clock_resolution(&c, 99, &ns));
	assert_int_equal(clock_when(&c, CLOCK_MONOTONIC, 0), c.now_ns);
	assert_true(clock_read(&c, CLOCK_MONOTONIC, &ns));
	assert_int_equal(clock_when(&c, CLOCK_MONOTONIC, ns + 500), c.now_ns + 500);
}

/* A namespace moves MONOTONIC and BOOTTIME, never REALTIME. */
static void namespace(void **state)
{
	struct clock c, n;
	int64_t a, b;

	(void)state;
	clock_init(&c, 3400000000, 3400000000, 250, EPOCH_NS, NS_PER_S);
	n = c;
	n.mono_offset_ns = 7 * (int64_t)NS_PER_S;
	n.boot_offset_ns = -1;
	assert_true(clock_read(&c, CLOCK_MONOTONIC, &a) && clock_read(&n, CLOCK_MONOTONIC, &b));
	assert_int_equal(b - a, 7 * NS_PER_S);
	assert_true(clock_read(&c, CLOCK_BOOTTIME, &a) && clock_read(&n, CLOCK_BOOTTIME, &b));
	assert_int_equal(b - a, -1);
	assert_true(clock_read(&c, CLOCK_REALTIME, &a) && clock_read(&n, CLOCK_REALTIME, &b));
	assert_int_equal(a, b);
}

/* User and system time and their sum: whatever is charged next, none of them falls. */
static void cpu_time(void **state)
{
	uint64_t x = 88172645463325252ull, user16 = 0, system16 = 0, last[3] = { 0 }, now[3];
	struct clock c;

	(void)state;
	clock_init(&c, 3400000001, 2300000000, 250, EPOCH_NS, NS_PER_S);
	for (int i = 0; i < 1000000; i++) {
		uint64_t r = next(&x);

		user16 += r & 1 ? (r >> 8) % 60 : 0;
		system16 += r & 1 ? 0 : (r >> 8) % 60;
		now[2] = clock_cpu_ns(&c, user16, system16, &now[0], &now[1]);
		for (unsigned j = 0; j < 3; j++) {
			assert_true(now[j] >= last[j]);
			last[j] = now[j];
		}
		assert_int_equal(now[0] + now[1], now[2]);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(never_backwards), cmocka_unit_test(rates), cmocka_unit_test(no_drift),
		cmocka_unit_test(ids), cmocka_unit_test(namespace), cmocka_unit_test(cpu_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
