/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the buffers of the stage: small writes that have ended, and are not on the SSD yet.
 *
 * A write of the stage has a place in the log as any other one, and its extent is in the map with
 * its seq. What it has not yet is a published entry: that comes when its data is on the SSD. Until
 * then its segment has it in @staged, and so
 *
 *  - a commit first waits for all that was staged when it began, and publishes it. So whatever had
 *    ended before a commit is durable behind it, as always;
 *  - no drain takes the segment;
 *  - a read of it is served from the buffer. It takes the buffer's reference under the lock of its
 *    range, so the buffer is not used again before it has copied.
 *
 * A buffer is free, open, ready when it is closed and the last writer has copied, sent, and free
 * again. If the SSD refuses a part of it, the next commit writes it again, a write at a time, and
 * where that fails to another place, see restage.c. What finds none, because the SSD takes no
 * writes any more, is stranded in memory until the drain has it on the HDD and its segment is free.
 *
 * One buffer is open at a time. Nobody waits for one: without a free one writes go as others do.
 */
#ifndef SSDUP_LOG_STAGING_H
#define SSDUP_LOG_STAGING_H

#include "core/stage.h"
#include "log.h"

#define STAGE_PAGES	DIV_ROUND_UP(STAGE_SECTORS, PAGE_SECTORS)
#define STAGE_REST_MS	100U	/* who commits again and again does it within this */

enum buffer_state {
	BUFFER_FREE,
	BUFFER_OPEN,		/* or closed, but somebody still copies */
	BUFFER_READY,
	BUFFER_SENT,
	BUFFER_REFUSED,		/* for the next commit */
	BUFFER_STRANDED,
	BUFFER_DONE,		/* free, when those who read it have ended */
};

struct stage_record {
	struct ssdup_segment	*segment;
	struct ring_page	*page;		/* that has its entry; NULL: that is given up */
	u32			slot;
	u64			start;		/* sector on the device */
	u64			seq;
};

/* A request of a buffer. */
struct stage_part {
	struct stage_buffer	*buffer;
	struct ssdup_ssd	*ssd;
	u32			sectors;
	u64			sent;		/* ns: when */
	blk_status_t		status;
};

struct stage_buffer {
	struct ssdup_log	*log;		/* constant */
	atomic_t		word;		/* see core/stage.h */
	atomic_t		writers;	/* that copy, and one until it is closed */
	atomic_t		refs;		/* readers that copy, and one until it is done */
	atomic_t		left;		/* requests in flight */
	enum buffer_state	state;
	bool			refused;	/* not all of it is on the SSD for sure */
	struct stage_part	*failed;	/* the last one that did, until it is counted */
	unsigned long		until;		/* jiffies: so long it is tried again */
	u64			turn;		/* number of its opening; these by stage->lock */
	unsigned long		opened;		/* jiffies */
	u64			since[SSDUP_MAX_CLASSES];	/* last seq of each class then */
	struct stage_span	span[STAGE_RECORDS];
	struct stage_record	record[STAGE_RECORDS];
	struct stage_part	part[STAGE_RECORDS];
	struct page		*page[STAGE_PAGES];	/* constant */
};

struct ssdup_stage {
	/* Find another place for a write: ssdup_restage() */
	int			(*restage)(struct ssdup_log *log, struct stage_buffer *b, u32 nr);
	struct stage_buffer	*open;		/* or NULL; written with the lock */
	unsigned long		awaited;	/* jiffies: when a commit last was; a hint */
	unsigned long		rest_until;	/* jiffies; a hint */
	spinlock_t		lock;		/* which one is open; what is held */
	u64			turn;		/* of the one opened last */
	bool			gave_up;	/* an entry, in this turn; by committer->lock */
	u32			nr;
	struct stage_buffer	*buffer;
};

/* Room for a write. */
struct stage_room {
	struct stage_buffer	*buffer;
	u32			nr;		/* of its record */
	u32			at;		/* sectors in the buffer */
};

/* --- For writers --- */

/** ssdup_stage_awaited() - somebody waits for a commit; any context */
void ssdup_stage_awaited(struct ssdup_log *log);

/** ssdup_stage_rests() - does he do so again and again? Then nothing is staged; any context */
static inline bool ssdup_stage_rests(const struct ssdup_log *log)
{
	return time_before(jiffies, READ_ONCE(log->stage->rest_until));
}

/**
 * ssdup_stage_take() - take room for a write of @sectors
 *
 * Context: any. Return: false when there is none. Else ssdup_stage_put() comes.
 */
bool ssdup_stage_take(struct ssdup_log *log, u32 sectors, struct stage_room *room);

/**
 * ssdup_stage_fill() - a write has got a place in the log: copy it
 * @io: has its place
 * @pos: of its data, a sector on the SSDs
 * @bio: the write
 *
 * Its extent may be inserted then. Context: any.
 */
void ssdup_stage_fill(const struct stage_room *room, const struct ssdup_io *io, u64 pos,
		      struct bio *bio);

/** ssdup_stage_empty() - what was filled in is not inserted, and gets no entry; any context */
void ssdup_stage_empty(const struct stage_room *room);

