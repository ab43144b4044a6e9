// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: free a drain group that is on the HDD. ssdup.h has the order of the steps.
 */
#include "base/failure.h"
#include "base/trace.h"
#include "base/wakeups.h"
#include "discard.h"
#include "hdd.h"
#include "log/commit.h"
#include "log/super.h"
#include "map/map.h"
#include "reclaim.h"
#include "route/meter.h"
#include "throttle.h"

int ssdup_flush_group(struct ssdup *c, const struct drain_group *g)
{
	struct meter_drain meter;
	int r;

	/* All of it was overwritten in younger segments, or moved there. */
	if (!g->wrote)
		return 0;
	trace_ssdup_step(c, STEP_FREE_FLUSH);
	ssdup_meter_sync_begin(c, &meter);
	r = ssdup_flush_drained(c);
	ssdup_meter_sync_end(c, &meter);
	/* If another flush failed and the HDD dropped its cache, ours succeeds all the same. */
	return ssdup_hdd_flush_errors(c) != g->flush_errors ? -EIO : r;
}

void ssdup_free_end(struct ssdup *c, const struct drain_group *g)
{
	struct ssdup_segment *seg;

	trace_ssdup_step(c, STEP_FREE_DROP);
	for (seg = group_first(g); seg; seg = group_next(g, seg))
		ssdup_drop(c, seg);
	trace_ssdup_step(c, STEP_FREE_DROPPED);
	/* In a log that is read-only no segment is opened again. */
	if (ssdup_mode(c) == MODE_RUNNING) {
		WRITE_ONCE(c->free_state, DRAIN_READS);
		for (seg = group_first(g); seg; seg = group_next(g, seg))
			wait_event(c->settle_wait, !atomic_read(&seg->reads));
	}

	/* No commit may use the segments while their state is reset. */
	ssdup_commit_lock(c);
	ssdup_group_freed(c, g);
	ssdup_throttle_freed(c);
	ssdup_commit_unlock(c);
	trace_ssdup_step(c, STEP_FREE_DONE);
	WRITE_ONCE(c->short_of_memory, false);
	ssdup_event(c);
	ssdup_kick_waiting(c);
	ssdup_discard_soon(c);
	ssdup_drain_told(c);
}

int ssdup_free_group(struct ssdup *c, struct drain_group *g)
{
	struct ssdup_segment *seg;
	int r;

	trace_ssdup_step(c, STEP_FREE_BEGIN);
	r = ssdup_commit(c) ?: ssdup_flush_group(c, g);
	if (r)
		return r;
	g->durable = true;
	trace_ssdup_step(c, STEP_FREE_TAIL);
	r = ssdup_raise_tail(c, g->first->class, g->last + 1);
	if (r)
		return r;
	for (seg = group_first(g); seg; seg = group_next(g, seg)) {
		/* The commit has made all pages of the sealed segment durable. */
		WARN_ON_ONCE(seg->pages_done != segment_pages(seg));
		trace_ssdup_free(c, seg);
	}
	ssdup_free_end(c, g);
	return 0;
}
