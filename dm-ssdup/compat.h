/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels: the only place that asks for a version. */
#ifndef SSDUP_COMPAT_H
#define SSDUP_COMPAT_H

#include <linux/version.h>

#include <linux/blkdev.h>
#include <linux/hrtimer.h>
#include <linux/mempool.h>
#include <linux/workqueue.h>

/* Is the pool's whole reserve unused? */
static inline bool ssdup_pool_full(mempool_t *pool)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 12, 0)
	return mempool_is_saturated(pool);
#else
	return READ_ONCE(pool->curr_nr) >= pool->min_nr;
#endif
}

#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 5, 0)
#define BLK_OPEN_WRITE	FMODE_WRITE
#endif

/*
 * Since 7.1 the kernel warns about a workqueue with neither WQ_PERCPU nor WQ_UNBOUND.
 * WQ_PERCPU is an enumerator, which #ifdef cannot test.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define SSDUP_WQ_PERCPU	WQ_PERCPU
#else
#define SSDUP_WQ_PERCPU	0
#endif

/* Both in bytes. */
static inline void ssdup_set_discard_limits(struct queue_limits *limits,
					    unsigned int max_sectors, unsigned int granularity)
{
	limits->max_hw_discard_sectors = max_sectors;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
	limits->max_discard_sectors = max_sectors;
#endif
	limits->discard_granularity = granularity;
}

static inline void ssdup_hrtimer_init(struct hrtimer *timer,
				      enum hrtimer_restart (*function)(struct hrtimer *),
				      enum hrtimer_mode mode)
{
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 13, 0)
	hrtimer_setup(timer, function, CLOCK_MONOTONIC, mode);
#else
	hrtimer_init(timer, CLOCK_MONOTONIC, mode);
	timer->function = function;
#endif
}

#endif /* SSDUP_COMPAT_H */
