// SPDX-License-Identifier: GPL-2.0-only
/* Decides the route of the next stream. */
#include "stream_route.h"

enum ssdup_disk ssdup_stream_route(enum ssdup_policy policy, enum ssdup_disk now,
				   u32 percentage, u32 threshold)
{
	u32 to_ssd_above = threshold, to_hdd_below = threshold;

	switch (policy) {
	case SSDUP_POLICY_ALL:
		return SSDUP_SSD;
	case SSDUP_POLICY_WATERMARK:
		to_ssd_above = WATERMARK_TO_SSD;
		to_hdd_below = WATERMARK_TO_HDD;
		break;
	case SSDUP_POLICY_ADAPTIVE:
		break;
	default:
		return SSDUP_HDD;
	}

	if (now == SSDUP_HDD)
		return percentage > to_ssd_above ? SSDUP_SSD : SSDUP_HDD;

	return percentage < to_hdd_below ? SSDUP_HDD : SSDUP_SSD;
}
