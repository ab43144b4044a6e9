// SPDX-License-Identifier: GPL-2.0-only
/* Decides how a range's extents change: insert, look up, cut, remove. */
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

void ssdup_extent_remove(struct extent_tree *tree, struct extent *e)
{
	rb_erase(&e->node, &tree->root);
	tree->nr--;
	tree->sectors -= e->sectors;
	extent_unmap(e);
}

/* Take [@start, @end) from @x, which overlaps it. */
static void tree_cut(struct extent_tree *tree, struct extent *x, u64 start, u64 end,
		     struct extent *spare)
{
	bool data = x->kind == SSDUP_KIND_DATA;
	u64 x_end = extent_end(x);

	if (x->start >= start && x_end <= end) {
		ssdup_extent_remove(tree, x);
		return;
	}
	if (x->start >= start) {
		/* The order stays right: the start moves up within the old extent. */
		tree->sectors -= end - x->start;
		x->pos += data ? end - x->start : 0;
		x->start = end;
		x->sectors = x_end - end;
		return;
	}
	tree->sectors -= x_end - start;
	x->sectors = start - x->start;
	if (x_end > end) {
		spare->start = end;
		spare->sectors = x_end - end;
		spare->seq = x->seq;
		spare->kind = x->kind;
		spare->pos = x->pos + (data ? end - x->start : 0);
		extent_insert_alone(tree, spare);
	}
}

bool ssdup_extent_overtaken(const struct extent_tree *tree, const struct extent *e)
{
	u64 end = extent_end(e);
	const struct extent *x;

	for (x = ssdup_extent_first(tree, e->start, end); x && x->start < end;
	     x = ssdup_extent_next(x))
		if (x->seq > e->seq)
			return true;
	return false;
}

const struct extent *ssdup_extent_splits(const struct extent_tree *tree, const struct extent *e)
{
	const struct extent *x = ssdup_extent_first(tree, e->start, extent_end(e));

	return x && x->start < e->start && extent_end(x) > extent_end(e) ? x : NULL;
}

void ssdup_extent_insert(struct extent_tree *tree, struct extent *e, struct extent *spare)
{
	u64 end = extent_end(e);
	struct extent *x, *next;

	for (x = ssdup_extent_first(tree, e->start, end); x && x->start < end; x = next) {
		next = ssdup_extent_next(x);
		tree_cut(tree, x, e->start, end, spare);
	}
	extent_insert_alone(tree, e);
}

void ssdup_extent_hand(struct extent_tree *from, struct extent_tree *to, struct extent *e)
{
	rb_erase(&e->node, &from->root);
	from->nr--;
	from->sectors -= e->sectors;
	extent_insert_alone(to, e);
}

u32 ssdup_extent_forget(struct extent_tree *tree, u64 start, u64 end)
{
	struct extent *x = ssdup_extent_first(tree, start, end), *next;
	u32 sectors = tree->sectors;

	/* Then it is the only one. */
	if (x && x->start < start && extent_end(x) > end) {
		if (start - x->start < extent_end(x) - end)
			start = x->start;
		else
			end = extent_end(x);
	}
	for (; x && x->start < end; x = next) {
		next = ssdup_extent_next(x);
		tree_cut(tree, x, start, end, NULL);
	}
	return sectors - tree->sectors;
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

u32 ssdup_extent_older_span(const struct extent_tree *tree, u64 start, u64 end, u64 seq,
			    u64 *from)
{
	const struct extent *x = ssdup_extent_first(tree, start, end);

	*from = start;
	for (; x && x->start < end; x = ssdup_extent_next(x)) {
		if (x->seq <= seq)
			continue;
		if (x->start > *from)
			return x->start - *from;
		*from = min(extent_end(x), end);
	}
	return end - *from;
}

u32 ssdup_extent_class_span(const struct extent_tree *tree, u64 start, u64 end,
			    const struct log_classes *classes, u32 *class)
{
	const struct extent *x = ssdup_extent_first(tree, start, end);
	u32 own = *class;
	u64 at = start;

	if (x && x->start <= start)
		*class = extent_class(x, classes);
	for (; x && x->start < end; x = ssdup_extent_next(x)) {
		if (*class != own && x->start > at)
			break;
		if (extent_class(x, classes) != *class)
			return x->start - start;
		at = extent_end(x);
	}
	return (*class == own ? end : min(at, end)) - start;
}

u32 ssdup_extent_walk_span(const struct extent_tree *tree, u64 start, u64 end)
{
	const struct extent *x = ssdup_extent_first(tree, start, end);
	u32 seen = 0;

	while (x && x->start < end && seen++ < EXTENT_WALK)
		x = ssdup_extent_next(x);
	return (x && x->start < end ? x->start : end) - start;
}

u32 ssdup_extent_held_span(const struct extent_tree *tree, u64 start, u64 end)
{
	const struct extent *x = ssdup_extent_first(tree, start, end);
	u32 seen = 0;
	u64 at = start;

	if (!x || x->start > start)
		return (x ? x->start : end) - start;
	for (; x && x->start <= at && at < end && seen++ < EXTENT_WALK; x = ssdup_extent_next(x))
		at = extent_end(x);
	return min(at, end) - start;
}
