/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what only the log's own files use.
 */
#ifndef SSDUP_LOG_INTERNAL_H
#define SSDUP_LOG_INTERNAL_H

#include "base/step.h"
#include "log.h"

/* --- The lists of segments, and their lock: segments.c, space.c and groups.c --- */

/* The free segments of an SSD. */
struct ssd_space {
	struct list_head	free;		/* next to open first */
	struct list_head	stale;		/* not discarded yet: opened last */
	u32			nr_free;	/* on these lists; read without the lock: a hint */
	u32			discarding;	/* free, but on neither; the same */
	u32			coming;		/* clean, or not free yet; the same */
};

struct ssdup_segments {
	spinlock_t		lock;		/* these, and part of segments and classes */
	struct ssd_space	space[SSDUP_MAX_SSDS];
	u32			nr_leased;	/* segments of the log; pool.c writes it */
	unsigned long		*leased;	/* a bit for each; the same */
	bool			begun;		/* the log was replayed */
	u32			discards;	/* the SSD that had the last ones, and its turns */
	u32			nr_sealed;	/* read without the lock: a hint */
	struct list_head	clean;		/* the oldest first */
	struct list_head	pinned;		/* forgotten, but reads are in flight */
	struct list_head	copies;		/* clean ones with copies, the oldest first */
	struct ssdup_segment	*filling;	/* of these, the one that gets them; or NULL */
	u32			filled;		/* sectors that were handed out there */
	u32			nr_copies;	/* in that list; read without the lock: a hint */
	u64			copied;		/* sectors that were handed out, ever; the same */
	u64			durable;	/* of these, that are durable; the same */
	u32			nr_clean;	/* in both lists; the same */
	u32			in_hand;	/* taken off them, or about to be added; the same */
	u32			nr_pinned;	/* the same */
	u64			clean_bytes;	/* of the extents of clean ones; the same */
	u64			opened;		/* how many, ever; the same */
	u64			written;	/* sectors of data ever sealed; the same */
};

/* It is always sealed: the open segment of a class that has none. */
static inline struct ssdup_segment *ssdup_no_segment(struct ssdup_log *log)
{
	return &log->segment[log->g.nr_segments];
}

/* Nothing refers to @seg any more, but for reads in flight. The lock is held. */
void ssdup_add_forgotten(struct ssdup_log *log, struct ssdup_segment *seg);

/* @seg has left the log, and is clean. The lock is held. */
void ssdup_add_clean(struct ssdup_segments *s, struct ssdup_segment *seg);

/*
 * --- Free segments: space.c; the lock is held ---
 *
 * A class opens segments of its SSD only.
 */

/** ssdup_space_init() - no segment is free yet */
void ssdup_space_init(struct ssdup_log *log);

/** ssdup_add_free() - a segment is free; @stale: and was not discarded since it was written */
void ssdup_add_free(struct ssdup_log *log, struct ssdup_segment *seg, bool stale);

/** ssdup_space_next() - which one to open next, or NULL; @allowed: see ssdup_switch() */
struct ssdup_segment *ssdup_space_next(struct ssdup_log *log, u32 ssd, u64 allowed);

/** ssdup_space_coming() - it has left the log, or the free ones, and is free again later */
void ssdup_space_coming(struct ssdup_log *log, const struct ssdup_segment *seg);

/** ssdup_space_remove() - it is not free any more */
void ssdup_space_remove(struct ssdup_log *log, struct ssdup_segment *seg);

/** ssdup_space_closed() - to whom the next one is closed, as bits of its word; @kept: or may be */
u64 ssdup_space_closed(const struct ssdup_log *log, u32 ssd, bool kept);

/** ssdup_space_for_copies() - one for copies of what was read, or NULL: writers need them */
struct ssdup_segment *ssdup_space_for_copies(struct ssdup_log *log);

/** ssdup_space_full() - a write has found no free segment there. Return: is that new? */
bool ssdup_space_full(struct ssdup_log *log, u32 ssd);

/** ssdup_space_not_full() - the next one may */
void ssdup_space_not_full(struct ssdup_log *log, u32 ssd);

/** ssdup_more_to_open() - segments have become free: let writers have them */
void ssdup_more_to_open(struct ssdup_log *log);

/** ssdup_space_spent() - has no SSD a segment for a writer, nor will have when discards end? */
bool ssdup_space_spent(const struct ssdup_log *log);

/**
 * ssdup_switch() - seal @from if it is still open and holds anything, and open the next one
 * @k: class of both; @from may have been freed and be another's since
 * @allowed: with LOG_WORD_DRAIN, open one of the last segments, see ssdup_drain_segments(); with
 * LOG_WORD_KEPT, the last one before these, see kept_of() in space.c
 *
 * Context: any. Return: false when no segment is free, or the log takes no writes.
 */
