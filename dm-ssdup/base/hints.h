/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: hints and streams of bios, and the limit of discards.
 */
#ifndef SSDUP_HINTS_H
#define SSDUP_HINTS_H

#include <linux/blkdev.h>

/** ssdup_write_hint() - the hint that a write comes with, WRITE_LIFE_* */
static inline u32 ssdup_write_hint(const struct bio *bio)
{
	return bio->bi_write_hint;
}

/** ssdup_max_streams() - number of streams that an SSD has */
static inline u32 ssdup_max_streams(struct block_device *bdev)
{
	return bdev_max_write_streams(bdev);
}

/**
 * ssdup_set_stream() - let a write to the SSD be of a stream; 0: of none
 *
 * A place in the log does not live as long as the file whose data it gets: the class counts, and
 * the file's hint is not passed on.
 */
static inline void ssdup_set_stream(struct bio *bio, u8 stream)
{
	bio->bi_write_hint = WRITE_LIFE_NOT_SET;
	bio->bi_write_stream = stream;
}

/** ssdup_limit_discards() - no discard is longer than @sectors */
static inline void ssdup_limit_discards(struct queue_limits *limits, u32 sectors)
{
	limits->max_hw_discard_sectors = sectors;
}

#endif
