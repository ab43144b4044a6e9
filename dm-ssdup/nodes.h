/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the memory of extents.
 *
 * A half lends the nodes of what is logged in it, an array for part of a metadata page at
 * once, and has them back when its extents have left the map. Beside those there are single
 * nodes, for inserts that split an extent.
 */
#ifndef SSDUP_NODES_H
#define SSDUP_NODES_H

#include "ssdup.h"

/** ssdup_nodes_init() - memory of extents, for all devices; context: module */
int ssdup_nodes_init(void);
void ssdup_nodes_exit(void);

/** ssdup_nodes_create() - c->nodes and c->arrays; context: the constructor */
int ssdup_nodes_create(struct ssdup *c);
void ssdup_nodes_destroy(struct ssdup *c);

/** ssdup_get_node() - a node that is not lent, or NULL; not out of a reserve; context: by @gfp */
struct extent *ssdup_get_node(gfp_t gfp);

/** ssdup_free_nodes() - give a list of nodes back that are not lent */
void ssdup_free_nodes(struct ssdup *c, struct extent_list *list);

/** ssdup_bring_spare() - a node of its own for @io; any context. Return: false without memory */
bool ssdup_bring_spare(struct ssdup_io *io);

/*
 * The reserve of c->nodes is for inserts that split an extent, see
 * ssdup_insert_among().
 * It is enough for as many writes in flight as it has nodes. Writes beyond that, and
 * those that come while part of it is in use, bring their own.
 */
static inline bool ssdup_has_spare(struct ssdup *c, struct ssdup_io *io, int writes)
{
	if (likely(writes <= SSDUP_NODES_RESERVED && mempool_is_saturated(&c->nodes)))
		return true;
	return io->nodes.head || ssdup_bring_spare(io);
}

/**
 * ssdup_lend_nodes() - the nodes of an array, lent by @h, allocated by @gfp
 * @nodes: pushed here; none are without memory
 *
 * Context: a replay; may sleep, and takes nothing out of a reserve.
 */
void ssdup_lend_nodes(struct ssdup_half *h, struct extent_list *nodes, gfp_t gfp);

/** ssdup_free_arrays() - free what @h has lent; its extents have left the map */
void ssdup_free_arrays(struct ssdup *c, struct ssdup_half *h);

/** ssdup_new_array() - memory for the nodes of part of a page, or NULL; any context */
struct extent_array *ssdup_new_array(struct ssdup *c);

/**
 * ssdup_lend() - give a part of a page its array
 * @place: in the ring; of a page that the caller has got an entry of
 * @array: freed when there is one by now
 *
 * Context: any, while a write is in flight to @h.
 */
void ssdup_lend(struct ssdup *c, struct ssdup_half *h, struct extent_array **place,
		struct extent_array *array);

#endif
