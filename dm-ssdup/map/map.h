/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which sectors of the device the log holds, and where.
 *
 * The map has a tree of extents for each range of the HDD, see core/extent_map.h. The range's
 * lock protects the tree.
 *
 * An entry is published before an extent that it replaces leaves the tree. A drain looks at the
 * extents of its group without the lock, and leaves out what is in no tree. So the commit before
 * it raises the tail has the entry of what is there instead.
 */
#ifndef SSDUP_MAP_H
#define SSDUP_MAP_H

#include "log/nodes.h"
#include "log/reserve.h"
#include "log/segments.h"

/** range_of() - the range of a sector; any context */
static inline struct ssdup_range *range_of(struct ssdup *c, u64 sector)
{
	return &c->ranges[sector >> c->range_shift];
}

/** range_holds() - does the range hold anything? any context, without a lock */
static inline bool range_holds(const struct ssdup_range *r)
{
	return READ_ONCE(r->held);
}

/* Call this after a complete change of the tree, for readers without the lock. */
static inline void range_changed(struct ssdup_range *r)
{
	WRITE_ONCE(r->held, r->tree.nr);
}

/** map_counts() - the map has @extents and @sectors more; any context */
static inline void map_counts(struct ssdup *c, s64 extents, s64 sectors)
{
	this_cpu_add(c->stats->extents, extents);
	this_cpu_add(c->stats->sectors, sectors);
}

/* What the map holds, about: writers change it meanwhile. */
struct ssdup_held {
	u64	extents;
	u64	sectors;
};

/** ssdup_sum_held() - sum up map_counts() of all CPUs; any context */
struct ssdup_held ssdup_sum_held(struct ssdup *c);

/** segment_of() - the segment of a place on the SSD; any context */
static inline struct ssdup_segment *segment_of(struct ssdup *c, u64 pos)
{
	return &c->segment[log_segment_of(&c->g, pos)];
}

/**
 * ssdup_fill_extent() - fill the extent of a place in the log, but for its seq; any context
 *
 * Nobody else looks at it before it is inserted.
 * Return: where data goes on the SSD, in sectors.
 */
static __always_inline u64 ssdup_fill_extent(struct ssdup *c, struct ssdup_io *io, u64 start,
					     u32 sectors, u8 kind)
{
	struct extent *e = io->e;
	u64 pos;

	/* An entry without data has none. */
	if (kind != SSDUP_KIND_DATA)
		io->pos = to_log_pos(0);
	pos = log_data_sector(&c->g, io->segment->index, io->pos);
	e->start = start;
	e->sectors = sectors;
	e->kind = kind;
	e->pos = pos;
	return pos;
}

/**
 * ssdup_insert_among() - insert an extent that may overlap others, and publish its entry
 * @r: its range, whose lock is held
 *
 * Return: false, and nothing has changed, when a newer extent overlaps it.
 */
bool ssdup_insert_among(struct ssdup *c, struct ssdup_range *r, struct ssdup_io *io);

/* --- Accounts of classes, in a log that has some --- */

/**
 * ssdup_class_insert() - may the extent of a request be inserted? If so, account for that
 * @r: its range, whose lock is held
 *
 * Return: false when an extent of another class, or a newer one, overlaps it.
 */
bool ssdup_class_insert(struct ssdup *c, struct ssdup_range *r, const struct ssdup_io *io);

/**
 * ssdup_class_count() - account for @sectors of @e that enter or leave the map
 *
 * segment->live is the number of sectors that a drain would have to write to the HDD, which those
 * of discards are not. The thread is kicked when it becomes zero. Context: any.
 */
void ssdup_class_count(struct ssdup *c, const struct extent *e, s64 sectors);

/** ssdup_class_replayed() - account for all that a range holds; context: preresume */
void ssdup_class_replayed(struct ssdup *c, const struct ssdup_range *r);

/** ssdup_class_sum() - sum up the counts of a class of all CPUs; any context */
struct ssdup_class_stats ssdup_class_sum(struct ssdup *c, const struct ssdup_class *k);

/* --- Changes of the map --- */

/**
 * ssdup_insert() - publish a write's entry, and put its extent into the tree
 * @io: has a place; io->e is complete except for its seq
 *
 * Under one range lock the extent gets the highest seq of its segment, is published and
 * inserted. Frees io->spare. Context: any.
 *
 * Return: false when a write to a younger segment, or of another class, has overtaken this one:
 * the caller has to give up the place. True after ssdup_put_write().
 */
static __always_inline bool ssdup_insert(struct ssdup *c, struct ssdup_io *io)
{
	struct extent *e = io->e;
	struct ssdup_range *r = range_of(c, e->start);
	struct extent_place place;
	unsigned long flags;

	spin_lock_irqsave(&r->lock, flags);
	e->seq = atomic64_inc_return(&io->segment->seq);
	if (unlikely(c->nr_classes > 1) && !ssdup_class_insert(c, r, io)) {
		spin_unlock_irqrestore(&r->lock, flags);
		return false;
	}
	if (likely(extent_find_place(&r->tree, e, &place))) {
		ssdup_publish(c, io);
		extent_insert_at(&r->tree, e, &place);
		if (!place.same) {
			range_changed(r);
			map_counts(c, 1, io->sectors);
		}
	} else if (!ssdup_insert_among(c, r, io)) {
		spin_unlock_irqrestore(&r->lock, flags);
		return false;
	}
	spin_unlock_irqrestore(&r->lock, flags);
	ssdup_free_spare(c, io);
	ssdup_put_write(c, io->segment);
	return true;
}

/**
 * ssdup_move() - insert a copy of a part of an extent, in another segment
 * @io: has the new place; io->e is the part; io->spare is freed
 * @seq: of the extent, which must hold the whole part
 *
 * Like ssdup_insert(), but the caller calls ssdup_put_write().
 * Return: false, and nothing has changed, when the extent does not hold the part any more.
 */
bool ssdup_move(struct ssdup *c, struct ssdup_io *io, u64 seq);

/** ssdup_drop() - take the extents of @seg out of the map, and free them; process context */
void ssdup_drop(struct ssdup *c, struct ssdup_segment *seg);

#endif
