/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: where a write goes: to which disk, to which class, or into the list of those that wait.
 */
#ifndef SSDUP_ROUTER_H
#define SSDUP_ROUTER_H

#include "map/map.h"

struct ssdup_router {
	struct ssdup		*c;
	struct ssdup_log	*log;
	struct ssdup_map	*map;
	struct ssdup_stats __percpu *stats;	/* of @c */
	struct ssdup_meter	*meter;		/* of the disks; policy balance */
	struct stream_window	*window_now;	/* a stale one misses a sample */
	unsigned long		stream_due;	/* jiffies: resume sampling, if that is NULL */
	struct ssdup_stream	*stream;
	enum ssdup_disk		route;		/* a hint; either disk is always correct */
	struct class_rules __rcu *class_rules;	/* of new data; NULL: none were set */
	struct ssdup_waiting	*waiting;
	struct ssdup_away	*away;
} ____cacheline_aligned_in_smp;

#endif
