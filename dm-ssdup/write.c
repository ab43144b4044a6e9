// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: writes, discards and zeroes are routed and sent.
 *
 * Nothing here sleeps: a write that finds no window, no place in the log, or no memory for its
 * extent, joins a list, see route/waiters.c, and ssdup_wait_work() tries it again.
 */
#include "base/failure.h"
#include "base/owed_errors.h"
#include "base/trace.h"
#include "base/wakeups.h"
#include "drain/drainer.h"
#include "log/clean.h"
#include "log/log.h"
#include "route/router.h"
#include "write.h"

#define MEMORY_RETRY	(HZ / 50 + 1)
#define REFUSED_MS	100U	/* so long others are sent before what was refused is tried again */

static u8 log_kind(const struct bio *bio)
{
	switch (bio_op(bio)) {
	case REQ_OP_DISCARD:
		return SSDUP_KIND_DISCARD;
	case REQ_OP_WRITE_ZEROES:
		return SSDUP_KIND_ZERO;
	default:
		return SSDUP_KIND_DATA;
	}
}

/* A segment that is forgotten, or freed, gives nodes back; memory may be free sooner. */
static void await_memory(struct ssdup *c)
{
	WRITE_ONCE(c->drainer->short_of_memory, true);
	if (ssdup_clean_segments(c->log))
		ssdup_kick_clean(c);
	else
		ssdup_kick_writeback(c);
	ssdup_kick_waiting_in(c, MEMORY_RETRY);
}

/* The data sectors that a request takes in the log. */
static u32 place_sectors(const struct bio *bio, const struct ssdup_io *io)
{
	return bio_op(bio) == REQ_OP_WRITE ? io->sectors : 0;
}

/*
 * A write that is too long for the rest of the segment takes that, rather than leave it unused.
 * What is left of the write comes as another bio. Return: has it got a place?
 */
static bool take_rest(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	u32 sectors = io->sectors, rest = ssdup_rest(c->log, ssdup_io_class(c->log, io));

	if (bio_op(bio) != REQ_OP_WRITE || !rest || rest >= sectors || rest < sectors / 4)
		return false;
	io->sectors = rest;
	if (!ssdup_reserve_at_once(c->log, io)) {
		io->sectors = sectors;
		return false;
	}
	dm_accept_partial_bio(bio, rest);
	io->iter = bio->bi_iter;
	return true;
}

/* With the log full: may the write go to the HDD rather than wait, or can it wait for nothing? */
static bool bypasses(struct ssdup *c)
{
	enum ssdup_full full = READ_ONCE(c->set.full);

	if (full == SSDUP_FULL_BYPASS || ssdup_log_spent(c->log))
		return true;
	/* What windows send to the log is to go there. */
	if (ssdup_windowed(c))
		return READ_ONCE(c->drainer->drain_error);
	/* Another cause passes soon. Who flushes would wait for what the HDD gets. */
	return full == SSDUP_FULL_BALANCE && ssdup_segments_full(c->log) &&
	       bdev_write_cache(c->hdd->bdev) && !ssdup_window_flushes(c->router);
}

/* Is there nothing that a write could wait for while the device is suspended? */
static bool is_stuck(struct ssdup *c)
{
	return (READ_ONCE(c->drainer->drain_error) || ssdup_log_spent(c->log)) &&
	       !dm_noflush_suspending(c->ti);
}

/* A write of a task that flushes the device does not queue behind those of others. Its context. */
static bool goes_ahead(const struct ssdup *c, const struct ssdup_io *io)
{
	return ssdup_window_flushes(c->router) && ssdup_window_waits_for_flush(c->router, io);
}

/* What a write may use, see ssdup_switch(). */
static u64 allowed(const struct ssdup *c, const struct ssdup_io *io)
{
	return io->ahead || !ssdup_window_flushes(c->router) ? LOG_WORD_KEPT : 0;
}

/* The class whose drain a write waits for that overlaps two of them. */
static const struct ssdup_class *torn_class(const struct ssdup_log *log, const struct ssdup_io *io)
{
	return &log->class[log_class(&log->classes, io->torn)];
}

/* Take what the route needs. Return: false when that failed; @f says why. */
static bool try_route(struct ssdup *c, struct bio *bio, struct ssdup_io *io, bool queued,
		      enum route_action action, struct route_facts *f)
{
	int r;

