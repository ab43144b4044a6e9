// SPDX-License-Identifier: GPL-2.0-only
/* Decides which class, and so which SSD, a generation has. */
#include <linux/minmax.h>

#include "generation.h"

u32 ssdup_log_class_before(const struct log_classes *k, u64 generation)
{
	u32 lifetimes = k->nr / k->nr_ssds, class;

	class = generation % (lifetimes * k->old_ssds);
	return class / k->old_ssds * k->nr_ssds + class % k->old_ssds;
}

/* Steps of @nr; number @class of them. */
static u64 class_from(u32 nr, u32 class, u64 from)
{
	return from + (class + nr - (u32)(from % nr)) % nr;
}

u64 ssdup_log_class_from(const struct log_classes *k, u32 class, u64 from)
{
	u32 ssd = from < k->era ? log_class_ssd(k->nr_ssds, class) : 0, old;
	u64 before;

	if (from < k->era && ssd < k->old_ssds) {
		old = log_class_lifetime(k->nr_ssds, class) * k->old_ssds + ssd;
		before = class_from(log_class_step(k, from), old, from);
		if (before < k->era)
			return before;
	}
	return class_from(k->nr, class, max(from, k->era));
}
