// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: map and end bios.
 *
 * Nothing here sleeps: a write that finds no place in the log, or no memory for its
 * extent, joins a list, see waiters.h, and ssdup_wait_work() tries it again.
 */
#include <trace/events/block.h>

#include "base/failure.h"
#include "base/owed_errors.h"
#include "base/trace.h"
#include "base/wakeups.h"
#include "drain/hdd.h"
#include "drain/throttle.h"
#include "io.h"
#include "log/commit.h"
#include "log/nodes.h"
#include "log/reserve.h"
#include "log/segments.h"
#include "map/map.h"
#include "route/classes.h"
#include "route/meter.h"
#include "route/refusals.h"
#include "route/stream.h"
#include "route/waiters.h"

#define MEMORY_RETRY	(HZ / 50 + 1)

static struct ssdup_io *io_of(struct bio *bio)
{
	return dm_per_bio_data(bio, sizeof(struct ssdup_io));
}

static void remap_hdd(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	ssdup_hdd_begun(c->drainer);
	bio_set_dev(bio, c->hdd->bdev);
	bio->bi_iter.bi_sector = io->start;
}

static void remap_log(struct ssdup *c, struct bio *bio, u64 sector)
{
	this_cpu_inc(c->stats->requests);
	bio_set_dev(bio, c->ssd->bdev);
	bio->bi_iter.bi_sector = sector;
}

/* Count a request and its sectors; with a @sign of -1, take them back. */
static __always_inline void count_request(struct ssdup *c, const struct ssdup_io *io,
					  enum ssdup_stat requests, enum ssdup_stat sectors,
					  s64 sign)
{
	stat_add(c, requests, sign);
	stat_add(c, sectors, sign * io->sectors);
}

/* --- Reads --- */

static int map_read(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c->map, io->start);
	const struct extent *e = NULL;
	u8 kind = SSDUP_KIND_NONE;
	unsigned long flags;
	u64 pos = 0;

	if (range_holds(r)) {
		spin_lock_irqsave(&r->lock, flags);
		e = ssdup_extent_read_span(&r->tree, io->start, io->start + io->sectors,
					   &io->sectors);
		if (e) {
			kind = e->kind;
			pos = e->pos + (io->start - e->start);
			io->segment = segment_of(c->log, e->pos);
			if (kind == SSDUP_KIND_DATA)
				atomic_inc(&io->segment->reads);
		}
		spin_unlock_irqrestore(&r->lock, flags);
		if (io->sectors < bio_sectors(bio))
			dm_accept_partial_bio(bio, io->sectors);
	}

	switch (kind) {
	case SSDUP_KIND_NONE:
		io->state = IO_HDD_READ;
		count_request(c, io, STAT_READS_HDD, STAT_READ_SECTORS_HDD, 1);
		ssdup_meter_read(c->router, io, SSDUP_HDD);
		remap_hdd(c, bio, io);
		return DM_MAPIO_REMAPPED;
	case SSDUP_KIND_DATA:
		io->state = IO_LOG_READ;
		count_request(c, io, STAT_READS_SSD, STAT_READ_SECTORS_SSD, 1);
		ssdup_meter_read(c->router, io, SSDUP_SSD);
		remap_log(c, bio, pos);
		return DM_MAPIO_REMAPPED;
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

/* A freed segment gives nodes back; memory may be free sooner. */
static void await_memory(struct ssdup *c)
{
	WRITE_ONCE(c->drainer->short_of_memory, true);
	ssdup_kick_writeback(c);
	ssdup_kick_waiting_in(c, MEMORY_RETRY);
}

/* The data sectors that a request takes in the log. */
static u32 place_sectors(const struct bio *bio, const struct ssdup_io *io)
{
	return bio_op(bio) == REQ_OP_WRITE ? io->sectors : 0;
}

/* Count a write as one of its range's direct writes, unless an extent overlaps it. */
static __always_inline bool begin_direct(struct ssdup *c, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c->map, io->start);
	unsigned long flags;
	bool overlaps;

	spin_lock_irqsave(&r->lock, flags);
	overlaps = r->tree.nr && ssdup_extent_first(&r->tree, io->start, io->start + io->sectors);
	if (!overlaps) {
		io->phase = r->phase;
		atomic_inc(&r->direct[io->phase]);
	}
	spin_unlock_irqrestore(&r->lock, flags);
	return !overlaps;
}

