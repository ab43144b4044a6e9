/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which way the next stream goes (SSDUP+ section 2.3, algorithm 1),
 * and which way one write goes, given its stream's route. Pure.
 */
#ifndef SSDUP_REDIRECTOR_H
#define SSDUP_REDIRECTOR_H

#include "types.h"

struct redirector_marks {
	u32	to_ssd_above;	/* 1/10000 */
	u32	to_hdd_below;	/* 1/10000 */
};

/**
 * ssdup_redirector_next() - route of the next stream
 * @policy: table argument or knob
 * @now: route of the stream just seen
 * @percentage: its random percentage, 1/10000
 * @threshold: adaptive threshold after that stream, 1/10000
 * @marks: static water marks of SSDUP
 *
 * adaptive: above the threshold to the SSD, below it to the HDD, equal: stay.
 * watermark: the same with a mark of its own for each direction. all, none:
 * always the SSD, always the HDD.
 */
enum ssdup_disk ssdup_redirector_next(enum ssdup_policy policy, enum ssdup_disk now,
				      u32 percentage, u32 threshold,
				      const struct redirector_marks *marks);

/** ssdup_redirector_first() - route of the first stream: the HDD but for policy all */
enum ssdup_disk ssdup_redirector_first(enum ssdup_policy policy);

/* What is known when one write has to be sent somewhere. */
struct write_facts {
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
 * ssdup_redirector_way() - which way one write goes
 * @f: the facts
 *
 * A write that overlaps the log never goes to the HDD (invariant 3). A write
 * that may go to either device goes to the HDD rather than wait when full is
 * bypass, when the log is not writable or shut, when there is no memory, or when a
 * suspend waits for it. A
 * suspend is not kept waiting for a drain that does not succeed.
 * A write whose way is the log queues behind the writes that wait already.
 */
enum write_way ssdup_redirector_way(const struct write_facts *f);

#endif
