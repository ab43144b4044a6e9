/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: single pages of either disk, and what the SSD has to take for good.
 *
 * One at a time flushes the SSD or writes metadata to it. After a flush that failed nothing
 * becomes durable any more: the SSD may have dropped data with it, the next flush would find
 * nothing to do, and what is written after it would speak of data that are not there.
 */
#ifndef SSDUP_META_H
#define SSDUP_META_H

#include "ssdup.h"

/* Sync and idle together: what writers wait for is not to be throttled as writeback is. */
#define SSDUP_META_FLAGS	(REQ_SYNC | REQ_IDLE | REQ_META | REQ_FUA)

int ssdup_meta_create(struct ssdup *c);
void ssdup_meta_destroy(struct ssdup *c);

/** ssdup_sync_io() - one synchronous transfer of a page-backed buffer */
int ssdup_sync_io(struct block_device *bdev, blk_opf_t opf, u64 sector,
		  struct page *page, unsigned int offset, unsigned int bytes);

/** ssdup_passes() - is @error, of a request to the SSD, one that passes by itself? any context */
bool ssdup_passes(int error);

/**
 * ssdup_meta_begin() - whoever flushes the SSD or writes metadata to it
 *
 * Context: process, sleeps. Ends with ssdup_meta_end().
 * Return: 0, or -EIO when nothing becomes durable any more.
 */
int ssdup_meta_begin(struct ssdup *c);

/**
 * ssdup_meta_end() - that has ended
 * @error: 0, or nothing more becomes durable
 * @flush: what failed was a flush
 *
 * If it was a flush, or may have been one below, the SSD may have dropped data: that is owed.
 */
void ssdup_meta_end(struct ssdup *c, int error, bool flush);

/**
 * ssdup_meta_again() - write metadata again that the SSD has refused
 * @error: of the write, which must have had REQ_FUA and not REQ_PREFLUSH; or 0
 * @sector: its sector on the SSD
 * @page: 4 KiB, as written
 * @end: jiffies; of all that is written together, RETRY_AWAY_MS from its first error
 *
 * Until @end, while the SSD is away; each version of a page has one place, so a try whose
 * end we did not hear of does no harm. A flush that fails is never tried again: so this does
 * nothing where FUA may be made of one.
 *
 * Context: process, sleeps; between ssdup_meta_begin() and ssdup_meta_end().
 * Return: 0 when it is durable, or the error.
 */
int ssdup_meta_again(struct ssdup *c, int error, u64 sector, struct page *page,
		     unsigned long end);

/** ssdup_flush_ssd() - what the SSD has in its cache is durable then; context: process, sleeps */
int ssdup_flush_ssd(struct ssdup *c);

#endif
