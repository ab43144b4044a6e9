// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: bios are mapped and ended.
 */
#include "base/owed_errors.h"
#include "base/trace.h"
#include "base/wakeups.h"
#include "io.h"
#include "log/clean.h"
#include "log/log.h"
#include "promote.h"
#include "read.h"
#include "route/stream.h"
#include "staged.h"
#include "write.h"

/* --- Reads --- */

/* Where a part of a read is. */
struct read_place {
	u64	pos;		/* sector on the SSD */
	u8	kind;		/* SSDUP_KIND_; NONE: on the HDD */
	bool	clean;		/* on the HDD, too */
	bool	staged;		/* not on the SSD, but in memory: */
	struct stage_room room;
};

/*
 * Copies may be gone from a cache: of the SSD until it was flushed, of the HDD when that failed.
 * @sectors: of the read, from @start on; @e has the first, and neighbours of it may have the rest
 */
static bool clean_serves(struct ssdup *c, const struct extent *e, u64 start, u32 sectors)
{
	const struct ssdup_segment *seg = segment_of(c->log, e->pos);
	u64 last = e->pos + (start - e->start) + sectors - 1;

	return !READ_ONCE(seg->copies) || (ssdup_copy_durable(c->log, seg, last) &&
					   !ssdup_copies_doubted(c->drainer));
}

/*
 * Shorten a read to the first part that one place serves. While a read points into a segment, its
 * places are not used again.
 */
static struct read_place find_part(struct ssdup *c, struct ssdup_range *r, struct ssdup_io *io)
{
	struct read_place place = { .kind = SSDUP_KIND_NONE };
	const struct extent *e;
	unsigned long flags;
	bool doubt;
	u32 part;

	spin_lock_irqsave(&r->lock, flags);
	e = ssdup_extent_read_span(&r->tree, io->start, io->start + io->sectors, &io->sectors);
	doubt = e && unlikely(ssdup_in_doubt(c->log));
	/* An SSD that is away for a while would keep the reader waiting. */
	if (!e && r->clean.nr && !READ_ONCE(c->log_shut)) {
		e = ssdup_clean_span(&r->clean, io->start, io->start + io->sectors, &part);
		if (e && !clean_serves(c, e, io->start, part))
			e = NULL;	/* nor what comes behind it: the HDD has it all */
		else
			io->sectors = part;
		place.clean = e;
	}
	if (e) {
		place.kind = e->kind;
		place.pos = e->pos + (io->start - e->start);
		io->segment = segment_of(c->log, e->pos);
		if (doubt && ssdup_extent_in_doubt(c->log, io->segment, e))
			place.kind = SSDUP_KIND_LOST;
		if (place.kind == SSDUP_KIND_DATA) {
			atomic_inc(&io->segment->reads);
			place.staged = unlikely(segment_staged(io->segment)) &&
				       ssdup_stage_get(c->log, place.pos, &place.room);
		}
	}
	spin_unlock_irqrestore(&r->lock, flags);
	return place;
}

static void begin_log_read(struct ssdup *c, struct ssdup_io *io)
{
	struct ssdup_load *load = ssd_load(ssd_of(c->log, io->segment));

	ssdup_load_read(load);
	ssdup_load_begin(load, LOAD_READS, io->sectors);
	io->sent = load_is_timed(io->start, io->sectors) ? ktime_get_ns() : 0;
}

static void end_log_read(struct ssdup *c, struct ssdup_io *io, blk_status_t status)
{
	ssdup_load_end(ssd_load(ssd_of(c->log, io->segment)), LOAD_READS, io->sectors, io->sent,
		       io_took(io, status));
}

