/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: all I/O to the first SSDUP_GUARD_SECTORS of the HDD goes through the guard, which
 * core/guard_block.h explains: guard.c.
 *
 * While it is open, requests go to the HDD as they are, and are counted. While it is closed, reads
 * are served from memory, and a work masks what is written. A change waits for those under way.
 */
#ifndef SSDUP_LOG_GUARD_H
#define SSDUP_LOG_GUARD_H

#include "core/guard_block.h"
#include "log.h"

/** ssdup_guard_create() - it is open, and knows nothing; the constructor. Return: 0 or -ENOMEM */
int ssdup_guard_create(struct ssdup_log *log);
void ssdup_guard_destroy(struct ssdup_log *log);

/**
 * ssdup_guard_load() - read what the HDD shows
 * @s: superblock and record, as read
 * @empty: the log has no live page
 *
 * Context: preresume. Return: 0, or -errno after a message: it is not the log's HDD as it was.
 */
int ssdup_guard_load(struct ssdup_log *log, const struct log_super *s, bool empty);

/**
 * ssdup_guard_set() - close the guard if the log @holds a durable page, or gets one; else open it
 * @asked: also if the HDD has just refused that
 *
 * If the HDD refuses it, commits go on all the same: an HDD that is away cannot be mounted, and
 * data does not wait for it. A later commit tries again.
 *
 * Context: process, sleeps; the lock in commit.c is held. Return: 0 or -errno.
 */
int ssdup_guard_set(struct ssdup_log *log, bool holds, bool asked);

/** ssdup_guard_state() - a hint; any context */
enum guard_state ssdup_guard_state(const struct ssdup_log *log);

/**
 * ssdup_guard_takes() - count a request that is about to go to the HDD, or serve it
 * @bio: remapped to the HDD; it begins in the range
 *
 * Context: any that may submit. Return: true when the guard ends it, or sends it; false: the
 * caller sends what is left of it.
 */
bool ssdup_guard_takes(struct ssdup_log *log, struct bio *bio, struct ssdup_io *io);

/** ssdup_guard_enter() - count one if the guard is open; false: it is not; any context */
bool ssdup_guard_enter(struct ssdup_log *log);

/** ssdup_guard_left() - a request that was counted has ended; any context */
void ssdup_guard_left(struct ssdup_log *log);

/**
 * ssdup_hdd_write() - write for a drain, behind the guard where that is
 * @at: byte in @pages where it begins
 *
 * Context: process, sleeps. Return: 0 or -errno.
 */
int ssdup_hdd_write(struct ssdup_log *log, blk_opf_t opf, u64 sector, struct page **pages,
		    u32 at, u32 bytes);

/** ssdup_hdd_discard() - the same of a discard, which is one of zeroes behind the guard */
int ssdup_hdd_discard(struct ssdup_log *log, u64 sector, u64 sectors);

/** guard_part() - how many sectors of a request at @sector are in the range; any context */
static inline u32 guard_part(const struct ssdup_log *log, u64 sector, u64 sectors)
{
	return sector < log->guarded ? min(sectors, log->guarded - sector) : 0;
}

#endif
