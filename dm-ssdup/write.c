// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the way of a write: its disk, a place there, the request, and its end.
 *
 * A write that comes and one that has waited go the same way, from ssdup_route_write() on. Nothing
 * here sleeps: a write that finds no window, no place in the log, or no memory for its extent,
 * joins a list of route/waiters.c, and waited.c tries it again.
 */
#include "base/failure.h"
#include "base/hints.h"
#include "base/trace.h"
#include "base/wakeups.h"
#include "log/clean_list.h"
#include "log/nodes.h"
#include "log/staging.h"
#include "remap.h"
#include "route/stream.h"
#include "write.h"

#define MEMORY_RETRY	(HZ / 50 + 1)

static void queue_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	stat_inc(c, STAT_WAITED);
	/* A work item, which may block, will submit it. */
	bio->bi_opf &= ~REQ_NOWAIT;
	ssdup_wait_add(c->router, io);
}

/* Give up the place of a request that the log has not got, and route it again. */
static void give_up_place(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	ssdup_give_up(c->log, io);
	ssdup_free_spare(c->log, io);
	ssdup_put_write(c->log, io->segment);
	io->state = IO_NONE;
	queue_write(c, bio, io);
}

/* --- The disk that a write is meant for --- */

/* Does the log take no writes now: its SSD is away, or the device is being suspended? */
static __always_inline bool takes_none(const struct ssdup *c)
{
	return READ_ONCE(c->log_shut) || READ_ONCE(c->leaving);
}

bool ssdup_tries_all(struct ssdup *c)
{
	if (takes_none(c))
		return true;
	return ssdup_segments_full(c->log) &&
	       (ssdup_log_spent(c->log) || ssdup_drain_fails(c->drainer));
}

/* choose_by_window(), if the log is full or shut. */
static noinline bool choose_with_care(struct ssdup *c, const struct ssdup_io *io,
				      enum ssdup_disk *disk)
{
	struct window_facts f;

	if (ssdup_tries_all(c)) {
		*disk = SSDUP_HDD;
		return true;
	}
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

	ssdup_window_came(c->router, io);
	if (unlikely(takes_none(c) || ssdup_segments_full(c->log)))
		return choose_with_care(c, io, disk);
	if (atomic_read(&c->wake.nr_waiting))
		return false;
	f = ssdup_window_facts(c->router, true);
	return ssdup_window_takes(&f, io->kind, disk);
}

/* --- A write that ends in memory --- */

/*
 * May a write end there, if it is for the log? Not while somebody waits for one commit after the
 * other: he would wait for what others have staged. By windows such a write needs none, unless room
 * on the SSD has a price. By streams it does not pass those that wait for the log.
 */
static __always_inline bool may_stage(struct ssdup *c, const struct ssdup_io *io)
{
	return io->sectors <= STAGE_MOST && !(io->opf & REQ_FUA) && !takes_none(c) &&
	       !ssdup_stage_rests(c->log) && !ssdup_segments_full(c->log) &&
	       !(ssdup_windowed(c) ? READ_ONCE(c->set.ssd_budget) :
		 atomic_read(&c->wake.nr_waiting));
}

/* What the open segment has left, if a write is too long for it, and it is worth a part; or 0. */
static u32 worthy_rest(const struct ssdup *c, const struct ssdup_io *io)
{
	u32 rest = ssdup_rest(c->log, ssdup_io_class(c->log, io));

	return rest < io->sectors && rest >= io->sectors / 4 ? rest : 0;
}

