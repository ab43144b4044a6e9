// SPDX-License-Identifier: GPL-2.0-only
/* Decides what is read from clean segments, and how many there are. */
#include <linux/minmax.h>

#include "clean.h"

#define LOW_PART	32U	/* of the log: see ssdup_clean_low() */
#define LOW_LEAST	2U	/* or so many: one is opened while the next one is forgotten */
#define REFILL		2U	/* low marks, so that the work rests in between */
#define COPIES_PART	4U	/* of what may be clean: the rest is for what was written */

const struct extent *ssdup_clean_span(const struct extent_tree *clean, u64 start, u64 end,
				      u32 *sectors)
{
	const struct extent *x = ssdup_extent_first(clean, start, end), *first = NULL;
	u64 run = start, at = start, together = 0;
	u32 seen = 0;

	for (; x && x->start < end && seen++ < EXTENT_WALK; x = ssdup_extent_next(x)) {
		/* A claim: the SSD has not got it yet. */
		if (x->kind == SSDUP_KIND_NONE)
			continue;
		first = first ?: x;
		if (x->start > at)
			run = x->start;
		at = extent_end(x);
		/* Neighbours that are neighbours on the SSD are one place, in one segment. */
		if (x == first || (x->start == together &&
				   x->pos - first->pos == x->start - first->start))
			together = at;
		/* Behind what the HDD has to read, a short rest is not worth a request. */
		if (min(at, end) - run < CLEAN_RUN && (run != start || at < end))
			continue;
		*sectors = (run == start ? min(together, end) : run) - start;
		return run == start ? first : NULL;
	}
	*sectors = end - start;
	return NULL;
}

/* --- How many there are --- */

u32 ssdup_clean_low(u32 segments, u32 for_drain)
{
	return for_drain + LOW_LEAST + max(LOW_LEAST, segments / LOW_PART);
}

static u32 most_clean(const struct clean_facts *f)
{
	return (u64)f->segments * f->percent / 100;
}

u32 ssdup_clean_keep(const struct clean_facts *f, u32 nr)
{
	u32 low = ssdup_clean_low(f->segments, f->for_drain);

	if (f->barred || f->short_of_memory || f->waiters)
		return 0;
	/* The oldest of them make up for what is missing. */
	return min(nr - min(nr, low - min(low, f->ready)), most_clean(f));
}

bool ssdup_clean_refill(const struct clean_facts *f)
{
	u32 low = ssdup_clean_low(f->segments, f->for_drain);

	return f->clean && f->ready < (f->refill ? REFILL * low : low);
}

u32 ssdup_clean_most_copies(const struct clean_facts *f)
{
	return DIV_ROUND_UP(most_clean(f), COPIES_PART);
}

bool ssdup_clean_may_open(const struct clean_facts *f)
{
	return !f->barred && !f->refill && !f->short_of_memory && !f->waiters &&
	       most_clean(f) && f->bytes < f->limit &&
	       f->ready > ssdup_clean_low(f->segments, f->for_drain);
}

u32 ssdup_clean_excess(const struct clean_facts *f)
{
	u32 wanted = ssdup_clean_low(f->segments, f->for_drain), n, copies;

	if (f->barred)
		return f->clean;
	n = f->clean - min(f->clean, most_clean(f));
	copies = f->copies - min(f->copies, ssdup_clean_most_copies(f));
	n = max(n, copies);
	if (f->refill)
		wanted *= REFILL;
	n = max(n, wanted - min(wanted, f->ready));
	/* One may do. */
	if (f->short_of_memory || f->bytes > f->limit)
		n = max(n, 1U);
	return min(n, f->clean);
}
