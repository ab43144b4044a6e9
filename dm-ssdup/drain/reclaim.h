/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: free a drain group that is on the HDD.
 */
#ifndef SSDUP_RECLAIM_H
#define SSDUP_RECLAIM_H

#include "drainer.h"
#include "log/groups.h"

/**
 * ssdup_flush_group() - make durable on the HDD what was written there of a group
 *
 * Context: process. Return: 0, or -errno: the whole group must be written again. It also fails if
 * another flush of the HDD has failed since the drain of the group began.
 */
int ssdup_flush_group(struct ssdup_drainer *drainer, const struct drain_group *g);

/**
 * ssdup_free_group() - free the oldest group, whose extents were all written or relocated
 * @g: durable is set after the flush of the HDD
 *
 * Context: process. Return: 0, or -errno: nothing is free.
 */
int ssdup_free_group(struct ssdup_drainer *drainer, struct drain_group *g);

/**
 * ssdup_free_end() - make a group available, when the record with the tail behind it is durable
 *
 * Waits for reads of it. Context: process.
 */
void ssdup_free_end(struct ssdup_drainer *drainer, const struct drain_group *g);

#endif
