/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * xoshiro256** (Blackman and Vigna), seeded through splitmix64.  Not for secrets: for runs that can
 * be repeated.
 */
#include "kernel/random.h"

#include <errno.h>
#include <string.h>

#include "kernel/kernel.h"
#include "kernel/sys.h"

static uint64_t splitmix(uint64_t *x)
{
	uint64_t z = *x += 0x9e3779b97f4a7c15u;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
	return z ^ (z >> 31);
}

static uint64_t rotl(uint64_t x, int n)
{
	return x << n | x >> (64 - n);
}

void random_seed(struct kernel *k, uint64_t seed)
{
	for (unsigned i = 0; i < 4; i++)
		k->random_state[i] = splitmix(&seed);
}

void random_fork(struct kernel *k)
{
	random_seed(k, random_u64(k) ^ (uint64_t)k->proc.pid);
}

uint64_t random_u64(struct kernel *k)
{
	uint64_t *s = k->random_state;
	uint64_t result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;

	s[2] ^= s[0];
	s[3] ^= s[1];
	s[1] ^= s[2];
	s[0] ^= s[3];
	s[2] ^= t;
	s[3] = rotl(s[3], 45);
	return result;
}

void random_bytes(struct kernel *k, void *dst, size_t n)
{
	char *p = dst;

	while (n) {
		uint64_t v = random_u64(k);
		size_t part = n < 8 ? n : 8;

		memcpy(p, &v, part);
		p += part;
		n -= part;
	}
}

int64_t random_user(struct kernel *k, gaddr dst, uint64_t n)
{
	char chunk[4096];
	int64_t done = 0;

	while ((uint64_t)done < n) {
		size_t part = n - (uint64_t)done < sizeof(chunk) ? (size_t)(n - (uint64_t)done) :
								   sizeof(chunk);
		size_t left;

		random_bytes(k, chunk, part);
		left = memory_write(k->mem, dst + (gaddr)done, chunk, part);
		done += (int64_t)(part - left);
		if (left)
			return done ? done : -EFAULT;
	}
	return done;
}

int64_t sys_getrandom(struct kernel *k, const uint64_t a[6])
{
	uint64_t n = a[1] > INT32_MAX ? INT32_MAX : a[1];

	/* GRND_NONBLOCK | GRND_RANDOM | GRND_INSECURE; the last two exclude each other. */
	if ((a[2] & ~7ull) || (a[2] & 6) == 6)
		return -EINVAL;
	return random_user(k, a[0], n);
}
