/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: where one write goes, given its stream's route. Pure.
 *
 * The answer is what to try next. The HDD refuses a write that overlaps the log, and the log
 * refuses a write that it has no place for. The caller adds each refusal to the facts and asks
 * again. What has refused a write is not tried again, so there are at most two refusals.
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
	bool	bypass;		/* there is no log space to wait for */
	bool	leaving;	/* a suspend waits for this write */
	bool	stuck;		/* the log cannot be drained for now */
	/* Refusals so far. */
	bool	overlaps;	/* by the HDD: the write overlaps the log */
	bool	no_place;	/* by the log, for want of space */
	bool	no_memory;	/* by the log, for want of memory for the extent */
	bool	unaligned;	/* by the log, for good: to the logical block */
};

enum route_action {
	ROUTE_HDD,		/* try the HDD, unless the write overlaps the log */
	ROUTE_LOG,		/* try to get a place in the log */
	ROUTE_WAIT,		/* queue for log space, in order */
	ROUTE_FAIL,		/* the write needs the log, which takes none: EIO */
};

/**
 * ssdup_route_next() - what to try next for a write
 * @f: the facts
 *
 * A write that overlaps the log never goes to the HDD (invariant 3). Any other write goes there
 * when its stream does, when the log takes no writes, or when it would have to wait for the log
 * and must not: because no drain can help, for a suspend, or for lack of memory. A suspend does not
 * wait for a drain that fails. The log never takes a write that is not aligned.
 *
 * A write to the log queues behind the writes that wait already.
 */
static __always_inline enum route_action ssdup_route_next(const struct route_facts *f)
{
	bool open = f->log_writable && !f->shut;

	if (!f->overlaps && (f->disk == SSDUP_HDD || !open))
		return ROUTE_HDD;
	if (f->unaligned)
		return ROUTE_FAIL;
	if (open && !f->queue && !f->no_place)
		return ROUTE_LOG;
	if (!f->overlaps && (f->bypass || f->leaving || f->no_memory))
		return ROUTE_HDD;
	if (!f->log_writable || (f->leaving && f->stuck && !f->shut))
		return ROUTE_FAIL;
	return ROUTE_WAIT;
}

#endif
