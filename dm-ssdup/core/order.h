/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the extents of some segments in the order of the HDD (SSDUP+ section 2.4). Pure.
 *
 * Each array of extents stands in a tree by its lowest extent that was not taken yet. So a pass
 * costs what the segments hold, whatever else the log holds, and needs no memory.
 *
 * Writers remove and trim extents meanwhile, under the lock of the range. So what is found here
 * is a hint: the caller looks again under that lock. An extent's start only grows, and one that
 * left its tree never comes back. The rear of an extent that was split is an array of its own,
 * which the caller adds later.
 */
#ifndef SSDUP_ORDER_H
#define SSDUP_ORDER_H

#include "extent_map.h"

struct extent_order {
	struct rb_root_cached	arrays;		/* by first */
	u64			base;		/* extents that start below were taken */
	u64			from;		/* sectors below were taken; not below base */
};

/** ssdup_order_begin() - no arrays, nothing taken */
void ssdup_order_begin(struct extent_order *o);

/** ssdup_order_add() - add an array that stands in no order; extents below base are left out */
void ssdup_order_add(struct extent_order *o, struct extent_array *a);

/**
 * ssdup_order_next() - the lowest extent that starts at base or behind, or NULL
 * @start: set to its start
 *
 * Arrays that have none leave the order.
 */
struct extent *ssdup_order_next(struct extent_order *o, u64 *start);

#endif
