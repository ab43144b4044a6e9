/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the drain of a group of segments. Only the writeback thread drains.
 */
#ifndef SSDUP_DRAIN_INTERNAL_H
#define SSDUP_DRAIN_INTERNAL_H

#include "core/pacing.h"
#include "core/plan.h"
#include "drainer.h"
#include "log/groups.h"
#include "log/log.h"
#include "route/router.h"

#define UNWRITABLE_RETRY_MS 60000U	/* until what a disk refuses is tried again */

/* --- From the choice of a group until it is free: drain.c --- */

/** ssdup_drainer_create() - allocate the drain's buffers and arrays */
int ssdup_drainer_create(struct ssdup_drainer *drainer);
void ssdup_drainer_destroy(struct ssdup_drainer *drainer);

/**
 * ssdup_drain_turn() - choose a group, drain one batch of it, or let it be freed
 * @how: for the batch
 * @size: for the next group
 * @class: of the next group
 * @empty: the next group is of segments of which nothing has to be written
 *
 * Return: 0, or an error after which the oldest group is tried again from its start. Also 0
 * after an error if a drain was requested since the try began.
 */
int ssdup_drain_turn(struct ssdup_drainer *drainer, const struct pacing_out *how,
		     const struct pacing_group *size, struct ssdup_class *class, bool empty);

/** ssdup_drain_class() - the class of the group being copied, or NULL; the writeback thread */
struct ssdup_class *ssdup_drain_class(struct ssdup_drainer *drainer);

/** ssdup_drain_copies() - is a part of a group still to be copied? the writeback thread */
bool ssdup_drain_copies(const struct ssdup_drainer *drainer);

/** ssdup_drain_freeing() - segments of the group that is being freed; the writeback thread */
u32 ssdup_drain_freeing(const struct ssdup_drainer *drainer);

/** ssdup_drain_rested() - the thread has rested for @ns, which is no time of the group */
void ssdup_drain_rested(struct ssdup_drainer *drainer, u64 ns);

/** ssdup_drain_rest() - the thread is about to rest: wait for what is being written */
void ssdup_drain_rest(struct ssdup_drainer *drainer);

/** ssdup_drain_drop() - forget the group being drained, and wait for the one being freed */
void ssdup_drain_drop(struct ssdup_drainer *drainer);

/** ssdup_drain_failed() - could a group not be freed? The next turn returns the error */
bool ssdup_drain_failed(struct ssdup_drainer *drainer);

/** ssdup_drain_anew() - forget the last error; later ones come from tries that begin after this */
void ssdup_drain_anew(struct ssdup_drainer *drainer);

/* --- Batches: a plan, a buffer, and the transfers between them and the disks: batch.c --- */

#define DRAIN_BATCHES	3U
#define DRAIN_BYTES	(5U << 19)	/* of a batch's buffer: these and all else take 10 MB */
#define DRAIN_PAGES	(DRAIN_BYTES >> PAGE_SHIFT)
#define DRAIN_SECTORS	(DRAIN_BYTES >> SECTOR_SHIFT)
#define DRAIN_PIECES	256U		/* of a batch: reads of the SSD at once */
#define DRAIN_UNREAD_MAX 512U		/* unreadable blocks of a group before a try ends */
#define DRAIN_ROOM	(DRAIN_PIECES + DRAIN_UNREAD_MAX)	/* pieces, with cuts */
#define DRAIN_RUN	2048U		/* sectors of one write */
#define DRAIN_SPREAD	32U		/* sectors of one read beside writes to the SSD */
#define DRAIN_SPREAD_NS	150000U		/* for each; if longer, the SSD has a queue */

struct drain_io {
	struct drain_batch	*batch;
	struct drive_user	*disk;
	blk_status_t		status;		/* not 0: it failed */
};

struct drain_batch {
	struct ssdup_drainer	*drainer;
	struct drain_plan	plan;
	struct drain_io		*io;		/* for each piece read, or run written */
	struct page		*page[DRAIN_PAGES];
	bool			guarded;	/* counted by log/guard.c */
	struct page		*scratch;	/* one block, to read or write it again */
	u64			due;		/* ns: when the spread read should end */
	bool			spread;		/* see ssdup_batch_read() */
	atomic_t		pending;
	struct completion	done;
};

