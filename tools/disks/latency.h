/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A histogram of latencies: four buckets for each power of two of nanoseconds,
 * so a bucket's limits are at most a fourth apart. Pure.
 */
#ifndef SSDUP_DISKS_LATENCY_H
#define SSDUP_DISKS_LATENCY_H

#include <linux/bits.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/types.h>

/* The first power of two of its own, about 4 us, and the number of them, up to 17 s. */
#define LATENCY_FIRST	12
#define LATENCY_POWERS	22
#define LATENCY_BUCKETS	(4 * LATENCY_POWERS)

/**
 * latency_bucket() - where a latency counts
 * @ns: latency
 *
 * Return: the bucket; what is shorter or longer than all counts in the first or the last.
 */
static inline u32 latency_bucket(u64 ns)
{
	const u64 end = BIT_ULL(LATENCY_FIRST + LATENCY_POWERS);
	u32 power;

	ns = clamp_t(u64, ns, BIT_ULL(LATENCY_FIRST), end - 1);
	power = ilog2(ns);
	return 4 * (power - LATENCY_FIRST) + ((ns >> (power - 2)) & 3);
}

/**
 * latency_limit() - what all latencies of a bucket are below
 * @bucket: bucket
 *
 * Return: nanoseconds.
 */
static inline u64 latency_limit(u32 bucket)
{
	return (5ULL + bucket % 4) << (LATENCY_FIRST - 2 + bucket / 4);
}

#endif /* SSDUP_DISKS_LATENCY_H */
