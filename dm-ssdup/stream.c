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
 *
 * A sample is written to cache lines that all writers write. So of a load of more than
 * SAMPLES_PER_SECOND, SAMPLES_AT_ONCE aside, only as many streams are sampled; between
 * them the sampling rests, and writes look at the jiffies and write nothing.
 */
#include <linux/slab.h>

#include "halves.h"
#include "meter.h"
#include "stream.h"
#include "trace.h"

#define SAMPLES_PER_SECOND	4096U
#define SAMPLES_AT_ONCE		16384U

struct ssdup_stream {
	struct stream_window	window[2];
	unsigned long		evaluating;	/* bit 0, a lock: of the next three */
	struct stream_window	*next;
	u64			sampled;	/* writes that were paid for, see pay() */
	struct threshold	threshold;
	u32			threshold_now;	/* of the last stream, 1/10000; to look at */
	u32			percentage;	/* likewise */
};

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

int ssdup_stream_create(struct ssdup *c)
{
	struct ssdup_stream *s = kvzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return -ENOMEM;
	c->stream = s;
	window_reset(c, &s->window[0], 0);
	c->window_now = &s->window[0];
	s->next = &s->window[1];
	c->route = ssdup_policy_first(c->set.policy);
	ssdup_threshold_init(&s->threshold);
	s->threshold_now = s->threshold.value;
	return 0;
}

void ssdup_stream_destroy(struct ssdup *c)
{
	kvfree(c->stream);
}

u32 ssdup_stream_percentage(const struct ssdup *c)
{
	return READ_ONCE(c->stream->percentage);
}

u32 ssdup_stream_threshold(const struct ssdup *c)
{
	return READ_ONCE(c->stream->threshold_now);
}

static void stream_evaluate(struct ssdup *c, struct stream_window *w)
{
	struct policy_marks marks = {
		.to_ssd_above = READ_ONCE(c->set.to_ssd_above) * (SSDUP_PCT_ONE / 100),
		.to_hdd_below = READ_ONCE(c->set.to_hdd_below) * (SSDUP_PCT_ONE / 100),
	};
	/* A sampler that was held up for a life of the window may still write; see below. */
	u32 percentage = data_race(ssdup_detector_random_percentage(w->s, w->length));
	u32 threshold = ssdup_threshold_update(&c->stream->threshold, percentage);
	enum ssdup_policy policy;
	enum ssdup_disk route;

	WRITE_ONCE(c->stream->percentage, percentage);
	WRITE_ONCE(c->stream->threshold_now, threshold);
	do {
		policy = READ_ONCE(c->set.policy);
		route = ssdup_policy_next(policy, READ_ONCE(c->route), percentage, threshold,
					  &marks);
		WRITE_ONCE(c->route, route);
		/* Pairs with ssdup_set(): the route is by the policy that was set last. */
		smp_mb();
	} while (policy != READ_ONCE(c->set.policy));
	ssdup_meter_stream(c, percentage);
	stat_inc(c, STAT_STREAMS);
	if (route == SSDUP_SSD)
		stat_inc(c, STAT_STREAMS_SSD);
	trace_ssdup_stream(c, percentage, threshold, route);
}

/* Pay for the samples of a stream. Return: whether the next one may be sampled at once. */
static bool pay(struct ssdup *c, u32 samples)
{
	u64 earned = div_u64(get_jiffies_64() * SAMPLES_PER_SECOND, HZ);
	u64 paid = max(c->stream->sampled, earned - min(earned, SAMPLES_AT_ONCE)) + samples;

	c->stream->sampled = paid;
	if (paid <= earned)
		return true;
	WRITE_ONCE(c->stream_due, jiffies + 1 + div_u64((paid - earned) * HZ, SAMPLES_PER_SECOND));
	return false;
}

/* What they are like matters little to balance where there is little to choose from. */
static void next_window(struct ssdup *c)
{
	window_reset(c, c->stream->next, ssdup_meter_quiet(c) ? tuning.pass : 0);
	WRITE_ONCE(c->window_now, c->stream->next);
}

void ssdup_stream_go_on(struct ssdup *c)
{
	if (test_and_set_bit_lock(0, &c->stream->evaluating))
		return;
	if (!READ_ONCE(c->window_now))
		next_window(c);
	clear_bit_unlock(0, &c->stream->evaluating);
}

void ssdup_stream_full(struct ssdup *c, struct stream_window *w)
{
	struct ssdup_stream *s = c->stream;

	if (test_and_set_bit_lock(0, &c->stream->evaluating)) {
		window_reset(c, w, 0);
		return;
	}
	s->next = w == &s->window[0] ? &s->window[1] : &s->window[0];
	if (pay(c, w->length))
		next_window(c);
	else
		WRITE_ONCE(c->window_now, NULL);
	stream_evaluate(c, w);
	clear_bit_unlock(0, &c->stream->evaluating);
}
