/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the superblock, and single pages of either disk.
 */
#ifndef SSDUP_SUPER_H
#define SSDUP_SUPER_H

#include "ssdup.h"

/**
 * ssdup_write_super() - write both copies, durable
 * @between: the step between the two
 *
 * Context: process, sleeps; super_lock held.
 */
int ssdup_write_super(struct ssdup *c, enum ssdup_step between);

/**
 * ssdup_commits_end() - a flush or a write of metadata has failed: nothing more becomes durable
 * @flush: it was a flush
 *
 * If it was a flush, or may have been one below, the SSD may have dropped data: that is owed.
 *
 * Context: ssd_lock held.
 */
void ssdup_commits_end(struct ssdup *c, bool flush);

/** ssdup_flush_ssd() - what the SSD has in its cache is durable then; context: process, sleeps */
int ssdup_flush_ssd(struct ssdup *c);

/** ssdup_sync_io() - one synchronous transfer of a page-backed buffer */
int ssdup_sync_io(struct block_device *bdev, blk_opf_t opf, u64 sector,
		  struct page *page, unsigned int offset, unsigned int bytes);

#endif
