/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the device in memory.
 *
 * Locks, in the order in which they nest. Each is taken in the file that it is named after:
 *
 *	args.c		mutex: one change of a setting at a time
 *	hdd.c		mutex: one FLUSH of the HDD at a time, a drain's own aside
 *	commit.c	mutex: one commit of metadata pages at a time
 *	super.c		mutex: the superblock and its writing
 *	meta.c		mutex: one who flushes the SSD or writes metadata at a time
 *	halves.c	spinlock, irq: which half is open, sealed, free
 *	range->lock	spinlock, irq: one range's tree and its direct writes
 *	wait.c		spinlock, irq: writes that wait for log space
 *	away.c		spinlock, irq: errors of the SSD, counted
 *	drain.c		spinlock: the error of the last drain, and who asked since
 *	bioq.h		spinlock, irq: bios that wait for a commit
 *
 * No two of the spinlocks are ever held together. A write takes its range's
 * lock and no other; a read takes it only where the range holds something.
 *
 * What is read or written without its lock is marked READ_ONCE() or
 * WRITE_ONCE() where it is, or is an atomic; beside the fields below stands why
 * that is enough. "A hint" is one that a stale value of costs time, never
 * content: whoever changes it kicks those who look at it afterwards, and the
 * kick orders the change before the look.
 *
 * What the data path relies on:
 *
 *  - A place in the log is handed out by a compare-and-exchange on the open
 *    half's word. half->writes is raised before and dropped after the extent
 *    is in its tree, and a sealed word hands out nothing. The next half opens
 *    when the writes of the sealed one are zero: a half on the sealed list has
 *    all its extents in the trees, and every seq in it is below every seq of
 *    the halves opened later.
 *  - The end of a write takes a seq, fills its entry and inserts its extent,
 *    in that order, under one range lock. So inserts are always the newest in
 *    their tree, and whatever an extent has replaced there, the entry that
 *    replaces it on disk is part of the next commit.
 *  - A direct write looks for overlaps and enters range->direct under the same
 *    lock. A drain turns the phase of a range over, and waits for the
 *    direct writes of the old phase, before it takes anything from the range:
 *    direct writes of the new phase cannot overlap what it takes.
 *  - A read looks at range->held without a lock. It is written when a change of
 *    the tree is complete, before the write that changed it is acknowledged.
 *  - A half is freed in this order: everything it held is on the HDD; commit
 *    (what replaced its extents is durable); flush of the HDD; superblock with
 *    the new generation, durable; extents leave the trees; reads that point
 *    into it have ended. Halves are freed in the order in which they were
 *    opened.
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

#include "compat.h"
#include "core/balance.h"
#include "core/detector.h"
#include "core/extent_map.h"
#include "core/log.h"
#include "core/pacing.h"
#include "core/plan.h"
#include "core/policy.h"
#include "core/replay.h"
#include "core/retry.h"
#include "core/route.h"
#include "core/settings.h"
#include "step.h"
#include "core/threshold.h"
#include "core/types.h"
#include "debt.h"

#define DM_MSG_PREFIX "ssdup"

/* --- Statistics: counters of each CPU --- */

struct ssdup_stats {
	u64	count[STAT_NR];
	/* Not statistics, and not cleared: requests at the HDD are the difference. */
	u64	hdd_begun;
	u64	hdd_ended;
	u64	requests;	/* reads and writes of any route */
	u32	writes;		/* for ssdup_meter_tick() */
};

/* --- Map --- */

/* A cache line of its own: two writes to neighbours do not take it from each other. */
struct ssdup_range {
	spinlock_t		lock;		/* of what follows */
	u8			phase;		/* index of direct[] for new ones */
	/*
	 * Extents, whenever the tree is whole; read without the lock. Written
	 * before the write that changed it is acknowledged: who knows of that
	 * write finds it. Zero after a half was freed is late at worst.
	 */
	u32			held;
	atomic_t		direct[2];	/* writes in flight to the HDD, by phase */
	struct extent_tree	tree;
} ____cacheline_aligned_in_smp;

/* --- Log --- */

enum half_state {
	HALF_FREE,
	HALF_OPEN,
	HALF_SEALED,
};

