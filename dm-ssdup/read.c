// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the way of a read: to where the map says that it is, and its end.
 *
 * A read of clean data that the SSD fails goes to the HDD. The HDD has what it asks for: it had it
 * when the read began. A write since then overlapped them in time, so old and new data are both
 * right. So it need not look at the map again.
 */
#include "log/clean_list.h"
#include "log/staging.h"
#include "promote.h"
#include "read.h"
#include "remap.h"

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

static __always_inline void count_clean(struct ssdup *c, const struct ssdup_io *io, s64 sign)
{
	stat_add(c, STAT_READS_SSD, sign);
	stat_add(c, STAT_READS_CLEAN, sign);
	if (READ_ONCE(io->segment->copies))
		stat_add(c, STAT_READS_PROMOTED, sign);
}

void ssdup_uncount_read(struct ssdup *c, const struct ssdup_io *io)
{
	if (io->state == IO_HDD_READ)
		stat_add(c, STAT_READS_HDD, -1);
	else if (io->state == IO_CLEAN_READ)
		count_clean(c, io, -1);
	else
		stat_add(c, STAT_READS_SSD, -1);
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
	stat_inc(c, STAT_READS_SSD);
	this_cpu_inc(c->stats->requests);
	ssdup_stage_read(&place->room, place->pos, bio);
	ssdup_stage_put_read(&place->room);
	ssdup_put_read(c->log, io->segment);
	bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

int ssdup_map_read(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
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
			stat_inc(c, STAT_READS_SSD);
		}
		if (unlikely(READ_ONCE(c->set.promote)))
			ssdup_promote_begins(c, io);
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

static noinline void send_to_hdd(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
				 blk_status_t status)
{
	stat_inc(c, STAT_SSD_ERRORS);
	count_clean(c, io, -1);
	ssdup_put_read(c->log, io->segment);
	/* The next read of it need not try. */
	ssdup_forget_part(c->map, io->start, io->sectors);
	ssdup_clean_error(c->drainer, status);
	io->state = IO_NONE;
	bio_queue_add(&c->refused, c->wake.wq, bio);
}

int ssdup_end_read(struct ssdup *c, struct bio *bio, struct ssdup_io *io, blk_status_t *status)
{
	bool failed = unlikely(*status && *status != BLK_STS_AGAIN);

	if (io->state == IO_HDD_READ) {
		if (unlikely(io->guarded))
			ssdup_guard_left(c->log);
		ssdup_window_read(c->router, false);
		ssdup_hdd_ended(c->drainer);
		if (unlikely(READ_ONCE(c->set.promote)) && !*status)
			ssdup_promote_ended(c, io);
		return DM_ENDIO_DONE;
	}
	end_log_read(c, io, *status);
	if (failed && io->state == IO_CLEAN_READ) {
		send_to_hdd(c, bio, io, *status);
		return DM_ENDIO_INCOMPLETE;
	}
	if (failed) {
		stat_inc(c, STAT_SSD_ERRORS);
		/* The same error as after a drain has marked it as lost. */
		*status = BLK_STS_IOERR;
	}
	ssdup_put_read(c->log, io->segment);
	return DM_ENDIO_DONE;
}

void ssdup_read_work(struct work_struct *work)
{
	struct ssdup *c = container_of(work, struct ssdup, refused.work);
	struct bio_list bios = bio_queue_take(&c->refused);
	struct ssdup_io *io;
	struct bio *bio;
	sector_t from;

	while ((bio = bio_list_pop(&bios))) {
		atomic_dec(&c->refused.nr);
		io = io_of(bio);
		ssdup_renew(c->router, bio, io);
		from = bio->bi_iter.bi_sector;
		if (read_hdd(c, bio, io) == DM_MAPIO_REMAPPED)
			submit_remapped(c, bio, from);
		cond_resched();
	}
}
