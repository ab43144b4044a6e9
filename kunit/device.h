/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A device without disks, whose log has segments without data, for suites of what is not pure. Each
 * suite has its own.
 */
#ifndef SSDUP_KUNIT_DEVICE_H
#define SSDUP_KUNIT_DEVICE_H

#include "log/groups.h"
#include "log/log_internal.h"
#include "route/windows.h"

static struct ssdup device;
static struct ssdup_windows windows;
static struct ssdup_log device_log;
static struct ssdup_map device_map;
static struct ssdup_router device_router;
static struct ssdup_class *const classes = device_log.class;
static struct log_ssds device_ssds;	/* all zero: one SSD */

/* A new log, of which no segment is open. Return: 0 or -ENOMEM. */
static int make_device(u32 nr_segments, u32 nr_classes, u64 next)
{
	memset(&device, 0, sizeof(device));
	memset(&windows, 0, sizeof(windows));
	memset(&device_log, 0, sizeof(device_log));
	device_log.c = &device;
	device.log = &device_log;
	device_map = (struct ssdup_map){ .c = &device, .log = &device_log };
	device.map = &device_map;
	device_router = (struct ssdup_router){
		.c = &device, .log = &device_log, .map = &device_map,
		.windows = &windows,
	};
	device.router = &device_router;
	device.log->g.nr_segments = nr_segments;
	device.log->g.segment_sectors = 2 * SZ_1M;
	device.log->g.data_sectors = SZ_1M;
	device.log->g.meta_pages = SSDUP_RING;
	device.log->g.block_sectors = 1;
	device.log->classes.nr = nr_classes;
	device.log->ssds = device_ssds;
	init_waitqueue_head(&device.wake.settle_wait);
	device.stats = alloc_percpu(struct ssdup_stats);
	device_map.stats = device.stats;
	device_router.stats = device.stats;
	if (!device.stats || ssdup_segments_create(device.log))
		return -ENOMEM;
	ssdup_segments_begin(device.log, NULL, NULL, 0, next);
	return 0;
}

static void drop_device(void)
{
	ssdup_segments_destroy(device.log);
	free_percpu(device.stats);
}

#endif
