// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: windows of writes, and the route of the next stream.
 *
 * Two windows take turns. Writers fill the current one through an atomic
 * index; the one that completes it turns to the other, evaluates, and sets the
 * route. A write that arrives between the last place and the turn is not
 * sampled; so is a whole window that is full before the one before has been
 * evaluated. The detector is statistics: a lost sample costs nothing, a lock in
 * every write would.
 */
#include "ssdup.h"
#include "trace.h"

#define QUIET_PASS	3U	/* of four streams one is sampled */

/* @pass: so many streams are not sampled, before the one that is */
static void window_reset(struct ssdup *c, struct stream_window *w, u32 pass)
{
	u32 length = READ_ONCE(c->set.stream_length);

	WRITE_ONCE(w->length, length);
	atomic_set(&w->filled, 0);
	/* Pairs with the fully ordered atomic_fetch_inc() of the first sampler. */
	smp_wmb();
	atomic_set(&w->next, -(int)(pass * length));
}

void ssdup_stream_init(struct ssdup *c)
{
	window_reset(c, &c->window[0], 0);
	c->window_now = &c->window[0];
	c->percentage = 0;
	c->route = redirector_first(c->set.policy);
	threshold_init(&c->threshold);
	c->threshold_now = c->threshold.value;
	ssdup_load_init(&c->load);
}

static void stream_evaluate(struct ssdup *c, struct stream_window *w)
{
	struct redirector_marks marks = {
		.to_ssd_above = READ_ONCE(c->set.to_ssd_above) * (SSDUP_PCT_ONE / 100),
		.to_hdd_below = READ_ONCE(c->set.to_hdd_below) * (SSDUP_PCT_ONE / 100),
	};
	/* A sampler that was held up for a life of the window may still write; see below. */
	u32 percentage = data_race(detector_random_percentage(w->s, w->length));
	u32 threshold = threshold_update(&c->threshold, percentage);
	enum ssdup_policy policy;
	enum ssdup_route route;

	WRITE_ONCE(c->percentage, percentage);
	WRITE_ONCE(c->threshold_now, threshold);
	do {
		policy = READ_ONCE(c->set.policy);
		route = redirector_next(policy, READ_ONCE(c->route), percentage, threshold, &marks);
		WRITE_ONCE(c->route, route);
		/* Pairs with ssdup_set(): the route is by the policy that was set last. */
		smp_mb();
	} while (policy != READ_ONCE(c->set.policy));
	ssdup_load_stream(c, percentage);
	stat_inc(c, STAT_STREAMS);
	if (route == SSDUP_ROUTE_SSD)
		stat_inc(c, STAT_STREAMS_SSD);
	trace_ssdup_stream(c, percentage, threshold, route);
}

void ssdup_stream_full(struct ssdup *c, struct stream_window *w)
{
	struct stream_window *next = w == &c->window[0] ? &c->window[1] : &c->window[0];

	if (test_and_set_bit_lock(0, &c->evaluating)) {
		window_reset(c, w, 0);
		return;
	}
	/* What they are like matters little to balance where there is little to choose from. */
	window_reset(c, next, ssdup_load_quiet(c) ? QUIET_PASS : 0);
	WRITE_ONCE(c->window_now, next);
	stream_evaluate(c, w);
	clear_bit_unlock(0, &c->evaluating);
}
