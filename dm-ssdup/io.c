// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: bios are cut, and mapped and ended as reads or writes.
 */
#include "base/owed_errors.h"
#include "io.h"
#include "log/staging.h"
#include "read.h"
#include "remap.h"
#include "write.h"

/* --- Bios are cut --- */

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
	if (bio_op(bio) == REQ_OP_READ)
		return ssdup_map_read(c, bio, io);
	if (bio_op(bio) != REQ_OP_WRITE)
		take_held(c, bio, io);
	if (unlikely(c->log->classes.nr > 1))
		take_class(c, bio, io);
	if (bio_op(bio) == REQ_OP_WRITE)
		return ssdup_map_write(c, bio, io);
	return ssdup_map_discard(c, bio, io);
}

/* --- They end --- */

/* It failed for want of a tag: count it when its submitter tries again. */
static void uncount_request(struct ssdup *c, const struct bio *bio, const struct ssdup_io *io)
{
	switch (io->state) {
	case IO_HDD_READ:
	case IO_LOG_READ:
	case IO_CLEAN_READ:
		ssdup_uncount_read(c, io);
		break;
	case IO_HDD_WRITE:
		if (bio_op(bio) == REQ_OP_WRITE)
			count_request(c, io, STAT_WRITES_HDD, STAT_SECTORS_HDD, -1);
		else
			stat_add(c, STAT_WRITES_HDD, -1);
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

int ssdup_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *status)
{
	struct ssdup *c = ti->private;
	struct ssdup_io *io = io_of(bio);

	if (unlikely(*status))
		note_error(c, bio, io, *status);
	switch (io->state) {
	case IO_HDD_READ:
	case IO_LOG_READ:
	case IO_CLEAN_READ:
		return ssdup_end_read(c, bio, io, status);
	case IO_HDD_WRITE:
		ssdup_end_direct(c, io, *status);
		break;
	case IO_LOG_WRITE:
		return ssdup_end_logged(c, bio, io, *status);
	}
	return DM_ENDIO_DONE;
}
