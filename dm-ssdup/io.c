// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the way of a bio.
 *
 * Nothing here sleeps: a write that finds no place in the log, or no memory
 * for its extent, joins a list and is tried again by ssdup_wait_work(). A map
 * function that slept could hold back, on its task's list of bios not yet
 * submitted, the very write that a drain waits for.
 */
#include <trace/events/block.h>

#include "away.h"
#include "commit.h"
#include "debt.h"
#include "flush.h"
#include "halves.h"
#include "hdd.h"
#include "io.h"
#include "map.h"
#include "meter.h"
#include "mode.h"
#include "nodes.h"
#include "reserve.h"
#include "stream.h"
#include "trace.h"
#include "wait.h"
#include "wake.h"

#define MEMORY_RETRY	(HZ / 50 + 1)

static struct ssdup_io *io_of(struct bio *bio)
{
	return dm_per_bio_data(bio, sizeof(struct ssdup_io));
}

static void remap_hdd(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	ssdup_hdd_begun(c);
	bio_set_dev(bio, c->hdd->bdev);
	bio->bi_iter.bi_sector = io->start;
}

static void remap_log(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	this_cpu_inc(c->stats->requests);
	bio_set_dev(bio, c->ssd->bdev);
	bio->bi_iter.bi_sector = io->half->data_start + from_log_pos(io->pos);
}

/* --- Reads --- */

static int map_read(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c, io->start);
	const struct extent *e = NULL;
	u8 kind = SSDUP_KIND_NONE;
	unsigned long flags;

	if (range_holds(r)) {
		spin_lock_irqsave(&r->lock, flags);
		e = ssdup_extent_read_span(&r->tree, io->start, io->start + io->sectors,
					   &io->sectors);
		if (e) {
			kind = e->kind;
			io->half = &c->half[e->half];
			io->pos = log_pos_add(e->pos, io->start - e->start);
			if (kind == SSDUP_KIND_DATA)
				atomic_inc(&io->half->reads);
		}
		spin_unlock_irqrestore(&r->lock, flags);
		if (io->sectors < bio_sectors(bio))
			dm_accept_partial_bio(bio, io->sectors);
	}

	switch (kind) {
	case SSDUP_KIND_NONE:
		io->way = IO_HDD_READ;
		stat_inc(c, STAT_READS_HDD);
		stat_add(c, STAT_READ_SECTORS_HDD, io->sectors);
		ssdup_meter_read(c, io, SSDUP_ROUTE_HDD);
		remap_hdd(c, bio, io);
		return DM_MAPIO_REMAPPED;
	case SSDUP_KIND_DATA:
		io->way = IO_LOG_READ;
		stat_inc(c, STAT_READS_SSD);
		stat_add(c, STAT_READ_SECTORS_SSD, io->sectors);
		ssdup_meter_read(c, io, SSDUP_ROUTE_SSD);
		remap_log(c, bio, io);
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

static noinline void no_place(struct ssdup *c, struct ssdup_io *io, int error)
{
	ssdup_free_nodes(c, &io->nodes);
	if (error != -ENOMEM)
		return;
	/* Nodes come back when a half is freed; memory may come back sooner. */
	WRITE_ONCE(c->short_of_memory, true);
	ssdup_kick_writeback(c);
	ssdup_kick_waiting_in(c, MEMORY_RETRY);
}

/* Of the last half the end is rationed to those who would have to wait for another one. */
static const struct log_limits *limits_of(struct ssdup *c, const struct ssdup_io *io,
					  const struct write_facts *f, bool balance)
{
	bool waits = f->full != SSDUP_FULL_BYPASS && !f->leaving && !f->stuck &&
		     !(balance && ssdup_meter_bypass(c, io));

	return waits ? &c->gate : &c->limits;
}

/* Of data, that it takes in the log. */
static u32 place_sectors(const struct bio *bio, const struct ssdup_io *io)
{
	return bio_op(bio) == REQ_OP_WRITE ? io->sectors : 0;
}

/* A place in the log and a node for @bio. Return: 0 or the error of ssdup_reserve(). */
static int get_place(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
		     const struct log_limits *limits)
{
	int r = ssdup_reserve(c, io, place_sectors(bio, io), limits);

	if (r)
		no_place(c, io, r);
	return r;
}

/*
 * Enter a write among its range's direct ones, unless something the log holds
 * overlaps it.
 */
static __always_inline bool begin_direct(struct ssdup *c, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c, io->start);
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

/* Decide; what the way needs (a direct entry, a place and nodes) is taken with it. */
static noinline enum write_way route_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
					   bool queued)
{
	struct write_facts f = {
		.route = io->route,
		.log_writable = ssdup_mode(c) == MODE_RUNNING,
		.queue = !queued && atomic_read(&c->nr_waiting),
		.leaving = READ_ONCE(c->leaving),
		.stuck = READ_ONCE(c->drain_error) && !dm_noflush_suspending(c->ti),
		.full = READ_ONCE(c->set.full),
		.shut = READ_ONCE(c->log_shut),
		.space = true,
	};
	bool balance = READ_ONCE(c->set.policy) == SSDUP_POLICY_BALANCE;
	const struct log_limits *limits;
	enum write_way way;
	int r;

	/* It may have waited, and others went before. */
	if (balance)
		ssdup_meter_find(c, io);
	limits = limits_of(c, io, &f, balance);
	/* Past those held up for the ration, if they are: stuck, all wait for space alike. */
	if (limits == &c->limits && !f.stuck && ssdup_rationed(c))
		f.queue = false;
	if (f.route == SSDUP_ROUTE_HDD || !f.log_writable || f.shut) {
		if (begin_direct(c, io))
			return WRITE_TO_HDD;
		f.overlaps = true;
	}
	way = ssdup_redirector_way(&f);
	if (way == WRITE_WAITS && f.shut)
		WRITE_ONCE(c->wait_cause, WAIT_SSD);
	if (way == WRITE_TO_LOG) {
		r = get_place(c, bio, io, limits);
		f.space = !r;
		f.no_memory = r == -ENOMEM;
		way = ssdup_redirector_way(&f);
	}
	if (way == WRITE_WAITS && balance && ssdup_meter_bypass(c, io)) {
		f.full = SSDUP_FULL_BYPASS;
		way = ssdup_redirector_way(&f);
	}
	if (way == WRITE_TO_HDD && !begin_direct(c, io)) {
		f.overlaps = true;
		way = ssdup_redirector_way(&f);
	}
	return way;
}