/* Return: false without room, without a place in the log, or if a segment has a rest to fill. */
static bool write_staged(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	struct stage_room room;
	bool again;
	u64 pos;

	/* It may overlap what an SSD has that has failed. */
	if (class_closed(c->log, ssdup_io_class(c->log, io)) ||
	    !ssdup_stage_take(c->log, io->sectors, &room))
		return false;
	if (!ssdup_reserve_at_once(c->log, io) &&
	    (worthy_rest(c, io) || ssdup_reserve(c->log, io, io->sectors, 0))) {
		ssdup_stage_put(&room);
		return false;
	}
	trace_ssdup_route(c, io, ROUTE_LOG);
	pos = ssdup_fill_extent(c->log, io, io->start, io->sectors, SSDUP_KIND_DATA);
	ssdup_stage_fill(&room, io, pos, bio);
	io->staged = true;
	ssdup_step(c, STEP_STAGE_COPIED);
	again = !ssdup_insert(c->map, io);
	io->staged = false;
	if (unlikely(again)) {
		ssdup_stage_empty(&room);
		ssdup_stage_put(&room);
		give_up_place(c, bio, io);
		return true;
	}
	/* Its segment is not free before this is on the SSD. */
	room.buffer->record[room.nr].seq = io->e->seq;
	if (ssdup_windowed(c))
		ssdup_window_staged(c->router, io);
	this_cpu_inc(c->stats->requests);
	count_request(c, io, STAT_WRITES_SSD, STAT_SECTORS_SSD, 1);
	ssdup_stage_put(&room);
	bio_endio(bio);
	return true;
}

/* --- Requests --- */

static __always_inline void ssd_begin_write(struct ssdup *c, struct ssdup_ssd *ssd, u32 sectors)
{
	ssdup_load_begin(ssd_load(ssd), LOAD_WRITES, sectors);
	if (unlikely(c->nr_ssds > 1))
		ssdup_spread_begin(c->router, ssd, sectors);
}

/* @took: ns; 0: it was not timed. */
static __always_inline void ssd_end_write(struct ssdup *c, struct ssdup_ssd *ssd,
					  const struct ssdup_io *io, u64 took)
{
	ssdup_load_end(ssd_load(ssd), LOAD_WRITES, io->sectors, io->sent, took);
	if (unlikely(c->nr_ssds > 1))
		ssdup_spread_end(ssd, io->sectors, took);
}

/* A write begins at @disk, and perhaps its time. */
static __always_inline void begin_write(struct ssdup *c, struct ssdup_io *io, enum ssdup_disk disk)
{
	bool timed = ssdup_windowed(c) ? ssdup_window_send(c->router, io, disk) :
		     disk == SSDUP_SSD && load_is_timed(io->start, io->sectors);

	if (disk == SSDUP_SSD)
		ssd_begin_write(c, ssd_of(c->log, io->segment), io->sectors);
	io->sent = timed ? ktime_get_ns() : 0;
}

static __always_inline int write_direct(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->state = IO_HDD_WRITE;
	count_request(c, io, STAT_WRITES_HDD, STAT_SECTORS_HDD, 1);
	begin_write(c, io, SSDUP_HDD);
	return remap_hdd(c, bio, io);
}

static __always_inline int write_log(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->state = IO_LOG_WRITE;
	count_request(c, io, STAT_WRITES_SSD, STAT_SECTORS_SSD, 1);
	begin_write(c, io, SSDUP_SSD);
	/*
	 * The commit after the write makes its data durable too. The place is
	 * taken, so the write must not fail for want of a tag.
	 */
	bio->bi_opf &= ~(REQ_FUA | REQ_NOWAIT);
	ssdup_set_stream(bio, io->segment->class->stream);
	return remap_log(c, bio, io->segment,
			 ssdup_fill_extent(c->log, io, io->start, io->sectors, SSDUP_KIND_DATA));
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

static noinline int tombstone_log(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	ssdup_fill_extent(c->log, io, io->start, io->sectors, log_kind(bio));
	if (!ssdup_insert(c->map, io)) {
		give_up_place(c, bio, io);
		return DM_MAPIO_SUBMITTED;
	}
	stat_inc(c, STAT_WRITES_SSD);
	if (io->opf & REQ_FUA)
		ssdup_fua_add(c->log, bio);
	else
		bio_endio(bio);
	return DM_MAPIO_SUBMITTED;
}

/* @data: is it a write? */
static __always_inline int send_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
				      enum route_action action, bool data)
{
	trace_ssdup_route(c, io, action);
	switch (action) {
	case ROUTE_HDD:
		return data ? write_direct(c, bio, io) : tombstone_direct(c, bio, io);
	case ROUTE_LOG:
		return data ? write_log(c, bio, io) : tombstone_log(c, bio, io);
	case ROUTE_WAIT:
		queue_write(c, bio, io);
		return DM_MAPIO_SUBMITTED;
	default:
		bio_io_error(bio);
		return DM_MAPIO_SUBMITTED;
	}
}

