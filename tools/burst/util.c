// SPDX-License-Identifier: GPL-2.0-only
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include "util.h"

u64 now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

void die(const char *what, const char *which)
{
	fprintf(stderr, "burst: %s: %s\n", which, what);
	exit(1);
}

void *alloc(size_t bytes)
{
	void *p = aligned_alloc(4096, (bytes + 4095) / 4096 * 4096);

	if (!p)
		die(strerror(ENOMEM), "buffer");
	memset(p, 0, bytes);
	return p;
}
