// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the superblock, and single pages of either disk.
 */
#include "away.h"
#include "flush.h"
#include "mode.h"
#include "super.h"
#include "trace.h"

int ssdup_sync_io(struct block_device *bdev, blk_opf_t opf, u64 sector,
		  struct page *page, unsigned int offset, unsigned int bytes)
{
	struct bio_vec bv;
	struct bio bio;
	int r;

	bio_init(&bio, bdev, &bv, 1, opf);
	bio.bi_iter.bi_sector = sector;
	__bio_add_page(&bio, page, bytes, offset);
	r = submit_bio_wait(&bio);
	bio_uninit(&bio);
	return r;
}

void ssdup_commits_end(struct ssdup *c, bool flush)
{
	lockdep_assert_held(&c->ssd_lock);
	/* Once: when a drain has brought home what is dirty, a FLUSH finds nothing to fail for. */
	if (!c->commit_failed && (flush || !ssdup_fua_is_no_flush(c->ssd->bdev)))
		ssdup_owe(c);
	c->commit_failed = true;
}

int ssdup_flush_ssd(struct ssdup *c)
{
	int r;

	mutex_lock(&c->ssd_lock);
	r = blkdev_issue_flush(c->ssd->bdev);
	if (r)
		ssdup_commits_end(c, true);
	mutex_unlock(&c->ssd_lock);
	if (r) {
		stat_inc(c, STAT_SSD_ERRORS);
		ssdup_fail(c, MODE_LOG_READ_ONLY, "a flush of the SSD failed");
	}
	return r;
}

/* A commit may come between two copies, so that FUA writes wait for one at most. */
static int write_copy(struct ssdup *c, unsigned int copy)
{
	int r;

	mutex_lock(&c->ssd_lock);
	r = ssdup_sync_io(c->ssd->bdev, REQ_OP_WRITE | SSDUP_META_FLAGS,
			  SSDUP_SUPER_SECTOR(copy), c->super_page, 0, SSDUP_SUPER_BYTES);
	r = ssdup_meta_again(c, r, SSDUP_SUPER_SECTOR(copy), c->super_page,
			     jiffies + msecs_to_jiffies(RETRY_AWAY_MS));
	if (r)
		ssdup_commits_end(c, false);
	mutex_unlock(&c->ssd_lock);
	return r;
}

int ssdup_write_super(struct ssdup *c, enum ssdup_step between)
{
	unsigned int copy;
	int r = 0;

	lockdep_assert_held(&c->super_lock);
	c->super.seq++;
	if (ssdup_log_super_spent(&c->super)) {
		ssdup_fail(c, MODE_LOG_READ_ONLY, "the counters of the log are used up");
		return -EROFS;
	}
	ssdup_log_super_encode(&c->super, page_address(c->super_page));
	for (copy = 0; copy < SSDUP_SUPER_COPIES && !r; copy++) {
		if (copy)
			trace_ssdup_step(c, between);
		/* Last copy first: an SSD whose first block is blank is not formatted yet. */
		r = write_copy(c, SSDUP_SUPER_COPIES - 1 - copy);
	}
	if (r) {
		stat_inc(c, STAT_SSD_ERRORS);
		ssdup_fail(c, MODE_LOG_READ_ONLY, "a superblock write to the SSD failed");
	}
	return r;
}
