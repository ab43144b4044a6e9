// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the writes of a buffer of the stage. Pure.
 */
#include "stage.h"

/* They come nearly in order: each CPU takes its room, and then its place in the log. */
u32 ssdup_stage_order(const struct stage_span *span, u32 nr, u8 order[STAGE_RECORDS])
{
	u32 i, at, sorted = 0;

	for (i = 0; i < nr; i++) {
		if (!span[i].sectors)
			continue;
		for (at = sorted++; at && span[order[at - 1]].pos > span[i].pos; at--)
			order[at] = order[at - 1];
		order[at] = i;
	}
	return sorted;
}

u32 ssdup_stage_joined(const struct stage_span *span, const u8 *order, u32 nr)
{
	const struct stage_span *last = &span[order[0]];
	u32 joined;

	for (joined = 1; joined < nr; joined++, last = &span[order[joined - 1]])
		if (last->pos + last->sectors != span[order[joined]].pos)
			break;
	return joined;
}

u32 ssdup_stage_find(const struct stage_span *span, u32 nr, u64 pos)
{
	u32 i, sectors;

	for (i = 0; i < nr; i++) {
		/* Pairs with the release in ssdup_stage_fill(). */
		sectors = smp_load_acquire(&span[i].sectors);
		if (sectors && pos >= span[i].pos && pos - span[i].pos < sectors)
			break;
	}
	return i;
}
