/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: drain groups: the sealed segments that are drained and freed together.
 *
 * A group is a part of the list of sealed segments of a class. Only the writeback thread and the
 * work that frees for it take segments off that list; so a group can be walked without the lock. A
 * log may have thousands of segments: with the lock held, and so with interrupts off, no more than
 * a few dozen are looked at, and a group changes its state, or becomes free, in parts.
 */
#ifndef SSDUP_GROUPS_H
#define SSDUP_GROUPS_H

#include "log.h"
#include "segments.h"

struct drain_group {
	struct ssdup_segment	*first;
	u32			nr;		/* segments; 0: no group */
	u64			last;		/* generation of the youngest */
	u64			sectors;	/* of data in them, about */
	u64			copied;		/* sectors that the drain wrote to the HDD */
	int			flush_errors;	/* of the HDD, before anything was written */
	bool			wrote;		/* something to the HDD */
	bool			durable;	/* there, if anything */
};

/* The first or next segment of a group, or NULL; for the writeback thread and its work. */
static inline struct ssdup_segment *group_next(const struct drain_group *g,
					       struct ssdup_segment *seg)
{
	return seg->generation == g->last ? NULL : list_next_entry(seg, list);
}

static inline struct ssdup_segment *group_first(const struct drain_group *g)
{
	return g->nr ? g->first : NULL;
}

/**
 * ssdup_oldest_sealed() - the generation of the first segment to copy, or U64_MAX
 * @empty: set to whether nothing of it is to be written
 *
 * In a read-only log the segment may be written back already, and only has to be freed. Context:
 * process.
 */
u64 ssdup_oldest_sealed(struct ssdup_log *log, struct ssdup_class *k, bool *empty);

/**
 * ssdup_group_take() - a drain group of @k: the oldest sealed segments that were not tried
 * @most: segments, at least 1
 * @empty: stop before the first segment that has anything to write
 *
 * They have no writes in flight. Context: the writeback thread. Return: false: there is none.
 */
bool ssdup_group_take(struct ssdup_log *log, struct ssdup_class *k, u32 most, bool empty,
		      struct drain_group *g);

/** ssdup_group_shrink() - let all but the @keep oldest segments go; the writeback thread */
void ssdup_group_shrink(struct ssdup_log *log, struct drain_group *g, u32 keep);

/** ssdup_group_set() - set the state of a group's segments; context: as above, or the work */
void ssdup_group_set(struct ssdup_log *log, const struct drain_group *g, enum segment_state state);

/**
 * ssdup_group_all() - all sealed segments of @k, as a group. Return: false when there is none
 * @written: only those in front of the first that is not written back or holds lost extents
 */
bool ssdup_group_all(struct ssdup_log *log, struct ssdup_class *k, bool written,
		     struct drain_group *g);

/** ssdup_group_freed() - put a group on the free list; between ssdup_commit_lock() and unlock */
void ssdup_group_freed(struct ssdup_log *log, const struct drain_group *g);

#endif
