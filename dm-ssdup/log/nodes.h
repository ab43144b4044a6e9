/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * dm-ssdup: the memory of extents.
 *
 * The extents of a segment's entries are arrays, one for each part of a metadata page. An insert
 * that splits an extent takes an array of one node, for the segment of the split extent.
 */
#ifndef SSDUP_NODES_H
#define SSDUP_NODES_H

#include "log.h"

/** ssdup_nodes_init() - make the caches of all devices; context: module init */
int ssdup_nodes_init(void);
void ssdup_nodes_exit(void);

/** ssdup_nodes_create() - make the pools of a device; context: the constructor */
int ssdup_nodes_create(struct ssdup_log *log);
void ssdup_nodes_destroy(struct ssdup_log *log);

/** ssdup_new_node() - allocate an array of one node, not from the pool, or NULL */
struct extent_array *ssdup_new_node(gfp_t gfp);

/** ssdup_take_node() - an array of one node for a split, from the pool: it cannot fail */
struct extent_array *ssdup_take_node(struct ssdup_log *log);

/** ssdup_put_node() - give one back that is in no tree; any context */
static inline void ssdup_put_node(struct ssdup_log *log, struct extent_array *node)
{
	mempool_free(node, &log->nodes);
}

/** ssdup_free_spare() - free what @io did not need; any context */
static inline void ssdup_free_spare(struct ssdup_log *log, struct ssdup_io *io)
{
	if (unlikely(io->spare))
		ssdup_put_node(log, io->spare);
	io->spare = NULL;
}

/** ssdup_add_array() - allocate an array, not of the pool, for @seg; or NULL. Context: a replay */
struct extent_array *ssdup_add_array(struct ssdup_segment *seg, gfp_t gfp);

/** ssdup_free_arrays() - free the arrays of @seg, after its extents have left the map */
void ssdup_free_arrays(struct ssdup_log *log, struct ssdup_segment *seg);

/**
 * ssdup_trim_arrays() - free those arrays of @seg of which nothing is in a tree
 *
 * Its pieces are in order. Return: bytes of the others.
 */
u64 ssdup_trim_arrays(struct ssdup_log *log, struct ssdup_segment *seg);

/** ssdup_add_node() - an array of one node belongs to @seg from here on. Return: its bytes */
u64 ssdup_add_node(struct ssdup_segment *seg, struct extent_array *node);

/** ssdup_new_array() - allocate the nodes of part of a page, or NULL; any context */
struct extent_array *ssdup_new_array(struct ssdup_log *log);

/**
 * ssdup_lend() - give a part of a page its array
 * @place: in the ring; the caller has reserved an entry of that part
 * @array: freed if the part has one meanwhile
 *
 * Context: any, while a write is in flight to @seg.
 */
void ssdup_lend(struct ssdup_log *log, struct ssdup_segment *seg, struct extent_array **place,
		struct extent_array *array);

#endif