static noinline int read_staged(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
				const struct read_place *place)
{
	count_request(c, io, STAT_READS_SSD, STAT_READ_SECTORS_SSD, 1);
	this_cpu_inc(c->stats->requests);
	ssdup_stage_read(&place->room, place->pos, bio);
	ssdup_stage_put_read(&place->room);
	ssdup_put_read(c->log, io->segment);
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

static int map_read(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c->map, io->start);
	struct read_place place = { .kind = SSDUP_KIND_NONE };

	if (range_holds(r) || range_may_be_clean(c->map, r, io->start, io->start + io->sectors)) {
		place = find_part(c, r, io);
		if (io->sectors < bio_sectors(bio))
			dm_accept_partial_bio(bio, io->sectors);
	}

	switch (place.kind) {
	case SSDUP_KIND_NONE:
		if (unlikely(READ_ONCE(c->set.promote)))
			return ssdup_promote_read(c, bio, io);
		return read_hdd(c, bio, io);
	case SSDUP_KIND_DATA:
		if (place.staged)
			return read_staged(c, bio, io, &place);
		if (place.clean) {
			io->state = IO_CLEAN_READ;
			/* If the SSD fails it, it goes to the HDD. */
			io->iter = bio->bi_iter;
			io->opf = bio->bi_opf;
			count_clean(c, io, 1);
		} else {
			io->state = IO_LOG_READ;
			count_request(c, io, STAT_READS_SSD, STAT_READ_SECTORS_SSD, 1);
		}
		if (unlikely(READ_ONCE(c->router->ghosts)))
			ssdup_ghosts_begin(c->router, io);
		begin_log_read(c, io);
		return remap_log(c, bio, io->segment, place.pos);
	case SSDUP_KIND_LOST:
		bio_io_error(bio);
		return DM_MAPIO_SUBMITTED;
	default:
		zero_fill_bio(bio);
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
}

/* --- Writes, discards, zeroes --- */

/* choose_by_window(), if the log is full or shut. */
static noinline bool choose_with_care(struct ssdup *c, struct ssdup_io *io, enum ssdup_disk *disk)
{
	struct window_facts f;

	*disk = SSDUP_HDD;
	if (ssdup_tries_all(c))
		return true;
	f = ssdup_window_facts(c->router, !ssdup_segments_full(c->log));
	if (atomic_read(&c->wake.nr_waiting)) {
		if (f.room || !f.kept)
			return false;
		/* There is no window, so they need not wait any more either. */
		ssdup_kick_waiting(c);
	}
	return ssdup_window_takes(&f, io->kind, disk);
}

/* Return: false when the write has to wait, until a window has room for it. */
static __always_inline bool choose_by_window(struct ssdup *c, struct ssdup_io *io,
					     enum ssdup_disk *disk)
{
	struct window_facts f;

	io->kind = ssdup_window_kind(&c->router->windows->map, io->start, io->sectors);
	if (unlikely(READ_ONCE(c->log_shut) || READ_ONCE(c->leaving) ||
		     ssdup_segments_full(c->log)))
		return choose_with_care(c, io, disk);
	if (atomic_read(&c->wake.nr_waiting))
		return false;
	f = ssdup_window_facts(c->router, true);
	return ssdup_window_takes(&f, io->kind, disk);
}

/*
 * May a write end in memory, if it is for the log? Not while somebody waits for one commit after
 * the other: he would wait for what others have staged.
 */
static __always_inline bool may_stage(struct ssdup *c, const struct ssdup_io *io)
{
	return io->sectors <= STAGE_MOST && !(io->opf & REQ_FUA) && READ_ONCE(c->set.stage) &&
	       !(READ_ONCE(c->log_shut) || READ_ONCE(c->leaving)) &&
	       !ssdup_stage_rests(c->log) && !ssdup_segments_full(c->log);
}

/* By windows, such a write needs none, unless the room on the SSD has a price. */
static __always_inline bool write_staged_by_window(struct ssdup *c, struct bio *bio,
						   struct ssdup_io *io)
{
	io->route = SSDUP_SSD;
	return may_stage(c, io) &&
	       !(READ_ONCE(c->set.ssd_budget) | READ_ONCE(c->set.thrift)) &&
	       ssdup_write_staged(c, bio, io);
}

/* The fast path serves most writes; ssdup_write_with_care() takes the others. */
static __always_inline int map_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct route_facts f = { .log_writable = true };

	io->iter = bio->bi_iter;
	io->opf = bio->bi_opf;
	if (!ssdup_windowed(c))
		f.disk = ssdup_stream_note(c->router, io->start, io->sectors);
	else if (write_staged_by_window(c, bio, io))
		return DM_MAPIO_SUBMITTED;
	else if (!choose_by_window(c, io, &f.disk))
		return ssdup_wait_for_window(c, bio, io);
	io->route = f.disk;
	/* Direct writes need not look. A log that is not writable is also shut. */
	f.queue = f.disk == SSDUP_SSD && (READ_ONCE(c->log_shut) ||
					  atomic_read(&c->wake.nr_waiting));
	switch (ssdup_route_next(&f)) {
	case ROUTE_HDD:
		if (unlikely(!begin_direct(c, io)))
			break;
		trace_ssdup_route(c, io, ROUTE_HDD);
		return write_direct(c, bio, io);
	case ROUTE_LOG:
		if (!ssdup_windowed(c) && may_stage(c, io) && ssdup_write_staged(c, bio, io))
			return DM_MAPIO_SUBMITTED;
		if (!ssdup_reserve_at_once(c->log, io))
			break;
		trace_ssdup_route(c, io, ROUTE_LOG);
		return write_log(c, bio, io);
	default:
		break;
	}
	return ssdup_write_with_care(c, bio, io);
}

