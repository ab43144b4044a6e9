// SPDX-License-Identifier: GPL-2.0-only
#include "core/pacing.h"
#include "meter.h"
#include "segments_list.h"
#include "throttle.h"
#include "wake.h"

/* What timers need: a write that is due may come two ticks later, and the rate is kept. */
#define SLACK_NS	(2 * NSEC_PER_SEC / HZ)

static struct pacing_group group_of(struct ssdup *c)
{
	return (struct pacing_group){
		.part = ssdup_part(c),
		.waiters = true,
		.max_wait_ns = (u64)READ_ONCE(c->set.max_wait_ms) * NSEC_PER_MSEC,
		.segment_ns = ssdup_meter_free_ns(c, c->g.data_sectors),
	};
}

u32 ssdup_throttle_segments(struct ssdup *c)
{
	const struct pacing_group g = group_of(c);

	/* Who may go to the HDD waits for nothing, as long as he overlaps nothing. */
	if (READ_ONCE(c->set.full) == SSDUP_FULL_BYPASS ||
	    (!READ_ONCE(c->scarce) && g.segment_ns <= g.max_wait_ns))
		return 0;
	/* When a group is freed, there are about that many. */
	return min(2 * ssdup_pacing_group(&g) + 1, c->g.nr_segments / 2);
}

u64 ssdup_throttle_pass(struct ssdup *c)
{
	if (ktime_get_ns() >= atomic64_read(&c->segments->next_pass) || READ_ONCE(c->drain_error))
		return LOG_WORD_THROTTLED;
	ssdup_kick_waiting_in(c, 1);
	return 0;
}

void ssdup_throttle_passed(struct ssdup *c, const struct ssdup_segment *h, u32 sectors)
{
	const struct pacing_group g = group_of(c);
	struct ssdup_segments *s = c->segments;
	u32 nr_free = READ_ONCE(s->nr_free), spare = ssdup_spare(c);
	u64 size = c->g.data_sectors, left = size - log_word_sectors(atomic64_read(&h->word));
	s64 next, then = atomic64_read(&s->next_pass), soonest = ktime_get_ns() - SLACK_NS;
	u64 ns;

	if (READ_ONCE(c->drain_error))
		return;
	/* The log has metadata for writes of a page. */
	sectors = max_t(u32, sectors, PAGE_SECTORS);
	left += (nr_free - min(nr_free, spare) + READ_ONCE(s->discarding)) * size;
	ns = ssdup_pacing_lasts_ns(&g, sectors, left + sectors);
	do
		next = max(then, soonest) + ns;
	while (!atomic64_try_cmpxchg(&s->next_pass, &then, next));
}

void ssdup_throttle_freed(struct ssdup *c)
{
	s64 now = ktime_get_ns(), then = atomic64_read(&c->segments->next_pass);

	while (then > now && !atomic64_try_cmpxchg(&c->segments->next_pass, &then, now))
		;
}
