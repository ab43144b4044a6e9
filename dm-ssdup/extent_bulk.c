// SPDX-License-Identifier: GPL-2.0-only
#include <linux/bitops.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/rbtree_augmented.h>

#include "extent_bulk.h"

#define LEVELS		32U

/* With fewer, searches for their places cost no more. */
#define WORTH_IT	64U

/* One pass of a radix sort, lowest digit first: stable, as the next one relies on. */
static void sort_by_digit(struct extent_list *list, u32 shift, u32 bits,
			  struct extent_cards *cards)
{
	u32 i, mask = (1U << bits) - 1;
	struct extent *e, *sorted = NULL;

	for (i = 0; i <= mask; i++)
		cards->end[i] = &cards->first[i];
	for (e = list->head; e; e = e->next) {
		i = (e->start >> shift) & mask;
		*cards->end[i] = e;
		cards->end[i] = &e->next;
	}
	/* What nobody was put on leads on to the next at once. */
	for (i = mask + 1; i--; ) {
		*cards->end[i] = sorted;
		sorted = cards->first[i];
	}
	list->head = sorted;
}

static void sort_by_start(struct extent_bulk *b, u32 low, u32 high, struct extent_cards *cards)
{
	u32 digits = DIV_ROUND_UP(high - low, min_t(u32, ilog2(b->nr), EXTENT_DIGIT));
	u32 bits = DIV_ROUND_UP(high - low, digits);

	for (; low < high; low += bits)
		sort_by_digit(&b->all, low, bits, cards);
}

/* Take out of a sorted list whatever overlaps something. */
static void take_overlapping(struct extent_bulk *b, struct extent_list *rest)
{
	struct extent **link = &b->all.head, *e, *next;
	u64 end = 0;

	for (e = b->all.head; e; e = next) {
		next = e->next;
		if (e->start >= end && (!next || next->start >= extent_end(e))) {
			*link = e;
			link = &e->next;
			continue;
		}
		end = max(end, extent_end(e));
		extent_push(&rest[e->half], e);
		b->nr--;
	}
	*link = NULL;
}

/*
 * The tree is complete but for its lowest level, of which the first so many are there.
 * Numbered in order, those that are not there counted, a node with k zero bits at its
 * end is k levels above the lowest; its parent comes before it if the bit after next is
 * set, and else later. Red are those on the lowest level, and all others black.
 */
static void link_sorted(struct extent_tree *tree, struct extent_bulk *b)
{
	/* The last one of each level, and what the lowest has below it. */
	struct rb_node *last[1 + LEVELS] = { NULL }, *node, *parent;
	u32 above = BIT(ilog2(b->nr)) - 1, lowest = b->nr - above, i, level;
	struct extent *e, *next;
	u64 sectors = 0;

	for (e = b->all.head, i = 1; e; e = next, i++) {
		next = e->next;
		sectors += e->sectors;
		if (i & 1) {
			if (lowest) {
				lowest--;
			} else {
				last[1] = NULL;
				i++;
			}
		}
		level = __ffs(i);
		node = &e->node;
		parent = i >> level & 2 ? last[level + 2] : NULL;
		if (parent)
			parent->rb_right = node;
		rb_set_parent_color(node, parent, level ? RB_BLACK : RB_RED);
		node->rb_right = NULL;
		node->rb_left = last[level];
		if (node->rb_left)
			rb_set_parent(node->rb_left, node);
		last[level + 1] = node;
	}
	/* One that is alone is on the lowest level, too. */
	level = ilog2(b->nr);
	tree->root.rb_node = last[level + 1];
	rb_set_parent_color(tree->root.rb_node, NULL, RB_BLACK);
	tree->nr = b->nr;
	tree->sectors = sectors;
	b->all.head = NULL;
}

void extent_bulk_link(struct extent_tree *tree, struct extent_bulk *b, u32 low, u32 high,
		      struct extent_cards *cards, struct extent_list rest[SSDUP_MAX_HALVES])
{
	struct extent *e;

	if (b->nr >= WORTH_IT && !tree->nr) {
		sort_by_start(b, low, high, cards);
		take_overlapping(b, rest);
		if (b->nr)
			link_sorted(tree, b);
	}
	while ((e = extent_pop(&b->all)))
		extent_push(&rest[e->half], e);
	b->nr = 0;
}
