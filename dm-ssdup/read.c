// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: reads of clean data that the SSD has failed.
 *
 * The HDD has what they ask for: it had it when they began. A write since then overlapped them in
 * time, so old and new data are both right. So they need not look at the map again.
 */
#include "log/log.h"
#include "map/map.h"
#include "read.h"
#include "write.h"

void ssdup_clean_refused(struct ssdup *c, struct bio *bio, struct ssdup_io *io,
			 blk_status_t status)
{
	stat_inc(c, STAT_SSD_ERRORS);
	stat_inc(c, STAT_CLEAN_ERRORS);
	count_clean(c, io, -1);
	ssdup_put_read(c->log, io->segment);
	/* The next read of it need not try. */
	ssdup_forget_part(c->map, io->start, io->sectors);
	ssdup_clean_error(c->drainer, status);
	io->state = IO_NONE;
	bio_queue_add(&c->refused, c->wake.wq, bio);
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
