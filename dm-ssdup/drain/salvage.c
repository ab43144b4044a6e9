// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the drain of a read-only log, and of what an SSD has that takes no writes any more.
 *
 * What no flush has made durable is lost if a flush has failed: the SSD may return other data. So
 * it is neither read nor written to the HDD.
 *
 * Extents cannot move, and a segment may never become free. So each segment, the open one too,
 * is drained alone, and what cannot be written to the HDD stays in it without delaying the
 * others. Any order will do: the map has each sector once, and nothing is added to it.
 *
 * When everything of a class is on the HDD, one record frees all of its segments at once. No
 * commit has to come first, because no entry is needed any more. Otherwise the segments before the
 * first one that keeps extents are freed in the usual way. Extents of a segment that is written
 * back but not freed stay in the map, and writes over them still fail: a replay would undo them.
 */
#include "base/failure.h"
#include "base/owed_errors.h"
#include "base/step.h"
#include "base/wakeups.h"
#include "drain_internal.h"
#include "log/super.h"
#include "map/map.h"

/* The next class from @k on that is closed, or NULL. */
static struct ssdup_class *next_closed(const struct ssdup_drainer *drainer, struct ssdup_class *k)
{
	for (; k < class_end(drainer->log); k++)
		if (ssdup_salvages(drainer, k))
			return k;
	return NULL;
}

static struct ssdup_class *first_closed(const struct ssdup_drainer *drainer)
{
	return next_closed(drainer, drainer->log->class);
}

/* Let nothing be added to a class any more. */
static void settle_class(struct ssdup_drainer *drainer, struct ssdup_class *k)
{
	struct drain_group all;
	struct ssdup_segment *seg;

	ssdup_seal(drainer->log, k, true);
	ssdup_stage_soon(drainer->c, true);
	if (!ssdup_group_all(drainer->log, k, false, &all))
		return;
	for (seg = group_first(&all); seg; seg = group_next(&all, seg))
		wait_event(drainer->c->wake.settle_wait, segment_settled(seg));
}

/* All segments together are one try. */
static void try_again(struct ssdup_drainer *drainer, struct ssdup_class *k)
{
	struct drain_group all;
	struct ssdup_segment *seg;

	if (!ssdup_group_all(drainer->log, k, false, &all))
		return;
	for (seg = group_first(&all); seg; seg = group_next(&all, seg))
		seg->tried = false;
}

void ssdup_salvage_anew(struct ssdup_drainer *drainer)
{
	struct ssdup_class *k;

	for (k = first_closed(drainer); k; k = next_closed(drainer, k + 1)) {
		try_again(drainer, k);
		WRITE_ONCE(k->kept_at, jiffies - msecs_to_jiffies(UNWRITABLE_RETRY_MS));
	}
}

bool ssdup_salvage_kept(const struct ssdup_drainer *drainer, const struct ssdup_class *k)
{
	return READ_ONCE(k->kept) && ssdup_mode(drainer->c) == MODE_RUNNING &&
	       !READ_ONCE(drainer->anew) &&
	       time_before(jiffies, READ_ONCE(k->kept_at) + msecs_to_jiffies(UNWRITABLE_RETRY_MS));
}

bool ssdup_salvage_keeps(const struct ssdup_drainer *drainer)
{
	const struct ssdup_class *k;

	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		if (READ_ONCE(k->kept))
			return ssdup_mode(drainer->c) == MODE_RUNNING;
	return false;
}

/* Return: are there any? */
static bool lose_doubtful(struct ssdup_drainer *drainer, struct ssdup_class *k)
{
	struct drain_group all;
	struct ssdup_segment *seg;
	u64 sectors = 0;

	if (!ssdup_group_all(drainer->log, k, false, &all))
		return false;
	for (seg = group_first(&all); seg; seg = group_next(&all, seg))
		if (!segment_durable(seg))
			sectors += ssdup_lose(drainer->map, seg);
	if (sectors)
		DMERR("%s: %llu sectors are lost: a flush of the SSD failed; see lost_ranges",
		      drainer->c->name, sectors);
	return sectors;
}