/* The extent of a write that is in the log, or needs no data there, becomes visible. */
static __always_inline void log_extent(struct ssdup *c, struct ssdup_io *io, u8 kind)
{
	struct extent *e = io->e;

	e->start = io->start;
	e->sectors = io->sectors;
	e->half = io->half->index;
	e->kind = kind;
	e->home = false;
	e->pos = kind == SSDUP_KIND_DATA ? io->pos : to_log_pos(0);
	io->way = IO_LOGGED;
	ssdup_insert(c, io);
}

static __always_inline int write_direct(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->way = IO_HDD_WRITE;
	stat_inc(c, STAT_WRITES_HDD);
	stat_add(c, STAT_SECTORS_HDD, io->sectors);
	ssdup_meter_write(c, io, SSDUP_ROUTE_HDD);
	remap_hdd(c, bio, io);
	return DM_MAPIO_REMAPPED;
}

static __always_inline int write_log(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->way = IO_LOG_WRITE;
	stat_inc(c, STAT_WRITES_SSD);
	stat_add(c, STAT_SECTORS_SSD, io->sectors);
	ssdup_meter_write(c, io, SSDUP_ROUTE_SSD);
	/*
	 * The commit after the write makes its data durable too. And its place
	 * is taken: it is not to come back for want of a tag.
	 */
	bio->bi_opf &= ~(REQ_FUA | REQ_NOWAIT);
	remap_log(c, bio, io);
	return DM_MAPIO_REMAPPED;
}

/* A discard, or zeroes. */
static noinline int mark_direct(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->way = IO_HDD_WRITE;
	/* It was looked at like a write, and waits in no queue. */
	io->price = 0;
	stat_inc(c, STAT_WRITES_HDD);
	remap_hdd(c, bio, io);
	if (bio_op(bio) == REQ_OP_DISCARD && !bdev_max_discard_sectors(c->hdd->bdev)) {
		/* Nothing to tell a disk that does not care. */
		bio_endio(bio);
		return DM_MAPIO_SUBMITTED;
	}
	return DM_MAPIO_REMAPPED;
}

