// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: which sectors of the device the log holds, and where.
 */
#include "map.h"
#include "nodes.h"
#include "reserve.h"

void ssdup_insert_among(struct ssdup *c, struct ssdup_range *r, struct ssdup_io *io)
{
	s64 nr = r->tree.nr, sectors = r->tree.sectors;
	struct extent_list spares = io->nodes;
	struct extent *e;

	lockdep_assert_held(&r->lock);
	io->nodes.head = NULL;
	if (!spares.head && ssdup_extent_spares(&r->tree, io->e)) {
		/* Cannot fail, see ssdup_has_spare(). */
		e = mempool_alloc(&c->nodes, GFP_NOWAIT | __GFP_NOWARN);
		e->lent = false;
		extent_push(&spares, e);
	}
	ssdup_extent_insert(&r->tree, io->e, &spares, &io->nodes);
	while ((e = extent_pop(&spares)))
		extent_push(&io->nodes, e);
	range_changed(r);
	atomic64_add(r->tree.nr - nr, &c->extents);
	atomic64_add(r->tree.sectors - sectors, &c->dirty_sectors);
}

bool ssdup_move(struct ssdup *c, struct ssdup_io *io, u8 from)
{
	struct extent *e = io->e;
	struct ssdup_range *r = range_of(c, e->start);
	const struct extent *x;
	unsigned long flags;
	bool held;

	spin_lock_irqsave(&r->lock, flags);
	x = ssdup_extent_first(&r->tree, e->start, extent_end(e));
	held = x && x->half == from && x->seq == e->seq && x->start <= e->start &&
	       extent_end(x) >= extent_end(e);
	if (held) {
		e->lent = true;
		ssdup_publish(c, io);
		ssdup_insert_among(c, r, io);
	}
	spin_unlock_irqrestore(&r->lock, flags);
	ssdup_free_nodes(c, &io->nodes);
	return held;
}
