/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Random numbers that are the same in every run (splitmix64): a failure of a
 * test is there again the next time, in the kernel as in user space.
 */
#ifndef SSDUP_KUNIT_PRNG_H
#define SSDUP_KUNIT_PRNG_H

#include <linux/types.h>

struct prng {
	u64	state;
};

static inline u64 prng_u64(struct prng *r)
{
	u64 z = r->state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ (z >> 27)) * 0x94d049bb133111ebULL;
	return z ^ (z >> 31);
}

/* Below @end, which is not 0; even enough for a test. */
static inline u32 prng_below(struct prng *r, u32 end)
{
	return ((prng_u64(r) >> 32) * end) >> 32;
}

/* @first..@last */
static inline u32 prng_between(struct prng *r, u32 first, u32 last)
{
	return first + prng_below(r, last - first + 1);
}

#endif
