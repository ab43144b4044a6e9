// SPDX-License-Identifier: GPL-2.0-only
/*
 * dm-ssdup: the memory of extents.
 */
#include <linux/slab.h>

#include "nodes.h"

#define ARRAYS_RESERVED	8

static struct kmem_cache *node_cache, *array_cache;

int ssdup_nodes_init(void)
{
	node_cache = kmem_cache_create("ssdup_extent", sizeof(struct extent), 0, 0, NULL);
	array_cache = kmem_cache_create("ssdup_extents", sizeof(struct extent_array), 0, 0, NULL);
	if (node_cache && array_cache)
		return 0;
	ssdup_nodes_exit();
	return -ENOMEM;
}

void ssdup_nodes_exit(void)
{
	kmem_cache_destroy(array_cache);
	kmem_cache_destroy(node_cache);
}

int ssdup_nodes_create(struct ssdup *c)
{
	return mempool_init_slab_pool(&c->nodes, SSDUP_NODES_RESERVED, node_cache) ?:
	       mempool_init_slab_pool(&c->arrays, ARRAYS_RESERVED, array_cache);
}

void ssdup_nodes_destroy(struct ssdup *c)
{
	mempool_exit(&c->arrays);
	mempool_exit(&c->nodes);
}

struct extent *ssdup_get_node(gfp_t gfp)
{
	struct extent *e = kmem_cache_alloc(node_cache, gfp);

	if (e)
		e->lent = false;
	return e;
}

bool ssdup_bring_spare(struct ssdup_io *io)
{
	struct extent *e = ssdup_get_node(GFP_NOWAIT | __GFP_NOWARN);

	if (e)
		extent_push(&io->nodes, e);
	return e;
}

void ssdup_free_nodes(struct ssdup *c, struct extent_list *list)
{
	struct extent *e;

	while ((e = extent_pop(list)))
		mempool_free(e, &c->nodes);
}

void ssdup_free_arrays(struct ssdup *c, struct ssdup_half *h)
{
	struct extent_array *array, *next;

	llist_for_each_entry_safe(array, next, llist_del_all(&h->arrays), list) {
		mempool_free(array, &c->arrays);
		cond_resched();
	}
}

struct extent_array *ssdup_new_array(struct ssdup *c)
{
	return mempool_alloc(&c->arrays, GFP_NOWAIT | __GFP_NOWARN);
}

void ssdup_lend(struct ssdup *c, struct ssdup_half *h, struct extent_array **place,
		struct extent_array *array)
{
	if (cmpxchg(place, NULL, array))
		mempool_free(array, &c->arrays);
	else
		llist_add(&array->list, &h->arrays);
}

void ssdup_lend_nodes(struct ssdup_half *h, struct extent_list *nodes, gfp_t gfp)
{
	struct extent_array *array = kmem_cache_alloc(array_cache, gfp);
	u32 i;

	if (!array)
		return;
	llist_add(&array->list, &h->arrays);
	for (i = SSDUP_ARRAY_NODES; i; i--) {
		array->e[i - 1].lent = true;
		extent_push(nodes, &array->e[i - 1]);
	}
}
