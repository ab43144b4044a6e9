// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: sampling of writes into windows, and the route of the next stream.
 *
 * Two windows take turns. Writers fill the current one through an atomic index. The writer
 * that completes it switches to the other window, evaluates the full one, and sets the route.
 * Writes between the last place and the switch are not sampled. A window that fills up before
 * the other one has been evaluated is dropped. This is statistics: a lost sample costs little,
 * but a lock would cost every write.
 *
 * All writers share the cache lines that they write samples to. So at most SAMPLES_PER_SECOND
 * are taken, after a burst of SAMPLES_AT_ONCE. Between streams the sampling rests: writes then
 * look at jiffies and write no shared cache line.
 */
#include <linux/slab.h>

#include "base/trace.h"
#include "core/stream_route.h"
#include "core/threshold.h"
#include "stream.h"

#define SAMPLES_PER_SECOND	4096U
#define SAMPLES_AT_ONCE		16384U

struct ssdup_stream {
	struct stream_window	window[2];
	unsigned long		evaluating;	/* bit 0 is a lock for the next three */
	struct stream_window	*next;
	u64			sampled;	/* samples paid for, see pay_samples() */
	struct threshold	threshold;
};

static void window_reset(struct stream_window *w)
{
	atomic_set(&w->filled, 0);
	/* Pairs with the fully ordered atomic_fetch_inc() of the first sampler. */
	smp_wmb();
	atomic_set(&w->next, 0);
}

int ssdup_stream_create(struct ssdup_router *router)
{
	struct ssdup_stream *s = kvzalloc(sizeof(*s), GFP_KERNEL);

	if (!s)
		return -ENOMEM;
	router->stream = s;
	window_reset(&s->window[0]);
	router->window_now = &s->window[0];
	s->next = &s->window[1];
	router->route = ssdup_stream_route(router->c->set.policy, SSDUP_HDD, 0, 0);
	ssdup_threshold_init(&s->threshold);
	return 0;
}

void ssdup_stream_policy(struct ssdup_router *router, enum ssdup_policy policy)
{
	/* Pairs with smp_mb() in stream_evaluate(). */
	smp_mb();
	WRITE_ONCE(router->route, ssdup_stream_route(policy, READ_ONCE(router->route),
						     POLICY_STAYS, POLICY_STAYS));
}

static void stream_evaluate(struct ssdup_router *router, struct stream_window *w)
{
	/* A delayed sampler may still write to the window, see ssdup_stream_note(). */
	u32 percentage = data_race(ssdup_detector_random_percentage(w->s, SSDUP_STREAM));
	u32 threshold = ssdup_threshold_update(&router->stream->threshold, percentage);
	enum ssdup_policy policy;
	enum ssdup_disk route;

	do {
		policy = READ_ONCE(router->c->set.policy);
		route = ssdup_stream_route(policy, READ_ONCE(router->route), percentage, threshold);
		WRITE_ONCE(router->route, route);
		/* Pairs with smp_mb() in ssdup_stream_policy(): the last policy decides. */
		smp_mb();
	} while (policy != READ_ONCE(router->c->set.policy));
	trace_ssdup_stream(router->c, percentage, threshold, route);
}

/* Pay for the samples of a stream. Return: may the next stream be sampled at once? */
static bool pay_samples(struct ssdup_router *router)
{
	u64 earned = div_u64(get_jiffies_64() * SAMPLES_PER_SECOND, HZ);
	u64 paid = max(router->stream->sampled, earned - min(earned, SAMPLES_AT_ONCE)) +
		   SSDUP_STREAM;

	router->stream->sampled = paid;
	if (paid <= earned)
		return true;
	WRITE_ONCE(router->stream_due, jiffies + 1 +
		   div_u64((paid - earned) * HZ, SAMPLES_PER_SECOND));
	return false;
}

static void next_window(struct ssdup_router *router)
{
	window_reset(router->stream->next);
	WRITE_ONCE(router->window_now, router->stream->next);
}

void ssdup_stream_go_on(struct ssdup_router *router)
{
	if (test_and_set_bit_lock(0, &router->stream->evaluating))
		return;
	if (!READ_ONCE(router->window_now))
		next_window(router);
	clear_bit_unlock(0, &router->stream->evaluating);
}

void ssdup_stream_full(struct ssdup_router *router, struct stream_window *w)
{
	struct ssdup_stream *s = router->stream;

	if (test_and_set_bit_lock(0, &router->stream->evaluating)) {
		window_reset(w);
		return;
	}
	s->next = w == &s->window[0] ? &s->window[1] : &s->window[0];
	if (pay_samples(router))
		next_window(router);
	else
		WRITE_ONCE(router->window_now, NULL);
	stream_evaluate(router, w);
	clear_bit_unlock(0, &router->stream->evaluating);
}
