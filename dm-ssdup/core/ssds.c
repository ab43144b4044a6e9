// SPDX-License-Identifier: GPL-2.0-only
/* Decides whether the SSDs of a table make a pool. */
#include <linux/bits.h>

#include "ssds.h"

/* The newest of those that say anything; any pool that was made comes first. @nr: none does */
static u32 newest(const struct ssd_found *found, u32 nr)
{
	u64 seq, highest = 0;
	u32 best = nr, i;

	for (i = 0; i < nr; i++) {
		if (found[i].fault != LOG_OK)
			continue;
		seq = ssds_being_made(found[i].s) ? 0 : found[i].s->pool_seq + 1;
		if (best < nr && seq <= highest)
			continue;
		highest = seq;
		best = i;
	}
	return best;
}

/* Is it an SSD of the pool? One that has left it is another one. */
static enum log_fault fits(const struct log_super *pool, const struct log_super *s)
{
	const struct log_ssds *ssds = &s->ssds;
	u32 at = ssds->index;

	if (memcmp(pool->pool, s->pool, sizeof(s->pool)) || at >= pool->ssds.nr ||
	    memcmp(pool->ssds.uuid[at], ssds->uuid[at], sizeof(ssds->uuid[at])))
		return LOG_SSD_FOREIGN;
	/* What the SSDs have in common was written to each. */
	if (ssds->nr != pool->ssds.nr || ssds->segments[at] != pool->ssds.segments[at] ||
	    s->g.segment_sectors != pool->g.segment_sectors ||
	    s->g.segment_start != pool->g.segment_start)
		return LOG_BAD_GEOMETRY;
	return LOG_OK;
}

/* All are of the pool, but perhaps blank. */
static enum log_fault whole_pool(const struct log_super *pool, const struct ssd_found *found,
				 u32 nr, u32 *which)
{
	u32 there = 0, i;

	for (i = 0; i < nr; i++)
		there |= found[i].fault == LOG_OK ? BIT(found[i].s->ssds.index) : 0;
	for (*which = 0; there & BIT(*which); (*which)++)
		;
	if (nr < pool->ssds.nr)
		return LOG_SSD_MISSING;
	for (i = 0; i < nr; i++) {
		*which = i;
		if (found[i].fault == LOG_BLANK)
			return LOG_SSD_BLANK;
		if (found[i].s->ssds.index != i)
			return LOG_SSD_PLACE;
	}
	return LOG_OK;
}

enum log_fault ssdup_ssds_match(const struct ssd_found *found, u32 nr, u32 *which)
{
	u32 best = newest(found, nr), i;
	const struct log_super *pool = best < nr ? found[best].s : NULL;
	enum log_fault fault;

	for (i = 0; i < nr; i++) {
		*which = i;
		/* What is not ours is nobody's to write to, whatever the others say. */
		if (found[i].fault != LOG_OK && found[i].fault != LOG_BLANK)
			return found[i].fault;
	}
	*which = 0;
	/* If that is being made, so are all others. */
	if (!pool || ssds_being_made(pool))
		return LOG_BLANK;
	for (i = 0; i < nr; i++) {
		fault = found[i].fault == LOG_OK ? fits(pool, found[i].s) : LOG_OK;
		*which = i;
		if (fault != LOG_OK)
			return fault;
	}
	fault = whole_pool(pool, found, nr, which);
	if (fault == LOG_OK)
		*which = best;
	return fault;
}

/* --- Segments --- */

struct ssds_walk ssdup_ssds_walk(const struct log_ssds *ssds, const struct log_geometry *g,
				 const struct log_header *live, u32 nr)
{
	struct ssds_walk w = { .ssds = ssds, .nr = g->nr_segments };
	u32 i, ssd, first;

	for (i = 0; i < nr; i++) {
		ssd = ssdup_log_ssd_of(ssds, live[i].segment, &first);
		w.first[ssd] = live[i].segment - first + 1;
	}
	return w;
}

static u32 segments_of(const struct ssds_walk *w)
{
	return w->ssds->nr > 1 ? w->ssds->segments[w->ssd] : w->nr;
}

bool ssdup_ssds_next(struct ssds_walk *w, u32 *segment)
{
	if (w->before + w->done == w->nr)
		return false;
	if (w->done == segments_of(w)) {
		w->before += w->done;
		w->done = 0;
		w->ssd++;
	}
	*segment = w->before + (w->first[w->ssd] + w->done++) % segments_of(w);
	return true;
}