static noinline int mark_log(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	stat_inc(c, STAT_WRITES_SSD);
	log_extent(c, io, log_kind(bio));
	if (io->opf & REQ_FUA)
		ssdup_queue_fua(c, bio);
	else
		bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

static noinline int take_way(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
			     enum write_way way)
{
	bool data = bio_op(bio) == REQ_OP_WRITE;

	trace_ssdup_route(c, io, way);
	switch (way) {
	case WRITE_TO_HDD:
		return data ? write_direct(c, bio, io) : mark_direct(c, bio, io);
	case WRITE_TO_LOG:
		return data ? write_log(c, bio, io) : mark_log(c, bio, io);
	default:
		bio_io_error(bio);
		return DM_MAPIO_SUBMITTED;
	}
}

static void wait_for_space(struct ssdup *c, struct bio *bio)
{
	stat_inc(c, STAT_WAITED);
	/* Its submitter does not wait any more. */
	bio->bi_opf &= ~REQ_NOWAIT;
	ssdup_wait_add(c, bio);
}

static noinline int map_with_care(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	enum write_way way = route_write(c, bio, io, false);

	if (way != WRITE_WAITS)
		return take_way(c, bio, io, way);
	trace_ssdup_route(c, io, way);
	wait_for_space(c, bio);
	return DM_MAPIO_SUBMITTED;
}

/*
 * Most writes are decided by the first fact that ssdup_redirector_way() looks at; the others
 * are mapped with care.
 */
static __always_inline int map_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	enum ssdup_route route;
	struct ssdup_half *h;

	io->iter = bio->bi_iter;
	io->opf = bio->bi_opf;
	route = ssdup_stream_note(c, io->start, io->sectors);
	if (READ_ONCE(c->set.policy) == SSDUP_POLICY_BALANCE)
		route = ssdup_balance(c, io);
	io->route = route;
	if (route == SSDUP_ROUTE_HDD) {
		if (unlikely(!begin_direct(c, io)))
			return map_with_care(c, bio, io);
		trace_ssdup_route(c, io, WRITE_TO_HDD);
		return write_direct(c, bio, io);
	}
	if (unlikely(READ_ONCE(c->log_shut) || atomic_read(&c->nr_waiting)))
		return map_with_care(c, bio, io);
	h = READ_ONCE(c->open);
	if (unlikely(ssdup_try_reserve(c, h, io, io->sectors, &c->gate))) {
		ssdup_put_write(c, h);
		/* Not every other way of it has a use for a spare one, and gives it back. */
		ssdup_free_nodes(c, &io->nodes);
		return map_with_care(c, bio, io);
	}
	trace_ssdup_route(c, io, WRITE_TO_LOG);
	return write_log(c, bio, io);
}

/*
 * Only what the log holds has to be logged: a mark over all of it would draw later writes to
 * the SSD as well. What is logged replaces no more extents than may be walked over under the
 * lock. The rest comes again, as a bio of its own.
 */
static void take_held(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c, io->start);
	unsigned long flags;

	if (!range_holds(r))
		return;
	spin_lock_irqsave(&r->lock, flags);
	/* A hint as to the way: who overlaps nothing by then goes to the HDD. */
	ssdup_extent_held_span(&r->tree, io->start, io->start + io->sectors, &io->sectors);
	spin_unlock_irqrestore(&r->lock, flags);
	if (io->sectors < bio_sectors(bio))
		dm_accept_partial_bio(bio, io->sectors);
}

static noinline int map_mark(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	take_held(c, bio, io);
	stat_inc(c, STAT_DISCARDS);
	io->iter = bio->bi_iter;
	io->opf = bio->bi_opf;
	io->route = SSDUP_ROUTE_HDD;
	return map_with_care(c, bio, io);
}

/*
 * What a write replaces leaves the map with interrupts off: no more of it than may be walked
 * over. A write of EXTENT_WALK sectors replaces no more, whatever ends before it does; to a
 * longer one only those are added that are in flight beside it.
 */