int ssdup_send_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
		     enum route_action action)
{
	return send_write(c, bio, io, action, bio_op(bio) == REQ_OP_WRITE);
}

/* --- A place --- */

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
		range_cut_clean(c->map, r, io->start, io->sectors);
	}
	spin_unlock_irqrestore(&r->lock, flags);
	return !overlaps;
}

/* A segment that is forgotten, or freed, gives nodes back; memory may be free sooner. */
static void ask_for_memory(struct ssdup *c)
{
	ssdup_nodes_wanted(c->drainer);
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
	u32 sectors = io->sectors, rest = worthy_rest(c, io);

	if (bio_op(bio) != REQ_OP_WRITE || !rest)
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

/* What counts only for a write that cannot go where it is meant to. */
static noinline void look_at_causes(struct ssdup *c, struct route_facts *f)
{
	bool fails = ssdup_drain_fails(c->drainer), spent = ssdup_log_spent(c->log);

	/* With the log full, a write for it would wait for nothing. */
	f->bypass = spent || (fails && ssdup_windowed(c));
	f->leaving = READ_ONCE(c->leaving);
	f->stuck = (fails || spent) && !dm_noflush_suspending(c->ti);
}

/* The HDD has refused a write. */
static noinline void note_overlap(struct ssdup *c, struct ssdup_io *io, struct route_facts *f)
{
	f->overlaps = true;
	io->kind = WINDOW_REWRITE;
	/* Perhaps of another class than the one that was asked as for new data. */
	if (!f->no_place)
		f->log_writable = ssdup_mode(c) == MODE_RUNNING;
	if (f->queue || f->shut)
		look_at_causes(c, f);
}

/* Return: false when the log has refused a write; @f says why. */
static noinline bool take_place(struct ssdup *c, struct bio *bio, struct ssdup_io *io, bool waited,
				struct route_facts *f)
{
	int r;

	/* The map may have changed since the class was chosen. */
	if (unlikely(c->log->classes.nr > 1) && !ssdup_class_keep(c->router, io)) {
		f->no_place = true;
		f->log_writable = !class_closed(c->log, torn_class(c->log, io));
		look_at_causes(c, f);
		return false;
	}
	/* What overlaps it must not go elsewhere: a replay would bring it back. */
	f->log_writable = !class_closed(c->log, ssdup_io_class(c->log, io));
	if (!f->log_writable)
		return false;
	if (!waited && take_rest(c, bio, io))
		return true;
	do
		r = ssdup_reserve(c->log, io, place_sectors(bio, io), allowed(c, io));
	while (r == -SSDUP_ERR_NO_SEGMENT && ssdup_class_other(c->router, io));
	if (!r)
		return true;
	f->no_place = true;
	f->no_memory = r == -SSDUP_ERR_NO_NODE;
	f->unaligned = r == -SSDUP_ERR_UNALIGNED;
	/* Only now: the refusal may be what makes the log full. */
	look_at_causes(c, f);
	if (f->no_memory)
		ask_for_memory(c);
	return false;
}

/* Take what the route needs. Return: false when that failed; @f says why. */
static __always_inline bool try_route(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
				      bool waited, enum route_action action, struct route_facts *f)
{
	switch (action) {
	case ROUTE_HDD:
		if (likely(begin_direct(c, io)))
			return true;
		note_overlap(c, io, f);
		return false;
	case ROUTE_LOG:
		/* It has just got its class, unless it was meant for the HDD. */
		if (!waited && !f->overlaps && bio_op(bio) == REQ_OP_WRITE &&
		    likely(ssdup_reserve_at_once(c->log, io)))
			return true;
		return take_place(c, bio, io, waited, f);
	default:
		return true;
	}
}

/* ssdup_route_write(), inline where a write comes. */
static __always_inline enum route_action route_write(struct ssdup *c, struct bio *bio,
						     struct ssdup_io *io, bool waited)
{
	struct route_facts f = {
		.disk = io->route,
		.log_writable = ssdup_mode(c) == MODE_RUNNING,
		.shut = READ_ONCE(c->log_shut),
		.queue = !waited && !io->ahead && ssdup_wait_queue(c->router, io),
	};
	enum route_action action;

	if (unlikely(f.disk == SSDUP_SSD && (f.queue || f.shut || !f.log_writable)))
		look_at_causes(c, &f);
	do
		action = ssdup_route_next(&f);
	while (!try_route(c, bio, io, waited, action, &f));
	if (unlikely(action == ROUTE_WAIT) && f.shut)
		ssdup_note_cause(c, WAIT_SSD);
	return action;
}

enum route_action ssdup_route_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
				    bool waited)
{
	return route_write(c, bio, io, waited);
}

