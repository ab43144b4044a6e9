/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: synchronous I/O, and durable writes to the SSD.
 *
 * Flushes of the SSD and writes of metadata exclude each other. After a failed flush no
 * commit is made any more: the SSD may have dropped data, the next flush would succeed, and
 * new entries would refer to data that are not there.
 */
#ifndef SSDUP_METADATA_H
#define SSDUP_METADATA_H

#include "log.h"

/* REQ_SYNC and REQ_IDLE together exempt a write from writeback throttling. */
#define SSDUP_META_FLAGS	(REQ_SYNC | REQ_IDLE | REQ_META | REQ_FUA)

int ssdup_meta_create(struct ssdup_log *log);

/** ssdup_sync_io() - transfer part of a page, and wait for it. Return: 0 or -errno */
int ssdup_sync_io(struct block_device *bdev, blk_opf_t opf, u64 sector, struct page *page,
		  unsigned int offset, unsigned int bytes);

/**
 * ssdup_sync_range() - discard or zero a range, and wait for it; without data
 *
 * blkdev_issue_discard() and blkdev_issue_zeroout() take bios from a set that everybody shares, and
 * writes that wait for us may hold all of them. Context: sleeps. Return: 0 or -errno
 */
int ssdup_sync_range(struct block_device *bdev, blk_opf_t opf, u64 sector, u64 sectors);

/** ssdup_sync_stream() - the same with a write stream of the SSD; 0: none */
int ssdup_sync_stream(struct block_device *bdev, blk_opf_t opf, u64 sector, struct page *page,
		      unsigned int offset, unsigned int bytes, u8 stream);

/** ssdup_passes() - is @error transient? any context */
bool ssdup_passes(int error);

/**
 * ssdup_meta_begin() - begin a flush of the SSD, or a write of metadata
 *
 * Context: process, sleeps. The caller must call ssdup_meta_end(), even after an error.
 * Return: 0, or -EIO after an earlier error. Then only what refers to no data may be written.
 */
int ssdup_meta_begin(struct ssdup_log *log);

/**
 * ssdup_meta_end() - end what ssdup_meta_begin() began
 * @error: of the flush or write; if not 0, all later ssdup_meta_begin() fail
 * @flush: the error is a flush's
 *
 * After a failed flush, or a write with FUA that may be one, this calls ssdup_owe().
 */
void ssdup_meta_end(struct ssdup_log *log, int error, bool flush);

/** ssdup_meta_wrote() - count blocks of metadata; between ssdup_meta_begin() and _end() */
void ssdup_meta_wrote(struct ssdup_log *log, u32 blocks);

/** ssdup_meta_written() - sectors of metadata since the table was loaded; any context */
u64 ssdup_meta_written(const struct ssdup_log *log);

/**
 * ssdup_meta_again() - retry a metadata write after a transient error, until @end
 * @error: of the write, which must have had REQ_FUA and not REQ_PREFLUSH; or 0
 * @sector: its sector on the SSD
 * @page: 4 KiB, as written
 * @end: jiffies; pages that are written together share one, RETRY_AWAY_MS from the error
 *
 * A failed flush must not be retried, so this does nothing if the SSD may do FUA by a flush.
 *
 * Context: process, sleeps; between ssdup_meta_begin() and ssdup_meta_end().
 * Return: 0 when the page is durable, or the error.
 */
int ssdup_meta_again(struct ssdup_log *log, int error, u64 sector, struct page *page,
		     unsigned long end);

/** ssdup_flush_ssd() - flush the SSD; process context, sleeps. Return: 0 or -errno */
int ssdup_flush_ssd(struct ssdup_log *log);

#endif