bool ssdup_switch(struct ssdup_log *log, struct ssdup_class *k, struct ssdup_segment *from,
		  u64 allowed);

/**
 * ssdup_segments_in_ring() - list the segments that have pages in the ring of @k, in their order
 * @segments: room for SSDUP_RING_SEGMENTS
 *
 * Context: the lock in commit.c is held. Return: how many.
 */
u32 ssdup_segments_in_ring(struct ssdup_log *log, struct ssdup_class *k,
			   struct ssdup_segment **segments);

/**
 * ssdup_segments_leave() - has the log nothing on an SSD that leaves?
 *
 * Then it will have nothing, until ssdup_segments_stay(). Context: process.
 */
bool ssdup_segments_leave(struct ssdup_log *log, u32 ssd);

/** ssdup_segments_stay() - an SSD does not leave any more; process context */
void ssdup_segments_stay(struct ssdup_log *log);

/**
 * ssdup_segments_alone() - what the segments of an SSD hold is not on a mirror that is filled
 *
 * Also what the open ones get from now on. Context: process, sleeps.
 */
void ssdup_segments_alone(struct ssdup_log *log, u32 ssd);

/** ssdup_segments_left_alone() - how many are left of these; process context, sleeps */
u32 ssdup_segments_left_alone(struct ssdup_log *log, u32 ssd);

/** ssdup_segments_before_era() - has the log any of before its last SSD came? process context */
bool ssdup_segments_before_era(struct ssdup_log *log);

/** ssdup_left_ring() - all pages of a sealed segment are complete and durable */
void ssdup_left_ring(struct ssdup_log *log, struct ssdup_segment *seg);

/* --- What the logs of an SSD share: pool.c --- */

struct pool_user {
	struct ssdup_log	*log;		/* of its last table; NULL: not active */
	u32			lifetimes;	/* classes on each SSD */
	bool			era;		/* not active: it has one */
	u8			uuid[16];
};

/*
 * It lives as long as a table uses the SSD. dm opens a disk for each device that uses it, with one
 * holder. So it has no reference of its own.
 */
struct ssdup_pool {
	struct list_head	list;		/* these by pools_lock */
	struct list_head	tables;		/* logs, by @in_pool */
	u8			uuid[16];	/* of the pool; zero: not known yet */

	struct mutex		lock;		/* these; held over I/O to the SSD */
	u64			seq;		/* of the superblock */
	u64			logs;		/* 0: not known yet */
	struct log_ssds		ssds;		/* the same, by the superblock */
	u32			nr_segments;
	u32			nr_free;	/* of nobody; read without the lock */
	u8			*owner;		/* of each segment, see core/lease.h */
	bool			scanned;	/* owner is right for absent logs, too */
	struct pool_user	user[SSDUP_MAX_LOGS];
	struct page		*page;
};

/** ssdup_pool_give() - a segment is that log's, or POOL_FREE; the pool is locked */
void ssdup_pool_give(struct ssdup_pool *pool, u32 segment, u32 owner);

/** ssdup_names_all() - does the table name all SSDs that the pool uses? the pool is locked */
bool ssdup_names_all(const struct ssdup_log *log);

/** ssdup_pool_named() - does any table name an SSD of that number? */
bool ssdup_pool_named(const struct ssdup_pool *pool, u32 number);

/** ssdup_pool_has_room() - could a new log, @number, write to each SSD? the pool is locked */
bool ssdup_pool_has_room(const struct ssdup_pool *pool, u32 number);

/** ssdup_pool_stamp() - @s is to be the next superblock; the pool is locked */
void ssdup_pool_stamp(struct ssdup_log *log, struct log_super *s);

/** ssdup_super_copy() - superblock and record of today; process context, sleeps: super.c */
void ssdup_super_copy(struct ssdup_log *log, struct log_super *s);

/**
 * ssdup_super_guard() - write the record with another state of the guard, see core/guard_block.h
 * @head: the first sector of the device
 *
 * Context: process, sleeps. Return: 0 or -errno.
 */
int ssdup_super_guard(struct ssdup_log *log, enum guard_state state, u64 epoch, const void *head);

/**
 * ssdup_write_copies() - write a superblock or a record to both homes of each SSD durably: super.c
 * @page: for it
 * @s: what to write
 * @between: the step between the two
 *
 * Return: 0, if an SSD has them; or -errno, then the log is read-only.
 */
int ssdup_write_copies(struct ssdup_log *log, struct page *page, struct log_super *s, bool record,
		       enum ssdup_step between);

