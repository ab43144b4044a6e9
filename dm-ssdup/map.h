/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: which sectors of the device the log holds, and where.
 *
 * The map has a tree of extents for each range of the HDD, see core/extent_map.h. The range's
 * lock protects the tree.
 */
#ifndef SSDUP_MAP_H
#define SSDUP_MAP_H

#include "halves.h"
#include "nodes.h"
#include "reserve.h"

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

/** ssdup_insert_among() - insert an extent that may overlap others; the range's lock is held */
void ssdup_insert_among(struct ssdup *c, struct ssdup_range *r, struct ssdup_io *io);

/**
 * ssdup_insert() - publish a write's entry, and put its extent into the tree
 * @io: has a place; io->e is complete except for its seq
 *
 * Under one range lock the extent gets the highest seq, is published and inserted. Frees
 * io->nodes, and calls ssdup_put_write(). Context: any.
 */
static __always_inline void ssdup_insert(struct ssdup *c, struct ssdup_io *io)
{
	struct extent *e = io->e;
	struct ssdup_range *r = range_of(c, e->start);
	struct extent *old;
	unsigned long flags;

	spin_lock_irqsave(&r->lock, flags);
	e->lent = true;
	e->seq = atomic64_inc_return(&c->seq);
	ssdup_publish(c, io);
	if (unlikely(!extent_insert_alone(&r->tree, e, &old))) {
		ssdup_insert_among(c, r, io);
		spin_unlock_irqrestore(&r->lock, flags);
	} else if (old) {
		if (!old->lent)
			extent_push(&io->nodes, old);
		spin_unlock_irqrestore(&r->lock, flags);
	} else {
		range_changed(r);
		spin_unlock_irqrestore(&r->lock, flags);
		atomic64_inc(&c->extents);
		atomic64_add(io->sectors, &c->dirty_sectors);
	}
	if (unlikely(io->nodes.head))
		ssdup_free_nodes(c, &io->nodes);
	ssdup_put_write(c, io->half);
}

/**
 * ssdup_move() - move a part of an extent to another half
 * @io: has the new place; io->e is the part and keeps its seq; io->nodes are freed
 * @from: the half that must hold the whole part in one extent
 *
 * Publishes and inserts like ssdup_insert(). The caller calls ssdup_put_write().
 * Return: false, and nothing has changed, when @from does not hold the part any more.
 */
bool ssdup_move(struct ssdup *c, struct ssdup_io *io, u8 from);

#endif
