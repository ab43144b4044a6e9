/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the map: which parts of the HDD's address space the log holds. Pure.
 *
 * The HDD is cut into ranges of a fixed power of two; each has a tree of the
 * extents in it, ordered by start. Invariants of a tree, true between calls:
 *
 *  - extents are disjoint, not empty, and lie within the range;
 *  - each sector belongs to the newest extent that was ever inserted over it (highest seq) and
 *    not removed since;
 *  - nr is the number of extents, and sectors the number of sectors that they cover. A tree of
 *    more than a range does not count these right: they are 32 bits.
 *
 * An extent takes 48 bytes (the paper measured 56 a request, section 2.5). Its memory belongs to
 * an array of its segment until that is free, even when it has left its tree. So nothing here
 * allocates or frees. The caller holds the lock of the tree's range.
 */
#ifndef SSDUP_EXTENT_MAP_H
#define SSDUP_EXTENT_MAP_H

#include <linux/llist.h>
#include <linux/rbtree.h>

#include "codec.h"

struct extent {
	struct rb_node	node;		/* empty while the extent is in no tree */
	u64		start;		/* HDD sector */
	u64		seq : 60;
	u64		kind : 4;	/* SSDUP_KIND_ */
	u64		pos : 36;	/* sector on the SSD; of a tombstone: its segment's first */
	u64		sectors : 28;
};

#define EXTENT_MAX_SECTORS	134217728U	/* so ranges are no longer */

static inline u64 extent_end(const struct extent *e)
{
	return e->start + e->sectors;
}

/**
 * extent_mapped() - is @e in a tree?
 *
 * Without the lock of its range true is a hint. False is final, see extent_unmap().
 */
static inline bool extent_mapped(const struct extent *e)
{
	return !RB_EMPTY_NODE(&e->node);
}

/* Nothing of @e is looked at after this: who finds it unmapped may free it. */
static inline void extent_unmap(struct extent *e)
{
	/* Pairs with smp_rmb() in visit_extents(), and a control dependency in array_unused(). */
	smp_store_release(&e->node.__rb_parent_color, (unsigned long)&e->node);
}

/* The extents of consecutive entries of a segment, or one that was split off; see order.h */
struct extent_array {
	struct llist_node	list;		/* of the segment */
	struct rb_node		turn;		/* by @first */
	u64			first : 56;	/* lowest start that was not taken yet */
	u64			nr : 8;
	struct extent		e[];
};

/** extent_array_init() - an array of @nr extents that are in no tree */
static inline void extent_array_init(struct extent_array *a, u32 nr)
{
	u32 i;

	a->nr = nr;
	for (i = 0; i < nr; i++)
		RB_CLEAR_NODE(&a->e[i].node);
}

struct extent_tree {
	struct rb_root	root;
	u32		nr;
	u32		sectors;
};

/** ssdup_extent_tree_init() - make an empty tree */
void ssdup_extent_tree_init(struct extent_tree *tree);

/** ssdup_extent_first() - lowest extent that overlaps [@start, @end), or NULL; O(log n) */
struct extent *ssdup_extent_first(const struct extent_tree *tree, u64 start, u64 end);

/** ssdup_extent_next() - the next higher extent, or NULL */
struct extent *ssdup_extent_next(const struct extent *e);

/* Where an extent goes in a tree that does not change meanwhile. */
struct extent_place {
	struct rb_node	**link;
	struct rb_node	*parent;
	struct extent	*same;		/* an older one that it replaces; NULL: none */
};

/**
 * extent_find_place() - a place for @e, if it overlaps nothing or has the sectors of an older one
 * @e: see ssdup_extent_insert()
 *
 * It is inline because every write pays for it, and for nearly every write it is enough.
 *
 * Return: false when ssdup_extent_insert() is needed.
 */
static inline bool extent_find_place(struct extent_tree *tree, const struct extent *e,
				     struct extent_place *place)
{
	struct rb_node **link = &tree->root.rb_node, *parent = NULL;
	struct extent *x, *lower = NULL, *higher = NULL;

	while (*link) {
		parent = *link;
		x = rb_entry_safe(parent, struct extent, node);
		if (e->start < x->start) {
			higher = x;
			link = &parent->rb_left;
		} else {
			lower = x;
			link = &parent->rb_right;
		}
	}
	if (higher && higher->start < extent_end(e))
		return false;
	if (lower && extent_end(lower) > e->start) {
		if (lower->start != e->start || lower->sectors != e->sectors ||
		    lower->seq > e->seq)
			return false;
		place->same = lower;
		return true;
	}
	place->same = NULL;
	place->link = link;
	place->parent = parent;
	return true;
}

