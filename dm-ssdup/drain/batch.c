// SPDX-License-Identifier: GPL-2.0-only
/* Owns the reads and writes of a batch in flight, from the SSD to the HDD. */
#include <linux/wait_bit.h>

#include "base/step.h"
#include "base/sync_io.h"
#include "drain_internal.h"
#include "log/guard.h"
#include "log/staging.h"

/* --- Buffers --- */

int ssdup_batch_init(struct ssdup_drainer *drainer, struct drain_batch *b)
{
	u32 i;

	b->drainer = drainer;
	init_completion(&b->done);
	b->plan.max_run = DRAIN_RUN;
	b->plan.pieces = kvcalloc(DRAIN_ROOM, sizeof(*b->plan.pieces), GFP_KERNEL);
	b->plan.runs = kvcalloc(DRAIN_ROOM, sizeof(*b->plan.runs), GFP_KERNEL);
	b->io = kvcalloc(DRAIN_ROOM, sizeof(*b->io), GFP_KERNEL);
	b->scratch = alloc_page(GFP_KERNEL);
	if (!b->plan.pieces || !b->plan.runs || !b->io || !b->scratch)
		return -ENOMEM;
	for (i = 0; i < DRAIN_PAGES; i++) {
		b->page[i] = alloc_page(GFP_KERNEL);
		if (!b->page[i])
			return -ENOMEM;
	}
	return 0;
}

void ssdup_batch_exit(struct drain_batch *b)
{
	u32 i;

	for (i = 0; i < DRAIN_PAGES; i++)
		if (b->page[i])
			__free_page(b->page[i]);
	if (b->scratch)
		__free_page(b->scratch);
	kvfree(b->io);
	kvfree(b->plan.runs);
	kvfree(b->plan.pieces);
}

/* --- Transfers --- */

static void transfer_ended(struct drain_batch *b)
{
	bool spread = b->spread;

	/* After the last put the thread may free the batch. */
	if (atomic_dec_and_test(&b->pending))
		complete(&b->done);
	else if (spread)
		wake_up_var(&b->pending);
}

static void batch_begin(struct drain_batch *b, bool spread)
{
	reinit_completion(&b->done);
	b->spread = spread;
	atomic_set(&b->pending, 1);
}

void ssdup_batch_wait(struct drain_batch *b)
{
	transfer_ended(b);
	wait_for_completion_io(&b->done);
}

static void drain_end_io(struct bio *bio)
{
	struct drain_io *io = bio->bi_private;
	struct drain_batch *b = io->batch;

	drive_ended(io->disk, bio->bi_status);
	if (bio->bi_status)
		WRITE_ONCE(io->status, bio->bi_status);
	/* First: after the last put of the batch the thread may free the bioset. */
	bio_put(bio);
	transfer_ended(b);
}

/* Wait for one short read; after a late one read the rest at once. */
static void wait_for_read(struct drain_batch *b)
{
	b->due += DRAIN_SPREAD_NS;
	wait_var_event(&b->pending, atomic_read(&b->pending) == 1);
	b->spread = ktime_get_ns() <= b->due;
}

/* Move @sectors between a disk and the buffer, in as many bios as that takes. */
static void drain_transfer(struct drain_batch *b, struct drain_io *io, struct drive_user *disk,
			   blk_opf_t opf, u64 sector, u32 offset, u32 sectors)
{
	u32 at = offset << SECTOR_SHIFT, left = sectors << SECTOR_SHIFT, room, len;
	struct bio *bio;

	io->batch = b;
	io->disk = disk;
	io->status = BLK_STS_OK;
	while (left) {
		room = b->spread ? min(left, DRAIN_SPREAD << SECTOR_SHIFT) : left;
		left -= room;
		bio = bio_alloc_bioset(disk->bdev, bio_max_segs(room / PAGE_SIZE + 2), opf,
				       GFP_NOIO, &b->drainer->c->bs);
		bio->bi_iter.bi_sector = sector;
		bio->bi_end_io = drain_end_io;
		bio->bi_private = io;
		while (room) {
			len = min_t(u32, room, PAGE_SIZE - offset_in_page(at));
			if (bio_add_page(bio, b->page[at >> PAGE_SHIFT], len,
					 offset_in_page(at)) != len)
				break;
			at += len;
			room -= len;
		}
		left += room;
		sector += bio_sectors(bio);
		atomic_inc(&b->pending);
		if (!op_is_write(opf))
			ssdup_load_read(&disk->drive->load);
		drive_submit(disk, bio);
		if (b->spread)
			wait_for_read(b);
	}
}

