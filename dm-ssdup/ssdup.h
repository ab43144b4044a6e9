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
 *	guard->lock	guard.c	mutex	a change of the guard, and writes to the HDD behind it
 *	superblock->lock	super.c	mutex	the log's record, in memory and while it is written
 *	pool->lock	pool.c	mutex	which logs the SSD has, and whose its segments are
 *	pools_lock	pool.c	mutex	SSDs in use
 *	mirrors_lock	mirror_io.c	mutex	two SSDs that hold the same
 *	drive->lock	metadata.c	mutex	flushes of an SSD, and writes of metadata
 *	mirror->lock	mirror_block.c mirror_io.c	mutex	which of two SSDs has everything
 *	clean->lock	retain.c	mutex	a segment is forgotten, or a copy becomes clean
 *	segments->lock	clean_list.c groups.c segments.c space.c	spin	open, sealed, free
 *	range->lock	classes.c drain.c io.c map.c map.h read.c write.c	spin	its trees
 *	waiting->lock	waiters.c	spin	writes that wait for a window or for space
 *	stage->lock	staging.c stranded.c	spin	the open buffer; what is stranded
 *	copy_lock	guard.c	spin	what the device has behind the guard, and its state
 *	away->lock	refusals.c	spin	the count of the SSD's errors
 *	promoter->lock	promote.c	spin	slots for copies, and their account
 *	copier->lock	drain.c	spin	the last drain's error; who asked since
 *	drives_lock	drives.c	spin	drives in use, and who uses them
 *	queue_lock	mirror_block.c mirror_io.c	spin	requests that one of two SSDs failed
 *	queue->lock	bioq.h	spin	bios that wait for a work
 *
 * No two spinlocks are ever held together, but queue_lock below drives_lock. A write takes only its
 * range's lock. A read takes it only if the range holds extents, or clean data may be there.
 *
 * Accesses without the lock use READ_ONCE(), WRITE_ONCE() or an atomic. A stale "hint" costs time
 * but never corrupts data: the writer changes the hint, then kicks the readers, and the kick
 * orders the change before their next look.
 *
 * What the data path relies on:
 *
 *  - A compare-and-exchange on the open segment's word hands out a place in the log.
 *    segment->writes is raised before that, and dropped after the extent is in its tree. A drain
 *    takes sealed segments only when their writes are zero: so all their extents are in the trees;
 *    and nothing of them is staged: so the SSD has it, see log/staging.h.
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
 *  - A group of segments is freed in this order: commit, so that all of it is durable on the SSD;
 *    write everything in it to the HDD; commit, so that what replaced its extents is durable; flush
 *    the HDD; write the record with the tail behind the group; remove its extents from the trees,
 *    or hand them to those of what is clean. Segments of a class are freed in the order in which
 *    they were opened. None of these is opened, or discarded, while its extents are clean
 *    or reads point into it.
 *  - What is clean is what the HDD returns, see map/map.h. A write takes its sectors out of it
 *    under the range lock under which it enters range->direct, or is inserted.
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
#include "base/drives.h"
#include "base/mirror_io.h"
#include "base/owed_errors.h"
#include "core/extent_map.h"
#include "core/settings.h"
#include "core/spread.h"
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
	s64	clean;		/* sectors of clean data; the same */
	/* Of a log with classes; the same. */
	struct ssdup_class_stats {
		s64	sectors;	/* that the map holds of the class */
		u64	written;	/* sectors */
		u64	drained;	/* sectors, to the HDD */
		u64	replaced;	/* sectors, overwritten or discarded before that */
	} class[SSDUP_MAX_CLASSES];
};