/** extent_insert_at() - insert @e where extent_find_place() has found a place for it */
static inline void extent_insert_at(struct extent_tree *tree, struct extent *e,
				    const struct extent_place *place)
{
	if (place->same) {
		rb_replace_node(&place->same->node, &e->node, &tree->root);
		extent_unmap(place->same);
		return;
	}
	rb_link_node(&e->node, place->parent, place->link);
	rb_insert_color(&e->node, &tree->root);
	tree->nr++;
	tree->sectors += e->sectors;
}

/** extent_insert_alone() - extent_find_place(), and extent_insert_at() if there is one */
static inline bool extent_insert_alone(struct extent_tree *tree, struct extent *e)
{
	struct extent_place place;

	if (!extent_find_place(tree, e, &place))
		return false;
	extent_insert_at(tree, e, &place);
	return true;
}

/** ssdup_extent_overtaken() - does a newer extent, of a write to a younger segment, overlap @e? */
bool ssdup_extent_overtaken(const struct extent_tree *tree, const struct extent *e);

/** ssdup_extent_splits() - the older extent that @e lies inside, and would split; or NULL */
const struct extent *ssdup_extent_splits(const struct extent_tree *tree, const struct extent *e);

/**
 * ssdup_extent_insert() - insert @e, which no newer extent overlaps
 * @tree: of the range that @e lies in
 * @e: all but node filled in
 * @spare: for the rear part of an extent that @e splits; may be NULL if it splits none
 *
 * Extents give way where @e overlaps them: they are trimmed, split or removed. A trim at the
 * front moves the pos of a DATA extent along.
 */
void ssdup_extent_insert(struct extent_tree *tree, struct extent *e, struct extent *spare);

/** ssdup_extent_remove() - take @e out of its tree */
void ssdup_extent_remove(struct extent_tree *tree, struct extent *e);

/** ssdup_extent_hand() - move @e to another tree, in which nothing overlaps it; it stays mapped */
void ssdup_extent_hand(struct extent_tree *from, struct extent_tree *to, struct extent *e);

/**
 * ssdup_extent_forget() - take [@start, @end) out of a tree, without a spare node
 *
 * An extent that is cut in its middle keeps the longer side, and the other one leaves too.
 * Return: the number of sectors that have left.
 */
u32 ssdup_extent_forget(struct extent_tree *tree, u64 start, u64 end);

/* Extents that a walk looks at while it holds the lock. */
#define EXTENT_WALK	1024U

/**
 * ssdup_extent_read_span() - the first part of a read of [@start, @end)
 * @sectors: set to the length of that part, which one place serves
 *
 * Return: the extent that holds the first part, or NULL when the HDD does.
 */
const struct extent *ssdup_extent_read_span(const struct extent_tree *tree, u64 start,
					    u64 end, u32 *sectors);

/**
 * ssdup_extent_older_span() - the first part of [@start, @end) that no newer extent holds
 * @seq: extents above it are newer; in a replay, entries of a segment come in any order
 * @from: set to the start of that part
 *
 * Return: its length in sectors, or 0 when newer extents hold all of it.
 */
u32 ssdup_extent_older_span(const struct extent_tree *tree, u64 start, u64 end, u64 seq,
			    u64 *from);

/** extent_class() - the class of an extent, which its generation says */
static inline u32 extent_class(const struct extent *e, const struct log_classes *classes)
{
	return log_class(classes, e->seq >> SSDUP_SEQ_BITS);
}

/**
 * ssdup_extent_class_span() - the first part of a write of [@start, @end) that has one class
 * @class: of new data; set to the class that holds the first part, if any does
 *
 * What a class holds it keeps, but new data beside it gets its own. So the part is all held by
 * one class; or it has extents of the class of new data, and of no other.
 *
 * Return: its length in sectors.
 */
u32 ssdup_extent_class_span(const struct extent_tree *tree, u64 start, u64 end,
			    const struct log_classes *classes, u32 *class);

/** ssdup_extent_walk_span() - sectors from @start that at most EXTENT_WALK extents overlap */
u32 ssdup_extent_walk_span(const struct extent_tree *tree, u64 start, u64 end);

/**
 * ssdup_extent_held_span() - the first part of a discard of [@start, @end)
 *
 * Return: its length in sectors. The log holds it as a whole or not at all; a held part ends
 * after EXTENT_WALK extents, even if more follow.
 */
u32 ssdup_extent_held_span(const struct extent_tree *tree, u64 start, u64 end);

#endif
