// SPDX-License-Identifier: GPL-2.0-only
/*
 * tsc: kHz of this processor's time stamp counter, by the kernel's clock; 0 if it does
 * not run.
 *
 * The lab runs it on the host: an emulated processor counts with the host's counter. The
 * counter and the clock are read next to each other, so it does not matter how busy the
 * host is.
 */
#include <stdint.h>
#include <stdio.h>
#include <time.h>
#include <x86intrin.h>

#define TRIES	100
#define NAP_NS	20000000

struct moment {
	uint64_t	ticks;
	uint64_t	ns;
};

/* Of several looks the one during which the least happened. */
static struct moment moment(void)
{
	struct moment best = { 0, 0 };
	uint64_t shortest = UINT64_MAX, begun, took;
	struct timespec now;
	int i;

	for (i = 0; i < TRIES; i++) {
		begun = __rdtsc();
		clock_gettime(CLOCK_MONOTONIC, &now);
		took = __rdtsc() - begun;
		if (took >= shortest)
			continue;
		shortest = took;
		best.ticks = begun + took / 2;
		best.ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	}
	return best;
}

static uint64_t khz(void)
{
	const struct timespec nap = { .tv_nsec = NAP_NS };
	struct moment first = moment(), last;

	nanosleep(&nap, NULL);
	last = moment();
	if (last.ns <= first.ns || last.ticks <= first.ticks)
		return 0;
	return (last.ticks - first.ticks) * 1000000 / (last.ns - first.ns);
}

int main(void)
{
	printf("%llu\n", (unsigned long long)khz());
	return 0;
}