/** ssdup_stage_put() - the room holds a write that was inserted, or nothing; any context */
void ssdup_stage_put(const struct stage_room *room);

/* --- For readers --- */

/** segment_staged() - may a buffer have data of @seg? as ssdup_stage_get() */
static inline bool segment_staged(const struct ssdup_segment *seg)
{
	return atomic_read(&seg->staged);
}

/**
 * ssdup_stage_get() - find the data of a sector of the SSDs
 * @pos: of an extent; the lock of its range is held, or its segment is settled
 * @room: set to the write that has it; ssdup_stage_put_read() comes
 *
 * Return: false when it is on the SSD.
 */
bool ssdup_stage_get(struct ssdup_log *log, u64 pos, struct stage_room *room);
void ssdup_stage_put_read(const struct stage_room *room);

/** ssdup_stage_has() - is the data of a sector of the SSDs in memory? any context */
bool ssdup_stage_has(struct ssdup_log *log, u64 pos);

/**
 * ssdup_extent_in_doubt() - may the SSD have lost the data of @e, which is of @seg? any context
 *
 * If no flush began after the write has ended, only the cache of the SSD had it for sure. A segment
 * whose entries are all durable has nothing in doubt.
 */
static inline bool ssdup_extent_in_doubt(struct ssdup_log *log,
					 const struct ssdup_segment *seg, const struct extent *e)
{
	return READ_ONCE(ssd_of(log, seg)->in_doubt) && e->seq > READ_ONCE(seg->durable) &&
	       !(atomic_read(&seg->staged) && ssdup_stage_has(log, e->pos));
}

/** ssdup_stage_read() - copy to a bio what @room has from sector @pos on; any context */
void ssdup_stage_read(const struct stage_room *room, u64 pos, struct bio *bio);

/**
 * ssdup_stage_copy() - copy to, or from, a buffer
 * @at: bytes in the buffer
 */
void ssdup_stage_copy(struct stage_buffer *b, u32 at, void *data, u32 bytes, bool write);

/* --- For commits; process context, all sleep --- */

/** ssdup_stage_settle() - wait until all that was staged is on the SSD, or was refused by it */
void ssdup_stage_settle(struct ssdup_log *log);

/**
 * ssdup_stage_again() - write again what the SSD has refused
 *
 * Where an entry is given up, what has replaced its data in the map may be staged, too. So that has
 * to be waited for, and perhaps another round of the commit has to make room.
 *
 * Context: committer->lock is held. Return: false when the stage has to settle, and this
 * comes again.
 */
bool ssdup_stage_again(struct ssdup_log *log);

/** ssdup_stage_bound() - no write of @k that ended up to this seq is still staged; any context */
u64 ssdup_stage_bound(struct ssdup_log *log, const struct ssdup_class *k, u64 seq);

/** ssdup_stage_strands() - is data of @k stranded, as no SSD has it? any context */
bool ssdup_stage_strands(struct ssdup_log *log, const struct ssdup_class *k);

/** ssdup_stage_forget() - what is held of @seg is in no tree any more */
void ssdup_stage_forget(struct ssdup_log *log, struct ssdup_segment *seg);

/* --- For who finds another place: restage.c --- */

/** ssdup_stage_written() - the data of a write is on the SSD: publish its entry */
void ssdup_stage_written(struct stage_buffer *b, u32 nr);

/** ssdup_stage_give_up() - its entry stays empty, since its data gets another place */
void ssdup_stage_give_up(struct stage_buffer *b, u32 nr);

/** ssdup_stage_moved() - what was not overwritten of it has another place */
void ssdup_stage_moved(struct stage_buffer *b, u32 nr);

/* --- For the stage's own files --- */

static inline struct stage_buffer *stage_end(struct ssdup_stage *stage)
{
	return stage->buffer + stage->nr;
}

static inline enum buffer_state state_of(const struct stage_buffer *b)
{
	/* Pairs with the release in set_state(). */
	return smp_load_acquire(&b->state);
}

static inline void set_state(struct stage_buffer *b, enum buffer_state state)
{
	/* Pairs with the acquire in state_of(). */
	smp_store_release(&b->state, state);
}

/** ssdup_stage_put_ref() - nobody needs a reference any more; after the last one it is free */
void ssdup_stage_put_ref(struct stage_buffer *b);

/** ssdup_stage_finish() - nothing of a buffer is in flight any more; any context */
void ssdup_stage_finish(struct stage_buffer *b, enum buffer_state state);

/** ssdup_stage_publish() - publish the entry of a write; any context */
void ssdup_stage_publish(struct stage_buffer *b, u32 nr);

/** ssdup_stage_leave() - take @sub from what a segment has staged; any context */
void ssdup_stage_leave(struct ssdup_log *log, struct ssdup_segment *seg, int sub);

/* --- Life --- */

/**
 * ssdup_stage_create() - allocate the buffers
 * @restage: finds another place for a write, as ssdup_restage()
 *
 * Context: the constructor. Return: 0 or -ENOMEM.
 */
int ssdup_stage_create(struct ssdup_log *log,
		       int (*restage)(struct ssdup_log *log, struct stage_buffer *b, u32 nr));
void ssdup_stage_destroy(struct ssdup_log *log);

#endif
