/* SPDX-License-Identifier: GPL-2.0-only */
/* Differences between kernels: the only place that asks for a version. */
#ifndef SSDUP_COMPAT_H
#define SSDUP_COMPAT_H

#include <linux/version.h>

#include <linux/blkdev.h>
#include <linux/workqueue.h>

/*
 * A workqueue for each CPU says so where the kernel has a word for it: since 7.1 the kernel
 * warns of one that says neither this nor WQ_UNBOUND. The word is no macro, but one of an enum.
 */
#if LINUX_VERSION_CODE >= KERNEL_VERSION(6, 18, 0)
#define SSDUP_WQ_PERCPU	WQ_PERCPU
#else
#define SSDUP_WQ_PERCPU	0
#endif

/* What a target says of discards: the longest one and their granularity in bytes. */
static inline void ssdup_set_discard_limits(struct queue_limits *limits,
					    unsigned int max_sectors, unsigned int granularity)
{
	limits->max_hw_discard_sectors = max_sectors;
#if LINUX_VERSION_CODE < KERNEL_VERSION(6, 9, 0)
	limits->max_discard_sectors = max_sectors;
#endif
	limits->discard_granularity = granularity;
}

#endif /* SSDUP_COMPAT_H */
