// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: writes that have waited are tried again.
 */
#include "base/owed_errors.h"
#include "base/wakeups.h"
#include "remap.h"
#include "waited.h"
#include "write.h"

#define REFUSED_MS	100U	/* so long others are sent before what was refused is tried again */

static void submit_waited(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
			  enum route_action action)
{
	sector_t from = bio->bi_iter.bi_sector;

	if (ssdup_send_write(c, bio, io, action) != DM_MAPIO_REMAPPED)
		return;
	submit_remapped(c, bio, from);
}

/*
 * No disk has room for those that wait. The end of a request looks again, or of a pass; but a write
 * is overdue, or worth the SSD, whether or not one ends.
 */
static void look_later(struct ssdup *c, const struct window_facts *f)
{
	if (!f->room && ssdup_window_drains(f))
		ssdup_kick_writeback(c);
	ssdup_kick_waiting_in(c, msecs_to_jiffies(WINDOW_SEEN_MS));
}

/*
 * The next write to be tried; by windows, one that a disk has room for.
 * @full: the log has refused one since the work began
 */
static struct bio *next_waiting(struct ssdup *c, u32 skip, bool full)
{
	bool chooses = ssdup_windowed(c) && !ssdup_tries_all(c);
	struct window_facts f = { };
	struct window_choice choice;
	struct wait_first first;
	struct ssdup_io *io;
	struct bio *bio;

	if (chooses)
		f = ssdup_window_facts(c->router, !full && !ssdup_segments_full(c->log));
	f.waiting = ssdup_wait_look(c->router, skip, &first);
	f.first = first.facts;
	if (!f.waiting)
		return NULL;
	if (!chooses) {
		choice.kind = ssdup_window_earliest(&f);
	} else if (!ssdup_window_choose(&f, &choice)) {
		look_later(c, &f);
		return NULL;
	}
	io = first.io[choice.kind];
	bio = ssdup_wait_take(c->router, io);
	/* What the SSD has refused for good stays away from it. */
	if (chooses && bio_op(bio) == REQ_OP_WRITE && !(io->refused && io->route == SSDUP_HDD))
		io->route = choice.disk;
	return bio;
}

/* Was a write refused by what it overlaps? Others may go to another SSD. */
static bool only_its_ssd(struct ssdup *c, const struct ssdup_io *io)
{
	return ssdup_full_ssds(c->log) & BIT(c->log->class[io->class].ssd) &&
	       !ssdup_segments_full(c->log);
}

void ssdup_wait_work(struct work_struct *work)
{
	struct ssdup *c = container_of(to_delayed_work(work), struct ssdup, wake.wait_work);
	unsigned long until = jiffies + msecs_to_jiffies(REFUSED_MS);
	struct bio_list kept = BIO_EMPTY_LIST;
	enum route_action action;
	struct ssdup_io *io;
	bool full = false, again = false;
	struct bio *bio;
	u32 skip = 0;

	ssdup_look_for_ssd(c->router);
	while ((bio = next_waiting(c, skip, full))) {
		io = io_of(bio);
		action = ssdup_route_write(c, bio, io, true);
		if (action == ROUTE_WAIT && READ_ONCE(c->leaving) && dm_noflush_suspending(c->ti)) {
			/* The next table takes it. */
			ssdup_wait_done(c->router, io);
			if (io->again)
				ssdup_renew(c->router, bio, io);
			if (io->opf & REQ_FUA)
				ssdup_unpay_fua(&c->debt);
			bio->bi_status = BLK_STS_DM_REQUEUE;
			bio_endio(bio);
			continue;
		}
		if (action == ROUTE_WAIT) {
			/* Each cause has its own kick. */
			bio_list_add_head(&kept, bio);
			/* Or writes behind it may go to the HDD, or to the log. */
			if (ssdup_windowed(c) && log_lifetimes(c->log) == 1 &&
			    ssdup_segments_full(c->log))
				full = true;
			else if (!READ_ONCE(c->log_shut) && !io->torn && !only_its_ssd(c, io))
				skip |= BIT(io->class);
			cond_resched();
			continue;
		}
		ssdup_wait_done(c->router, io);
		ssdup_owe_part(&c->debt, io->waits_since);
		if (io->again)
			ssdup_renew(c->router, bio, io);
		submit_waited(c, bio, io, action);
		cond_resched();
		/* To a slow disk, one at a time, this may go on for long. */
		if (!bio_list_empty(&kept) && time_after(jiffies, until)) {
			again = true;
			break;
		}
	}
	if (bio_list_empty(&kept))
		return;
	ssdup_wait_again(c->router, &kept);
	if (again)
		ssdup_kick_waiting(c);
	/* The thread did not see them while they were tried, nor which SSD they want since. */
	if (ssdup_windowed(c) || c->nr_ssds > 1)
		ssdup_kick_writeback(c);
}
