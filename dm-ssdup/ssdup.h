/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the device in memory.
 *
 * Locks, outermost first, with the files that take them (tabs part the columns: the list in
 * Documentation/design.rst is made of this one, and lint compares it with the code):
 *
 *	registry_lock	target.c	mutex	targets, by their disks
 *	folder_lock	sysfs.c	mutex	makes and removes folders in sysfs
 *	owner_lock	sysfs.c	mutex	users of a folder's files, and its target
 *	set_lock	args.c	mutex	one change of a setting at a time
 *	rules_lock	classes.c	mutex	one change of the rules for new data at a time
 *	flush_lock	hdd.c	mutex	FLUSHes of the HDD, except those of a drain
 *	committer->lock	commit.c	mutex	one commit; none while reclaim.c frees segments
 *	superblock->lock	super.c	mutex	the log's record, in memory and while it is written
 *	meta->lock	metadata.c	mutex	flushes of the SSD, and writes of metadata
 *	segments->lock	groups.c segments.c	spin	which segments are open, sealed, free
 *	range->lock	classes.c drain.c io.c map.c map.h relocate.c status.c	spin	a tree
 *	waiting->lock	waiters.c	spin	writes that wait for log space
 *	away->lock	refusals.c	spin	the count of the SSD's errors
 *	copier->lock	drain.c	spin	the last drain's error; who asked since
 *	queue->lock	bioq.h	spin	bios that wait for a commit: FLUSHes, or FUA writes
 *
 * No two spinlocks are ever held together. A write takes only its range's lock.
 * A read takes it only if the range holds extents.
 *
 * Accesses without the lock use READ_ONCE(), WRITE_ONCE() or an atomic. A stale "hint" costs time
 * but never corrupts data: the writer changes the hint, then kicks the readers, and the kick
 * orders the change before their next look.
 *
 * What the data path relies on:
 *
 *  - A compare-and-exchange on the open segment's word hands out a place in the log.
 *    segment->writes is raised before that, and dropped after the extent is in its tree. A drain
 *    takes sealed segments only when their writes are zero: so all their extents are in the trees.
 *  - When a write ends, it takes a seq of its segment, fills its entry and inserts its extent
 *    under one range lock. Seqs of a younger segment are higher. A write that finds a newer
 *    extent over its sectors, or one of another class, was overtaken: it gives up its place and
 *    is routed again, to the open segment of the class that holds them. So each insert is the
 *    newest in its tree, and on disk too, and two classes never hold the same sector.
 *  - A direct write looks for overlaps and enters range->direct under the same
 *    lock. Before a drain takes anything from a range, it flips the range's
 *    phase and waits for the direct writes of the old phase. Direct writes of
 *    the new phase cannot overlap what the drain takes.
 *  - A read looks at range->held without a lock. A write updates the tree, then
 *    range->held, and is acknowledged after that.
 *  - A group of segments is freed in this order: write everything in it to the HDD; commit,
 *    so that what replaced its extents is durable; flush the HDD; write the record with the
 *    tail behind the group; remove its extents from the trees; wait for reads that point into
 *    it. Groups of a class are freed in the order in which their segments were opened.
 */
#ifndef SSDUP_H
#define SSDUP_H

#include <linux/bio.h>
#include <linux/blkdev.h>
#include <linux/device-mapper.h>
#include <linux/llist.h>
#include <linux/mempool.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "base/bioq.h"
#include "base/owed_errors.h"
#include "base/step.h"
#include "compat.h"
#include "core/balance.h"
#include "core/detector.h"
#include "core/extent_map.h"
#include "core/log.h"
#include "core/order.h"
#include "core/pacing.h"
#include "core/plan.h"
#include "core/policy.h"
#include "core/replay.h"
#include "core/retry.h"
#include "core/route.h"
#include "core/settings.h"
#include "core/threshold.h"
#include "core/types.h"

#define DM_MSG_PREFIX "ssdup"

/* --- Statistics: counters of each CPU --- */

