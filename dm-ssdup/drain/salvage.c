// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the drain of a read-only log.
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
#include "base/wakeups.h"
#include "internal.h"
#include "log/super.h"
#include "map/map.h"

/* Let nothing be added to a class any more. A new request (@anew) begins another try. */
static void settle_class(struct ssdup_drainer *drainer, struct ssdup_class *k, bool anew)
{
	struct drain_group all;
	struct ssdup_segment *seg;

	ssdup_seal(drainer->log, k, true);
	if (!ssdup_group_all(drainer->log, k, false, &all))
		return;
	for (seg = group_first(&all); seg; seg = group_next(&all, seg)) {
		wait_event(drainer->c->wake.settle_wait, !atomic_read(&seg->writes));
		/* All segments together are one try. */
		if (anew)
			seg->tried = false;
	}
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

void ssdup_salvage_begin(struct ssdup_drainer *drainer)
{
	bool lost = false;
	struct ssdup_class *k;

	drain_does(drainer, DRAIN_SEALS);
	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		settle_class(drainer, k, true);
	if (!ssdup_commit_data(drainer->log))
		return;
	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		lost |= lose_doubtful(drainer, k);
	if (lost)
		ssdup_event(drainer->c);
}

bool ssdup_salvage_next(struct ssdup_drainer *drainer, bool anew, struct drain_group *g)
{
	struct ssdup_class *k;

	drain_does(drainer, DRAIN_SEALS);
	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		settle_class(drainer, k, anew);
	drain_does(drainer, DRAIN_COPIES);
	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		if (ssdup_group_take(drainer->log, k, 1, false, true, g))
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
static bool end_of_class(struct ssdup_drainer *drainer, struct ssdup_class *k)
{
	struct drain_group all, written;
	struct ssdup_segment *seg;

	if (!ssdup_group_all(drainer->log, k, false, &all))
		return true;
	for (seg = group_first(&all); seg; seg = group_next(&all, seg))
		seg->tried = false;
	ssdup_group_all(drainer->log, k, true, &written);
	if (written.nr == all.nr) {
		drain_does(drainer, DRAIN_FREES);
		ssdup_step(drainer->c, STEP_FREE_TAIL);
		if (!ssdup_raise_tails(drainer->log, &all)) {
			ssdup_free_end(drainer, &all);
			return true;
		}
		DMWARN_LIMIT("%s: all of the log is on the HDD, but the SSD takes no record of it",
			     drainer->c->name);
	} else if (written.nr) {
		ssdup_free_group(drainer, &written);
	}
	return false;
}

int ssdup_salvage_end(struct ssdup_drainer *drainer)
{
	bool empty = true, any = ssdup_sealed_segments(drainer->log);
	struct ssdup_class *k;

	for (k = drainer->log->class; k < class_end(drainer->log); k++)
		empty &= end_of_class(drainer, k);
	if (empty && any)
		DMINFO("%s: the log is empty, all of it is on the HDD", drainer->c->name);
	return empty ? 0 : -SSDUP_ERR_KEPT;
}
