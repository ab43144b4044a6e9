// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "../iocheck/stamp.h"
#include "util.h"

uint64_t seed_of_case;

uint64_t rng_next(struct rng *r)
{
	r->state += 0x9e3779b97f4a7c15ULL;
	return mix(r->state);
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
	return rng_next(r) % n;
}

struct rng rng_split(uint64_t seed, uint64_t name)
{
	return (struct rng){ mix(mix(seed + 1) + name) };
}

void die(const char *what)
{
	fflush(stdout);
	fprintf(stderr, "cuts: seed %llu: %s: %s\n", (unsigned long long)seed_of_case, what,
		strerror(errno));
	exit(2);
}
