/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the memory of extents.
 *
 * A half lends nodes to its extents, as one array for each part of a metadata page. They are
 * freed after the half's extents have left the map. Inserts that split an extent use single
 * nodes.
 */
#ifndef SSDUP_NODES_H
#define SSDUP_NODES_H

#include "ssdup.h"

/** ssdup_nodes_init() - make the caches of all devices; context: module init */
int ssdup_nodes_init(void);
void ssdup_nodes_exit(void);

/** ssdup_nodes_create() - make the pools of a device; context: the constructor */
int ssdup_nodes_create(struct ssdup *c);
void ssdup_nodes_destroy(struct ssdup *c);

/** ssdup_get_node() - allocate a single node, not from the pool, or NULL; context: by @gfp */
struct extent *ssdup_get_node(gfp_t gfp);

/** ssdup_free_nodes() - free a list of single nodes */
void ssdup_free_nodes(struct ssdup *c, struct extent_list *list);

/** ssdup_bring_spare() - allocate a spare node for @io; any context. Return: false: no memory */
bool ssdup_bring_spare(struct ssdup_io *io);

/*
 * The pool's reserve is for inserts that split an extent, see ssdup_insert_among(). It serves
 * as many writes in flight as it has nodes. Writes beyond that, and writes that come while part
 * of it is in use, allocate their own spare node.
 */
static inline bool ssdup_has_spare(struct ssdup *c, struct ssdup_io *io, int writes)
{
	if (likely(writes <= SSDUP_NODES_RESERVED && mempool_is_saturated(&c->nodes)))
		return true;
	return io->nodes.head || ssdup_bring_spare(io);
}

/**
 * ssdup_lend_nodes() - allocate an array of nodes, not from the pool, lent by @h
 * @nodes: receives them; stays as it is if there is no memory
 *
 * Context: a replay, by @gfp.
 */
void ssdup_lend_nodes(struct ssdup_half *h, struct extent_list *nodes, gfp_t gfp);

/** ssdup_free_arrays() - free what @h has lent, after its extents have left the map */
void ssdup_free_arrays(struct ssdup *c, struct ssdup_half *h);

/** ssdup_new_array() - allocate the nodes of part of a page, or NULL; any context */
struct extent_array *ssdup_new_array(struct ssdup *c);

/**
 * ssdup_lend() - give a part of a page its array
 * @place: in the ring; the caller has reserved an entry of that part
 * @array: freed if the part has one meanwhile
 *
 * Context: any, while a write is in flight to @h.
 */
void ssdup_lend(struct ssdup *c, struct ssdup_half *h, struct extent_array **place,
		struct extent_array *array);

#endif
