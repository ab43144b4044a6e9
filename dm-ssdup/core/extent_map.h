/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the map: which parts of the HDD's address space the log holds. Pure.
 *
 * The HDD is cut into ranges of a fixed power of two; each has a tree of the
 * extents in it, ordered by start. Invariants of a tree, true between calls:
 *
 *  - extents are disjoint, not empty, and lie within the range;
 *  - each sector belongs to the newest extent that was ever inserted over it
 *    (highest seq; of equal ones the later insert) and not removed since;
 *  - nr is the number of extents, and sectors the number of sectors that they cover.
 *
 * An extent takes 56 bytes (the paper measured 56 a request, section 2.5), or 58 in a half's
 * array, with what is left over there.
 * Nothing here allocates. An insert takes its nodes from the caller. Nodes that are no longer
 * needed are returned on a list, to be freed outside the lock; except lent ones, which belong
 * to the array of their half. The caller holds the lock of the tree's range.
 */
#ifndef SSDUP_EXTENT_MAP_H
#define SSDUP_EXTENT_MAP_H

#include <linux/rbtree.h>

#include "types.h"

struct extent {
	union {
		struct rb_node	node;
		struct extent	*next;	/* while on an extent_list */
	};
	u64		start;		/* HDD sector */
	u64		seq;
	log_pos_t	pos;		/* in the data area of @half; 0 unless DATA */
	u32		sectors;
	u8		half;
	u8		kind;		/* SSDUP_KIND_ */
	bool		home;		/* a drain has written it to the HDD already */
	bool		lent;		/* part of its half's array, freed as a whole */
};

static inline u64 extent_end(const struct extent *e)
{
	return e->start + e->sectors;
}

/* A stack of nodes that are in no tree. */
struct extent_list {
	struct extent	*head;
};

static inline void extent_push(struct extent_list *list, struct extent *e)
{
	e->next = list->head;
	list->head = e;
}

static inline struct extent *extent_pop(struct extent_list *list)
{
	struct extent *e = list->head;

	if (e)
		list->head = e->next;
	return e;
}

struct extent_tree {
	struct rb_root	root;
	u32		nr;
	u64		sectors;
};

/** ssdup_extent_tree_init() - make an empty tree */
void ssdup_extent_tree_init(struct extent_tree *tree);

/**
 * ssdup_extent_first() - lowest extent that overlaps [@start, @end)
 *
 * Return: NULL when none does. O(log n).
 */
struct extent *ssdup_extent_first(const struct extent_tree *tree, u64 start, u64 end);

/** ssdup_extent_next() - the next higher extent, or NULL */
struct extent *ssdup_extent_next(const struct extent *e);

/**
 * ssdup_extent_spares() - nodes that inserting @e would take beside @e itself
 *
 * At most 1 when nothing in the tree is newer than @e, which is true for every write that
 * just ended. Replay and relocation may need more.
 */
u32 ssdup_extent_spares(const struct extent_tree *tree, const struct extent *e);

/**
 * extent_insert_alone() - insert @e if no other extent has to be cut
 * @e: see ssdup_extent_insert()
 * @old: set to the extent that @e replaced and that left the tree, or to NULL
 *
 * This is enough for nearly every write: it overlaps nothing, or replaces exactly one older
 * extent. It is inline because every write pays for it.
 *
 * Return: false, with nothing changed, when ssdup_extent_insert() is needed.
 */
static inline bool extent_insert_alone(struct extent_tree *tree, struct extent *e,
				       struct extent **old)
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
	*old = NULL;
	if (higher && higher->start < extent_end(e))
		return false;
	if (lower && extent_end(lower) > e->start) {
		if (lower->start != e->start || lower->sectors != e->sectors ||
		    lower->seq > e->seq)
			return false;
		rb_replace_node(&lower->node, &e->node, &tree->root);
		*old = lower;
		return true;
	}
	rb_link_node(&e->node, parent, link);
	rb_insert_color(&e->node, &tree->root);
	tree->nr++;
	tree->sectors += e->sectors;
	return true;
}

/**
 * ssdup_extent_insert() - insert @e
 * @tree: of the range that @e lies in
 * @e: start, seq, pos, sectors, half and kind filled in; the tree owns it from now on
 * @spares: at least ssdup_extent_spares() nodes; unused ones stay on the list
 * @unused: nodes that left the tree, or @e if it was not needed, are pushed here
 *
 * Older extents (lower or equal seq) give way where @e overlaps them: they are
 * trimmed, split or removed. @e gives way to newer extents (higher seq), and may
 * end up in several pieces or in none. A trim at the front moves the pos of a
 * DATA extent along.
 */
void ssdup_extent_insert(struct extent_tree *tree, struct extent *e,
			 struct extent_list *spares, struct extent_list *unused);

/* Extents that a walk looks at before it drops the lock for a while. */
#define EXTENT_WALK	1024U

/**
 * ssdup_extent_drop_half() - remove the extents whose entry is in @half
 * @from: sector to start from; moved up to where the next call must go on
 * @unused: the removed nodes are pushed here
 *
 * Call it only when the record that frees the half is durable (invariant 3).
 *
 * Return: false when the tree may hold more, because EXTENT_WALK extents were looked at.
 */
bool ssdup_extent_drop_half(struct extent_tree *tree, u8 half, u64 *from,
			    struct extent_list *unused);

/**
 * ssdup_extent_find_kind() - the first extent of a kind
 * @from: sector to start from; moved up to where the next call must go on
 * @found: the extent, or NULL
 *
 * Return: false when the tree may hold more: one was found, or EXTENT_WALK
 * extents were looked at.
 */
bool ssdup_extent_find_kind(const struct extent_tree *tree, u8 kind, u64 *from,
			    const struct extent **found);

/**
 * ssdup_extent_read_span() - the first part of a read of [@start, @end)
 * @sectors: set to the length of that part, which one place serves
 *
 * Return: the extent that holds the first part, or NULL when the HDD does.
 */
const struct extent *ssdup_extent_read_span(const struct extent_tree *tree, u64 start,
					    u64 end, u32 *sectors);

/**
 * ssdup_extent_walk_span() - how much of [@start, @end) an insert may replace at once
 *
 * Return: sectors from @start that at most EXTENT_WALK extents overlap.
 */
u32 ssdup_extent_walk_span(const struct extent_tree *tree, u64 start, u64 end);

/**
 * ssdup_extent_held_span() - the first part of a discard of [@start, @end)
 * @sectors: set to the length of that part, which the log holds as a whole or not at all
 *
 * A held part ends after EXTENT_WALK extents, even if more follow.
 *
 * Return: true when the log holds the part.
 */
bool ssdup_extent_held_span(const struct extent_tree *tree, u64 start, u64 end, u32 *sectors);

#endif
