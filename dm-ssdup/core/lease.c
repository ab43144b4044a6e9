// SPDX-License-Identifier: GPL-2.0-only
/* Decides whose the segments of an SSD are. */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/string.h>

#include "lease.h"

bool ssdup_pool_header(const u8 pool[16], u32 number, u32 segment, const void *head)
{
	return ssdup_log_header_check(head, pool, number, segment) == LOG_OK;
}

u32 ssdup_pool_owner(const u8 pool[16], const struct pool_log *log, u64 there, u32 segment,
		     const void *head)
{
	bool damaged = false, freed = false;
	struct log_header h;
	enum log_fault fault;
	u32 i;

	for (i = 0; i < SSDUP_MAX_LOGS; i++) {
		if (!(there & BIT_ULL(i)) || log[i].fault != LOG_OK ||
		    ssdup_log_header_decode(head, &log[i].s, segment, &h) != LOG_OK)
			continue;
		if (log_live(&log[i].s, h.generation))
			return i;
		freed = true;
	}
	for (i = 0; i < SSDUP_MAX_LOGS; i++) {
		if (!(there & BIT_ULL(i)))
			continue;
		if (log[i].fault != LOG_OK) {
			damaged = true;
			/* Whatever has a header with its number is held for it. */
			if (ssdup_pool_header(pool, i, segment, head))
				return i;
			continue;
		}
		/* Damage, perhaps of a live one: let the log's own replay say so. */
		fault = ssdup_log_head_decode(head, &log[i].s, segment, &h);
		if (fault != LOG_OK && fault != LOG_HEADER_STALE && fault != LOG_BAD_CRC)
			return i;
	}
	if (damaged && !freed && memchr_inv(head, 0, LOG_HEAD_BYTES))
		return POOL_UNCLEAR;
	return POOL_FREE;
}

u32 ssdup_pool_grant(u32 free, u32 reserved, u32 live, u32 want, u32 least)
{
	u32 more = max(want > live ? want - live : 0, least);

	return min(more, free > reserved ? free - reserved : 0);
}
