// SPDX-License-Identifier: GPL-2.0-only
/* Owns the free segments of each SSD: which are opened next, or discarded. */
#include "base/failure.h"
#include "log_internal.h"

static struct ssd_space *space_end(const struct ssdup_log *log)
{
	return log->segments->space + log_nr_ssds(&log->ssds);
}

void ssdup_space_init(struct ssdup_log *log)
{
	struct ssd_space *space;

	for (space = log->segments->space; space < space_end(log); space++) {
		INIT_LIST_HEAD(&space->free);
		INIT_LIST_HEAD(&space->stale);
	}
}

static bool space_out(const struct ssdup_log *log, const struct ssd_space *space)
{
	return ssdup_ssds_shut(log->c) & BIT(space - log->segments->space);
}

/* None of it is opened, unless two are freed: then there is something to wait for. */
static bool space_leaves(const struct ssdup_log *log, const struct ssd_space *space)
{
	return READ_ONCE(log->c->ssds_leave) & BIT(space - log->segments->space);
}

void ssdup_add_free(struct ssdup_log *log, struct ssdup_segment *seg, bool stale)
{
	struct ssd_space *space = &log->segments->space[seg->ssd];

	lockdep_assert_held(&log->segments->lock);
	if (seg->state == SEGMENT_FORGOTTEN)
		WRITE_ONCE(space->coming, space->coming - 1);
	seg->state = SEGMENT_FREE;
	list_move_tail(&seg->list, stale ? &space->stale : &space->free);
	WRITE_ONCE(space->nr_free, space->nr_free + 1);
}

u32 ssdup_leased_segments(const struct ssdup_log *log)
{
	return READ_ONCE(log->segments->nr_leased);
}

/*
 * The free segments of each SSD that writers leave to who flushes the device. Space comes a group
 * at a time, and they would have taken all of it when somebody comes who writes little and waits
 * for each flush. A log that has leased less than the smallest SSD has none.
 */
static u32 kept_of(const struct ssdup_log *log)
{
	return ssdup_leased_segments(log) >= SSDUP_MIN_SEGMENTS * used_ssds(log->c) ? 1 : 0;
}

/* The free segments that are not for who asks. */
static u32 others(const struct ssdup_log *log, u64 allowed)
{
	if (allowed & LOG_WORD_DRAIN)
		return 0;
	return ssdup_drain_segments(log) + (allowed & LOG_WORD_KEPT ? 0 : kept_of(log));
}

struct ssdup_segment *ssdup_space_next(struct ssdup_log *log, u32 ssd, u64 allowed)
{
	struct ssd_space *space = &log->segments->space[ssd];

	lockdep_assert_held(&log->segments->lock);
	if (space->nr_free <= others(log, allowed))
		return NULL;
	return list_first_entry(list_empty(&space->free) ? &space->stale : &space->free,
				struct ssdup_segment, list);
}

void ssdup_space_coming(struct ssdup_log *log, const struct ssdup_segment *seg)
{
	struct ssd_space *space = &log->segments->space[seg->ssd];

	lockdep_assert_held(&log->segments->lock);
	WRITE_ONCE(space->coming, space->coming + 1);
}

void ssdup_space_remove(struct ssdup_log *log, struct ssdup_segment *seg)
{
	struct ssd_space *space = &log->segments->space[seg->ssd];

	lockdep_assert_held(&log->segments->lock);
	list_del_init(&seg->list);
	WRITE_ONCE(space->nr_free, space->nr_free - 1);
}

u64 ssdup_space_closed(const struct ssdup_log *log, u32 ssd, bool kept)
{
	u32 nr_free = log->segments->space[ssd].nr_free;

	/* What a drain opens of the last ones it needs for itself. */
	if (nr_free <= ssdup_drain_segments(log))
		return LOG_WORD_DRAIN;
	return kept && nr_free <= ssdup_drain_segments(log) + kept_of(log) ? LOG_WORD_KEPT : 0;
}

/* --- Full --- */

static void set_full(struct ssdup_log *log, u32 ssds)
{
	lockdep_assert_held(&log->segments->lock);
	/* One that takes no writes has no room for them. */
	ssds |= ssdup_ssds_shut(log->c);
	WRITE_ONCE(log->full_ssds, ssds);
}

bool ssdup_space_full(struct ssdup_log *log, u32 ssd)
{
	bool was = log->full_ssds & BIT(ssd);

	set_full(log, log->full_ssds | BIT(ssd));
	return !was;
}

void ssdup_space_not_full(struct ssdup_log *log, u32 ssd)
{
	set_full(log, log->full_ssds & ~BIT(ssd));
}

/* Let writers have the rest of the open segments, by what is free now. */
static void let_writers_have(struct ssdup_log *log)
{
	u32 nr_free, for_drain = ssdup_drain_segments(log);
	struct ssdup_class *k;
	u64 opens;

	for (k = log->class; k < class_end(log); k++) {
		if (class_closed(log, k) || class_leaves(log, k))
			continue;
		nr_free = log->segments->space[k->ssd].nr_free;
		opens = (nr_free > for_drain ? LOG_WORD_DRAIN : 0) |
			(nr_free > for_drain + kept_of(log) ? LOG_WORD_KEPT : 0);
		if (opens)
			atomic64_andnot(opens, &k->open->word);
	}
}