/* Who waits for what, see base/wakeups.h. */
struct ssdup_wakeups {
	struct workqueue_struct	*wq;
	struct delayed_work	wait_work;
	struct delayed_work	autocommit;
	struct delayed_work	stage_work;
	struct delayed_work	discard_work;
	struct work_struct	clean_work;
	bool			autocommit_armed;	/* see autocommit_work() */
	struct work_struct	guard_work;
	struct work_struct	event_work;
	wait_queue_head_t	wb_wait;	/* the writeback thread waits for work */
	wait_queue_head_t	settle_wait;	/* for I/O in flight to end */
	wait_queue_head_t	done_wait;	/* for a requested drain to end */
	bool			wb_kick;	/* see ssdup_kick_writeback() */
	atomic_t		nr_waiting;	/* writes that wait or are being tried; a hint */
	enum wait_cause		cause;		/* of the last that found no place; a hint */
};

/*
 * An SSD of the log. Segment numbers run on from one to the next. One that is not used may not be
 * there: next_ssd() leaves it out.
 */
struct ssdup_ssd {
	struct drive_user	user;
	u64			before;		/* sectors of segments of those in front of it */
	struct ssdup		*c;
	struct dm_dev		*dev;		/* NULL: the table names none */
	struct dm_dev		*twin;		/* the same, of the other one that holds the same */
	bool			mirrored;	/* the table says that there is one */
	struct mirror_user	in_mirror;
	u32			marked;		/* of which filling: see members.c; by pool->lock */
	u64			sectors;	/* by its superblock; written by preresume */
	bool			in_doubt;	/* a flush of it has failed since: for good */
	bool			no_commits;	/* the same, or a metadata write has failed */
	struct bio		*flush;		/* in flight; by the drive's lock */

	u64			apart_until;	/* ns, see ssdup_spread_apart(); a hint */

	/* Of several SSDs. Every write there changes these. */
	atomic_t		in_flight ____cacheline_aligned_in_smp;	/* sectors */
	struct spread_speed	speed;		/* a hint */
};

/* The device: what all rooms stand on, and their handles. */
struct ssdup {
	struct dm_target	*ti;
	struct mapped_device	*md;
	char			name[DM_NAME_LEN + 16];	/* for messages: "burst (253:0)" */
	struct dm_dev		*hdd;
	struct drive_user	hdd_user;
	u32			nr_ssds;
	u32			nr_named;	/* of these, by the table, with each "-" */
	u32			block_sectors;
	struct ssdup_ssd	ssd[SSDUP_MAX_SSDS];
	struct ssdup_settings	set;		/* args.c writes them one at a time */
	struct ssdup_stats __percpu *stats;
	enum ssdup_mode		mode;		/* a hint; written by a compare-and-exchange */
	unsigned long		ssds_out;	/* a bit for each: see ssdup_ssd_fail(); a hint */
	u32			ssds_unused;	/* the same, see core/ssds.h; constant */
	u32			ssds_leave;	/* the same; log/members.c writes it; a hint */
	bool			log_shut;	/* for good by the mode, or for a while; a hint */
	bool			read_only;	/* the table is; set by the constructor */
	bool			recovered;	/* the log was read; preresume only */
	bool			leaving;	/* between presuspend and resume; a hint */
	bool			active;		/* from resume to postsuspend, which write it */
	bool			log_known;	/* log->number is right; by the lock in target.c */

	/* A room knows those below it. */
	struct ssdup_log	*log;		/* log/log.h */
	struct ssdup_map	*map;		/* map/map.h */
	struct ssdup_router	*router;	/* route/router.h */
	struct ssdup_drainer	*drainer;	/* drain/drainer.h */
	struct ssdup_promoter	*promoter;	/* promote.c; NULL: nothing was copied yet */
	struct ghost_runs __percpu *readers;	/* of the HDD or the log; for the promoter */

	/* Above is what requests read, below what they change. */
	struct bio_queue	flushes ____cacheline_aligned_in_smp;	/* FLUSHes; see flush.c */
	struct bio_queue	refused;	/* reads of clean data that failed; see read.c */
	struct ssdup_debt	debt;
	struct bio_set		bs;		/* of commits and drains */
	struct ssdup_wakeups	wake;
	struct list_head	registered;	/* all targets, by their disks; target.c */
	struct list_head	folder;		/* targets that have a folder in sysfs; sysfs.c */
};

