/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the segments of the log: which one is open, which are sealed, which are free.
 *
 * A segment is free, then open, sealed, draining, written back, and free again. At most one of a
 * class is open. When it is full the next one opens at once, although writes to it are still in
 * flight.
 *
 * From sealed to freed, segments stand in a list of their class, in the order in which they were
 * opened. See groups.h for what is drained of it.
 */
#ifndef SSDUP_SEGMENTS_H
#define SSDUP_SEGMENTS_H

#include "log.h"

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
 * ssdup_switch() - seal @from if it is still open and holds anything, and open the next one
 * @k: class of both; @from may have been freed and be another's since
 * @allowed: with LOG_WORD_SPARE, open one of the last segments, too, see ssdup_spare(); without
 * LOG_WORD_THROTTLED, do not seal a throttled one
 *
 * Context: any. Return: false when no segment is free, @from is throttled, or the log takes no
 * writes.
 */
bool ssdup_switch(struct ssdup_log *log, struct ssdup_class *k, struct ssdup_segment *from,
		  u64 allowed);

/**
 * ssdup_seal() - seal the class's open segment, if there is one; the next write opens another
 * @empty: even if it holds nothing; for a log that is now read-only, so that nothing is added
 */
void ssdup_seal(struct ssdup_log *log, struct ssdup_class *k, bool empty);

/** ssdup_open_generation() - the generation of the open segment, or of the next; any context */
u64 ssdup_open_generation(struct ssdup_log *log, struct ssdup_class *k);

/** ssdup_segments_opened() - the number of segments that were opened since the resume; a hint */
u64 ssdup_segments_opened(struct ssdup_log *log);

/**
 * ssdup_segments_in_ring() - list the segments that have pages in the ring of @k, in their order
 * @segments: room for SSDUP_RING_SEGMENTS
 *
 * Context: the lock in commit.c is held. Return: how many.
 */
u32 ssdup_segments_in_ring(struct ssdup_log *log, struct ssdup_class *k,
			   struct ssdup_segment **segments);

/** ssdup_left_ring() - all pages of a sealed segment are complete and durable */
void ssdup_left_ring(struct ssdup_log *log, struct ssdup_segment *seg);

/**
 * ssdup_segments_throttle() - open the last segments for writers with LOG_WORD_THROTTLED
 * @nr: how many of them
 *
 * When more are free, the rest of those that are open is no longer throttled. Context: any.
 */
void ssdup_segments_throttle(struct ssdup_log *log, u32 nr);

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

/** ssdup_segments_full() - has a write found no free segment since a group was last freed? */
bool ssdup_segments_full(struct ssdup_log *log);

/** ssdup_free_segments() - number of segments that can be opened */
u32 ssdup_free_segments(struct ssdup_log *log);

/** ssdup_discarding_segments() - number of free segments that are being discarded */
u32 ssdup_discarding_segments(struct ssdup_log *log);

/** ssdup_sealed_segments() - number of sealed segments, those being drained included */
u32 ssdup_sealed_segments(struct ssdup_log *log);

/** ssdup_spare() - free segments that writers leave to a drain: each class may need one */
static inline u32 ssdup_spare(const struct ssdup_log *log)
{
	return LOG_SPARE + log->nr_classes - 1;
}

/** ssdup_part() - the segments of a part of the log, by the key parts */
u32 ssdup_part(const struct ssdup_log *log);

/** ssdup_open_fill() - fill of the open segment of @k, 1/10000 */
u32 ssdup_open_fill(const struct ssdup_log *log, const struct ssdup_class *k);

/** ssdup_part_fill() - fill of the last part of the log, 1/10000: 0 until all others are full */
u32 ssdup_part_fill(struct ssdup_log *log);

/** ssdup_log_fill() - fill of the whole log, 1/10000 */
u32 ssdup_log_fill(struct ssdup_log *log);

/**
 * ssdup_log_written() - sectors of data that got a place since the table was loaded
 *
 * While a segment is sealed, those in it may be missing for a moment.
 */
u64 ssdup_log_written(struct ssdup_log *log);

/** segment_of() - the segment of a place on the SSD; any context */
static inline struct ssdup_segment *segment_of(struct ssdup_log *log, u64 pos)
{
	return &log->segment[log_segment_of(&log->g, pos)];
}

/* --- Writes and reads in flight --- */

/** ssdup_last_write() - the last write in flight to a sealed segment has ended; any context */
void ssdup_last_write(struct ssdup_log *log);

/** ssdup_put_write() - a write has put its extent into the tree, or abandoned its place */
static inline void ssdup_put_write(struct ssdup_log *log, struct ssdup_segment *seg)
{
	/* Fully ordered: either we see the seal, or settled() sees our zero. */
	if (atomic_dec_and_test(&seg->writes) &&
	    unlikely(atomic64_read(&seg->word) & LOG_WORD_SEALED))
		ssdup_last_write(log);
}

/** ssdup_put_read() - a read that pointed into the segment has ended */
void ssdup_put_read(struct ssdup_log *log, struct ssdup_segment *seg);

#endif
