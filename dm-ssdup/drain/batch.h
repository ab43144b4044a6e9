/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the batches in which a drain copies: a plan, a buffer, and the
 * transfers between them and the disks.
 */
#ifndef SSDUP_BATCH_H
#define SSDUP_BATCH_H

#include "drainer.h"
#include "route/meter.h"

#define DRAIN_BYTES	(7U << 19)	/* of a batch's buffer: two and all else take 10 MB */
#define DRAIN_PAGES	(DRAIN_BYTES >> PAGE_SHIFT)
#define DRAIN_SECTORS	(DRAIN_BYTES >> SECTOR_SHIFT)
#define DRAIN_UNREAD_MAX 512U		/* unreadable blocks of a group before a try ends */
#define DRAIN_ROOM	(SSDUP_DRAIN_DEPTH_MAX + DRAIN_UNREAD_MAX)	/* pieces, with cuts */
#define DRAIN_RUN	2048U		/* sectors of one write */
#define DRAIN_SPREAD	32U		/* sectors of one read beside writes to the SSD */
#define DRAIN_SPREAD_NS	150000U		/* for each; if longer, the SSD has a queue */

struct drain_io {
	struct drain_batch	*batch;
	blk_status_t		status;		/* not 0: it failed */
};

struct drain_batch {
	struct ssdup_drainer	*drainer;
	struct drain_plan	plan;
	struct drain_io		*io;		/* for each piece read, or run written */
	struct page		*page[DRAIN_PAGES];
	struct page		*scratch;	/* one block, to read or write it again */
	struct meter_drain	meter;		/* of the writes */
	u64			ended;		/* ns: when the last transfer so far ended */
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
int ssdup_batch_reread(struct ssdup_drainer *drainer, struct drain_batch *b,
		       const struct drain_piece *block);

/** ssdup_batch_copy() - copy one block of the buffer, at @offset sectors, to the scratch page */
void ssdup_batch_copy(struct drain_batch *b, u32 offset, u32 sectors);

#endif
