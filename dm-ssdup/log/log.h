/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the log on the SSD: its segments, and the classes that fill them. The fast path of
 * writes is in reserve.h.
 */
#ifndef SSDUP_LOG_ROOM_H
#define SSDUP_LOG_ROOM_H

#include "core/lease.h"
#include "ssdup.h"

enum segment_state {
	SEGMENT_FREE,
	SEGMENT_OPEN,
	SEGMENT_SEALED,
	SEGMENT_DRAINING,
	SEGMENT_WRITTEN_BACK,		/* all on the HDD, perhaps in its cache, but not freed */
	SEGMENT_CLEAN,			/* left the log, but reads may find its data */
	SEGMENT_FORGOTTEN,		/* they may not, but some that did are in flight */
};

struct ssdup_segment {
	/* Every write to the log changes these. */
	atomic64_t		word;		/* see core/codec.h; sealed unless open */
	atomic64_t		seq;		/* of the last write that ended here */
	atomic_t		writes;		/* have a place, but no extent in the tree yet */
	atomic_t		staged;		/* have one, but no data here: see staging.h */
	u32			spares;		/* its share of the reserve of nodes */
	struct ssdup_class	*class;		/* constant while the segment is not free */
	struct llist_head	arrays;		/* extents of its entries, until it is free again */
	struct llist_head	pieces;		/* split off its extents, in no order yet */

	/* Reads change this: it is not on the cache line of the writes. */
	atomic_t		reads ____cacheline_aligned_in_smp;	/* that point into it */
	atomic64_t		live;		/* see account_extent() */
	u32			index;		/* of the segment; constant */
	bool			copies;		/* clean, with copies of what was read */
	u8			ssd;		/* number of its SSD; constant */
	u64			nth;		/* a sector of its copies + this: see clean.h */

	/* Set before the word is unsealed, constant until the segment is free. */
	u64			base;		/* ring number of page 0 */
	u64			generation;

	/* Protected by committer->lock; no segment is freed while it is held. */
	u64			ended;		/* seq: writes that the flush under way covers */
	u64			durable;	/* seq: those that are; read without the lock */
	u32			pages_done;	/* pages that are complete and durable */
	bool			header;		/* the header is durable */

	/* Of the writeback thread alone. */
	bool			tried;		/* a salvage has tried it in this pass */
	bool			lost;		/* a salvage found lost extents in it */
	u32			relocated;	/* entries that a drain has moved here */
	struct llist_head	ordered;	/* pieces that a drain has put in order */

	/* Protected by segments->lock. */
	enum segment_state	state;
	bool			alone;		/* a mirror that is filled lacks some of it */
	u64			kept;		/* bytes of the map of its clean data */
	struct list_head	list;		/* of sealed, clean, or free segments, or others */
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
 * Preallocated arrays of one node, for inserts that split an extent. A segment gets a share
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
 * Data of one expected lifetime on one SSD. A class has segments of its own, in the order of their
 * generations, and a ring of its own. Two classes never hold the same sector, so they need no
 * order between each other, and what one SSD has counts whatever becomes of the others.
 */
struct ssdup_class {
	struct ssdup_segment	*open;		/* the word of a stale one is sealed */
	struct ring_page	*ring;
	u64			ring_tail;	/* first ring number in use; commits move it */
	bool			ring_full;	/* a write waits for the ring; a hint */
	u32			index;		/* constant */
	u8			ssd;		/* that it is on; constant */
	u8			lifetime;	/* number of the class in the table; constant */
	u8			stream;		/* of the SSD; 0: none; constant */
	u64			asked;		/* drain generations up to this one; a hint */
	bool			kept;		/* closed, tried, not empty; the thread's; a hint */
	bool			told;		/* that it is not durable; by commits alone */
	unsigned long		kept_at;	/* jiffies of the last try; the thread's; a hint */
	u32			nr_sealed;	/* a hint */