static void take_walk(struct ssdup *c, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c, io->start);
	unsigned long flags;

	if (io->sectors <= EXTENT_WALK || READ_ONCE(r->held) <= EXTENT_WALK)
		return;
	spin_lock_irqsave(&r->lock, flags);
	io->sectors = ssdup_extent_walk_span(&r->tree, io->start, io->start + io->sectors);
	spin_unlock_irqrestore(&r->lock, flags);
}

/*
 * What does not lie within a range, asks for too much of a half, or replaces too much is
 * done in parts.
 */
static noinline void take_part(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	u64 size = 1ULL << c->range_shift, left = size - (io->start & (size - 1));

	if (bio_op(bio) == REQ_OP_WRITE)
		left = min_t(u64, left, c->longest);
	io->sectors = min_t(u64, io->sectors, left);
	if (bio_op(bio) == REQ_OP_WRITE)
		take_walk(c, io);
	if (io->sectors < bio_sectors(bio))
		dm_accept_partial_bio(bio, io->sectors);
}

/* A FLUSH, or a FUA write. Return: true when it is not for the rest of ssdup_map(). */
static noinline bool map_durable(struct ssdup *c, struct bio *bio)
{
	if (bio->bi_opf & REQ_PREFLUSH) {
		stat_inc(c, STAT_FLUSHES);
		ssdup_queue_flush(c, bio);
		return true;
	}
	/* The data of a bio whose FLUSH failed, perhaps: see flush.c. */
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

	io->way = IO_NONE;
	io->times = 1;
	io->price = 0;
	io->refused = false;
	io->nodes.head = NULL;
	if (unlikely(op_is_flush(bio->bi_opf)) && map_durable(c, bio))
		return DM_MAPIO_SUBMITTED;

	io->start = dm_target_offset(ti, bio->bi_iter.bi_sector);
	io->sectors = bio_sectors(bio);
	if (unlikely(c->read_only) && bio_op(bio) != REQ_OP_READ) {
		bio_io_error(bio);
		return DM_MAPIO_SUBMITTED;
	}
	if (unlikely((io->start + io->sectors - 1) >> c->range_shift !=
		     io->start >> c->range_shift || io->sectors > c->whole))
		take_part(c, bio, io);
	if (bio_op(bio) == REQ_OP_WRITE)
		return map_write(c, bio, io);
	if (bio_op(bio) == REQ_OP_READ)
		return map_read(c, bio, io);
	return map_mark(c, bio, io);
}

/* --- Completion --- */

static void end_direct(struct ssdup *c, struct ssdup_io *io)
{
	struct ssdup_range *r = range_of(c, io->start);

	ssdup_hdd_wrote(c);
	if (atomic_dec_and_test(&r->direct[io->phase]))
		ssdup_settled(c);
	ssdup_hdd_ended(c);
}

/* Sent back for want of a tag: it counts when its submitter comes with it again. */
static noinline void uncount(struct ssdup *c, const struct bio *bio, const struct ssdup_io *io)
{
	switch (io->way) {
	case IO_HDD_READ:
		stat_sub(c, STAT_READS_HDD, 1);
		stat_sub(c, STAT_READ_SECTORS_HDD, io->sectors);
		break;
	case IO_LOG_READ:
		stat_sub(c, STAT_READS_SSD, 1);
		stat_sub(c, STAT_READ_SECTORS_SSD, io->sectors);
		break;
	case IO_HDD_WRITE:
		stat_sub(c, STAT_WRITES_HDD, 1);
		if (bio_op(bio) == REQ_OP_WRITE)
			stat_sub(c, STAT_SECTORS_HDD, io->sectors);
		else
			stat_sub(c, STAT_DISCARDS, 1);
		break;
	}
}

/* A log write that failed takes no harm: it gives its place up, and is routed again. */
static noinline int end_log_write_error(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
					blk_status_t status)
{
	stat_sub(c, STAT_WRITES_SSD, 1);
	stat_sub(c, STAT_SECTORS_SSD, io->sectors);
	ssdup_refused(c, io, status);
	ssdup_give_up(c, io);
	ssdup_free_nodes(c, &io->nodes);
	ssdup_put_write(c, io->half);
	io->way = IO_NONE;
	io->times = 1;
	io->price = 0;
	wait_for_space(c, bio);
	return DM_ENDIO_INCOMPLETE;
}

