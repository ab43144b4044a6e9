/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which disk the next stream goes to (SSDUP+ section 2.3, algorithm 1), by any policy but
 * balance, which core/window.h decides. Pure.
 */
#ifndef SSDUP_STREAM_ROUTE_H
#define SSDUP_STREAM_ROUTE_H

#include "types.h"

/* The water marks of SSDUP, 1/10000: above the one to the SSD, below the other to the HDD. */
#define WATERMARK_TO_SSD	4500U
#define WATERMARK_TO_HDD	3000U

/* With this for the percentage and the threshold, a stream goes where the one before went. */
#define POLICY_STAYS		4000U

/**
 * ssdup_stream_route() - route of the next stream
 * @policy: the key of that name
 * @now: route of the stream just seen
 * @percentage: its random percentage, 1/10000
 * @threshold: adaptive threshold after that stream, 1/10000
 *
 * With adaptive, a percentage above the threshold sends the next stream to the SSD, and one
 * below it to the HDD. watermark has a fixed mark for each direction.
 */
enum ssdup_disk ssdup_stream_route(enum ssdup_policy policy, enum ssdup_disk now,
				   u32 percentage, u32 threshold);

#endif