/*
 * A write that is too long for the rest of the segment takes that, rather than leave it unused.
 * What is left of the write comes as another bio. Return: has it got a place?
 */
static bool take_rest(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	u32 sectors = io->sectors, rest = ssdup_rest(c->log, ssdup_class_of(c->log, io));

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

/* With the log full: may the write go to the HDD rather than wait? */
static bool bypasses(struct ssdup *c, struct ssdup_io *io)
{
	enum ssdup_full full = READ_ONCE(c->set.full);

	/* If it has waited, other requests went first. */
	if (ssdup_balances(c->router))
		ssdup_meter_find(c->router, io);
	return full == SSDUP_FULL_BYPASS ||
	       (full == SSDUP_FULL_BALANCE && io->price && ssdup_meter_bypass(c->router, io));
}

/* Take what the route needs. Return: false when that failed; @f says why. */
static bool try_route(struct ssdup *c, struct bio *bio, struct ssdup_io *io, bool queued,
		      enum route_action action, struct route_facts *f)
{
	int r;

	switch (action) {
	case ROUTE_HDD:
		f->overlaps = !begin_direct(c, io);
		return !f->overlaps;
	case ROUTE_LOG:
		/* The map may have changed since the class was chosen. */
		if (unlikely(c->log->nr_classes > 1) && !ssdup_class_keep(c->router, io)) {
			f->no_place = true;
			return false;
		}
		if (!queued && take_rest(c, bio, io))
			return true;
		r = ssdup_throttle_reserve(c->drainer, io, place_sectors(bio, io));
		f->no_place = r;
		f->no_memory = r == -ENOMEM;
		f->unaligned = r == -EINVAL;
		f->bypass = r && bypasses(c, io);
		if (f->no_memory)
			await_memory(c);
		return !r;
	default:
		return true;
	}
}

/* Choose a route, and take what it needs: a count in range->direct, or a place. */
static noinline enum route_action route_write(struct ssdup *c, struct bio *bio,
					      struct ssdup_io *io, bool queued)
{
	struct route_facts f = {
		.disk = io->route,
		.log_writable = ssdup_mode(c) == MODE_RUNNING,
		.shut = READ_ONCE(c->log_shut),
		.queue = !queued && ssdup_wait_queue(c->router, io),
		.bypass = bypasses(c, io),
		.leaving = READ_ONCE(c->leaving),
		.stuck = READ_ONCE(c->drainer->drain_error) && !dm_noflush_suspending(c->ti),
	};
	enum route_action action;

	do
		action = ssdup_route_next(&f);
	while (!try_route(c, bio, io, queued, action, &f));
	if (action == ROUTE_WAIT && f.shut)
		WRITE_ONCE(c->log->wait_cause, WAIT_SSD);
	return action;
}

static __always_inline int write_direct(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->state = IO_HDD_WRITE;
	count_request(c, io, STAT_WRITES_HDD, STAT_SECTORS_HDD, 1);
	ssdup_meter_write(c->router, io, SSDUP_HDD);
	remap_hdd(c, bio, io);
	return DM_MAPIO_REMAPPED;
}

static __always_inline int write_log(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->state = IO_LOG_WRITE;
	count_request(c, io, STAT_WRITES_SSD, STAT_SECTORS_SSD, 1);
	ssdup_meter_write(c->router, io, SSDUP_SSD);
	/*
	 * The commit after the write makes its data durable too. The place is
	 * taken, so the write must not fail for want of a tag.
	 */
	bio->bi_opf &= ~(REQ_FUA | REQ_NOWAIT);
	ssdup_set_stream(bio, io->segment->class->stream);
	remap_log(c, bio, ssdup_fill_extent(c->log, io, io->start, io->sectors, SSDUP_KIND_DATA));
	return DM_MAPIO_REMAPPED;
}

/* A discard, or zeroes. */
static noinline int tombstone_direct(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->state = IO_HDD_WRITE;
	/* The meter priced it like a write, but it does not count in a queue. */
	io->price = 0;
	stat_inc(c, STAT_WRITES_HDD);
	remap_hdd(c, bio, io);
	if (bio_op(bio) == REQ_OP_DISCARD && !bdev_max_discard_sectors(c->hdd->bdev)) {
		/* The HDD has no discard: succeed without one. */
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
	return DM_MAPIO_REMAPPED;
}

static void wait_for_space(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	stat_inc(c, STAT_WAITED);
	/* A work item, which may block, will submit it. */
	bio->bi_opf &= ~REQ_NOWAIT;
	ssdup_wait_add(c->router, bio, io);
}

/* Give up the place of a request that the log has not got after all, and route it again. */
static noinline void log_again(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	ssdup_give_up(c->log, io);
	ssdup_free_spare(c->log, io);
	ssdup_put_write(c->log, io->segment);
	io->state = IO_NONE;
	io->times = 1;
	io->price = 0;
	wait_for_space(c, bio, io);
}

static noinline int tombstone_log(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	ssdup_fill_extent(c->log, io, io->start, io->sectors, log_kind(bio));
	if (!ssdup_insert(c->map, io)) {
		log_again(c, bio, io);
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

static noinline int map_with_care(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	enum route_action action = route_write(c, bio, io, false);

	if (action != ROUTE_WAIT)
		return send_write(c, bio, io, action);
	trace_ssdup_route(c, io, action);
	wait_for_space(c, bio, io);
	return DM_MAPIO_SUBMITTED;
}

/* The fast path serves most writes; map_with_care() takes the others. */
static __always_inline int map_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct route_facts f = { .log_writable = true };

	io->iter = bio->bi_iter;
	io->opf = bio->bi_opf;
	f.disk = ssdup_stream_note(c->router, io->start, io->sectors);
	if (ssdup_balances(c->router))
		f.disk = ssdup_balance(c->router, io);
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
		if (!ssdup_reserve_at_once(c->log, io))
			break;
		trace_ssdup_route(c, io, ROUTE_LOG);
		return write_log(c, bio, io);
	default:
		break;
	}
	return map_with_care(c, bio, io);
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

	if (!range_holds(r))
		return;
	spin_lock_irqsave(&r->lock, flags);
	/* Only a hint: if no extent overlaps the part by then, it goes to the HDD. */
	io->sectors = ssdup_extent_held_span(&r->tree, io->start, io->start + io->sectors);
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
	if (unlikely(c->log->nr_classes > 1))
		take_class(c, bio, io);
	stat_inc(c, STAT_DISCARDS);
	io->iter = bio->bi_iter;
	io->opf = bio->bi_opf;
	io->route = SSDUP_HDD;
	return map_with_care(c, bio, io);
}

/*
 * A write's insert removes the extents that it replaces with interrupts off, so limit their
 * number. A long write may exceed the limit by the writes that end while it is in flight.
 */
static void take_walk(struct ssdup *c, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c->map, io->start);
	unsigned long flags;

	if (io->sectors <= EXTENT_WALK || READ_ONCE(r->held) <= EXTENT_WALK)
		return;
	spin_lock_irqsave(&r->lock, flags);
	io->sectors = ssdup_extent_walk_span(&r->tree, io->start, io->start + io->sectors);
	spin_unlock_irqrestore(&r->lock, flags);
}

/* Split a request that crosses ranges, is too long for a segment, or replaces too many extents. */
static noinline void take_part(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	u64 size = 1ULL << c->map->range_shift, left = size - (io->start & (size - 1));

	if (bio_op(bio) == REQ_OP_WRITE)
		left = min_t(u64, left, c->log->longest);
	io->sectors = min_t(u64, io->sectors, left);
	if (bio_op(bio) == REQ_OP_WRITE)
		take_walk(c, io);
	if (io->sectors < bio_sectors(bio))
		dm_accept_partial_bio(bio, io->sectors);
}

/* A FLUSH, or a FUA write. Return: true when ssdup_map() is done with it. */
static noinline bool map_durable(struct ssdup *c, struct bio *bio)
{
	if (bio->bi_opf & REQ_PREFLUSH) {
		stat_inc(c, STAT_FLUSHES);
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

int ssdup_map(struct dm_target *ti, struct bio *bio)
{
	struct ssdup *c = ti->private;
	struct ssdup_io *io = io_of(bio);

	io->state = IO_NONE;
	io->times = 1;
	io->price = 0;
	io->again = false;
	io->refused = false;
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
		     io->start >> c->map->range_shift || io->sectors > c->log->whole))
		take_part(c, bio, io);
	if (bio_op(bio) == REQ_OP_WRITE) {
		if (unlikely(c->log->nr_classes > 1))
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
static noinline void uncount_request(struct ssdup *c, const struct bio *bio,
				     const struct ssdup_io *io)
{
	switch (io->state) {
	case IO_HDD_READ:
		count_request(c, io, STAT_READS_HDD, STAT_READ_SECTORS_HDD, -1);
		break;
	case IO_LOG_READ:
		count_request(c, io, STAT_READS_SSD, STAT_READ_SECTORS_SSD, -1);
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

/* A log write that failed, or was overtaken, abandons its place, and is routed again. */
static noinline int end_log_write_again(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
					blk_status_t status)
{
	count_request(c, io, STAT_WRITES_SSD, STAT_SECTORS_SSD, -1);
	if (status)
		ssdup_refused(c->router, io, status);
	io->again = true;
	log_again(c, bio, io);
	return DM_ENDIO_INCOMPLETE;
}

int ssdup_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *status)
{
	struct ssdup *c = ti->private;
	struct ssdup_io *io = io_of(bio);

	if (unlikely(*status == BLK_STS_AGAIN))
		uncount_request(c, bio, io);
	switch (io->state) {
	case IO_HDD_READ:
		ssdup_meter_end(&c->router->meter->hdd, io, true);
		ssdup_hdd_ended(c->drainer);
		break;
	case IO_HDD_WRITE:
		ssdup_meter_end(&c->router->meter->hdd, io, true);
		/*
		 * FUA may be a flush at a lower device. Count its error before end_direct():
		 * a drain that waits for this write flushes afterwards.
		 */
		if (unlikely(*status && *status != BLK_STS_AGAIN && (io->opf & REQ_FUA)))
			ssdup_hdd_dropped(c->drainer);
		end_direct(c, io);
		break;
	case IO_LOG_READ:
		ssdup_meter_end(&c->router->meter->ssd, io, false);
		if (unlikely(*status && *status != BLK_STS_AGAIN)) {
			stat_inc(c, STAT_SSD_ERRORS);
			/* The same error as after a drain has marked it as lost. */
			*status = BLK_STS_IOERR;
		}
		ssdup_put_read(c->log, io->segment);
		break;
	case IO_LOG_WRITE:
		ssdup_meter_end(&c->router->meter->ssd, io, false);
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

/* --- Waiting for space --- */

static void submit_waited(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
			  enum route_action action)
{
	sector_t from = bio->bi_iter.bi_sector;

	if (send_write(c, bio, io, action) != DM_MAPIO_REMAPPED)
		return;
	trace_block_bio_remap(bio, disk_devt(dm_disk(c->md)), from);
	submit_bio_noacct(bio);
}

void ssdup_wait_work(struct work_struct *work)
{
	struct ssdup *c = container_of(to_delayed_work(work), struct ssdup, wake.wait_work);
	struct bio_list kept = BIO_EMPTY_LIST;
	enum route_action action;
	struct ssdup_io *io;
	struct bio *bio;
	u32 skip = 0;

	ssdup_look_for_ssd(c->router);
	while ((bio = ssdup_wait_pop(c->router, skip))) {
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
			if (!READ_ONCE(c->log_shut) && !io->torn)
				skip |= BIT(io->class);
			cond_resched();
			continue;
		}
		ssdup_wait_done(c->router, io);
		if (io->again)
			ssdup_renew(c->router, bio, io);
		submit_waited(c, bio, io, action);
		cond_resched();
	}
	ssdup_wait_again(c->router, &kept);
}