struct ssdup_stats {
	u64	count[STAT_NR];
	/* Never cleared: the difference is the number of requests at the HDD. */
	u64	hdd_begun;
	u64	hdd_ended;
	u64	requests;	/* reads and writes of any route */
	s64	extents;	/* of the map; the sum of all CPUs counts */
	s64	sectors;	/* that they cover; the same */
	/* Of a log with classes; the same. */
	struct ssdup_class_stats {
		s64	sectors;	/* that the map holds of the class */
		u64	written;	/* sectors */
		u64	drained;	/* sectors, to the HDD */
		u64	replaced;	/* sectors, overwritten or discarded before that */
	} class[SSDUP_MAX_CLASSES];
	u32	writes;		/* for ssdup_meter_tick() */
};

/* --- Map --- */

/* Aligned, so that writes to neighbouring ranges do not share a cache line. */
struct ssdup_range {
	spinlock_t		lock;		/* protects what follows */
	u8			phase;		/* index in direct[] for new writes */
	/*
	 * The number of extents, read without the lock. It is updated before the
	 * write that changed the tree is acknowledged, so a later read sees it.
	 * After a segment was freed it may become zero late.
	 */
	u32			held;
	atomic_t		direct[2];	/* writes in flight to the HDD, by phase */
	struct extent_tree	tree;
} ____cacheline_aligned_in_smp;

/* --- Log --- */

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
	/* Reads change this one: keep it off the cache line of the writes. */
	atomic_t		reads ____cacheline_aligned_in_smp;	/* that point into it */
	atomic64_t		live;		/* see ssdup_class_count() */
	u32			index;		/* constant */
	enum segment_state	state;		/* protected by segments->lock */
	/* These are new before the word is unsealed. No segment is freed while a commit runs. */
	u32			pages_done;	/* complete and durable; the lock in commit.c */
	bool			header;		/* is durable; the lock in commit.c */
	bool			tried;		/* in this pass of a salvage; the thread */
	bool			lost;		/* holds lost extents, for salvage; the same */
	u64			base;		/* ring number of page 0 */
	u64			generation;	/* constant in a commit */
	u32			relocated;	/* entries moved here; the writeback thread */
	struct list_head	list;		/* sealed or free; segments.c, groups.c */
	struct list_head	ring;		/* has pages in the ring; the same */
	struct llist_head	ordered;	/* pieces that a drain has in its order */
};

/*
 * Metadata pages that are not complete and durable yet live in a ring. Page P of a segment has
 * number segment->base + P, and that modulo the size of the ring is its index. A write fills its
 * entry without a lock, then publishes it by a store-release of its kind.
 */
#define SSDUP_RING		128U

/*
 * Most segments that are in the ring of a class. Each has a page there but two: the first, whose
 * pages have all left the ring before it was sealed, and the last, which nobody has written to yet.
 */
#define SSDUP_RING_SEGMENTS	(SSDUP_RING + 2)

/*
 * Nodes of extents are allocated with the entries, many at a time, and freed with the segment. Each
 * write divides by their number, which is a power of two therefore.
 */
#define SSDUP_ARRAY_NODES	32U
#define SSDUP_PAGE_ARRAYS	DIV_ROUND_UP((u32)SSDUP_PAGE_ENTRIES, SSDUP_ARRAY_NODES)

/*
 * Preallocated arrays of one node, for inserts that split an extent. A segment that opens is
 * promised a share. After it was sealed, what its writes in flight do not need comes back. Half of
 * the nodes are for these sealed segments. With one class, 256 writes need no node of their own.
 */
#define SSDUP_NODES_RESERVED	512U

