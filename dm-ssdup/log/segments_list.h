/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the lists of segments, and their lock: for segments.c and groups.c.
 */
#ifndef SSDUP_SEGMENTS_LIST_H
#define SSDUP_SEGMENTS_LIST_H

#include "log.h"

struct ssdup_segments {
	spinlock_t		lock;		/* these, and part of segments and classes */
	struct list_head	free;		/* next to open first */
	struct list_head	stale;		/* free, not discarded yet: opened last */
	u32			nr_sealed;	/* read without the lock: a hint */
	u32			nr_free;	/* on those two lists; the same */
	u32			discarding;	/* free, but on neither; the same */
	u64			opened;		/* how many, ever; the same */
	u64			written;	/* sectors of data ever sealed; the same */
	bool			full;		/* no free segment found since a group was freed */
	u32			throttled;	/* of the last ones for writers; the same */
};

/* It is always sealed: the open segment of a class that has none. */
static inline struct ssdup_segment *ssdup_no_segment(struct ssdup_log *log)
{
	return &log->segment[log->g.nr_segments];
}

/* @list is one of those in @s. The lock is held. */
static inline void ssdup_add_free(struct ssdup_segments *s, struct ssdup_segment *seg,
				  struct list_head *list)
{
	seg->state = SEGMENT_FREE;
	list_move_tail(&seg->list, list);
	WRITE_ONCE(s->nr_free, s->nr_free + 1);
}

/* Segments have become free: let writers have them. The lock is held. */
void ssdup_more_to_open(struct ssdup_log *log);

#endif
