/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A device without disks, whose log has segments without data, for suites of what is not pure. Each
 * suite has its own.
 */
#ifndef SSDUP_KUNIT_DEVICE_H
#define SSDUP_KUNIT_DEVICE_H

#include "../dm-ssdup/route/meter.h"
#include "../dm-ssdup/log/segments.h"

static struct ssdup device;
static struct ssdup_meter meter;	/* of meter.c, which another suite brings along */
static struct ssdup_class *const k = device.class;

/* A new log, of which no segment is open. Return: 0 or -ENOMEM. */
static int make_device(u32 nr_segments, u32 nr_classes, u64 next)
{
	memset(&device, 0, sizeof(device));
	memset(&meter, 0, sizeof(meter));
	device.g.nr_segments = nr_segments;
	device.g.segment_sectors = 2 * SZ_1M;
	device.g.data_sectors = SZ_1M;
	device.g.meta_pages = SSDUP_RING;
	device.g.block_sectors = 1;
	device.set.halves = 2;
	device.set.max_wait_ms = 250;
	device.meter = &meter;
	device.nr_classes = nr_classes;
	init_waitqueue_head(&device.settle_wait);
	device.stats = alloc_percpu(struct ssdup_stats);
	if (!device.stats || ssdup_segments_create(&device))
		return -ENOMEM;
	ssdup_segments_begin(&device, NULL, NULL, 0, next);
	return 0;
}

static void drop_device(void)
{
	ssdup_segments_destroy(&device);
	free_percpu(device.stats);
}

#endif
