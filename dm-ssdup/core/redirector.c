// SPDX-License-Identifier: GPL-2.0-only
#include "redirector.h"

enum ssdup_disk ssdup_redirector_next(enum ssdup_policy policy, enum ssdup_disk now,
				      u32 percentage, u32 threshold,
				      const struct redirector_marks *marks)
{
	u32 to_ssd_above = threshold;
	u32 to_hdd_below = threshold;

	switch (policy) {
	case SSDUP_POLICY_ALL:
		return SSDUP_SSD;
	case SSDUP_POLICY_WATERMARK:
		to_ssd_above = marks->to_ssd_above;
		to_hdd_below = marks->to_hdd_below;
		break;
	case SSDUP_POLICY_ADAPTIVE:
	case SSDUP_POLICY_BALANCE:
		break;
	default:
		return SSDUP_HDD;
	}

	if (now == SSDUP_HDD)
		return percentage > to_ssd_above ? SSDUP_SSD : SSDUP_HDD;

	return percentage < to_hdd_below ? SSDUP_HDD : SSDUP_SSD;
}

enum ssdup_disk ssdup_redirector_first(enum ssdup_policy policy)
{
	return policy == SSDUP_POLICY_ALL ? SSDUP_SSD : SSDUP_HDD;
}

enum write_way ssdup_redirector_way(const struct write_facts *f)
{
	if (f->route == SSDUP_HDD && !f->overlaps)
		return WRITE_TO_HDD;

	if (!f->log_writable)
		return f->overlaps ? WRITE_FAILS : WRITE_TO_HDD;

	if (f->space && !f->queue && !f->shut)
		return WRITE_TO_LOG;

	if (!f->overlaps &&
	    (f->leaving || f->no_memory || f->shut || f->full == SSDUP_FULL_BYPASS))
		return WRITE_TO_HDD;

	return f->leaving && f->stuck && !f->shut ? WRITE_FAILS : WRITE_WAITS;
}
