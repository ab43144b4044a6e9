/* SPDX-License-Identifier: GPL-2.0-only */
/* As much of the kernel's lists as the modelled disks use. */
#ifndef SSDUP_HOST_LIST_H
#define SSDUP_HOST_LIST_H

#include "tools/lib/shim.h"

struct list_head {
	struct list_head *next, *prev;
};

static inline void INIT_LIST_HEAD(struct list_head *list)
{
	list->next = list;
	list->prev = list;
}

static inline bool list_empty(const struct list_head *list)
{
	return list->next == list;
}

static inline void list_add_tail(struct list_head *node, struct list_head *list)
{
	node->next = list;
	node->prev = list->prev;
	list->prev->next = node;
	list->prev = node;
}

static inline void list_del(struct list_head *node)
{
	node->next->prev = node->prev;
	node->prev->next = node->next;
	node->next = NULL;
	node->prev = NULL;
}

static inline void list_splice_tail_init(struct list_head *from, struct list_head *to)
{
	struct list_head *node;

	while (!list_empty(from)) {
		node = from->next;
		list_del(node);
		list_add_tail(node, to);
	}
}

#define list_first_entry(list, type, member) container_of((list)->next, type, member)

#define list_for_each_entry(pos, list, member) \
	for (pos = container_of((list)->next, typeof(*pos), member); \
	     &pos->member != (list); \
	     pos = container_of(pos->member.next, typeof(*pos), member))

#define list_for_each_entry_safe(pos, n, list, member) \
	for (pos = container_of((list)->next, typeof(*pos), member), \
	     n = container_of(pos->member.next, typeof(*pos), member); \
	     &pos->member != (list); \
	     pos = n, n = container_of(n->member.next, typeof(*n), member))

#endif
