/* SPDX-License-Identifier: GPL-2.0-only */
/* cuts: random numbers, and the end after an error. */
#ifndef CUTS_UTIL_H
#define CUTS_UTIL_H

#include <stdint.h>

#define ARRAY_SIZE(x)	(sizeof(x) / sizeof((x)[0]))
#define HDD		"/dev/mhdd0"
#define SSD		"/dev/mssd0"
#define HDD_SECTORS	32768U

/* A stream of random numbers. */
struct rng {
	uint64_t state;
};

uint64_t rng_next(struct rng *r);

/* rng_below() - from 0 to @n - 1 */
uint64_t rng_below(struct rng *r, uint64_t n);

/* rng_split() - another stream, made of this one's seed and a name */
struct rng rng_split(uint64_t seed, uint64_t name);

/* The case that messages name. */
extern uint64_t seed_of_case;

/* die() - an error of the test itself */
void die(const char *what) __attribute__((noreturn));

#endif
