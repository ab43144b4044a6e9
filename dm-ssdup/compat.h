/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels: the only place that asks for a version. The code uses the names
 * of the newest kernel; here stands what older ones lack of them.
 */
#ifndef SSDUP_COMPAT_H
#define SSDUP_COMPAT_H

#include <linux/version.h>

#include <linux/blkdev.h>
#include <linux/mempool.h>
#include <linux/workqueue.h>

/* In some older kernels the word is there, and does nothing. */
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 18, 0)
#define WQ_PERCPU	0
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 12, 0)
#define mempool_is_saturated	ssdup_mempool_is_saturated
static inline bool ssdup_mempool_is_saturated(mempool_t *pool)
{
	return READ_ONCE(pool->curr_nr) >= pool->min_nr;
}
#endif

/* Before 6.9 drivers set the other limit of discards too. */
static inline void ssdup_compat_limits(struct queue_limits *limits)
{
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
	limits->max_discard_sectors = limits->max_hw_discard_sectors;
#endif
}

/* Before 6.9 a bio has no hint. */
static inline u32 ssdup_write_hint(const struct bio *bio)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return bio->bi_write_hint;
#else
	return 0;
#endif
}

/* Before 6.16 an SSD has no streams. */
static inline u32 ssdup_max_streams(struct block_device *bdev)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	return bdev_max_write_streams(bdev);
#else
	return 0;
#endif
}

/*
 * A place in the log does not live as long as the file whose data it gets: the class counts, and
 * the file's hint is not passed on.
 */
static inline void ssdup_set_stream(struct bio *bio, u8 stream)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	bio->bi_write_hint = WRITE_LIFE_NOT_SET;
#endif
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	bio->bi_write_stream = stream;
#endif
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define BLK_OPEN_WRITE	FMODE_WRITE
#endif

#endif /* SSDUP_COMPAT_H */
