/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: who waits for what, and the functions that wake them.
 *
 *	the writeback thread		until there may be something to drain
 *	the work that forgets		until clean segments are too many, or in the way
 *	waiting writes			until they may find a window, or a place in the log
 *	entries of the ring		until the next automatic commit
 *	writes of the stage		until their buffer is full, or for a tick
 *	settle_wait			until a count of requests in flight is zero
 *	done_wait			until a requested drain has ended
 *	dmsetup wait			until an event
 *
 * Everything here may be called in any context, with any lock held.
 */
#ifndef SSDUP_WAKEUPS_H
#define SSDUP_WAKEUPS_H

#include "ssdup.h"

/** ssdup_wake_create() - make wait queues and workqueue; the constructor. Return: 0 or -ENOMEM */
int ssdup_wake_create(struct ssdup *c);
void ssdup_wake_destroy(struct ssdup *c);

/** ssdup_wake_stop() - cancel or finish all work; context: process, no request waits */
void ssdup_wake_stop(struct ssdup *c);

/** ssdup_kick_writeback() - let the thread look again whether there is something to drain */
void ssdup_kick_writeback(struct ssdup *c);

/** ssdup_kick_clean() - let the work look again whether clean segments are to be forgotten */
void ssdup_kick_clean(struct ssdup *c);

/** ssdup_kick_waiting() - try the waiting writes now */
void ssdup_kick_waiting(struct ssdup *c);

/** ssdup_kick_waiting_in() - try the waiting writes in @delay jiffies, unless a time is set */
void ssdup_kick_waiting_in(struct ssdup *c, unsigned long delay);

/** ssdup_note_cause() - why the last write that found no place waits */
static inline void ssdup_note_cause(struct ssdup *c, enum wait_cause cause)
{
	WRITE_ONCE(c->wake.cause, cause);
}

/** ssdup_kick_guard() - schedule that the guard of the HDD is closed */
void ssdup_kick_guard(struct ssdup *c);

/** ssdup_commit_soon() - schedule a commit after the autocommit time, or @now */
void ssdup_commit_soon(struct ssdup *c, bool now);

/** ssdup_stage_soon() - schedule that what is staged is sent, after a tick, or @now */
void ssdup_stage_soon(struct ssdup *c, bool now);

/** ssdup_settled() - wake settle_wait: a counter has become zero */
static inline void ssdup_settled(struct ssdup *c)
{
	/* The barrier in wq_has_sleeper() pairs with the one in wait_event(). */
	if (wq_has_sleeper(&c->wake.settle_wait))
		wake_up(&c->wake.settle_wait);
}

/** ssdup_drain_told() - wake done_wait: the state of a drain has changed */
void ssdup_drain_told(struct ssdup *c);

/** ssdup_event() - let dmsetup wait return */
void ssdup_event(struct ssdup *c);

#endif