void ssdup_salvage_begin(struct ssdup_drainer *drainer, u32 closed)
{
	bool lost = false;
	struct ssdup_class *k;

	drainer->closed = closed;
	drain_does(drainer, DRAIN_SEALS);
	for (k = first_closed(drainer); k; k = next_closed(drainer, k + 1)) {
		settle_class(drainer, k);
		try_again(drainer, k);
	}
	if (!ssdup_commit_data(drainer->log))
		return;
	for (k = first_closed(drainer); k; k = next_closed(drainer, k + 1))
		lost |= lose_doubtful(drainer, k);
	if (!lost)
		return;
	/* When what is left has been drained, FLUSHes succeed. */
	ssdup_owe_loss(&drainer->c->debt);
	ssdup_event(drainer->c);
}

bool ssdup_salvage_next(struct ssdup_drainer *drainer, struct drain_group *g)
{
	struct ssdup_class *k;

	drain_does(drainer, DRAIN_SEALS);
	for (k = first_closed(drainer); k; k = next_closed(drainer, k + 1))
		settle_class(drainer, k);
	drain_does(drainer, DRAIN_COPIES);
	for (k = first_closed(drainer); k; k = next_closed(drainer, k + 1))
		if (!ssdup_salvage_kept(drainer, k) &&
		    ssdup_group_take(drainer->log, k, 1, false, true, g))
			return true;
	return false;
}

int ssdup_salvage_written(struct ssdup_drainer *drainer, const struct drain_group *g, u32 left,
			  bool lost)
{
	int r;

	drain_does(drainer, DRAIN_FREES);
	r = ssdup_flush_group(drainer, g);
	if (r)
		return r;
	/* It is one segment. */
	group_first(g)->tried = true;
	group_first(g)->lost = lost;
	ssdup_group_set(drainer->log, g, left ? SEGMENT_SEALED : SEGMENT_WRITTEN_BACK);
	return 0;
}

/* Return: is the class empty? */
static bool free_class(struct ssdup_drainer *drainer, struct ssdup_class *k)
{
	struct drain_group all, written;

	try_again(drainer, k);
	if (!ssdup_group_all(drainer->log, k, false, &all))
		return true;
	ssdup_group_all(drainer->log, k, true, &written);
	if (written.nr == all.nr) {
		drain_does(drainer, DRAIN_FREES);
		ssdup_step(drainer->c, STEP_FREE_TAIL);
		if (!ssdup_raise_tails(drainer->log, &all)) {
			ssdup_release_group(drainer, &all);
			return true;
		}
		DMWARN_LIMIT("%s: all of the log is on the HDD, but the SSD takes no record of it",
			     drainer->c->name);
	} else if (written.nr) {
		/* If that fails, they are freed by the next try. */
		ssdup_free_group(drainer, &written);
	}
	return false;
}

static void end_of_class(struct ssdup_drainer *drainer, struct ssdup_class *k)
{
	bool empty = free_class(drainer, k);

	WRITE_ONCE(k->kept_at, jiffies);
	WRITE_ONCE(k->kept, !empty);
}

int ssdup_salvage_end(struct ssdup_drainer *drainer)
{
	bool empty = true, any = ssdup_sealed_segments(drainer->log);
	bool running = ssdup_mode(drainer->c) == MODE_RUNNING;
	struct ssdup_class *k;

	for (k = first_closed(drainer); k; k = next_closed(drainer, k + 1)) {
		if (!ssdup_salvage_kept(drainer, k))
			end_of_class(drainer, k);
		empty &= !k->kept;
	}
	if (empty && any)
		DMINFO("%s: %s is on the HDD", drainer->c->name,
		       running ? "all that failed SSDs had" : "the log is empty, all of it");
	if (!running)
		return empty ? 0 : -SSDUP_ERR_KEPT;
	/* Others are drained meanwhile, so it is no error of theirs. */
	ssdup_drain_told(drainer->c);
	return 0;
}
