/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the log on the SSD: its segments, and the classes that fill them.
 */
#ifndef SSDUP_LOG_ROOM_H
#define SSDUP_LOG_ROOM_H

#include "ssdup.h"

enum segment_state {
	SEGMENT_FREE,
	SEGMENT_OPEN,
	SEGMENT_SEALED,
	SEGMENT_DRAINING,
	SEGMENT_WRITTEN_BACK,		/* all on the HDD, perhaps in its cache, but not freed */
};

struct ssdup_segment {
	/* Every write to the log changes these. */
	atomic64_t		word;		/* see core/log.h; sealed unless open */
	atomic64_t		seq;		/* of the last write that ended here */
	atomic_t		writes;		/* have a place, but no extent in the tree yet */
	u32			spares;		/* nodes of the reserve promised to these */
	struct ssdup_class	*class;		/* constant while the segment is not free */
	struct llist_head	arrays;		/* extents of its entries, until it is free again */
	struct llist_head	pieces;		/* split off its extents, in no order yet */

	/* Reads change this: it is not on the cache line of the writes. */
	atomic_t		reads ____cacheline_aligned_in_smp;	/* that point into it */
	atomic64_t		live;		/* see ssdup_account_extent() */
	u32			index;		/* of the segment; constant */

	/* Set before the word is unsealed, constant until the segment is free. */
	u64			base;		/* ring number of page 0 */
	u64			generation;

	/* Protected by committer->lock; no segment is freed while it is held. */
	u32			pages_done;	/* pages that are complete and durable */
	bool			header;		/* the header is durable */

	/* Of the writeback thread alone. */
	bool			tried;		/* a salvage has tried it in this pass */
	bool			lost;		/* a salvage found lost extents in it */
	u32			relocated;	/* entries that a drain has moved here */
	struct llist_head	ordered;	/* pieces that a drain has put in order */

	/* Protected by segments->lock. */
	enum segment_state	state;
	struct list_head	list;		/* of sealed, or of free segments */
	struct list_head	ring;		/* of segments that have pages in the ring */
};

/*
 * Metadata pages that are not complete and durable yet live in a ring. Page P of a segment has
 * number segment->base + P, and that modulo the size of the ring is its index. A write fills its
 * entry without a lock, then publishes it by a store-release of its kind.
 */
#define SSDUP_RING		128U

/*
 * The most segments in the ring of a class. All but two have a page there. The first may have none
 * because all its pages left the ring before it was sealed, the last because it has no writes yet.
 */
#define SSDUP_RING_SEGMENTS	(SSDUP_RING + 2)

/*
 * Nodes of extents are allocated with the entries, many at a time, and freed with the segment. Each
 * write divides by their number, which is a power of two therefore.
 */
#define SSDUP_ARRAY_NODES	32U
#define SSDUP_PAGE_ARRAYS	DIV_ROUND_UP((u32)SSDUP_PAGE_ENTRIES, SSDUP_ARRAY_NODES)

/*
 * Preallocated arrays of one node, for inserts that split an extent. A segment is promised a share
 * when it opens. Once sealed, it keeps only the nodes that its writes in flight may need. Half of
 * the nodes are for such sealed segments. So with one class, 256 writes in flight bring no node of
 * their own.
 */
#define SSDUP_NODES_RESERVED	512U

struct ring_page {
	/* Nodes of the entries, allocated when the first one is handed out. */
	struct extent_array	*array[SSDUP_PAGE_ARRAYS];
	atomic_t		resolved;	/* entries published or abandoned */
	bool			holes;		/* an entry was abandoned */
	struct ssdup_entry	e[SSDUP_PAGE_ENTRIES];

	/* Protected by committer->lock. */
	u32			durable;	/* entries that are on the SSD */
	u64			rev;		/* of the durable version */
};

/*
 * Data of one expected lifetime. A class has segments of its own, in the order of their
 * generations, and a ring of its own. Two classes never hold the same sector, so they need no
 * order between each other.
 */
struct ssdup_class {
	struct ssdup_segment	*open;		/* the word of a stale one is sealed */
	struct ring_page	*ring;
	u64			ring_tail;	/* first ring number in use; commits move it */
	bool			ring_full;	/* a write waits for the ring; a hint */
	u32			index;		/* constant */
	u8			stream;		/* of the SSD; 0: none; constant */
	u64			asked;		/* drain generations up to this one; a hint */
	u32			nr_sealed;	/* a hint */

	/* Protected by segments->lock. */
	struct list_head	sealed;		/* segments, the oldest first */
	struct ssdup_segment	*to_drain;	/* segments before it are written back */
	struct list_head	in_ring;	/* segments with pages in the ring, oldest first */
	u64			next;		/* generation to open */
	u64			number;		/* ring number behind the last sealed segment */
} ____cacheline_aligned_in_smp;

struct ssdup_log {
	struct ssdup		*c;
	struct log_geometry	g;
	u32			nr_classes;	/* written by preresume */
	u32			longest;	/* write to the log, in sectors */
	u32			whole;		/* longer requests may be split */
	struct ssdup_segment	*segment;	/* all of them, and one that stays sealed */
	struct ssdup_segments	*segments;
	struct bio_queue	fuas;		/* writes whose extent is published; see commit.c */
	struct ssdup_meta	*meta;
	struct ssdup_superblock	*superblock;
	struct ssdup_committer	*committer;
	struct ssdup_class	class[SSDUP_MAX_CLASSES];

	/* Arrays of one node, see ssdup_has_spare(), and of more. */
	mempool_t		nodes ____cacheline_aligned_in_smp;
	mempool_t		arrays;
	u32			spares;		/* not promised; protected by segments->lock */
	enum wait_cause		wait_cause;	/* of the last that found no place; a hint */
};

/* Behind the last class. */
static inline struct ssdup_class *class_end(struct ssdup_log *log)
{
	return log->class + log->nr_classes;
}

#endif