struct ring_page {
	/* Nodes of the entries, allocated when the first one is handed out. */
	struct extent_array	*array[SSDUP_PAGE_ARRAYS];
	atomic_t		resolved;	/* entries published or abandoned */
	u32			durable;	/* those on the SSD; the lock in commit.c */
	u64			rev;		/* of the durable version; the same lock */
	bool			holes;		/* an entry was abandoned */
	struct ssdup_entry	e[SSDUP_PAGE_ENTRIES];
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
	bool			ring_full;	/* see await_place() */
	u32			index;		/* constant */
	u8			stream;		/* of the SSD; 0: none; constant */
	u64			asked;		/* drain generations up to this one; a hint */
	u32			nr_sealed;	/* a hint */
	/* These are protected by the lock in segments.c. */
	struct list_head	sealed;		/* oldest first */
	struct ssdup_segment	*to_drain;	/* those before it are written back */
	struct list_head	in_ring;	/* with pages in the ring, oldest first */
	u64			next;		/* generation to open */
	u64			number;		/* ring number behind the last sealed segment */
} ____cacheline_aligned_in_smp;

/* What direct writes have left in the cache of the HDD. */
enum hdd_cache {
	HDD_CLEAN,
	HDD_DIRTY,		/* some may not be durable */
	HDD_FLUSHING,		/* a flush is under way, and no write ended since it began */
};

struct ssdup {
	struct dm_target	*ti;
	struct dm_dev		*hdd;
	struct dm_dev		*ssd;
	struct mapped_device	*md;
	struct list_head	registered;	/* all targets, by their disks */
	struct ssdup_settings	set;		/* args.c writes them one at a time */
	struct ssdup_stats __percpu *stats;
	struct list_head	folder;		/* targets that have a folder in sysfs; sysfs.c */
	enum ssdup_mode		mode;		/* a hint; written by a compare-and-exchange */
	bool			log_shut;	/* for good by the mode, or for a while; a hint */
	bool			scarce;		/* the log was full, see ssdup_balances(); a hint */
	bool			read_only;	/* the table is; set by the constructor */
	bool			recovered;	/* the log was read; preresume only */
	bool			leaving;	/* between presuspend and resume; a hint */
	bool			active;		/* from resume to postsuspend, which write it */
	u32			block_sectors;

	/* Read by every request, rarely written. */
	struct ssdup_range	*ranges ____cacheline_aligned_in_smp;
	u32			range_shift;	/* sectors */
	u32			nr_ranges;
	u32			nr_classes;	/* of the log; written by preresume */
	struct stream_window	*window_now;	/* a stale one misses a sample */
	unsigned long		stream_due;	/* jiffies: resume sampling, if that is NULL */
	struct ssdup_meter	*meter;		/* of the disks; policy balance */
	struct ssdup_stream	*stream;
	enum ssdup_disk		route;		/* a hint; either disk is always correct */
	/*
	 * enum hdd_cache. A write that ends and finds HDD_DIRTY precedes the exchange to
	 * HDD_FLUSHING, so that flush covers it.
	 */
	u32			hdd_dirty;

	/* Arrays of one node, see ssdup_has_spare(), and of more. */
	mempool_t		nodes ____cacheline_aligned_in_smp;
	mempool_t		arrays;
	u32			spares;		/* not promised; the lock in segments.c */

	/* Log */
	struct log_geometry	g;
	u32			longest;	/* write to the log, in sectors */
	u32			whole;		/* longer requests may be split */
	struct ssdup_segment	*segment;	/* all of them, and one that stays sealed */
	struct ssdup_segments	*segments;
	struct ssdup_class	class[SSDUP_MAX_CLASSES];
	struct class_rules __rcu *class_rules;	/* of new data; NULL: none were set */

	/* Durability */
	struct ssdup_debt	debt;
	struct ssdup_meta	*meta;
	struct ssdup_hdd	*hdd_state;
	struct bio_queue	flushes;	/* FLUSHes; see flush.c */
	struct bio_queue	fuas;		/* writes whose extent is published; see commit.c */
	struct ssdup_superblock	*superblock;
	struct ssdup_committer	*committer;

