/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the batches in which a drain copies: a plan, a buffer, and the
 * transfers between them and the disks.
 */
#ifndef SSDUP_BATCH_H
#define SSDUP_BATCH_H

#include "meter.h"

#define DRAIN_BYTES	(7U << 19)	/* of one batch's buffer: two, and all else, in 10 MB */
#define DRAIN_PAGES	(DRAIN_BYTES >> PAGE_SHIFT)
#define DRAIN_SECTORS	(DRAIN_BYTES >> SECTOR_SHIFT)
#define DRAIN_UNREAD_MAX 512U		/* blocks of a half that fail, until a try ends */
#define DRAIN_ROOM	(SSDUP_DRAIN_DEPTH_MAX + DRAIN_UNREAD_MAX)	/* pieces, with cuts */
#define DRAIN_RUN	2048U		/* sectors of one write */
#define DRAIN_SPREAD	32U		/* of a read, where others write to the SSD */
#define DRAIN_SPREAD_NS	150000U		/* for each, or the SSD has enough to do */

struct drain_io {
	struct drain_batch	*batch;
	bool			failed;
	blk_status_t		status;		/* of one that failed */
};

struct drain_batch {
	struct ssdup		*c;
	struct drain_plan	plan;
	struct drain_io		*io;		/* a piece when reading, a run when writing */
	struct page		*page[DRAIN_PAGES];
	struct page		*scratch;	/* one block, to read and write again */
	struct meter_drain	meter;		/* of the writes */
	u64			ended;		/* ns: the last write so far */
	u64			due;		/* ns: the read under way, if spread */
	bool			spread;		/* see ssdup_batch_read() */
	atomic_t		pending;
	struct completion	done;
};

/* Where on the SSD a piece is. */
static inline u64 piece_sector(struct ssdup *c, const struct drain_piece *p)
{
	return ssdup_log_data_sector(&c->g, p->half, p->pos);
}

/* A piece of another half than @h, which is being drained: no harm if it stays. */
static inline bool drain_of_other(const struct ssdup_half *h, const struct drain_piece *p)
{
	return p->half != h->index;
}

/*
 * A drain's write. What somebody waits for, be it for space, is not to be throttled as writeback
 * is: that takes both flags.
 */
static inline blk_opf_t drain_write_opf(struct ssdup *c)
{
	bool awaited = atomic_read(&c->nr_asking) || atomic_read(&c->nr_waiting);

	return awaited ? REQ_OP_WRITE | REQ_SYNC | REQ_IDLE : REQ_OP_WRITE;
}

/** ssdup_batch_init() - the memory of a zeroed batch. Return: 0, -ENOMEM; exit in any case */
int ssdup_batch_init(struct ssdup *c, struct drain_batch *b);
void ssdup_batch_exit(struct drain_batch *b);

/**
 * ssdup_batch_read() - start to read the pieces of a plan into the buffer
 * @spread: short reads, one after the other, so that a write of others waits for one at
 * most. Should they take longer than DRAIN_SPREAD_NS each, then because the SSD has a
 * queue in which it waits anyway, and the rest is read at once.
 *
 * Sleeps until the last one has been sent. ssdup_batch_wait() is due. io[] tells of each piece
 * whether it failed.
 */
void ssdup_batch_read(struct ssdup *c, struct drain_batch *b, bool spread);

/** ssdup_batch_wait() - until the transfers of a batch have ended; process context */
void ssdup_batch_wait(struct drain_batch *b);

/** ssdup_batch_write_begin() - start to write the runs of a plan; ssdup_batch_write_end() is due */
void ssdup_batch_write_begin(struct ssdup *c, struct drain_batch *b);

/** ssdup_batch_write_end() - until they have been written; io[] tells of each whether it failed */
void ssdup_batch_write_end(struct ssdup *c, struct drain_batch *b);

/**
 * ssdup_batch_mark() - send a run without data to the HDD, zeroes or a discard; sleeps
 *
 * Return: 0 or -errno; -ENODATA for what was lost.
 */
int ssdup_batch_mark(struct ssdup *c, const struct drain_run *run);

/** ssdup_batch_reread() - read a part of a piece once more; it sleeps. Return: 0 or -errno */
int ssdup_batch_reread(struct ssdup *c, struct drain_batch *b, const struct drain_piece *p,
		       const struct drain_part *part);

/** ssdup_batch_copy() - one block from the buffer, at @offset sectors, to the scratch page */
void ssdup_batch_copy(struct drain_batch *b, u32 offset, u32 sectors);

#endif
