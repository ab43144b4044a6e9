/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the drain of a log that the SSD does not write to any more. Only the writeback
 * thread calls this.
 */
#ifndef SSDUP_SALVAGE_H
#define SSDUP_SALVAGE_H

#include "ssdup.h"

/**
 * ssdup_salvage_next() - the half to bring home next, when the log is read-only
 *
 * Context: the writeback thread. The open half is sealed for good. All
 * halves are tried again when a flush has asked since the try began.
 * Return: NULL when each was tried: call ssdup_salvage_end().
 */
struct ssdup_half *ssdup_salvage_next(struct ssdup *c);

/**
 * ssdup_salvage_home() - what can be of @h has been written to the HDD: flush it
 * @left: blocks that were refused by the HDD, or could not be read
 * @lost: it holds extents that are lost
 *
 * Return: 0, or -errno: the half is to be written again.
 */
int ssdup_salvage_home(struct ssdup *c, struct ssdup_half *h, u32 left, bool lost);

/**
 * ssdup_salvage_end() - free what is home, if the SSD takes the record
 *
 * Return: 0 when the log is empty, -EROFS when something has to stay in it.
 */
int ssdup_salvage_end(struct ssdup *c);

#endif
