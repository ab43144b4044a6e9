// SPDX-License-Identifier: GPL-2.0-only
/* Owns flushes of the SSD and durable writes to it, and after an error the end of both. */
#include <linux/delay.h>

#include "base/failure.h"
#include "base/owed_errors.h"
#include "base/sync_io.h"
#include "internal.h"

/*
 * Does the SSD do FUA without a flush? A flush that fails may drop data, and the next
 * one succeeds. A stacked device always claims FUA, so do not trust it.
 */
bool ssdup_fua_is_no_flush(const struct ssdup_log *log)
{
	struct block_device *bdev = log->c->ssd->bdev;

	return !bdev->bd_disk->fops->submit_bio && (!bdev_write_cache(bdev) || bdev_fua(bdev));
}

/* Only the first error: a drain may write back all dirty data, and then FLUSHes succeed. */
static void end_commits(struct ssdup_log *log, bool owe)
{
	if (owe && !log->no_commits)
		ssdup_owe(&log->c->debt);
	log->no_commits = true;
}

/* What the SSD has dropped may have been this log's. */
static void ssd_told(struct drive_user *ssd, bool lost)
{
	struct ssdup *c = container_of(ssd, struct ssdup, drive[SSDUP_SSD]);
	struct ssdup_log *log = c->log;

	if (!lost)
		return;
	/* A table that was not resumed yet has written nothing. */
	if (!log->claimed)
		return;
	WRITE_ONCE(log->in_doubt, true);
	if (log->no_commits)
		return;
	end_commits(log, true);
	ssdup_fail(c, MODE_LOG_READ_ONLY, "a flush of the SSD failed for another log");
}

int ssdup_meta_create(struct ssdup_log *log)
{
	return ssdup_drive_get(&log->c->drive[SSDUP_SSD], log->c->ssd->bdev, ssd_told);
}

void ssdup_meta_claim(struct ssdup_log *log)
{
	struct ssdup_drive *drive = log->c->drive[SSDUP_SSD].drive;

	mutex_lock(&drive->lock);
	log->claimed = true;
	mutex_unlock(&drive->lock);
}

int ssdup_meta_begin(struct ssdup_log *log)
{
	mutex_lock(&log->c->drive[SSDUP_SSD].drive->lock);
	return log->no_commits ? -EIO : 0;
}

void ssdup_meta_end(struct ssdup_log *log, int error, bool flush)
{
	struct drive_user *ssd = &log->c->drive[SSDUP_SSD];

	lockdep_assert_held(&ssd->drive->lock);
	if (error) {
		flush |= !ssdup_fua_is_no_flush(log);
		end_commits(log, flush);
		/* Before others get the lock: their flush would succeed. */
		if (flush)
			ssdup_drive_lost(ssd);
	}
	mutex_unlock(&ssd->drive->lock);
}

void ssdup_meta_wrote(struct ssdup_log *log, u32 blocks)
{
	lockdep_assert_held(&log->c->drive[SSDUP_SSD].drive->lock);
	WRITE_ONCE(log->meta_written, log->meta_written + blocks * SSDUP_BLOCK_SECTORS);
}

u64 ssdup_meta_written(const struct ssdup_log *log)
{
	return READ_ONCE(log->meta_written);
}

int ssdup_meta_again(struct ssdup_log *log, int error, u64 sector, struct page *page,
		     unsigned long end)
{
	if (!error || !ssdup_fua_is_no_flush(log))
		return error;
	while (error && ssdup_passes(error) && time_before(jiffies, end)) {
		stat_inc(log->c, STAT_SSD_ERRORS);
		msleep(RETRY_PAUSE_MS);
		error = ssdup_sync_io(&log->c->drive[SSDUP_SSD], REQ_OP_WRITE | SSDUP_META_FLAGS,
				      sector, page, 0, SSDUP_PAGE_BYTES);
	}
	return error;
}

int ssdup_flush_ssd(struct ssdup_log *log)
{
	bool doubt;
	int r = 0;

	ssdup_meta_begin(log);
	/* The next one would succeed, and say nothing of what was lost. */
	doubt = ssdup_in_doubt(log);
	if (!doubt)
		r = blkdev_issue_flush(log->c->ssd->bdev);
	ssdup_meta_end(log, r, true);
	if (r) {
		stat_inc(log->c, STAT_SSD_ERRORS);
		ssdup_fail(log->c, MODE_LOG_READ_ONLY, "a flush of the SSD failed");
	}
	return doubt ? -EIO : r;
}