/* Both flags exempt a write from writeback throttling: use them while somebody waits. */
static inline blk_opf_t drain_write_opf(struct ssdup_drainer *drainer)
{
	bool awaited = atomic_read(&drainer->nr_asking) ||
		       atomic_read(&drainer->c->wake.nr_waiting);

	return awaited ? REQ_OP_WRITE | REQ_SYNC | REQ_IDLE : REQ_OP_WRITE;
}

/** ssdup_batch_init() - allocate a zeroed batch's memory; exit frees it even after -ENOMEM */
int ssdup_batch_init(struct ssdup_drainer *drainer, struct drain_batch *b);
void ssdup_batch_exit(struct drain_batch *b);

/**
 * ssdup_batch_read() - start to read the pieces of a plan into the buffer
 * @spread: read in short parts, one at a time, so that a write to the SSD waits for one part at
 * most. Stop this when parts take longer than DRAIN_SPREAD_NS on average: the SSD has a queue then
 *
 * Sleeps until all reads are submitted. After ssdup_batch_wait(), io[] says for each piece
 * whether its read failed.
 */
void ssdup_batch_read(struct ssdup_drainer *drainer, struct drain_batch *b, bool spread);

/** ssdup_batch_wait() - wait until the transfers of a batch have ended; process context */
void ssdup_batch_wait(struct drain_batch *b);

/** ssdup_batch_write_begin() - start to write a plan's runs; ends by ssdup_batch_write_end() */
void ssdup_batch_write_begin(struct ssdup_drainer *drainer, struct drain_batch *b);

/** ssdup_batch_write_end() - wait for the writes; io[] says for each run whether it failed */
void ssdup_batch_write_end(struct ssdup_drainer *drainer, struct drain_batch *b);

/** ssdup_batch_tombstone() - zero or discard a run on the HDD; -ENODATA for a lost one; sleeps */
int ssdup_batch_tombstone(struct ssdup_drainer *drainer, const struct drain_run *run);

/** ssdup_batch_reread() - read a block of a piece again; sleeps. Return: 0 or -errno */
int ssdup_batch_reread(struct drain_batch *b, const struct drain_piece *block);

/** ssdup_batch_copy() - copy one block of the buffer, at @offset sectors, to the scratch page */
void ssdup_batch_copy(struct drain_batch *b, u32 offset, u32 sectors);

/* --- I/O errors of a drain: faults.c --- */

struct drain_faults {
	u32			bad;		/* blocks refused by the HDD, in a row */
	u32			unread;		/* blocks that the SSD refused in this group */
	u32			left;		/* blocks that could be neither written nor moved */
	bool			lost;		/* some extents that could not move are lost */
	u64			away_at;	/* HDD sector of the last piece that ended a try */
	unsigned long		away_since;	/* jiffies: when it first did */
	unsigned long		away_last;	/* jiffies: when it last did */
};

/** ssdup_faults_begin() - begin a try to drain a group */
void ssdup_faults_begin(struct drain_faults *f);

/**
 * ssdup_faults_reread() - retry the failed reads of a batch; bad blocks are lost
 *
 * Return: 0, or -errno when the batch must not be written.
 */
int ssdup_faults_reread(struct ssdup_drainer *drainer, struct drain_faults *f,
			struct drain_batch *b);

/**
 * ssdup_faults_run() - handle a run that the HDD refused, or that is lost
 *
 * Blocks that the HDD refuses again, and lost runs, move to the open segment.
 *
 * Return: 0, or -errno when the group cannot be freed for now.
 */
int ssdup_faults_run(struct ssdup_drainer *drainer, struct drain_faults *f, struct drain_batch *b,
		     const struct drain_run *run);

/* --- Extents that cannot be written to the HDD move to the open segment: relocate.c --- */

/**
 * ssdup_relocate() - move a piece to the open segment
 * @p: the piece; for kind DATA at most a page long
 * @kind: the new kind of the piece; for DATA @page has the content
 *
 * Context: the writeback thread.
 * Return: 0, or -errno when the group cannot be freed for now.
 */
int ssdup_relocate(struct ssdup_drainer *drainer, const struct drain_piece *p, u8 kind,
		   struct page *page);

/* --- The drain of closed classes: salvage.c --- */

/** ssdup_salvages() - is a class drained as one that takes no writes any more? the thread's */
static inline bool ssdup_salvages(const struct ssdup_drainer *drainer, const struct ssdup_class *k)
{
	return drainer->closed & BIT(k->ssd);
}

