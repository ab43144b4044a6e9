// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: places in the log, and how an extent gets from there to the map.
 */
#include "halves.h"
#include "reserve.h"

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