/* Is a piece in memory, since the SSD has refused it? Then copy it. */
static bool copy_stranded(struct drain_batch *b, const struct drain_piece *p)
{
	u32 at = p->offset << SECTOR_SHIFT, left = p->sectors << SECTOR_SHIFT, from, len;
	struct stage_room room;

	if (!ssdup_stage_get(b->drainer->log, p->pos, &room))
		return false;
	from = (room.at + (p->pos - room.buffer->span[room.nr].pos)) << SECTOR_SHIFT;
	for (; left; left -= len, at += len, from += len) {
		len = min_t(u32, left, PAGE_SIZE - offset_in_page(at));
		ssdup_stage_copy(room.buffer, from,
				 page_address(b->page[at >> PAGE_SHIFT]) + offset_in_page(at), len,
				 false);
	}
	ssdup_stage_put_read(&room);
	return true;
}

static void read_piece(struct drain_batch *b, struct drain_io *io, const struct drain_piece *p)
{
	struct ssdup_ssd *ssd = ssd_at(b->drainer->log, p->pos);

	if (unlikely(segment_staged(segment_of(b->drainer->log, p->pos))) && copy_stranded(b, p)) {
		io->status = BLK_STS_OK;
		return;
	}

	drain_transfer(b, io, &ssd->user, REQ_OP_READ, ssd_sector(ssd, p->pos), p->offset,
		       p->sectors);
}

void ssdup_batch_read(struct ssdup_drainer *drainer, struct drain_batch *b, bool spread)
{
	const struct drain_piece *p;
	struct blk_plug plug;
	u32 i;

	/* Allow for one slow read. */
	b->due = ktime_get_ns() + NSEC_PER_MSEC;
	batch_begin(b, spread);
	blk_start_plug(&plug);
	for (i = 0; i < b->plan.nr_pieces; i++) {
		p = &b->plan.pieces[i];
		if (p->kind == SSDUP_KIND_DATA)
			read_piece(b, &b->io[i], p);
	}
	blk_finish_plug(&plug);
	ssdup_step(drainer->c, STEP_DRAIN_READ);
}

int ssdup_batch_reread(struct drain_batch *b, const struct drain_piece *block)
{
	struct drain_io io;

	batch_begin(b, false);
	read_piece(b, &io, block);
	ssdup_batch_wait(b);
	return blk_status_to_errno(io.status);
}

/* The first sectors of a run, which the guard is in front of. */
static void write_guarded(struct ssdup_drainer *drainer, struct drain_batch *b, u32 i, u32 sectors,
			  blk_opf_t opf)
{
	const struct drain_run *run = &b->plan.runs[i];
	int r = ssdup_hdd_write(drainer->log, opf, run->start, b->page,
				run->offset << SECTOR_SHIFT, sectors << SECTOR_SHIFT);

	if (r)
		WRITE_ONCE(b->io[i].status, errno_to_blk_status(r));
}

void ssdup_batch_write_begin(struct ssdup_drainer *drainer, struct drain_batch *b)
{
	blk_opf_t opf = drain_write_opf(drainer);
	const struct drain_run *run;
	struct blk_plug plug;
	bool behind = false;
	u32 i, part;

	batch_begin(b, false);
	blk_start_plug(&plug);
	for (i = 0; i < b->plan.nr_runs; i++) {
		run = &b->plan.runs[i];
		if (run->kind != SSDUP_KIND_DATA)
			continue;
		ssdup_step(drainer->c, STEP_DRAIN_WRITE);
		part = guard_part(drainer->log, run->start, run->sectors);
		/*
		 * While the guard is open, these are as all others. Once for a batch: a change that
		 * comes meanwhile waits for it, and so it must not wait for a change.
		 */
		if (part && !b->guarded && !behind) {
			b->guarded = ssdup_guard_enter(drainer->log);
			behind = !b->guarded;
		}
		if (!behind)
			part = 0;
		drain_transfer(b, &b->io[i], &drainer->c->hdd_user, opf, run->start + part,
			       run->offset + part, run->sectors - part);
		if (part)
			write_guarded(drainer, b, i, part, opf);
	}
	blk_finish_plug(&plug);
	ssdup_step(drainer->c, STEP_DRAIN_SENT);
}

