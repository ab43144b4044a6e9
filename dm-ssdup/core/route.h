/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which way one write goes, given its stream's route. Pure.
 */
#ifndef SSDUP_ROUTE_H
#define SSDUP_ROUTE_H

#include "types.h"

/* What is known when one write has to be sent somewhere. */
struct route_facts {
	enum ssdup_disk route;	/* of its stream */
	bool	overlaps;	/* something the log still holds */
	bool	log_writable;	/* the mode of the device allows new log entries */
	bool	space;		/* the log has room for it now */
	bool	no_memory;	/* there is none for its extent */
	bool	shut;		/* the SSD takes no writes for the moment */
	bool	queue;		/* other writes wait for log space already */
	bool	leaving;	/* a suspend waits for this write */
	bool	stuck;		/* the log cannot be drained for now */
	enum ssdup_full full;
};

enum write_way {
	WRITE_TO_HDD,
	WRITE_TO_LOG,
	WRITE_WAITS,		/* in order, for log space */
	WRITE_FAILS,		/* needs a log that takes no more: EIO */
};

/**
 * ssdup_route_way() - which way one write goes
 * @f: the facts
 *
 * A write that overlaps the log never goes to the HDD (invariant 3). A write
 * that may go to either device goes to the HDD rather than wait when full is
 * bypass, when the log is not writable or shut, when there is no memory, or when a
 * suspend waits for it. A
 * suspend is not kept waiting for a drain that does not succeed.
 * A write whose way is the log queues behind the writes that wait already.
 */
enum write_way ssdup_route_way(const struct route_facts *f);

#endif
