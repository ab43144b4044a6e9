// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: places in the log, and how an extent gets from there to the map.
 */
#include "hot.h"
#include "trace.h"


/* --- Places --- */

static int no_place(struct ssdup *c, struct ssdup_half *h, int error)
{
	ssdup_put_write(c, h);
	if (error == -ENOMEM) {
		WRITE_ONCE(c->wait_cause, WAIT_MEMORY);
		return error;
	}
	WRITE_ONCE(c->ring_full, true);
	WRITE_ONCE(c->wait_cause, WAIT_COMMIT);
	/* Pairs with the barrier in ssdup_publish(). */
	smp_mb();
	mod_delayed_work(c->wq, &c->autocommit, 0);
	return error;
}

int ssdup_reserve(struct ssdup *c, struct ssdup_io *io, u32 sectors,
		  const struct log_limits *limits)
{
	struct ssdup_half *h;
	bool rationed;
	int r;

	/* Each turn gets a place, gives up, or finds another half open. */
	for (;;) {
		/* Before the try: if it fails for that, then not for the half. */
		rationed = limits == &c->gate && ssdup_rationed(c);
		h = READ_ONCE(c->open);
		r = ssdup_try_reserve(c, h, io, sectors, limits);
		if (!r)
			return 0;
		if (r != -ENOSPC)
			return no_place(c, h, r);
		ssdup_put_write(c, h);
		if (rationed && READ_ONCE(c->open) == h) {
			WRITE_ONCE(c->wait_cause, WAIT_SPACE);
			return -ENOSPC;
		}
		if (!ssdup_switch(c, h))
			return -ENOSPC;
	}
}

/* --- From there to the map --- */

void ssdup_give_up(struct ssdup *c, const struct ssdup_io *io)
{
	WRITE_ONCE(io->page->holes, true);
	ssdup_resolve(c, io->page);
}

void ssdup_insert_among(struct ssdup *c, struct ssdup_range *r, struct ssdup_io *io)
{
	s64 nr = r->tree.nr, sectors = r->tree.sectors;
	struct extent_list spares = io->nodes;
	struct extent *e;

	lockdep_assert_held(&r->lock);
	io->nodes.head = NULL;
	if (!spares.head && ssdup_extent_spares(&r->tree, io->e)) {
		/* Does not fail, see ssdup_has_spare(). */
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