/** ssdup_write_block() - a block of an SSD's homes, durably. 0 or -errno; sleeps: super.c */
int ssdup_write_block(struct ssdup_log *log, struct ssdup_ssd *ssd, struct page *page, u64 sector);

/** ssdup_record_again() - write the record of an active log as it is. 0 or -errno; sleeps */
int ssdup_record_again(struct ssdup_log *log);

/* --- SSDs with a mirror: mirrors.c --- */

/**
 * ssdup_mirrors_start() - they say who has everything, before the log writes
 * @mend: set if they are new: each gets all that a log begins with
 *
 * Context: process, sleeps. Return: 0 or -errno.
 */
int ssdup_mirrors_start(struct ssdup_log *log, bool *mend);

/** ssdup_mirrors_made() - new ones are complete. Return: 0 or -errno; sleeps */
int ssdup_mirrors_made(struct ssdup_log *log);

/* --- Flushes of the SSD and writes of metadata exclude each other: metadata.c --- */

/** ssdup_meta_create() - listen to what other logs learn of the SSDs. 0 or -errno with @why set */
int ssdup_meta_create(struct ssdup_log *log, const char **why);

/** ssdup_meta_destroy() - free what it allocated; when the drives tell nothing any more */
void ssdup_meta_destroy(struct ssdup_log *log);

/** ssdup_meta_claim() - the log is active: what other logs learn concerns it from here on */
void ssdup_meta_claim(struct ssdup_log *log);

/**
 * ssdup_meta_begin() - begin a flush of the SSDs, or a write of metadata
 *
 * Context: process, sleeps. The caller must call ssdup_meta_end(), even after an error.
 * Return: 0, or -EIO when no SSD gets commits any more, see ssds_commit(). Then only what refers to
 * no data may be written.
 */
int ssdup_meta_begin(struct ssdup_log *log);

/** ssdup_meta_end() - end what ssdup_meta_begin() began */
void ssdup_meta_end(struct ssdup_log *log);

/**
 * ssdup_meta_failed() - a flush or a write of metadata has failed: the SSD takes no more writes
 * @flush: a flush
 * @why: for ssdup_ssd_fail()
 *
 * After a failed flush, or a write with FUA that may be one, all logs of the drive are in doubt,
 * and this calls ssdup_owe() for each.
 * Context: process; between ssdup_meta_begin() and ssdup_meta_end().
 */
void ssdup_meta_failed(struct ssdup_ssd *ssd, bool flush, const char *why);

/**
 * ssdup_meta_flush() - flush SSDs, all at once
 * @ssds: a bit for each
 *
 * Context: process, sleeps; between ssdup_meta_begin() and ssdup_meta_end(). Return: those that
 * have failed, after ssdup_meta_failed() for each.
 */
u32 ssdup_meta_flush(struct ssdup_log *log, u32 ssds);

/** ssdup_ssds_in_doubt() - a bit for each SSD that may have lost its cache; any context */
u32 ssdup_ssds_in_doubt(const struct ssdup_log *log);

/**
 * ssdup_flush_rest() - flush all SSDs that are not in doubt
 *
 * One that fails is out. Context: process, sleeps. Return: those that were flushed.
 */
u32 ssdup_flush_rest(struct ssdup_log *log);

/**
 * ssdup_meta_again() - retry a metadata write after a transient error, until @end
 * @error: of the write, which must have had REQ_FUA and not REQ_PREFLUSH; or 0
 * @sector: its sector on @ssd
 * @page: 4 KiB, as written
 * @end: jiffies; pages that are written together share one, RETRY_AWAY_MS from the error
 *
 * A failed flush must not be retried, so this does nothing if the SSD may do FUA by a flush.
 *
 * Context: process, sleeps; between ssdup_meta_begin() and ssdup_meta_end().
 * Return: 0 when the page is durable, or the error.
 */
int ssdup_meta_again(struct ssdup_log *log, int error, struct ssdup_ssd *ssd, u64 sector,
		     struct page *page, unsigned long end);

/** ssdup_fua_is_no_flush() - does the SSD write with FUA without flushing its cache? any context */
bool ssdup_fua_is_no_flush(const struct ssdup_ssd *ssd);

/** ssdup_meta_wrote() - count blocks of metadata; between ssdup_meta_begin() and _end() */
void ssdup_meta_wrote(struct ssdup_log *log, u32 blocks);

/* --- Nodes that a segment may take of the reserve: nodes.c --- */

/** ssdup_share_spares() - give a segment that opens its share; the lock in segments.c */
void ssdup_share_spares(struct ssdup_log *log, struct ssdup_segment *seg);

/** ssdup_take_spares_back() - all but those of @writes in flight; the lock in segments.c */
void ssdup_take_spares_back(struct ssdup_log *log, struct ssdup_segment *seg, u32 writes);

#endif