	/* Writes that wait for log space */
	struct ssdup_waiting	*waiting;
	atomic_t		nr_waiting;	/* on the lists or being tried; a hint */
	atomic64_t		next_pass;	/* ns: in the last segments; throttle.c */
	enum wait_cause		wait_cause;	/* of the last that found no place; a hint */
	struct ssdup_away	*away;

	/* Wake-ups, see wakeups.h */
	struct workqueue_struct	*wq;
	struct delayed_work	wait_work;
	struct delayed_work	autocommit;
	struct delayed_work	discard_work;
	bool			autocommit_armed;	/* see ssdup_autocommit_work() */
	struct work_struct	event_work;
	wait_queue_head_t	wb_wait;	/* the writeback thread waits for work */
	wait_queue_head_t	settle_wait;	/* for I/O in flight to end */
	wait_queue_head_t	done_wait;	/* for a requested drain to end */
	bool			wb_kick;	/* see ssdup_kick_writeback() */

	/* Writeback */
	struct ssdup_writeback	*writeback;
	struct ssdup_copier	*copier;
	struct bio_set		bs;
	bool			short_of_memory;	/* a hint */
	atomic_t		nr_asking;	/* processes that wait for a drain; a hint */
	u64			relocated;	/* extents ever; the thread writes these two */
	u64			unwritable;	/* of these, because the HDD refused them */
	int			drain_error;	/* of the last try, or 0; a hint */
	enum drain_state	drain_state;	/* of the thread, for status only */
	enum drain_state	free_state;	/* of the work that frees; DRAIN_IDLE: none */
};

/* What end_io has to do for a bio. */
enum io_state {
	IO_NONE,
	IO_HDD_READ,
	IO_HDD_WRITE,
	IO_LOG_READ,
	IO_LOG_WRITE,
};

struct ssdup_io {
	struct ssdup_segment	*segment;
	struct ring_page	*page;		/* that has its entry */
	union {
		struct extent	*e;		/* its entry's node */
		u64		turn;		/* while it waits, see waiters.c; in sectors */
	};
	struct extent_array	*spare;		/* a spare node, or NULL */
	struct bvec_iter	iter;		/* as mapped, to route it again after an error */
	u64			start;		/* sector on the device */
	u64			torn;		/* generation that must be drained first; 0: none */
	u32			sectors;
	u32			slot;		/* its entry in the page */
	log_pos_t		pos;
	u8			state;		/* enum io_state */
	u8			times;		/* requests that its price stands for */
	u8			route;		/* of its stream */
	u8			class;		/* of its place in the log */
	u8			own;		/* class that it would get as new data */
	u8			queue;		/* that it waits in: class when it began to */
	u8			flow;		/* in that, see waiters.c */
	u8			phase;
	bool			again;		/* the SSD had it before: renew it */
	bool			refused;	/* by the SSD, before; makes the next two valid */
	u8			errors;		/* refusals that were no transient errors */
	bool			for_space;	/* it waits, or waited last, for a free segment */
	unsigned long		refused_at;	/* jiffies: the first time */
	blk_opf_t		opf;		/* as mapped */
	u32			waits_since;	/* ms: when it began to wait */
	struct balance_place	place;
	u64			price;		/* ns at its disk; 0: not counted in its queue */
};

/* --- Small helpers --- */

/* The sum over all CPUs of one of the 64-bit counters in struct ssdup_stats; a hint. */
static inline u64 stats_sum(const void __percpu *counter)
{
	const u64 __percpu *each = counter;
	u64 sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(each, cpu));
	return sum;
}

static inline void stat_add(struct ssdup *c, enum ssdup_stat stat, u64 n)
{
	this_cpu_add(c->stats->count[stat], n);
}

static inline void stat_inc(struct ssdup *c, enum ssdup_stat stat)
{
	stat_add(c, stat, 1);
}

/* Behind the last class. */
static inline struct ssdup_class *class_end(struct ssdup *c)
{
	return c->class + c->nr_classes;
}

static inline void drain_does(struct ssdup *c, enum drain_state state)
{
	WRITE_ONCE(c->drain_state, state);
}

#endif
