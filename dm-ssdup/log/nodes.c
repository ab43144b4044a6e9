// SPDX-License-Identifier: GPL-2.0-only
/* Owns the memory of extents, and the shares of it that open segments have. */
#include <linux/slab.h>

#include "log_internal.h"
#include "nodes.h"

#define ARRAYS_RESERVED	8
#define ARRAY_BYTES(nr)	(sizeof(struct extent_array) + (nr) * sizeof(struct extent))

static struct kmem_cache *node_cache, *array_cache;

int ssdup_nodes_init(void)
{
	node_cache = kmem_cache_create("ssdup_extent", ARRAY_BYTES(1), 0, 0, NULL);
	array_cache = kmem_cache_create("ssdup_extents", ARRAY_BYTES(SSDUP_ARRAY_NODES), 0, 0,
					NULL);
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

int ssdup_nodes_create(struct ssdup_log *log)
{
	log->spares = SSDUP_NODES_RESERVED;
	return mempool_init_slab_pool(&log->nodes, SSDUP_NODES_RESERVED, node_cache) ?:
	       mempool_init_slab_pool(&log->arrays, ARRAYS_RESERVED, array_cache);
}

void ssdup_nodes_destroy(struct ssdup_log *log)
{
	mempool_exit(&log->arrays);
	mempool_exit(&log->nodes);
}

struct extent_array *ssdup_new_node(gfp_t gfp)
{
	struct extent_array *node = kmem_cache_alloc(node_cache, gfp);

	if (node)
		extent_array_init(node, 1);
	return node;
}

/* It cannot fail, see ssdup_has_spare(). */
struct extent_array *ssdup_take_node(struct ssdup_log *log)
{
	struct extent_array *node = mempool_alloc(&log->nodes, GFP_NOWAIT | __GFP_NOWARN);

	extent_array_init(node, 1);
	return node;
}

void ssdup_share_spares(struct ssdup_log *log, struct ssdup_segment *seg)
{
	WRITE_ONCE(seg->spares, min(log->spares, SSDUP_NODES_RESERVED / 2 / log->classes.nr));
	log->spares -= seg->spares;
}

void ssdup_take_spares_back(struct ssdup_log *log, struct ssdup_segment *seg, u32 writes)
{
	u32 keep = min(seg->spares, writes);

	log->spares += seg->spares - keep;
	WRITE_ONCE(seg->spares, keep);
}

static void free_arrays(struct llist_node *all, mempool_t *pool)
{
	struct extent_array *array, *next;

	llist_for_each_entry_safe(array, next, all, list) {
		mempool_free(array, pool);
		cond_resched();
	}
}

void ssdup_free_arrays(struct ssdup_log *log, struct ssdup_segment *seg)
{
	free_arrays(llist_del_all(&seg->arrays), &log->arrays);
	free_arrays(llist_del_all(&seg->pieces), &log->nodes);
	free_arrays(llist_del_all(&seg->ordered), &log->nodes);
}

/* Nothing of it is in a tree, and nothing will be. */
static bool array_unused(const struct extent_array *array)
{
	u32 i;

	for (i = 0; i < array->nr; i++)
		/* A write may remove one meanwhile: then the array goes with the segment. */
		if (data_race(extent_mapped(&array->e[i])))
			return false;
	return true;
}

/* Return: bytes of the arrays that stay. */
static u64 trim_arrays(struct llist_head *list, mempool_t *pool)
{
	struct llist_node *all = llist_del_all(list);
	struct extent_array *array, *next;
	u64 bytes = 0;

	llist_for_each_entry_safe(array, next, all, list) {
		if (array_unused(array)) {
			mempool_free(array, pool);
		} else {
			llist_add(&array->list, list);
			bytes += ARRAY_BYTES(array->nr);
		}
		cond_resched();
	}
	return bytes;
}

u64 ssdup_trim_arrays(struct ssdup_log *log, struct ssdup_segment *seg)
{
	return trim_arrays(&seg->arrays, &log->arrays) + trim_arrays(&seg->ordered, &log->nodes);
}

u64 ssdup_add_node(struct ssdup_segment *seg, struct extent_array *node)
{
	llist_add(&node->list, &seg->pieces);
	return ARRAY_BYTES(1);
}

struct extent_array *ssdup_new_array(struct ssdup_log *log)
{
	struct extent_array *array = mempool_alloc(&log->arrays, GFP_NOWAIT | __GFP_NOWARN);

	if (array)
		extent_array_init(array, SSDUP_ARRAY_NODES);
	return array;
}

void ssdup_lend(struct ssdup_log *log, struct ssdup_segment *seg, struct extent_array **place,
		struct extent_array *array)
{
	if (cmpxchg(place, NULL, array))
		mempool_free(array, &log->arrays);
	else
		llist_add(&array->list, &seg->arrays);
}

struct extent_array *ssdup_add_array(struct ssdup_segment *seg, gfp_t gfp)
{
	struct extent_array *array = kmem_cache_alloc(array_cache, gfp);

	if (!array)
		return NULL;
	extent_array_init(array, SSDUP_ARRAY_NODES);
	llist_add(&array->list, &seg->arrays);
	return array;
}
