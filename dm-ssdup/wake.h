/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: who sleeps, and what wakes them.
 *
 *	the writeback thread		until there may be something to drain
 *	waiting writes			until they may find a place in the log
 *	entries of the ring		until a commit comes by itself
 *	who waits for I/O to settle	until a count of requests in flight is zero
 *	who asked for a drain		until it has ended
 *	dmsetup wait			until an event
 *
 * Everything here may be called in any context, with any lock held.
 */
#ifndef SSDUP_WAKE_H
#define SSDUP_WAKE_H

#include "ssdup.h"

/**
 * ssdup_wake_init() - nobody sleeps yet
 * @waiting: tries the waiting writes again, in order
 * @commit: makes a commit
 *
 * Context: the constructor.
 */
void ssdup_wake_init(struct ssdup *c, work_func_t waiting, work_func_t commit);

/** ssdup_wake_create() - the workqueue; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_wake_create(struct ssdup *c);
void ssdup_wake_destroy(struct ssdup *c);

/** ssdup_wake_stop() - no work runs or is queued any more; context: process, nobody waits */
void ssdup_wake_stop(struct ssdup *c);

/** ssdup_kick_writeback() - look again whether there is something to drain */
void ssdup_kick_writeback(struct ssdup *c);

/** ssdup_kick_waiting() - something changed that waiting writes may profit from */
void ssdup_kick_waiting(struct ssdup *c);

/** ssdup_kick_waiting_in() - try the waiting writes in @delay jiffies, if not before */
void ssdup_kick_waiting_in(struct ssdup *c, unsigned long delay);

/** ssdup_commit_soon() - a commit is to come by itself, or @now */
void ssdup_commit_soon(struct ssdup *c, bool now);

/** ssdup_settled() - a counter that somebody may wait for has become zero */
static inline void ssdup_settled(struct ssdup *c)
{
	/* Has the barrier that pairs with the one of wait_event(). */
	if (wq_has_sleeper(&c->settle_wait))
		wake_up(&c->settle_wait);
}

/** ssdup_drain_told() - who waits for a drain looks again at what came of it */
void ssdup_drain_told(struct ssdup *c);

/** ssdup_event() - let dmsetup wait return */
void ssdup_event(struct ssdup *c);

#endif
