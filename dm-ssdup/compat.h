/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Differences between kernels: the only place that asks for a version. The code is that of the
 * newest kernel and does not know this header: Kbuild has each file begin with it.
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

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 16, 0)
/* Instead of base/hints.h: before 6.16 an SSD has no streams, and before 6.9 a bio no hint. */
#define SSDUP_HINTS_H

static inline u32 ssdup_write_hint(const struct bio *bio)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	return bio->bi_write_hint;
#else
	return 0;
#endif
}

static inline u32 ssdup_max_streams(struct block_device *bdev)
{
	return 0;
}

static inline void ssdup_set_stream(struct bio *bio, u8 stream)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 9, 0)
	bio->bi_write_hint = WRITE_LIFE_NOT_SET;
#endif
}

static inline void ssdup_limit_discards(struct queue_limits *limits, u32 sectors)
{
	limits->max_hw_discard_sectors = sectors;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
	/* Drivers set the other limit too. */
	limits->max_discard_sectors = sectors;
#endif
}
#endif

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define BLK_OPEN_WRITE	FMODE_WRITE
#endif

#endif /* SSDUP_COMPAT_H */
