/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what the SSD refuses, and an SSD that is away for a moment.
 */
#ifndef SSDUP_AWAY_H
#define SSDUP_AWAY_H

#include "ssdup.h"

int ssdup_away_create(struct ssdup *c);
void ssdup_away_destroy(struct ssdup *c);

/** ssdup_away() - is @error, of a request to the SSD, one that passes by itself? any context */
bool ssdup_away(int error);

/**
 * ssdup_data_error() - a write of data to the SSD failed with @status; any context
 *
 * Counts it, and shuts the log for a moment, or gives it up after too many.
 * Return: true when the SSD is away for the moment.
 */
bool ssdup_data_error(struct ssdup *c, blk_status_t status);

/**
 * ssdup_refused() - the SSD has refused a write, which is to be routed again
 * @io: io->route may change
 *
 * Context: any.
 */
void ssdup_refused(struct ssdup *c, struct ssdup_io *io, blk_status_t status);

/** ssdup_renew() - make a bio as it came, that has come back from below; process context */
void ssdup_renew(struct ssdup *c, struct bio *bio, const struct ssdup_io *io);

/** ssdup_look_for_ssd() - open a log that was shut, when its time is over; ssdup_wait_work() */
void ssdup_look_for_ssd(struct ssdup *c);

/** ssdup_fua_is_no_flush() - the disk writes with FUA without a flush; any context */
bool ssdup_fua_is_no_flush(struct block_device *bdev);

/**
 * ssdup_meta_again() - write metadata again that the SSD has refused
 * @error: of the write, which must have had REQ_FUA and not REQ_PREFLUSH; or 0
 * @sector: its sector on the SSD
 * @page: 4 KiB, as written
 * @end: jiffies; of all that is written together, RETRY_AWAY_MS from its first error
 *
 * Until @end, while the SSD is away; each version of a page has one place, so a try whose
 * end we did not hear of does no harm. A flush that fails is never tried again, see commit.c:
 * so this does nothing where FUA may be made of one.
 *
 * Context: process, sleeps.
 * Return: 0 when it is durable, or the error.
 */
int ssdup_meta_again(struct ssdup *c, int error, u64 sector, struct page *page,
		     unsigned long end);

#endif