/* What end_io has to do for a bio. */
enum io_state {
	IO_NONE,
	IO_HDD_READ,
	IO_HDD_WRITE,
	IO_LOG_READ,
	IO_CLEAN_READ,
	IO_LOG_WRITE,
};

struct ssdup_io {
	union {
		struct {
			struct ssdup_segment	*segment;
			struct ring_page	*page;	/* that has its entry */
			struct extent		*e;	/* its entry's node */
		};
		struct rb_node	waits;		/* in a list of waiters.c */
	};
	struct extent_array	*spare;		/* a spare node, or NULL */
	struct bvec_iter	iter;		/* as mapped, to route it again after an error */
	u64			start;		/* sector on the device */
	u64			torn;		/* generation that must be drained first; 0: none */
	u32			sectors;
	u32			slot;		/* its entry in the page */
	log_pos_t		pos;
	u8			state;		/* enum io_state */
	u8			route;		/* of its stream */
	u8			class;		/* of its place in the log */
	u8			own;		/* class that it gets as new data */
	u8			queue;		/* waiting list: the class when it queued */
	u8			phase;
	bool			again;		/* the SSD had it before: renew it */
	bool			staged;		/* its data is in memory: see log/staging.h */
	bool			refused;	/* by the SSD; errors and refused_at are valid */
	u8			errors;		/* refusals that were no transient errors */
	bool			for_space;	/* it waits, or waited last, for a free segment */
	bool			guarded;	/* at the HDD, and counted by log/guard.c */
	bool			long_run;	/* a read that goes on with a long one */
	unsigned long		refused_at;	/* jiffies: the first time */
	blk_opf_t		opf;		/* as mapped */
	u64			waits_since;	/* ms: when it began to wait */
	u64			turn;		/* sectors, see waiters.c */
	u32			beside;		/* sectors there, with its own; 0: not counted */
	u64			sent;		/* ns: when it was sent to a disk; 0: not timed */
	u8			kind;		/* enum window_kind */
	bool			ahead;		/* its task flushes the device; see write.c */
	bool			met_pass;	/* of the drain, when it was sent */
};

/* --- Small helpers --- */

static inline struct ssdup_ssd *ssd_end(struct ssdup *c)
{
	return c->ssd + c->nr_ssds;
}

static inline bool ssd_used(const struct ssdup_ssd *ssd)
{
	return ssd->dev && !(ssd->c->ssds_unused & BIT(ssd - ssd->c->ssd));
}

/* The next one behind @ssd that is used, or NULL. */
static inline struct ssdup_ssd *next_ssd(struct ssdup *c, struct ssdup_ssd *ssd)
{
	while (++ssd < ssd_end(c))
		if (ssd_used(ssd))
			return ssd;
	return NULL;
}

/* The first one that is used. It stands for all of them where one will do. */
static inline struct ssdup_ssd *first_ssd(struct ssdup *c)
{
	return ssd_used(c->ssd) ? c->ssd : next_ssd(c, c->ssd);
}

/* A bit for each of which the table says that it has a mirror. */
static inline u32 ssds_mirrored(const struct ssdup *c)
{
	u32 i, ssds = 0;

	for (i = 0; i < c->nr_ssds; i++)
		ssds |= c->ssd[i].mirrored ? BIT(i) : 0;
	return ssds;
}

/* Of all SSDs together. */
static inline u64 all_ssd_sectors(struct ssdup *c)
{
	struct ssdup_ssd *ssd;
	u64 sectors = 0;

	for (ssd = first_ssd(c); ssd; ssd = next_ssd(c, ssd))
		sectors += bdev_nr_sectors(ssd->dev->bdev);
	return sectors;
}

/* As in a table. */
static inline const char *ssd_name(const struct ssdup_ssd *ssd)
{
	return ssd->dev ? ssd->dev->name : "-";
}

/* How many are used. */
static inline u32 used_ssds(const struct ssdup *c)
{
	return max(c->nr_ssds - hweight32(c->ssds_unused), 1U);
}

static inline struct ssdup_load *ssd_load(const struct ssdup_ssd *ssd)
{
	return &ssd->user.drive->load;
}

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

#endif
