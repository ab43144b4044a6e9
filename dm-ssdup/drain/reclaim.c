// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: free a drain group that is on the HDD. ssdup.h has the order of the steps.
 */
#include "base/trace.h"
#include "base/wakeups.h"
#include "drain_internal.h"
#include "log/super.h"
#include "map/map.h"

#define DOUBT_TRIES	3U

/* @g was flushed. Did the HDD have all of it in its cache until then? */
static int hdd_had_it(struct ssdup_drainer *drainer, const struct drain_group *g)
{
	struct drive_mark now = drive_now(&drainer->c->hdd_user);

	if (now.losses != g->hdd.losses)
		return -EIO;
	if (now.doubts != g->hdd.doubts && drainer->doubted < DOUBT_TRIES) {
		drainer->doubted++;
		return -SSDUP_ERR_DOUBT;
	}
	drainer->doubted = 0;
	return 0;
}

int ssdup_flush_group(struct ssdup_drainer *drainer, const struct drain_group *g)
{
	int r;

	/* All of it was overwritten in younger segments, or moved there. */
	if (!g->wrote)
		return 0;
	ssdup_step(drainer->c, STEP_FREE_FLUSH);
	r = ssdup_flush_drained(drainer);
	return r ?: hdd_had_it(drainer, g);
}

void ssdup_release_group(struct ssdup_drainer *drainer, const struct drain_group *g)
{
	u32 drop = g->nr - ssdup_clean_most(drainer, g->nr);
	struct ssdup_segment *seg;

	ssdup_step(drainer->c, STEP_FREE_DROP);
	for (seg = group_first(g); seg; seg = group_next(g, seg)) {
		if (drop) {
			ssdup_drop(drainer->map, seg);
			seg->kept = 0;
			drop--;
		} else {
			seg->kept = ssdup_keep(drainer->map, seg);
		}
	}
	ssdup_step(drainer->c, STEP_FREE_DROPPED);

	/* No commit may use the segments while their state is reset. */
	ssdup_commit_lock(drainer->log);
	ssdup_group_freed(drainer->log, g);
	ssdup_commit_unlock(drainer->log);
	ssdup_step(drainer->c, STEP_FREE_DONE);
	WRITE_ONCE(drainer->short_of_memory, false);
	ssdup_event(drainer->c);
	ssdup_kick_clean(drainer->c);
	ssdup_kick_waiting(drainer->c);
	ssdup_discard_soon(drainer);
	ssdup_drain_told(drainer->c);
}

/* If an SSD of it has failed since, what it has is copied once more, segment by segment. */
static int commit_group(struct ssdup_drainer *drainer, const struct drain_group *g)
{
	u32 ssd;

	ssdup_commit(drainer->log);
	for (ssd = 0; ssd < drainer->c->nr_ssds; ssd++)
		if (g->part[ssd].nr &&
		    !ssdup_committed(drainer->log, g->part[ssd].first->class))
			return -SSDUP_ERR_DOUBT;
	return 0;
}

int ssdup_free_group(struct ssdup_drainer *drainer, struct drain_group *g)
{
	struct ssdup_segment *seg;
	int r;

	ssdup_step(drainer->c, STEP_FREE_BEGIN);
	r = commit_group(drainer, g) ?: ssdup_flush_group(drainer, g);
	if (r)
		return r;
	g->durable = true;
	ssdup_step(drainer->c, STEP_FREE_TAIL);
	r = ssdup_raise_tails(drainer->log, g);
	if (r)
		return r;
	for (seg = group_first(g); seg; seg = group_next(g, seg)) {
		/* The commit has made all pages of the sealed segment durable. */
		WARN_ON_ONCE(seg->pages_done != segment_pages(seg));
		trace_ssdup_free(drainer->c, seg);
	}
	ssdup_release_group(drainer, g);
	return 0;
}
