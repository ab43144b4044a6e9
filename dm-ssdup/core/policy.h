/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which disk the next stream goes to (SSDUP+ section 2.3, algorithm 1). Pure.
 */
#ifndef SSDUP_POLICY_H
#define SSDUP_POLICY_H

#include "types.h"

struct policy_marks {
	u32	to_ssd_above;	/* 1/10000 */
	u32	to_hdd_below;	/* 1/10000 */
};

/**
 * ssdup_policy_next() - route of the next stream
 * @policy: the key of that name
 * @now: route of the stream just seen
 * @percentage: its random percentage, 1/10000
 * @threshold: adaptive threshold after that stream, 1/10000
 * @marks: the fixed water marks of SSDUP
 *
 * With adaptive, a percentage above the threshold sends the next stream to the SSD, and one
 * below it to the HDD. watermark has a fixed mark for each direction.
 */
enum ssdup_disk ssdup_policy_next(enum ssdup_policy policy, enum ssdup_disk now,
				  u32 percentage, u32 threshold,
				  const struct policy_marks *marks);

#endif