int ssdup_end_io(struct dm_target *ti, struct bio *bio, blk_status_t *status)
{
	struct ssdup *c = ti->private;
	struct ssdup_io *io = io_of(bio);

	if (unlikely(*status == BLK_STS_AGAIN))
		uncount(c, bio, io);
	switch (io->way) {
	case IO_HDD_READ:
		ssdup_meter_end(&c->meter->hdd, io, true);
		ssdup_hdd_ended(c);
		break;
	case IO_HDD_WRITE:
		ssdup_meter_end(&c->meter->hdd, io, true);
		/* Below, FUA is a flush perhaps. Before the fence opens: a drain's comes later. */
		if (unlikely(*status && *status != BLK_STS_AGAIN && (io->opf & REQ_FUA)))
			ssdup_hdd_dropped(c);
		end_direct(c, io);
		break;
	case IO_LOG_READ:
		ssdup_meter_end(&c->meter->ssd, io, false);
		if (unlikely(*status && *status != BLK_STS_AGAIN)) {
			stat_inc(c, STAT_SSD_ERRORS);
			/* The same before and after a drain has marked it lost. */
			*status = BLK_STS_IOERR;
		}
		ssdup_put_read(c, io->half);
		break;
	case IO_LOG_WRITE:
		ssdup_meter_end(&c->meter->ssd, io, false);
		if (unlikely(*status))
			return end_log_write_error(c, bio, io, *status);
		log_extent(c, io, SSDUP_KIND_DATA);
		if (io->opf & REQ_FUA) {
			ssdup_queue_fua(c, bio);
			return DM_ENDIO_INCOMPLETE;
		}
		break;
	}
	return DM_ENDIO_DONE;
}

/* --- Waiting for space --- */

static void submit_waited(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
			  enum write_way way)
{
	sector_t from = bio->bi_iter.bi_sector;

	if (take_way(c, bio, io, way) != DM_MAPIO_REMAPPED)
		return;
	trace_block_bio_remap(bio, disk_devt(dm_disk(c->md)), from);
	submit_bio_noacct(bio);
}

void ssdup_wait_work(struct work_struct *work)
{
	struct ssdup *c = container_of(to_delayed_work(work), struct ssdup, wait_work);
	struct bio_list kept = BIO_EMPTY_LIST;
	enum write_way way;
	struct ssdup_io *io;
	struct bio *bio;

	ssdup_look_for_ssd(c);
	if (READ_ONCE(c->wait_cause) == WAIT_SPACE)
		ssdup_ration(c, ssdup_meter_left(c));
	while ((bio = ssdup_wait_pop(c))) {
		io = io_of(bio);
		way = route_write(c, bio, io, true);
		if (way == WRITE_WAITS && READ_ONCE(c->leaving) && dm_noflush_suspending(c->ti)) {
			/* The next table takes it. */
			ssdup_wait_done(c);
			if (io->refused)
				ssdup_renew(c, bio, io);
			if (io->opf & REQ_FUA)
				ssdup_unpay_fua(&c->debt);
			bio->bi_status = BLK_STS_DM_REQUEUE;
			bio_endio(bio);
			continue;
		}
		if (way == WRITE_WAITS && READ_ONCE(c->log_shut)) {
			/* Others may go to the HDD meanwhile. */
			bio_list_add(&kept, bio);
			cond_resched();
			continue;
		}
		if (way == WRITE_WAITS) {
			/* For other causes somebody else kicks. */
			if (READ_ONCE(c->wait_cause) == WAIT_SPACE && ssdup_rationed(c))
				ssdup_wait_ration(c, place_sectors(bio, io), ssdup_meter_left(c));
			bio_list_add(&kept, bio);
			break;
		}
		ssdup_wait_done(c);
		if (io->refused)
			ssdup_renew(c, bio, io);
		submit_waited(c, bio, io, way);
		cond_resched();
	}
	if (!bio_list_empty(&kept))
		ssdup_wait_again(c, &kept);
}