void ssdup_more_to_open(struct ssdup_log *log)
{
	u32 i, nr_ssds = log_nr_ssds(&log->ssds), full = 0;

	/* Perhaps on another SSD. */
	for (i = 0; i < nr_ssds && nr_ssds > 1; i++)
		if (log->segments->space[i].nr_free <= ssdup_drain_segments(log))
			full |= log->full_ssds & BIT(i);
	set_full(log, full);
	let_writers_have(log);
}

bool ssdup_space_spent(const struct ssdup_log *log)
{
	const struct ssd_space *space;

	lockdep_assert_held(&log->segments->lock);
	for (space = log->segments->space; space < space_end(log); space++)
		if (!space_out(log, space) && !space_leaves(log, space) &&
		    (space->nr_free > others(log, 0) || space->discarding))
			return false;
	return true;
}

/* --- Discards --- */

/*
 * So many are not missed by writers meanwhile. Reads may still point into what was freed where
 * nothing is written any more.
 */
static u32 may_discard(const struct ssdup_log *log, const struct ssd_space *space)
{
	if (ssdup_mode(log->c) != MODE_RUNNING || space_out(log, space))
		return 0;
	return (space->nr_free - min(space->nr_free, others(log, 0))) / 2;
}

/* Of an SSD that has any, which comes after those that had the last ones. */
static struct ssd_space *space_to_discard(struct ssdup_log *log)
{
	u32 i, nr_ssds = log_nr_ssds(&log->ssds);
	struct ssdup_segments *s = log->segments;
	struct ssd_space *space;

	for (i = 0; i < nr_ssds; i++) {
		space = &s->space[++s->discards % nr_ssds];
		if (!list_empty(&space->stale) && may_discard(log, space))
			break;
	}
	return space;
}

u32 ssdup_discard_begin(struct ssdup_log *log, u32 most, struct list_head *batch)
{
	struct ssdup_segments *s = log->segments;
	struct ssdup_segment *seg, *next, *first = NULL;
	struct ssd_space *space;
	u32 nr = 0;

	spin_lock_irq(&s->lock);
	space = space_to_discard(log);
	most = min(most, may_discard(log, space));
	list_for_each_entry_safe(seg, next, &space->stale, list) {
		if (!nr)
			first = seg;
		if (nr == most || seg->index != first->index + nr)
			break;
		list_move_tail(&seg->list, batch);
		nr++;
	}
	WRITE_ONCE(space->discarding, nr);
	WRITE_ONCE(space->nr_free, space->nr_free - nr);
	spin_unlock_irq(&s->lock);
	return nr;
}

void ssdup_discard_end(struct ssdup_log *log, struct list_head *batch)
{
	struct ssdup_segments *s = log->segments;
	struct ssd_space *space;

	spin_lock_irq(&s->lock);
	space = &s->space[list_first_entry(batch, struct ssdup_segment, list)->ssd];
	list_splice_tail(batch, &space->free);
	WRITE_ONCE(space->nr_free, space->nr_free + space->discarding);
	WRITE_ONCE(space->discarding, 0);
	ssdup_more_to_open(log);
	spin_unlock_irq(&s->lock);
}

/* --- Facts --- */

u32 ssdup_coming_segments(struct ssdup_log *log, u32 ssd)
{
	return READ_ONCE(log->segments->space[ssd].coming);
}

u32 ssdup_free_segments(struct ssdup_log *log)
{
	const struct ssd_space *space;
	u32 nr = READ_ONCE(log->segments->nr_clean);

	for (space = log->segments->space; space < space_end(log); space++)
		nr += READ_ONCE(space->nr_free);
	return nr;
}

u32 ssdup_discarding_segments(struct ssdup_log *log)
{
	const struct ssd_space *space;
	u32 nr = 0;

	for (space = log->segments->space; space < space_end(log); space++)
		nr += READ_ONCE(space->discarding);
	return nr;
}

static u32 ready(const struct ssdup_log *log, const struct ssd_space *space)
{
	u32 nr = READ_ONCE(space->nr_free);

	return nr > ssdup_drain_segments(log) + 1 ? nr + READ_ONCE(space->discarding) : nr;
}

u32 ssdup_ready_segments(struct ssdup_log *log)
{
	u32 nr_ssds = log_nr_ssds(&log->ssds), least = U32_MAX, i;

	for (i = 0; i < nr_ssds; i++)
		if (!space_out(log, &log->segments->space[i]))
			least = min(least,
				    ready(log, &log->segments->space[i]) * used_ssds(log->c));
	return least;
}

bool ssdup_drain_short(struct ssdup_log *log)
{
	const struct ssd_space *space;

	for (space = log->segments->space; space < space_end(log); space++)
		if (!space_out(log, space) &&
		    READ_ONCE(space->nr_free) + READ_ONCE(space->coming) <
		    ssdup_drain_segments(log))
			return true;
	return false;
}

struct ssdup_segment *ssdup_space_for_copies(struct ssdup_log *log)
{
	struct ssd_space *space, *most = NULL;

	lockdep_assert_held(&log->segments->lock);
	for (space = log->segments->space; space < space_end(log); space++)
		if (!(READ_ONCE(log->c->ssds_leave) & BIT(space - log->segments->space)) &&
		    (!most || space->nr_free > most->nr_free))
			most = space;
	if (!most)
		return NULL;
	/* As for who flushes: a copy is forgotten before a write waits. */
	return ssdup_space_next(log, most - log->segments->space, LOG_WORD_KEPT);
}
