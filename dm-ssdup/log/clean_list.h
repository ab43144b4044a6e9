/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: segments that have left the log, but whose data is still read.
 */
#ifndef SSDUP_CLEAN_LIST_H
#define SSDUP_CLEAN_LIST_H

#include "log.h"

/*
 * They stand in one list, for all classes, in the order in which they were freed; those with copies
 * of what was read in another. To make room one is taken from there; its extents leave the map;
 * then it is free. If reads that found its data before that are in flight, it waits in a third list
 * for their end. No new ones come.
 */

/** ssdup_clean_segments() - their number; any context, a hint, as those that follow */
u32 ssdup_clean_segments(struct ssdup_log *log);

/** ssdup_clean_bytes() - memory that their extents took when they became clean */
u64 ssdup_clean_bytes(struct ssdup_log *log);

/**
 * ssdup_clean_take() - take the oldest, for the caller to forget
 * @most_copies: of segments with copies; if they are not more, one of the others goes first
 *
 * Return: NULL if there is none.
 */
struct ssdup_segment *ssdup_clean_take(struct ssdup_log *log, u32 most_copies);

/** ssdup_clean_forgotten() - its extents have left the map; process context */
void ssdup_clean_forgotten(struct ssdup_log *log, struct ssdup_segment *seg);

/** ssdup_clean_unpin() - free those whose reads have ended; process context. Return: any? */
bool ssdup_clean_unpin(struct ssdup_log *log);

/*
 * Copies of what was read from the HDD fill a clean segment of their own, one at a time. It has no
 * header: after a power cut it is free. The context of these is process.
 */

/** ssdup_copies_take() - take a free segment, for ssdup_copies_begin(); NULL: writers need them */
struct ssdup_segment *ssdup_copies_take(struct ssdup_log *log);

/** ssdup_copies_begin() - copies fill @seg from here on, on which no header is left */
void ssdup_copies_begin(struct ssdup_log *log, struct ssdup_segment *seg);

/**
 * ssdup_copies_place() - a place for a copy of @sectors
 * @pos: set to its sector on the SSD
 *
 * Return: the segment, which is not opened again before ssdup_put_read(); NULL: begin one.
 */
struct ssdup_segment *ssdup_copies_place(struct ssdup_log *log, u32 sectors, u64 *pos);

/** ssdup_copies_add() - a copy in @seg, which is clean, has @node in the map */
void ssdup_copies_add(struct ssdup_log *log, struct ssdup_segment *seg, struct extent_array *node);

/** ssdup_copies_filling() - is there a segment that they fill? any context, a hint */
bool ssdup_copies_filling(struct ssdup_log *log);

/** ssdup_copies_segments() - clean segments that have copies; any context, a hint */
u32 ssdup_copies_segments(struct ssdup_log *log);

/** ssdup_copied() - sectors that got a place since the table was loaded; any context */
u64 ssdup_copied(const struct ssdup_log *log);

/*
 * These sectors are numbered in the order in which they got their places. The SSD has a copy for
 * good when a flush has ended that began after it was written; until then it is not read.
 */

/** ssdup_copies_flushed() - the first @sectors of them are durable; one caller at a time */
void ssdup_copies_flushed(struct ssdup_log *log, u64 sectors);

/**
 * ssdup_copy_durable() - are copies durable?
 * @pos: the last sector of them on the SSD, in @seg; those before it got their places earlier
 *
 * Context: the range's lock.
 */
bool ssdup_copy_durable(const struct ssdup_log *log, const struct ssdup_segment *seg, u64 pos);

#endif
