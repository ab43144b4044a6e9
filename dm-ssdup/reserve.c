// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: reserve a place in the log.
 */
#include "halves.h"
#include "nodes.h"
#include "reserve.h"

/* --- Places --- */

/* Record why there is no place. If the ring is full, start a commit. */
static void await_place(struct ssdup *c, int error)
{
	if (error == -ENOMEM) {
		WRITE_ONCE(c->wait_cause, WAIT_MEMORY);
		return;
	}
	WRITE_ONCE(c->ring_full, true);
	WRITE_ONCE(c->wait_cause, WAIT_COMMIT);
	/* Pairs with the atomic_inc_return() in ssdup_resolve(). */
	smp_mb();
	mod_delayed_work(c->wq, &c->autocommit, 0);
}

int ssdup_reserve(struct ssdup *c, struct ssdup_io *io, u32 sectors,
		  const struct log_limits *limits)
{
	struct ssdup_half *h;
	bool rationed;
	int r;

	/* Each turn reserves a place, fails, or finds another half open. */
	for (;;) {
		/* Read this before the try, which may fail for the gate or for the half. */
		rationed = limits == &c->gate && ssdup_rationed(c);
		h = READ_ONCE(c->open);
		r = ssdup_try_reserve(c, h, io, sectors, limits);
		if (!r)
			return 0;
		ssdup_put_write(c, h);
		if (r != -ENOSPC) {
			await_place(c, r);
			break;
		}
		if (rationed && READ_ONCE(c->open) == h) {
			WRITE_ONCE(c->wait_cause, WAIT_SPACE);
			break;
		}
		if (!ssdup_switch(c, h))
			break;
	}
	ssdup_free_nodes(c, &io->nodes);
	return r;
}

/* --- From there to the map --- */

void ssdup_give_up(struct ssdup *c, const struct ssdup_io *io)
{
	WRITE_ONCE(io->page->holes, true);
	ssdup_resolve(c, io->page);
}
