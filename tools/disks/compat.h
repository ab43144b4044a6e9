/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels, for the modelled disks. */
#ifndef SSDUP_DISKS_COMPAT_H
#define SSDUP_DISKS_COMPAT_H

#include <linux/version.h>

#include <linux/blk-mq.h>
#include <linux/blkdev.h>
#include <linux/hrtimer.h>

#include "../../dm-ssdup/compat.h"

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 13, 0)
#define hrtimer_setup	disks_hrtimer_setup
static inline void disks_hrtimer_setup(struct hrtimer *timer,
				       enum hrtimer_restart (*function)(struct hrtimer *timer),
				       clockid_t clock, enum hrtimer_mode mode)
{
	hrtimer_init(timer, clock, mode);
	timer->function = function;
}
#endif

/**
 * struct ssdup_disk_limits - what a modelled disk tells the block layer
 * @logical_block_size: in bytes
 * @max_hw_sectors: longest request
 * @write_cache: it has a volatile cache, and knows FLUSH and FUA
 * @rotational: it has an arm
 * @discard_sectors: longest discard and write-zeroes, 0 for none
 * @discard_granularity: what a discard is a multiple of, in bytes
 * @streams: write streams, for kernels that have them
 * @stream_granularity: what each stream fills by and by, in bytes
 */
struct ssdup_disk_limits {
	unsigned int logical_block_size;
	unsigned int max_hw_sectors;
	bool write_cache;
	bool rotational;
	unsigned int discard_sectors;
	unsigned int discard_granularity;
	unsigned int streams;
	unsigned int stream_granularity;
};

#define SSDUP_DISK_MAX_SEGMENTS	1024

#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 11, 0)

static inline struct gendisk *ssdup_alloc_disk(struct blk_mq_tag_set *set,
					       const struct ssdup_disk_limits *l, void *data)
{
	struct queue_limits lim = {
		.logical_block_size		= l->logical_block_size,
		.max_hw_sectors			= l->max_hw_sectors,
		.max_segments			= SSDUP_DISK_MAX_SEGMENTS,
		.max_hw_discard_sectors		= l->discard_sectors,
		.max_write_zeroes_sectors	= l->discard_sectors,
		.discard_granularity		= l->discard_sectors ? l->discard_granularity : 0,
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
		.max_write_streams		= l->streams,
		.write_stream_granularity	= l->stream_granularity,
#endif
	};

	if (l->write_cache)
		lim.features |= BLK_FEAT_WRITE_CACHE | BLK_FEAT_FUA;
	if (l->rotational)
		lim.features |= BLK_FEAT_ROTATIONAL;
	return blk_mq_alloc_disk(set, &lim, data);
}

#else

static inline struct gendisk *ssdup_alloc_disk(struct blk_mq_tag_set *set,
					       const struct ssdup_disk_limits *l, void *data)
{
	struct gendisk *gd = blk_mq_alloc_disk(set, data);
	struct request_queue *q;

	if (IS_ERR(gd))
		return gd;
	q = gd->queue;
	blk_queue_logical_block_size(q, l->logical_block_size);
	blk_queue_max_hw_sectors(q, l->max_hw_sectors);
	blk_queue_max_segments(q, SSDUP_DISK_MAX_SEGMENTS);
	blk_queue_max_discard_sectors(q, l->discard_sectors);
	blk_queue_max_write_zeroes_sectors(q, l->discard_sectors);
	q->limits.discard_granularity = l->discard_sectors ? l->discard_granularity : 0;
	blk_queue_write_cache(q, l->write_cache, l->write_cache);
	if (l->rotational)
		blk_queue_flag_clear(QUEUE_FLAG_NONROT, q);
	else
		blk_queue_flag_set(QUEUE_FLAG_NONROT, q);
	return gd;
}

#endif

/**
 * ssdup_disk_stream() - the write stream that a request names
 * @rq: request; those that are merged name the same one
 *
 * Return: its number, or 0 for none.
 */
static inline unsigned int ssdup_disk_stream(const struct request *rq)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 16, 0)
	return rq->bio ? rq->bio->bi_write_stream : 0;
#else
	return 0;
#endif
}

/* Requests are merged; newer kernels do that without being told. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 14, 0)
#define SSDUP_DISK_TAG_FLAGS	0
#else
#define SSDUP_DISK_TAG_FLAGS	BLK_MQ_F_SHOULD_MERGE
#endif

/* How init_request() is told of a node: this has changed after 6.12, and before 7.2. */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(7, 0, 0)
#define SSDUP_DISK_NODE		int
#else
#define SSDUP_DISK_NODE		unsigned int
#endif

#endif /* SSDUP_DISKS_COMPAT_H */
