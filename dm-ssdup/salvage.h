/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the drain of a read-only log. Only the writeback thread calls this.
 */
#ifndef SSDUP_SALVAGE_H
#define SSDUP_SALVAGE_H

#include "ssdup.h"

/**
 * ssdup_salvage_next() - seal the open half for good, and choose the half to drain next
 * @anew: a drain was requested since the try began: try all halves again
 *
 * Return: NULL when all were tried: call ssdup_salvage_end().
 */
struct ssdup_half *ssdup_salvage_next(struct ssdup *c, bool anew);

/**
 * ssdup_salvage_home() - flush the HDD after a try to drain @h
 * @left: number of blocks that could not be read or written
 * @lost: @h holds extents that are lost
 *
 * Return: 0, or -errno: the half must be written again.
 */
int ssdup_salvage_home(struct ssdup *c, struct ssdup_half *h, u32 left, bool lost);

/**
 * ssdup_salvage_end() - free the halves that are on the HDD, if the SSD takes the record
 *
 * Return: 0 when the log is empty, -EROFS when something stays in it.
 */
int ssdup_salvage_end(struct ssdup *c);

#endif
