/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: whose the segments of an SSD are, when it holds several logs. Pure.
 *
 * No table on the SSD says so. A segment is that log's whose header it has, if its generation is
 * not below the tail of the log's record; else it is free. When a log is activated it leases free
 * segments, and opens no others. A lease is never on the SSD: after a crash, all that holds
 * nothing is free.
 *
 * Whatever is damaged, no segment that may be live is free. And each log, also one whose HDD is
 * not there, can lease the free segments that writers leave to drains, and one more. So it can be
 * written to, and emptied.
 */
#ifndef SSDUP_LEASE_H
#define SSDUP_LEASE_H

#include "codec.h"

/* Owners of segments beside the numbers of logs. */
#define POOL_FREE	0xffU
#define POOL_UNCLEAR	0xfeU	/* damaged: it may be live, and nobody can say whose it is */
#define POOL_NONE	0xfdU	/* on an SSD that is not used */

/* The record of a log. */
struct pool_log {
	enum log_fault	fault;
	struct log_super s;		/* valid where @fault is LOG_OK */
};

/**
 * ssdup_pool_owner() - whose a segment is
 * @pool: UUID of the pool
 * @log: by their numbers, SSDUP_MAX_LOGS
 * @there: which of them there are, a bit each
 * @segment: its number
 * @head: LOG_HEAD_BYTES of it, as read
 *
 * Return: the number of a log, POOL_FREE or POOL_UNCLEAR.
 */
u32 ssdup_pool_owner(const u8 pool[16], const struct pool_log *log, u64 there, u32 segment,
		     const void *head);

/** ssdup_pool_header() - is there a header of any log that had this number? */
bool ssdup_pool_header(const u8 pool[16], u32 number, u32 segment, const void *head);

/**
 * lease_least() - free segments of each SSD that a log can always lease, by its classes there
 *
 * One to write to, besides what a drain needs.
 */
static inline u32 lease_least(u32 nr_classes)
{
	return LOG_DRAIN_SEGMENTS + max(nr_classes, 1U);
}

/** pool_share() - the segments that a log gets unless its table says so: an equal part */
static inline u32 pool_share(u32 nr_segments, u32 nr_logs)
{
	return nr_segments / max(nr_logs, 1U);
}

/**
 * ssdup_pool_grant() - how many free segments a log may lease
 * @free: segments of the pool
 * @reserved: of these, to others
 * @live: segments that the log holds already
 * @want: that it is to have with these
 * @least: that it needs on top of what is live
 */
u32 ssdup_pool_grant(u32 free, u32 reserved, u32 live, u32 want, u32 least);

#endif