	switch (action) {
	case ROUTE_HDD:
		f->overlaps = !begin_direct(c, io);
		if (f->overlaps) {
			io->kind = WINDOW_REWRITE;
			/* Perhaps of another class than the one that was asked as for new data. */
			if (!f->no_place)
				f->log_writable = ssdup_mode(c) == MODE_RUNNING;
		}
		return !f->overlaps;
	case ROUTE_LOG:
		/* The map may have changed since the class was chosen. */
		if (unlikely(c->log->classes.nr > 1) && !ssdup_class_keep(c->router, io)) {
			f->no_place = true;
			f->log_writable = !class_closed(c->log, torn_class(c->log, io));
			return false;
		}
		/* What overlaps it must not go elsewhere: a replay would bring it back. */
		f->log_writable = !class_closed(c->log, &c->log->class[io->class]);
		if (!f->log_writable)
			return false;
		if (!queued && take_rest(c, bio, io))
			return true;
		do
			r = ssdup_reserve(c->log, io, place_sectors(bio, io), allowed(c, io));
		while (r == -SSDUP_ERR_NO_SEGMENT && ssdup_class_other(c->router, io));
		f->no_place = r;
		f->no_memory = r == -SSDUP_ERR_NO_NODE;
		f->unaligned = r == -SSDUP_ERR_UNALIGNED;
		f->bypass = r && bypasses(c);
		f->stuck = is_stuck(c);
		if (f->no_memory)
			await_memory(c);
		return !r;
	default:
		return true;
	}
}

/* Choose a route, and take what it needs: a count in range->direct, or a place. */
static noinline enum route_action route_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
					      bool queued)
{
	struct route_facts f = {
		.disk = io->route,
		.log_writable = ssdup_mode(c) == MODE_RUNNING,
		.shut = READ_ONCE(c->log_shut),
		.queue = !queued && !io->ahead && ssdup_wait_queue(c->router, io),
		.bypass = bypasses(c),
		.leaving = READ_ONCE(c->leaving),
		.stuck = is_stuck(c),
	};
	enum route_action action;

	do
		action = ssdup_route_next(&f);
	while (!try_route(c, bio, io, queued, action, &f));
	if (action == ROUTE_WAIT && f.shut)
		WRITE_ONCE(c->log->wait_cause, WAIT_SSD);
	return action;
}

/* A discard, or zeroes. */
static noinline int tombstone_direct(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->state = IO_HDD_WRITE;
	stat_inc(c, STAT_WRITES_HDD);
	if (bio_op(bio) == REQ_OP_DISCARD && !bdev_max_discard_sectors(c->hdd->bdev)) {
		/* The HDD has no discard: succeed without one. */
		ssdup_hdd_begun(c->drainer);
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
	return remap_hdd(c, bio, io);
}

static void wait_for_space(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	stat_inc(c, STAT_WAITED);
	/* A work item, which may block, will submit it. */
	bio->bi_opf &= ~REQ_NOWAIT;
	ssdup_wait_add(c->router, io);
}

void ssdup_log_again(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	ssdup_give_up(c->log, io);
	ssdup_free_spare(c->log, io);
	ssdup_put_write(c->log, io->segment);
	io->state = IO_NONE;
	wait_for_space(c, bio, io);
}

static noinline int tombstone_log(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	ssdup_fill_extent(c->log, io, io->start, io->sectors, log_kind(bio));
	if (!ssdup_insert(c->map, io)) {
		ssdup_log_again(c, bio, io);
		return DM_MAPIO_SUBMITTED;
	}
	stat_inc(c, STAT_WRITES_SSD);
	if (io->opf & REQ_FUA)
		bio_queue_add(&c->log->fuas, c->wake.wq, bio);
	else
		bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

static noinline int send_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
			       enum route_action action)
{
	bool data = bio_op(bio) == REQ_OP_WRITE;

	trace_ssdup_route(c, io, action);
	switch (action) {
	case ROUTE_HDD:
		return data ? write_direct(c, bio, io) : tombstone_direct(c, bio, io);
	case ROUTE_LOG:
		return data ? write_log(c, bio, io) : tombstone_log(c, bio, io);
	default:
		bio_io_error(bio);
		return DM_MAPIO_SUBMITTED;
	}
}

bool ssdup_tries_all(struct ssdup *c)
{
	if (READ_ONCE(c->log_shut) || READ_ONCE(c->leaving))
		return true;
	return ssdup_segments_full(c->log) &&
	       (READ_ONCE(c->set.full) == SSDUP_FULL_BYPASS || ssdup_log_spent(c->log) ||
		READ_ONCE(c->drainer->drain_error));
}

static int write_with_care(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	enum route_action action = route_write(c, bio, io, false);

	if (action != ROUTE_WAIT)
		return send_write(c, bio, io, action);
	trace_ssdup_route(c, io, action);
	wait_for_space(c, bio, io);
	return DM_MAPIO_SUBMITTED;
}

int ssdup_write_with_care(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->ahead = goes_ahead(c, io);
	return write_with_care(c, bio, io);
}

int ssdup_wait_for_window(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->route = SSDUP_SSD;
	io->ahead = goes_ahead(c, io);
	/* A place is kept for it, unless the budget is used up. */
	if (io->ahead && ssdup_window_price(c->router) < THRIFT_NEVER)
		return write_with_care(c, bio, io);
	wait_for_space(c, bio, io);
	return DM_MAPIO_SUBMITTED;
}

/* --- Writes that have waited --- */

static void submit_waited(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
			  enum route_action action)
{
	sector_t from = bio->bi_iter.bi_sector;

	if (send_write(c, bio, io, action) != DM_MAPIO_REMAPPED)
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
	f.max_wait = READ_ONCE(c->set.max_wait_ms);
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
		action = route_write(c, bio, io, true);
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
