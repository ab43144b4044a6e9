/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: many extents into a tree at once. Pure.
 *
 * A replay knows all extents of a range before anybody asks for one. Sorted first, they
 * are linked into a tree with no search for their places and no rotation, which takes
 * half of the instructions, and each cache line of a node a few times in a row.
 */
#ifndef SSDUP_EXTENT_BULK_H
#define SSDUP_EXTENT_BULK_H

#include "extent_map.h"
#include "format.h"

/* Digits that extents are sorted by have at most so many bits. */
#define EXTENT_DIGIT	8U

struct extent_bulk {
	struct extent_list	all;	/* in no order, of any seq, overlapping or not */
	u32			nr;
};

/* Where a sort lays out its cards: 4 KiB, too much for a stack. */
struct extent_cards {
	struct extent	*first[1U << EXTENT_DIGIT];
	struct extent	**end[1U << EXTENT_DIGIT];
};

static inline void extent_bulk_add(struct extent_bulk *b, struct extent *e)
{
	extent_push(&b->all, e);
	b->nr++;
}

/**
 * extent_bulk_link() - make extents known that overlap no others
 * @tree: of the range that all of them lie in; nothing is linked unless it is empty
 * @b: taken from; empty afterwards
 * @low: extents start at a multiple of 1 << @low sectors
 * @high: the range is 1 << @high sectors
 * @cards: to sort with
 * @rest: by half: those that overlap another one or that are too few to be worth it. To be
 *	inserted, the half with the lowest generation first: of equal seqs the
 *	later insert counts. In one half no two that overlap have the same.
 *
 * O(n) for the few digits that a range has.
 */
void extent_bulk_link(struct extent_tree *tree, struct extent_bulk *b, u32 low, u32 high,
		      struct extent_cards *cards, struct extent_list rest[SSDUP_MAX_HALVES]);

#endif