struct ssdup_half {
	atomic64_t		word;		/* see log.h; sealed unless open */
	atomic_t		writes;		/* handed out, extent not yet in its tree */
	struct llist_head	arrays;		/* of nodes, until it is free again */
	/* Of another kind of bio: a cache line of its own. */
	atomic_t		reads ____cacheline_aligned_in_smp;	/* that point into it */
	enum half_state		state;		/* the halves' lock */
	u32			index;		/* never changes */
	u64			data_start;	/* sector on the SSD; nor does this */
	/*
	 * Of these a half that opens gets new ones before its word is not
	 * sealed any more; a commit finds it by ssdup_halves_in_use(), and no
	 * half is freed while a commit runs.
	 */
	u32			pages_done;	/* complete and durable ones; commit_lock */
	u32			relocated;	/* entries moved here; the writeback thread's */
	bool			drained;	/* all on the HDD, not freed; the thread's too */
	bool			tried;		/* in this pass of a salvage; the thread's */
	bool			lost;		/* it holds lost extents; salvage, the thread's */
	bool			has_home;	/* another's drain wrote some home; the thread's */
	u64			home;		/* sectors of that, the thread's; a hint */
	int			flush_errors;	/* of the HDD, before any went home; the thread's */
	u64			base;		/* ring number of page 0; see ssdup_open_half() */
	u64			generation;	/* the halves' lock; stands during a commit */
	struct list_head	list;		/* on sealed or free; the halves' lock */
};

/*
 * Pages that are not complete and durable yet live in a ring. Page P of a half
 * has ring number half->base + P, and a place of that number modulo the ring.
 * An entry belongs to the write it was handed out to, which fills it and then
 * publishes it by its kind (release); no lock.
 */
#define SSDUP_RING		128U

/*
 * An entry comes with the node of its extent, so that writers allocate, and frees
 * of a half give back, many at a time. The half lends them; it has them back
 * when its extents have left the map.
 */
#define SSDUP_ARRAY_NODES	((u32)SSDUP_PAGE_ENTRIES / SSDUP_PAGE_ARRAYS)
#define SSDUP_PAGE_ARRAYS	2U

/* Nodes beside those, for inserts that split an extent: so many are always there. */
#define SSDUP_NODES_RESERVED	256

struct extent_array {
	struct llist_node	list;
	struct extent		e[SSDUP_ARRAY_NODES];
};

struct ring_page {
	/* Of this page's entries; made when one of them is handed out. */
	struct extent_array	*array[SSDUP_PAGE_ARRAYS];
	atomic_t		resolved;	/* entries published or given up */
	u32			durable;	/* of those, on the SSD; commit_lock */
	u64			rev;		/* of that version; commit_lock */
	bool			holes;		/* an entry was given up */
	struct ssdup_entry	e[SSDUP_PAGE_ENTRIES];
};

/* What direct writes have left in the cache of the HDD. */
enum hdd_cache {
	HDD_CLEAN,
	HDD_DIRTY,		/* of some nobody knows that they are durable */
	HDD_FLUSHING,		/* those of before are being flushed, and none ended since */
};

struct ssdup_drainer;
struct ssdup_writeback;
struct ssdup_away;
struct ssdup_committer;
struct ssdup_flusher;
struct ssdup_halves;
struct ssdup_hdd;
struct ssdup_meta;
struct ssdup_meter;
struct ssdup_stream;
struct ssdup_superblock;
struct ssdup_waiting;
struct stream_window;

struct ssdup {
	struct dm_target	*ti;
	struct dm_dev		*hdd;
	struct dm_dev		*ssd;
	struct mapped_device	*md;
	struct list_head	registered;	/* all targets, by their disks */
	struct ssdup_settings	set;		/* args.c writes them one at a time */
	struct ssdup_stats __percpu *stats;
	struct list_head	folder;		/* in sysfs, of those who own theirs; sysfs.c */
	enum ssdup_mode		mode;		/* a hint; written by a compare-and-exchange */
	bool			log_shut;	/* by the mode, or for the moment; a hint */
	bool			read_only;	/* as the table is; the constructor's */
	bool			recovered;	/* the log was read; preresume only */
	bool			leaving;	/* between presuspend and resume; a hint */
	bool			active;		/* from resume to postsuspend, which write it */
	u32			block_sectors;

	/* What every request looks at, and hardly any writes. */
	struct ssdup_range	*ranges ____cacheline_aligned_in_smp;
	u32			range_shift;	/* sectors */
	u32			nr_ranges;
	struct stream_window	*window_now;	/* who finds the old one is not sampled */
	unsigned long		stream_due;	/* jiffies; while that is NULL: it goes on then */
	struct ssdup_meter	*meter;		/* of the disks; policy balance */
	struct ssdup_stream	*stream;
	struct ssdup_half	*open;		/* a stale one's word is sealed */
	enum ssdup_disk		route;		/* a hint; either is always right */
	/*
	 * enum hdd_cache. A write that finds HDD_DIRTY ended before the exchange that
	 * ends that, so that flush has it.
	 */
	u32			hdd_dirty;

