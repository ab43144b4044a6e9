// SPDX-License-Identifier: GPL-2.0-only
#include <linux/minmax.h>

#include "extent_map.h"

static struct extent *to_extent(struct rb_node *node)
{
	return rb_entry_safe(node, struct extent, node);
}

void ssdup_extent_tree_init(struct extent_tree *tree)
{
	tree->root = RB_ROOT;
	tree->nr = 0;
	tree->sectors = 0;
}

struct extent *ssdup_extent_first(const struct extent_tree *tree, u64 start, u64 end)
{
	struct rb_node *node = tree->root.rb_node;
	struct extent *found = NULL;

	while (node) {
		struct extent *x = to_extent(node);

		if (extent_end(x) > start) {
			found = x;
			node = node->rb_left;
		} else {
			node = node->rb_right;
		}
	}
	return found && found->start < end ? found : NULL;
}

struct extent *ssdup_extent_next(const struct extent *e)
{
	return to_extent(rb_next(&e->node));
}

static void tree_add(struct extent_tree *tree, struct extent *e)
{
	struct rb_node **link = &tree->root.rb_node;
	struct rb_node *parent = NULL;

	while (*link) {
		parent = *link;
		link = e->start < to_extent(parent)->start ? &parent->rb_left : &parent->rb_right;
	}
	rb_link_node(&e->node, parent, link);
	rb_insert_color(&e->node, &tree->root);
	tree->nr++;
	tree->sectors += e->sectors;
}

/* @e has left the tree. A lent node goes back with its half's array instead. */
static void give_back(struct extent_list *unused, struct extent *e)
{
	if (!e->lent)
		extent_push(unused, e);
}

static void tree_remove(struct extent_tree *tree, struct extent *e, struct extent_list *unused)
{
	rb_erase(&e->node, &tree->root);
	tree->nr--;
	tree->sectors -= e->sectors;
	give_back(unused, e);
}

/* Fill @piece with the part [@start, @end) of @whole, and put it into the tree. */
static void tree_add_part(struct extent_tree *tree, struct extent *piece,
			  const struct extent *whole, u64 start, u64 end)
{
	piece->start = start;
	piece->sectors = end - start;
	piece->seq = whole->seq;
	piece->half = whole->half;
	piece->kind = whole->kind;
	piece->home = whole->home;
	piece->pos = whole->kind == SSDUP_KIND_DATA ?
		log_pos_add(whole->pos, start - whole->start) : to_log_pos(0);
	tree_add(tree, piece);
}

/* Take [@start, @end) from @x, which overlaps it. */
static void tree_cut(struct extent_tree *tree, struct extent *x, u64 start, u64 end,
		     struct extent_list *spares, struct extent_list *unused)
{
	struct extent whole = *x;
	u64 x_end = extent_end(x);

	if (x->start < start) {
		tree->sectors -= x_end - start;
		x->sectors = start - x->start;
		if (x_end > end)
			tree_add_part(tree, extent_pop(spares), &whole, end, x_end);
	} else if (x_end > end) {
		/* The order stays right: the start moves up within the old extent. */
		tree->sectors -= end - x->start;
		x->start = end;
		x->sectors = x_end - end;
		if (x->kind == SSDUP_KIND_DATA)
			x->pos = log_pos_add(whole.pos, end - whole.start);
	} else {
		tree_remove(tree, x, unused);
	}
}

u32 ssdup_extent_spares(const struct extent_tree *tree, const struct extent *e)
{
	u64 from = e->start, end = extent_end(e);
	struct extent *x = ssdup_extent_first(tree, from, end);
	u32 pieces = 0;

	/* @e splits an older extent only when it lies inside that one. */
	if (x && x->seq <= e->seq && x->start < from && extent_end(x) > end)
		return 1;

	for (; x && x->start < end; x = ssdup_extent_next(x)) {
		if (x->seq <= e->seq)
			continue;
		pieces += x->start > from;
		from = extent_end(x);
	}
	pieces += from < end;

	return pieces ? pieces - 1 : 0;
}

void ssdup_extent_insert(struct extent_tree *tree, struct extent *e,
			 struct extent_list *spares, struct extent_list *unused)
{
	const struct extent whole = *e;
	u64 from = whole.start, end = extent_end(&whole);
	struct extent *x, *next;

	/* All below @from is done; @e is NULL once it is in the tree. */
	for (x = ssdup_extent_first(tree, from, end); x && x->start < end; x = next) {
		next = ssdup_extent_next(x);
		if (x->seq <= whole.seq) {
			tree_cut(tree, x, whole.start, end, spares, unused);
			continue;
		}
		if (x->start > from) {
			tree_add_part(tree, e ?: extent_pop(spares), &whole, from, x->start);
			e = NULL;
		}
		from = extent_end(x);
	}
	if (from < end) {
		tree_add_part(tree, e ?: extent_pop(spares), &whole, from, end);
		e = NULL;
	}
	if (e)
		give_back(unused, e);
}

bool ssdup_extent_drop_half(struct extent_tree *tree, u8 half, u64 *from,
			    struct extent_list *unused)
{
	struct extent *x, *next;
	u32 seen = 0;

	for (x = ssdup_extent_first(tree, *from, U64_MAX); x; x = next) {
		*from = x->start;
		if (seen++ == EXTENT_WALK)
			return false;
		next = ssdup_extent_next(x);
		if (x->half == half)
			tree_remove(tree, x, unused);
	}
	return true;
}

bool ssdup_extent_find_kind(const struct extent_tree *tree, u8 kind, u64 *from,
			    const struct extent **found)
{
	const struct extent *x;
	u32 seen = 0;

	*found = NULL;
	for (x = ssdup_extent_first(tree, *from, U64_MAX); x; x = ssdup_extent_next(x)) {
		*from = x->start;
		if (seen++ == EXTENT_WALK)
			return false;
		*from = extent_end(x);
		if (x->kind == kind) {
			*found = x;
			return false;
		}
	}
	return true;
}

const struct extent *ssdup_extent_read_span(const struct extent_tree *tree, u64 start,
					    u64 end, u32 *sectors)
{
	const struct extent *x = ssdup_extent_first(tree, start, end);

	if (x && x->start <= start) {
		*sectors = min(extent_end(x), end) - start;
		return x;
	}
	*sectors = (x ? x->start : end) - start;
	return NULL;
}

u32 ssdup_extent_walk_span(const struct extent_tree *tree, u64 start, u64 end)
{
	const struct extent *x = ssdup_extent_first(tree, start, end);
	u32 seen = 0;

	while (x && x->start < end && seen++ < EXTENT_WALK)
		x = ssdup_extent_next(x);
	return (x && x->start < end ? x->start : end) - start;
}

bool ssdup_extent_held_span(const struct extent_tree *tree, u64 start, u64 end, u32 *sectors)
{
	const struct extent *x = ssdup_extent_first(tree, start, end);
	u32 seen = 0;
	u64 at = start;

	if (!x || x->start > start) {
		*sectors = (x ? x->start : end) - start;
		return false;
	}
	for (; x && x->start <= at && at < end && seen++ < EXTENT_WALK; x = ssdup_extent_next(x))
		at = extent_end(x);
	*sectors = min(at, end) - start;
	return true;
}
