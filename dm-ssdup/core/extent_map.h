/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: what of the HDD's address space the log holds. Pure.
 *
 * The HDD is cut into ranges of a fixed power of two; each has a tree of the
 * extents in it, ordered by start. Invariants of a tree, true between calls:
 *
 *  - extents are disjoint, not empty, and lie within the range;
 *  - each sector belongs to the newest extent that was ever inserted over it
 *    (highest seq; of equal ones the later insert) and not removed since;
 *  - nr and sectors say how many extents there are and what they cover.
 *
 * An extent is 56 bytes (the paper measured 56 a request, section 2.5), and one in
 * an array of the log's 58 with what is left over.
 * Nothing here allocates: an insert takes its nodes from the caller, and gives
 * back those that it no longer needs on a list, to be freed outside the lock;
 * but not those that are lent.
 * Each tree is serialised by its range's lock, which the caller holds.
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
	bool		lent;		/* by its half, that takes it back with all others */
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
 * At most 1 when nothing in the tree is newer than @e, as is always so for a
 * write that just ended; more only for replay and for extents that are moved.
 */
u32 ssdup_extent_spares(const struct extent_tree *tree, const struct extent *e);

/**
 * extent_insert_alone() - make @e known if that takes no others apart
 * @e: as of ssdup_extent_insert()
 * @old: the extent whose place it took, in no tree any more, or NULL
 *
 * What nearly every write needs: it overlaps nothing, or exactly one older one that it
 * replaces. Inline, for its instructions are counted.
 *
 * Return: false, and nothing was changed, when ssdup_extent_insert() has to do it.
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
 * ssdup_extent_insert() - make @e known
 * @tree: of the range @e lies in
 * @e: start, seq, pos, sectors, half and kind filled in; the tree owns it from now on
 * @spares: at least ssdup_extent_spares() nodes; what is not used stays on it
 * @unused: nodes that left the tree, or that were not needed, are pushed here
 *
 * Older extents (lower or equal seq) give way where @e overlaps them: they are
 * trimmed, split or removed. Where a newer extent (higher seq) lies, @e gives
 * way; @e may end up in several pieces, or in none. A trim at the front moves
 * a DATA extent's pos along.
 */
void ssdup_extent_insert(struct extent_tree *tree, struct extent *e,
			 struct extent_list *spares, struct extent_list *unused);

/* How many extents a walk looks at before it lets go of the lock for a while. */
#define EXTENT_WALK	1024U

/**
 * ssdup_extent_drop_half() - remove the extents whose entry is in @half
 * @from: sector to start from; moved up to where the next call has to go on
 * @unused: the removed nodes are pushed here
 *
 * Only after the record that frees the half is durable (invariant 3).
 *
 * Return: false when the tree may hold more: EXTENT_WALK extents were looked at.
 */
bool ssdup_extent_drop_half(struct extent_tree *tree, u8 half, u64 *from,
			    struct extent_list *unused);

/**
 * ssdup_extent_find_kind() - the first extent of a kind
 * @from: sector to start from; moved up to where the next call has to go on
 * @found: the extent, or NULL
 *
 * Return: false when the tree may hold more: one was found, or EXTENT_WALK
 * extents were looked at.
 */
bool ssdup_extent_find_kind(const struct extent_tree *tree, u8 kind, u64 *from,
			    const struct extent **found);

/**
 * ssdup_extent_read_span() - how a read of [@start, @end) begins
 * @sectors: length of the first part, that is served from one place
 *
 * Return: the extent that holds the first part, or NULL when the HDD does.
 */
const struct extent *ssdup_extent_read_span(const struct extent_tree *tree, u64 start,
					    u64 end, u32 *sectors);

/**
 * ssdup_extent_walk_span() - how much of [@start, @end) an insert may replace at once
 *
 * Return: in sectors, up to where EXTENT_WALK extents overlap it.
 */
u32 ssdup_extent_walk_span(const struct extent_tree *tree, u64 start, u64 end);

/**
 * ssdup_extent_held_span() - how a discard of [@start, @end) begins
 * @sectors: length of the first part, that is held as a whole or not at all
 *
 * A part that is held ends after EXTENT_WALK extents, even if more of them follow.
 *
 * Return: is the first part held?
 */
bool ssdup_extent_held_span(const struct extent_tree *tree, u64 start, u64 end, u32 *sectors);

#endif
