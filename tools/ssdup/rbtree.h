/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What extent_map.c asks of the kernel's <linux/rbtree.h>, in user space: the same
 * calls on a treap. A node's priority is a hash of its address, so that no log,
 * however it was made, decides how deep the tree becomes.
 */
#ifndef SSDUP_RBTREE_H
#define SSDUP_RBTREE_H

#include <stddef.h>

struct rb_node {
	struct rb_node	*rb_parent;
	struct rb_node	*rb_left;
	struct rb_node	*rb_right;
};

struct rb_root {
	struct rb_node	*rb_node;
};

#define RB_ROOT		((struct rb_root){ NULL })
#define rb_entry_safe(ptr, type, member) ({ \
	struct rb_node *_n = (ptr);		\
	_n ? (type *)((char *)_n - offsetof(type, member)) : NULL; })

static inline void rb_link_node(struct rb_node *node, struct rb_node *parent,
				struct rb_node **link)
{
	*node = (struct rb_node){ .rb_parent = parent };
	*link = node;
}

void rb_insert_color(struct rb_node *node, struct rb_root *root);
void rb_erase(struct rb_node *node, struct rb_root *root);
void rb_replace_node(struct rb_node *old, struct rb_node *new, struct rb_root *root);
struct rb_node *rb_next(const struct rb_node *node);

#endif
