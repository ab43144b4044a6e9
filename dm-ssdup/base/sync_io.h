/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: requests to a disk that their caller waits for.
 *
 * The bios are on the stack: those of shared sets may be held by writes that wait for the caller.
 * Context: process, sleeps. Return: 0 or -errno.
 */
#ifndef SSDUP_SYNC_IO_H
#define SSDUP_SYNC_IO_H

#include "drives.h"

/** ssdup_sync_io() - transfer part of a page, or of some that follow each other */
int ssdup_sync_io(struct drive_user *disk, blk_opf_t opf, u64 sector, struct page *page,
		  unsigned int offset, unsigned int bytes);

/** ssdup_sync_stream() - the same with a write stream of the SSD; 0: none */
int ssdup_sync_stream(struct drive_user *disk, blk_opf_t opf, u64 sector, struct page *page,
		      unsigned int offset, unsigned int bytes, u8 stream);

#define SSDUP_SYNC_BLOCKS	32U

/** ssdup_sync_blocks() - transfer @nr blocks of 4 KiB, at most SSDUP_SYNC_BLOCKS, by kmalloc() */
int ssdup_sync_blocks(struct drive_user *disk, blk_opf_t opf, u64 sector, void **blocks, u32 nr);

/** ssdup_sync_range() - discard or zero a range: a request without data */
int ssdup_sync_range(struct drive_user *disk, blk_opf_t opf, u64 sector, u64 sectors);

#endif