/* What the log holds keeps its class. */
static inline struct ssdup_class *piece_class(const struct ssdup_drainer *drainer,
					      const struct drain_piece *p)
{
	struct ssdup_log *log = drainer->log;

	return &log->class[log_class(&log->classes, p->seq >> SSDUP_SEQ_BITS)];
}

/** ssdup_piece_salvaged() - is the class of a piece drained so? the thread's */
static inline bool ssdup_piece_salvaged(const struct ssdup_drainer *drainer,
					const struct drain_piece *p)
{
	return ssdup_salvages(drainer, piece_class(drainer, p));
}

/**
 * ssdup_salvage_begin() - classes have been closed: nothing is added to them any more
 * @closed: a bit for each SSD that they are on
 *
 * What is not durable is flushed, if no flush has failed. What is in doubt then is lost: it reads
 * as EIO, and the HDD keeps what it has. Context: the writeback thread, which drains no group.
 */
void ssdup_salvage_begin(struct ssdup_drainer *drainer, u32 closed);

/** ssdup_salvage_anew() - a drain was requested: try all segments of closed classes again */
void ssdup_salvage_anew(struct ssdup_drainer *drainer);

/** ssdup_salvage_kept() - was a closed class tried, and is left alone for a while? any context */
bool ssdup_salvage_kept(const struct ssdup_drainer *drainer, const struct ssdup_class *k);

/** ssdup_salvage_keeps() - is there one that was tried, while others are drained? any context */
bool ssdup_salvage_keeps(const struct ssdup_drainer *drainer);

/**
 * ssdup_salvage_next() - choose the next segment of a closed class to drain, as a group
 *
 * Return: false when the try has ended.
 */
bool ssdup_salvage_next(struct ssdup_drainer *drainer, struct drain_group *g);

/**
 * ssdup_salvage_written() - a segment was copied, except for what stays in it
 * @left: blocks that stay
 * @lost: some of its extents are lost
 *
 * Return: 0, or an error: it must be written again.
 */
int ssdup_salvage_written(struct ssdup_drainer *drainer, const struct drain_group *g, u32 left,
			  bool lost);

/** ssdup_salvage_end() - all were tried: free what can be freed. Return: 0 or -SSDUP_ERR_KEPT */
int ssdup_salvage_end(struct ssdup_drainer *drainer);

/* --- Requests in flight at the HDD, and flushes of its cache: hdd.c --- */

/* Sums of all CPUs. Only their changes are meaningful. */
struct ssdup_requests {
	u64	all;		/* requests begun, plus those ended at the HDD */
	u64	writes;		/* to the SSD */
	u32	hdd_inflight;	/* at the HDD now, without the drain's */
};

/** ssdup_sum_requests() - add up the counters of all CPUs; any context, a hint */
struct ssdup_requests ssdup_sum_requests(struct ssdup_drainer *drainer);

/** ssdup_flush_drained() - flush a drain's writes, without waiting for other flushes */
int ssdup_flush_drained(struct ssdup_drainer *drainer);

/* --- A group that is on the HDD becomes free: reclaim.c --- */

/**
 * ssdup_flush_group() - make durable on the HDD what was written there of a group
 *
 * If the HDD has lost its cache since the drain of the group began, by a flush that failed for
 * whomever, this fails, too. If it may have lost it, since it has failed a request, the group is
 * copied again; but not more often than DOUBT_TRIES in a row, or an HDD that goes on to fail
 * requests of others would never be drained to.
 *
 * Context: process. Return: 0, -SSDUP_ERR_DOUBT to copy the group again at once, or -errno: it must
 * be copied again.
 */
int ssdup_flush_group(struct ssdup_drainer *drainer, const struct drain_group *g);

/**
 * ssdup_free_group() - free the oldest group, whose extents were all written or relocated
 * @g: durable is set after the flush of the HDD
 *
 * Context: process. Return: 0, or -errno: nothing is free.
 */
int ssdup_free_group(struct ssdup_drainer *drainer, struct drain_group *g);

/**
 * ssdup_release_group() - make a group free, when the record with the tail behind it is durable
 *
 * Its youngest segments may stay clean. Context: process.
 */
void ssdup_release_group(struct ssdup_drainer *drainer, const struct drain_group *g);

#endif