	/* Protected by segments->lock. */
	u32			freed;		/* segments, since one was opened */
	struct list_head	sealed;		/* segments, the oldest first */
	struct ssdup_segment	*to_drain;	/* segments before it are written back */
	struct list_head	in_ring;	/* segments with pages in the ring, oldest first */
	u64			next;		/* generation to open */
	u64			number;		/* ring number behind the last sealed segment */
} ____cacheline_aligned_in_smp;

struct ssdup_log {
	struct ssdup		*c;
	struct log_geometry	g;
	struct log_ssds		ssds;		/* where its segments are; constant */
	struct log_classes	classes;	/* written by preresume */
	u32			longest;	/* write to the log, in sectors */
	u32			whole;		/* longer requests may be split */
	u32			guarded;	/* sectors of the HDD; 0: no guard; preresume */
	struct ssdup_segment	*segment;	/* all of them, and one that stays sealed */
	struct ssdup_segments	*segments;
	struct ssdup_guard	*guard;		/* guard.c */
	struct bio_queue	fuas;		/* writes whose extent is published; see commit.c */
	struct ssdup_pool	*pool;
	struct list_head	in_pool;	/* tables that use it; pool.c */
	u32			number;		/* among the logs of the SSD */
	struct ssdup_metadata	*metadata;
	bool			in_doubt;	/* a flush of an SSD has failed since: for good */
	u32			full_ssds;	/* a bit for each: no free segment found there
						 * since a group was freed; written with
						 * segments->lock; a hint
						 */
	struct ssdup_superblock	*superblock;
	struct ssdup_committer	*committer;
	struct ssdup_stage	*stage;		/* staging.c */
	struct ssdup_class	class[SSDUP_MAX_CLASSES];

