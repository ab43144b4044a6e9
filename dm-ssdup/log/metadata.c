// SPDX-License-Identifier: GPL-2.0-only
/* Owns flushes of the SSD and durable writes to it, and after an error the end of both. */
#include <linux/delay.h>
#include <linux/sizes.h>

#include "base/failure.h"
#include "base/owed_errors.h"
#include "internal.h"

int ssdup_sync_io(struct block_device *bdev, blk_opf_t opf, u64 sector, struct page *page,
		  unsigned int offset, unsigned int bytes)
{
	return ssdup_sync_stream(bdev, opf, sector, page, offset, bytes, 0);
}

int ssdup_sync_stream(struct block_device *bdev, blk_opf_t opf, u64 sector, struct page *page,
		      unsigned int offset, unsigned int bytes, u8 stream)
{
	struct bio_vec bv;
	struct bio bio;
	int r;

	bio_init(&bio, bdev, &bv, 1, opf);
	bio.bi_iter.bi_sector = sector;
	ssdup_set_stream(&bio, stream);
	__bio_add_page(&bio, page, bytes, offset);
	r = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return r;
}

/* 2 GiB: a bio counts bytes in 32 bits. */
#define RANGE_SECTORS	((u32)SZ_4M)

int ssdup_sync_range(struct block_device *bdev, blk_opf_t opf, u64 sector, u64 sectors)
{
	struct bio bio;
	u32 part;
	int r;

	for (r = 0; sectors && !r; sectors -= part, sector += part) {
		part = min_t(u64, sectors, RANGE_SECTORS);
		bio_init(&bio, bdev, NULL, 0, opf);
		bio.bi_iter.bi_sector = sector;
		bio.bi_iter.bi_size = part << SECTOR_SHIFT;
		r = submit_bio_wait(&bio);
		bio_uninit(&bio);
	}
	return r;
}

bool ssdup_passes(int error)
{
	switch (errno_to_blk_status(error)) {
	case BLK_STS_RESOURCE:
	case BLK_STS_DEV_RESOURCE:
	case BLK_STS_AGAIN:
	case BLK_STS_TIMEOUT:
	case BLK_STS_TRANSPORT:
		return true;
	default:
		return false;
	}
}

/*
 * Does the SSD do FUA without a flush? A flush that fails may drop data, and the next
 * one succeeds. A stacked device always claims FUA, so do not trust it.
 */
static bool fua_is_no_flush(struct block_device *bdev)
{
	return !bdev->bd_disk->fops->submit_bio && (!bdev_write_cache(bdev) || bdev_fua(bdev));
}

/* Only the first error: a drain may write back all dirty data, and then FLUSHes succeed. */
static void end_commits(struct ssdup_log *log, bool owe)
{
	if (owe && !log->no_commits)
		ssdup_owe(&log->c->debt);
	log->no_commits = true;
}

int ssdup_meta_begin(struct ssdup_log *log)
{
	mutex_lock(&log->meta->lock);
	/* What the SSD has dropped may have been this log's. */
	if (log->flush_errors != log->meta->flush_errors) {
		log->flush_errors = log->meta->flush_errors;
		end_commits(log, true);
		ssdup_fail(log->c, MODE_LOG_READ_ONLY, "a flush of the SSD failed for another log");
	}
	return log->no_commits ? -EIO : 0;
}

void ssdup_meta_end(struct ssdup_log *log, int error, bool flush)
{
	struct ssdup_meta *meta = log->meta;

	lockdep_assert_held(&meta->lock);
	if (error) {
		flush |= !fua_is_no_flush(log->c->ssd->bdev);
		end_commits(log, flush);
		if (flush) {
			WRITE_ONCE(meta->flush_errors, meta->flush_errors + 1);
			log->flush_errors = meta->flush_errors;
		}
	}
	mutex_unlock(&meta->lock);
}

void ssdup_meta_wrote(struct ssdup_log *log, u32 blocks)
{
	lockdep_assert_held(&log->meta->lock);
	WRITE_ONCE(log->meta_written, log->meta_written + blocks * SSDUP_BLOCK_SECTORS);
}

u64 ssdup_meta_written(const struct ssdup_log *log)
{
	return READ_ONCE(log->meta_written);
}

void ssdup_ssd_failed(struct ssdup_log *log)
{
	stat_inc(log->c, STAT_SSD_ERRORS);
	atomic_inc(&log->meta->failures);
}

u32 ssdup_ssd_failures(const struct ssdup_log *log)
{
	return atomic_read(&log->meta->failures);
}

int ssdup_meta_again(struct ssdup_log *log, int error, u64 sector, struct page *page,
		     unsigned long end)
{
	if (!error || !fua_is_no_flush(log->c->ssd->bdev))
		return error;
	while (error && ssdup_passes(error) && time_before(jiffies, end)) {
		ssdup_ssd_failed(log);
		msleep(RETRY_PAUSE_MS);
		error = ssdup_sync_io(log->c->ssd->bdev, REQ_OP_WRITE | SSDUP_META_FLAGS, sector,
				      page, 0, SSDUP_PAGE_BYTES);
	}
	return error;
}

int ssdup_flush_ssd(struct ssdup_log *log)
{
	int r;

	ssdup_meta_begin(log);
	r = blkdev_issue_flush(log->c->ssd->bdev);
	ssdup_meta_end(log, r, true);
	if (r) {
		ssdup_ssd_failed(log);
		ssdup_fail(log->c, MODE_LOG_READ_ONLY, "a flush of the SSD failed");
	}
	return r;
}
