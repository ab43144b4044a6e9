/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the fast path of the sampling of writes; inline.
 */
#ifndef SSDUP_STREAM_H
#define SSDUP_STREAM_H

#include "router.h"

/**
 * ssdup_stream_note() - sample one write, unless the sampling rests
 *
 * Context: map, on any number of CPUs at once. The writer that completes a window evaluates it.
 * Return: the route of the current stream, to which this write belongs.
 */
static inline enum ssdup_disk ssdup_stream_note(struct ssdup_router *router, u64 start, u32 sectors)
{
	struct stream_window *w = READ_ONCE(router->window_now);
	enum ssdup_disk route = READ_ONCE(router->route);
	u32 i;

	if (!w) {
		if (unlikely(time_after_eq(jiffies, READ_ONCE(router->stream_due))))
			ssdup_stream_go_on(router);
		return route;
	}
	i = atomic_fetch_inc(&w->next);
	if (unlikely(i >= SSDUP_STREAM))
		return route;
	WRITE_ONCE(w->s[i].start, start);
	WRITE_ONCE(w->s[i].sectors, sectors);
	/* Fully ordered, so the evaluator sees every sample that was counted. */
	if (unlikely(atomic_inc_return(&w->filled) == SSDUP_STREAM))
		ssdup_stream_full(router, w);
	return route;
}

#endif