/*
 * Shorten a discard or zeroes to a part that the log either holds or does not, and no more
 * extents than the lock may be held for. Only held sectors are logged, because later writes over
 * a tombstone go to the SSD too. The rest comes as another bio.
 */
static void take_held(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c->map, io->start);
	unsigned long flags;

	if (!range_holds(r) && !READ_ONCE(r->clean.nr))
		return;
	spin_lock_irqsave(&r->lock, flags);
	/* Only a hint: if no extent overlaps the part by then, it goes to the HDD. */
	io->sectors = ssdup_extent_held_span(&r->tree, io->start, io->start + io->sectors);
	io->sectors = ssdup_extent_walk_span(&r->clean, io->start, io->start + io->sectors);
	spin_unlock_irqrestore(&r->lock, flags);
	if (io->sectors < bio_sectors(bio))
		dm_accept_partial_bio(bio, io->sectors);
}

/* Shorten a write to a part of one class. The rest comes as another bio. */
static noinline void take_class(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	ssdup_class_take(c->router, bio, io);
	if (io->sectors < bio_sectors(bio))
		dm_accept_partial_bio(bio, io->sectors);
}

static noinline int map_tombstone(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	take_held(c, bio, io);
	if (unlikely(c->log->classes.nr > 1))
		take_class(c, bio, io);
	stat_inc(c, STAT_DISCARDS);
	io->iter = bio->bi_iter;
	io->opf = bio->bi_opf;
	io->route = SSDUP_HDD;
	return ssdup_write_with_care(c, bio, io);
}

/*
 * A write removes the extents that it replaces with interrupts off, so limit their number. A long
 * write may exceed the limit by the writes that end while it is in flight.
 */
static void take_walk(struct ssdup *c, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c->map, io->start);
	unsigned long flags;

	if (io->sectors <= EXTENT_WALK ||
	    (READ_ONCE(r->held) <= EXTENT_WALK && READ_ONCE(r->clean.nr) <= EXTENT_WALK))
		return;
	spin_lock_irqsave(&r->lock, flags);
	io->sectors = ssdup_extent_walk_span(&r->tree, io->start, io->start + io->sectors);
	io->sectors = ssdup_extent_walk_span(&r->clean, io->start, io->start + io->sectors);
	spin_unlock_irqrestore(&r->lock, flags);
}

/*
 * Split a request that crosses ranges, is too long for a segment, or replaces too many extents. One
 * without data is split at the end of the guarded range: it may take long, and a change of the
 * guard waits for it.
 */
