/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the drain of a read-only log. Only the writeback thread calls this.
 */
#ifndef SSDUP_SALVAGE_H
#define SSDUP_SALVAGE_H

#include "drainer.h"
#include "log/groups.h"

/**
 * ssdup_salvage_next() - seal the open segment, and choose the next to drain, as a group
 * @anew: a drain was requested since the last try: try all segments again
 *
 * Return: false when the try has ended.
 */
bool ssdup_salvage_next(struct ssdup_drainer *drainer, bool anew, struct drain_group *g);

/**
 * ssdup_salvage_written() - a segment was copied, except for what stays in it
 * @left: blocks that stay
 * @lost: some of its extents are lost
 *
 * Return: 0, or an error: it must be written again.
 */
int ssdup_salvage_written(struct ssdup_drainer *drainer, const struct drain_group *g, u32 left,
			  bool lost);

/** ssdup_salvage_end() - all were tried: free what can be freed. Return: 0 or -SSDUP_ERR_KEPT */
int ssdup_salvage_end(struct ssdup_drainer *drainer);

#endif
