// SPDX-License-Identifier: GPL-2.0-only
/* Owns the rate at which writers get the last free segments. */
#include "base/wakeups.h"
#include "core/pacing.h"
#include "drainer.h"
#include "log/reserve.h"
#include "route/window.h"

/*
 * A write that is due may come so much later, since a timer lets a work item try it, and the rate
 * is kept. Some machines have timers of a tick only.
 */
#define SLACK_NS	max_t(u64, NSEC_PER_MSEC, 2 * hrtimer_resolution)

static struct pacing_group group_of(struct ssdup_drainer *drainer)
{
	return (struct pacing_group){
		.part = ssdup_part(drainer->log),
		.waiters = true,
		.max_wait_ns = (u64)READ_ONCE(drainer->c->set.max_wait_ms) * NSEC_PER_MSEC,
		.segment_ns = ssdup_meter_free_ns(drainer->router, drainer->log->g.data_sectors),
	};
}

void ssdup_throttle_segments(struct ssdup_drainer *drainer)
{
	const struct pacing_group g = group_of(drainer);
	u32 nr = 0;

	/* Who may go to the HDD waits for nothing, as long as he overlaps nothing. */
	if (READ_ONCE(drainer->c->set.full) != SSDUP_FULL_BYPASS && !ssdup_windowed(drainer->c) &&
	    (READ_ONCE(drainer->c->scarce) || g.segment_ns > g.max_wait_ns))
		/* When a group is freed, there are about that many. */
		nr = min(2 * ssdup_pacing_group(&g) + 1, drainer->log->nr_leased / 2);
	ssdup_segments_throttle(drainer->log, nr);
}

/* Return: what a write may use now. */
static u64 pass_throttle(struct ssdup_drainer *drainer)
{
	u64 next;

	ssdup_throttle_segments(drainer);
	do {
		next = atomic64_read(&drainer->next_pass);
		if (ktime_get_ns() >= next || READ_ONCE(drainer->drain_error))
			return LOG_WORD_THROTTLED;
		ssdup_kick_waiting_at(drainer->c, next);
		/* If a drain has lowered it meanwhile, others may need the timer earlier. */
		smp_mb();
	} while (atomic64_read(&drainer->next_pass) < next);
	return 0;
}

/* A write has got @sectors of @seg, which is throttled. */
static void passed_throttle(struct ssdup_drainer *drainer, const struct ssdup_segment *seg,
			    u32 sectors)
{
	const struct pacing_group g = group_of(drainer);
	u32 nr_free = ssdup_free_segments(drainer->log), spare = ssdup_spare(drainer->log);
	u64 size = drainer->log->g.data_sectors, left = size -
		   log_word_sectors(atomic64_read(&seg->word));
	s64 next, then = atomic64_read(&drainer->next_pass), soonest = ktime_get_ns() - SLACK_NS;
	u64 ns;

	if (READ_ONCE(drainer->drain_error))
		return;
	/* The log has metadata for writes of a page. */
	sectors = max_t(u32, sectors, PAGE_SECTORS);
	left += (nr_free - min(nr_free, spare) + ssdup_discarding_segments(drainer->log)) * size;
	ns = ssdup_pacing_lasts_ns(&g, sectors, left + sectors);
	do
		next = max(then, soonest) + ns;
	while (!atomic64_try_cmpxchg(&drainer->next_pass, &then, next));
}

int ssdup_throttle_reserve(struct ssdup_drainer *drainer, struct ssdup_io *io, u32 sectors)
{
	int r = ssdup_reserve(drainer->log, io, sectors, pass_throttle(drainer));

	/* From now on the log may be scarce. */
	if (r == -SSDUP_ERR_NO_SEGMENT)
		ssdup_throttle_segments(drainer);
	else if (!r && atomic64_read(&io->segment->word) & LOG_WORD_THROTTLED)
		passed_throttle(drainer, io->segment, sectors);
	return r;
}

void ssdup_throttle_freed(struct ssdup_drainer *drainer)
{
	s64 now = ktime_get_ns(), then = atomic64_read(&drainer->next_pass);

	ssdup_throttle_segments(drainer);
	while (then > now && !atomic64_try_cmpxchg(&drainer->next_pass, &then, now))
		;
}
