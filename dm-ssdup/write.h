/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: a write is sent to the disk that its route names, or waits.
 */
#ifndef SSDUP_WRITE_H
#define SSDUP_WRITE_H

#include <trace/events/block.h>

#include "drain/drainer.h"
#include "log/guard.h"
#include "log/reserve.h"
#include "map/map.h"
#include "route/window.h"

static inline struct ssdup_io *io_of(struct bio *bio)
{
	return dm_per_bio_data(bio, sizeof(struct ssdup_io));
}

/* Return: DM_MAPIO_REMAPPED, or DM_MAPIO_SUBMITTED when the guard serves it. */
static inline int remap_hdd(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	ssdup_hdd_begun(c->drainer);
	bio_set_dev(bio, c->hdd->bdev);
	bio->bi_iter.bi_sector = io->start;
	if (unlikely(io->start < c->log->guarded) && ssdup_guard_takes(c->log, bio, io))
		return DM_MAPIO_SUBMITTED;
	return DM_MAPIO_REMAPPED;
}

/* @pos is in @seg. Return: DM_MAPIO_REMAPPED, or DM_MAPIO_SUBMITTED when the SSD has a mirror. */
static inline int remap_log(struct ssdup *c, struct bio *bio, const struct ssdup_segment *seg,
			    u64 pos)
{
	const struct ssdup_ssd *ssd = ssd_of(c->log, seg);

	this_cpu_inc(c->stats->requests);
	bio_set_dev(bio, ssd->user.bdev);
	bio->bi_iter.bi_sector = ssd_sector(ssd, pos);
	if (likely(!ssd->user.mirror))
		return DM_MAPIO_REMAPPED;
	ssdup_mirror_submit(ssd->user.mirror, bio);
	return DM_MAPIO_SUBMITTED;
}

/* Count a request and its sectors; with a @sign of -1, take them back. */
static __always_inline void count_request(struct ssdup *c, const struct ssdup_io *io,
					  enum ssdup_stat requests, enum ssdup_stat sectors,
					  s64 sign)
{
	stat_add(c, requests, sign);
	stat_add(c, sectors, sign * io->sectors);
}

static __always_inline void count_clean(struct ssdup *c, const struct ssdup_io *io, s64 sign)
{
	count_request(c, io, STAT_READS_SSD, STAT_READ_SECTORS_SSD, sign);
	count_request(c, io, STAT_READS_CLEAN, STAT_READ_SECTORS_CLEAN, sign);
	if (READ_ONCE(io->segment->copies))
		stat_add(c, STAT_READS_PROMOTED, sign);
}

/* Send a read to the HDD. Return: DM_MAPIO_*. */
static __always_inline int read_hdd(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->state = IO_HDD_READ;
	count_request(c, io, STAT_READS_HDD, STAT_READ_SECTORS_HDD, 1);
	if (unlikely(READ_ONCE(c->router->ghosts)))
		ssdup_ghosts_begin(c->router, io);
	ssdup_window_read(c->router, true);
	return remap_hdd(c, bio, io);
}

/* Submit a bio again, not from the map function, that was at sector @from of the device. */
static inline void submit_remapped(struct ssdup *c, struct bio *bio, sector_t from)
{
	trace_block_bio_remap(bio, disk_devt(dm_disk(c->md)), from);
	submit_bio_noacct(bio);
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
		range_cut_clean(c->map, r, io->start, io->sectors);
	}
	spin_unlock_irqrestore(&r->lock, flags);
	return !overlaps;
}

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

/* How long a request took that has ended without an error; ns, 0: it was not timed. */
static __always_inline u64 io_took(const struct ssdup_io *io, blk_status_t status)
{
	return io->sent && likely(!status) ? ktime_get_ns() - io->sent : 0;
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

/**
 * ssdup_write_with_care() - route a write that the fast path has left, and send it
 *
 * Context: the map function. Return: DM_MAPIO_*.
 */
int ssdup_write_with_care(struct ssdup *c, struct bio *bio, struct ssdup_io *io);

/** ssdup_tries_all() - is there no choice for windows to make, or no time to wait for one? */
bool ssdup_tries_all(struct ssdup *c);

/** ssdup_wait_for_window() - a write waits until its disk takes it. Return: DM_MAPIO_SUBMITTED. */
int ssdup_wait_for_window(struct ssdup *c, struct bio *bio, struct ssdup_io *io);

/** ssdup_log_again() - give up the place of a request that the log has not got; route it again */
void ssdup_log_again(struct ssdup *c, struct bio *bio, struct ssdup_io *io);

/** ssdup_wait_work() - try the waiting writes again */
void ssdup_wait_work(struct work_struct *work);

#endif
