/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: a request is counted and sent to a disk.
 */
#ifndef SSDUP_REMAP_H
#define SSDUP_REMAP_H

#include <trace/events/block.h>

#include "drain/drainer.h"
#include "log/guard.h"
#include "route/windows.h"

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

/* Submit a bio again, not from the map function, that was at sector @from of the device. */
static inline void submit_remapped(struct ssdup *c, struct bio *bio, sector_t from)
{
	trace_block_bio_remap(bio, disk_devt(dm_disk(c->md)), from);
	submit_bio_noacct(bio);
}

/* Count a request and its sectors; with a @sign of -1, take them back. */
static __always_inline void count_request(struct ssdup *c, const struct ssdup_io *io,
					  enum ssdup_stat requests, enum ssdup_stat sectors,
					  s64 sign)
{
	stat_add(c, requests, sign);
	stat_add(c, sectors, sign * io->sectors);
}

/* How long a request took that has ended without an error; ns, 0: it was not timed. */
static __always_inline u64 io_took(const struct ssdup_io *io, blk_status_t status)
{
	return io->sent && likely(!status) ? ktime_get_ns() - io->sent : 0;
}

/* Send a read to the HDD. Return: DM_MAPIO_*. */
static __always_inline int read_hdd(struct ssdup *c, struct bio *bio, struct ssdup_io *io)
{
	io->state = IO_HDD_READ;
	stat_inc(c, STAT_READS_HDD);
	ssdup_window_read(c->router, true);
	return remap_hdd(c, bio, io);
}

#endif