/* --- Writes, discards and zeroes that come --- */

int ssdup_map_write(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	enum ssdup_disk disk = SSDUP_SSD;

	io->iter = bio->bi_iter;
	io->opf = bio->bi_opf;
	if (!ssdup_windowed(c))
		disk = ssdup_stream_note(c->router, io->start, io->sectors);
	io->route = disk;
	io->ahead = goes_ahead(c, io);
	if (disk == SSDUP_SSD && may_stage(c, io) && write_staged(c, bio, io))
		return DM_MAPIO_SUBMITTED;
	/* For one who flushes a place is kept, unless the budget is used up. */
	if (ssdup_windowed(c) && !choose_by_window(c, io, &disk) &&
	    !(io->ahead && ssdup_window_price(c->router) < PRICE_NEVER)) {
		queue_write(c, bio, io);
		return DM_MAPIO_SUBMITTED;
	}
	io->route = disk;
	return send_write(c, bio, io, route_write(c, bio, io, false), true);
}

int ssdup_map_discard(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->iter = bio->bi_iter;
	io->opf = bio->bi_opf;
	io->route = SSDUP_HDD;
	io->ahead = goes_ahead(c, io);
	return ssdup_send_write(c, bio, io, ssdup_route_write(c, bio, io, false));
}

/* --- Ends --- */

void ssdup_end_direct(struct ssdup *c, struct ssdup_io *io, blk_status_t status)
{
	struct ssdup_range *r = range_of(c->map, io->start);

	ssdup_window_end(c->router, io, SSDUP_HDD, io->guarded ? 0 : io_took(io, status));
	if (unlikely(io->guarded))
		ssdup_guard_left(c->log);
	ssdup_hdd_wrote(c->drainer);
	if (atomic_dec_and_test(&r->direct[io->phase]))
		ssdup_settled(c);
	ssdup_hdd_ended(c->drainer);
}

/* A log write that failed, or was overtaken, abandons its place, and is routed again. */
static noinline int end_logged_again(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
				     blk_status_t status)
{
	count_request(c, io, STAT_WRITES_SSD, STAT_SECTORS_SSD, -1);
	if (status)
		ssdup_refused(c->router, io, status);
	io->again = true;
	give_up_place(c, bio, io);
	return DM_ENDIO_INCOMPLETE;
}

int ssdup_end_logged(struct ssdup *c, struct bio *bio, struct ssdup_io *io, blk_status_t status)
{
	u64 took = io_took(io, status);

	ssd_end_write(c, ssd_of(c->log, io->segment), io, took);
	ssdup_window_end(c->router, io, SSDUP_SSD, took);
	if (unlikely(status) || unlikely(!ssdup_insert(c->map, io)))
		return end_logged_again(c, bio, io, status);
	if (!(io->opf & REQ_FUA))
		return DM_ENDIO_DONE;
	/*
	 * It ends once more, when it is durable. The first end has put bi_blkg, so io.latency and
	 * io.cost of the SSD do not count the second.
	 */
	io->state = IO_NONE;
	ssdup_fua_add(c->log, bio);
	return DM_ENDIO_INCOMPLETE;
}