	/* Arrays of one node, see ssdup_has_spare(), and of more. */
	mempool_t		nodes ____cacheline_aligned_in_smp;
	mempool_t		arrays;
	u32			spares;		/* nobody's share; protected by segments->lock */
};

/**
 * ssdup_in_doubt() - may an SSD have lost what was written since it was last flushed? any context
 *
 * What is in doubt is lost: it is neither read nor drained, see ssdup_extent_in_doubt().
 */
static inline bool ssdup_in_doubt(const struct ssdup_log *log)
{
	return READ_ONCE(log->in_doubt);
}

/** log_lifetimes() - how many classes each SSD has; any context */
static inline u32 log_lifetimes(const struct ssdup_log *log)
{
	return log->classes.nr / log_nr_ssds(&log->ssds);
}

/**
 * class_closed() - does a class take no writes any more? any context, a hint
 *
 * Its segments are drained one by one, see drain/salvage.c.
 */
static inline bool class_closed(const struct ssdup_log *log, const struct ssdup_class *k)
{
	return READ_ONCE(log->c->mode) != MODE_RUNNING || READ_ONCE(log->c->ssds_out) & BIT(k->ssd);
}

/** class_leaves() - does its SSD leave the pool? any context, a hint */
static inline bool class_leaves(const struct ssdup_log *log, const struct ssdup_class *k)
{
	return READ_ONCE(log->c->ssds_leave) & BIT(k->ssd);
}

/** ssds_commit() - a bit for each SSD that still gets pages and records; any context, a hint */
static inline u32 ssds_commit(const struct ssdup_log *log)
{
	u32 i, ssds = 0;

	for (i = 0; i < log->c->nr_ssds; i++)
		ssds |= READ_ONCE(log->c->ssd[i].no_commits) ? 0 : BIT(i);
	return ssds & ~log->c->ssds_unused;
}

/* Behind the last class. */
static inline struct ssdup_class *class_end(struct ssdup_log *log)
{
	return log->class + log->classes.nr;
}

/*
 * --- Which segments are open, sealed, free: segments.c ---
 *
 * A segment is free, then open, sealed, draining, written back, perhaps clean, and free again. At
 * most one of a class is open. When it is full the next one opens at once, although writes to it
 * are still in flight.
 *
 * From sealed to freed, segments stand in a list of their class, in the order in which they were
 * opened.
 */

/** ssdup_segments_create() - make empty lists; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_segments_create(struct ssdup_log *log);
void ssdup_segments_destroy(struct ssdup_log *log);

/**
 * ssdup_segments_begin() - seal what was replayed, and put the rest on the free list
 * @live: headers of live segments, the oldest first
 * @pages: number of pages of each; even a segment without any is not opened before it is freed
 * @nr: number of these segments
 * @next: no class opens a lower generation
 *
 * Context: preresume.
 */
void ssdup_segments_begin(struct ssdup_log *log, const struct log_header *live, const u32 *pages,
			  u32 nr, u64 next);

/** segment_pages() - number of metadata pages with entries handed out; any context */
static inline u32 segment_pages(const struct ssdup_segment *seg)
{
	u32 entries = log_word_entries(atomic64_read(&seg->word));

	return DIV_ROUND_UP(entries, (u32)SSDUP_PAGE_ENTRIES);
}

/**
 * ssdup_seal() - seal the class's open segment, if there is one; the next write opens another
 * @empty: even if it holds nothing; for a log that is now read-only, so that nothing is added
 */
void ssdup_seal(struct ssdup_log *log, struct ssdup_class *k, bool empty);

/** ssdup_open_generation() - the generation of the open segment, or of the next; any context */
u64 ssdup_open_generation(struct ssdup_log *log, struct ssdup_class *k);

/** ssdup_segments_opened() - the number of segments that were opened since the resume; a hint */
u64 ssdup_segments_opened(struct ssdup_log *log);

/* --- Discards of free segments --- */

/**
 * ssdup_discard_begin() - take free segments that were not discarded since they were freed
 * @most: segments; no more than are left for writers
 * @batch: receives them: neighbours on the SSD, the first one first, which are not opened until
 *	ssdup_discard_end()
 *
 * Context: process, one batch at a time. Return: how many.
 */
u32 ssdup_discard_begin(struct ssdup_log *log, u32 most, struct list_head *batch);

/** ssdup_discard_end() - let a batch be opened again */
void ssdup_discard_end(struct ssdup_log *log, struct list_head *batch);

/* --- Facts; any context --- */

/**
 * ssdup_open_dirty() - does the open segment hold anything?
 * @relocated: count entries that a drain has moved there too
 */
bool ssdup_open_dirty(const struct ssdup_class *k, bool relocated);

/** ssdup_last_dirty() - the youngest generation of @k that may hold extents */
u64 ssdup_last_dirty(struct ssdup_log *log, struct ssdup_class *k);

/** ssdup_drained() - is every generation of @k up to @generation free or empty? */
bool ssdup_drained(struct ssdup_log *log, struct ssdup_class *k, u64 generation);

/** ssdup_ask_drain() - request a drain of a class up to @generation; any context */
void ssdup_ask_drain(struct ssdup_log *log, struct ssdup_class *k, u64 generation);

/**
 * ssdup_segments_full() - has a write found no free segment since a group was last freed?
 *
 * Of several SSDs, on none of them.
 */
static inline bool ssdup_segments_full(const struct ssdup_log *log)
{
	return READ_ONCE(log->full_ssds) == BIT(log_nr_ssds(&log->ssds)) - 1;
}

/** ssdup_full_ssds() - on which SSDs, a bit for each, with those that take no writes any more */
static inline u32 ssdup_full_ssds(const struct ssdup_log *log)
{
	return READ_ONCE(log->full_ssds) | READ_ONCE(log->c->ssds_out);
}

/** ssdup_classes_with_room() - a bit for each class that is on another one */
static inline u32 ssdup_classes_with_room(const struct ssdup_log *log)
{
	u32 i, full = ssdup_full_ssds(log), classes = 0;

	for (i = 0; i < log->classes.nr; i++)
		classes |= full & BIT(log->class[i].ssd) ? 0 : BIT(i);
	return classes;
}

/**
 * ssdup_log_spent() - has a write found no place, and can neither a drain nor a forget bring one?
 *
 * The log has too few segments, or it holds nothing but what the HDD refuses.
 */
bool ssdup_log_spent(struct ssdup_log *log);

/** ssdup_free_segments() - number of segments that can be opened, once those clean are forgotten */
u32 ssdup_free_segments(struct ssdup_log *log);

/**
 * ssdup_ready_segments() - free segments that need not be forgotten first
 *
 * Those that are being discarded count, unless a writer is about to need them. Of several SSDs,
 * those of the one that has the fewest, times their number.
 */
u32 ssdup_ready_segments(struct ssdup_log *log);

/** ssdup_drain_short() - has an SSD fewer than a drain may need, with those clean? a hint */
bool ssdup_drain_short(struct ssdup_log *log);

/** ssdup_coming_segments() - those on an SSD that are clean, or forgotten and not free yet */
u32 ssdup_coming_segments(struct ssdup_log *log, u32 ssd);

/** ssdup_discarding_segments() - number of free segments that are being discarded */
u32 ssdup_discarding_segments(struct ssdup_log *log);

/** ssdup_sealed_segments() - number of sealed segments, those being drained included */
u32 ssdup_sealed_segments(struct ssdup_log *log);

/** ssdup_drain_segments() - free ones of each SSD that are left to a drain: one for each class */
static inline u32 ssdup_drain_segments(const struct ssdup_log *log)
{
	return LOG_DRAIN_SEGMENTS + log_lifetimes(log) - 1;
}

static inline u32 ssdup_drain_segments_of_all(const struct ssdup_log *log)
{
	return ssdup_drain_segments(log) * used_ssds(log->c);
}

#define LOG_PARTS	2U	/* one is filled while the other is drained (SSDUP+ section 2.4) */

/** ssdup_leased_segments() - the segments that the log has; any context */
u32 ssdup_leased_segments(const struct ssdup_log *log);

/** ssdup_part() - the segments of a part of the log */
u32 ssdup_part(const struct ssdup_log *log);

/** ssdup_open_fill() - fill of the open segment of @k, 1/10000 */
u32 ssdup_open_fill(const struct ssdup_log *log, const struct ssdup_class *k);

/** ssdup_part_fill() - fill of the last part of the log, 1/10000: 0 until all others are full */
u32 ssdup_part_fill(struct ssdup_log *log);

/**
 * ssdup_log_written() - sectors of data that got a place since the table was loaded
 *
 * While a segment is sealed, those in it may be missing for a moment.
 */
u64 ssdup_log_written(struct ssdup_log *log);

/** segment_of() - the segment of a place in the log; any context */
static inline struct ssdup_segment *segment_of(struct ssdup_log *log, u64 pos)
{
	return &log->segment[log_segment_of(&log->g, pos)];
}

/** ssd_of() - the SSD that a segment is on; any context */
static inline struct ssdup_ssd *ssd_of(const struct ssdup_log *log, const struct ssdup_segment *seg)
{
	return &log->c->ssd[seg->ssd];
}

/** ssd_at() - the SSD that a place in the log is on; any context */
static inline struct ssdup_ssd *ssd_at(struct ssdup_log *log, u64 pos)
{
	return ssd_of(log, segment_of(log, pos));
}

/** ssd_sector() - the sector there; any context */
static inline u64 ssd_sector(const struct ssdup_ssd *ssd, u64 pos)
{
	return pos - ssd->before;
}

/** ssdup_log_io() - transfer part of a page at @pos; see ssdup_sync_stream() */
int ssdup_log_io(struct ssdup_log *log, blk_opf_t opf, u64 pos, struct page *page,
		 unsigned int offset, unsigned int bytes, u8 stream);

/* In segment->staged: a write that the SSD has refused for good. Others count as 1. */
#define STAGE_STRANDED_ONE	BIT(16)

/**
 * segment_settled() - have all writes to a sealed segment ended, on the SSD, too? any context
 *
 * Then what they have left is seen: pairs with ssdup_put_write(), before which @staged is raised.
 */
static inline bool segment_settled(const struct ssdup_segment *seg)
{
	return !atomic_read_acquire(&seg->writes) &&
	       !(atomic_read_acquire(&seg->staged) & (STAGE_STRANDED_ONE - 1));
}

/** segment_durable() - is all data of a sealed segment durable? any context */
static inline bool segment_durable(const struct ssdup_segment *seg)
{
	return READ_ONCE(seg->durable) == U64_MAX;
}

/** ssdup_last_write() - the last write in flight to a sealed segment has ended; any context */
void ssdup_last_write(struct ssdup_log *log);

/** ssdup_put_read() - a read that pointed into the segment has ended; any context */
void ssdup_put_read(struct ssdup_log *log, struct ssdup_segment *seg);

/* --- From published entries to durable pages: commit.c --- */

/** ssdup_commit_create() - also makes the ring; context: the constructor. Return: 0 or -ENOMEM */
int ssdup_commit_create(struct ssdup_log *log);
void ssdup_commit_destroy(struct ssdup_log *log);

/**
 * ssdup_commit() - make every write to the log that has ended before durable
 *
 * Context: process, sleeps.
 * Return: 0, or -EIO: an SSD that takes no pages any more has entries that are not durable.
 */
int ssdup_commit(struct ssdup_log *log);

/**
 * ssdup_commit_data() - make durable what was written to a log that takes no commits any more
 *
 * So it may be read and drained, if no flush has failed. Context: process, sleeps. Return: 0, or
 * -EIO: what is not durable is in doubt.
 */
int ssdup_commit_data(struct ssdup_log *log);

/** ssdup_committed() - has a commit made all entries of @k durable that were there? sleeps */
bool ssdup_committed(struct ssdup_log *log, struct ssdup_class *k);

/** ssdup_settle_guard() - close the guard if a page is durable, else open it; sleeps; -errno */
int ssdup_settle_guard(struct ssdup_log *log);
/** ssdup_commit_lock() - no commit is looking at any segment until ssdup_commit_unlock() */
void ssdup_commit_lock(struct ssdup_log *log);
void ssdup_commit_unlock(struct ssdup_log *log);

/** ssdup_fua_add() - end a FUA write, whose extent is published, after the next commit */
static inline void ssdup_fua_add(struct ssdup_log *log, struct bio *bio)
{
	bio_queue_add(&log->fuas, log->c->wake.wq, bio);
}

/** ssdup_fuas_waiting() - how many of these are there? any context */
static inline u32 ssdup_fuas_waiting(const struct ssdup_log *log)
{
	return atomic_read(&log->fuas.nr);
}

/*
 * --- The logs that share the SSD: pool.c ---
 *
 * A table gets its pool in the constructor. At its first resume it claims the log: it has the live
 * segments, and leases others of those that are nobody's.
 */

/** ssdup_has_ssd() - does a table name an SSD? */
bool ssdup_has_ssd(const struct ssdup *c, const struct block_device *bdev);

/** ssdup_shares_ssds() - do two tables name the same SSD? */
bool ssdup_shares_ssds(const struct ssdup *a, const struct ssdup *b);

/**
 * ssdup_pool_get() - find the pool of the SSDs, or make it
 * @why: set if an SSD and its mirror are refused
 *
 * Context: the constructor. Return: 0 or -errno.
 */
int ssdup_pool_get(struct ssdup_log *log, const char **why);

/** ssdup_pool_put() - the table goes: what it leased and is free is everybody's again */
void ssdup_pool_put(struct ssdup_log *log);

/** ssdup_pool_lock() - nobody else reads or changes which log has what; process context, sleeps */
void ssdup_pool_lock(struct ssdup_log *log);
void ssdup_pool_unlock(struct ssdup_log *log);

/**
 * ssdup_pool_open() - tell the pool which logs there are; it is locked
 * @s: superblock and record, as read
 *
 * Return: 0; 1 when ssdup_scan_logs() comes next; or -ENOMEM.
 */
int ssdup_pool_open(struct ssdup_log *log, const struct log_super *s);

/** ssdup_pool_found() - a head as it was read, or NULL; between open and scanned */
void ssdup_pool_found(struct ssdup_log *log, const struct pool_log *logs, u32 segment,
		      const void *head);
void ssdup_pool_scanned(struct ssdup_log *log, const struct pool_log *logs);

/** ssdup_pool_may_hold() - may the segment be live in this log? It is locked, and open */
bool ssdup_pool_may_hold(const struct ssdup_log *log, u32 segment);

/**
 * ssdup_pool_claim() - the log is active: it has its live segments, and gets free ones by max_mb
 * @live: sorted by generation
 *
 * ssdup_leased_segments() says how many they are. Context: preresume; the pool is locked.
 */
void ssdup_pool_claim(struct ssdup_log *log, const struct log_header *live, u32 nr);

/** ssdup_pool_unclaim() - it could not be replayed: it keeps what is live. Context: preresume */
void ssdup_pool_unclaim(struct ssdup_log *log, const struct log_header *live, u32 nr);

/** ssdup_pool_absent() - a log of the SSD, not active on this host? Context: process, sleeps */
bool ssdup_pool_absent(struct ssdup_log *log, u32 number);

/** ssdup_pool_alone() - is there no other log on the SSD? any context */
bool ssdup_pool_alone(const struct ssdup_log *log);

/** ssdup_pool_free() - segments of the SSD that no log has, a hint; any context */
u32 ssdup_pool_free(const struct ssdup_log *log);

/* --- The logs themselves: logs.c --- */

/** ssdup_scan_logs() - find the segments of all logs; after ssdup_pool_open(). 0 or -ENOMEM */
int ssdup_scan_logs(struct ssdup_log *log, const struct log_super *super);

/**
 * ssdup_log_add() - make a log for another HDD, by the words of a message
 *
 * Context: process, sleeps; the log of @log runs. Return: 0, or -errno with *error set.
 */
int ssdup_log_add(struct ssdup_log *log, const char *uuid, const char *hdd_sectors,
		  const char *block_sectors, const char **error);

/** ssdup_log_forget() - give up a log that is not active; @force: with what it holds */
int ssdup_log_forget(struct ssdup_log *log, const char *uuid, bool force, const char **error);

/*
 * --- Durable writes to the SSD: metadata.c ---
 *
 * Flushes of the SSD and writes of metadata exclude each other. After a failed flush no
 * commit is made any more: the SSD may have dropped data, the next flush would succeed, and
 * new entries would refer to data that are not there.
 */

/* REQ_SYNC and REQ_IDLE together exempt a write from writeback throttling. */
#define SSDUP_META_FLAGS	(REQ_SYNC | REQ_IDLE | REQ_META | REQ_FUA)

/**
 * ssdup_flush_ssd() - flush the SSDs that get commits
 *
 * One that fails is out and in doubt: then no flush is sent to it. Context: process, sleeps.
 * Return: 0, or -EIO when none is left.
 */
int ssdup_flush_ssd(struct ssdup_log *log);

/** ssdup_meta_written() - sectors of metadata since the table was loaded; any context */
u64 ssdup_meta_written(const struct ssdup_log *log);

#endif
