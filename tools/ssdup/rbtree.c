// SPDX-License-Identifier: GPL-2.0-only
#include <stdint.h>

#include "rbtree.h"

static uint64_t priority(const struct rb_node *node)
{
	uint64_t x = (uintptr_t)node;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

/* Whatever points at @old points at @new. */
static void replace(struct rb_node *old, struct rb_node *new, struct rb_root *root)
{
	struct rb_node *parent = old->rb_parent;

	if (!parent)
		root->rb_node = new;
	else if (parent->rb_left == old)
		parent->rb_left = new;
	else
		parent->rb_right = new;
	if (new)
		new->rb_parent = parent;
}

/* Put @node, a child, in the place of its parent. */
static void lift(struct rb_node *node, struct rb_root *root)
{
	struct rb_node *parent = node->rb_parent, *inner;

	replace(parent, node, root);
	if (parent->rb_left == node) {
		inner = node->rb_right;
		node->rb_right = parent;
		parent->rb_left = inner;
	} else {
		inner = node->rb_left;
		node->rb_left = parent;
		parent->rb_right = inner;
	}
	parent->rb_parent = node;
	if (inner)
		inner->rb_parent = parent;
}

void rb_insert_color(struct rb_node *node, struct rb_root *root)
{
	while (node->rb_parent && priority(node->rb_parent) < priority(node))
		lift(node, root);
}

void rb_erase(struct rb_node *node, struct rb_root *root)
{
	while (node->rb_left && node->rb_right)
		lift(priority(node->rb_left) > priority(node->rb_right) ?
		     node->rb_left : node->rb_right, root);
	replace(node, node->rb_left ? node->rb_left : node->rb_right, root);
}

/* @new gets the place of @old, not its own: the tree may be deeper for it. */
void rb_replace_node(struct rb_node *old, struct rb_node *new, struct rb_root *root)
{
	*new = *old;
	replace(old, new, root);
	if (new->rb_left)
		new->rb_left->rb_parent = new;
	if (new->rb_right)
		new->rb_right->rb_parent = new;
}

struct rb_node *rb_next(const struct rb_node *node)
{
	const struct rb_node *parent;

	if (node->rb_right) {
		node = node->rb_right;
		while (node->rb_left)
			node = node->rb_left;
		return (struct rb_node *)node;
	}
	while ((parent = node->rb_parent) && node == parent->rb_right)
		node = parent;
	return (struct rb_node *)parent;
}
