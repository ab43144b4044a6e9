// SPDX-License-Identifier: GPL-2.0-only
/* Owns the places of a segment: hands them out, and takes them back. */
#include "guard.h"
#include "log_internal.h"
#include "reserve.h"

void ssdup_expect_commit(struct ssdup_log *log, bool now)
{
	/*
	 * Now, while the HDD has little to do, and not when the commit waits for it: in the midst
	 * of a burst the HDD's flushes take long.
	 */
	if (log->guarded && ssdup_guard_state(log) == GUARD_OPEN)
		ssdup_kick_guard(log->c);
	ssdup_commit_soon(log->c, now);
}

/* --- Places --- */

/* Record why there is no place. If the ring is full, start a commit. */
static void note_no_place(struct ssdup_log *log, struct ssdup_class *k, int error)
{
	if (error == -SSDUP_ERR_NO_NODE) {
		ssdup_note_cause(log->c, WAIT_MEMORY);
		return;
	}
	WRITE_ONCE(k->ring_full, true);
	ssdup_note_cause(log->c, WAIT_COMMIT);
	/* Pairs with the atomic_inc_return() in ssdup_resolve(). */
	smp_mb();
	mod_delayed_work(log->c->wake.wq, &log->c->wake.autocommit, 0);
}

int ssdup_reserve(struct ssdup_log *log, struct ssdup_io *io, u32 sectors, u64 allowed)
{
	struct ssdup_class *k = ssdup_io_class(log, io);
	struct ssdup_segment *seg;
	int r;

	/* Each turn reserves a place, fails, or finds another segment open. */
	do {
		seg = READ_ONCE(k->open);
		r = ssdup_try_reserve(log, seg, io, sectors, allowed);
		if (!r)
			return 0;
		ssdup_put_write(log, seg);
	} while (r == -SSDUP_ERR_NO_SEGMENT && ssdup_switch(log, k, seg, allowed));
	/* It was cut at a wrong place, here or above the device. */
	if (!WARN_ON_ONCE(r == -SSDUP_ERR_UNALIGNED) && r != -SSDUP_ERR_NO_SEGMENT)
		note_no_place(log, k, r);
	ssdup_free_spare(log, io);
	return r;
}

/* --- From there to the map --- */

void ssdup_give_up(struct ssdup_log *log, const struct ssdup_io *io)
{
	WRITE_ONCE(io->page->holes, true);
	ssdup_resolve(log, io->segment, io->page);
}