void ssdup_batch_write_end(struct ssdup_drainer *drainer, struct drain_batch *b)
{
	ssdup_batch_wait(b);
	if (b->guarded)
		ssdup_guard_left(drainer->log);
	b->guarded = false;
	ssdup_step(drainer->c, STEP_DRAIN_WRITTEN);
}

/* Zeroes for an HDD that has no command for them, or refuses it. */
static int write_zeroes(struct ssdup_drainer *drainer, u64 sector, u32 sectors)
{
	struct bio *bio;
	u32 len;
	int r;

	for (r = 0; sectors && !r; sectors -= len, sector += len) {
		bio = bio_alloc_bioset(drainer->c->hdd->bdev, BIO_MAX_VECS, REQ_OP_WRITE, GFP_NOIO,
				       &drainer->c->bs);
		bio->bi_iter.bi_sector = sector;
		while (bio_sectors(bio) < sectors) {
			len = min_t(u32, sectors - bio_sectors(bio), PAGE_SECTORS);
			if (!bio_add_page(bio, ZERO_PAGE(0), len << SECTOR_SHIFT, 0))
				break;
		}
		len = bio_sectors(bio);
		r = submit_bio_wait(bio);
		drive_ended(&drainer->c->hdd_user, bio->bi_status);
		bio_put(bio);
	}
	return r;
}

static int zero_range(struct ssdup_drainer *drainer, u64 sector, u32 sectors)
{
	struct drive_user *hdd = &drainer->c->hdd_user;
	struct page *zeroes = ZERO_PAGE(0);
	u32 len;
	int r;

	for (; guard_part(drainer->log, sector, sectors); sectors -= len, sector += len) {
		len = min_t(u32, guard_part(drainer->log, sector, sectors), PAGE_SECTORS);
		r = ssdup_hdd_write(drainer->log, REQ_OP_WRITE, sector, &zeroes, 0,
				    len << SECTOR_SHIFT);
		if (r || len == sectors)
			return r;
	}
	r = -EOPNOTSUPP;
	/* The log does not record REQ_NOUNMAP, so assume it. */
	if (bdev_write_zeroes_sectors(hdd->bdev))
		r = ssdup_sync_range(hdd, REQ_OP_WRITE_ZEROES | REQ_NOUNMAP, sector, sectors);
	/* One that has not got the command, or refuses it, may take zeroes as data. */
	return r ? write_zeroes(drainer, sector, sectors) : 0;
}

int ssdup_batch_tombstone(struct ssdup_drainer *drainer, const struct drain_run *run)
{
	struct drive_user *hdd = &drainer->c->hdd_user;
	int r = 0;

	ssdup_step(drainer->c, STEP_TOMBSTONE_WRITE);
	switch (run->kind) {
	case SSDUP_KIND_ZERO:
		r = zero_range(drainer, run->start, run->sectors);
		break;
	case SSDUP_KIND_DISCARD:
		if (bdev_max_discard_sectors(hdd->bdev))
			r = ssdup_hdd_discard(drainer->log, run->start, run->sectors);
		if (r == -EOPNOTSUPP)
			r = 0;
		break;
	case SSDUP_KIND_LOST:
		return -ENODATA;
	}
	ssdup_step(drainer->c, STEP_TOMBSTONE_WRITTEN);
	return r;
}

/* --- One block --- */

void ssdup_batch_copy(struct drain_batch *b, u32 offset, u32 sectors)
{
	u32 at = offset << SECTOR_SHIFT, left = sectors << SECTOR_SHIFT, done = 0, len;
	char *scratch = page_address(b->scratch);
	struct page *page;

	while (done < left) {
		page = b->page[(at + done) >> PAGE_SHIFT];
		len = min_t(u32, left - done, PAGE_SIZE - offset_in_page(at + done));
		memcpy_from_page(scratch + done, page, offset_in_page(at + done), len);
		done += len;
	}
}