static noinline void take_part(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	u64 size = 1ULL << c->map->range_shift, left = size - (io->start & (size - 1));

	if (io->start < c->log->guarded && !bio_has_data(bio))
		left = min_t(u64, left, c->log->guarded - io->start);
	if (bio_op(bio) == REQ_OP_WRITE)
		left = min_t(u64, left, c->log->longest);
	io->sectors = min_t(u64, io->sectors, left);
	if (bio_op(bio) == REQ_OP_WRITE)
		take_walk(c, io);
	if (io->sectors < bio_sectors(bio))
		dm_accept_partial_bio(bio, io->sectors);
}

/* A FLUSH, or a FUA write. Return: true when ssdup_map_bio() is done with it. */
static noinline bool map_durable(struct ssdup *c, struct bio *bio)
{
	ssdup_stage_awaited(c->log);
	if (bio->bi_opf & REQ_PREFLUSH) {
		stat_inc(c, STAT_FLUSHES);
		ssdup_window_flush_comes(c->router);
		bio_queue_add(&c->flushes, c->wake.wq, bio);
		return true;
	}
	/* It may be the data of a bio whose FLUSH failed: see owed_errors.h. */
	if (op_is_write(bio_op(bio)) && ssdup_pay_fua(&c->debt)) {
		bio_io_error(bio);
		return true;
	}
	return false;
}

int ssdup_map_bio(struct dm_target *ti, struct bio *bio)
{
	struct ssdup *c = ti->private;
	struct ssdup_io *io = io_of(bio);

	io->state = IO_NONE;
	io->beside = 0;
	io->sent = 0;
	io->ahead = false;
	io->kind = WINDOW_SCATTERED;
	io->long_run = false;
	io->again = false;
	io->staged = false;
	io->refused = false;
	io->guarded = false;
	io->class = 0;
	io->torn = 0;
	io->spare = NULL;
	if (unlikely(op_is_flush(bio->bi_opf)) && map_durable(c, bio))
		return DM_MAPIO_SUBMITTED;

	io->start = dm_target_offset(ti, bio->bi_iter.bi_sector);
	io->sectors = bio_sectors(bio);
	if (unlikely(c->read_only) && bio_op(bio) != REQ_OP_READ) {
		bio_io_error(bio);
		return DM_MAPIO_SUBMITTED;
	}
	if (unlikely((io->start + io->sectors - 1) >> c->map->range_shift !=
		     io->start >> c->map->range_shift || io->sectors > c->log->whole ||
		     (io->start < c->log->guarded && !bio_has_data(bio))))
		take_part(c, bio, io);
	if (bio_op(bio) == REQ_OP_WRITE) {
		if (unlikely(c->log->classes.nr > 1))
			take_class(c, bio, io);
		return map_write(c, bio, io);
	}
	if (bio_op(bio) == REQ_OP_READ)
		return map_read(c, bio, io);
	return map_tombstone(c, bio, io);
}

/* --- Completion --- */

static void end_direct(struct ssdup *c, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c->map, io->start);

	ssdup_hdd_wrote(c->drainer);
	if (atomic_dec_and_test(&r->direct[io->phase]))
		ssdup_settled(c);
	ssdup_hdd_ended(c->drainer);
}

/* It failed for want of a tag: count it when its submitter tries again. */
static void uncount_request(struct ssdup *c, const struct bio *bio, const struct ssdup_io *io)
{
	switch (io->state) {
	case IO_HDD_READ:
		count_request(c, io, STAT_READS_HDD, STAT_READ_SECTORS_HDD, -1);
		break;
	case IO_LOG_READ:
		count_request(c, io, STAT_READS_SSD, STAT_READ_SECTORS_SSD, -1);
		break;
	case IO_CLEAN_READ:
		count_clean(c, io, -1);
		break;
	case IO_HDD_WRITE:
		if (bio_op(bio) == REQ_OP_WRITE) {
			count_request(c, io, STAT_WRITES_HDD, STAT_SECTORS_HDD, -1);
			break;
		}
		stat_add(c, STAT_WRITES_HDD, -1);
		stat_add(c, STAT_DISCARDS, -1);
		break;
	}
}