	/* Map: what every write to the log changes. */
	atomic64_t		seq ____cacheline_aligned_in_smp;
	atomic64_t		extents;
	atomic64_t		dirty_sectors;
	/* Those that are not lent; see ssdup_has_spare(). */
	mempool_t		nodes ____cacheline_aligned_in_smp;
	mempool_t		arrays;

	/* Log */
	struct log_geometry	g;
	struct log_limits	limits;		/* of writers */
	struct log_limits	gate;		/* for now; halves.c writes it, a hint */
	u64			rationed;	/* ns: since when its time counts; a hint */
	u32			longest;	/* write that they may log, in sectors */
	u32			whole;		/* longer ones come in parts perhaps */
	struct ssdup_half	half[SSDUP_MAX_HALVES];
	struct ssdup_halves	*halves;

	/* What has to become durable */
	struct ssdup_debt	debt;
	struct ssdup_meta	*meta;
	struct ssdup_hdd	*hdd_state;
	struct ssdup_flusher	*flusher;
	struct ssdup_superblock	*superblock;
	struct ssdup_committer	*committer;
	struct ring_page	*ring;
	u64			ring_tail;	/* first ring number in use; a commit writes */
	bool			ring_full;	/* see ssdup_reserve() */

	/* Writes that wait for log space */
	struct ssdup_waiting	*waiting;
	atomic_t		nr_waiting;	/* on the list or being tried; a hint */
	enum wait_cause		wait_cause;	/* of the last that found no place; to look at */
	struct ssdup_away	*away;

	/* Wake-ups, see wake.h */
	struct workqueue_struct	*wq;
	struct delayed_work	wait_work;
	struct delayed_work	autocommit;
	bool			autocommit_armed;	/* see ssdup_autocommit_work() */
	struct work_struct	event_work;
	wait_queue_head_t	wb_wait;	/* the thread, for something to do */
	wait_queue_head_t	settle_wait;	/* for I/O in flight to end */
	wait_queue_head_t	done_wait;	/* who asked for a drain */
	bool			wb_kick;	/* see ssdup_kick_writeback() */

	/* Writeback */
	struct ssdup_writeback	*writeback;
	struct ssdup_drainer	*drainer;
	struct bio_set		bs;
	bool			short_of_memory;	/* a hint */
	atomic_t		nr_asking;	/* who asked and waits for that; a hint */
	int			drain_error;	/* of the last try; 0 when it went well; a hint */
	enum drain_state	drain_state;	/* of the thread; to look at */
};

/* What becomes of a bio, between map and end_io. */
enum io_state {
	IO_NONE,
	IO_HDD_READ,
	IO_HDD_WRITE,
	IO_LOG_READ,
	IO_LOG_WRITE,
	IO_LOGGED,		/* in the map; waits for a commit or is done */
};

struct ssdup_io {
	struct ssdup_half	*half;
	struct ring_page	*page;		/* of its entry */
	struct extent		*e;		/* that entry's node */
	struct extent_list	nodes;		/* others: a spare one, then what is left over */
	struct bvec_iter	iter;		/* as it came, to route it once more */
	u64			start;		/* sector on the device */
	u32			sectors;
	u32			slot;		/* of its entry in the page */
	log_pos_t		pos;
	u8			state;		/* enum io_state */
	u8			times;		/* its price is that of so many */
	u8			route;		/* of its stream */
	u8			phase;
	bool			refused;	/* by the SSD, before; then these two are set: */
	u8			errors;		/* so often for good */
	unsigned long		refused_at;	/* jiffies: the first time */
	blk_opf_t		opf;		/* as it came */
	struct balance_place	place;
	u64			price;		/* ns, at its disk; 0: it joins no queue */
};

/* --- Small helpers --- */

static inline void stat_add(struct ssdup *c, enum ssdup_stat stat, u64 n)
{
	this_cpu_add(c->stats->count[stat], n);
}

static inline void stat_sub(struct ssdup *c, enum ssdup_stat stat, u64 n)
{
	this_cpu_sub(c->stats->count[stat], n);
}

static inline void stat_inc(struct ssdup *c, enum ssdup_stat stat)
{
	stat_add(c, stat, 1);
}

/* The writeback thread says what it is about to do. */
static inline void drain_does(struct ssdup *c, enum drain_state state)
{
	WRITE_ONCE(c->drain_state, state);
}

#endif
