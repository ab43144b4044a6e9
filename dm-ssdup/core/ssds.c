// SPDX-License-Identifier: GPL-2.0-only
/* Decides whether the SSDs of a table make a pool. */
#include <linux/bits.h>
#include <linux/minmax.h>
#include <linux/string.h>

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
	/* What the SSDs have in common was written to each; but others may have come since. */
	if ((ssds->nr != pool->ssds.nr && !pool->ssds.made) ||
	    ssds->segments[at] != pool->ssds.segments[at] ||
	    s->g.segment_sectors != pool->g.segment_sectors ||
	    s->g.segment_start != pool->g.segment_start)
		return LOG_BAD_GEOMETRY;
	return LOG_OK;
}

/* Which SSD of the pool does the table have to name, and does not? nr_ssds: it names all. */
static u32 not_named(const struct log_super *pool, const struct ssd_found *found, u32 nr)
{
	u32 there = 0, i;

	for (i = 0; i < nr; i++)
		there |= found[i].fault == LOG_OK ? BIT(found[i].s->ssds.index) : 0;
	for (i = 0; i < pool->ssds.nr; i++)
		if (!(there & BIT(i)) && !ssds_unused(&pool->ssds, i))
			break;
	return i;
}

/* All are of the pool, but perhaps blank. */
static enum log_fault whole_pool(const struct log_super *pool, const struct ssd_found *found,
				 u32 nr, u32 *which)
{
	u32 i;

	*which = not_named(pool, found, nr);
	if (*which < pool->ssds.nr && nr < pool->ssds.nr)
		return LOG_SSD_MISSING;
	for (i = 0; i < nr; i++) {
		if (found[i].fault == LOG_SSD_MISSING && i < pool->ssds.nr &&
		    ssds_unused(&pool->ssds, i))
			continue;
		*which = i;
		if (found[i].fault == LOG_BLANK)
			return LOG_SSD_BLANK;
		if (found[i].fault == LOG_SSD_MISSING)
			return i < pool->ssds.nr ? LOG_SSD_MISSING : LOG_SSD_PLACE;
		if (found[i].s->ssds.index != i)
			return LOG_SSD_PLACE;
	}
	return LOG_OK;
}

enum log_fault ssdup_ssds_match(const struct ssd_found *found, u32 nr, u32 *which)
{
	u32 best = newest(found, nr), i;
	const struct log_super *pool = best < nr ? found[best].s : NULL;
	bool make = !pool || ssds_being_made(pool);
	enum log_fault fault;

	for (i = 0; i < nr; i++) {
		fault = found[i].fault;
		*which = i;
		/* What is not ours is nobody's to write to, whatever the others say. */
		if (fault != LOG_OK && fault != LOG_BLANK && (make || fault != LOG_SSD_MISSING))
			return fault;
	}
	*which = 0;
	/* If that is being made, so are all others. */
	if (make)
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

/* --- SSDs come and go --- */

bool ssdup_ssds_add(struct log_super *s, u32 number, const u8 uuid[16], u32 segments,
		    const u8 first[16])
{
	struct log_ssds *ssds = &s->ssds;
	u32 nr = log_nr_ssds(ssds), i;
	bool more = number == nr;

	if (number > nr || number >= SSDUP_MAX_SSDS || !memchr_inv(uuid, 0, 16))
		return false;
	for (i = 0; i < nr; i++)
		if (i != number && !memcmp(ssds->uuid[i], uuid, 16))
			return false;
	if (more ? segments < LOG_SSD_LEAST || segments > SSDUP_MAX_SEGMENTS - s->g.nr_segments :
		   !ssds_unused(ssds, number) || segments < ssds->segments[number])
		return false;
	ssds->made = ssds->made ?: nr;
	if (nr == 1 && more) {
		memcpy(ssds->uuid[0], first, sizeof(ssds->uuid[0]));
		ssds->segments[0] = s->g.nr_segments;
	}
	memcpy(ssds->uuid[number], uuid, sizeof(ssds->uuid[number]));
	if (more) {
		ssds->nr = nr + 1;
		ssds->segments[number] = segments;
		s->g.nr_segments += segments;
	}
	ssds->state[number] = SSDUP_SSD_UNUSED;
	ssds->mirrors &= ~BIT(number);
	return true;
}

bool ssdup_ssds_set(struct log_super *s, u32 number, u8 state)
{
	struct log_ssds *ssds = &s->ssds;
	u32 i, used = 0;
	u8 was;

	if (number >= ssds->nr || state >= SSDUP_SSD_STATES)
		return false;
	was = ssds->state[number];
	if (state == was)
		return true;
	for (i = 0; i < ssds->nr; i++)
		used += i != number && ssds->state[i] == SSDUP_SSD_USED;
	/* One that is used may have something, until it was emptied. */
	if (state == SSDUP_SSD_UNUSED && was == SSDUP_SSD_USED)
		return false;
	if (state == SSDUP_SSD_LEAVES && (was == SSDUP_SSD_UNUSED || !used))
		return false;
	ssds->made = ssds->made ?: log_nr_ssds(ssds);
	ssds->state[number] = state;
	return true;
}

bool ssdup_ssds_renumber(struct log_super *s, u64 next)
{
	struct log_classes was = s->classes, *k = &s->classes;
	u32 nr_ssds = log_nr_ssds(&s->ssds), lifetimes = was.nr / was.nr_ssds, i;
	u64 tail[SSDUP_MAX_CLASSES] = { };

	if (lifetimes * nr_ssds > SSDUP_MAX_CLASSES)
		return false;
	*k = (struct log_classes){
		.nr = lifetimes * nr_ssds, .nr_ssds = nr_ssds, .old_ssds = was.nr_ssds, .era = next,
	};
	/* What is free of before that has classes by even older numbers: none of them counts. */
	for (i = 0; i < k->nr; i++)
		tail[i] = log_class_ssd(nr_ssds, i) < was.nr_ssds ?
			  max(s->tail[log_class_lifetime(nr_ssds, i) * was.nr_ssds +
				      log_class_ssd(nr_ssds, i)], was.era) : next;
	memcpy(s->tail, tail, sizeof(s->tail));
	return true;
}

/* --- Segments --- */

u32 ssdup_ssds_segments(const struct log_ssds *ssds, const struct log_geometry *g)
{
	u32 i, nr = ssds->nr > 1 ? 0 : g->nr_segments;

	for (i = 0; i < ssds->nr && ssds->nr > 1; i++)
		nr += ssds_unused(ssds, i) ? 0 : ssds->segments[i];
	return nr;
}

u32 ssdup_ssds_part(const struct log_ssds *ssds, const struct log_geometry *g, u32 index,
		    u64 segments)
{
	if (ssds->nr <= 1)
		return segments;
	return ssds_unused(ssds, index) ? 0 :
	       div_u64(segments * ssds->segments[index], ssdup_ssds_segments(ssds, g));
}

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
