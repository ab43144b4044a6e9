/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: drain groups, the sealed segments that are drained and freed together.
 *
 * A group has a part of the list of sealed segments of each class of one lifetime. So the HDD gets
 * in order what is spread over the SSDs. Only the writeback thread and the work that frees for it
 * take segments off these lists; so a group can be walked without the lock. A log may have
 * thousands of segments: with the lock held, and so with interrupts off, no more than a few dozen
 * are looked at, and a group changes its state, or becomes free, a few at a time.
 */
#ifndef SSDUP_LOG_GROUPS_H
#define SSDUP_LOG_GROUPS_H

#include "log.h"

struct drain_part {
	struct ssdup_segment	*first;
	u32			nr;		/* segments; 0: none */
	u64			last;		/* generation of the youngest */
};

struct drain_group {
	struct drain_part	part[SSDUP_MAX_SSDS];	/* of the class on each SSD */
	u32			nr;		/* segments; 0: no group */
	u64			sectors;	/* of data in them, about */
	u64			copied;		/* sectors that the drain wrote to the HDD */
	struct drive_mark	hdd;		/* before anything was written */
	bool			wrote;		/* something to the HDD */
	bool			durable;	/* there, if anything */
};

/* The first segment of the parts from SSD @ssd on, or NULL. */
static inline struct ssdup_segment *group_from(const struct drain_group *g, u32 ssd)
{
	for (; ssd < SSDUP_MAX_SSDS; ssd++)
		if (g->part[ssd].nr)
			return g->part[ssd].first;
	return NULL;
}

/* The next segment of a part, or NULL. */
static inline struct ssdup_segment *part_next(const struct drain_part *p, struct ssdup_segment *seg)
{
	return seg->generation == p->last ? NULL : list_next_entry(seg, list);
}

/* The first or next segment of a group, or NULL; for the writeback thread and its work. */
static inline struct ssdup_segment *group_next(const struct drain_group *g,
					       struct ssdup_segment *seg)
{
	return part_next(&g->part[seg->ssd], seg) ?: group_from(g, seg->ssd + 1);
}

static inline struct ssdup_segment *group_first(const struct drain_group *g)
{
	return group_from(g, 0);
}

/**
 * ssdup_oldest_sealed() - the generation of the first segment to copy, or U64_MAX
 * @empty: set to whether nothing of it is to be written
 *
 * In a closed class the segment may be written back already, and only has to be freed. Context:
 * process.
 */
u64 ssdup_oldest_sealed(struct ssdup_log *log, struct ssdup_class *k, bool *empty);

/**
 * ssdup_group_take() - a drain group: the oldest sealed segments of @k that were not tried
 * @most: segments, at least 1 of each class
 * @empty: stop before the first segment that has anything to write
 * @alone: not also those of the same lifetime on other SSDs, as many of each as it has a part
 *
 * They have no writes in flight. Context: the writeback thread. Return: false: there is none.
 */
bool ssdup_group_take(struct ssdup_log *log, struct ssdup_class *k, u32 most, bool empty,
		      bool alone, struct drain_group *g);

/** ssdup_group_shrink() - let all but about the @keep oldest segments go; the writeback thread */
void ssdup_group_shrink(struct ssdup_log *log, struct drain_group *g, u32 keep);

/** ssdup_group_set() - set the state of a group's segments; context: as above, or the work */
void ssdup_group_set(struct ssdup_log *log, const struct drain_group *g, enum segment_state state);

/**
 * ssdup_group_all() - all sealed segments of @k, as a group. Return: false when there is none
 * @written: only those in front of the first that is not written back or holds lost extents
 */
bool ssdup_group_all(struct ssdup_log *log, struct ssdup_class *k, bool written,
		     struct drain_group *g);

/**
 * ssdup_group_freed() - put a group on the free list, or where seg->kept says so, the clean one
 *
 * Context: between ssdup_commit_lock() and unlock.
 */
void ssdup_group_freed(struct ssdup_log *log, const struct drain_group *g);

#endif
