/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the last free segments are handed out at a rate.
 *
 * Space comes back a group at a time. Without a throttle the fastest writers take a group at once,
 * and all writers wait for the next one. So while the log is scarce, or when a single segment takes
 * longer than max_wait_ms, the last segments for writers are throttled: the rate is such that the
 * free space lasts until the next group is free. The free space settles at about a group. Only the
 * first writes that find the log full wait for a whole group.
 */
#ifndef SSDUP_THROTTLE_H
#define SSDUP_THROTTLE_H

#include "drainer.h"

/**
 * ssdup_throttle_reserve() - ssdup_reserve() for a writer: of a throttled segment, at the rate
 *
 * While drains fail, the rate does not apply. Otherwise the log would never fill up, and no write
 * would go elsewhere. Context: any. Return: as ssdup_reserve(); when the rate is the cause, the
 * waiting writes are tried soon.
 */
int ssdup_throttle_reserve(struct ssdup_drainer *drainer, struct ssdup_io *io, u32 sectors);

/** ssdup_throttle_segments() - tell the log how many of the last segments are throttled now */
void ssdup_throttle_segments(struct ssdup_drainer *drainer);

/** ssdup_throttle_freed() - segments are free: who waits for the rate of the last ones goes on */
void ssdup_throttle_freed(struct ssdup_drainer *drainer);

#endif
