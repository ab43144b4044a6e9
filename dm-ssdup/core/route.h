/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: where one write goes, given its stream's route. Pure.
 *
 * The answer is what to try next. The HDD refuses a write that overlaps the log, and the log
 * refuses one that it has no place for. Each refusal is a new fact, with which the caller asks
 * again. Nothing that was refused is tried again, so there are at most two refusals.
 */
#ifndef SSDUP_ROUTE_H
#define SSDUP_ROUTE_H

#include <linux/compiler.h>

#include "types.h"

/* What is known when one write has to be sent somewhere. */
struct route_facts {
	enum ssdup_disk disk;	/* where its stream goes, or what balance chose */
	bool	log_writable;	/* the mode of the device allows new log entries */
	bool	shut;		/* the SSD takes no writes for the moment */
	bool	queue;		/* other writes wait for log space already */
	bool	rationed;	/* the end of the last half is handed out bit by bit */
	bool	bypass;		/* the HDD is better than waiting for log space */
	bool	leaving;	/* a suspend waits for this write */
	bool	stuck;		/* the log cannot be drained for now */
	/* What has been refused. */
	bool	overlaps;	/* the HDD, for the log still holds something there */
	bool	no_place;	/* the log */
	bool	no_memory;	/* the log, which had no memory for its extent */
};

enum route_action {
	ROUTE_HDD,		/* try the HDD: it must not overlap the log */
	ROUTE_LOG,		/* try to get a place in the log, within the ration */
	ROUTE_LOG_REST,		/* the same, and the ration does not matter */
	ROUTE_WAIT,		/* in order, for log space */
	ROUTE_FAIL,		/* it needs a log that takes no more: EIO */
};

/**
 * ssdup_route_next() - what to try next for a write
 * @f: the facts
 *
 * A write that overlaps the log never goes to the HDD (invariant 3). Any other one goes
 * there when its route does, when the log takes no writes, and when it would have to wait
 * although it should not: for policy or the key full, for a suspend, or for memory. A
 * suspend is not kept waiting for a drain that does not succeed.
 *
 * A write to the log queues behind the writes that wait already. One that would wait for
 * space stays within the ration. One that would not may take the rest, and passes those that
 * the ration holds up.
 */
static __always_inline enum route_action ssdup_route_next(const struct route_facts *f)
{
	bool open = f->log_writable && !f->shut;
	bool waits = !f->bypass && !f->leaving && !f->stuck;
	/* While the log is stuck, all wait for space alike. */
	bool behind = f->queue && (waits || f->stuck || !f->rationed);

	if (!f->overlaps && (f->disk == SSDUP_HDD || !open))
		return ROUTE_HDD;
	if (open && !behind && !f->no_place)
		return waits ? ROUTE_LOG : ROUTE_LOG_REST;
	if (!f->overlaps && (f->bypass || f->leaving || f->no_memory))
		return ROUTE_HDD;
	if (!f->log_writable || (f->leaving && f->stuck && !f->shut))
		return ROUTE_FAIL;
	return ROUTE_WAIT;
}

#endif
