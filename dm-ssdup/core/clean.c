// SPDX-License-Identifier: GPL-2.0-only
/* Decides what is read from clean segments, and how many there are. */
#include <linux/minmax.h>

#include "clean.h"

#define LOW_PART	32U	/* of the log: see ssdup_clean_low() */
#define LOW_LEAST	2U	/* or so many: one is opened while the next one is forgotten */
#define MEMORY_PART	8U	/* of the clean segments: given back at once for want of memory */

const struct extent *ssdup_clean_span(const struct extent_tree *clean, u64 start, u64 end,
				      u32 *sectors)
{
	const struct extent *first = ssdup_extent_first(clean, start, end), *x;
	u64 run = start, at = start;
	u32 seen = 0;

	for (x = first; x && x->start < end && seen++ < EXTENT_WALK; x = ssdup_extent_next(x)) {
		if (x->start > at)
			run = x->start;
		at = extent_end(x);
		if (at < end && at - run < CLEAN_RUN)
			continue;
		*sectors = (run == start ? min(extent_end(first), end) : run) - start;
		return run == start ? first : NULL;
	}
	*sectors = end - start;
	return NULL;
}

/* --- How many there are --- */

u32 ssdup_clean_low(u32 segments, u32 spare)
{
	return spare + LOW_LEAST + max(LOW_LEAST, segments / LOW_PART);
}

static u32 most_clean(const struct clean_facts *f)
{
	return (u64)f->segments * f->percent / 100;
}

u32 ssdup_clean_keep(const struct clean_facts *f, u32 nr)
{
	u32 low = ssdup_clean_low(f->segments, f->spare);

	if (f->barred || f->short_of_memory || f->waiters)
		return 0;
	/* The oldest of them make up for what is missing. */
	return min(nr - min(nr, low - min(low, f->ready)), most_clean(f));
}

u32 ssdup_clean_excess(const struct clean_facts *f)
{
	u32 wanted = ssdup_clean_low(f->segments, f->spare), n;

	if (f->barred)
		return f->clean;
	n = f->clean - min(f->clean, most_clean(f));
	if (f->refill)
		wanted *= 2;
	n = max(n, wanted - min(wanted, f->ready));
	if (f->short_of_memory)
		n = max(n, f->clean / MEMORY_PART + 1);
	if (f->bytes > f->limit)
		n = max(n, 1U);
	return min(n, f->clean);
}