/* Before the request ends: a drain that waits for it looks at the count. */
static noinline void note_error(struct ssdup *c, const struct bio *bio, const struct ssdup_io *io,
				blk_status_t status)
{
	struct drive_user *hdd = &c->hdd_user;

	if (status == BLK_STS_AGAIN) {
		uncount_request(c, bio, io);
		return;
	}
	switch (io->state) {
	case IO_HDD_READ:
		ssdup_drive_failed(hdd, status);
		break;
	case IO_HDD_WRITE:
		/* FUA may be a flush at a lower device. */
		if (io->opf & REQ_FUA)
			ssdup_drive_lost(hdd);
		else
			ssdup_drive_failed(hdd, status);
		break;
	case IO_LOG_READ:
	case IO_CLEAN_READ:
	case IO_LOG_WRITE:
		ssdup_drive_failed(&ssd_of(c->log, io->segment)->user, status);
		break;
	}
}

/* A log write that failed, or was overtaken, abandons its place, and is routed again. */
static noinline int end_log_write_again(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
					blk_status_t status)
{
	count_request(c, io, STAT_WRITES_SSD, STAT_SECTORS_SSD, -1);
	if (status)
		ssdup_refused(c->router, io, status);
	io->again = true;
	ssdup_log_again(c, bio, io);
	return DM_ENDIO_INCOMPLETE;
}

int ssdup_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *status)
{
	struct ssdup *c = ti->private;
	struct ssdup_io *io = io_of(bio);
	u64 took;

	if (unlikely(*status))
		note_error(c, bio, io, *status);
	switch (io->state) {
	case IO_HDD_READ:
		if (unlikely(io->guarded))
			ssdup_guard_left(c->log);
		ssdup_window_read(c->router, false);
		ssdup_hdd_ended(c->drainer);
		if (unlikely(READ_ONCE(c->router->ghosts)) && !*status)
			ssdup_ghosts_end(c->router, io, bio->bi_opf & REQ_META);
		break;
	case IO_HDD_WRITE:
		ssdup_window_end(c->router, io, SSDUP_HDD,
				 io->guarded ? 0 : io_took(io, *status));
		if (unlikely(io->guarded))
			ssdup_guard_left(c->log);
		end_direct(c, io);
		break;
	case IO_LOG_READ:
		end_log_read(c, io, *status);
		if (unlikely(*status && *status != BLK_STS_AGAIN)) {
			stat_inc(c, STAT_SSD_ERRORS);
			/* The same error as after a drain has marked it as lost. */
			*status = BLK_STS_IOERR;
		}
		ssdup_put_read(c->log, io->segment);
		break;
	case IO_CLEAN_READ:
		end_log_read(c, io, *status);
		if (unlikely(*status && *status != BLK_STS_AGAIN)) {
			ssdup_clean_refused(c, bio, io, *status);
			return DM_ENDIO_INCOMPLETE;
		}
		ssdup_put_read(c->log, io->segment);
		break;
	case IO_LOG_WRITE:
		took = io_took(io, *status);
		ssd_end_write(c, ssd_of(c->log, io->segment), io, took);
		ssdup_window_end(c->router, io, SSDUP_SSD, took);
		if (unlikely(*status) || unlikely(!ssdup_insert(c->map, io)))
			return end_log_write_again(c, bio, io, *status);
		if (io->opf & REQ_FUA) {
			/*
			 * It ends once more, when it is durable. The first end has put bi_blkg, so
			 * io.latency and io.cost of the SSD do not count the second.
			 */
			io->state = IO_NONE;
			bio_queue_add(&c->log->fuas, c->wake.wq, bio);
			return DM_ENDIO_INCOMPLETE;
		}
		break;
	}
	return DM_ENDIO_DONE;
}
