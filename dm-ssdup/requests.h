/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: how many requests there have been, and how many are at the HDD.
 */
#ifndef SSDUP_REQUESTS_H
#define SSDUP_REQUESTS_H

#include "ssdup.h"

/* Sums of all CPUs. Only their changes are meaningful. */
struct ssdup_requests {
	u64	all;		/* requests begun, plus those ended at the HDD */
	u64	reads;
	u64	writes;		/* to the SSD */
	u32	hdd_inflight;	/* at the HDD now, without the drain's */
};

/** ssdup_sum_requests() - add up the counters of all CPUs; any context, a hint */
struct ssdup_requests ssdup_sum_requests(struct ssdup *c);

#endif
